"""GGUF files whose metadata is sound as such, and whose numbers a runtime divides by, indexes with or takes memory by."""
import struct

TYPES = {"u32": (4, "<I"), "i32": (5, "<i"), "f32": (6, "<f"), "bool": (7, "<B")}


def string(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def value(v):
    """u32, truth, float, text or a list of one of them, signed where a number is."""
    if isinstance(v, bool):
        return struct.pack("<IB", 7, v)
    if isinstance(v, str):
        return struct.pack("<I", 8) + string(v)
    if isinstance(v, list):
        kind = 8 if not v or isinstance(v[0], str) else 6 if v and isinstance(v[0], float) else 5
        return struct.pack("<IIQ", 9, kind, len(v)) + b"".join(
            string(e) if kind == 8 else struct.pack("<f" if kind == 6 else "<i", e) for e in v)
    if isinstance(v, float):
        return struct.pack("<If", 6, v)
    return struct.pack("<Ii", 5, v) if v < 0 else struct.pack("<II", 4, v)


def gguf(keys, architecture="llama", tensors=()):
    """A header with these keys; `*.KEY` is the architecture's.  Tensors: (name, dimensions), of zeros."""
    pairs = {"general.architecture": architecture}
    pairs.update((k.replace("*", architecture, 1), v) for k, v in keys.items())
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + b"".join(string(k) + value(v) for k, v in pairs.items())
    data = b""
    for name, dims in tensors:
        head += string(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, 0, len(data))
        count = 4
        for d in dims:
            count *= d
        data += bytes(count + -count % 32)
    return head + bytes(-len(head) % 32 if tensors else 0) + data


HIGH, MEDIUM = "gguf-runtime-limit", "gguf-runtime-range"
BLOCKS = {"*.block_count": 2}
EXPERTS = {"*.expert_count": 4}
CLIP = {"clip.vision.block_count": 1, "clip.vision.embedding_length": 8, "clip.vision.attention.head_count": 2}


def pairs():
    """(name, code, architecture, keys that are bad, keys that are good)."""
    def one(key, bad, good, code=HIGH, architecture="llama", **more):
        more = {k.replace("__", "."): v for k, v in more.items()}
        return (architecture, code, {**more, key: bad}, {**more, key: good})
    wide = {"*.embedding_length": 8, "*.attention.head_count": 2}
    yield "heads", one("*.attention.head_count", 0, 4)
    yield "heads-of-layers", one("*.attention.head_count", [0, 0], [0, 4])
    yield "heads-divide", one("*.attention.head_count", 3, 2, MEDIUM, **{"*.embedding_length": 8})
    yield "kv-heads", one("*.attention.head_count_kv", 3, 2, MEDIUM, **{"*.attention.head_count": 8})
    yield "kv-heads-more", one("*.attention.head_count_kv", 16, 0, MEDIUM, **{"*.attention.head_count": 8})
    yield "layers", one("*.feed_forward_length", [4, 4, 4], [4, 4], **BLOCKS)
    yield "experts-used", one("*.expert_used_count", 5, 4, **EXPERTS)
    yield "experts-none-used", one("*.expert_used_count", 0, 1, **EXPERTS)
    yield "experts-of-none", one("*.expert_used_count", 1, 0, **{"*.expert_count": 0})
    yield "experts-of-none-hunyuan", one("*.expert_used_count", 2, 1, architecture="hunyuan-dense", **{"*.expert_count": 0})
    yield "experts-one-unused", one("*.expert_used_count", 0, 1, **{"*.expert_count": 1})
    yield "groups", one("*.expert_group_count", 4, 2, **EXPERTS)
    yield "groups-uneven", one("*.expert_group_count", 3, 2, **EXPERTS)
    grouped = {**EXPERTS, "*.expert_group_count": 2}
    yield "groups-used", one("*.expert_group_used_count", 2, 1, **grouped)
    yield "groups-none-used", one("*.expert_group_used_count", 0, 1, **grouped)
    yield "nextn", one("*.nextn_predict_layers", 2, 1, **BLOCKS)
    yield "dense-blocks", one("*.leading_dense_block_count", 3, 2, MEDIUM, **BLOCKS)
    yield "deepstack", one("*.n_deepstack_layers", 3, 2, MEDIUM, **BLOCKS)
    yield "hash-layers", one("*.hash_layer_count", 3, 2, MEDIUM, **BLOCKS)
    yield "shared-kv", one("*.attention.shared_kv_layers", 3, 2, MEDIUM, **BLOCKS)
    yield "posnet", one("*.posnet.block_count", 3, 2, architecture="wavtokenizer-dec", **BLOCKS)
    yield "convnext", one("*.convnext.block_count", 3, 2, architecture="wavtokenizer-dec", **BLOCKS)
    yield "altup", one("*.altup.active_idx", 2, 1, MEDIUM, **{"*.altup.num_inputs": 2})
    yield "mla", one("*.attention.value_length_mla", 0, 8, MEDIUM, **{"*.attention.key_length_mla": 8})
    yield "mla-other", one("*.attention.value_length_mla", 8, 0, MEDIUM, **{"*.attention.key_length_mla": 0})
    yield "output-groups", one("*.attention.output_group_count", 3, 2, MEDIUM, "deepseek4", **{"*.attention.head_count": 8})
    yield "rope", one("*.rope.dimension_count", 6, 4, MEDIUM, **wide)
    yield "sections", one("*.rope.dimension_sections", [2, 2, 2, 0], [2, 1, 1, 0], MEDIUM, **wide)
    yield "sections-long", one("*.rope.dimension_sections", [1] * 64, [1, 1, 1, 0])
    yield "rope-type", one("*.rope.scaling.type", "dynamic", "yarn", MEDIUM)
    yield "ssm-rank", one("*.ssm.inner_size", 6, 8, architecture="mamba2", **{"*.ssm.time_step_rank": 4})
    yield "ssm-groups", one("*.ssm.inner_size", 6, 8, architecture="mamba2", **{"*.ssm.group_count": 4})
    yield "wkv", one("*.wkv.head_size", 6, 4, architecture="rwkv7", **{"*.embedding_length": 8})
    yield "clip-heads", one("clip.vision.attention.head_count", 3, 2, architecture="clip", **{
        "clip.vision.block_count": 1, "clip.vision.embedding_length": 8})
    yield "clip-no-heads", one("clip.vision.block_count", 1, 0, architecture="clip", **{"clip.vision.attention.head_count": 0})
    yield "clip-audio-heads", one("clip.audio.attention.head_count", 3, 2, architecture="clip", **{
        "clip.audio.block_count": 1, "clip.audio.embedding_length": 8})
    yield "clip-audio-no-heads", one("clip.audio.block_count", 1, 0, architecture="clip", **{
        "clip.audio.attention.head_count": 0})
    for side in ("vision", "audio"):
        yield f"clip-{side}-kv", one(f"clip.{side}.attention.head_count_kv", 3, 1, MEDIUM, "clip", **{
            f"clip.{side}.attention.head_count": 2})
        yield f"clip-{side}-feature", one(f"clip.{side}.feature_layer", [2], [1], MEDIUM, "clip", **{
            f"clip.{side}.block_count": 1})
        yield f"clip-{side}-pattern", one(f"clip.{side}.wa_pattern_mode", [1, 1], [1], architecture="clip", **{
            f"clip.{side}.block_count": 1})
    yield "clip-window", one("clip.vision.wa_layer_indexes", [1], [0], MEDIUM, "clip", **{"clip.vision.block_count": 1})
    yield "clip-deepstack", one("clip.vision.is_deepstack_layers", [1, 1], [1], "gguf-key-type " + HIGH, "clip", **{
        "clip.vision.block_count": 1})
    yield "clip-grid-resampler", one("clip.vision.image_size", 1025, 1024, architecture="clip", **{
        "clip.vision.patch_size": 1, "clip.projector_type": "resampler"})
    yield "clip-grid", one("clip.vision.image_size", 1025, 0, MEDIUM, "clip", **{"clip.vision.patch_size": 1})
    yield "clip-tiles", one("clip.vision.preproc_min_tiles", 3, 2, architecture="clip", **{
        "clip.vision.preproc_max_tiles": 2})
    yield "clip-pixels", one("clip.vision.image_min_pixels", 3, 2, MEDIUM, "clip", **{"clip.vision.image_max_pixels": 2})
    yield "clip-offsets", one("clip.vision.projector.spatial_offsets", [1], [1, 1], MEDIUM, "clip", **{
        "clip.vision.feature_layer": [1, 2]})
    yield "clip-mean", one("clip.vision.image_mean", [0.5], [0.5] * 3, architecture="clip")
    yield "clip-pinpoints", one("clip.vision.image_grid_pinpoints", [336, 672, 1], [336, 672], architecture="clip")
    yield "clip-downsample", one("clip.audio.projector.downsample_rate", 3, 2, architecture="clip", **{
        "clip.audio.projector.window_size": 2})
    yield "clip-gelu", one("clip.use_gelu", True, False, MEDIUM, "clip", **{"clip.use_silu": True})
    for model, least in (("llama", 3), ("gpt2", 12), ("bert", 104), ("t5", 3)):
        yield f"defaults-{model}", one("tokenizer.ggml.tokens", ["a"] * (least - 1), ["a"] * least, MEDIUM, **{
            "tokenizer.ggml.model": model})
        yield f"defaults-{model}-empty", one("tokenizer.ggml.tokens", [], ["a"] * least, MEDIUM, **{
            "tokenizer.ggml.model": model})
    yield "suppressed", one("tokenizer.ggml.suppress_tokens", [2], [1], "gguf-tokenizer-mismatch", **{
        "tokenizer.ggml.tokens": ["a", "b"]})
    yield "suppressed-negative", one("tokenizer.ggml.suppress_tokens", [-1], [0], "gguf-tokenizer-mismatch", **{
        "tokenizer.ggml.tokens": ["a", "b"]})
    for name, bad in (("none", "ab"), ("empty", ""), ("first", " ab"), ("last", "ab ")):
        yield f"merge-{name}", one("tokenizer.ggml.merges", ["a b", bad], ["a b", "\u0120 t"], "gguf-merge-form")


def section(case):
    for name, (architecture, code, bad, good) in pairs():
        case(f"gguf-{name}-bad.gguf", gguf(bad, architecture), code, "a number that the runtime does not bear")
        near = "gguf-key-type" if "key-type" in code else ""
        case(f"gguf-{name}-near.gguf", gguf(good, architecture), near, "and one that it does")
    case("gguf-heads-of-another.gguf", gguf({"*.attention.head_count": 0}, "grandmother"), "", "nobody knows how it counts")
    case("gguf-heads-of-recurrent.gguf", gguf({"*.attention.head_count": 0, "*.context_length": 1 << 20}, "mamba"), "",
         "it has none")
    case("gguf-heads-of-neighbour.gguf", gguf({"gemma.attention.head_count": 0}), "", "not this architecture's key")
    case("gguf-heads-of-adapter.gguf", gguf({"general.type": "adapter", "*.attention.head_count": 0}), "",
         "not this file's business")
    for name, dims in (("experts-bad", (4, 8)), ("experts-near", (4, 8, 4)), ("experts-one-bad", (4, 8, 1))):
        adapter = gguf({"general.type": "adapter", "adapter.type": "lora"}, tensors=[
            (f"blk.0.ffn_up_exps.weight.lora_{m}", dims) for m in "ab"])
        case(f"gguf-adapter-{name}.gguf", adapter, HIGH if "bad" in name else "", "matrices of experts")
    case("gguf-adapter-plain.gguf", gguf({"general.type": "adapter"}, tensors=[("blk.0.attn_q.weight.lora_a", (4, 8))]), "",
         "matrices of everybody")
    case("gguf-defaults-given.gguf", gguf({"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": ["a"], **{
        f"tokenizer.ggml.{k}_token_id": 0 for k in ("bos", "eos", "unknown")}}), "", "ids that are given")
