#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: tokenizers that each break one rule of formats/configs, section 4, and
beside each an honest one that breaks none.  Always the same bytes; tests/loaders opens them with the library itself.
"""
import base64
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

MEDIUM = ("id-sparse", "id-shared", "size", "structure", "regex")
SIDE = "format-side-file"
CASES = Cases(ending=".json", accepted={SIDE}, reviewed={"tokenizer-" + m for m in MEDIUM}, sections=True)

WORDS = ["<unk>", "[CLS]", "[SEP]", "a", "b", "ab", "##b", "\u00e9", "a\u00e9"]


def added(number, content, **more):
    return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": True, **more}


def bpe(words=None, merges=None, prefix=None, **more):
    words = WORDS if words is None else words
    vocab = words if isinstance(words, dict) else {w: i for i, w in enumerate(words)}
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": prefix, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "vocab": vocab, "merges": ["a b"] if merges is None else merges, **more}


def tokenizer(**more):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [added(0, "<unk>")], "normalizer": None,
            "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": bpe(), **more}


def case(name, code, why, text=None, **parts):
    """@code without its prefix; "" for none."""
    text = json.dumps(tokenizer(**parts), ensure_ascii=False, indent=1) if text is None else text
    CASES.case(name, text, " ".join(sorted(["tokenizer-" + c for c in code.split()] + [SIDE])), why)


def split(regex):
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


# -- ids --

def ids():
    for name, number in (("large", 1 << 40), ("beyond", (1 << 31) - 1), ("negative", -1), ("fraction", 1.5), ("text", "3"),
                         ("power", 1e3)):
        case(f"id-added-{name}", "id-range", "the id of an added token", added_tokens=[added(number, "<x>")])
        case(f"id-word-{name}", "id-range", "the id of a word", model=bpe({"a": 0, "b": 1, "ab": 2, "z": number}))
    case("id-added-largest", "id-sparse", "the largest id that is a number for all",
         added_tokens=[added((1 << 31) - 2, "<x>")])
    case("id-word-largest", "id-sparse", "one word far above the others", model=bpe({"a": 0, "z": 2147483646}, []))
    most = 4 * 10 + 65536
    case("id-gap-least", "id-sparse", "as far above as is found", added_tokens=[added(most, "<x>")])
    case("id-gap-most", "", "as far above as is not", added_tokens=[added(most - 1, "<x>")])
    case("id-behind", "", "added tokens behind the words", added_tokens=[added(9 + i, f"<{i}>") for i in range(20)])
    for name, number, code in (("first", 0, ""), ("last", 1, ""), ("behind", 2, "id-range"), ("none", None, "")):
        case(f"id-unknown-{name}", code, "unk_id of two words", added_tokens=[],
             model={"type": "Unigram", "unk_id": number, "vocab": [["<unk>", 0.0], ["a", -1.0]], "byte_fallback": False})
    for name, number, code in (("sound", 3, ""), ("large", 1 << 32, "id-range")):
        case(f"id-pad-{name}", code, "the id that pads", padding={
            "strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": number, "pad_type_id": 0,
            "pad_token": "<unk>"})
        case(f"id-separator-{name}", code, "the id of BERT's separator",
             post_processor={"type": "BertProcessing", "sep": ["[SEP]", number], "cls": ["[CLS]", 1]})
    case("shared-id", "id-shared", "two added tokens with one id", added_tokens=[added(9, "<x>"), added(9, "<y>")])
    case("shared-text", "id-shared", "two added tokens with one text", added_tokens=[added(9, "<x>"), added(10, "<x>")])
    case("shared-text-escaped", "id-shared", "one text, spelled in two ways",
         json.dumps(tokenizer(added_tokens=[added(9, "<x>"), added(10, "<@>")])).replace("<@>", "<\\u0078>"))
    case("shared-with-word", "", "an added token that is a word as well", added_tokens=[added(1, "[CLS]"), added(2, "[SEP]")])
    case("shared-number", "", "a text that reads as another's id", added_tokens=[added(9, "10"), added(10, "9")])


# -- charsmaps --

def charsmap(units=None, texts=b"a\0bc\0", size=None, n_units=512):
    table = [0] * n_units
    for at, unit in (units or {0: 256 << 10, 256 + 97: 0x80000000 | 2}).items():
        table[at] = unit
    body = b"".join(struct.pack("<I", u) for u in table)
    return struct.pack("<I", len(body) if size is None else size) + body + texts


MAPS = [("sound", charsmap(), "", "a trie of two blocks"),
        ("size", struct.pack("<I", 0x7ffffff0) + b"abcd", "charsmap", "more than is there: it is reserved"),
        ("multiple", charsmap(size=2046), "charsmap", "no whole number of units"),
        ("short", b"\4\0", "charsmap", "no size"),
        ("no-trie", struct.pack("<I", 0) + b"a\0", "charsmap", "no unit: the first is looked at all the same"),
        ("leaf", charsmap({0: 256 << 10, 300: 0x80000000 | 5}), "charsmap", "a leaf behind the texts"),
        ("leaf-inside", charsmap({0: 256 << 10, 300: 0x80000000 | 3}), "charsmap", "a leaf inside of a text"),
        ("unit", charsmap({0: 512 << 10}), "charsmap", "a unit that leads out"),
        ("unit-last", charsmap({0: 511 << 10}), "", "a unit that leads to the last block"),
        ("unit-large", charsmap({0: 256 << 10, 7: (2 << 10) | 512}), "charsmap", "a unit that counts in blocks"),
        ("block", charsmap({0: 0}, n_units=255), "charsmap", "less than a block"),
        ("utf8", charsmap(texts=b"a\0\xff\0"), "charsmap", "a text that is no UTF-8"),
        ("open", charsmap(texts=b"a\0bc"), "charsmap", "a text that does not end")]


def field(number, body):
    n, length = len(body), b""
    while n > 127:
        length, n = length + bytes([n & 127 | 128]), n >> 7
    return bytes([number << 3 | 2]) + length + bytes([n]) + body


def piece(text):
    return field(1, field(1, text) + b"\x15" + struct.pack("<f", -1))


def sentencepiece(charsmap_bytes, spec=3):
    return piece(b"<unk>") + piece(b"<s>") + field(spec, field(1, b"nmt_nfkc") + field(2, charsmap_bytes) + b"\x18\1" + field(10, b"x"))


def gguf_text(text):
    return struct.pack("<Q", len(text)) + text


def gguf(charsmap_bytes, kind=0):
    """A model without tensors."""
    pairs = [gguf_text(b"general.architecture") + struct.pack("<I", 8) + gguf_text(b"t5"),
             gguf_text(b"tokenizer.ggml.precompiled_charsmap") + struct.pack("<IIQ", 9, kind, len(charsmap_bytes)) + charsmap_bytes]
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs)
    return head + bytes(-len(head) % 32)


def charsmaps():
    for name, data, code, why in MAPS:
        text = base64.b64encode(data).decode()
        case(f"charsmap-{name}", code, why, normalizer={"type": "Precompiled", "precompiled_charsmap": text})
        codes = f"tokenizer-{code}" if code else ""
        CASES.case(f"charsmap-{name}.model", sentencepiece(data), f"{SIDE} {codes}".strip(), why)
    sound = base64.b64encode(charsmap()).decode()
    for name, text, code in (("cut", sound[:-1], "charsmap"), ("letter", "-" + sound[1:], "charsmap"), ("none", None, "charsmap")):
        case(f"charsmap-base64-{name}", code, "what is no base64", normalizer={
            "type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": text}]})
    CASES.case("charsmap-back-leaf.model", sentencepiece(MAPS[5][1], 5), f"{SIDE} tokenizer-charsmap", "denormalizer_spec has one, too")
    for name, data, code, why in (MAPS[0], MAPS[1], MAPS[5]):
        CASES.case(f"charsmap-{name}.gguf", gguf(data), f"tokenizer-{code}" if code else "", why)
    CASES.case("charsmap-signed.gguf", gguf(MAPS[1][1], 1), "tokenizer-charsmap", "signed bytes")


# -- merges --

def affixes():
    for name, prefix, merges, code in (
            ("longer", "##########", ["a b"], "affix"), ("longer-pair", "##########", [["a", "b"]], "affix"),
            ("fits", "##", ["a ##b"], ""), ("fits-pair", "##", [["a", "##b"]], ""), ("empty", "", ["a b"], ""),
            ("inside", "#", [["a", "\u00e9"]], "affix"), ("whole", "\u00e9", [["a", "\u00e9"]], ""), ("none", None, ["a b"], "")):
        case(f"affix-prefix-{name}", code, "a prefix and the second part of a merge", model=bpe(merges=merges, prefix=prefix))
    for name, merges, code in (("one-part", ["ab"], "affix"), ("three-parts", ["a b c"], "affix"), ("one", [["a"]], "affix"),
                               ("three", [["a", "b", "c"]], "affix"), ("numbers", [[1, 2]], "affix"), ("version", ["#version: 0.2", "a b"], ""),
                               ("long", [["[CLS]", "[SEP]"]], "affix"), ("no-text", [7], "structure"), ("nothing", [], "")):
        case(f"affix-merge-{name}", code, "what is not two parts of a word", model=bpe(merges=merges))
    late = bpe(merges=["a b"])
    del late["continuing_subword_prefix"]
    for name, prefix, code in (("late", "##########", "affix"), ("late-none", None, "")):
        case(f"affix-prefix-{name}", code, "the prefix behind the merges", model={**late, "continuing_subword_prefix": prefix})
    first = {"merges": ["[CLS] [SEP]"], **{k: v for k, v in bpe().items() if k != "merges"}}
    case("affix-merge-first", "affix", "the merges before the words", model=first)
    case("affix-merge-escaped", "affix", "a blank that is spelled", json.dumps(tokenizer(
        model=bpe(merges=["a@b"], prefix="##"))).replace("a@b", "a\\u0020b"))
    case("affix-merge-escaped-fits", "", "a blank that is spelled", json.dumps(tokenizer(
        model=bpe(merges=["a@b"]))).replace("a@b", "a\\u0020b"))


# -- templates --

CLS, SEP = ({"SpecialToken": {"id": name, "type_id": 0}} for name in ("[CLS]", "[SEP]"))
A, B = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
SPECIAL = {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]}, "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}


def template(single=None, pair=None, special=None):
    return {"type": "TemplateProcessing", "single": [CLS, A, SEP] if single is None else single,
            "pair": [CLS, A, SEP, B, SEP] if pair is None else pair, "special_tokens": SPECIAL if special is None else special}


def templates():
    evil = {"SpecialToken": {"id": "[EVIL]", "type_id": 0}}
    rows = [("bert", template(), "", "BERT's"),
            ("single", template([evil, A]), "template", "a special token that is not there"),
            ("pair", template(pair=[evil, A, B]), "template", "likewise, for two texts"),
            ("empty", template(special={}), "template", "no special token is there"),
            ("second", template([A, B]), "template", "a second text where there is one"),
            ("no-first", template([CLS]), "", "no text at all"),
            ("ids", template(special={**SPECIAL, "[CLS]": {"id": "[CLS]", "ids": [1, 1], "tokens": ["[CLS]"]}}), "template", "more ids than tokens"),
            ("tokens", template(special={**SPECIAL, "[CLS]": {"id": "[CLS]", "ids": [1], "tokens": []}}), "template", "more tokens than ids"),
            ("ids-64", template(special={**SPECIAL, "[CLS]": {"id": "[CLS]", "ids": [1] * 64, "tokens": ["[CLS]"] * 64}}), "", "many ids"),
            ("ids-65", template(special={**SPECIAL, "[CLS]": {"id": "[CLS]", "ids": [1] * 65, "tokens": ["[CLS]"] * 65}}), "template", "too many"),
            ("id", template(special={**SPECIAL, "[CLS]": {"id": "[CLS]", "ids": [1 << 33], "tokens": ["[CLS]"]}}), "id-range", "an id beyond"),
            ("kind", template([{"Other": {"id": "A"}}]), "template", "neither a token nor a text"),
            ("roberta", {"type": "RobertaProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1], "trim_offsets": True, "add_prefix_space": False}, "", "RoBERTa's")]
    for name, processor, code, why in rows:
        case(f"template-{name}", code, why, post_processor=processor)
        case(f"template-{name}-nested", code, why, post_processor={
            "type": "Sequence", "processors": [{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}, processor]})
    last = {k: template([evil, A], special={"[EVIL]": SPECIAL["[CLS]"], **SPECIAL})[k] for k in ("special_tokens", "pair", "single", "type")}
    case("template-order", "", "keys in another order", post_processor=last)


# -- sizes, types, expressions --

def truncation(stride, length):
    return {"direction": "Right", "max_length": length, "strategy": "LongestFirst", "stride": stride}


def sizes():
    for name, stride, processor, code in (("equal", 512, None, "size"), ("below", 511, None, ""), ("none", 0, None, ""),
                                          ("bert", 509, template(), "size"), ("bert-below", 508, template(), "")):
        case(f"size-stride-{name}", code, "a stride of 512 tokens, and what a template adds", truncation=truncation(stride, 512), post_processor=processor)
    padding = {"direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": "<unk>"}
    for name, number, code in (("512", 512, ""), ("most", 1 << 20, ""), ("more", (1 << 20) + 1, "size"), ("large", 1 << 40, "size"),
                               ("beyond", 1 << 70, "size")):
        case(f"size-fixed-{name}", code, "what texts are padded to", padding={**padding, "strategy": {"Fixed": number}, "pad_to_multiple_of": None})
        case(f"size-multiple-{name}", code, "likewise", padding={**padding, "strategy": "BatchLongest", "pad_to_multiple_of": number})
    for number, code in ((0, "size"), (1, "")):
        case(f"size-chunk-{number}", code, "the length of a piece", pre_tokenizer={"type": "FixedLength", "length": number})
    for number, code in ((16, ""), (17, "size")):
        case(f"size-strip-{number}", code, "what is cut off", decoder={"type": "Sequence", "decoders": [
            {"type": "Strip", "content": " ", "start": number, "stop": 0}, {"type": "Strip", "content": " ", "start": 0, "stop": number}]})
    for name, number, code in (("100", 100, ""), ("most", 1 << 20, ""), ("more", (1 << 20) + 1, "size")):
        case(f"size-word-{name}", code, "the longest word", model={
            "type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##", "max_input_chars_per_word": number,
            "vocab": {w: i for i, w in enumerate(WORDS)}})
    for depth, code in ((16, ""), (17, "size")):
        step = {"type": "NFC"}
        for _ in range(depth):
            step = {"type": "Sequence", "normalizers": [step]}
        case(f"size-nested-{depth}", code, "sequences of sequences", normalizer=step)
    for part in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        case(f"structure-{part.replace('_', '-')}", "structure", "a type of nobody's", **{part: {"type": "Evil"}})
        case(f"structure-{part.replace('_', '-')}-list", "structure", "no object", **{part: []})
    case("structure-model", "structure", "a type of nobody's", model={**bpe(), "type": "Evil"})
    case("structure-model-none", "", "early files name no type", model={k: v for k, v in bpe().items() if k != "type"})


def expressions():
    for i, regex in enumerate((
            "(a+)+$", "(a|a)*", "(\\s*\\w+)*", "(x{900}){900}", "([a-z]+)*\\d", "(.*a)+", "(a)\\1", "(?<n>a)\\g<n>", "(a", "a{1001}", "a" * 8193,
            "(\\p{L}{1,3}+)$", "(x(a|a)y)*", "(?=(a+)+$)", "((?:a?)a)+", "(?x")):
        case(f"regex-found-{i}", "regex", regex[:40], pre_tokenizer=split(regex))
    for i, regex in enumerate((
            "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
            "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
            "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
            "(?:[a-z]+\\.)*[a-z]+", "(?>[a-z]+)*", "(?=(\\d{3})+(?!\\d))", "a" * 8192, "(a|b)*c", "(?:'[a-z]+)+", "\\p{N}{1,3}+")):
        case(f"regex-fine-{i}", "", regex[:40], pre_tokenizer=split(regex))
    case("regex-replace", "regex", "of a normalizer", normalizer={"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": ""})
    case("regex-decoder", "regex", "of a decoder", decoder={"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": ""}]})
    case("regex-string", "", "a text that is no expression", normalizer={"type": "Replace", "pattern": {"String": "(a+)+$"}, "content": ""})
    case("regex-many", "regex", "257 expressions", pre_tokenizer={"type": "Sequence", "pretokenizers": [split("a")] * 257})
    case("regex-many-not", "", "256 expressions", pre_tokenizer={"type": "Sequence", "pretokenizers": [split("a")] * 256})
    case("regex-escaped", "regex", "spelled otherwise", json.dumps(tokenizer(pre_tokenizer=split("(a+)+$"))).replace("Regex", "R\\u0065gex").replace("+$", "\\u002b$"))


def whole():
    twice = json.dumps(tokenizer(model=bpe(prefix="##########")))
    CASES.case("other-twice", twice[:-1] + ', "version": "1.0"}', "json-duplicate-key tokenizer-affix", "a key twice lifts nothing")
    case("other-vocabulary-only", "id-range", "a model alone", json.dumps({"model": bpe({"a": -1}, [])}))
    case("other-words", "", "words of a vocabulary are no keys", model=bpe({"a": 0, "b": 1, "ab": 2, "id": 3, "_target_x": 4, "added_tokens": 5}))
    case("other-configuration", "", "model and id of something else", json.dumps({"model": {"name": "x", "id": -1}, "unk_id": -1}))


ids()
charsmaps()
affixes()
templates()
sizes()
expressions()
whole()
CASES.write()
