"""Lesson 03: who reads which address. Sums along rows and down columns, and the transpose, which needs both at once."""

import functools

from grader.course.lesson import Case, Lesson, Task, Timed, Tolerance

from .ladders import COLUMN_SUM, ROW_SUM, TRANSPOSE

# ---- sizes: the last is the counted case ----

# Around a warp and a block both ways, primes, few long rows and many short ones; rows for a part of a warp, and shorter
# than what may lie before a multiple of 16 bytes. The counted case fills the emulated GPU and is no multiple of a
# block's rows.
ROWS = ((1, 1), (31, 33), (32, 32), (33, 31), (130, 1), (257, 3), (255, 8), (1009, 7), (67, 19), (43, 57), (5, 1009),
        (256, 100), (2, 20_003), (3, 16_384), (2085, 128))  # fmt: skip

# As above, and batches: `out` has a row for each member. Two are large enough for a second round of as many blocks as
# the GPU holds. The counted case has few columns, so that a thread for each of them leaves most of the GPU idle.
BATCHES = ((1, 1, 1), (1, 31, 33), (1, 32, 32), (1, 33, 31), (3, 5, 64), (3, 3, 257), (2, 255, 8), (1, 7, 1009),
           (1, 1009, 5), (70, 2, 3), (300, 2, 12), (5, 40, 1), (2, 20_003, 2), (1, 4099, 4), (1, 300, 132),
           (2, 300, 67), (17, 67, 132), (32, 129, 33), (1, 2000, 128))  # fmt: skip
SWEPT_BATCHES = ((1, 1024, 1024), (1, 256, 1 << 18), (1, 1 << 14, 4096), (1, 1 << 20, 64), (1024, 1024, 64))

# Around a tile both ways, primes, far from square. The counted case is a multiple of 32 and not of 64.
TURNED = ((1, 1), (1, 33), (31, 1), (32, 32), (33, 31), (63, 65), (65, 63), (64, 64), (128, 68), (64, 101), (257, 3),
          (4, 300), (100, 36), (101, 211), (60, 101), (101, 60), (3, 1009), (288, 416))  # fmt: skip

# ---- inputs, references, error model ----


def mean_for(terms):
    """Falls where many are added: beyond 2^24 times an element, a sum in one float stands still."""
    return min(0.5, 2**20 / terms)


def matrix(draw, variant, rows, cols):
    return {"x": draw.plant_outliers(draw.normal(rows, cols, mean=mean_for(cols)))}


def matrix_to_turn(draw, variant, rows, cols):
    """A transpose computes nothing: a number of any size, an infinity or NaN only moves."""
    x = draw.plant_outliers(draw.normal(rows, cols))
    if rows * cols > 4000:  # what is wrong in general shows in a smaller case, without them
        draw.plant_extremes(x)
    return {"x": x}


def matrices(draw, variant, batch, rows, cols):
    return {"x": draw.plant_outliers(draw.normal(batch, rows, cols, mean=mean_for(rows)))}


def sums_of_rows(x, rows, cols):
    return {"out": x.sum(1)}


def sums_of_columns(x, batch, rows, cols):
    return {"out": x.sum(1)}


def absolute_row_sums(x, rows, cols):
    return {"out": x.abs().sum(1)}


def absolute_column_sums(x, batch, rows, cols):
    return {"out": x.abs().sum(1)}


def turned(x, rows, cols):
    return {"out": x.t()}


# ---- what people use today ----


def torch_row_sum(x, out, rows, cols):
    import torch

    torch.sum(x, 1, out=out)


def torch_column_sum(x, out, batch, rows, cols):
    import torch

    torch.sum(x, 1, out=out)


def torch_transpose(x, out, rows, cols):
    out.copy_(x.t())


@functools.lru_cache(2)
def ones(n, device):
    import torch

    return torch.ones(n, device=device)


def row_product(x, out, rows, cols):
    """A sum is a product with ones, and cuBLAS has kernels for products."""
    import torch

    torch.mv(x, ones(cols, x.device), out=out)


