"""Every pattern is recognised when it is there, and not claimed when it is nearly there."""

import math

import pytest
import torch

from grader.judge.causes.often import factor_words
from grader.judge.causes.patterns import Answer, recognise
from grader.judge.inputs import Draw


def line(n=1000):
    """A right answer without structure, so that no two elements agree by chance."""
    return Draw(3).normal(n).double()


def launch(blocks, threads):
    return {"kernel": "k", "grid": [blocks, 1, 1], "block": [threads, 1, 1]}


def answer(got, expected, written=None, **extra):
    allowed = 1e-6 * expected.double().abs()
    bad = ~((got - expected).abs() <= allowed) if written is None else ~written
    return Answer("y", got, expected, allowed, bad, written is None, **extra)


def name_of(got, expected, **extra):
    found = recognise(answer(got, expected, **extra))
    return found.name if found else None


def changed(values, places, by=3.0):
    """A copy that is wrong in these places, by amounts that follow no rule."""
    copy = values.clone()
    flat = copy.view(-1)
    places = torch.arange(flat.numel())[places]
    flat[places] += by + torch.arange(len(places), dtype=flat.dtype) ** 1.3
    return copy


MATRIX = line(12 * 20).view(12, 20)
FLAT = line()
SWAPPED = FLAT.view(-1, 2).flip(1).flatten()
BLOCK = FLAT[torch.arange(1000) % 256]


@pytest.mark.parametrize(
    ("got", "expected", "name"),
    [
        (torch.zeros(1000), FLAT, "all_zeros"),
        (torch.ones(1000), FLAT, "constant"),
        (-FLAT, FLAT, "sign"),
        (2 * FLAT, FLAT, "scaled"),
        (FLAT / 3, FLAT, "scaled"),
        ((3 * FLAT).round(), FLAT, "whole_numbers"),
        (500 * FLAT.bfloat16().double(), 501 * FLAT, None),
        ((3e12 * FLAT.square()).float(), FLAT, None),  # a large float is whole, whatever it comes from
        (SWAPPED, FLAT, "swapped_pairs"),
        (FLAT.view(-1, 2).t().flatten(), FLAT, "split_pairs"),
        (FLAT.view(-1, 2).t().flatten().view(500, 2), FLAT.view(500, 2), "split_pairs"),
        (MATRIX.t().flatten().view(12, 20), MATRIX, "transposed"),
        (line(100).view(10, 10).t().contiguous(), line(100).view(10, 10), "transposed"),
        (torch.cat([line(1), FLAT[:-1]]), FLAT, "shifted"),
        (torch.cat([FLAT[1:], line(1)]), FLAT, "shifted"),
        (MATRIX[3].expand(12, 20).contiguous(), MATRIX, "rows_repeated"),
        (changed(FLAT, slice(768, None)), FLAT, "tail"),
        (changed(FLAT, slice(999, None)), FLAT, "tail"),
        (changed(FLAT, slice(0, 1)), FLAT, "head"),
        (changed(FLAT, slice(0, 300)), FLAT, "head"),
        (changed(FLAT, slice(2, None, 5)), FLAT, "every_kth"),
        (changed(FLAT, slice(1, None, 2)), FLAT, "every_kth"),
        (changed(MATRIX, slice(7, None, 20)), MATRIX, "columns"),
        (changed(MATRIX, slice(180, None)), MATRIX, "tail"),
        (changed(FLAT, torch.tensor([3, 17, 400]), by=math.nan), FLAT, "nan"),
        (FLAT.half().double(), FLAT, "of_16_bits"),
    ],
)
def test_a_pattern_is_recognised(got, expected, name):
    assert name_of(got.double(), expected) == name


@pytest.mark.parametrize(
    "places", [torch.tensor([3, 17, 400]), torch.tensor([500]), slice(100, 200), torch.tensor([0, 2, 4, 6, 8])]
)
def test_bad_elements_without_a_rule_are_no_pattern(places):
    assert name_of(changed(FLAT, places), FLAT) is None


@pytest.mark.parametrize(
    "nearly",
    [
        torch.zeros(1000, dtype=torch.float64),
        -FLAT,
        2 * FLAT,
        SWAPPED,
        FLAT.view(-1, 2).t().flatten(),
        torch.cat([line(1), FLAT[:-1]]),
    ],
)
def test_one_exception_is_enough_to_claim_no_value_pattern(nearly):
    assert name_of(changed(nearly, torch.tensor([501])), FLAT) is None


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_pattern_and_of_a_shuffle_it_is_told_where_each_belongs(seed):
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(1000, generator=generator)
    some = torch.rand(1000, generator=generator) < 0.3
    told = {
        "belongs": (FLAT[order], torch.where(some, FLAT[order], FLAT)),
        None: (Draw(seed + 100).normal(1000).double(),),
    }
    for name, values in told.items():
        for got in values:
            assert name_of(got, FLAT, inputs={"x": FLAT}, previous=FLAT, launches=[launch(4, 256)]) == name


