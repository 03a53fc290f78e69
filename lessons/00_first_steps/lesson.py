"""Lesson 00: sixteen puzzles of five minutes, a task and a file for each; each is right or wrong, and has few elements.

The numbers are small and whole, so that a wrong one can be checked in one's head, and a right one is exact. The first
of a puzzle's cases is drawn when all are right, so it is small enough to be looked at.
"""

from grader.course.lesson import Case, Counted, Lesson, Task, Tolerance


def whole(draw, *shape):
    return draw.integers(1, 10, *shape, dtype="float32")


def one_vector(draw, variant, n):
    return {"x": whole(draw, n)}


def two_vectors(draw, variant, n):
    return {"x": whole(draw, n), "y": whole(draw, n)}


def task(signature, shapes, cases, make_inputs, reference, **more):
    """One puzzle; `signature` is its name and parameters without the stream."""
    return Task(
        f"void {signature[:-1]}, cudaStream_t stream)",
        shapes,
        cases,
        make_inputs,
        reference,
        tolerance=Tolerance(c=0),
        **more,
    )


def vector_task(name, formula, sizes, **more):
    """One input x, one output z, both of n elements."""
    signature = f"{name}(const float* x, float* z, int n)"
    cases = [Case(n=n) for n in sizes]
    return task(signature, {"x": "n", "z": "n"}, cases, one_vector, lambda x, n: {"z": formula(x)}, **more)


def shifted(x):
    """x, one place to the right."""
    z = x.roll(1)
    z[0] = 0
    return z


def with_neighbours(x):
    left, right = shifted(x), shifted(x.flip(0)).flip(0)
    return x + left + right


def quarters(draw, variant, n):
    """Numbers that two digits after the point write exactly."""
    return {"x": draw.integers(1, 40, n, dtype="float32") / 4}


def rounds_of(v):
    """How many rounds the loop of `measure` takes from v to 1."""
    rounds = 0
    while v != 1:
        v, rounds = (3 * v + 1 if v % 2 else v // 2), rounds + 1
    return rounds


def collatz(x, n):
    rounds = [rounds_of(v) for v in x.tolist()]
    return {"total": x.new_tensor([sum(rounds)]), "most": x.new_tensor([max(rounds)])}


MATRICES = [Case(rows=3, cols=4), Case(rows=5, cols=2), Case(rows=1, cols=7), Case(rows=20, cols=30)]
ONE_FLOAT4 = (
    "a thread that asks for its four floats at once sends one request, not four: reinterpret_cast<const float4*>"
)
WHOLE_WARPS = "a block of fewer than 32 threads leaves lanes of its warp without work: 128 or 256 are a good choice"

lesson = Lesson(
    title="First steps",
    summary="sixteen puzzles of five minutes; the notebook is about the machine",
    next_step="`ladder start 01`: a kernel of your own, from the grid to the guard",
    tasks=[
        vector_task("map", lambda x: 10 * x, (8, 1, 100)),
        task(
            "zip(const float* x, const float* y, float* z, int n)",
            {"x": "n", "y": "n", "z": "n"},
            [Case(n=8), Case(n=1), Case(n=100)],
            two_vectors,
            lambda x, y, n: {"z": x + y},
        ),
        vector_task("guard", lambda x: 2 * x, (6, 8, 1)),
        task(
            "two_d(const float* x, float* z, int rows, int cols)",
            {"x": "rows, cols", "z": "rows, cols"},
            MATRICES,
            lambda draw, variant, rows, cols: {"x": whole(draw, rows, cols)},
            lambda x, rows, cols: {"z": -x},
        ),
        task(
            "broadcast(const float* x, const float* y, float* z, int rows, int cols)",
            {"x": "rows", "y": "cols", "z": "rows, cols"},
            MATRICES,
            lambda draw, variant, rows, cols: {"x": whole(draw, rows), "y": whole(draw, cols)},
            lambda x, y, rows, cols: {"z": x[:, None] + y[None, :]},
        ),
        vector_task("blocks", lambda x: x - 1, (10, 4, 1, 1001)),
        vector_task(
            "stride_loop",
            lambda x: x + 1,
            (10, 4, 1, 101),
            floor=[Counted("stores_per_byte", at_most=1, why="each element is one thread's, and no other's")],
        ),
        vector_task(
            "shared_shift",
            shifted,
            (8, 1, 33, 64),
            floor=[Counted("shared_load_requests", at_least=1, why="take the neighbour's value from `tile`")],
        ),
        vector_task("stencil", with_neighbours, (8, 1, 2, 100)),
        task(
            "dot(const float* x, const float* y, float* out, int n)",
            {"x": "n", "y": "n", "out": "1"},
            [Case(n=8), Case(n=1), Case(n=33), Case(n=64)],
            two_vectors,
            lambda x, y, n: {"out": (x * y).sum().reshape(1)},
        ),
        task(
            "atomic(const float* x, int* count, int n)",
            {"x": "n", "count": "1"},
            [Case(n=8), Case(n=1), Case(n=100)],
            lambda draw, variant, n: {"x": draw.integers(-5, 6, n, dtype="float32")},
            lambda x, n: {"count": (x > 0).sum().reshape(1)},
        ),
        vector_task(
            "vector_load",
            lambda x: 2 * x,
            (12, 4, 100, 128),
            floor=[
                Counted("global_load_requests", at_most=1, why=ONE_FLOAT4),
                Counted("global_store_requests", at_most=1, why="and it stores all four at once"),
            ],
        ),
        task(
            "print(const float* x, float* z, int n)",
            {"x": "n", "z": "n"},
            [Case(n=8), Case(n=40)],
            quarters,
            lambda x, n: {"z": x / 2},
            prints=lambda x, n: [f"thread 3 has {x[3]:.2f}"],
        ),
        vector_task("wrong_line", lambda x: x.flip(0), (8, 1, 33, 63)),
        vector_task(
            "whole_program",
            lambda x: x * x,
            (10, 1, 256, 257, 5000),
            floor=[Counted("active_lanes", at_least=0.75, why=WHOLE_WARPS)],
        ),
        task(
            "measure(const int* x, int* total, int* most, int n)",
            {"x": "n", "total": "1", "most": "1"},
            [Case(n=8), Case(n=1), Case(n=32)],
            lambda draw, variant, n: {"x": draw.integers(1, 40, n)},
            collatz,
        ),
    ],
)
