"""The model on launches that are made up: what binds, and by how much, is worked out by hand."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest

from grader.course.usage import UsageError
from grader.model.card import load_card
from grader.model.cause import cause
from grader.model.predict import predict

CARDS = Path(__file__).parents[2] / "cards"
H200 = load_card(CARDS / "h200.toml")
BLOCKS = 1 << 20


def block(**did: int) -> dict:
    """One that ran."""
    nothing = {"number": 0, "steps": 64, "longest_warp": 64, "load_rounds": 0, "lone_rounds": 0}
    return nothing | {"shared_rounds": 0, "copied": 0} | did


def launch(**counts: float) -> dict:
    """Of BLOCKS blocks of 256 threads, of which one ran and did this at line 7."""
    return {
        "kernel": "k", "function": "k()", "line": 9, "blocks": BLOCKS, "shared_bytes": 0, "allowed_registers": 255,
        "threads": 256, "repeats": 1, "resident": 8, "registers": 32,
        "held": 1, "neighbours": 0, "barriers": 0, "atomic_words": 0, "atomic_words_of_a_block": 0,
        "ran": [block(longest_warp=8, load_rounds=1)],
        "regions": [], "counts": counts, "lines": {"7": counts},
    }  # fmt: skip


def array(name: str, sectors: int, **more: int) -> dict:
    """One of which each block loads so many sectors of its own."""
    size = 32 * sectors * BLOCKS
    same = {"loaded": sectors, "asked": sectors, "missed": sectors, "stored": 0, "alone": 0, "together": 0}
    return {"name": name, "bytes": size, "of_task": True} | same | more


def sample(*launches: dict, sets: int = 0, set_bytes: int = 0) -> dict:
    return {"launches": list(launches), "sets": sets, "set_bytes": set_bytes}


def test_a_kernel_that_reads_once_is_bound_by_memory():
    reads = launch(global_load_requests=8, global_load_sectors=128, global_load_lines=32)  # 16 bytes a thread
    reads["regions"] = [array("x", 128)]
    found = predict(sample(reads), H200)
    bytes_ = 32 * 128 * BLOCKS
    assert found.bound == "dram" and found.main.terms["dram"] == pytest.approx(bytes_ / H200.dram_rate)
    assert found.main.terms["l2"] == pytest.approx(bytes_ / H200.l2_rate)
    assert bytes_ / H200.dram_rate < found.seconds < 1.5 * bytes_ / H200.dram_rate
    assert cause(found).line == 7


def test_what_blocks_share_comes_from_memory_once():
    """All blocks load the same 32 sectors, as neighbours that were run show: L2 gives them all, memory one."""
    reads = launch(global_load_requests=8, global_load_sectors=32, global_load_lines=8)
    reads["regions"] = [array("x", 32) | {"alone": 128, "together": 32}]
    reads["neighbours"] = 4
    terms = predict(sample(reads), H200).main.terms
    assert terms["dram"] == pytest.approx(32 * 32 / H200.dram_rate)
    assert terms["l2"] == pytest.approx(32 * 32 * BLOCKS / H200.l2_rate)


def test_a_second_pass_comes_from_memory_again_if_a_wave_does_not_fit_into_l2():
    """8 blocks on each of 132 multiprocessors: with 512 sectors each they touch 17 MB, with 4,096 138 MB."""
    for sectors, passes in ((512, 1), (4096, 2)):
        reads = launch(global_load_sectors=2 * sectors)
        reads["regions"] = [array("x", sectors, asked=2 * sectors, missed=2 * sectors)]
        terms = predict(sample(reads), H200).main.terms
        assert terms["dram"] == pytest.approx(passes * 32 * sectors * BLOCKS / H200.dram_rate)


def test_bank_conflicts_bind_and_are_named():
    conflicts = launch(shared_load_requests=100, shared_load_wavefronts=1600, joined_load_requests=100,
                       joined_load_wavefronts=1600)  # fmt: skip
    found = predict(sample(conflicts), H200)
    share = -(-BLOCKS // 132) / BLOCKS
    assert found.main.terms["shared"] == pytest.approx(1600 * BLOCKS * share / H200.clock)
    assert cause(found).words == "shared memory (16 wavefronts a load, line 7)"


def test_asynchronous_copies_are_written_once():
    """8 requests of 16 bytes a lane: 32 lines, which a pipe sees once; as a load and a store, twice."""
    there_and_back = dict(global_load_requests=8, global_load_sectors=128, global_load_lines=32,
                          shared_store_requests=8, shared_store_wavefronts=32)  # fmt: skip
    apart, copied = launch(**there_and_back), launch(**there_and_back)
    copied["ran"] = [block(longest_warp=8, load_rounds=1, copied=8 * 512)]
    share = -(-BLOCKS // 132) / BLOCKS
    of_both = [predict(sample(each), H200).main.terms for each in (apart, copied)]
    lines = [(32 * H200.load_line + stores) * BLOCKS * share / H200.clock for stores in (32, 0)]
    assert [max(terms["l1"], terms["shared"]) for terms in of_both] == pytest.approx(lines)


def test_tensor_cores_are_busy_for_their_operations_at_the_rate_of_the_card():
    products = launch(tensor_instructions=4096, tensor_operations=4096 * 4096)  # m16n8k16, by one warp
    found = predict(sample(products), H200)
    share = -(-BLOCKS // 132) / BLOCKS
    assert found.main.terms["tensor"] == pytest.approx(4096 * 4096 * BLOCKS * share / H200.tensor_rate / H200.clock)
    assert cause(found).words == "tensor cores (line 7)"
    # As many instructions issue in a sixth of that time.
    assert found.main.terms["issue"] < found.main.terms["tensor"] / 5


def test_atomics_on_one_word_wait_for_each_other():
    adds = launch(global_atomic_requests=8, global_atomic_lanes=256, global_atomic_float_lanes=256)
    adds["atomic_words"] = adds["atomic_words_of_a_block"] = 1
    found = predict(sample(adds), H200)
    assert found.bound == "atomics"
    assert found.main.terms["atomics"] == pytest.approx(256 * BLOCKS * H200.atomic_float)


def test_blocks_that_take_their_parts_from_a_counter_work_side_by_side():
    """The one that ran alone has taken all of them: with the counter, that is the work of all blocks."""
    each = launch(global_load_requests=8, global_load_sectors=128, global_load_lines=32)
    each["regions"] = [array("x", 128), array("z", 0, bytes=32 * 128 * BLOCKS, stored=128)]
    one = launch(**{name: BLOCKS * count for name, count in each["counts"].items()})
    one["ran"] = [block(longest_warp=8 * BLOCKS, load_rounds=BLOCKS, steps=64 * BLOCKS)]
    one["regions"] = [
        region | {name: BLOCKS * region[name] for name in ("loaded", "asked", "missed", "stored")}
        for region in each["regions"]
    ]
    seconds = predict(sample(each), H200).seconds
    assert predict(sample(one), H200).seconds > 1000 * seconds
    one["counts"]["global_atomic_lanes"] = BLOCKS
    one["regions"].append(array("counter", 0, bytes=4, stored=1, of_task=False))
    assert predict(sample(one), H200).seconds == pytest.approx(seconds, rel=0.1)
    one["counts"]["global_atomic_lanes"] = 2  # it has asked once for all of them, and once in vain
    assert predict(sample(one), H200).seconds > 20 * seconds


def test_a_launch_that_does_nothing_costs_what_launching_costs():
    small = launch() | {"blocks": 1}
    two = small | {"repeats": 2}
    one, both = predict(sample(small), H200), predict(sample(two), H200)
    assert one.bound == "launch" and one.seconds == pytest.approx(H200.first_launch, rel=0.05)
    assert both.seconds - one.seconds == pytest.approx(H200.next_launch, rel=0.1)
    assert predict(sample(small, sets=1, set_bytes=10**9), H200).seconds > 10**9 / H200.dram_rate


def test_one_block_waits_for_each_of_its_loads():
    chain = launch(global_load_requests=4096) | {"blocks": 1}
    chain["ran"] = [block(longest_warp=64, load_rounds=4096)]
    found = predict(sample(chain), H200)
    assert found.bound == "latency" and found.seconds > 4096 / 4 * H200.l2_latency / H200.clock


def test_what_is_no_sample_is_refused():
    for broken in ({}, {"launches": [{}], "sets": 0, "set_bytes": 0}, sample(launch() | {"ran": []})):
        with pytest.raises((KeyError, TypeError, ValueError)):
            predict(broken, H200)


def test_every_card_says_what_its_constants_are_and_where_they_come_from():
    import tomllib

    for file in CARDS.glob("*.toml"):
        constants = tomllib.loads(file.read_text())["constants"]
        assert load_card(file).label == file.stem
        assert all(set(each) == {"value", "unit", "source"} and each["source"] for each in constants.values())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("l2_rate =", "l3_rate =", "l3_rate"),
        ("[constants]", "", "constants"),
        ("name =", "name", "="),
        ("value = 132", 'value = "many"', "many"),
    ],
)
def test_a_card_that_is_none_is_refused_in_one_sentence(tmp_path, old, new, said):
    file = tmp_path / "other.toml"
    file.write_text((CARDS / "h200.toml").read_text().replace(old, new, 1))
    with pytest.raises(UsageError, match=r"other\.toml is no card") as error:
        load_card(file)
    assert said in str(error.value) and "\n" not in str(error.value)


def test_the_model_changes_nothing_that_it_is_given():
    given = sample(launch(global_load_requests=8))
    before = deepcopy(given)
    predict(given, H200)
    assert given == before
