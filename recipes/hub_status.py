"""hub_status.py: from a verdict to what a hub shows beside a file, in the manner of Hugging Face's file status.

    status(verdict) -> {"status": ..., "message": ...}

  safe        accepted: every byte was understood, and nothing exceeds the policy
  caution     review, and all that decided is unusual rather than dangerous: NaN, a format nobody reads, side code
  suspicious  review for anything else, or for what this table does not know yet
  unsafe      rejected
  error       could not be judged; try again if `retry` says so, and do not publish meanwhile
  queued      no verdict yet

Whatever is unknown is never "safe": a new verdict value is an error, a new class is suspicious.
"""

HARMLESS = {"quality", "unsupported", "code", "incomplete"}


def message(verdict):
    """One line for people.  `message` never holds bytes of the file; subjects do, and are not shown."""
    for finding in verdict.get("findings", []):
        if finding.get("action") in ("reject", "review"):
            return f"{finding.get('code')}: {finding.get('message')}"
    return verdict.get("scan", {}).get("error", "")


def status(verdict):
    if verdict is None:
        return {"status": "queued", "message": ""}
    value = verdict.get("verdict")
    if value == "accept" and verdict.get("complete") is True:
        return {"status": "safe", "message": ""}
    if value == "reject":
        return {"status": "unsafe", "message": message(verdict)}
    if value == "review":
        reasons = set(verdict.get("reasons", []))
        mild = bool(reasons) and reasons <= HARMLESS
        return {"status": "caution" if mild else "suspicious", "message": message(verdict)}
    scan = verdict.get("scan", {})
    return {"status": "error", "message": message(verdict), "retry": scan.get("retry") == "later"}
