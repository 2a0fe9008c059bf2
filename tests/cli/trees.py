"""Two small repositories as hubs receive them, file by file: what `weighlock scan` should say about each is beside it.

The content of a file is made here and always the same; test_trees.py writes them to a folder and scans that."""
import json
import struct
import zlib


def safetensors(**tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        raw = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": [len(values)], "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


def piece(text, score):
    body = b"\x0a" + bytes([len(text)]) + text + b"\x15" + struct.pack("<f", score)
    return b"\x0a" + bytes([len(body)]) + body


def text_of(value):
    return json.dumps(value, indent=2).encode() + b"\n"


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a2146" * 8 + b"\nsize 12345\n"
README = """---
license: apache-2.0
tags:
- text-generation
---
<p align="center"><img src="images/logo.png" width="200"/></p>

# A model

Load it with `trust_remote_code=True`; its config has an `auto_map`. Hydra users write `_target_`. <!-- no script -->

```python
import torch
```
""".encode()
INDEX = {"metadata": {"total_size": 24}, "weight_map": {"a": "model-00001-of-00002.safetensors",
                                                        "b": "model-00002-of-00002.safetensors"}}

# path: content, code that decides (None: nothing does), verdict by policy default, verdict by policy ci
TRANSFORMERS = {
    ".gitattributes": (b"*.safetensors filter=lfs diff=lfs merge=lfs -text\n", None, "accept", "accept"),
    "README.md": (README, None, "accept", "accept"),
    "LICENSE": (b"Apache License\nVersion 2.0, January 2004\n", None, "accept", "accept"),
    "config.json": (text_of({"architectures": ["OwnModel"], "model_type": "own", "hidden_size": 8,
                             "auto_map": {"AutoModel": "modeling_own.OwnModel"}}), None, "accept", "accept"),  # the set says what it asks for
    "plain/config.json": (text_of({"architectures": ["BertModel"], "id2label": {"0": "a", "1": "b"}}), None, "accept", "accept"),
    "generation_config.json": (text_of({"bos_token_id": 1, "temperature": 0.6}), None, "accept", "accept"),
    "special_tokens_map.json": (text_of({"bos_token": {"content": "<s>", "lstrip": False}}), None, "accept", "accept"),
    "tokenizer.json": (text_of({"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0, "\u0120b": 1}, "merges": ["a b"]}}),
                       None, "accept", "accept"),
    "tokenizer_config.json": (text_of({"chat_template": "{% for m in messages %}{{ m['content'] }}{% endfor %}"}),
                              None, "accept", "accept"),
    "tokenizer.model": (piece(b"<unk>", 0) + piece(b"<s>", 0) + piece("\u2581a".encode(), -1), None, "accept", "accept"),
    "vocab.txt": (b"[PAD]\n[UNK]\n[CLS]\nthe\n", None, "accept", "accept"),
    "merges.txt": (b"#version: 0.2\na b\n", None, "accept", "accept"),
    "images/logo.png": (png(), None, "accept", "accept"),
    "modeling_own.py": (b"#!/usr/bin/env python3\nimport torch\n", "repo-code", "review", "accept"),
    "__init__.py": (b"", "repo-code", "review", "accept"),
    "ui/App.svelte": (b'<script lang="ts">\n\tlet { a } = $props();\n</script>\n\n{#if a}<p>{a}</p>{/if}\n', "format-html", "review", "accept"),
    "demo.ipynb": (text_of({"cells": [], "nbformat": 4}), "repo-code", "review", "accept"),
    "pytorch_model.bin": (POINTER, "lfs-pointer-unresolved", "review", "review"),
    "model-00001-of-00002.safetensors": (safetensors(a=[1, 2, 3]), None, "accept", "accept"),
    "model-00002-of-00002.safetensors": (safetensors(b=[4, 5, 6]), None, "accept", "accept"),
    "model.safetensors.index.json": (text_of(INDEX), None, "accept", "accept"),
}
DIFFUSERS = {
    ".gitattributes": (b"*.bin filter=lfs\n", None, "accept", "accept"),
    "README.md": (README, None, "accept", "accept"),
    "model_index.json": (text_of({"_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "UNet2DConditionModel"]}),
                         None, "accept", "accept"),
    "scheduler/scheduler_config.json": (text_of({"_class_name": "DDIMScheduler", "beta_end": 0.012}), None, "accept", "accept"),
    "text_encoder/config.json": (text_of({"architectures": ["CLIPTextModel"]}), None, "accept", "accept"),
    "text_encoder/model.safetensors": (safetensors(a=[1]), None, "accept", "accept"),
    "tokenizer/vocab.json": (text_of({"a": 0, "b</w>": 1}), None, "accept", "accept"),
    "tokenizer/merges.txt": (b"#version: 0.2\na b</w>\n", None, "accept", "accept"),
    "unet/config.json": (text_of({"_class_name": "UNet2DConditionModel", "sample_size": 64}), None, "accept", "accept"),
    "unet/diffusion_pytorch_model.safetensors": (safetensors(w=[1, 2]), None, "accept", "accept"),
    "vae/config.json": (text_of({"_class_name": "AutoencoderKL"}), None, "accept", "accept"),
    "vae/diffusion_pytorch_model.safetensors": (safetensors(w=[1, 2]), None, "accept", "accept"),
    "feature_extractor/preprocessor_config.json": (text_of({"crop_size": 224}), None, "accept", "accept"),
    "v1-inference.yaml": (b"model:\n  target: ldm.models.diffusion.ddpm.LatentDiffusion\n", None, "accept", "accept"),
    "assets/sample.png": (png(), None, "accept", "accept"),
}
