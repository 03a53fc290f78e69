"""An example of a lesson: convolution with a small mask. Constant memory, a tile with a halo, outputs in registers."""

from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed, Tolerance

# Around a warp and a block of 256 or 1024 outputs, and a prime; masks of one weight, wider than x, and the widest.
SIZES = ((1, 1), (1, 127), (5, 3), (31, 5), (32, 3), (33, 31), (255, 7), (256, 1), (257, 33), (1009, 127), (1023, 31),
         (1024, 125), (1025, 29), (5000, 127))  # fmt: skip
COUNTED, TIMED = (50_021, 31), (1 << 26, 31)


def at(size):
    return Case(n=size[0], width=size[1])


def make_inputs(draw, variant, n, width):
    """Weights that differ from each other, so that a mask read backwards shows; the ends of x are as large as any."""
    x = draw.normal(n)
    x[0] = x[-1] = 10
    return {"x": x, "mask": draw.normal(width)}


def reference(x, mask, n, width):
    return {"y": correlate(x, mask)}


def magnitude(x, mask, n, width):
    return {"y": correlate(x.abs(), mask.abs())}


def correlate(x, mask):
    """y[i] is the sum of mask[k] * x[i + k - width // 2] over all k; beyond its ends x counts as 0."""
    import torch

    return torch.nn.functional.conv1d(x.view(1, 1, -1), mask.view(1, 1, -1), padding=len(mask) // 2).view(-1)


def torch_conv1d(x, mask, y, n, width):
    y.copy_(correlate(x, mask))


neat_stores = Counted("global_store_efficiency", at_least=0.97, why="neighbouring threads must write neighbours")
all_at_work = Counted("busy_threads", at_least=4096, why="a thread that waits for memory hides nothing: use many")

lesson = Lesson(
    title="Convolution",
    summary="a small mask slides along a long vector",
    next_step="the example course's lesson 02: a running sum",
    tasks=[
        Task(
            prototype="void convolution(const float* x, const float* mask, float* y, int n, int width,"
            " cudaStream_t stream)",
            shapes={"x": "n", "mask": "width", "y": "n"},
            cases=[at(size) for size in (*SIZES, COUNTED)],
            timed_case=at(TIMED),
            bench_cases=[at((1 << 26, width)) for width in (3, 127)],
            make_inputs=make_inputs,
            reference=reference,
            tolerance=Tolerance(c=4, terms="width", magnitude=magnitude),
            baselines={"torch.conv1d": torch_conv1d},
            flops="2 * n * width",
            ladder=[
                Rung("naive", "a thread for each output", [neat_stores, all_at_work]),
                Rung(
                    "constant_mask",
                    "the mask in constant memory",
                    [
                        Counted(
                            "loads_per_input_byte",
                            at_most=40,
                            why="all lanes want one weight at a time: that is what __constant__ memory is for",
                        ),
                    ],
                ),
                Rung(
                    "shared_tile",
                    "a tile of x with its halo in shared memory",
                    [
                        Counted(
                            "loads_per_input_byte",
                            at_most=1.3,
                            why="neighbouring outputs need the same elements: load them once for all of a block",
                        ),
                        Timed("fraction_of_copy", at_least=0.21, why="a tile in shared memory, without a condition"),
                    ],
                ),
                Rung(
                    "four_outputs",
                    "four outputs a thread, from a window in registers",
                    [
                        Counted(
                            "shared_load_wavefronts_per_output",
                            at_most=0.5,
                            why="four neighbouring outputs need nearly the same elements: load these once, in vectors",
                        ),
                        Counted("shared_bank_conflicts", at_most=0, why="lanes should read vectors side by side"),
                        Timed("fraction_of_copy", at_least=0.38, why="16 multiplications for each vector loaded"),
                        Timed("x_torch.conv1d", at_least=4.0, why="one mask needs less than a library's general way"),
                    ],
                ),
            ],
            stars={2: "shared_tile", 3: "four_outputs"},
            floor=[Timed("fraction_of_copy", at_least=0.016, why="a tenth of what rung 1 reaches")],
        )
    ],
)
