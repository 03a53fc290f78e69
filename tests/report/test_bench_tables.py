"""What was measured, as tables."""

from __future__ import annotations

import io

import pytest
from measured import case, contender, results, sweep
from rich.console import Console

from grader.report import bench
from grader.report.words import percent


def shown(measured, width=100):
    console = Console(file=io.StringIO(), width=width, highlight=False, emoji=False, markup=False)
    bench.show_results(console, measured)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("us", "text"),
    [(2.4, "2.40 µs"), (33.33, "33.3 µs"), (734.2, "734 µs"), (3045.0, "3.04 ms"), (1.57e6, "1.57 s"), (None, "–")],
)
def test_times(us, text):
    assert bench.time_text(us) == text


def test_rates_sizes_and_bytes():
    assert bench.rate_text(4.389e12, "B/s") == "4.39 TB/s"
    assert bench.rate_text(2.5e11, "flop/s") == "250 Gflop/s"
    assert [bench.size_text(n) for n in (4096, 1 << 28, 10_000_000, 100_003)] == ["4096", "2²⁸", "10 M", "100003"]
    sizes = {None: "–", 0: "0", 1: "1 B", 767: "767 B", 2048: "2.05 kB", 1 << 30: "1.07 GB"}
    assert {size: bench.bytes_text(size) for size in sizes} == sizes
    shares = {1.031: "103%", 0.98: "98%", 0.01: "1%", 0.00437: "0.44%", 0.000553: "0.055%"}
    assert {share: percent(share) for share in shares} == shares


def test_a_standing_is_against_the_limit_and_the_fastest_baseline():
    timed = sweep(1 << 28)[0]
    first, good = bench.standings(timed)[:2]
    assert good.name == "2_good" and (good.limit, good.rival) == ("copy", "torch.add")
    assert good.fraction == pytest.approx(12 * (1 << 28) / 4.0e12 * 1e6 / good.us)
    assert good.ratio == pytest.approx((2 + (1 << 28) / 3e5) / good.us) and first.ratio < 1 < good.ratio
    assert good.rate == pytest.approx(12 * (1 << 28) / (good.us * 1e-6))


def test_the_table_tells_the_timed_case_first_and_then_all_sizes():
    text = shown(results(("vector_add", sweep(4096, 1 << 20, 1 << 28))))
    lines = text.splitlines()
    assert lines[0].startswith("01_vector_add on NVIDIA H200, 2026-11-21") and "torch 2.11.0" in lines[1]
    assert "vector_add(n=2²⁸)" in text and text.index("n=2²⁸") < text.index("n=4096")
    row = next(line for line in lines if line.startswith("2_good"))
    assert row.split()[1:6] == ["815", "µs", "3.95", "TB/s", "99%"]
    assert "copy 4.00 TB/s" in text and "n=4096" in text
    assert "(1.02)" in text, "the time in a graph stands in brackets"


def test_who_was_wrong_is_named_with_the_reason():
    bad = contender("1_naive", "rung", None, status="wrong_result", message="z[7] is 1, not 2", noise=None)
    text = shown(results(("vector_add", [case(4096, bad, contender("torch.add", "baseline", 3.0), timed=True)])))
    assert "wrong result" in text and "1_naive at n=4096: z[7] is 1, not 2" in text


def test_many_sizes_go_into_tables_below_each_other():
    sizes = [1000 + n for n in range(12)]
    text = shown(results(("vector_add", sweep(*sizes))), width=60)
    _, _, tables = text.partition("over all sizes")
    assert all(f"n={n}" in tables for n in sizes) and tables.count("torch.slow") >= 2
    assert "…" not in tables and max(map(len, tables.splitlines())) <= 60


def test_a_case_without_results_says_why():
    empty = case(1 << 30, message="not measured: CUDA out of memory")
    text = shown(results(("vector_add", [*sweep(4096), empty])))
    assert "not measured: CUDA out of memory" in text and "vector_add(n=4096)" in text
    assert "could not be measured" in shown(results(("vector_add", [empty])))


def test_noise_is_remarked():
    loud = contender("1_loud", "rung", 3.0, noise=0.2)
    once = contender("2_once", "rung", 2e6, noise=1.0, samples=1)
    found = bench.standings(case(4096, loud, once, contender("3_quiet", "rung", 3.0), timed=True))
    assert [each.remark for each in found] == ["noise 20%", "one run", ""]


def test_the_table_of_the_readme_has_the_rungs_of_every_task():
    table = bench.results_table([results(("vector_add", sweep(4096, 1 << 28))), results(("polar", sweep(1 << 27)))])
    rows = table.splitlines()
    assert rows[2].startswith("| 01 `vector_add`, n=2²⁸ | 1_naive | ")
    assert rows[3] == "|  | 2_good | 815 µs | 3.95 TB/s | 99% of copy | 1.10 × torch.add |"
    assert len(rows) == 6 and "openmp" not in table


def test_rungs_that_are_alike_there_are_shown_where_they_differ():
    def rungs(*us):
        names = ("1_naive", "2_good", "3_long_rows", "4_short_rows")
        return [contender(name, "rung", each) for name, each in zip(names, us, strict=True)]

    sizes = [
        case(64, *rungs(9.0, 4.0, 4.0, 3.0)),
        case(4096, *rungs(9.0, 8.0, 5.0, 2.0)),
        case(8192, *rungs(9.0, 8.0, 8.0, 8.0), timed=True),
    ]
    rows = bench.results_table([results(("softmax", sizes))]).splitlines()
    assert [row.split(" | ")[1] for row in rows[6:]] == ["2_good", "3_long_rows", "4_short_rows"]
    assert rows[6].startswith("| likewise, n=4096 | 2_good | 8.00 µs")
    assert len(bench.results_table([results(("softmax", sizes[2:]))]).splitlines()) == 6


def test_the_page_of_all_sizes_says_where_a_rung_is_slower():
    rungs = [contender("1_slow", "rung", 9.0), contender("2_fast", "rung", 2.0), contender("3_bad", "rung", None)]
    others = [contender("torch.add", "baseline", 1.0), contender("openmp", "rival", 30.0)]
    sizes = [case(4096, *rungs, *others), case(1 << 14, rungs[2], *others), case(1 << 20, *rungs[:1], others[1])]
    assert bench.rivals_table([results(("vector_add", sizes))]).splitlines()[2:] == [
        "| 01 `vector_add`, n=4096 | 2.00 µs | (0.50 × torch.add), 15.0 × openmp |",
        "| n=2²⁰ | 9.00 µs | 3.33 × openmp |",
    ]
