"""Lesson 01: the smallest kernel there is, and everything around it: indices, blocks, the guard, whole sectors."""

import functools

from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed, either


def make_inputs(draw, variant, n):
    x, y = draw.normal(n), draw.normal(n)
    if n > 4000:  # what is wrong in general shows in a smaller case, without them
        draw.plant_extremes(x, y)
    return {"x": x, "y": y}


def reference(x, y, n):
    return {"z": x + y}


def torch_add(x, y, z, n):
    import torch

    torch.add(x, y, out=z)


@functools.cache
def compiled():
    import torch

    return torch.compile(lambda x, y, z: z.copy_(x + y), dynamic=False)


lesson = Lesson(
    title="Vector addition",
    summary="one thread, one element",
    next_step="`ladder start 02`: what happens when the 32 threads of a warp disagree",
    tasks=[
        Task(
            prototype="void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)",
            shapes={"x": "n", "y": "n", "z": "n"},
            # Around a warp, around a block, a prime; one float4 and a rest, a block of float4 and one more; several
            # blocks. The last one is large enough to fill the emulated GPU and no multiple of anything (it is prime).
            cases=[Case(n=n) for n in (1, 5, 31, 32, 33, 255, 256, 257, 1009, 1025, 1029, 5000, 100_003)],
            drawn={"n": either(range(2, 1500), range(2048, 16385, 1024))},
            timed_case=Case(n=1 << 28),
            wide_case=Case(n=2_500_003),
            bench_cases=[Case(n=n) for n in (1 << 12, 1 << 16, 1 << 20, 10_000_000, 1 << 26)],
            make_inputs=make_inputs,
            reference=reference,
            baselines={"torch.add": torch_add},
            rivals={"torch.compile": lambda x, y, z, n: compiled()(x, y, z)},
            flops="n",
            ladder=[
                Rung(
                    "one_element",
                    "a thread for each element",
                    [
                        Counted(
                            "global_load_efficiency",
                            at_least=0.97,
                            why="memory sends 32 bytes at a time: neighbouring threads must read neighbouring elements",
                        ),
                        Counted(
                            "global_store_efficiency",
                            at_least=0.97,
                            why="neighbouring threads must write neighbouring elements",
                        ),
                        Counted("loads_per_byte", at_most=1.01, why="each input is needed once"),
                        Counted("stores_per_byte", at_most=1.01, why="each output is final when it is written"),
                        Counted(
                            "busy_blocks",
                            at_least=16,
                            why="a multiprocessor without a block does nothing, and there are 16",
                        ),
                        Counted(
                            "busy_threads",
                            at_least=4096,
                            why="a thread that waits for memory hides nothing: others must have something to do",
                        ),
                        Timed("fraction_of_copy", at_least=0.75, why="an addition moves bytes, as a copy does"),
                    ],
                ),
                Rung(
                    "grid_stride",
                    "several elements for each thread",
                    [
                        Counted(
                            "busy_threads",
                            at_most=65_536,
                            why="100,003 elements are work for fewer threads: let each take several",
                        ),
                        Timed(
                            "fraction_of_copy", at_least=0.84, why="a thread that goes on saves the start of another"
                        ),
                    ],
                ),
                Rung(
                    "float4",
                    "16 bytes a load",
                    [
                        Counted(
                            "sectors_per_load",
                            at_least=12,
                            why="16 bytes a thread in one load (float4) keep four times as many bytes on their way",
                        ),
                        Timed("fraction_of_copy", at_least=0.97, why="as fast as the memory can go"),
                        Timed("x_torch.add", at_least=1.00, why="not slower than what everybody uses"),
                    ],
                ),
            ],
            stars={2: "one_element", 3: "float4"},
            floor=[Timed("fraction_of_copy", at_least=0.08, why="a tenth of what a thread for each element reaches")],
        )
    ],
)
