"""What samples say, when there are enough, and when two clocks disagree."""

import math

import pytest

from grader.devices.cuda import clock
from grader.devices.cuda.clock import Batches

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
    assert clock.is_too_noisy([80.0, 180.0] * 50)


def test_what_still_drifts_at_the_end_is_too_noisy():
    assert clock.is_too_noisy([100.0 + 3 * step for step in range(20)])
    assert not clock.is_too_noisy(QUIET)


# The judge's microseconds for batches of 3 and of 6 runs on an H200, and what the events said of a run.
HONEST = [
    # 1_one_element
    (
        937.4,
        [3501, 3299, 3347, 3328, 3331, 3545, 3489, 3347, 3366, 3326, 3183, 3460, 3415, 3419],
        [6358, 6185, 6168, 6216, 6086, 6157, 6284, 6164, 6096, 6099, 6028, 6335, 6284, 6257],
    ),
    # 3_float4
    (
        739.6,
        [2674, 2646, 2598, 2600, 2668, 2710, 2823, 2686, 2717, 2709, 2560, 2942, 2898, 3143],
        [4806, 4760, 4767, 4959, 4950, 4772, 4933, 4964, 4899, 4753, 4837, 5134, 5147, 5197],
    ),
    # 4_two_angles
    (
        390.4,
        [1868, 1749, 1829, 1777, 1972, 1740, 1824, 1729, 1792, 1743, 1732, 1742, 1826, 1819],
        [3020, 2910, 2775, 3014, 2897, 2914, 2922, 2960, 2962, 2990, 2967, 2964, 2954, 2789],
    ),
    # 3_float4
    (
        739.6,
        [2873, 3055, 2908, 2986, 2814, 2972, 2894, 2988, 2913, 3076, 2922, 3074, 2867, 2788],
        [5161, 5151, 5087, 5087, 5202, 5126, 5046, 5307, 5291, 5139, 5197, 4882, 5010, 5187],
    ),
]
DISHONEST = [  # they work on a stream of their own, while the given one dawdles
    # 02_dawdles_while_it_works
    (
        629.5,
        [3423, 3486, 3289, 3343, 3317, 3380, 3571, 3398, 3433, 3489, 3642, 3559, 3552, 3471],
        [6025, 6290, 6246, 6130, 6346, 6273, 6141, 6254, 6185, 6180, 6350, 6352, 6125, 6298],
    ),
    # 02_head_start
    (
        628.7,
        [3840, 3357, 3682, 3505, 3506, 3590, 3661, 3360, 3256, 3571, 3459, 3479, 3553, 3446],
        [6304, 6256, 6503, 6312, 6252, 6414, 6191, 6069, 5995, 6286, 6273, 6340, 6217, 6251],
    ),
]
# What the events said on an H200, where a batch of 6 runs took 200 to 280 us more than an empty one and its runs.
EVENTS = [736.0, 395.3, 953.9, 890.1, 70.5, 83.1, 520.4, 247.2, 77.9]


def batches(half, full, empty):
    return Batches(6, 3, full=full, half=half, empty=empty)


@pytest.mark.parametrize(("event_us", "half", "full"), HONEST)
def test_honest_events_and_the_wall_clock_agree(event_us, half, full):
    found = batches(half, full, [min(half) - 3 * event_us])
    slope, error = found.slope
    assert slope == pytest.approx(event_us, rel=0.04) and error < 0.03 * event_us
    assert clock.contradicted(event_us, found) is None


@pytest.mark.parametrize(("event_us", "half", "full"), DISHONEST)
def test_events_that_miss_a_third_of_the_work_are_contradicted(event_us, half, full):
    assert clock.contradicted(event_us, batches(half, full, [700.0])) == pytest.approx(925.0, rel=0.02)


@pytest.mark.parametrize("extra", [200.0, 280.0])
@pytest.mark.parametrize("event_us", EVENTS)
def test_what_comes_with_every_batch_of_runs_is_no_contradiction(event_us, extra):
    empty = 700.0
    half, full = ([empty + extra + runs * event_us] for runs in (3, 6))
    assert clock.contradicted(event_us, batches(half, full, empty=[empty])) is None


def test_dawdling_over_the_smaller_batches_wins_little():
    true_us, claimed, empty = 740.0, 500.0, 700.0
    full, dawdled = [empty + 6 * true_us] * 9, [empty + 3 * true_us + 3 * (true_us - claimed)] * 9
    assert batches(dawdled, full, [empty]).slope[0] == pytest.approx(claimed)
    assert clock.contradicted(claimed, batches(dawdled, full, [empty])) == pytest.approx(true_us - 500 / 6)


def test_the_wall_clock_knows_how_well_it_knows():
    spread = [-1.0, -0.675, 0.0, 0.675, 1.0]  # its quartiles are 1.35 apart, as of normal numbers with a sigma of 1
    half, full = [1000.0 + 30 * each for each in spread], [1300.0 + 40 * each for each in spread]
    slope, error = batches(half, full, [700.0]).slope
    assert slope == pytest.approx(100.0) and error == pytest.approx(1.25 * 50.0 / math.sqrt(5) / 3)


def test_less_than_the_events_say_is_no_wonder():
    assert clock.contradicted(100.0, batches([1000.0], [1150.0], [850.0])) is None
