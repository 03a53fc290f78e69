"""Pictures of what was measured: that they are drawn, what is in them, and that the same numbers make the same file."""

from __future__ import annotations

import pytest
from measured import case, contender, results, sweep
from PIL import Image

from grader.report import plots


def panels(measured, monkeypatch):
    """The titles of the panels of the only task, and the figure."""
    kept = []
    monkeypatch.setattr(plots, "_save", lambda figure, _: kept.append(figure))
    plots.draw(measured, folder=plots.Path("."))
    return [axis.get_title() for axis in kept[0].axes], kept[0]


@pytest.mark.slow
def test_every_task_gets_a_png_and_an_svg(tmp_path):
    written = plots.draw(results(("add", sweep(4096, 1 << 28)), ("sub", sweep(4096))), tmp_path)
    assert [file.name for file in written] == [
        f"01_vector_add.{task}.{kind}" for task in ("add", "sub") for kind in ("png", "svg")
    ]
    assert Image.open(written[0]).mode == "P", "a third of the bytes"
    assert written[1].read_text().startswith("<?xml")


@pytest.mark.whole
def test_the_same_numbers_make_the_same_picture(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    first, second = (
        plots.draw(results(("add", sweep(4096, 1 << 28))), folder) for folder in (tmp_path / "a", tmp_path / "b")
    )
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]


def test_the_panels_are_those_that_have_something_to_show(monkeypatch):
    plain = [case(n, contender("1_naive", "rung", 3.0), timed=True) for n in (4096, 8192)]
    assert len(panels(results(("add", plain)), monkeypatch)[0]) == 2
    titles, figure = panels(results(("add", sweep(4096, 1 << 28, flops=2))), monkeypatch)
    assert [title.partition(",")[0] for title in titles] == ["time of one run", "rate", "GPU memory"]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["1_naive", "2_good", "torch.add", "torch.slow", "openmp"]


def test_nothing_lies_above_or_beyond_its_axis(monkeypatch):
    _, figure = panels(results(("add", sweep(4096, 1 << 20, 1 << 28))), monkeypatch)
    for axis in figure.axes:
        low, high = axis.get_ylim()
        for line in axis.lines:
            assert all(low <= y <= high for y in line.get_ydata())


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([{"n": 1}, {"n": 8}], ("n", [1, 8])),
        ([{"m": 8, "n": 8, "d": 64}, {"m": 9, "n": 9, "d": 64}], ("m = n", [8, 9])),
        ([{"m": 8, "n": 8}, {"m": 8, "n": 9}, {"m": 9, "n": 8}], None),
        ([{"n": 8, "variant": "one bin"}, {"n": 8, "variant": "uniform"}], None),
        ([{"n": 4}, {"n": 8}, {"n": 8, "variant": "one bin"}], None),
        ([{"n": 8}], None),
    ],
)
def test_what_the_horizontal_axis_counts(sizes, expected):
    assert plots._only_size([{"sizes": each} for each in sizes]) == expected


def test_cases_of_several_sizes_stand_by_name_in_the_order_of_their_work(monkeypatch):
    shapes = [{"rows": 300, "cols": 200}, {"rows": 10, "cols": 20}]
    sizes = [shape | {"scratch": 7} for shape in shapes]
    cases = [case(s["rows"] * s["cols"], contender("1_naive", "rung", 3.0), sizes=s) for s in sizes]
    _, figure = panels(results(("sum", cases)), monkeypatch)
    axis = figure.axes[-1]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["10×20", "300×200"], "of the sizes that differ"
    assert axis.get_xlabel() == "rows × cols"
    assert axis.lines[0].get_linestyle() == "None", "between shapes a line would mean nothing"


def test_what_was_wrong_at_a_size_has_no_point_there(monkeypatch):
    wrong = contender("1_naive", "rung", 3.0, status="wrong_result")
    right = contender("1_naive", "rung", 3.0)
    cases = [case(4096, right), case(8192, right), case(16384, wrong, timed=True)]
    _, figure = panels(results(("add", cases)), monkeypatch)
    assert list(figure.axes[0].lines[0].get_xdata()) == [4096, 8192]


def test_who_has_no_time_is_left_out(tmp_path):
    bad = contender("1_naive", "rung", None, status="wrong_result", noise=None)
    cases = [case(n, bad, contender("torch.add", "baseline", 3.0), timed=True) for n in (4096, 8192)]
    assert len(plots.draw(results(("add", cases)), tmp_path)) == 2
    assert plots.draw(results(("add", [case(4096, message="not measured")])), tmp_path) == []


def test_the_picture_in_words_says_who_is_fastest_and_what_each_needs():
    wrong = contender("2_wrong", "rung", 1.0, status="wrong_result")
    ours, theirs = ([contender(name, kind, us) for us in both] for name, kind, both in (
        ("1_naive", "rung", (1.0, 4.0)), ("torch.add", "baseline", (3.0, 3.0))))  # fmt: skip
    cases = [case(n, *row, timed=n > 5000) for n, *row in zip((4096, 16384), ours, (wrong, wrong), theirs, strict=True)]
    said = plots.in_words(cases)
    assert said.startswith(
        "right and fastest at n: 4096 1_naive 1.00 µs, 16384 torch.add 3.00 µs; memory at the last: "
    )
    assert "2_wrong" not in said