def test_nearly_a_matrix_pattern_is_none():
    for nearly in (MATRIX.t().flatten().view(12, 20), MATRIX[3].expand(12, 20).contiguous()):
        assert name_of(changed(nearly, torch.tensor([77])), MATRIX) is None


def test_small_outputs_do_not_tell():
    want = torch.tensor([1.0, 2.0]).double()
    for got in ([2.0, 1.0], [-1.0, -2.0], [2.0, 4.0], [9.0, 1.0]):
        assert name_of(torch.tensor(got).double(), want) is None


def test_a_right_answer_that_looks_like_a_pattern_is_not_blamed():
    constant_rows = MATRIX[3].expand(12, 20).contiguous()
    assert name_of(changed(constant_rows, torch.tensor([41, 77])), constant_rows) is None


def test_a_copy_names_its_input():
    x, weights = Draw(4).normal(1000), Draw(5).integers(0, 9, 1000)
    found = recognise(answer(x.double(), FLAT, inputs={"weights": weights, "x": x.double()}))
    assert (found.name, found.message) == ("copied", "y is a copy of x.")
    assert name_of(changed(x.double(), torch.tensor([700])), FLAT, inputs={"x": x.double()}) is None


def test_a_stale_answer_is_recognised_also_when_the_sizes_differ():
    before = Draw(9).normal(1000).double()
    assert name_of(before, FLAT, previous=before) == "stale"
    assert name_of(before[:500], FLAT[:500], previous=before) == "stale"
    assert name_of(torch.cat([before[:500], FLAT[500:]]), FLAT, previous=before[:500]) == "stale"
    assert name_of(changed(before, torch.tensor([20])), FLAT, previous=before) is None


def test_zeros_that_stood_in_the_case_before_too_are_no_stale_answer():
    before, expected = Draw(9).normal(1000).double(), FLAT.clone()
    before[500:] = 0
    got = torch.cat([expected[:500], torch.zeros(500, dtype=expected.dtype)])
    assert name_of(got, expected, previous=before) != "stale"
    got[500:] = before[500:] = Draw(10).normal(500).double()
    assert name_of(got, expected, previous=before) == "stale"


def test_what_is_inf_in_the_case_before_too_is_no_stale_answer():
    before = FLAT.clone()
    before[7:] = torch.inf
    before[300:600] = 1.0
    assert name_of(before[:300], FLAT[:300], previous=before) != "stale"


def test_rows_of_one_number_do_not_lack_a_row():
    assert name_of(torch.full((12, 20), 1.0 + 1e-7), MATRIX) != "rows_repeated"


def test_lanes_that_go_on_without_lane_0():
    got = changed(FLAT, torch.arange(len(FLAT)) % 32 != 0)
    assert "__shfl_xor_sync" in recognise(answer(got, FLAT)).message


@pytest.mark.parametrize(("kind", "name"), [(torch.bfloat16, "__nv_bfloat16"), (torch.float16, "__half")])
def test_sums_of_16_bits_are_told(kind, name):
    found = recognise(answer(FLAT.to(kind).float(), FLAT.float()))
    assert found.name == "of_16_bits" and name in found.message
    assert name_of(FLAT.to(kind).float() + 1e-4, FLAT.float()) != "of_16_bits"


def test_large_sums_of_16_bits_are_no_whole_numbers_of_an_int():
    sums = 700 + 99 * FLAT[:15].abs()
    assert name_of(sums.bfloat16().float(), sums.float()) == "of_16_bits"
    assert name_of(sums.round().float(), sums.float()) == "whole_numbers"


def test_integers_have_patterns_too():
    want = Draw(2).integers(0, 1000, 64).long()
    assert name_of(want * 3, want) == "scaled"
    assert name_of(want.view(-1, 2).flip(1).flatten(), want) == "swapped_pairs"
    assert name_of(torch.zeros_like(want), want) == "all_zeros"


def test_factors_are_written_as_people_say_them():
    messages = [recognise(answer(f * FLAT, FLAT)).message for f in (2, 1 / 3, -0.25, math.sqrt(0.5))]
    assert [m.removeprefix("Every element of y is ") for m in messages] == [
        "2 times what it should be.",
        "1/3 of what it should be.",
        "-1/4 of what it should be.",
        "0.7071 times what it should be.",
    ]


