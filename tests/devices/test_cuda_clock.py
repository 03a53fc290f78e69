"""What samples say, when there are enough, and when two clocks disagree."""

import pytest

from grader.devices.cuda import clock
from grader.devices.cuda.clock import Batch

QUIET = [100.0, 100.1, 99.9, 100.0] * 5


def test_a_summary_is_the_median_and_the_distance_of_the_quartiles():
    found = clock.summarize([1.0, 2.0, 3.0, 4.0, 100.0])
    assert (found.median_us, found.noise, found.samples) == (3.0, pytest.approx(2 / 3), 5)
    assert clock.summarize([7.0]) == clock.Summary(7.0, 1.0, 1)


def test_measuring_stops_after_enough_quiet_samples_only():
    assert clock.is_enough(QUIET, 0.6)
    assert not clock.is_enough(QUIET, 0.4)
    assert not clock.is_enough(QUIET[:9], 0.6)
    drifting = [100.0 + step for step in range(20)]
    assert not clock.is_enough(drifting, 0.6)
    noisy_but_stable = [90.0, 110.0] * 50
    assert clock.is_enough(noisy_but_stable, 0.6) and not clock.is_too_noisy(noisy_but_stable)


def test_what_still_drifts_at_the_end_is_too_noisy():
    assert clock.is_too_noisy([100.0 + 3 * step for step in range(20)])
    assert not clock.is_too_noisy(QUIET)


def batches(runs, *walls):
    return [Batch(runs, wall) for wall in walls]


def test_the_slope_leaves_out_what_comes_with_every_batch():
    short, long = batches(10, 2100.0, 2050.0), batches(20, 3500.0, 3050.0)
    assert clock.wall_slope(short, long) == pytest.approx(100.0)
    assert clock.clocks_disagree(100.0, short, long) is None
    assert clock.clocks_disagree(99.0, short, long) is None


def test_events_that_say_less_than_the_wall_are_not_believed():
    short, long = batches(1000, 100_000.0), batches(2000, 200_000.0)
    assert clock.clocks_disagree(95.0, short, long) == pytest.approx(100.0)
    assert clock.clocks_disagree(105.0, short, long) is None  # without pauses, runs are a little faster


def test_dawdling_over_short_batches_does_not_help():
    dawdled, long = batches(1000, 150_000.0), batches(2000, 200_000.0)
    assert clock.wall_slope(dawdled, long) == pytest.approx(50.0)
    assert clock.clocks_disagree(50.0, dawdled, long) == pytest.approx(150.0)


def test_kernels_that_wait_for_the_host_are_not_judged_by_the_wall():
    assert clock.clocks_disagree(5.0, batches(10, 200.0), batches(20, 400.0)) is None
