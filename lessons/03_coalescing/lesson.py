"""Lesson 03: who reads which address. Sums along rows and down columns, and the transpose, which needs both at once."""

import functools

from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed, Tolerance

# ---- inputs, references, error model ----


def mean_for(terms):
    """Falls where many are added: beyond 2^24 times an element, a sum in one float stands still."""
    return min(0.5, 2**20 / terms)


def matrix(draw, variant, rows, cols):
    return {"x": draw.plant_outliers(draw.normal(rows, cols, mean=mean_for(cols)))}


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


# ---- what is counted ----

whole_sectors = Counted(
    "global_load_efficiency",
    at_least=0.97,
    why="memory sends 32 bytes at a time: neighbouring threads must read neighbouring elements",
)
read_once = Counted("loads_per_byte", at_most=1.01, why="each input is needed once")
enough_blocks = Counted(
    "busy_blocks", at_least=16, why="a multiprocessor without a block does nothing, and there are 16"
)
wide_loads = Counted(
    "sectors_per_load",
    at_least=12,
    at_most=16,
    why="16 bytes a thread in one load (float4) keep four times as many bytes on their way as 4",
)
no_conflicts = Counted(
    "shared_bank_conflicts",
    at_most=0,
    why="lanes that want different words of one bank wait for each other: pad the rows of the tile, or swizzle them",
)

