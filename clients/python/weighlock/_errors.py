"""What can go wrong.  Nothing of it is ever an accept."""
from __future__ import annotations

from typing import Any, Optional


class Error(Exception):
    """Whatever this package raises about a file or a judge."""


class Rejected(Error):
    """The file was judged, and not accepted: `verdict.verdict` is reject, review or a word of a later version."""

    def __init__(self, verdict: Any):
        codes = ", ".join(dict.fromkeys(f.code for f in verdict.findings if f.action != "accept"))
        super().__init__(f"{verdict.name}: {verdict.verdict}" + (f" ({codes})" if codes else ""))
        self.verdict = verdict


class NotJudged(Error):
    """There is no verdict.  `retry_after`: seconds until asking again may help; None: it will not help.
    `verdict`: where a scan ended with `error`, what it found so far."""

    def __init__(self, why: str, retry_after: Optional[float] = None, verdict: Any = None):
        super().__init__(why)
        self.retry_after = retry_after
        self.verdict = verdict


class Unavailable(Error):
    """There is nobody here who could judge; the message says what to do about it."""


class UnsafeFolder(Error):
    """Somebody else could write in the folder where judged files would be kept."""
