"""An example of a lesson: a running sum, which seems to be made for one thread, from a loop to a single pass."""

from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed

# Around a warp, a block of 1024 elements and a tile of 4096; a prime; the counted one fills the emulated GPU.
SIZES = (1, 2, 5, 31, 32, 33, 257, 1023, 1024, 1025, 4095, 4096, 4097, 4099, 40_009)
COUNTED, TIMED = 140_009, 1 << 24


def make_inputs(draw, variant, n):
    """Whole numbers of both signs: every sum of them is exact, in any order."""
    return {"x": draw.integers(-99, 102, n)}


def reference(x, n):
    return {"y": x.cumsum(0)}


def torch_cumsum(x, y, scratch, n):
    import torch

    torch.cumsum(x, 0, dtype=torch.int32, out=y)


lesson = Lesson(
    title="Scan",
    summary="a running sum, in one pass",
    next_step="a lesson of your own: `ladder new-lesson NAME`, docs/authoring.md helps",
    tasks=[
        Task(
            prototype="void scan(const int* x, int* y, unsigned long long* scratch, int n, cudaStream_t stream)",
            shapes={"x": "n", "y": "n", "scratch": "2 + n // 1024"},
            scratch=["scratch"],
            cases=[Case(n=n) for n in (*SIZES, COUNTED)],
            timed_case=Case(n=TIMED),
            bench_cases=[Case(n=n) for n in (1 << 16, 1 << 20)],
            make_inputs=make_inputs,
            reference=reference,
            baselines={"torch.cumsum": torch_cumsum},
            flops="n",
            ladder=[
                Rung("one_thread", "one thread does it all"),
                Rung(
                    "hillis_steele",
                    "a block adds in ten steps",
                    [
                        Counted("busy_threads", at_least=256, why="one thread leaves the GPU idle: let a block add"),
                        Counted("global_load_efficiency", at_least=0.9, why="neighbouring threads read neighbours"),
                        Timed("x_torch.cumsum", at_least=0.0004, why="a thousand threads, where one worked"),
                    ],
                ),
                Rung(
                    "shuffles",
                    "a warp adds by shuffles",
                    [
                        Counted(
                            "barriers",
                            at_most=1000,
                            why="within a warp __shfl_up_sync needs no barrier: leave those for the warps' sums",
                        ),
                        Timed("x_torch.cumsum", at_least=0.0035, why="barriers cost time: shuffles need none"),
                    ],
                ),
                Rung(
                    "three_kernels",
                    "tiles for all blocks, in three kernels",
                    [
                        Counted("busy_blocks", at_least=16, why="a multiprocessor without a block does nothing"),
                        Counted("sectors_per_load", at_least=12, why="16 bytes a thread in one load (int4)"),
                        Timed("x_torch.cumsum", at_least=0.3, why="all multiprocessors, where one worked"),
                    ],
                ),
                Rung(
                    "look_back",
                    "one pass, looking back",
                    [
                        Counted("loads_per_byte", at_most=1.1, why="one kernel reads x once: blocks tell their sums"),
                        Timed("fraction_of_copy", at_least=0.535, why="a third of the bytes less, and one kernel"),
                        Timed("x_torch.cumsum", at_least=1.0, why="not slower than what everybody uses"),
                    ],
                ),
            ],
            stars={2: "three_kernels", 3: "look_back"},
            floor=[Timed("x_torch.cumsum", at_least=0.000007, why="a tenth of what one thread reaches")],
        )
    ],
)