lesson = Lesson(
    title="Coalescing",
    summary="who reads which address",
    next_step="`ladder start 04`: a tile that is used many times",
    tasks=[
        Task(
            prototype="void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream)",
            shapes={"x": "rows, cols", "out": "rows"},
            # Around a warp and a block both ways, primes, few long rows and many short ones; rows for a part of a warp.
            # The counted case fills the emulated GPU and is no multiple of a block's rows.
            cases=[
                Case(rows=rows, cols=cols)
                for rows, cols in (
                    (1, 1),
                    (31, 33),
                    (32, 32),
                    (33, 31),
                    (257, 3),
                    (255, 8),
                    (1009, 7),
                    (67, 19),
                    (43, 57),
                    (5, 1009),
                    (256, 100),
                    (2, 20_003),
                    (3, 16_384),
                    (2085, 128),
                )
            ],
            timed_case=Case(rows=1 << 18, cols=256),
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
            ladder=[
                Rung(
                    "one_thread",
                    "a thread for each row",
                    [
                        read_once,
                        Counted(
                            "busy_threads", at_least=2048, why="even the simplest division has a thread for each row"
                        ),
                    ],
                ),
                Rung(
                    "tile",
                    "lanes read along the row, through a tile of shared memory",
                    [
                        whole_sectors,
                        enough_blocks,
                        Timed("fraction_of_read", at_least=0.55, why="a sum reads bytes and does little else"),
                    ],
                ),
                Rung(
                    "padded_tile",
                    "a tile without bank conflicts",
                    [no_conflicts, Timed("fraction_of_read", at_least=0.72, why="lanes that take turns wait")],
                ),
                Rung(
                    "shuffles",
                    "a warp for each row, and shuffles in place of the tile",
                    [
                        Counted(
                            "threads_per_output",
                            at_least=8,
                            why="several lanes for each row have more bytes on their way, and need no tile",
                        )
                    ],
                ),
                Rung(
                    "wide_loads",
                    "16 bytes a load, and two loads at once",
                    [
                        wide_loads,
                        Timed("fraction_of_read", at_least=0.88, why="as fast as the memory can go"),
                        Timed("x_torch.sum", at_least=1.25, why="torch gives a row of 256 too many threads"),
                    ],
                ),
                Rung(
                    "any_address",
                    "16 bytes a load, wherever a row begins",
                    [
                        Counted(
                            "sectors_per_load",
                            at_least=10,
                            why="in a row that begins anywhere, vectors fit from the first multiple of 16 bytes on",
                            case=Case(rows=2, cols=20_003),
                        )
                    ],
                ),
                Rung(
                    "teams",
                    "several short rows for a warp",
                    [
                        Counted(
                            "threads_launched",
                            at_most=8192,
                            why="most lanes of a warp have no number of a row of 7: give it several rows",
                            case=Case(rows=1009, cols=7),
                        )
                    ],
                ),
                Rung(
                    "pieces",
                    "long rows in pieces, for the whole GPU",
                    [
                        Counted(
                            "busy_threads",
                            at_least=512,
                            why="three rows are work for three warps: cut long rows into pieces",
                            case=Case(rows=3, cols=16_384),
                        )
                    ],
                ),
            ],
            stars={2: "tile", 3: "wide_loads"},
            floor=[Timed("fraction_of_read", at_least=0.024, why="a tenth of what a thread for each row reaches")],
        ),
        Task(
            prototype=(
                "void column_sum(const float* x, float* out, int batch, int rows, int cols, cudaStream_t stream)"
            ),
            shapes={"x": "batch, rows, cols", "out": "batch, cols"},
            # As above, and batches: `out` has a row for each member. Two are large enough for a second round of as
            # many blocks as the GPU holds. The counted case has few columns, so that a thread for each of them leaves
            # most of the GPU idle.
            cases=[
                Case(batch=batch, rows=rows, cols=cols)
                for batch, rows, cols in (
                    (1, 1, 1),
                    (1, 31, 33),
                    (1, 32, 32),
                    (1, 33, 31),
                    (3, 3, 257),
                    (2, 255, 8),
                    (1, 7, 1009),
                    (1, 1009, 5),
                    (70, 2, 3),
                    (300, 2, 12),
                    (5, 40, 1),
                    (2, 20_003, 2),
                    (1, 4099, 4),
                    (1, 300, 132),
                    (2, 300, 67),
                    (17, 67, 132),
                    (32, 129, 33),
                    (1, 2000, 128),
                )
            ],
            timed_case=Case(batch=1, rows=1 << 18, cols=256),
            bench_cases=[
                Case(batch=batch, rows=rows, cols=cols)
                for batch, rows, cols in (
                    (1, 1024, 1024),
                    (1, 256, 1 << 18),
                    (1, 1 << 14, 4096),
                    (1, 1 << 20, 64),
                    (1024, 1024, 64),
                )
            ],
            make_inputs=matrices,
            reference=sums_of_columns,
            tolerance=Tolerance(c=4, terms="rows", magnitude=absolute_column_sums),
            baselines={"torch.sum": torch_column_sum},
            rivals={
                "ones @ x (cuBLAS)": column_product,
                "torch.compile": lambda x, out, batch, rows, cols: compiled("sum")(x, out),
            },
            flops="batch * rows * cols",
            ladder=[
                Rung("one_thread", "a thread for each column", [whole_sectors, read_once]),
                Rung(
                    "several_warps",
                    "several warps for each strip of columns",
                    [
                        Counted(
                            "threads_per_output",
                            at_least=8,
                            why="128 columns are few: several threads must share one, or the GPU stands idle",
                        ),
                        Counted("busy_blocks", at_least=4, why="a block runs on one multiprocessor, and there are 16"),
                        Timed("fraction_of_read", at_least=0.01, why="more threads have more bytes on their way"),
                    ],
                ),
                Rung(
                    "narrow_strips",
                    "narrow strips of columns: more blocks, more threads for each column",
                    [
                        Counted(
                            "busy_blocks",
                            at_least=16,
                            why="where columns are few, a block must take fewer, or multiprocessors have no block",
                        ),
                        no_conflicts,
                        Timed("fraction_of_read", at_least=0.04, why="every multiprocessor must have some columns"),
                    ],
                ),
                Rung(
                    "shared_rows",
                    "blocks that share the rows, and a second launch for their sums",
                    [
                        Counted(
                            "threads_per_output",
                            at_least=64,
                            why="2000 rows are many: several blocks can share those of a strip",
                        ),
                        Timed("fraction_of_read", at_least=0.3, why="blocks that share the rows keep the GPU busy"),
                    ],
                ),
                Rung(
                    "wide_loads",
                    "16 bytes a load",
                    [wide_loads, Timed("fraction_of_read", at_least=0.65, why="a load should bring as much as it can")],
                ),
                Rung(
                    "loads_ahead",
                    "several loads on their way at once",
                    [
                        Timed("fraction_of_read", at_least=0.805, why="ask for several rows before you add the first"),
                        Timed("x_torch.sum", at_least=1.95, why="torch has too few threads at work on 256 columns"),
                    ],
                ),
                Rung(
                    "teams",
                    "as many threads for a matrix as it is large",
                    [
                        Counted(
                            "global_load_efficiency",
                            at_least=0.97,
                            why="where a row is short, let a warp read several rows at once",
                            case=Case(batch=1, rows=4099, cols=4),
                        ),
                        Counted(
                            "blocks_launched",
                            at_most=30,
                            why="a matrix of 2 x 12 is little for a block: let it take several of the batch",
                            case=Case(batch=300, rows=2, cols=12),
                        ),
                    ],
                ),
                Rung(
                    "quick_end",
                    "a second launch that ends soon, or none",
                    [
                        Counted(
                            "launches",
                            at_most=1,
                            why="a small matrix needs no second launch if narrow strips make work enough",
                            case=Case(batch=1, rows=300, cols=132),
                        )
                    ],
                ),
            ],
            stars={2: "several_warps", 3: "loads_ahead"},
            floor=[Timed("fraction_of_read", at_least=0.0004, why="a tenth of what a thread for each column reaches")],
        ),
        Task(
            prototype="void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream)",
            shapes={"x": "rows, cols", "out": "cols, rows"},
            # Around a tile both ways, primes, far from square. The counted case is a multiple of 32 and not of 64.
            cases=[
                Case(rows=rows, cols=cols)
                for rows, cols in (
                    (1, 1),
                    (1, 33),
                    (31, 1),
                    (32, 32),
                    (33, 31),
                    (63, 65),
                    (65, 63),
                    (64, 64),
                    (128, 68),
                    (64, 101),
                    (257, 3),
                    (4, 300),
                    (100, 36),
                    (101, 211),
                    (60, 101),
                    (101, 60),
                    (3, 1009),
                    (288, 416),
                )
            ],
            timed_case=Case(rows=1 << 14, cols=1 << 14),
            bench_cases=[
                Case(rows=rows, cols=cols)
                for rows, cols in ((1024, 1024), (4096, 4096), (16_383, 16_383), (10_000, 20_000), (1 << 20, 64))
            ],
            make_inputs=matrix,
            reference=turned,
            tolerance=Tolerance(c=0),
            baselines={"copy_(x.t())": torch_transpose},
            rivals={"torch.compile": lambda x, out, rows, cols: compiled("transpose")(x, out)},
            ladder=[
                Rung("one_thread", "a thread for each element", [whole_sectors, read_once, enough_blocks]),
                Rung(
                    "tile",
                    "turn the corner in shared memory",
                    [
                        Counted(
                            "global_store_efficiency",
                            at_least=0.97,
                            why="neighbouring threads must write neighbours, too: turn the corner in shared memory",
                        ),
                        Timed("fraction_of_copy", at_least=0.25, why="a transpose moves bytes, as a copy does"),
                    ],
                ),
                Rung(
                    "padded_tile",
                    "a tile without bank conflicts",
                    [no_conflicts, Timed("fraction_of_copy", at_least=0.57, why="lanes that take turns wait")],
                ),
                Rung(
                    "vectors",
                    "16 bytes a load and a store",
                    [wide_loads, Timed("fraction_of_copy", at_least=0.81, why="a load should bring as much as it can")],
                ),
                Rung(
                    "turned_squares",
                    "4 x 4 numbers turned in registers, and a swizzled tile",
                    [
                        Counted(
                            "shared_load_requests",
                            at_most=2000,
                            why="a tile can be read by vectors, too, if a thread turns 4 x 4 numbers in its registers",
                        ),
                        Timed("fraction_of_copy", at_least=0.9, why="shared memory takes time, too: ask it less often"),
                    ],
                ),
                Rung(
                    "down_the_columns",
                    "blocks in the order in which out lies",
                    [
                        Timed("fraction_of_copy", at_least=0.96, why="neighbouring blocks should write to one place"),
                        Timed("x_copy_(x.t())", at_least=3.4, why="torch moves element by element"),
                    ],
                ),
                Rung(
                    "thin_matrices",
                    "no tile for a few long rows or columns",
                    [
                        Counted(
                            "global_store_efficiency",
                            at_least=0.97,
                            why="three rows fill no tile: let a warp walk along the side whose rows are short",
                            case=Case(rows=3, cols=1009),
                        )
                    ],
                ),
            ],
            stars={2: "tile", 3: "down_the_columns"},
            floor=[Timed("fraction_of_copy", at_least=0.012, why="a tenth of what a thread for each element reaches")],
        ),
    ],
)
