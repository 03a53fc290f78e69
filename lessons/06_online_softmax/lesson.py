"""Lesson 06: softmax: one pass fewer with sums that can be merged, and one long row for the whole GPU."""

import functools

from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed, Tolerance

SCRATCH = 1024  # floats that a kernel may use as it likes: room for the pairs of 512 blocks
ROWS, COLS, LONG = 40, 2080, 100_003

# Around a vector, a warp, a block and what a block can hold; primes; more rows than a grid has blocks, short and long,
# and more rows and columns than a block has threads.
SIZES = ((1, 1), (5, 1), (33, 2), (37, 13), (33, 31), (3, 32), (1000, 7), (7, 33), (2, 127), (2, 128), (3, 129),
         (5, 500), (2, 1023), (3, 1025), (530, 520), (2, 4099), (2, 12_004), (2, 16_384), (1, 16_388), (2, 20_004),
         (33, 16_448))  # fmt: skip
SWEPT = ((1 << 20, 127), (1 << 20, 128), (131_072, 2048), (65_536, 4099), (4096, 65_536), (64, 1 << 20), (1, 1 << 22),
         (1, 1 << 24), (1, 1 << 28))  # fmt: skip
SPECIAL = ("equal", "wide", "rising", "falling", "masked", "lowest", "no numbers")


def at(rows, cols, variant=None, scratch_len=SCRATCH):
    return Case(rows=rows, cols=cols, scratch_len=scratch_len, variant=variant)


SHORT_ROWS, ODD_ROWS, LONG_ROW = at(1000, 7), at(2, 4099), at(1, LONG)


