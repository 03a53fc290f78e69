"""The ladders of lesson 03: what each rung asks for."""

from grader.course.lesson import Case, Counted, Rung, Timed

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

ROW_SUM = [
    Rung(
        "one_thread",
        "a thread for each row",
        [
            read_once,
            Counted("busy_threads", at_least=2048, why="even the simplest division has a thread for each row"),
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
]

COLUMN_SUM = [
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
]

TRANSPOSE = [
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
]
