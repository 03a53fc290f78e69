from dataclasses import replace

import pytest

from docs import metrics
from grader.course.catalog import find
from grader.course.lesson import Counted, Rung
from grader.judge.targets import METRICS, measure, unknown_metric

# Vector addition over 1000 elements in 4 blocks of 256: 32 warps, the last with 8 lanes.
COUNTERS = {
    "global_load_requests": 64,
    "global_load_sectors": 250,
    "global_load_bytes": 8000,
    "global_load_useful_bytes": 8000,
    "global_load_distinct_bytes": 8000,
    "global_store_requests": 32,
    "global_store_sectors": 125,
    "global_store_bytes": 4000,
    "global_store_useful_bytes": 4000,
    "global_store_distinct_bytes": 4000,
    "task_load_requests": 64,
    "task_load_sectors": 250,
    "task_load_bytes": 8000,
    "task_load_useful_bytes": 8000,
    "task_load_distinct_bytes": 8000,
    "task_store_requests": 32,
    "task_store_sectors": 125,
    "task_store_bytes": 4000,
    "task_store_useful_bytes": 4000,
    "task_store_distinct_bytes": 4000,
    "task_active_lanes": 31.25,
    "task_divergence": 1 / 32,
    "shared_load_wavefronts": 8,
    "shared_load_ideal_wavefronts": 2,
    "shared_store_wavefronts": 0,
    "shared_store_ideal_wavefronts": 0,
    "shared_load_bank_conflicts": 6,
    "shared_store_bank_conflicts": 1,
    "global_atomic_requests": 10,
    "shared_atomic_requests": 0,
    "warp_instructions": 320,
    "thread_instructions": 10000,
    "branches": 32,
    "divergent_branches": 1,
    "special_functions": 3000,
    "exponentials": 1000,
    "float_operations": 2500,
    "double_operations": 0,
    "barriers_per_block": 12,
    "launches": 2,
    "busy_threads": 1000,
    "busy_blocks": 4,
    "blocks_launched": 4,
    "output_elements": 1000,
    "output_bytes": 4000,
    "input_elements": 2000,
    "input_bytes": 8000,
}


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("global_load_efficiency", 1.0),
        ("global_store_efficiency", 1.0),
        ("sectors_per_load", 250 / 64),
        ("loads_per_byte", 1.0),
        ("loads_per_input_byte", 1.0),
        ("active_lanes", 10000 / (32 * 320)),
        ("branch_uniformity", 31 / 32),
        ("shared_bank_conflicts", 7),
        ("shared_load_efficiency", 0.25),
        ("shared_store_efficiency", None),
        ("global_atomics_per_output", 0.01),
        ("threads_per_output", 1.0),
        ("global_atomics_per_input", 0.005),
        ("stores_per_output_byte", 1.0),
        ("global_load_sectors", 250),
        ("special_functions_per_output", 3.0),
        ("exponentials_per_output", 1.0),
        ("float_operations_per_output", 2.5),
        ("double_operations_per_output", 0.0),
        ("barriers_per_block", 12),
        ("launches", 2),
        ("no_such_counter", None),
    ],
)
def test_metrics_by_hand(metric, value):
    assert measure(metric, COUNTERS) == pytest.approx(value)


@pytest.mark.parametrize(
    ("metric", "beside", "value"),
    [
        # In scratch: 100 sectors of which all is used, and 10 of which a quarter is.
        ("global_load_efficiency", {"global_load_sectors": 350, "global_load_useful_bytes": 11200}, 1.0),
        ("global_load_efficiency", {"global_load_sectors": 260, "global_load_useful_bytes": 8080}, 8000 / 8240),
        ("global_store_efficiency", {"global_store_sectors": 1125, "global_store_useful_bytes": 36000}, 1.0),
        ("global_store_efficiency", {"global_store_sectors": 135, "global_store_useful_bytes": 4080}, 4000 / 4240),
        ("sectors_per_load", {"global_load_requests": 1064, "global_load_sectors": 16250}, 250 / 64),
        ("loads_per_byte", {"global_load_bytes": 16000, "global_load_distinct_bytes": 16000}, 1.0),
        ("loads_per_byte", {"global_load_bytes": 28000, "global_load_distinct_bytes": 16000}, 2.5),
        ("stores_per_byte", {"global_store_bytes": 8000, "global_store_distinct_bytes": 4000}, 2.0),
        # Kernels that do no work: idle lanes count, busy ones do not. So with branches.
        ("active_lanes", {"warp_instructions": 10320, "thread_instructions": 330000}, 31.25 / 32),
        ("active_lanes", {"warp_instructions": 640, "thread_instructions": 10320}, 10320 / 640 / 32),
        ("branch_uniformity", {"branches": 100000}, 31 / 32),
        ("branch_uniformity", {"divergent_branches": 8}, 24 / 32),
    ],
)
def test_what_happens_in_scratch_may_lower_a_ratio_and_never_raises_it(metric, beside, value):
    assert measure(metric, COUNTERS | beside) == pytest.approx(value)


def test_a_task_whose_buffers_are_not_touched_has_no_ratio():
    untouched = {name: 0 for name in COUNTERS if name.startswith("task_")}
    for metric in ("global_load_efficiency", "global_store_efficiency", "sectors_per_load", "loads_per_byte"):
        assert measure(metric, COUNTERS | untouched) is None


def test_what_was_not_counted_has_no_value():
    for metric in METRICS:
        assert measure(metric, {}) is None
        assert measure(metric, dict.fromkeys(COUNTERS, 0)) in (None, 0)


def test_a_kernel_without_branches_is_uniform():
    assert (
        measure("branch_uniformity", {**COUNTERS, "branches": 0, "divergent_branches": 0, "task_divergence": 0.0})
        == 1.0
    )


def test_every_metric_has_a_human_name():
    assert all(
        metric.title and metric.meaning and len(metric.title) <= 28 and metric.unit in ("", "%", "x")
        for metric in METRICS.values()
    )
    assert len({metric.title for metric in METRICS.values()}) == len(METRICS)


def test_the_page_for_authors_lists_every_metric():
    assert metrics.PAGE.read_text() == metrics.renewed(metrics.PAGE.read_text()), "renew it: make readme"


def test_a_metric_that_is_not_there_is_refused_by_name():
    task = find("01").lesson.tasks[0]
    assert not unknown_metric(task)
    assert not unknown_metric(replace(task, ladder=[Rung("one", "one", [Counted("global_load_sectors")])]))
    goal = Counted("exponentials_per_outputs", at_most=1)
    for wrong in (replace(task, ladder=[Rung("one", "one", [goal])]), replace(task, floor=[goal])):
        said = "vector_add: no metric is called `exponentials_per_outputs`: perhaps `exponentials_per_output`"
        assert unknown_metric(wrong).startswith(said)
    nothing_like = replace(task, floor=[Counted("zzz")])
    assert unknown_metric(nothing_like) == "vector_add: no metric is called `zzz`; docs/authoring.md lists them all"
