"""The grader notices small wrong edits of the reference kernels of all lessons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from grader.course.catalog import Entry, find
from grader.course.inline import inlined
from tests.mutation.__main__ import described
from tests.mutation.equivalents import parse, reason, stale
from tests.mutation.hunt import Outcome, hunt, mutants_of, with_entry_points
from tests.mutation.mutator import RULES, Mutant, mutants
from tests.mutation.tally import LESSONS, Tally, per_kind

KERNEL = """
template <int kCount> __global__ void add(const float* x, float* out, int n) {
    static_assert(kCount < 9, "");
    __shared__ float tile[8][kCount];
    float sum = 0.0f;  // a comment with 0 < 1 in it
    for (int i = threadIdx.x; i < n && n > 3; i += 32) {
        sum += x[i] * 2;
    }
    sum += __shfl_down_sync(0xffffffff, sum, 1);
    tile[threadIdx.x][n] = sum;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, n > 1 ? tile[0][1] : 4.0f);
    __pipeline_wait_prior(0);
    if (__syncthreads_or(sum > 4.0f)) this_grid().sync();
}
"""


def edits(kind: str) -> list[str]:
    return [mutant.now for mutant in mutants(KERNEL) if mutant.kind == kind]


def test_each_kind_of_edit():
    assert edits("barrier removed") == [
        ";",
        "if ((sum > 4.0f)) this_grid().sync();",
        "if (__syncthreads_or(sum > 4.0f)) this_grid();",
    ]
    assert edits("wait removed") == [";"]
    assert edits("atomic made plain") == ["if (threadIdx.x == 0) *(out) += (n > 1 ? tile[0][1] : 4.0f);"]
    assert edits("initial value changed") == ["float sum = 1.0f;"]
    assert edits("stride changed") == ["for (int i = threadIdx.x; i < n && n > 3; i += 1 + 32) {"]
    assert "tile[n][threadIdx.x] = sum;" in edits("index swapped")
    assert "tile[blockIdx.x][n] = sum;" in edits("index swapped")
    assert "for (int i = threadIdx.x; i <= n && n > 3; i += 32) {" in edits("bound off by one")
    assert "for (int i = threadIdx.x; i < n - 1 && n > 3; i += 32) {" in edits("bound off by one")
    assert "if (true) atomicAdd(out, n > 1 ? tile[0][1] : 4.0f);" in edits("guard removed")
    assert "if (threadIdx.x == 0) atomicAdd(out, true ? tile[0][1] : 4.0f);" in edits("guard removed")
    assert "for (int i = threadIdx.x; i < n && true; i += 32) {" in edits("guard removed")
    assert {"sum -= x[i] * 2;", "sum += x[i] + 2;"} <= set(edits("operator changed"))
    assert "sum += x[i] * 3;" in edits("constant off by one")
    assert set(edits("shuffle changed")) == {
        "sum += __shfl_up_sync(0xffffffff, sum, 1);",
        "sum += __shfl_down_sync(0x7fffffff, sum, 1);",
        "sum += __shfl_down_sync(0xffffffff, sum, 1 + 1);",
    }


def test_comments_template_heads_and_assertions_are_left_alone():
    for mutant in mutants(KERNEL):
        assert "static_assert(kCount < 9" in mutant.source
        assert "// a comment with 0 < 1 in it" in mutant.source
        assert mutant.source.startswith(
            "\ntemplate <int kCount> __global__ void add(const float* x, float* out, int n) {"
        )


def test_entry_points_that_nobody_asks_for_are_left_out():
    source = """
extern "C" void helper(float* x) {
}
extern "C" void other(float* x) {
}
extern "C" void wanted(float* x) {
    helper(x);
}
"""
    left = with_entry_points(source, ["wanted"])
    assert left == source.replace('extern "C" void other(float* x) {\n}', "\n")


def test_namespaces_of_other_entry_points_are_left_out():
    source = """
namespace helpers {
float twice(float x) { return 2 * x; }
}  // namespace helpers
namespace shared {
constexpr int kCount = 2;
extern "C" void first(float* x) {
}
}  // namespace shared
namespace other {
extern "C" void second(float* x) {
}
}  // namespace other
namespace mine {
extern "C" void third(float* x) {
    x[shared::kCount] = helpers::twice(1);
}
}  // namespace mine
"""
    left = with_entry_points(source, ["third"])
    assert left.count("\n") == source.count("\n")
    assert "second" not in left and "namespace other" not in left and "first" not in left
    assert all(text in left for text in ("kCount = 2;", "twice(float x) {", "helpers::twice(1)"))


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_list_of_equivalents_names_edits_that_exist(lesson: str):
    assert [f"{each.was} -> {each.now}" for each in stale(find(lesson))] == []


def test_an_equivalent_without_a_reason_is_refused():
    with pytest.raises(ValueError, match="no reason"):
        parse("== 01_vector_add\n- a\n+ b\n")


Drawn = list[tuple[Entry, Mutant]]


@pytest.fixture
def outcomes(kept, graded_lessons) -> Callable[[Drawn], list[Outcome]]:
    """How edits of lessons' references fared: hunted once, until the lessons, the grader or the hunt change."""

    def of(drawn: Drawn) -> list[Outcome]:
        entries = list(dict.fromkeys(entry for entry, _ in drawn))
        asked = [inlined(entry.reference) for entry in entries] + [mutant.source for _, mutant in drawn]
        files = [entry.folder / "lesson.py" for entry in entries] + sorted(Path(__file__).parent.glob("*.py"))
        fates = kept(
            ["mutants", *asked, *(file.read_bytes() for file in files)],
            lambda: [outcome.status for outcome in hunt(drawn, workers=1)],
            lambda fates: "not_graded" not in fates,
        )
        return [Outcome(*each, status) for each, status in zip(drawn, fates, strict=True)]

    return of


def drawn_of(lesson: str) -> Drawn:
    entry = find(lesson)
    return [each for each in mutants_of(entry, per_kind(entry)) if not reason(*each)]


def tally_of(outcomes: Iterable[Outcome]) -> tuple[Tally, str]:
    tally = Tally()
    for outcome in outcomes:
        tally.add(outcome)
    return tally, "\n".join([tally.table(), *map(described, tally.survivors)])


@pytest.mark.long
@pytest.mark.slow
def test_of_one_edit_in_sixteen_of_each_kind_hardly_any_goes_unnoticed(outcomes):
    drawn = [each for lesson in LESSONS for each in drawn_of(lesson)]
    kinds = [[each for each in drawn if each[1].kind == kind] for kind in RULES]
    some = [each for number, kind in enumerate(kinds) for each in kind[4 * number % len(kind) :: 16]]  # of all lessons
    assert {entry.name[:2] for entry, _ in some} == {*LESSONS} and {each.kind for _, each in some} == {*RULES}
    tally, told = tally_of(outcomes(some))
    assert tally.rate("barrier removed") == tally.rate("wait removed") == 1.0 and tally.rate() >= 0.97, told


@pytest.mark.long
@pytest.mark.whole
@pytest.mark.parametrize("lesson", LESSONS[::-1])
def test_a_barrier_is_missed_where_it_is_gone(outcomes, lesson: str):
    tally, told = tally_of(outcomes(drawn_of(lesson)))
    assert tally.rate("barrier removed") == tally.rate("wait removed") == 1.0, told


@pytest.mark.whole
def test_hardly_an_edit_goes_unnoticed(outcomes):
    tally, told = tally_of(outcome for lesson in LESSONS for outcome in outcomes(drawn_of(lesson)))
    print(told)
    assert tally.rate() >= 0.97, told
