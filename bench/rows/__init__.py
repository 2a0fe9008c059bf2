"""One module a subject; each row is a generator of measure.Row, listed in ROWS."""
