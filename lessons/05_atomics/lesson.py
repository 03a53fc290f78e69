"""Lesson 05: many threads, one address: what an atomic promises, what it costs, and how to need few of them."""

import functools

from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed, Tolerance, either

# Around a warp and a block, primes, several blocks; the counted one fills the emulated GPU many times over.
SIZES = (1, 31, 32, 33, 255, 256, 257, 1023, 1025, 5003, 20_011)
COUNTED = 400_009
TIMED = 1 << 28
SWEPT = (1 << 12, 1 << 16, 1 << 20, 10_000_000, 1 << 26)


# ---- sum ----


def sum_inputs(draw, variant, n):
    """Normal numbers with outliers, of which the last is one: an edge that counts twice would not show otherwise.

    The mean falls with n: beyond 2^24 times an element, float sums stand still.
    """
    x = draw.normal(n, mean=min(0.5, 2**20 / n))
    x[draw.integers(0, n, max(1, n // 1000)).long()] *= 1000
    x[-1] = 1000
    return {"x": x}


def sum_reference(x, n):
    return {"out": x.sum()}


def drift(x, n):
    """How large a partial sum may become, whatever the order: as the sum, or as far as a random walk leads."""
    return {"out": x.sum().abs() + x.square().sum().sqrt()}


def torch_sum(x, out, n):
    import torch

    torch.sum(x, dim=0, out=out.view(()))


@functools.cache
def compiled_sum():
    import torch

    return torch.compile(lambda x, out: out.copy_(x.sum()), dynamic=False)


# ---- histogram ----


def histogram_inputs(draw, variant, n):
    match variant:
        case "one bin":
            return {"x": draw.integers(0, 256, 1, dtype="uint8").repeat(n)}
        case "skewed":  # a dozen values, most of them near 200
            return {"x": draw.normal(n, mean=200.0, scale=2.0, dtype="uint8")}
        case "in runs":  # as in a picture with large areas
            return {"x": draw.integers(0, 256, n // 100 + 1, dtype="uint8").repeat_interleave(100)[:n]}
        case _:
            return {"x": draw.integers(0, 256, n, dtype="uint8")}


def histogram_reference(x, n):
    return {"counts": x.bincount(minlength=256)}


def torch_bincount(x, counts, n):
    counts.copy_(x.bincount(minlength=256))


def torch_histc(x, counts, n):
    """torch.histc takes only floating types on a GPU."""
    counts.copy_(x.float().histc(bins=256, min=0, max=256))


busy = [
    Counted("busy_blocks", at_least=16, why="a multiprocessor without a block does nothing, and there are 16"),
    Counted(
        "busy_threads",
        at_least=4096,
        why="a thread that waits for memory hides nothing: others must have something to do",
    ),
]
loads = [
    Counted("global_load_efficiency", at_least=0.97, why="memory sends 32 bytes at a time: neighbours read neighbours"),
    Counted("loads_per_input_byte", at_most=1.01, why="each input is needed once"),
]
few_atomics = Counted(
    "global_atomics_per_input",
    at_most=0.001,
    why="atomics on one address wait for each other, and all multiprocessors share these: combine before",
)
wide_loads = Counted(
    "sectors_per_load",
    at_least=12,
    why="16 bytes a thread in one load keep enough bytes on their way",
)

no_conflicts = Counted("shared_bank_conflicts", at_most=0, why="lanes that want different words of one bank take turns")

lesson = Lesson(
    title="Atomics",
    summary="many threads, one address",
    next_step="`ladder start 06`: a sum that must know the maximum first",
    tasks=[
        Task(
            prototype="void sum(const float* x, float* out, int n, cudaStream_t stream)",
            shapes={"x": "n", "out": "1"},
            cases=[Case(n=n) for n in (*SIZES, COUNTED)],
            drawn={"n": either(range(2, 4000), range(2048, 16385, 1024))},
            timed_case=Case(n=TIMED),
            bench_cases=[Case(n=n) for n in SWEPT],
            make_inputs=sum_inputs,
            reference=sum_reference,
            tolerance=Tolerance(c=4, terms="n", magnitude=drift),
            baselines={"torch.sum": torch_sum},
            rivals={"torch.compile": lambda x, out, n: compiled_sum()(x, out)},
            flops="n",
            ladder=[
                Rung("every_element", "an atomic for each element", [*loads, *busy]),
                Rung(
                    "every_block",
                    "a tree in shared memory, and an atomic for each block",
                    [
                        few_atomics,
                        Timed(
                            "fraction_of_read", at_least=0.12, why="a tree first, then one atomic for all of a block"
                        ),
                    ],
                ),
                Rung(
                    "shuffles",
                    "shuffles in place of the tree, and one barrier",
                    [
                        Counted("barriers", at_most=1000, why="the lanes of a warp can add up without a barrier"),
                        Timed("fraction_of_read", at_least=0.225, why="ten barriers for a number each are too many"),
                    ],
                ),
                Rung(
                    "wide_loads",
                    "16 bytes a load",
                    [wide_loads, Timed("fraction_of_read", at_least=0.5, why="a load should bring as much as it can")],
                ),
                Rung(
                    "many_elements",
                    "many elements for each thread",
                    [
                        no_conflicts,
                        Counted(
                            "global_atomics_per_input",
                            at_most=0.0002,
                            why="a thread that adds many elements leaves few sums to combine",
                        ),
                        Timed("fraction_of_read", at_least=0.95, why="as fast as the memory can go"),
                        Timed("x_torch.sum", at_least=1.00, why="not slower than what everybody uses"),
                    ],
                ),
            ],
            stars={2: "every_block", 3: "many_elements"},
            floor=[
                Timed("fraction_of_read", at_least=0.00005, why="a tenth of what an atomic for each element reaches")
            ],
        ),
        Task(
            prototype="void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream)",
            shapes={"x": "n", "counts": "256"},
            cases=[
                *(Case(n=n) for n in SIZES),
                *(Case(n=n, variant=variant) for n in (33, 5003, 100_003) for variant in ("one bin", "in runs")),
                Case(n=600_011),  # more than two blocks of 1024 threads on 16 multiprocessors load at once
                Case(n=COUNTED, variant="skewed"),
            ],
            drawn={"n": either(range(2, 4000), range(2048, 16385, 1024))},
            timed_case=Case(n=TIMED),
            bench_cases=[
                *(Case(n=n) for n in SWEPT),
                *(Case(n=TIMED, variant=variant) for variant in ("one bin", "skewed", "in runs")),
            ],
            make_inputs=histogram_inputs,
            reference=histogram_reference,
            baselines={"torch.bincount": torch_bincount},
            rivals={"torch.histc": torch_histc},
            flops="n",
            ladder=[
                Rung("every_element", "an atomic for each element", [*loads, *busy]),
                Rung(
                    "every_block",
                    "counters of the block's own, in shared memory",
                    [
                        few_atomics,
                        Timed("x_torch.bincount", at_least=3.0, why="counters in shared memory, close at hand"),
                    ],
                ),
                Rung(
                    "wide_loads",
                    "16 bytes a load",
                    [wide_loads, Timed("x_torch.bincount", at_least=8.0, why="a byte a load keeps few on their way")],
                ),
                Rung(
                    "lane_columns",
                    "counters of each lane's own",
                    [
                        no_conflicts,
                        Counted(
                            "shared_atomic_max_multiplicity",
                            at_most=4,
                            why="lanes of a warp that add to one counter take turns: give them counters of their own",
                        ),
                        Timed("x_torch.bincount", at_least=15.0, why="lanes must not wait for each other"),
                        Timed("fraction_of_read", at_least=0.75, why="nearly as fast as the bytes can be read"),
                    ],
                ),
            ],
            stars={2: "every_block", 3: "lane_columns"},
            floor=[Timed("x_torch.bincount", at_least=0.002, why="a tenth of what an atomic for each element reaches")],
        ),
    ],
)
