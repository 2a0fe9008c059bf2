"""Models in several files, for the tests of sets and comparisons."""
import json
import os
import struct

from fixtures import write


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def f32(*values, shape=None):
    return ("F32", list(shape or [len(values)]), floats(*values))


def safetensors_of(tensors, metadata=None):
    """tensors: name -> (dtype, shape, bytes)"""
    header, at = {}, 0
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values())


def weights(n, start=0):
    """n tensors, each another"""
    return {f"layer.{i}.weight": f32(i, 1, 2, 3, shape=(2, 2)) for i in range(start, start + n)}


def shard_name(i, n):
    return f"model-{i + 1:05}-of-{n:05}.safetensors"


def sharded(folder, tensors, n_shards):
    """The tensors in so many shards, one after the other, and their index.  Return: the index as a dict."""
    os.makedirs(folder, exist_ok=True)
    names = list(tensors)
    per = -(-len(names) // n_shards)
    places = {}
    for i in range(n_shards):
        here = names[i * per:(i + 1) * per]
        write(f"{folder}/{shard_name(i, n_shards)}", safetensors_of({k: tensors[k] for k in here}))
        places.update({k: shard_name(i, n_shards) for k in here})
    index = {"metadata": {"total_size": sum(len(t[2]) for t in tensors.values())}, "weight_map": places}
    write_index(folder, index)
    return index


def write_index(folder, index):
    write(f"{folder}/model.safetensors.index.json", json.dumps(index).encode())
