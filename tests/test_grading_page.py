"""docs/grading.md shows what was measured last."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_measured_figures_are_current():
    spec = importlib.util.spec_from_file_location("grading_page", ROOT / "docs" / "grading.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    text = page.PAGE.read_text()
    assert page.renewed(text) == text, "type `make readme`"
