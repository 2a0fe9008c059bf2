#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small models as whisper.cpp reads them that each break one rule of
formats/whisper, and near misses that break none.  Always the same bytes, made without whisper.cpp; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import gzip
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(".bin", {"whisper-empty"}, {"weights-nan"})
case = CORPUS.case

F32, F16, Q8_0 = 0, 1, 8
HEAD = {"vocab": 51864, "audio_ctx": 4, "state": 1, "audio_head": 1, "audio_layer": 1, "text_ctx": 8, "text_state": 1,
        "text_head": 1, "text_layer": 1, "mels": 1, "ftype": 1}


def u32(*numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)


def begin(filters=None, bins=201, first=0.0, words=(b"a", b"", b"bc"), **head):
    """Head, filters and vocabulary."""
    head = {**HEAD, **head}
    mels = head["mels"]
    return b"lmgg" + u32(*head.values()) + u32(mels if filters is None else filters, bins) + struct.pack(
        "<f", first) + bytes(4 * mels * 201 - 4) + u32(
        len(words)) + b"".join(u32(len(w)) + w for w in words)


def quantised(blocks):
    """Of Q8_0: a scale each, and 32 bytes.  Not all alike, or packed they would be taken for a bomb."""
    return b"".join(struct.pack("<e", i % 97) + bytes(range(32)) for i in range(blocks))


