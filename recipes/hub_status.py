"""hub_status.py: from a verdict to what a hub shows beside a file, in the manner of Hugging Face's file status.

    status(verdict) -> {"status": ..., "message": ...}

  safe        accepted: every byte was understood, and nothing exceeds the policy
  caution     review, and all that decided is unusual rather than dangerous: numbers that are not, a format nobody reads, a
              repository's own code.  None of it is called when a model is loaded
  suspicious  review for anything else: what would be imported or called and nobody vouches for, what was not examined, and
              what this table does not know yet
  unsafe      rejected
  error       could not be judged; try again if `retry` says so, and do not publish meanwhile
  queued      no verdict yet

Whatever is unknown is never "safe": a new verdict value is an error, a new class is suspicious.
"""

HARMLESS_CLASSES = {"quality"}
HARMLESS_CODES = {"format-beside", "format-html", "format-identified-only", "format-script", "format-unknown",
                  "lfs-pointer-unresolved", "repo-code"}


def message(verdict):
    """One line for people.  `message` never holds bytes of the file; subjects do, and are not shown."""
    for finding in verdict.get("findings", []):
        if finding.get("action") in ("reject", "review"):
            return f"{finding.get('code')}: {finding.get('message')}"
    return verdict.get("scan", {}).get("error", "")


def is_mild(verdict):
    """Is all that decided in the lists above?  A verdict names each code at least once, however often it occurred."""
    if "incomplete" in verdict.get("reasons", []):
        return False
    decided = [f for f in verdict.get("findings", []) if f.get("action") != "accept"]
    return bool(decided) and all(f.get("action") == "review" and
                                 (f.get("class") in HARMLESS_CLASSES or f.get("code") in HARMLESS_CODES) for f in decided)


def status(verdict):
    if verdict is None:
        return {"status": "queued", "message": ""}
    value = verdict.get("verdict")
    if value == "accept" and verdict.get("complete") is True:
        return {"status": "safe", "message": ""}
    if value == "reject":
        return {"status": "unsafe", "message": message(verdict)}
    if value == "review":
        return {"status": "caution" if is_mild(verdict) else "suspicious", "message": message(verdict)}
    scan = verdict.get("scan", {})
    return {"status": "error", "message": message(verdict), "retry": scan.get("retry") == "later"}
