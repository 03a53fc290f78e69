"""Measured numbers in texts are those that are committed; what is typed by hand is noticed."""

import nbformat
import pytest

from docs import numbers
from grader.course import catalog
from grader.course.catalog import UsageError

LESSONS = catalog.entries(numbers.ROOT)
WITH_NOTEBOOKS = [entry for entry in LESSONS if not entry.puzzles]


def test_numbers_in_pages_and_hints_are_current():
    stale = [file.name for file in numbers.texts() if numbers.renewed_text(text := file.read_text()) != text]
    assert not stale, "type `make readme`"


@pytest.mark.parametrize("file", numbers.notebooks(), ids=lambda file: file.stem)
def test_numbers_in_notebooks_are_current(file):
    read = nbformat.read(file, as_version=4)
    assert numbers.renewed_notebook(nbformat.read(file, as_version=4)) == read, "type `make readme`"


def test_a_time_that_is_changed_in_a_notebooks_prose_is_noticed():
    """One digit, between its markers or without them."""
    file = numbers.ROOT / "notebooks" / "04_tiled_matmul.ipynb"
    read = nbformat.read(file, as_version=4)
    cell = next(cell for cell in read.cells if "<!-- 04; 4_register_tile -->6.03 ms<!-- -->" in cell.source)
    cell.source = cell.source.replace("-->6.03 ms<!--", "-->6.05 ms<!--")
    changed = cell.source
    assert numbers.renewed_notebook(read) == nbformat.read(file, as_version=4) and cell.source != changed
    assert list(numbers.typed(changed.replace("<!-- 04; 4_register_tile -->6.05 ms<!-- -->", "6.05 ms"))) == ["6.05 ms"]


def test_numbers_in_the_heads_of_rungs_are_current():
    for entry in LESSONS:
        for file in entry.rungs:
            text = file.read_text()
            assert numbers.renewed_head(text, entry, entry.task_of(file)) == text, f"{file}: type `make readme`"
            found = list(numbers.typed_in_head(text))
            assert not found, f"{file}: {', '.join(found)}: write a line as docs/numbers.py says"


@pytest.mark.parametrize("entry", WITH_NOTEBOOKS, ids=lambda entry: entry.name)
def test_no_time_is_typed_by_hand(entry):
    files = [entry.notebook, *entry.folder.glob("*.md"), entry.folder / "predictions.toml"]
    for file in files:
        found = list(numbers.typed(prose(file)))
        assert not found, f"{file.name}: put {', '.join(found)} between markers, as docs/numbers.py says"


def prose(file):
    if file.suffix != ".ipynb":
        return file.read_text()
    cells = nbformat.read(file, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_markers_say_which_number_is_meant():
    def shown(marker):
        return numbers.renewed_text(f"<!-- {marker} -->old<!-- -->").partition("-->")[2].removesuffix("<!-- -->")

    assert shown("01; 3_float4").endswith(" µs") and shown("01; 3_float4; n=10 M") != shown("01; 3_float4")
    assert shown("01; 3_float4; rate").endswith(" TB/s") and shown("01; copy; rate").endswith(" TB/s")
    assert shown("01; 3_float4; share").endswith("%") and 1.5 < float(shown("02; 1_even_odd : 2_both")) < 3
    assert shown("03/transpose; 1_one_thread") != shown("03; 1_one_thread")
    assert shown("cublaslt; 4096; best").endswith(" Tflop/s") and shown("cublaslt; 8192; share").endswith("%")
    assert numbers.renewed_text("<!-- published -->37 ms<!-- --> and <!-- ; -->") == (
        "<!-- published -->37 ms<!-- --> and <!-- ; -->"
    )


def test_no_line_begins_with_a_marker():
    """Markdown would take it for HTML, and break the paragraph there."""
    assert (
        numbers.renewed_text("It takes about\n<!-- tried -->7 µs<!-- -->.")
        == "It takes\nabout <!-- tried -->7 µs<!-- -->."
    )
    assert numbers.renewed_text("1. It\n   is 2 or\n   <!-- tried -->7 µs<!-- -->.").endswith(
        "is 2\n   or <!-- tried -->7 µs<!-- -->."
    )
    assert numbers.renewed_text("of them\n<!-- begin here -->\n") == "of them\n<!-- begin here -->\n"


def test_a_head_is_renewed_line_by_line():
    old = "// Rung 1.\n// On an H200, n=2^28: 1_one_element 1 us, torch.add 2 ms.\n// More.\n"
    new = numbers.renewed_head(old, LESSONS[1], None)
    assert (
        new != old and new.startswith("// Rung 1.\n// On an H200, n=2^28: 1_one_element ") and " us, torch.add " in new
    )
    assert numbers.renewed_head(new, LESSONS[1], None) == new


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("01; 9_nothing", "`9_nothing` has not been measured: there are 1_one_element"),
        ("01; 3_float4; n=7", "lesson 01 is not measured at n=7: at n=4096"),
        ("01; 3_float4; beauty", "there is no `beauty`, but time, rate, share"),
        ("03/sum; 1_one_thread", "`sum` has not been measured"),
        ("99; 1_one_thread", "there is no lesson `99`"),
    ],
)
def test_a_marker_that_means_nothing_is_one_sentence(marker, said):
    with pytest.raises(UsageError, match=said):
        numbers.renewed_text(f"<!-- {marker} -->1 µs<!-- -->")


def test_what_is_typed_by_hand_is_seen():
    text = "It takes 3.05 ms, <!-- tried -->7 µs<!-- -->, <!-- 01; 3_float4 -->739 µs<!-- -->, `9 ms`, or 4.8 TB/s."
    assert list(numbers.typed(text)) == ["3.05 ms", "4.8 TB/s"]
    head = """// Rung 2. Rung 1 takes 9 ms.
//
// On an H200, n=2^28: 1_one_element 938 us.
// Measured at 4.8 TB/s. What did not help: more
// threads (950 us).
// On an H200, n=2^26: 1_one_element 200 us.
// 1 us more.
//
// Tried with fewer: 7 us.

int x;  // 3 ms
"""
    assert list(numbers.typed_in_head(head)) == ["9 ms", "4.8 TB/s", "1 us"]
