"""What Nsight Compute says, as counters of the emulator's names. (Its page is read in tests/emulator/test_fidelity.)"""

from __future__ import annotations

import pytest

from grader.course.catalog import UsageError
from grader.course.prototype import parse_prototype
from grader.devices.emulator.counted import ZERO
from grader.devices.nvidia import profile as profiling
from grader.devices.nvidia.profile import COUNTERS, HARDWARE, profile, read_source_page
from grader.devices.nvidia.tool import Subject, Watched

TASK = parse_prototype("void go(const float* x, float* y, int n, cudaStream_t stream)")


DRIVER_BUSY = """==ERROR== An error was reported by the driver:
==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool is collecting.
"""
SOURCE_PAGE = """
"File Path","/cache/jobs/1/build/add.cu"
"Function Name","add(const float *, float *, int)"
"Line No","Source","Address","Source","inst_executed","memory_l2_theoretical_sectors_global","thread_inst_executed"
"4","<Unable to open source file>","-","-","5474","25,000","175000"
"","","0x7fc85b7a0070","      LDG.E.128 R12, desc[UR4][R2.64]","782","25000","25000"
"5","<Unable to open source file>","-","-","784","0","25088"
"File Path","/usr/local/cuda/include/cuda_fp16.hpp"
"Function Name","add(const float *, float *, int)"
"Line No","Source","Address","Source","inst_executed","memory_l2_theoretical_sectors_global","thread_inst_executed"
"4","<Unable to open source file>","-","-","1","1","1"
"File Path","/cache/jobs/1/build/add.cu"
"Function Name","tail(const float *, float *, int)"
"Line No","Source","Address","Source","inst_executed","memory_l2_theoretical_sectors_global","thread_inst_executed"
"4","<Unable to open source file>","-","-","11","3","33"
"""


def page(*launches: dict[str, str]) -> str:
    """ncu's raw page; a metric that a launch does not name is 1."""
    metrics = sorted({*HARDWARE.values(), *(metric for names in COUNTERS.values() for metric in names)})
    rows = [["ID", "Kernel Name", "Block Size", "Grid Size", *metrics], [""] * (4 + len(metrics))]
    for number, launch in enumerate(launches):
        values = [launch.get(metric, "1") for metric in metrics]
        rows.append([str(number), "_Z3addPKfPfi", "(256, 1, 1)", "(8, 1, 1)", *values])
    return "==PROF== Connected to process 1\n" + "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows)


@pytest.fixture
def profiled(monkeypatch, tmp_path):
    def run(watched: Watched):
        monkeypatch.setattr(profiling, "watch", lambda *_: watched)
        monkeypatch.setattr(profiling, "_source_page", lambda *_: SOURCE_PAGE)
        monkeypatch.setattr(profiling, "cache_root", lambda: tmp_path)
        return profile(tmp_path / "ncu", Subject(tmp_path, TASK, [], [], b"", "add.cu"))

    return run


def test_every_counter_is_one_of_the_emulators():
    assert set(COUNTERS) <= set(ZERO)


def test_counters_are_added_up_over_metrics_and_launches(profiled):
    loads, hits = COUNTERS["global_load_sectors"][0], HARDWARE["l1_hit_pct"]
    found = profiled(Watched(log=page({loads: "1,024", hits: "33.3"}, {loads: "1,000", hits: "n/a"})))
    assert found.counters["global_load_sectors"] == 2024
    assert found.counters["global_atomic_requests"] == 4  # two metrics, two launches
    assert [launch["kernel"] for launch in found.launches] == ["add", "add"]
    assert [launch["l1_hit_pct"] for launch in found.launches] == [33.3, None]


def test_a_value_that_one_launch_lacks_is_not_known(profiled):
    found = profiled(Watched(log=page({}, {COUNTERS["local_requests"][0]: "n/a"})))
    assert found.counters["local_requests"] is None and found.counters["warp_instructions"] == 2


def test_counts_by_line_are_those_of_the_submissions_own_file(profiled):
    lines = profiled(Watched(log=page({}))).lines
    assert [(line["line"], line["global_sectors"], line["warp_instructions"]) for line in lines] == [
        (4, 25_003, 5485),
        (5, 0, 784),
    ]
    assert lines[0]["thread_instructions"] == 175_033 and lines[0]["shared_wavefronts"] == 0
    assert read_source_page("", "add.cu") == []


@pytest.mark.parametrize(
    ("watched", "said"),
    [
        (Watched(log="==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"), "sudo ladder explain"),
        (Watched(log="==WARNING== No kernels were profiled.\n"), "launched no kernel"),
        (Watched(log=DRIVER_BUSY), "another program is counting on this GPU"),
        (Watched(timed_out=True), "not done after 120 s"),
        (Watched(log="==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n"), r"\(Failed to initialize"),
        (Watched(events=[{"event": "failed", "message": "no such file"}]), "no such file"),
        (Watched(), "does not say why"),
    ],
)
def test_a_run_that_counts_nothing_is_one_sentence(profiled, watched, said):
    with pytest.raises(UsageError, match=said) as raised:
        profiled(watched)
    assert "\n" not in str(raised.value)
