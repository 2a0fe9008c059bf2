"""Verdicts as values.  `raw` is the document they were made of (docs/verdict.schema.json, docs/set.schema.json).

Names, members and subjects hold bytes of the file, escaped for a terminal and not for HTML: `_repr_html_` escapes them.
"""
from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, TypeVar

from ._errors import Rejected

FILE_SCHEMA = "weighlock.verdict/1"
SET_SCHEMA = "weighlock.set/1"

Document = Dict[str, Any]
V = TypeVar("V", "Verdict", "SetVerdict")


def number(value: Any) -> Optional[int]:
    """An integer of the interface: those above 2^53-1 come as decimal strings."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str) and not (value.isascii() and value.isdecimal()):
        return None
    return int(value) if isinstance(value, (int, str)) else None


def part(document: Document, key: str) -> Document:
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def rows(document: Document, key: str) -> List[Document]:
    value = document.get(key)
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


@dataclass(frozen=True)
class Finding:
    code: str
    class_: str
    severity: str
    action: str
    message: str
    offset: Optional[int] = None
    length: Optional[int] = None
    member: Optional[str] = None
    subject: Optional[str] = None
    found: Any = None
    allowed: Any = None
    count: int = 1

    @classmethod
    def of(cls, row: Document) -> Finding:
        return cls(str(row.get("code")), str(row.get("class")), str(row.get("severity")), str(row.get("action")),
                   str(row.get("message")), number(row.get("offset")), number(row.get("length")), row.get("member"),
                   row.get("subject"), row.get("found"), row.get("allowed"), number(row.get("count")) or 1)


@dataclass(frozen=True)
class Weights:
    tensors: int
    elements: int
    nan: int
    pos_inf: int
    neg_inf: int

    @classmethod
    def of(cls, row: Document) -> Weights:
        return cls(*(number(row.get(key)) or 0 for key in ("tensors", "elements", "nan", "pos_inf", "neg_inf")))

    @property
    def finite(self) -> bool:
        return self.nan == self.pos_inf == self.neg_inf == 0


@dataclass(frozen=True)
class Tensor:
    name: str
    dtype: str
    shape: Tuple[int, ...]
    offsets: Tuple[int, ...]
    member: Optional[str] = None
    sha256: Optional[str] = None

    @classmethod
    def of(cls, row: Document) -> Tensor:
        def numbers(key: str) -> Tuple[int, ...]:
            return tuple(n for n in map(number, row.get(key) or ()) if n is not None)

        return cls(str(row.get("name")), str(row.get("dtype")), numbers("shape"), numbers("offsets"), row.get("member"), row.get("sha256"))


def require(verdict: V) -> V:
    if not verdict.accepted:
        raise Rejected(verdict)
    return verdict


def table(title: str, findings: Tuple[Finding, ...]) -> str:
    """For notebooks.  Every text is escaped: none is ours alone."""
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(str(text))}</td>" for text in
                                     (f.severity, f.code, f.message, f.member or "", f.subject or "")) + "</tr>" for f in findings)
    return f"<div><b>{html.escape(title)}</b>" + (f"<table>{cells}</table>" if cells else "") + "</div>"


@dataclass(frozen=True)
class Verdict:
    """About one file.  Only `accepted` is accept: `verdict` can be a word that this version does not know."""

    verdict: str
    complete: bool
    name: Optional[str]
    size: Optional[int]
    sha256: Optional[str]
    format: Optional[str]
    policy: Optional[str]
    reasons: Tuple[str, ...]
    findings: Tuple[Finding, ...]
    weights: Optional[Weights]
    tensors: Optional[Tuple[Tensor, ...]]  # where they were asked for
    tensors_listed: bool  # they are all that the file has
    raw: Document = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Document) -> Verdict:
        file, weights = part(raw, "file"), part(raw, "weights")
        return cls(str(raw.get("verdict")), raw.get("complete") is True, file.get("name"), number(file.get("size")),
                   file.get("sha256"), raw.get("format"), part(raw, "policy").get("name"), tuple(map(str, raw.get("reasons") or ())),
                   tuple(map(Finding.of, rows(raw, "findings"))), Weights.of(weights) if weights else None,
                   tuple(map(Tensor.of, rows(raw, "tensors"))) if "tensors" in raw else None, raw.get("tensors_listed") is True, raw)

    @property
    def accepted(self) -> bool:
        return self.verdict == "accept" and self.complete and self.raw.get("schema") == FILE_SCHEMA and not self.claimed

    @property
    def claimed(self) -> bool:
        """Its digest is somebody's word: nothing that loads the file may go by it."""
        return part(self.raw, "scan").get("digest_by") == "caller"

    def require(self) -> Verdict:
        """Itself if it is accept, else Rejected is raised."""
        return require(self)

    def _repr_html_(self) -> str:
        return table(f"{self.verdict}: {self.name} ({self.format}, {self.size} bytes, sha256 {self.sha256})", self.findings)


@dataclass(frozen=True)
class SetVerdict:
    """About files that belong together.  Go by it, and not by those of `files` alone."""

    verdict: str
    complete: bool
    name: Optional[str]
    sha256: Optional[str]  # of the list of digests and names, see docs/set.schema.json
    policy: Optional[str]
    reasons: Tuple[str, ...]
    findings: Tuple[Finding, ...]
    files: Tuple[Verdict, ...]
    raw: Document = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Document, files: List[Document]) -> SetVerdict:
        return cls(str(raw.get("verdict")), raw.get("complete") is True, raw.get("name"), raw.get("sha256"),
                   part(raw, "policy").get("name"), tuple(map(str, raw.get("reasons") or ())),
                   tuple(map(Finding.of, rows(raw, "findings"))), tuple(map(Verdict.of, files)), raw)

    @property
    def accepted(self) -> bool:
        return self.verdict == "accept" and self.complete and self.raw.get("schema") == SET_SCHEMA

    def require(self) -> SetVerdict:
        """Itself if it is accept, else Rejected is raised."""
        return require(self)

    def _repr_html_(self) -> str:
        return table(f"{self.verdict}: {self.name} ({len(self.files)} files)", self.findings) + "".join(f._repr_html_() for f in self.files)