def test_a_block_count_that_was_rounded_down_is_named():
    written = torch.arange(1000) < 768
    message = recognise(answer(FLAT, FLAT, written, launches=[launch(3, 256)])).message
    assert "3 x 256 = 768 threads for 1000 elements" in message and "(n + 255) / 256" in message
    assert "3 x 256" not in recognise(answer(FLAT, FLAT, written, launches=[launch(4, 256)])).message


def test_what_is_written_behind_all_threads_lacks_no_blocks():
    got = changed(FLAT, slice(768, None))
    message = recognise(answer(got, FLAT, launches=[launch(3, 256)])).message
    assert "The first 768 elements are right, as many as there are threads" in message and "blocks" not in message


def test_a_sum_that_is_added_as_often_as_something_was_launched():
    one = FLAT[:1]
    told = {256: "every thread of the block", 4: "every block", 1024: "every thread"}
    told |= {32: "every lane of the warp", 8: "every warp of the block"}
    for times, who in told.items():
        found = recognise(answer(times * one, one, launches=[launch(4, 256)]))
        assert found.name == "as_often" and f"{times:,} times" in found.message and f"does {who} add" in found.message
    assert recognise(answer(255 * one, one, launches=[launch(4, 256)])) is None


def test_the_first_block_of_a_kernel_that_makes_pairs():
    found = recognise(answer(changed(FLAT, slice(512, None)), FLAT, inputs={"x": line(500)}, launches=[launch(2, 256)]))
    assert found.name == "first_block" and "those of 256 threads" in found.message


def test_only_the_first_block_is_right():
    got = changed(FLAT, slice(256, None))
    assert name_of(got, FLAT, launches=[launch(4, 256)]) == "first_block"
    assert name_of(got, FLAT, launches=[launch(8, 128)]) == "tail"
    written = torch.arange(1000) < 256
    assert "4 blocks" in recognise(answer(FLAT, FLAT, written, launches=[launch(1, 256)])).message


def test_a_first_row_that_is_right_by_itself_says_nothing_of_blocks():
    matrix = line(16 * 64).view(16, 64)
    got = changed(matrix, slice(64, None))
    assert recognise(answer(got, matrix, launches=[launch(16, 64)])).message.startswith("Everything from y[1, 0] on")
    assert name_of(changed(matrix, slice(128, None)), matrix, launches=[launch(8, 128)]) == "first_block"
    written = torch.arange(16 * 64).view(16, 64) < 64
    assert name_of(matrix, matrix, written=written, launches=[launch(16, 64)]) == "first_block"


def test_rows_and_elements_that_should_be_alike_say_nothing():
    alike = line(20).repeat(12, 1)
    assert name_of(1.5 * alike + 0.1, alike) is None
    assert name_of(torch.full((40,), 4.2), torch.full((40,), 6.6)) == "scaled_alike"
    assert name_of(torch.full((40,), 4.2), line(40)) == "constant"


def test_of_one_sum_that_is_close_missing_terms_are_told_too():
    one = FLAT[:1]
    assert "some terms are left out or added twice, or there are too few" in recognise(answer(1.003 * one, one)).message
    assert "left out" not in recognise(answer(1.001 * FLAT + 1e-6, FLAT)).message


def test_blocks_that_repeat_the_first_one():
    assert name_of(BLOCK, FLAT, launches=[launch(4, 256)]) == "blocks_repeated"
    assert name_of(BLOCK, FLAT, launches=[launch(8, 128)]) != "blocks_repeated"
    assert name_of(changed(BLOCK, torch.tensor([900])), FLAT, launches=[launch(4, 256)]) != "blocks_repeated"


def test_unwritten_elements_have_places():
    everything = torch.ones(1000, dtype=torch.bool)
    tail, some = everything.clone(), everything.clone()
    tail[768:] = False
    some[::4] = False
    assert "no kernel was launched" in recognise(answer(FLAT, FLAT, ~everything)).message
    assert name_of(FLAT, FLAT, written=~everything, launches=[launch(1, 1)]) == "nothing_written"
    found = recognise(answer(FLAT, FLAT, tail, launches=[launch(3, 256)]))
    assert found.name == "tail" and "the rest is not written" in found.message
    assert recognise(answer(FLAT, FLAT, some)).message == "Every 4th element, from y[0] on, is not written."
    assert (
        recognise(answer(FLAT, FLAT, ~some)).message
        == "Every 4th element, from y[0] on, is written, the others are not."
    )


