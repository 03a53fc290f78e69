"""The README shows what the program really prints; only seeds and seconds may differ."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def steady(text: str) -> str:
    return re.sub(r"\d+\.\d s", "0.0 s", re.sub(r"seed \d+", "seed 0", text))


def test_the_readme_is_current():
    spec = importlib.util.spec_from_file_location("readme", ROOT / "docs" / "readme.py")
    readme = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(readme)
    text = (ROOT / "README.md").read_text()
    assert steady(readme.renewed(text)) == steady(text), "type `make readme`"
