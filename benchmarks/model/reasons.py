"""Why the model is far off for a rung at its timed size, as far as that is known. A new outlier needs a line here."""

REASONS: dict[tuple[str, str], str] = {}  # by task and rung