def tensor(name, shape, kind, data=None):
    n = 1
    for size in shape:
        n *= size
    if data is None:
        data = quantised(n // 32) if kind == Q8_0 else bytes(n * (4 if kind == F32 else 2))
    return u32(len(shape), len(name), kind) + u32(*shape) + name.encode() + data


def attention(where, state, matrix):
    for part in "query", "key", "value", "out":
        yield f"{where}.{part}.weight", (state, state), matrix
        if part != "key":
            yield f"{where}.{part}.bias", (state,), F32


def block(where, state, matrix, cross):
    for norm in ("mlp_ln", "attn_ln") + (("cross_attn_ln",) if cross else ()):
        yield f"{where}.{norm}.weight", (state,), F32
        yield f"{where}.{norm}.bias", (state,), F32
    yield f"{where}.mlp.0.weight", (state, 4 * state), matrix
    yield f"{where}.mlp.0.bias", (4 * state,), F32
    yield f"{where}.mlp.2.weight", (4 * state, state), matrix
    yield f"{where}.mlp.2.bias", (state,), F32
    yield from attention(f"{where}.attn", state, matrix)
    if cross:
        yield from attention(f"{where}.cross_attn", state, matrix)


def tensors(matrix=F16, layers=1, **head):
    """All of the model, as name, shape and type."""
    head = {**HEAD, **head}
    state, convolution = head["state"], F32 if matrix == F32 else F16
    yield "encoder.positional_embedding", (state, head["audio_ctx"]), F32
    yield "encoder.conv1.weight", (3, head["mels"], state), convolution
    yield "encoder.conv1.bias", (1, state), F32
    yield "encoder.conv2.weight", (3, state, state), convolution
    yield "encoder.conv2.bias", (1, state), F32
    yield "encoder.ln_post.weight", (state,), F32
    yield "encoder.ln_post.bias", (state,), F32
    for i in range(layers):
        yield from block(f"encoder.blocks.{i}", state, matrix, False)
    yield "decoder.positional_embedding", (state, head["text_ctx"]), F32
    yield "decoder.token_embedding.weight", (state, head["vocab"]), matrix
    yield "decoder.ln.weight", (state,), F32
    yield "decoder.ln.bias", (state,), F32
    yield from block("decoder.blocks.0", state, matrix, True)


def written(rows):
    return b"".join(tensor(*row) for row in rows)


def packed(data):
    """Mostly zeros, and too large to stand here as it is."""
    return gzip.compress(data, mtime=0)


def one(name, shape=None, kind=None, rename=None, data=None):
    """A tensor of the small model, perhaps otherwise."""
    row = next(t for t in tensors() if t[0] == name)
    return tensor(rename or name, shape or row[1], row[2] if kind is None else kind, data)


def others(name):
    return written(t for t in tensors() if t[0] != name)


WEIGHT = "encoder.blocks.0.mlp.0.weight"
FIRST = "encoder.positional_embedding"


def speech():
    case("sound", begin() + written(tensors()), why="a model of one layer")
    case("float32.gz", packed(begin(ftype=0) + written(tensors(matrix=F32))), why="matrices of 32 bits, and the convolutions with them")
    case("quantised.gz", packed(begin(ftype=2007, state=32, text_state=32) + written(tensors(matrix=Q8_0, state=32))), why="blocks of 8 bits")
    case("two-layers.gz", packed(begin(audio_layer=2) + written(tensors(layers=2))), why="layers by number")
    case("reversed.gz", packed(begin() + written(reversed(list(tensors())))), why="tensors in another order are the same model")
    case("empty", begin(), "whisper-empty", "no tensor at all, as the program's tests have it")
    case("empty-large", begin(audio_layer=33), "whisper-missing", "no tensor, and more memory asked for than any published model needs")
    case("nan.gz", packed(begin() + one(FIRST, data=struct.pack("<4f", 0, float("nan"), 0, 0)) + others(FIRST)), "weights-nan", "a weight that is no number",
         nonfinite={FIRST: counts(nan=1)})
    case("filters-nan", begin(first=float("nan")), "weights-nan whisper-empty",
         "a filter that is no number", nonfinite={"filters": counts(nan=1)})


def heads():
    """What the program divides, indexes and allocates by."""
    for name, head, why in (
            ("vocabulary-small", {"vocab": 51863}, "numbers of special tokens lie beyond the logits"),
            ("vocabulary-large", {"vocab": 51867}, "a language that the program's table does not have"),
            ("no-heads", {"audio_head": 0}, "division by zero"), ("uneven-heads", {"text_head": 3}, "heads do not divide the state"),
            ("no-layers", {"text_layer": 0}, "no layer"), ("many-layers", {"audio_layer": 129}, "more layers than any"),
            ("no-context", {"audio_ctx": 0}, "no context"), ("short-text", {"text_ctx": 7}, "half of it is not enough for a prompt"),
            ("type", {"ftype": 4}, "a type without a meaning"), ("type-version", {"ftype": 1007}, "a version of quantised blocks that was dropped"),
            ("type-unversioned", {"ftype": 7}, "quantised blocks of no version"), ("half-versioned", {"ftype": 2001}, "a version where nothing is quantised")):
        case("head-" + name, begin(**head), "whisper-head", why)
    case("head-filters", begin(filters=2), "whisper-head", "another number of filters than the model's")
    case("head-bins", begin(bins=202), "whisper-head", "a filter longer than the spectrum it is laid over")
    case("words-none", begin(words=()), "whisper-head", "a vocabulary of nothing")
    case("words-long", begin(words=(b"a" * 1025,)), "whisper-head", "a word of 1,025 bytes")
    case("words-longest", begin(words=(b"a" * 1024,)), "whisper-empty", "a word of 1,024 bytes")


def rows():
    case("tensor-unknown", begin() + one(WEIGHT, rename=WEIGHT.replace("mlp", "mlq")), "whisper-tensor", "a name that no model has")
    case("tensor-layer", begin() + one(WEIGHT, rename=WEIGHT.replace("s.0", "s.1")), "whisper-tensor", "a layer that this one does not have")
    case("tensor-leading-zero", begin() + one(WEIGHT, rename=WEIGHT.replace("s.0", "s.00")), "whisper-tensor", "a number written otherwise")
    case("tensor-shape", begin() + one(WEIGHT, shape=(4, 1)), "whisper-tensor", "as many numbers in another shape")
    case("tensor-rank.gz", packed(begin() + one(WEIGHT, shape=(1, 4, 1, 1)) + others(WEIGHT)), why="dimensions of one more are the same shape")
    case("tensor-rank-five", begin() + one(WEIGHT, shape=(1, 4, 1, 1, 1)), "whisper-tensor", "more dimensions than there are")
    case("tensor-type", begin() + one(FIRST, kind=F16, data=bytes(8)), "whisper-tensor", "half as wide as the program built it")
    case("tensor-type-same-size", begin() + one(WEIGHT, kind=30), "whisper-tensor",
         "bfloat16, as many bytes: the program reads them as another type")
    case("tensor-twice", begin() + one(FIRST) + one(FIRST), "whisper-tensor", "the later one wins")
    case("tensor-missing.gz", packed(begin() + written(list(tensors())[:-1])), "whisper-missing", "one is not there")
    case("tensor-truncated", (begin() + one(FIRST))[:-1], "whisper-truncated", "one byte less")
    case("tensor-trailing", begin() + bytes(11), "whisper-truncated", "the beginning of a tensor, which the program drops silently")


def detector_head(windows=(512, 64), layers=4, hidden=2, first=129, kernel=3, last=1):
    channels = [first, 2, 2, 2, hidden]
    return b"lmgg" + u32(10) + b"silero-16k" + u32(6, 2, 0, *windows, layers) + b"".join(
        u32(channels[i], channels[i + 1], kernel) for i in range(4)) + u32(hidden, hidden, hidden, last)


def detector_tensors():
    yield "_model.stft.forward_basis_buffer", (256, 1, 258), F16
    for i, n in enumerate((129, 2, 2, 2)):
        yield f"_model.encoder.{i}.reparam_conv.weight", (3, n, 2), F16
        yield f"_model.encoder.{i}.reparam_conv.bias", (2,), F32
    for name in "weight_ih", "weight_hh":
        yield "_model.decoder.rnn." + name, (2, 8), F32
    for name in "bias_ih", "bias_hh":
        yield "_model.decoder.rnn." + name, (8,), F32
    yield "_model.decoder.decoder.2.weight", (2,), F16
    yield "_model.decoder.decoder.2.bias", (), F32


def detector():
    case("detector", detector_head() + written(detector_tensors()), why="the detector of speech")
    case("detector-empty", detector_head(), "whisper-missing", "its program has no use for one without tensors")
    for name, head, why in (("window", {"windows": (513, 64)}, "samples that its transform was not made for"),
                            ("layers", {"layers": 3}, "the program reads the fourth all the same"),
                            ("channels", {"first": 128}, "other channels than the transform gives"),
                            ("kernel", {"kernel": 5}, "a kernel that the padding does not fit"), ("output", {"last": 2}, "two answers")):
        case("detector-" + name, detector_head(**head) + written(detector_tensors()), "whisper-head", why)


def parakeet():
    """What its program reads, and this one does not."""
    head = (10, 3200, 8, 2, 1, 16, 0, 64, 8, 4, 3, 8, 1, 2, 5)
    case("parakeet", b"lmgg" + u32(*head, 16, 33) + bytes(64), "format-partly-checked", "known, and not read", "review")
    case("parakeet-rows", b"lmgg" + u32(*head, 17, 33) + bytes(64), "gguf-legacy-magic", "other filters than its head says")


CORPUS.make(speech, heads, rows, detector, parakeet)
