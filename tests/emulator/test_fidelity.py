"""The emulator against Nsight Compute, case by case: it counts the hardware's own requests, sectors and wavefronts.

The hardware's numbers are in benchmarks/results; a difference must be in benchmarks/fidelity/differences.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.fidelity import agreement, measure, prices
from benchmarks.fidelity.cases import Case, all_cases
from benchmarks.fidelity.differences import DIFFERENCES
from benchmarks.fidelity.emulate import Emulated, emulate
from benchmarks.fidelity.results import Launch, Measured, Results
from docs import notebooks
from grader.course import catalog
from grader.course.inline import inlined
from grader.devices.nvidia.profile import cell_of
from tests.lessons.tiers import RUNGS_APART
from tests.shared import long_tail

CASES = all_cases()
MICRO_KERNELS = [case for case in CASES if not case.is_rung]
RUNGS = [case for case in CASES if case.is_rung]
PLACES = {
    rung: (entry.name, place // RUNGS_APART) for entry in catalog.entries() for place, rung in enumerate(entry.rungs)
}
SOME = [
    *long_tail(MICRO_KERNELS, every=len(MICRO_KERNELS), slow=64, of=lambda case: case.source),
    *long_tail(RUNGS, every=len(RUNGS), slow=len(RUNGS), of=lambda case: PLACES[case.source]),
]


@pytest.fixture
def emulated(kept, graded_lessons) -> Callable[[Case], Emulated]:
    """A case as the emulator runs it, once for all tests: a rung's grade is that of tests/lessons."""
    own = [file.read_bytes() for file in sorted(Path(measure.__file__).parent.glob("*.py"))]

    def run(case: Case) -> Emulated:
        if case.is_rung:
            return emulate(case)
        key = ["emulated", case.name, inlined(case.source), *own]
        return kept(key, lambda: emulate(case), lambda found: True)

    return run


@functools.cache
def results() -> Results:
    if not agreement.RESULTS.exists():
        pytest.skip(agreement.NOT_MEASURED)
    return Results.read(agreement.RESULTS)


def measured(case: Case) -> Measured:
    """What the hardware said of the case; skips a rung that was written since."""
    found = results().cases.get(case.name)
    if case.is_rung and not agreement.is_current(case, found):
        pytest.skip(f"{case.name} was changed or added since the hardware was asked")
    assert found is not None and agreement.is_current(case, found), f"{case.source.name} was changed: measure again"
    return found


@pytest.mark.parametrize("case", SOME, ids=lambda case: case.name)
def test_the_emulator_counts_what_the_hardware_counts(case: Case, emulated):
    ours = emulated(case)
    theirs = measured(case)
    if not case.is_rung:
        assert ours.inputs == theirs.inputs
    if not case.is_rung and case.source.stem != "functions":  # else the last bit may differ
        assert ours.outputs == theirs.outputs
    found = agreement.disagreements(ours.counters, theirs)
    known = agreement.explanations(case.name)
    assert {title: pair for title, pair in found.items() if title not in known} == {}, theirs.opcodes()
    assert set(known) <= set(found), "this difference is gone: take it out of differences.py"
    for difference in known.values():
        opcodes = theirs.opcodes()
        assert {opcode: opcodes.get(opcode, 0) for opcode in difference.opcodes} == dict(difference.opcodes)


def test_differences_name_cases_and_counts_that_exist():
    titles = {comparison.title for comparison in agreement.EXACT}
    for difference in DIFFERENCES:
        assert difference.case in {case.name for case in CASES}
        assert set(difference.titles) <= titles


@pytest.mark.whole
@pytest.mark.skipif(not notebooks.counts_alike(), reason=f"not g++ {notebooks.GPP}, by which counters are committed")
def test_the_page_shows_the_current_agreement(emulated):
    counters = {case.name: emulated(case).counters for case in CASES if results()}
    page = agreement.PAGE.read_text()
    assert page == agreement.with_tables(page, agreement.tables(results(), CASES, counters)), (
        "renew it: python -m benchmarks.fidelity.agreement"
    )


def test_the_price_list_is_what_the_hardware_counted():
    text = prices.LIST.read_text()
    assert text == prices.renewed(text, results()), "renew it: python -m benchmarks.fidelity.prices"


def test_there_are_micro_kernels_of_every_kind():
    files = [case.source.stem for case in MICRO_KERNELS]
    kinds = {"global", "shared", "atomics", "control", "functions", "pipeline", "libcuxx", "matrix", "wmma"}
    assert len(files) >= 45 and set(files) == kinds
    assert len({case.name for case in CASES}) == len(CASES)


# ---- the measuring side, which needs a GPU only for the numbers ----

RAW_PAGE = """\
==PROF== Connected to process 4711 (/usr/bin/python3.12)
==PROF== Profiling "copy" - 0: 0%....50%....100% - 7 passes
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",\
"a.sum","b.pct","c","d.ratio"
"","","","","","","","","","","","sector","%","",""
"0","4711","python3.12","127.0.0.1","_Z4copyPKfPfi","1","7","(128, 1, 1)","(8, 1, 1)","0","9.0",\
"1,024","98.5","2,048 (1,024; 1,024)","n/a"
"1","4711","python3.12","127.0.0.1","_Z9next_rungv","1","7","(32, 1, 1)","(1, 1, 1)","0","9.0","0","nan","0","0"
"2","4711","python3.12","127.0.0.1","_Z3addPKfPfi","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","7","100","1","12.25"
"3","4711","python3.12","127.0.0.1","_Z3addPKfPfi","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","8","0","2","1"
"""
METRICS = ["a.sum", "b.pct", "c", "d.ratio"]


