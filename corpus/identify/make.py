#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: for each signature a file that begins with it and one that is a bit
beside it, names that suggest something else, pictures, JSON and YAML that are side files and some that are not, Zstandard.
Always the same bytes; tests/corpus checks that what is checked in is what this program makes, and that `codes` are exactly
the codes of the verdict.
"""
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(sections=True)
case = CORPUS.case


def le(n):
    return struct.pack("<I", n)


def be(n):
    return struct.pack(">I", n)


# -- signatures: format, bytes, and which byte of them is changed for the one that is not

REST = bytes(range(1, 64)) * 2

ELF = b"\x7fELF\2\1\1" + bytes(9) + REST
PE = (b"MZ" + bytes(58) + le(64) + b"PE\0\0" + REST)
ICO = b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0" + le(40) + le(22) + REST
BMP = (lambda n: b"BM" + le(n) + bytes(4) + le(54) + le(40) + bytes(n - 18))(90)

SIGNS = [
    ("llamafile", b"MZqFpD='\n" + REST, 5), ("elf", ELF, 6), ("pe", PE, 65), ("java-class", b"\xca\xfe\xba\xbe\0\0\0\x34" + REST, 3),
    ("mach-o", b"\xcf\xfa\xed\xfe\x07\0\0\1\3\0\0\0\2\0\0\0\x10\0\0\0" + REST, 1),
    ("wasm", b"\0asm\1\0\0\0" + REST, 4), ("dex", b"dex\n035\0" + REST, 3), ("lua-bytecode", b"\x1bLua\x53" + REST, 3),
    ("llvm-bitcode", b"BC\xc0\xde" + REST, 3), ("python-bytecode", b"\xa7\x0d\r\n" + bytes(12) + REST, 1),
    ("cab", b"MSCF" + bytes(4) + REST, 4), ("arj", b"\x60\xea\x28\0\x1e\x0b\1\0" + REST, 1), ("ar", b"!<arch>\nx" + REST, 6),
    ("cpio", b"070701" + b"0" * 104 + b"\0" + REST, 5), ("rpm", b"\xed\xab\xee\xdb\3\0" + REST, 3), ("xar", b"xar!\0\x1c" + REST, 3),
    ("ace", b"\0\0\0\0\0\0\0**ACE**" + REST, 13), ("lha", b"\x20\x10-lh5-" + bytes(13) + b"\0" + REST, 3),
    ("lzip", b"LZIP\1\x0c" + REST, 4), ("lzop", b"\x89LZO\0\r\n\x1a\n\x10" + REST, 4), ("compress", b"\x1f\x9d\x90" + REST, 2),
    ("snappy", b"\xff\6\0\0sNaPpY\0" + REST, 9), ("squashfs", b"hsqs\1\0" + REST, 3), ("disk-image", b"vhdxfile\0" + REST, 7),
    ("tensorrt", b"ptrt\1\0" + REST, 3), ("rknn", b"RKNN\1\0" + REST, 3), ("ncnn", b"\xdd\x85\x76\0\1\0" + REST, 2),
    ("cntk", b"B\0C\0N\0\0\0" + REST, 4),
    ("torch7", le(4) + le(1) + le(3) + b"V 1" + REST, 12),
    ("catboost", b"CBM1" + le(64) + REST, 3), ("fasttext", b"\xba\x16\x4f\x2f" + le(12) + REST, 3),
    ("xgboost", b"binf\0\0\0\x3f" + REST, 3),
    ("ocdbt", b"\x0c\xdb\x3a\x2a\0" + REST, 3), ("feather", b"FEA1\0" + REST, 3),
    ("avro", b"Obj\1\2" + REST, 3),
    ("orc", b"ORC\x0a\3" + REST, 2), ("matlab", b"MATLAB 5.0 MAT-file\0" + REST, 7), ("netcdf", b"CDF\1\0" + REST, 3),
    ("sqlite", b"SQLite format 3\0\x10" + REST, 14), ("tiff", b"II*\0\x08\0" + REST, 2), ("psd", b"8BPS\0\1" + REST, 5),
    ("ico", ICO, 2), ("bmp", BMP, 2), ("heif", be(24) + b"ftypavif" + REST, 11), ("jpeg-xl", b"\0\0\0\x0cJXL \r\n\x87\n" + REST, 10),
    ("wav", b"RIFF" + le(100) + b"WAVEfmt " + REST, 11), ("avi", b"RIFF" + le(100) + b"AVI LIST" + REST, 11),
    ("flac", b"fLaC\0" + REST, 3), ("ogg", b"OggS\0" + REST, 3), ("mp3", b"ID3\4\0\0\0\0\1\1" + REST, 3),
    ("midi", b"MThd\0\0\0\6\0\1" + REST, 7), ("mp4", be(24) + b"ftypisom" + REST, 6), ("matroska", b"\x1a\x45\xdf\xa3\1" + REST, 3),
    ("font", b"wOF2\0\1" + REST, 3), ("postscript", b"%!PS-Adobe\0" + REST, 3), ("rtf", b"{\\rtf1\0" + REST, 4),
    ("ole2", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + REST, 7),
]
PROGRAMS = {"llamafile", "elf", "pe", "mach-o", "wasm", "dex", "lua-bytecode", "llvm-bitcode", "python-bytecode"}
NAMED = {"java-class": "repo-code"}
# What is a bit beside them is known by something else.
BESIDE = {"heif": "format-identified-only"}

for name, data, at in SIGNS:
    beside = data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1:]
    case(f"{name}-sign", data, "format-executable" if name in PROGRAMS else NAMED.get(name, "format-identified-only"), f"begins as {name}",
         "reject" if name in PROGRAMS else "review")
    case(f"{name}-not", beside, BESIDE.get(name, "format-unknown"), "one bit beside it", "review")

# Those made of letters are beside text.  What has a reader is judged by it.
READ = {"keras": ("", "accept"), "tfjs": ("", "accept"), "openvino": ("", "accept"), "pmml": ("", "accept"),
        "svg": ("format-side-file", "accept"), "xml": ("repo-code", "review")}
for name, data, beside in [("openvino", b'<?xml version="1.0"?>\n<net name="a" version="11"></net>\n', b"a <net> of layers\n"),
                           ("pmml", b'<?xml version="1.0"?>\n<!-- a --><PMML version="4.4"></PMML>\n', b"some <PMML>\n"),
                           ("svg", b'<svg xmlns="http://www.w3.org/2000/svg"></svg>\n', b"an <svg>\n"),
                           ("xml", b'<?xml version="1.0"?>\n<a/>\n', b"not <?xml\n"),
                           ("pdf", b"%PDF-1.4\nno objects\n", b"a %PDF\n"),
                           ("keras", b'{"class_name":"Sequential","config":[],"keras_version":"2.4.0"}', b'{"class_name":"Sequential"}'),
                           ("tfjs", b'{"modelTopology":{},"weightsManifest":[]}', b'{"modelTopology":{}}'),
                           ("symbol", b'{"nodes":[],"arg_nodes":[]}', b'{"nodes":[]}'),
                           ("learner", b'{"learner":{},"version":[1,7,0]}', b'{"learners":{}}')]:
    codes, expect = READ.get(name, ("format-identified-only", "review"))
    case(f"{name}-sign", data, codes, f"begins as {name}", expect)
    case(f"{name}-not", beside, "format-side-file", "text", "accept")
case("html-sign", b"<!DOCTYPE html><html></html>", "format-html", "a page", "review")
case("html-not.md", b'<p align="center"><img src="a.png"/></p>\n\n# A model\n', "format-side-file", "Markdown with markup in front", "accept")

# -- names

PICKLE = b"\x80\x04K\x01."
case("name-pickle.safetensors", PICKLE, "format-extension-mismatch pickle-data-only safetensors-file-too-short", "loads as a pickle", "reject")
case("name-pickle.png", PICKLE, "format-extension-mismatch pickle-data-only", "loads as a pickle", "reject")
case("name-pickle.txt", PICKLE, "format-extension-mismatch pickle-data-only", "loads as a pickle", "reject")
case("name-pickle.parquet", PICKLE, "format-extension-mismatch pickle-data-only", "pandas has a loader for either", "reject")
case("name-pickle.pt", PICKLE, "pickle-data-only", "what torch.load() expects", "accept")
case("name-pickle.gz", PICKLE, "pickle-data-only", "what joblib.load() opens", "accept")
case("name-pickle.bin", PICKLE, "pickle-data-only", "a name that says nothing", "accept")
case("name-pickle", PICKLE, "pickle-data-only", "no extension", "accept")
case("name-elf.gguf", ELF, "format-extension-mismatch format-executable gguf-bad-magic", "a program", "reject")
case("name-elf.jpg", ELF, "format-extension-mismatch format-executable", "a program", "reject")
case("name-elf.so", ELF, "format-executable", "what its name says, and a program", "reject")
case("name-page.onnx", b"<!DOCTYPE html><html></html>", "format-extension-mismatch format-html", "a site's error page", "reject")

# -- beside models: what name and content say alike

for name, ending in (("wav", "wav"), ("mp3-id3", "mp3"), ("mp4", "mp4"), ("pdf", "pdf"), ("ico", "ico"), ("font", "woff2"), ("midi", "mid")):
    data = next((d for n, d, _ in SIGNS if n == name), None) or {"pdf": b"%PDF-1.4\nno objects\n", "mp3-id3": b"ID3\3\0\0\0\0\0\0" + bytes(8),
                                                                 "font": b"wOF2" + bytes(64)}[name]
    case(f"beside-{name}.{ending}", data, "format-beside", "its name says so", "review")
    case(f"beside-{name}-not.bin", data, "format-identified-only format-name-differs", "its name promises a model", "review")
case("beside-page.html", b"<!DOCTYPE html><html></html>", "format-html", "its name says so", "review")
case("beside-wav-zip.wav", b"RIFF" + le(36) + b"WAVEfmt " + bytes(24) + b"PK\5\6" + bytes(18), "format-beside polyglot-zip", "an archive behind it",
     "reject")
case("beside-ole2.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + REST, "format-identified-only", "macros run in it", "review")

# -- pictures


def chunk(kind, data):
    return be(len(data)) + kind + data + be(zlib.crc32(kind + data))


PNG = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) + \
    chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
GIF = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffda0008010100003f00") + b"\x12\xff\0\x34\xff\xd0\x56\xff\xd9"
WEBP = b"RIFF" + le(4 + 8 + 10) + b"WEBPVP8L" + le(10) + bytes(10)
for name, data in (("png", PNG), ("gif", GIF), ("jpeg", JPEG), ("webp", WEBP)):
    case(f"picture-whole.{name}", data, "format-side-file", "ends where its structure does", "accept")
    case(f"picture-longer.{name}", data + b"\1", "format-partly-checked", "a byte behind its end", "review")
    case(f"picture-cut.{name}", data[:-1], "format-partly-checked", "a byte is missing", "review")
case("picture-other.jpg", PNG, "format-side-file", "shows under another picture's name", "accept")
case("picture-named.txt", PNG, "format-name-differs format-side-file", "not text", "review")
case("picture-named.bin", PNG, "format-name-differs format-side-file", "not a model", "review")
case("picture-zip.png", PNG + b"PK\5\6" + bytes(18), "format-partly-checked polyglot-zip", "an archive behind it", "reject")


def with_chunk(kind, data):
    return PNG[:33] + chunk(kind, data) + PNG[33:]


def with_segment(marker, data):
    return JPEG[:20] + bytes([0xff, marker]) + struct.pack(">H", len(data) + 2) + data + JPEG[20:]


def with_comment(text):
    return GIF[:19] + b"!\xfe" + bytes([len(text)]) + text + b"\0" + GIF[19:]


def with_riff(kind, data):
    data_ = data + bytes(len(data) % 2)
    return b"RIFF" + le(len(WEBP) + len(data_)) + WEBP[8:] + kind + le(len(data)) + data_


XMP = b'<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"/><?xpacket end="w"?> '
PHP = b"<?PHP id(); ?>"
for name, php, xmp in (
        ("png", with_chunk(b"tEXt", b"Comment\0" + PHP), with_chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + XMP)),
        ("jpeg", with_segment(0xfe, PHP), with_segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0" + XMP)),
        ("gif", with_comment(PHP), with_comment(XMP)),
        ("webp", with_riff(b"ABCD", PHP), with_riff(b"XMP ", XMP))):
    case(f"picture-php.{name}", php, "format-side-file markup-in-metadata", "a tag of PHP's in its text", "accept")
    case(f"picture-xmp.{name}", xmp, "format-side-file", "what editors write of a picture", "accept")
case("picture-script.png", with_chunk(b"prVt", b"a <ScRiPt src=b>"), "format-side-file markup-in-metadata", "a script's", "accept")
case("picture-exif.jpeg", with_segment(0xe1, b"Exif\0\0II*\0\x08\0\0\0\0\0" + JPEG), "format-side-file", "a picture in it", "accept")
case("picture-colors.png", with_chunk(b"iCCP", b"p\0\0" + zlib.compress(bytes(128))), "format-side-file", "a profile", "accept")
zipped = b"PK\3\4" + bytes(26) + b"PK\1\2" + bytes(42) + b"PK\5\6" + bytes(4) + b"\1\0\1\0" + le(46) + le(30) + bytes(2)
case("picture-chunk-zip.png", with_chunk(b"prVt", zipped), "format-side-file polyglot-zip", "an archive in it", "reject")
for name, text in (("script", "a <SCRIPT>b</SCRIPT>\n"), ("php", "a <?Php b ?>\n"), ("page", "a <HTML >\n")):
    case(f"text-{name}.txt", text.encode(), "format-side-file", "a word in a text", "accept")
    case(f"text-{name}-first.txt", text[2:].encode(), *(("format-unknown", "what the text begins with", "review") if name == "php" else
                                                            ("format-extension-mismatch format-html", "a page", "reject")))
    case(f"text-{name}", text.encode(), "format-unknown", "no name says that it is for people", "review")
case("text-tag.txt", b"a <scripted> <?phpx <htmls\n", "format-side-file", "tags of nobody's", "accept")
case("text-interpreter.txt", b"\xef\xbb\xbf#!/bin/sh\nid\n", "format-script", "a first line behind the mark of UTF-8", "review")
case("text-interpreter.md", b"\xef\xbb\xbf#!/bin/sh\nid\n", "format-script", "likewise", "review")
for name, text in (("cls", "<cls>\n<pad>\nL\n"), ("end", "</s>\n<unk>\n"), ("number", "<PAD> 0\n<START> 1\n"), ("pipes", "<|endoftext|>\n!\n")):
    case(f"text-vocabulary-{name}.txt", text.encode(), "format-side-file", "a vocabulary begins with a sign", "accept")
case("text-vocabulary.vocab", b"<unk>\t0\n<s>\t0\n", "format-side-file", "SentencePiece's, as a table", "accept")
case("text-merges.txt", "#version: 0.2\n\u0120 t\n<HTML InputElement\n".encode(), "format-side-file", "a tokenizer's pairs", "accept")
case("text-corpus.txt", b"<DOCUMENT> a </DOCUMENT>\n", "format-side-file", "a tag that nothing acts on", "accept")
case("text-corpus-not.txt", b"<svg onload=a>\n", "format-name-differs format-partly-checked", "one that a browser acts on", "review")
case("text-corpus", b"<DOCUMENT> a </DOCUMENT>\n", "repo-code", "under any other it is a document of no format", "review")
case("text-signs.txt", b"<|im_start|>system\n", "format-side-file", "a prompt", "accept")
case("text-windows.txt", b"\x93Shampoo\x94\n", "format-side-file", "an older encoding", "accept")
case("text-windows-target.txt", b"caf\xe9:\n  _target_: os.system\n", "format-unknown", "and what it names is called", "review")
case("text-windows", b"\x93Shampoo\x94\n", "format-unknown", "no name says that it is text", "review")
case("text-colours.txt", b"a \x1b[31mred\x1b[0m\n", "format-side-file", "a log", "accept")
case("text-zero.txt", b"a\0b\n", "format-unknown", "a byte that no text has", "review")
case("text-target.md", b"(installation)=\n# Installation\n", "format-side-file", "begins as a pickle's INST does", "accept")
case("text-inst.md", b"(ios\nsystem\n", "format-extension-mismatch pickle-global-dangerous pickle-call-dangerous pickle-truncated", "an INST", "reject")
case("text-gguf.txt", b"GGUF Version: 3\n", "format-side-file", "a log about the format", "accept")
case("text-gguf-not.txt", b"GGUF\3\0\0\0\n", "format-name-differs gguf-truncated", "the format", "reject")
case("text-word-inside.txt", b"set_target_properties(a)\n", "format-side-file", "the end of a longer name", "accept")
case("text-word-whole.txt", b"a:\n  _target_: os.system\n", "format-unknown", "the name itself", "review")
case("text-mark.txt", b"\xef\xbb\xbfwords\n", "format-side-file", "the mark alone", "accept")

# -- JSON and YAML

SIDE = "format-side-file"
case("json-config.json", b'{"a":[1,-2.5e3,{"b":null}],"c":{},"d":[]}\n', SIDE, "strict", "accept")
case("json-no-name", b'{"a":1}', SIDE, "by its content", "accept")
case("json-list.json", b'[{"a":1},{"a":2}]', SIDE, "the same key in two objects", "accept")
case("json-lines.jsonl", b'{"a":1}\n{"a":2}\n', SIDE, "lines of JSON are text", "accept")
case("json-bracket.txt", b"[PAD]\n[UNK]\n", SIDE, "a vocabulary", "accept")
case("json-settings-section", b'[submodule "a"]\n\tpath = a\n', SIDE, "settings begin with a bracket too", "accept")
case("json-settings-tables", b"[[package]]\nname = 1\n", SIDE, "likewise, TOML", "accept")
case("json-settings-not", b"[true]\nx\n", "json-syntax", "a value of JSON", "review")
case("json-settings.json", b"[section]\n", "json-syntax", "its name says JSON", "review")
case("json-comma.json", b'{"a":1,}', f"json-comments {SIDE}", "a comma that editors take", "accept")
case("json-two.json", b"{}{}", "json-syntax", "two values", "review")
case("json-nan.json", b'{"a":[NaN,Infinity,-Infinity]}', "json-nonfinite format-side-file", "as Python writes it", "accept")
case("json-nan-not.json", b'{"a":nan}', "json-syntax", "no word of JSON", "review")
case("json-nan-near.json", b'{"a":NaNs}', "json-nonfinite json-syntax", "a longer word", "review")
case("json-nan-negative.json", b'{"a":-NaN}', "json-syntax", "which no writer writes", "review")
case("json-bom.json", b'\xef\xbb\xbf{"a":1}', "json-byte-order-mark format-side-file", "as programs of Windows write it", "accept")
case("json-bom", b'\xef\xbb\xbf{"a":1}', "json-byte-order-mark format-side-file", "without a name", "accept")
case("json-bom-twice.json", b'\xef\xbb\xbf' * 2 + b'{"a":1}', "json-byte-order-mark json-syntax", "two of them", "review")
case("json-bom-cut.json", b'\xef\xbb{"a":1}', "json-syntax", "no UTF-8", "review")
case("json-latin.json", b'{"a":"\xe9"}', "json-syntax", "not UTF-8", "review")
case("json-empty.json", b"", "json-syntax", "nothing", "review")
case("json-twice.json", b'{"a":1,"\\u0061":2}', "json-duplicate-key", "a key twice, spelled in two ways", "review")
case("json-twice-inside.json", b'[{"b":{"a":1,"c":2,"a":2}}]', "json-duplicate-key", "inside", "review")
case("json-deep.json", b"[" * 127 + b"]" * 127, SIDE, "the deepest", "accept")
case("json-deeper.json", b"[" * 128 + b"]" * 128, "json-depth", "deeper", "review")
case("config-auto-map.json", b'{"auto_map":{"AutoModel":"modeling.M"}}', f"config-auto-map {SIDE}", "code of the repository", "review")
case("config-auto-map-null.json", b'{"auto_map":null}', SIDE, "there is none", "accept")
case("config-auto-map-text.json", b'{"note":"auto_map"}', SIDE, "a value only", "accept")
case("config-auto-map-far.json", b'{"a":{"b":{"auto_map":{"AutoModel":"m.M"}}}}', f"config-auto-map {SIDE}", "further in", "review")
case("config-auto-map-word.json", b'{"model":{"vocab":{"auto_map":7}}}', SIDE, "a word of a vocabulary", "accept")
case("config-auto-map-template.json", b'{"chat_template":"{{ x }}","auto_map":{"AutoTokenizer":["t.T",null]}}', f"config-auto-map {SIDE}", "beside a template", "review")
case("config-target-template.json", b'{"chat_template":null,"a":{"_target_":"os.system"}}', f"config-target {SIDE}", "beside a template", "reject")
case("config-keras.json", b'{"module":"keras","class_name":"Sequential","config":{"layers":[]},"registered_name":null}', "", "Keras 3 writes no version beside it", "accept")
case("config-class-ldm.json", b'{"model":{"target":"os.system","params":{"command":"id"}}}', f"config-target {SIDE}", "what latent diffusion calls", "reject")
case("config-class-modules.json", b'[{"idx":0,"path":"","type":"subprocess.Popen"}]', f"config-import {SIDE}", "what sentence-transformers imports", "reject")
case("config-class-path.json", b'{"class_path":"os.system"}', f"config-target {SIDE}", "what Lightning calls", "reject")
case("config-class-not.json", b'{"type":"object","target":"a.b","class_path":"lightning.x.Y"}', SIDE, "ordinary words", "accept")
case("config-class-ldm.yaml", b"model:\n  target: os.system\n  params: {command: id}\n", f"config-target {SIDE}", "what latent diffusion calls", "reject")
case("config-class-ldm-not.yaml", b"model:\n  target: ldm.models.Net\n  my_target: x.system\n", SIDE, "a model's class; another key", "accept")
case("config-target-torch.json", b'{"_target_":"torch.nn.modules.linear.Identity"}', SIDE, "a layer", "accept")
case("config-target-reached.json", b'{"_target_":"transformers.utils.hub.os.system"}', f"config-target {SIDE}", "a module of a module", "reject")
case("config-target-long.json", b'{"_target_":"torch.nn%s"}' % (b".x" * 11), f"config-target {SIDE}", "13 parts", "reject")
case("config-class-torch.json", b'{"target":"torch.nn.Identity","type":"a. b. %s"}' % (b"c. " * 20), SIDE, "a layer; prose", "accept")
case("config-target.json", b'{"a":{"_target_":"os.system","_args_":["id"]}}', f"config-target {SIDE}", "a command", "reject")
case("config-target-escaped.json", b'{"\\u005ftarget_":"o\\u0073.system"}', f"config-target {SIDE}", "spelled otherwise", "reject")
case("config-target-nemo.json", b'{"_target_":"nemo.collections.asr.models.ASR"}', SIDE, "a known library", "accept")
case("config-target-own.json", b'{"_target_":"project.models.Net"}', f"config-target-unlisted {SIDE}", "nobody knows it", "review")
case("config-target.yaml", b"model:\n  _target_: builtins.exec\n", f"config-target {SIDE}", "runs text", "reject")
case("config-target-nemo.yaml", b"model:\n  _target_: nemo.collections.asr.models.ASR\n", SIDE, "a known library", "accept")
case("config-target-inside", b'a: {"_target_" : "subprocess.Popen"}\n', f"config-target {SIDE}", "no name needed", "reject")
case("config-tag.yaml", b'a: !!python/object/apply:os.system ["id"]\n', f"yaml-python-tag {SIDE}", "makes objects", "reject")
case("config-tag-directive.yaml", b"%TAG !p! tag:yaml.org,2002:\n---\na: !p!python/object/apply:os.system [id]\n", f"yaml-python-tag {SIDE}", "under another prefix", "reject")
case("config-tag-percent.yaml", b"a: !!%70ython/object/apply:os.system [id]\n", f"yaml-python-tag {SIDE}", "a letter escaped", "reject")
case("config-tag-verbatim.yaml", b"a: !<tag:yaml.org,2002%3apython/object/apply:os.system> [id]\n", f"yaml-python-tag {SIDE}", "a colon escaped", "reject")
case("config-tag-words.yaml", b"a: wow! %70, 100%\nb: '!x %70'\nc: x %TAG\n", SIDE, "no tags", "accept")
case("config-target-question.yaml", b"a:\n  ? _target_\n  : os.system\n", f"config-target {SIDE}", "a key on its own line", "reject")
case("config-target-anchor.yaml", b"x: &k _target_\na:\n  *k : os.system\n", f"config-target {SIDE}", "the key by its alias", "reject")
case("config-target-escaped.yaml", b'a:\n  "_targ\\x65t_": os.system\n', f"config-target {SIDE}", "a letter escaped", "reject")
case("config-build-target.yaml", b"a:\n  target: ${{ matrix.target }}\n", SIDE, "what a build service fills in", "accept")
case("config-build-target-not.yaml", b"a:\n  target: ${b}\n", f"config-target-unlisted {SIDE}", "what a loader fills in", "review")
case("config-escapes.yaml", b'a: "\\x1b[0m \\u00e9 \\\\x65"\n', SIDE, "escapes that are needed", "accept")
case("config-tag-not.yaml", b"a: !!str python\n", SIDE, "a tag of YAML", "accept")
case("config-tag.md", b"Do not write `!!python/object` nor `_target_: os.system`.\n", SIDE, "prose", "accept")

# -- other side files


def piece(text, score):
    body = b"\x0a" + bytes([len(text)]) + text + b"\x15" + struct.pack("<f", score)
    return b"\x0a" + bytes([len(body)]) + body


VOCABULARY = piece(b"<unk>", 0) + piece(b"<s>", 0) + piece("▁a".encode(), -1)
case("tokenizer-whole.model", VOCABULARY, SIDE, "SentencePiece", "accept")
case("tokenizer-kind.model", b"\x0a\x09\x0a\x05<unk>\x18\x02" + VOCABULARY, SIDE, "a first piece without score", "accept")
case("tokenizer-kind-not.model", b"\x0a\x09\x0a\x05<unk>\x18\x07" + VOCABULARY, "format-unknown", "of a kind that there is not", "review")
case("tokenizer-unknown-field.model", VOCABULARY + b"\x52\x01x", "format-partly-checked", "a field that it does not have", "review")
case("empty-mark.typed", b"", SIDE, "a repository's marks are empty files", "accept")
case("empty-notes.md", b"", SIDE, "and so are notes that were not written", "accept")
case("empty-model.bin", b"", "format-unknown", "a model that is not there", "review")
case("empty-config.json", b"", "json-syntax", "JSON is never empty", "review")
case("code-empty.py", b"", "repo-code", "packages have empty files", "review")
case("code-notebook.ipynb", b'{"cells":[]}', "repo-code", "cells are code", "review")
case("code-not.txt", b"import os\n", SIDE, "text", "accept")

# -- Zstandard: a raw block each

SKIPPED = b"\x50\x2a\x4d\x18" + le(2) + b"xx"


def frame(data, checksum=b""):
    flags = 0x20 | (4 if checksum else 0)
    return b"\x28\xb5\x2f\xfd" + bytes([flags, len(data)]) + struct.pack("<I", len(data) << 3 | 1)[:3] + data + checksum


case("zstd-pickle.zst", frame(PICKLE), "pickle-data-only", "a pickle in a frame", "accept")
case("zstd-act.pkl.zst", frame(b"\x80\x02cposix\nsystem\nX\x04\0\0\0true\x85R."), "pickle-global-dangerous pickle-call-dangerous", "acts when loaded", "reject")
case("zstd-unknown.zst", frame(REST), "format-unknown", "nobody knows it", "review")
case("zstd-skippable.zst", SKIPPED + frame(PICKLE), "zstd-skippable", "room for another file in front", "reject")
case("zstd-skippable-behind.zst", frame(PICKLE) + SKIPPED, "pickle-data-only wrapper-trailing-bytes", "and behind", "reject")
case("zstd-two.zst", frame(PICKLE[:2]) + frame(PICKLE[2:]), "pickle-data-only zstd-multi-frame", "two frames", "review")
case("zstd-cut.zst", frame(PICKLE)[:-1], "format-unknown wrapper-truncated", "a byte is missing", "reject")
case("zstd-checksum.zst", frame(PICKLE, b"\0\0\0\0"), "pickle-data-only wrapper-crc", "a wrong checksum", "reject")
case("zstd-dictionary.zst", b"\x28\xb5\x2f\xfd\x21\x07\x05" + struct.pack("<I", 5 << 3 | 1)[:3] + PICKLE, "format-unknown wrapper-crc", "wants a dictionary", "reject")
case("zstd-window-27.zst", b"\x28\xb5\x2f\xfd\x00\x88" + struct.pack("<I", 5 << 3 | 1)[:3] + PICKLE, "pickle-data-only", "the largest window", "accept")
case("zstd-window.zst", b"\x28\xb5\x2f\xfd\x00\x90" + struct.pack("<I", 5 << 3 | 1)[:3] + PICKLE, "format-unknown wrapper-crc", "a window of 256 MiB", "reject")


CORPUS.write()