def test_where_it_is_wrong_it_holds_an_input():
    x, right = line(), 2 * line() + 1
    got = right.clone()
    got[3::4] = x[3::4]
    assert name_of(got, right, inputs={"a": -x, "x": x}) == "holds_input"
    got[7] += 1
    assert name_of(got, right, inputs={"x": x}) != "holds_input"


def test_the_bits_of_whole_numbers():
    right = torch.tensor([1500.0, -3.0, 0.5])
    got = torch.tensor([1000, 0, 7], dtype=torch.int32).view(torch.float32)
    found = recognise(answer(got.double(), right.double()))
    assert found.name == "bits" and "holds the bits of a whole number, here of 1,000" in found.message
    assert name_of(got.double(), 1e-36 * right.double()) != "bits"


@pytest.mark.parametrize(
    ("got", "blocks", "said"),
    [
        ([1, 0, 1, 1, 1], 1, "No element of y is more than 1, of the one block"),
        ([2, 0, 1, 2, 1], 2, "more than 2, and 2 blocks were launched"),
        ([2, 0, 1, 2, 1], 1, ""),
        ([1, 1, 1, 1, 1], 1, ""),
        ([1, 0, 1, 1, 0], 1, ""),
    ],
)
def test_blocks_that_add_1_where_their_count_belongs(got, blocks, said):
    found = recognise(answer(torch.tensor(got), torch.tensor([5, 0, 1, 9, 3]), launches=[launch(blocks, 64)]))
    assert said in found.message if said else not found or found.name != "ones"


def test_256_elements_may_be_an_index_of_eight_bits():
    right, written = line(700), torch.arange(700) < 256
    found = recognise(answer(right, right, written, launches=[launch(3, 256)]))
    assert "missing from an index, or is it an `unsigned char`, which ends at 255?" in found.message
    found = recognise(answer(right, right, torch.arange(700) < 128, launches=[launch(6, 128)]))
    assert "unsigned char" not in found.message


@pytest.mark.parametrize(
    ("rows", "launched", "words"),
    [
        (
            3,
            launch(3, 64),
            "Only the first 3 rows of 12 are written, as many as there are blocks: where a block has a row",
        ),
        (4, launch(2, 64), "as many as there are warps: where a warp has a row, launch 6 blocks here"),
        (5, launch(2, 64), "Everything from y[5, 0] on is not written"),
    ],
)
def test_as_many_rows_as_there_are_blocks_or_warps(rows, launched, words):
    done = (torch.arange(12)[:, None] < rows).expand(12, 20)
    assert words in recognise(answer(MATRIX, MATRIX, done, launches=[launched])).message


@pytest.mark.parametrize(
    ("rows", "launched", "words"),
    [
        (3, launch(3, 64), "The first 3 rows are right, as many as there are blocks, and what comes behind is wrong"),
        (4, launch(2, 64), "does a warp's next row begin with what the last one left"),
        (1, launch(1, 64), "The first row is right, and there is one block, and what comes behind is wrong"),
        (5, launch(2, 64), "Everything from y[5, 0] on is wrong"),
    ],
)
def test_rows_of_a_second_round_that_are_wrong(rows, launched, words):
    got = torch.where(torch.arange(12)[:, None] < rows, MATRIX, MATRIX + 1 + torch.arange(20).sin())
    assert words in recognise(answer(got, MATRIX, launches=[launched])).message


@pytest.mark.parametrize(
    ("threads", "words"), [(4, "16 are 4 for each of 4 threads"), (16, "16 are as many as 16"), (5, "")]
)
def test_as_many_columns_as_threads_have(threads, words):
    done = (torch.arange(20) < 16).expand(12, 20)
    message = recognise(answer(MATRIX, MATRIX, done, launches=[launch(12, threads)])).message
    assert words in message
    assert ("do these go on" in message) == bool(words)


def test_rows_of_one_number_say_nothing_of_rows():
    got = torch.full((12, 20), 0.025) * (1 + 1e-9 * MATRIX)
    found = recognise(answer(got, MATRIX))
    assert found is None or "row" not in found.message


def test_what_should_be_0_but_for_rounding_is_no_multiple():
    got = answer(FLAT, 1e-9 * FLAT)
    found = recognise(Answer("y", FLAT, 1e-9 * FLAT, torch.full_like(FLAT, 1e-6), got.bad))
    assert found is None or "times" not in found.message


def test_a_factor_near_minus_one_is_no_share():
    assert [factor_words(factor) for factor in (-0.9999998, -0.5, 1 / 3)] == ["-1 times", "-1/2 of", "1/3 of"]
