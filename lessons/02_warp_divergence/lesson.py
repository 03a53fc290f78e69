"""Lesson 02: 32 lanes share one instruction, and what it costs when they disagree."""

import functools
import math

from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed, Tolerance, either


def make_inputs(draw, variant, n):
    return {"phi": draw.uniform(-math.pi, math.pi, n)}


def reference(phi, n):
    import torch

    return {"xy": torch.stack([phi.cos(), phi.sin()], dim=-1)}


def magnitude(phi, n):
    """1 for every output: cosine and sine are judged by their absolute error, as fast math bounds it."""
    return {"xy": phi.new_ones(n, 2)}


def stack(phi, xy, n):
    import torch

    torch.stack([phi.cos(), phi.sin()], dim=-1, out=xy)


@functools.lru_cache(2)
def radii(n, device):
    import torch

    return torch.ones(n, device=device)


def torch_polar(phi, xy, n):
    """As people call it: with a radius for each angle, here always the same tensor of ones."""
    import torch

    torch.polar(radii(n, phi.device), phi, out=torch.view_as_complex(xy))


def polar_of_one_radius(phi, xy, n):
    """The best that torch can do: all angles share one radius, and less memory is read."""
    import torch

    torch.polar(radii(1, phi.device), phi, out=torch.view_as_complex(xy))


@functools.cache
def compiled():
    import torch

    return torch.compile(lambda phi, xy: xy.copy_(torch.stack([phi.cos(), phi.sin()], dim=-1)), dynamic=False)


lesson = Lesson(
    title="Warp divergence",
    summary="thirty-two lanes, one instruction",
    next_step="`ladder start 03`: who reads which address",
    tasks=[
        Task(
            prototype="void polar(const float* phi, float* xy, int n, cudaStream_t stream)",
            shapes={"phi": "n", "xy": "n, 2"},
            # Around half a warp (n angles are 2 n numbers), a warp and a block, a prime; one float2 and a rest, a block
            # of float2 and one more; several blocks. The last one is 783 * 128: whole warps, also where a thread takes
            # four angles, so that the guard at the end divides no warp, and yet no multiple of a block.
            cases=[Case(n=n) for n in (1, 3, 15, 16, 17, 31, 32, 33, 255, 256, 257, 513, 515, 1009, 5000, 100_224)],
            drawn={"n": either(range(2, 1500), range(2048, 16385, 1024))},
            timed_case=Case(n=1 << 27),
            wide_case=Case(n=1_300_007),
            bench_cases=[Case(n=n) for n in (1 << 12, 1 << 16, 1 << 20, 10_000_000, 1 << 25)],
            make_inputs=make_inputs,
            reference=reference,
            # __sincosf is off by less than 2^-21.19 on [-pi, pi] (CUDA Programming Guide, "Intrinsic Functions"),
            # 7 units of roundoff; half precision would be off by 4000.
            tolerance=Tolerance(c=10, magnitude=magnitude),
            baselines={"stack": stack, "torch.polar": torch_polar},
            rivals={
                "torch.polar, one radius": polar_of_one_radius,
                "torch.compile": lambda phi, xy, n: compiled()(phi, xy),
            },
            specials="2 * n",
            ladder=[
                Rung(
                    "even_odd",
                    "a thread for each number",
                    [
                        Counted(
                            "global_load_efficiency", at_least=0.97, why="neighbouring threads read neighbouring angles"
                        ),
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
                    ],
                ),
                Rung(
                    "both",
                    "a thread for each angle, with both of its values",
                    [
                        Counted("active_lanes", at_least=0.95, why="a lane that is switched off still takes its turn"),
                        Counted(
                            "branch_uniformity", at_least=1.0, why="where a warp divides, it runs both sides in turn"
                        ),
                        Counted("loads_per_byte", at_most=1.01, why="one load of an angle serves both of its values"),
                        Timed("fraction_of_copy", at_least=0.57, why="12 bytes an angle, whatever is computed of them"),
                    ],
                ),
                Rung(
                    "float2",
                    "both values in one store, and a fast sine",
                    [
                        Counted(
                            "global_store_efficiency",
                            at_least=0.97,
                            why="cosine and sine lie side by side: one store (float2) for both fills every sector",
                        ),
                        Timed("fraction_of_copy", at_least=0.80, why="arithmetic hides behind the memory"),
                    ],
                ),
                Rung(
                    "two_angles",
                    "two angles a load",
                    [
                        Counted(
                            "sectors_per_load",
                            at_least=6,
                            why="a thread that loads two angles at once (float2) has twice as many bytes on their way",
                        ),
                        Timed("fraction_of_copy", at_least=0.95, why="as fast as the memory can go"),
                        Timed("x_stack", at_least=7.0, why="three passes over memory and a temporary for each, fused"),
                        # 16 / 12 is all there is to gain, as torch.polar is at the memory's limit, too
                        Timed("x_torch.polar", at_least=1.25, why="it also reads a radius for every angle: 16 bytes"),
                    ],
                ),
            ],
            stars={2: "both", 3: "float2"},
            floor=[Timed("fraction_of_copy", at_least=0.04, why="a tenth of what a thread for each number reaches")],
        )
    ],
)