def inputs(draw, variant, rows, cols, scratch_len):
    """Logits, some of them outliers. The variants are what a kernel that is nearly right gets wrong."""
    x = draw.normal(rows, cols)
    match variant:
        case None:
            x[:, draw.integers(0, cols, 1 + cols // 1000).long()] += 5
        case "equal":  # within each row, and the first is far above: a maximum that begins there is not the others'
            x[:] = x[:, :1] * 100
            x[0] += 1000
        case "wide":  # all but a few exponentials vanish, and without the maximum they overflow
            x = draw.uniform(-1e4, 1e4, rows, cols)
        case "rising" | "falling":  # the maximum grows with each element, or never
            x = draw.uniform(-30.0, 30.0, rows, cols).sort(descending=variant == "falling").values
        case "masked":  # long stretches of minus infinity; each row has at least one number
            distance = x[:1].new_ones(cols).cumsum(0) - draw.integers(0, cols, rows, 1)
            x[(distance > 0) & (distance < max(cols - 5, cols // 2))] = float("-inf")
            x[:, 0] = 1.0
        case "lowest":  # numbers far below -1e9, and below the largest by more than a float can hold
            x = draw.uniform(-1e10, -1e9, rows, cols)
            if rows > 1:
                x[0] = -3e38
                x[-1, ::2] = -3.4e38
                x[-1, 1::2] = 3.4e38
        case "no numbers":  # rows with a NaN, with infinity, with nothing but minus infinity, and whole ones between
            x[0::5, cols // 2] = float("nan")
            x[1::5, cols // 3] = float("inf")
            x[2::5] = float("-inf")
            x[3::5, -1] = float("-inf")
    return {"x": x}


def reference(x, rows, cols, scratch_len):
    return {"y": x.softmax(1)}


def spread(x, rows, cols, scratch_len):
    """What an error is relative to: x - max is rounded, and exp makes a relative error of that."""
    distance = (x - x.amax(1, keepdim=True)).abs()
    return {"y": x.softmax(1) * (1 + distance.nan_to_num(0.0, posinf=0.0))}


def torch_softmax(x, y, rows, cols, scratch, scratch_len):
    import torch

    torch.softmax(x, 1, out=y)


@functools.cache
def compiled():
    import torch

    torch._dynamo.config.recompile_limit = 64  # a build for each size
    return torch.compile(lambda x, y: y.copy_(x.softmax(1)), dynamic=False)


def torch_compile(x, y, rows, cols, scratch, scratch_len):
    compiled()(x, y)


lesson = Lesson(
    title="Online softmax",
    summary="one pass fewer",
    next_step="`ladder start 07`: a matrix product whose sums are such pairs",
    tasks=[
        Task(
            prototype="void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,"
            " cudaStream_t stream)",
            shapes={"x": "rows, cols", "y": "rows, cols", "scratch": "scratch_len"},
            scratch=["scratch"],
            inexact={"1_three_passes": "one thread cannot add millions of numbers in one float"},
            cases=[
                *(at(rows, cols) for rows, cols in SIZES),
                *(at(6, 517, variant) for variant in SPECIAL),
                *(at(6, 40, variant) for variant in SPECIAL),
                *(at(1, 40_004, variant) for variant in ("wide", "masked", "rising")),
                at(3, 30_000, "no numbers"),
                # Each way of a kernel, for short and for longer rows, begins with a maximum of its own.
                *(at(1, cols, "lowest") for cols in (17, 200, 4100, 20_000, 40_004)),
                at(2, 33_333, scratch_len=8),
                at(2, 30_003, scratch_len=2),  # no pair to share: a block alone has rows that it cannot hold
                LONG_ROW,
                at(ROWS, COLS),
            ],
            drawn={"rows": range(2, 40), "cols": range(2, 600), "scratch_len": [SCRATCH]},
            timed_case=at(1 << 14, 1 << 14),
            wide_case=at(66_001, 33),  # more rows than a grid has blocks in y
            bench_cases=[at(rows, cols) for rows, cols in SWEPT],
            make_inputs=inputs,
            reference=reference,
            tolerance=Tolerance(c=4, terms="cols", magnitude=spread),
            baselines={"torch.softmax": torch_softmax},
            rivals={"torch.compile": torch_compile},
            specials="rows * cols",
            ladder=[
                Rung("three_passes", "a thread for each row, in three passes"),
                Rung(
                    "block_a_row",
                    "a block for each row, and trees in shared memory",
                    [
                        Counted(
                            "global_load_efficiency",
                            at_least=0.97,
                            why="neighbours read neighbours, so a row needs many threads",
                        ),
                        Counted("global_store_efficiency", at_least=0.97, why="and neighbours write neighbours"),
                        Counted(
                            "busy_threads", at_least=1024, why="a thread a row leaves most of the GPU without work"
                        ),
                        Timed("fraction_of_copy", at_least=0.4, why="a softmax can be as fast as a copy"),
                    ],
                ),
                Rung(
                    "online",
                    "the maximum and the sum in one pass",
                    [
                        Counted(
                            "loads_per_input_byte", at_most=2.05, why="the maximum and the sum can be had in one pass"
                        ),
                        Timed("fraction_of_copy", at_least=0.48, why="two passes over x instead of three"),
                    ],
                ),
                Rung(
                    "registers",
                    "a row in registers, read once",
                    [
                        Counted(
                            "loads_per_input_byte", at_most=1.05, why="a block's registers hold a row: read it once"
                        ),
                        Counted(
                            "shared_bank_conflicts", at_most=0, why="lanes that want different words of a bank wait"
                        ),
                        Timed("fraction_of_copy", at_least=0.94, why="as fast as the memory can go"),
                        Timed("x_torch.softmax", at_least=1.15, why="faster than what everybody uses"),
                    ],
                ),
                # At the timed case rung 4 waits for the memory alone. The rungs above are for rows of other lengths,
                # and counted only, at a case that shows them.
                Rung(
                    "shuffles",
                    "a warp agrees without barriers",
                    [
                        Counted(
                            "barriers_per_block",
                            at_most=3,
                            why="lanes can read each other's registers: only a pair a warp needs a barrier",
                        )
                    ],
                ),
                Rung(
                    "vector_loads",
                    "four floats a load",
                    [Counted("sectors_per_load", at_least=12, why="a thread can load 16 bytes at once")],
                ),
                Rung(
                    "teams",
                    "as many threads as a row has use for",
                    [
                        Counted(
                            "sectors_per_load",
                            at_least=3,
                            case=SHORT_ROWS,
                            why="a warp can take several short rows: they lie side by side",
                        ),
                        Counted(
                            "barriers_per_block",
                            at_most=0,
                            case=SHORT_ROWS,
                            why="a row of a few lanes needs no barrier",
                        ),
                    ],
                ),
                Rung(
                    "any_address",
                    "vectors wherever a row begins",
                    [
                        Counted(
                            "sectors_per_load",
                            at_least=12,
                            case=ODD_ROWS,
                            why="a row's middle is vectors at multiples of 16 bytes, wherever it begins",
                        )
                    ],
                ),
                Rung(
                    "many_blocks",
                    "a long row for all blocks",
                    [
                        Counted(
                            "busy_blocks", at_least=16, case=LONG_ROW, why="a single long row is work for all blocks"
                        )
                    ],
                ),
                Rung(
                    "one_launch",
                    "a long row stays on the chip",
                    [
                        Counted(
                            "loads_per_input_byte",
                            at_most=1.3,
                            case=LONG_ROW,
                            why="blocks that keep their part of a row need not read it again",
                        )
                    ],
                ),
            ],
            stars={2: "online", 3: "many_blocks"},
            floor=[Timed("fraction_of_copy", at_least=0.007, why="a tenth of what a thread for each row reaches")],
        )
    ],
)