def test_reads_the_raw_page():
    launches = measure.parse_csv(RAW_PAGE, METRICS)
    assert [launch.kernel for launch in launches][:2] == ["_Z4copyPKfPfi", "_Z9next_rungv"]
    assert launches[0].grid == "(8, 1, 1)" and launches[0].block == "(128, 1, 1)"
    assert launches[0].metrics == {"a.sum": 1024, "b.pct": 98.5, "c": 2048, "d.ratio": None}
    assert launches[1].metrics["b.pct"] is None
    assert launches[2].metrics["d.ratio"] == 12.25


def test_reads_one_opcode_of_a_list():
    cell = "480 (LDC.64: 64; LDC: 1,128; MUFU: 96)"
    assert [cell_of({"m": cell}, name) for name in ("m", "m[LDC]", "m[MUFU]", "m[DFMA]")] == [480, 1128, 96, 0]


def test_measured_in_part():
    case = Measured("f.cu", "00", "11", "22", [Launch("_Z1kv", "(1, 1, 1)", "(32, 1, 1)", {"b": 3})])
    old = Results({"date": "before"}, ["a"], [], {"f/k": case, "f/l": case})
    newer = replace(case, source_digest="01")
    both = old.renewed(Results({"date": "now"}, ["b"], [], {"f/k": newer}))
    assert both == Results({"date": "now"}, ["b", "a"], [], {"f/k": newer, "f/l": case})


def test_a_metric_that_is_no_column_is_missing():
    assert "e.sum" not in measure.parse_csv(RAW_PAGE, [*METRICS, "e.sum"])[0].metrics


def test_a_page_of_errors_has_no_launches():
    assert measure.parse_csv("==ERROR== ERR_NVGPUCTRPERM\n", METRICS) == []


def test_launches_find_their_cases():
    micro = MICRO_KERNELS[:1]
    rungs = [case for case in CASES if case.is_rung][:1]
    found = measure.by_cases(measure.parse_csv(RAW_PAGE, METRICS), micro + rungs)
    assert [[launch.metrics["a.sum"] for launch in group] for group in found.values()] == [[1024], [7, 8]]
    with pytest.raises(SystemExit, match="2 groups of launches for 1 cases"):
        measure.by_cases(measure.parse_csv(RAW_PAGE, METRICS), micro)


def test_counts_memory_instructions():
    dump = """
        Function : _Z4copyPKfPfi
    .headerflags    @"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                 /* 0x00000a00ff017b82 */
        /*0070*/              @!P0 LDG.E.128 R8, desc[UR4][R2.64] ;       /* 0x0000000402087981 */
        /*0080*/                   LDG.E.128 R8, desc[UR4][R2.64+0x10] ;  /* 0x0000000402087981 */
        /*0090*/             @!UP0 STS [R5], R2 ;                         /* 0x0000000205007388 */
        /*00a0*/                   ULDC.64 UR4, c[0x0][0x208] ;           /* 0x0000820000047ab9 */
        /*00b0*/                   REDG.E.ADD.STRONG.GPU desc[UR4][R4.64], R3 ;
        /*00c0*/                   REDUX.SUM UR5, R2 ;
        Function : _Z5emptyv
        /*0000*/                   EXIT ;
    """
    counts = {"LDG.E.128": 2, "REDG.E.ADD.STRONG.GPU": 1, "STS": 1}
    assert measure.memory_instructions(dump) == {"_Z4copyPKfPfi": counts, "_Z5emptyv": {}}


def test_metrics_that_the_profiler_refuses_are_left_out():
    asked = []

    def works(some):
        asked.append(list(some))
        return not {"bad", "worse"} & set(some)

    assert measure.usable(["a", "bad", "b", "c", "worse", "d"], works) == ["a", "b", "c", "d"]
    assert measure.usable(["a", "b"], works) == ["a", "b"]
    assert asked[-1] == ["a", "b"]
    assert measure.usable(["bad"], works) == []


def test_results_come_back_as_they_were_written(tmp_path):
    launch = Launch("_Z1kv", "(1, 1, 1)", "(32, 1, 1)", {"a.sum": 3, "b.pct": None}, {"LDG.E": 2})
    again = Launch("_Z1kv", "(2, 1, 1)", "(32, 1, 1)", {"a.sum": 4, "b.pct": 1.5}, {"LDG.E": 2})
    written = Results(
        {"device": "a GPU"}, ["a.sum", "b.pct"], ["c"], {"f/k": Measured("f.cu", "00", "11", "22", [launch, again])}
    )
    file = tmp_path / "fidelity.json"
    file.write_text(written.to_text())
    assert Results.read(file) == written
    case = written.cases["f/k"]
    assert case.total("a.sum") == 7 and case.total("a.sum", "b.pct") is None
    assert case.opcodes() == {"LDG.E": 2}
