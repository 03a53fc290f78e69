"""The picture of the worst access, line by line as it stands in a terminal."""

from __future__ import annotations

from dataclasses import replace

from grades import PASSED

from grader.devices.emulator.kinds import SPACES
from grader.judge.verdict import Position, TargetResult
from grader.report.worst import worst_access

FULL = 0xFFFFFFFF


def request(way, places, size=4, start=0, mask=FULL):
    space = way.partition("_")[0]
    array = {
        "name": "k(float*)::s" if space == "shared" else "x",
        "space": SPACES.index(space),
        "bytes": 9999,
        "start": start,
    }
    return {"way": way, "line": 7, "array": array, "bytes": size, "mask": mask, "places": list(places)}


def picture(metric, *requests, rung=2, met=False, has_tasks=False):
    target = replace(TargetResult(metric, 0.1, ">= 0.97", 2, met), rung=rung)
    task = replace(PASSED.tasks[0], targets=[target], requests=list(requests), position=Position(rung=1, rungs=3))
    return [line.plain for line in worst_access(replace(PASSED, tasks=[task]), "03", has_tasks)]


def test_a_column_is_loaded_sector_by_sector():
    column = request("global_load", (512 * lane for lane in range(32)), start=96)
    assert picture("global_load_efficiency", column, has_tasks=True) == [
        "line 7, a load of x: 32 lanes, 32 sectors move where 4 would do",
        "  lane    0        1        2        3        4        5",
        "  sector  ■······· ■······· ■······· ■······· ■······· ■······· … 26 more",
        "  byte    0        512      1,024    1,536    2,048    2,560",
        f"  ■ is asked for, · moves for nothing; `ladder view 03 --task {PASSED.tasks[0].name}` shows more",
    ]


def test_one_float_too_far_takes_a_fifth_sector():
    shifted = request("global_store", (4 + 4 * lane for lane in range(32)))
    head, lanes, sectors, *_ = picture("global_store_efficiency", shifted)
    assert head == "line 7, a store to x: 32 lanes, 5 sectors move where 4 would do"
    assert lanes == "  lane    0        7        15       23       31"
    assert sectors == "  sector  ·■■■■■■■ ■■■■■■■■ ■■■■■■■■ ■■■■■■■■ ■·······"


def test_banks_in_conflict():
    strided = request("shared_store", (16 * lane for lane in range(32)))
    used = "■···" * 8
    assert picture("shared_bank_conflicts", strided) == [
        "line 7, a store to s: 32 lanes, 4 wavefronts where 1 would do",
        "  bank         0       8       16      24",
        f"  wavefront 1  {used}",
        f"  wavefront 2  {used}",
        f"  wavefront 3  {used} … 1 more",
        "  ■ is at work; what comes after wavefront 1 had to wait; `ladder view 03` shows more",
    ]


def test_nothing_is_drawn_where_no_access_is_to_blame():
    column = request("global_load", (512 * lane for lane in range(32)))
    assert picture("busy_blocks", column) == []
    assert picture("global_load_efficiency", column, rung=3) == []  # not the next one
    assert picture("global_load_efficiency", column, met=True) == []
    assert picture("shared_bank_conflicts", column) == []