def column_product(x, out, batch, rows, cols):
    import torch

    torch.matmul(ones(rows, x.device), x, out=out)


@functools.cache
def compiled(name):
    import torch

    functions = {"sum": lambda x, out: out.copy_(x.sum(1)), "transpose": lambda x, out: out.copy_(x.t())}
    return torch.compile(functions[name], dynamic=False)


# ---- the lesson ----


lesson = Lesson(
    title="Coalescing",
    summary="who reads which address",
    next_step="`ladder start 04`: a tile that is used many times",
    tasks=[
        Task(
            prototype="void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream)",
            shapes={"x": "rows, cols", "out": "rows"},
            cases=[Case(rows=rows, cols=cols) for rows, cols in ROWS],
            drawn={"rows": range(2, 130), "cols": range(2, 130)},
            timed_case=Case(rows=1 << 18, cols=256),
            wide_case=Case(rows=20_011, cols=33),
            bench_cases=[
                Case(rows=rows, cols=cols)
                for rows, cols in ((1024, 1024), (1, 1 << 26), (256, 1 << 18), (1 << 14, 4096), (1 << 20, 64))
            ],
            make_inputs=matrix,
            reference=sums_of_rows,
            tolerance=Tolerance(c=4, terms="cols", magnitude=absolute_row_sums),
            baselines={"torch.sum": torch_row_sum},
            rivals={
                "x @ ones (cuBLAS)": row_product,
                "torch.compile": lambda x, out, rows, cols: compiled("sum")(x, out),
            },
            flops="rows * cols",
            ladder=ROW_SUM,
            stars={2: "tile", 3: "wide_loads"},
            floor=[Timed("fraction_of_read", at_least=0.024, why="a tenth of what a thread for each row reaches")],
        ),
        Task(
            prototype=(
                "void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream)"
            ),
            shapes={"x": "batch, rows, cols", "out": "batch, cols"},
            cases=[Case(batch=batch, rows=rows, cols=cols) for batch, rows, cols in BATCHES],
            drawn={"batch": range(1, 4), "rows": range(2, 100), "cols": range(2, 100)},
            timed_case=Case(batch=1, rows=1 << 18, cols=256),
            bench_cases=[Case(batch=batch, rows=rows, cols=cols) for batch, rows, cols in SWEPT_BATCHES],
            make_inputs=matrices,
            reference=sums_of_columns,
            tolerance=Tolerance(c=4, terms="rows", magnitude=absolute_column_sums),
            baselines={"torch.sum": torch_column_sum},
            rivals={
                "ones @ x (cuBLAS)": column_product,
                "torch.compile": lambda x, out, batch, rows, cols: compiled("sum")(x, out),
            },
            flops="batch * rows * cols",
            ladder=COLUMN_SUM,
            stars={2: "several_warps", 3: "loads_ahead"},
            floor=[Timed("fraction_of_read", at_least=0.0004, why="a tenth of what a thread for each column reaches")],
        ),
        Task(
            prototype="void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream)",
            shapes={"x": "rows, cols", "out": "cols, rows"},
            cases=[Case(rows=rows, cols=cols) for rows, cols in TURNED],
            drawn={"rows": range(2, 130), "cols": range(2, 130)},
            timed_case=Case(rows=1 << 14, cols=1 << 14),
            wide_case=Case(rows=1500, cols=1510),
            bench_cases=[
                Case(rows=rows, cols=cols)
                for rows, cols in ((1024, 1024), (4096, 4096), (16_383, 16_383), (10_000, 20_000), (1 << 20, 64))
            ],
            make_inputs=matrix_to_turn,
            reference=turned,
            tolerance=Tolerance(c=0),
            baselines={"copy_(x.t())": torch_transpose},
            rivals={"torch.compile": lambda x, out, rows, cols: compiled("transpose")(x, out)},
            ladder=TRANSPOSE,
            stars={2: "tile", 3: "down_the_columns"},
            floor=[Timed("fraction_of_copy", at_least=0.012, why="a tenth of what a thread for each element reaches")],
        ),
    ],
)
