"""What torch.load() makes of a checkpoint, and whether it is what we report: run in the child, and beside it."""
import base64

import child

LIMITS = child.Limits(memory_bytes=1 << 30, cpu_s=5)

SETUP = """
import collections, hashlib, base64, io, pickle, warnings, tarfile
warnings.simplefilter('ignore')
import numpy, torch, torch._utils, torch._tensor, torch.serialization
torch.load(io.BytesIO((torch.save([torch.ones(2)], b := io.BytesIO()), b.getvalue())[1]))
torch.set_num_threads(1)
"""

# value: [dtype, SHA-256 of the storage, whether all of it is finite as this type, its bytes if they are few], or an error.
CASE = """
def describe(loaded):
    rows, seen = [], set()

    def tensor(t):
        if getattr(t, 'is_meta', False):
            return
        if t.layout != torch.strided:
            if t.layout == torch.sparse_coo:
                parts = [t._indices(), t._values()]
            elif t.layout in (torch.sparse_csr, torch.sparse_bsr):
                parts = [t.crow_indices(), t.col_indices(), t.values()]
            else:
                parts = [t.ccol_indices(), t.row_indices(), t.values()]
            for part in parts:
                walk(part)
            return
        raw = t.untyped_storage() if hasattr(t, 'untyped_storage') else t.storage().untyped()
        flat = torch.empty(0, dtype=torch.uint8).set_(raw)
        content = flat.numpy().tobytes()
        finite = True
        if t.is_floating_point() or t.is_complex():
            typed = torch.empty(0, dtype=t.dtype).set_(raw, 0, (len(content) // t.element_size(),))
            typed = torch.view_as_real(typed) if t.is_complex() else typed
            finite = bool(torch.isfinite(typed.to(torch.float64)).all())
        rows.append([str(t.dtype)[6:], hashlib.sha256(content).hexdigest(), finite,
                     base64.b64encode(content).decode() if len(content) <= 4096 else None, len(content)])

    def walk(v):
        if id(v) in seen:
            return
        seen.add(id(v))
        if isinstance(v, torch.Tensor):
            tensor(v)
            walk(vars(v))
            if v.layout == torch.strided and v.grad is not None:
                walk(v.grad)
        elif isinstance(v, dict):
            for key, item in v.items():
                walk(key), walk(item)
            walk(getattr(v, '__dict__', None))
        elif isinstance(v, (list, tuple, set, frozenset)):
            for item in v:
                walk(item)
        elif hasattr(v, '__dict__') and not isinstance(v, type):
            walk(vars(v))

    walk(loaded)
    return rows

try:
    value = describe(torch.load(path, map_location='cpu', weights_only=False))
except MemoryError:
    raise
except Exception as e:
    value = type(e).__name__ + ': ' + str(e)[:200]
"""

DTYPES = {"float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
          "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL", "complex64": "C64", "complex128": "C128",
          "qint8": "I8", "quint8": "U8", "qint32": "I32", "complex32": "F16", "float8_e5m2": "F8_E5M2",
          "float8_e4m3fn": "F8_E4M3", "float8_e5m2fnuz": "F8_E5M2FNUZ", "float8_e4m3fnuz": "F8_E4M3FNUZ",
          "float8_e8m0fnu": "F8_E8M0", "uint16": "U16", "uint32": "U32", "uint64": "U64"}
INTEGERS = {"I64", "I32", "I16", "I8", "U8", "U16", "U32", "U64"}


def server(loader):
    child.need(loader, "torch")
    return child.Server(loader, SETUP, CASE, LIMITS)


SIZES = {"F64": 8, "I64": 8, "U64": 8, "C64": 4, "C128": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "I16": 2,
         "U16": 2}


def swap(raw, name):
    """NumPy stores the elements of an array in their own order and swaps them when it loads them."""
    size = SIZES.get(name, 1)
    return b"".join(raw[i:i + size][::-1] for i in range(0, len(raw), size))


def differs(verdict, content, rows):
    """What a tensor of the loader has that our rows do not say; "" if nothing."""
    ours = verdict.get("tensors") or []
    finite = not (verdict["weights"]["nan"] or verdict["weights"]["pos_inf"] or verdict["weights"]["neg_inf"])
    for dtype, digest, is_finite, raw, size in rows:
        name = DTYPES.get(dtype, "U8")
        if size == 0:
            continue
        if not is_finite and finite:
            return f"a {dtype} is not finite, and nothing is said"
        raw = base64.b64decode(raw) if raw is not None else None
        if raw is not None and is_finite and raw.decode("latin-1").encode() in content and b"_codecs\nencode" in content:
            continue    # spelt as text: examined, and not listed
        swapped = swap(raw, name) if raw is not None else None
        found = [r for r in ours if r["dtype"] == name or name in INTEGERS]
        if not any(r["sha256"] == digest for r in found) and not (
                raw is not None and any(raw in content[slice(*r["offsets"])] or
                                        (r.get("member", "").endswith("data.pkl") and swapped in content[slice(*r["offsets"])])
                                        for r in found)):
            if not verdict["tensors_listed"]:
                continue
            return f"a {dtype} of {size} bytes is in no row"
    return ""
