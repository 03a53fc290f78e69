"""The README shows what the program really prints; only seeds and seconds may differ."""

import importlib.util
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs import badges

ROOT = Path(__file__).parents[1]
FETCHES = re.compile(r"@font-face|@import|href|src=|url\((?!#)")
SVG = "{http://www.w3.org/2000/svg}"


def steady(text: str) -> str:
    return re.sub(r"\d+\.\d s", "0.0 s", re.sub(r"seed \d+", "seed 0", text))


def words(picture: str) -> str:
    """What stands in the picture, without seeds, seconds and where they push the rest."""
    texts = [element.text for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]
    return steady("".join(text for text in texts if text).replace("\xa0", " "))


@pytest.mark.slow
def test_the_readme_is_current():
    spec = importlib.util.spec_from_file_location("readme", ROOT / "docs" / "readme.py")
    readme = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(readme)
    text, recorded = (ROOT / "README.md").read_text(), readme.session()
    assert steady(readme.renewed(text, recorded)) == steady(text), "type `make readme`"
    picture = readme.SESSION.read_text()
    assert words(readme.picture(recorded)) == words(picture), "type `make readme`"
    assert not FETCHES.search(picture)
    assert readme.ALL_RESULTS.read_text() == readme.all_results(), "type `make readme`"
    chart = readme.chart.FILE.read_text()
    assert chart == readme.chart.picture(readme.measured()), "type `make readme`"
    ElementTree.fromstring(chart)
    assert not FETCHES.search(chart)


def test_the_readme_is_short_outside_its_folds():
    text = (ROOT / "README.md").read_text()
    assert text.count("<details>") == text.count("</details>")
    assert len(re.sub(r"<details>.*?</details>\n", "", text, flags=re.DOTALL).splitlines()) <= 120
    first_screen = text.partition("## Any CUDA program")[0]
    assert "docs/session.svg" in first_screen and "docs/ladder.svg" in first_screen


def test_the_badges_are_current():
    wanted = {f"{badge.file}.svg": badge.picture() for badge in badges.badges()}
    found = {file.name: file.read_text() for file in badges.FOLDER.iterdir()}
    assert found == wanted, "type `make readme`"
    for picture in found.values():
        ElementTree.fromstring(picture)
        assert not FETCHES.search(picture)
