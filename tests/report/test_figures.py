"""Figures drawn from recordings that are written by hand: what they say, what is in them, and that all of it fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text

from grader.course.catalog import UsageError
from grader.devices.emulator.recording import Array, Recording, Step
from grader.report import figures
from tests.shared import long_tail

SOURCE = "\n".join(f"line {number};" for number in range(1, 30))
ALL = tuple(range(32))
X = Array("x", "global", 4 * 64 * 64, 0)
TILE = Array("tile", "shared", 4 * 32 * 33, 0)


def recording(*steps: Step, threads=(64, 1, 1)) -> Recording:
    return Recording("kernel", "n=7", (4, 2, 1), threads, (1, 0, 0), SOURCE, steps)


def access(offsets, *, line=5, warp=0, kind="load", array=X, size=4, lanes=ALL) -> Step:
    return Step(warp, line, kind, tuple(lanes), array, size, tuple(offsets))


def block(lanes, line, warp=0) -> Step:
    return Step(warp, line, "block", tuple(lanes))


def shuffle(down: int, warp=0) -> Step:
    return Step(warp, 9, "shuffle", ALL, None, 0, tuple(lane + down if lane + down < 32 else lane for lane in ALL))


def drawn(figure):
    """The figure, after a look at it: nothing is cut off, and all of it can be read."""
    figure.draw_without_rendering()
    inside, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert inside.x0 >= 0 and inside.y0 >= 0 and inside.x1 <= width and inside.y1 <= height, inside
    assert all(text.get_fontsize() >= 6 for text in figure.findobj(Text))
    return figure


def said(figure) -> str:
    return repr(drawn(figure))


# ---- one access ----


def test_neighbours_share_sectors():
    rec = recording(access(range(128, 256, 4), warp=1))
    assert "warp 1 loads x: 32 lanes, 4 sectors; 128 of 128 bytes" in said(figures.lanes(rec, 5, warp=1))


def test_a_column_takes_a_sector_a_lane():
    rec = recording(access(range(0, 32 * 256, 256)), access(range(0, 32 * 16, 16), size=16, line=6))
    assert "32 sectors; 128 of 1024 bytes" in said(figures.lanes(rec, "line 5;"))
    assert "16 sectors; 512 of 512 bytes" in said(figures.lanes(rec, 6))


def test_one_of_two_arrays_in_a_line():
    rec = recording(access(range(0, 128, 4)), access(range(0, 128, 4), array=Array("y", "global", 4096, 0)))
    assert "warp 0 loads y" in said(figures.lanes(rec, 5, buffer="y"))
    with pytest.raises(UsageError, match="touches z never in line 5"):
        figures.lanes(rec, 5, buffer="z")


def test_an_array_may_begin_inside_a_sector():
    shifted = Array("y", "global", 4096, 4)
    rec = recording(access(range(0, 128, 4), array=shifted), access([12], lanes=[3], kind="atomic"))
    assert "loads y: 32 lanes, 5 sectors; 128 of 160 bytes" in said(figures.lanes(rec, 5))
    assert "updates x: 1 lane, 1 sector; 4 of 32 bytes" in said(figures.lanes(rec, 5, nth=1))


def test_a_long_line_of_code_still_fits():
    rec = recording(access(range(0, 128, 4), line=1))
    name = Array("a_buffer_with_a_very_long_name_that_nobody_would_give_it", "global", 4096, 0)
    rec = replace(rec, source="x[i] = y[i] + z[i]; " * 30, steps=(replace(rec.steps[0], array=name),))
    assert "128 of 128" in said(figures.lanes(rec, 1))


def test_what_is_not_there_is_said_in_a_sentence():
    rec = recording(access(range(0, 128, 4)))
    with pytest.raises(UsageError, match=r"warp 3 of block .1, 0, 0. touches memory never in line 5"):
        figures.lanes(rec, 5, warp=3)
    with pytest.raises(UsageError, match="touches shared memory never in line 5"):
        figures.banks(rec, 5)
    with pytest.raises(UsageError, match="has no warp 9"):
        figures.divergence(rec, warp=9)
    with pytest.raises(UsageError, match="does not touch z"):
        figures.tiles(rec, "z", (2, 2))
    with pytest.raises(UsageError, match="that is no matrix of 3 × 5"):
        figures.tiles(rec, "x", (3, 5))
    with pytest.raises(UsageError, match="no value goes from one thread to another"):
        figures.tree(rec)


@pytest.mark.parametrize(
    ("offsets", "size", "kind", "wavefronts"),
    long_tail(
        [
            (range(0, 128, 4), 4, "load", "1 wavefront, 1 wavefront at best"),
            (range(0, 32 * 128, 128), 4, "load", "32 wavefronts, 1 wavefront at best"),  # one bank for all
            (range(0, 32 * 132, 132), 4, "store", "1 wavefront, 1 wavefront at best"),  # a row of 33 floats
            ([0] * 32, 4, "load", "1 wavefront, 1 wavefront at best"),  # one word for all
            (range(0, 512, 16), 16, "load", "4 wavefronts, 4 wavefronts at best"),
            ([16 * (lane // 2) for lane in ALL], 16, "load", "2 wavefronts, 2 wavefronts at best"),  # neighbours share
            ([16 * (lane // 2) for lane in ALL], 16, "store", "4 wavefronts, 4 wavefronts at best"),
            (
                [4 * (lane % 8) for lane in ALL],
                4,
                "atomic",
                "4 wavefronts, 1 wavefront at best",
            ),  # lanes of a word wait
            (
                [128 * (lane % 2) for lane in ALL],
                4,
                "atomic",
                "32 wavefronts, 1 wavefront at best",
            ),  # so do two words of a bank
        ],
        every=4,
    ),
)
def test_wavefronts_of_shared_memory(offsets, size, kind, wavefronts):
    figure = figures.banks(recording(access(offsets, size=size, kind=kind, array=TILE)), 5)
    assert said(figure).endswith(wavefronts)
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert "0" in shown or "×32" in shown or "×2" in shown


# ---- over time ----


def test_both_sides_of_a_branch():
    even, odd = ALL[::2], ALL[1::2]
    figure = figures.divergence(recording(block(ALL, 1), block(even, 2), block(odd, 3), block(ALL, 4)))
    assert "warp 0: 75% of the lanes are at work" in said(figure)
    image = figure.axes[0].images[0].get_array()
    assert list(image[0]) == [1, 2, 0, 1] and list(image[1]) == [1, 0, 2, 1], "together, some, none"
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["1", "2", "3", "4"]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["switched off", "at work, all lanes together", "at work, others wait"]
    figure = figures.divergence(recording(block(ALL, 1), block(even, 2), block(odd, 3), block(ALL, 2)))
    assert figure.axes[0].get_xticklabels()[-1].get_text() == "end", "no second time line 2"


def test_a_long_run_is_cut_and_says_so():
    figure = drawn(figures.divergence(recording(*[block(ALL, 1 + k % 20) for k in range(100)]), most=30))
    assert figure.axes[0].get_xlabel().endswith("70 more steps to come")


def tile_of(row: int, col: int) -> list[Step]:
    """Two rows of 32 of a 64 × 64 matrix, by two warps."""
    return [access([4 * (64 * (row + warp) + col + lane) for lane in ALL], warp=warp) for warp in (0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("cut", ["barrier", "warp", None])
def test_tiles_of_a_matrix(cut):
    between = {"barrier": [Step(-1, 6, "barrier")], "warp": [Step(0, 6, "warp", ALL), Step(1, 6, "warp", ALL)]}
    rec = recording(*tile_of(0, 0), *between.get(cut, []), *tile_of(0, 32))
    figure = figures.tiles(rec, "x", (64, 64))
    assert "x, 64 × 64: 64 elements at a time, 2 times in all" in said(figure)
    first, second = (axis.images[0].get_array() for axis in figure.axes)
    assert (first[:2, :32] == 2).all() and (first == 2).sum() == 64
    assert (second[:2, :32] == 1).all() and (second[:2, 32:] == 2).all()


def reduce_in_shared_memory(threads: int) -> list[Step]:
    """s[t] += s[t + half], from all threads down to one; a warp at a time."""
    steps = []

    def all_warps(count, kind, shift=0):
        for warp in range(-(-count // 32)):
            lanes = range(min(32, count - 32 * warp))
            steps.append(
                access(
                    [4 * (32 * warp + lane + shift) for lane in lanes], warp=warp, kind=kind, array=TILE, lanes=lanes
                )
            )

    all_warps(threads, "store")
    half = threads // 2
    while half:
        all_warps(half, "load")
        all_warps(half, "load", shift=half)
        all_warps(half, "store")
        half //= 2
    return steps


def test_a_tree_in_shared_memory():
    assert "64 values become one in 6 steps" in said(figures.tree(recording(*reduce_in_shared_memory(64))))


def test_a_tree_of_shuffles_leaves_out_what_nobody_needs():
    figure = figures.tree(recording(*[shuffle(down) for down in (16, 8, 4, 2, 1)]))
    assert "32 values become one in 5 steps" in said(figure)
    down, across = figure.axes[0].collections[:2]
    assert len(across.get_segments()) == 31  # a sum of 32 values takes 31 additions
    assert len(down.get_segments()) == 31


# ---- arithmetic ----


def test_the_merge_is_that_of_the_whole_row():
    assert "2.1 = 1.59 · 0.223 + 1.74 · 1" in said(figures.merge([1.0, 3.0, 2.0, 0.5], [4.0, 2.5, 4.5]))
    with pytest.raises(UsageError, match="at least one finite number"):
        figures.merge([-float("inf")], [1.0])


def test_a_butterfly_tells_all_lanes():
    assert said(figures.butterfly([3, 1, 4, 1])) == "a maximum by shuffles: after 2 steps all 4 lanes hold 4"
    with pytest.raises(UsageError, match="6 lanes: a butterfly needs a power of two"):
        figures.butterfly([1, 2, 3, 4, 5, 6])


def test_a_large_sum_may_add_little():
    figure = figures.pairs([1.0, 9.0], [500.0, 3.0])
    assert (
        said(figure)
        == "The pairs of 2 parts of a row: the largest sum is that of part 0, and it adds 5%; part 1 adds 95%"
    )
    with pytest.raises(UsageError, match="2 maxima and 1 sums are no pairs"):
        figures.pairs([1.0, 9.0], [3.0])


def test_errors_beside_what_they_may_be():
    assert (
        said(figures.errors([3, 1], [9, 0], [4, 2]))
        == "A smaller share is less exact: 50% of the errors are within 1 + |x - m|"
    )
    with pytest.raises(UsageError, match="2 distances need as many errors"):
        figures.errors([3, 1], [9], [4, 2])


def test_the_bits_of_a_number():
    assert said(figures.bits({"1": 1.0, "too large": 1e39})) == (
        "the 32 bits of a float: 1 0 01111111 0; too large 0 11111111 0"
    )
    assert "0 10000000000 1" in said(figures.bits({"3": 3.0}, "double"))
    with pytest.raises(UsageError, match="no kind `half`"):
        figures.bits({"1": 1.0}, "half")


def test_a_path_through_states():
    assert "agree at 50% of the times" in said(figures.states(np.array([[0.9, 0.2], [0.1, 0.8]]), [0, 0]))
    with pytest.raises(UsageError, match="a path of 3 states does not fit"):
        figures.states(np.eye(2), [0, 1, 1])


def test_two_streams_beside_one():
    row = {"n": 64, "one_stream": 30.0, "two_streams": 16.0, "a_alone": 14.0, "b_alone": 15.0}
    assert said(figures.streams([row])).endswith("n = 64: 30 µs on one, 16 µs on two")
    with pytest.raises(UsageError, match="at least one size"):
        figures.streams([])


def test_the_weights_of_queries():
    assert said(figures.weights({"all": np.eye(3)})) == "The weights of 3 queries for 3 keys: the largest: all 1.00"
    with pytest.raises(UsageError, match="no weights"):
        figures.weights({})


def test_a_block_walks_along_its_tiles_and_keeps_a_maximum_and_a_sum():
    scores = np.zeros((4, 4))
    scores[3] = [0, 0, 1, 0]
    assert (
        said(figures.walk(scores, 2, 2, 3))
        == "2 of 2 tiles of 2 × 2; query 3 keeps (m, l) = (0.00, 2.00), (1.00, 2.10)"
    )
    assert said(figures.walk(scores, 2, 2, 1, causal=True)).startswith("1 of 2 tiles")
    with pytest.raises(UsageError, match="no query 4: they are 0 to 3"):
        figures.walk(scores, 2, 2, 4)


def test_amdahl():
    assert "= 1.36 times as fast; however fast the part, at most 1.67 times" in said(figures.amdahl(0.4, 3))
    assert "= 8 times as fast" in said(figures.amdahl(1, 8))
    with pytest.raises(UsageError, match="p is a share"):
        figures.amdahl(1.4, 3)


def test_one_tile_more_than_a_wave():
    # 11 x 11 tiles of 128 fit on 132 multiprocessors, 12 x 12 do not.
    assert "n = 1,409, one more than 1,408, needs 144 tiles" in said(figures.quantisation(128, 132))
    assert "one wave is enough" in said(figures.quantisation(64, 16, longest=200))


# ---- counts and times ----


def test_bars_of_a_counter():
    table = {"1_naive": {"global_load_efficiency": 0.125}, "2_tile": {"global_load_efficiency": None}}
    assert said(figures.counters(table, "global_load_efficiency")) == "load efficiency: 1_naive 12.5 %, 2_tile –"
    raw = {"1_naive": {"barriers": 12_345}}
    assert said(figures.counters(raw, "barriers")) == "barriers: 1_naive 12,345"


def test_the_roofline_places_rungs_by_what_is_counted():
    # 2 * 512 * 1024 * 32 operations; a sector has 32 bytes.
    counted = {"1_down_the_rows": {"global_load_sectors": 1 << 20, "global_store_sectors": 0},
               "3_shared_tile": {"global_load_sectors": 1 << 16, "global_store_sectors": 1 << 16}}  # fmt: skip
    figure = figures.roofline("04", counted)
    assert said(figure) == "roofline of matmul, operations a byte: 1_down_the_rows 1, 3_shared_tile 8"
    roof, _, *points = figure.axes[0].lines
    assert [point.get_xdata()[0] for point in points] == [1, 8]
    assert max(roof.get_ydata()) > max(point.get_ydata()[0] for point in points)


def test_committed_memory_is_drawn_again():
    assert [axis.get_title() for axis in drawn(figures.memory("04")).axes] == ["GPU memory, buffers included"]


def test_memory_over_n_keeps_the_other_sizes():
    (axis,) = drawn(figures.memory("08")).axes
    assert axis.get_xlabel() == "n"
    lengths = [list(line.get_xdata()) for line in axis.lines]
    assert all(each == sorted(set(each)) for each in lengths) and max(map(len, lengths)) >= 6


def test_what_was_not_measured(monkeypatch):
    monkeypatch.setattr("grader.report.figures.measured.CARD", "abacus")
    with pytest.raises(UsageError, match="type `ladder bench 04`"):
        figures.memory("04")


def test_the_same_recording_makes_the_same_file():
    rec = recording(*reduce_in_shared_memory(64))
    first, second = figures.tree(rec)._repr_png_(), figures.tree(rec)._repr_png_()
    assert first == second and first.startswith(b"\x89PNG")


# ---- plain numbers ----


def test_curves_say_where_they_begin_and_end():
    both = {"fast": [1, 10, 1000], "slow": [2, 4, 8]}
    figure = figures.curves("Errors", [1, 10, 100], both, "angle", "error", log=True, levels={"allowed": 5})
    assert said(figure) == "Errors, angle 1 to 100: fast 1 to 1e+03, slow 2 to 8"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["fast", "slow", "allowed"]
    with pytest.raises(UsageError, match="a value for each of the 2 places"):
        figures.curves("Errors", [1, 2], both, "angle", "error")


def test_threads_without_an_element_are_seen():
    figure = figures.threads([divmod(i, 8) for i in range(20)], 3, 8)
    assert said(figure) == "20 elements, blocks of 8 threads: the last 4 threads have no element"
    with pytest.raises(UsageError, match="1 blocks of 8 threads cannot have written 20 elements"):
        figures.threads([divmod(i, 8) for i in range(20)], 1, 8)


def test_warps_wait_for_their_slowest_lane():
    alike, mixed = np.full((64, 32), 4), np.tile(np.arange(1, 33), (64, 1))
    says = said(figures.rounds({"alike": alike, "mixed": mixed}))
    assert says == "rounds of the loop: alike 100% of the lanes at work, mixed 52% of the lanes at work"


def test_a_roofline_of_any_two_units():
    machines, points = {"H200": (4.0, 1.0), "T4": (0.3, 0.25)}, {"1_naive": (0.4, 0.5), "2_tile": (0.1, 0.3)}
    figure = figures.roofs("Instructions", machines, points, "instructions a byte", "billions a second")
    assert said(figure) == "Instructions: 1_naive 0.4 instructions a byte, 2_tile 0.1 instructions a byte"
    assert len(figure.axes[0].lines) == 4
    with pytest.raises(UsageError, match="needs a machine and a point"):
        figures.roofs("Instructions", machines, {}, "x", "y")


# ---- matrices ----


def test_strips_of_memory_say_whose_an_element_is():
    figure = figures.strips(
        "memory", "who reads it", {"step 0": [0, None, 1], "step 1": [None, 0, 1]}, ["a", "b", None]
    )
    assert said(figure) == "memory: who reads it"
    assert [text.get_text() for text in figure.axes[0].texts][:4] == ["a", "b", "1", "step 0"]
    with pytest.raises(UsageError, match="every strip needs 2 elements"):
        figures.strips("memory", "", {"step 0": [0]}, ["a", "b"])


def test_a_turned_corner_is_written_along_rows_and_read_down_columns():
    stores = [access(range(132 * row, 132 * row + 128, 4), kind="store", array=TILE) for row in range(32)]
    loads = [access(range(4 * col, 132 * 32, 132), array=TILE) for col in range(32)]
    assert said(figures.turning(recording(*stores, *loads), 32, 33)) == (
        "kernel: a store of a warp fills 1 × 32 words of the tile, a load reads 32 × 1 words"
    )
    with pytest.raises(UsageError, match="does not write a tile and read it"):
        figures.turning(recording(*stores), 32, 33)


def product_steps(lanes=4, k=3):
    """Lane l of one warp: row 0 of a (1 × k), column l of b (k × lanes), element l of c."""
    a, b, c = (Array(name, "global", 4 * size, 0) for name, size in (("a", k), ("b", k * lanes), ("c", lanes)))
    for i in range(k):
        yield access([4 * i] * lanes, array=a, lanes=range(lanes))
        yield access([4 * (lanes * i + lane) for lane in range(lanes)], array=b, lanes=range(lanes), line=6)
        yield Step(-1, 7, "barrier")
    yield access([4 * lane for lane in range(lanes)], array=c, lanes=range(lanes), kind="store", line=8)


@pytest.mark.slow
def test_what_two_lanes_of_a_product_need_and_the_walk_of_a_block():
    rec = recording(*product_steps())
    assert said(figures.elements(rec, (1, 4, 3))) == "kernel: 2 lanes store 2 elements of c, load 3 of a, 6 of b"
    assert said(figures.tile_walk(rec, (1, 4, 3))) == "kernel: 3 steps along k for 1 × 4 elements of c"
    says = "one warp stores of c: one 4 elements, 1 rows of a, 4 columns of b"
    assert said(figures.lane_tiles({"one": rec}, (1, 4))) == says
    with pytest.raises(UsageError, match="store nothing in c"):
        figures.elements(rec, (1, 4, 3), lanes=[9])
    with pytest.raises(UsageError, match="does not touch a"):
        figures.tile_walk(recording(), (1, 4, 3))


def test_ideas_in_numbers():
    assert said(figures.outer_product(8, 16)).endswith("8 + 16 = 24 floats are loaded, and meet in 128 multiplications")
    assert said(figures.chain_and_tree(16)).endswith("15 additions: a chain takes 15 steps, a tree 4")
    with pytest.raises(UsageError, match="a power of two, not 6"):
        figures.chain_and_tree(6)


def test_how_long_a_load_has_until_its_value_is_stored():
    load, use = access(range(0, 128, 4)), access(range(0, 128, 4), array=TILE)
    store = access(range(0, 128, 4), kind="store", array=TILE)
    figure = figures.timeline({"at once": recording(load, store, use, use), "later": recording(load, use, use, store)})
    assert said(figure).endswith("the next store: at once 0, later 2")


# ---- tensor cores ----


@pytest.mark.slow
def test_who_holds_what_in_a_fragment():
    """By the tables of the PTX ISA, section 9.7.14: group 1 and pair 1 are lane 5."""
    assert said(figures.fragments(5)) == (
        "lane 5 holds of a (1, 2) (1, 3) (9, 2) (9, 3) (1, 10) (1, 11) (9, 10) (9, 11); "
        "of b (2, 1) (3, 1) (10, 1) (11, 1); of c (1, 2) (1, 3) (9, 2) (9, 3)"
    )
    assert said(figures.fragments_alike()).endswith("256 of 256 elements have the same lane")
    for draw in (figures.fragments, figures.fragments_alike):
        with pytest.raises(UsageError, match="no lane 32: they are 0 to 31"):
            draw(32)


def test_swizzled_rows_meet_no_bank_twice():
    assert said(figures.swizzle()) == (
        "piece p at place p: a matrix is in 4 banks; piece p at place p ^ r % 8: a matrix is in 32 banks"
    )


def test_the_parts_of_a_gpu():
    measured = {
        "device": "a card", "multiprocessors": 7, "registers_bytes": 1000, "shared_bytes": 2000, "l2_bytes": 1 << 20,
        "memory_bytes": 1 << 30, "shared_ns": 18.2,
        "global_ns": {"1024": 21.0, "524288": 150.4, "1048576": 200, "1073741824": 340.1},
    }  # fmt: skip
    says = "a load takes 18 ns from shared memory, 150 ns from L2, 340 ns from device memory"
    assert said(figures.chip(measured)).endswith(f"7 multiprocessors; {says}")


def test_latency_hiding():
    assert said(figures.hiding([1, 4, 8])).endswith(
        "1 warp: 4 of 32 cycles; 4 warps: 16 of 32 cycles; 8 warps: 32 of 32 cycles"
    )
    with pytest.raises(UsageError, match="at least 1"):
        figures.hiding([0])


def test_times_say_their_numbers_unless_they_were_just_taken():
    seconds = {"slow": 24.9, "quick": 0.5}
    assert said(figures.times("Builds", seconds)) == "Builds: slow 24.9 s, quick 0.5 s"
    assert said(figures.times("Builds", seconds, just_taken=True)) == "Builds: shorter is better"
