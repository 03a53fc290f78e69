"""Lesson 04: a matrix product does much with little data, if every float that was loaded is used more than once."""

from grader.course.lesson import Case, Counted, Lesson, Rung, Task, Timed, Tolerance


def make_inputs(draw, variant, m, n, k):
    return {"a": draw.plant_outliers(draw.normal(m, k)), "b": draw.plant_outliers(draw.normal(k, n))}


def reference(a, b, m, n, k):
    return {"c": a @ b}


def magnitude(a, b, m, n, k):
    """The sum of |terms| of each element, (m, n): rounding errors of a sum are a share of it, not of the result."""
    return {"c": a.abs() @ b.abs()}


def product(a, b, c, tf32):
    """torch.matmul through cuBLAS, with all 23 bits of a float's fraction or with the 10 that TF32 keeps."""
    import torch

    settings = torch.backends.cuda.matmul
    before, settings.allow_tf32 = settings.allow_tf32, tf32
    torch.matmul(a, b, out=c)
    settings.allow_tf32 = before


def cublas(a, b, c, m, n, k):
    product(a, b, c, tf32=False)


def cublas_tf32(a, b, c, m, n, k):
    product(a, b, c, tf32=True)


def case(m, n, k):
    return Case(m=m, n=n, k=k)


lesson = Lesson(
    title="Tiled matrix product",
    summary="use what you loaded again",
    next_step="`ladder start 05`: many threads, one address",
    tasks=[
        Task(
            prototype="void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream)",
            shapes={"a": "m, k", "b": "k, n", "c": "m, n"},
            cases=[
                case(1, 1, 1),
                case(31, 33, 32),  # around a warp, and around a tile of 32
                case(33, 32, 31),
                case(1, 257, 100),  # a single row, a single column, a single term
                case(257, 1, 100),
                case(65, 63, 1),
                case(3, 5, 1009),
                case(37, 101, 53),  # primes
                case(127, 129, 15),  # around a tile of 128
                case(129, 128, 17),
                case(128, 255, 16),  # one column less than tiles, and whole steps: a guard too few reads past b
                case(132, 260, 36),  # multiples of 4, so that float4 loads are possible, and of no tile
                case(20, 132, 516),  # the same, with a long sum for few outputs
                case(20, 516, 100),  # and the other way round: many outputs, and a sum that is not worth a division
                # Just enough for 16 multiprocessors to be given large tiles by kernels that choose them by size: more
                # than 48 tiles of 64 x 128, and at most 32 of 128 x 128, or 16 of 128 x 256.
                case(641, 516, 8),
                case(389, 773, 7),
            ],
            # Whole tiles of any usual shape, so that a kernel's count is that of its tile, and as many of 128 x 256 as
            # the emulated GPU has multiprocessors.
            counted_case=case(512, 1024, 32),
            drawn={"m": range(2, 100), "n": range(2, 100), "k": range(2, 60)},
            timed_case=case(4096, 4096, 4096),
            wide_case=case(1500, 1510, 33),
            bench_cases=[
                *(case(size, size, size) for size in (1024, 2048, 8192)),
                case(4000, 4100, 4200),  # multiples of 4, and of no tile
                case(4095, 4097, 4099),  # rows that begin anywhere
                case(16384, 128, 4096),  # thin
                case(256, 256, 65536),  # a long sum
            ],
            make_inputs=make_inputs,
            reference=reference,
            tolerance=Tolerance(terms="k", magnitude=magnitude),
            baselines={"cuBLAS": cublas},
            rivals={"cuBLAS, TF32": cublas_tf32},
            flops="2 * m * n * k",
            # On an H200 the rungs reach 2, 10, 16, 45, 62, 72, 73, 84, 95, 94, 98, 99 and 99.5 % of cuBLAS: what
            # rung 10 saves pays on rung 11, and rungs 12 and 13 are for other sizes than this one.
            ladder=[
                Rung(
                    "down_the_rows",
                    "a thread for each element of c",
                    [
                        Counted(
                            "busy_blocks",
                            at_least=16,
                            why="a multiprocessor without a block does nothing, and there are 16",
                        ),
                        Counted(
                            "busy_threads",
                            at_least=2048,
                            why="a thread that waits hides nothing: others must have something to do",
                        ),
                    ],
                ),
                Rung(
                    "along_the_rows",
                    "neighbouring threads along the rows of c",
                    [
                        Counted(
                            "global_load_efficiency",
                            at_least=0.5,
                            why="neighbouring threads must read neighbouring elements of b",
                        ),
                        Timed(
                            "x_cuBLAS",
                            at_least=0.05,
                            why="who counts along the rows, and who down the columns, is worth five times",
                        ),
                    ],
                ),
                Rung(
                    "shared_tile",
                    "tiles of a and b in shared memory",
                    [
                        Counted(
                            "global_load_efficiency",
                            at_least=0.97,
                            why="neighbouring threads must read neighbouring elements, of a and of b",
                        ),
                        Counted(
                            "loads_per_input_byte",
                            at_most=22,
                            why="with tiles of 32 x 32, each element is loaded once for 32 outputs",
                        ),
                        Timed("x_cuBLAS", at_least=0.13, why="a tile in shared memory is enough for this"),
                    ],
                ),
                Rung(
                    "register_tile",
                    "8 x 8 outputs a thread, in registers",
                    [
                        Counted(
                            "loads_per_input_byte",
                            at_most=11,
                            why="a block of threads can serve 64 x 64 outputs, or more",
                        ),
                        Counted(
                            "shared_load_wavefronts_per_output",
                            at_most=1.0,
                            why="a thread with 8 x 8 outputs uses each float 8 times",
                        ),
                        Timed("x_cuBLAS", at_least=0.30, why="the sums of a thread belong into its registers"),
                    ],
                ),
                Rung(
                    "wide_loads",
                    "16 bytes a load, from device memory and from shared memory",
                    [
                        Counted(
                            "shared_load_wavefronts_per_output",
                            at_most=0.5,
                            why="the eight floats of b that a thread needs are two float4",
                        ),
                        Counted(
                            "global_store_efficiency",
                            at_least=0.97,
                            why="a thread's outputs in groups of four, one float4 each, fill the sectors",
                        ),
                        Timed("x_cuBLAS", at_least=0.54, why="a load of four floats is one instruction, and not four"),
                    ],
                ),
                Rung(
                    "transposed_a",
                    "a tile of a that lies as it is read",
                    [
                        Counted(
                            "shared_load_wavefronts_per_output",
                            at_most=0.25,
                            why="if the tile of a is transposed, a thread's eight floats of it are two float4, too",
                        ),
                        Timed("x_cuBLAS", at_least=0.67, why="two loads of a for 64 multiplications, and not eight"),
                    ],
                ),
                Rung(
                    "padding",
                    "rows that are four floats longer than the tile",
                    [
                        Counted(
                            "shared_bank_conflicts",
                            at_most=0,
                            why="lanes that want different words of one bank wait for each other",
                        ),
                    ],
                ),
                Rung(
                    "two_buffers",
                    "load the next tile while this one is used",
                    [
                        Counted("barriers_per_block", at_most=5, why="with two buffers one barrier a step is enough"),
                        Timed("x_cuBLAS", at_least=0.78, why="loads that are on their way while the others multiply"),
                    ],
                ),
                Rung(
                    "warp_tile",
                    "a tile for each warp, lanes 4 x 8",
                    [
                        Counted(
                            "shared_load_wavefronts_per_output",
                            at_most=0.15,
                            why="lanes that want the same float4 are served at once",
                        ),
                        Timed("x_cuBLAS", at_least=0.9, why="shared memory serves it in fewer wavefronts"),
                    ],
                ),
                Rung(
                    "larger_tile",
                    "8 x 16 outputs a thread",
                    [
                        Counted(
                            "shared_load_wavefronts_per_output",
                            at_most=0.11,
                            why="six loads for 128 multiplications, where 8 x 8 outputs take eight",
                        ),
                        Counted(
                            "loads_per_input_byte", at_most=4.5, why="with tiles of 128 x 256 there is less to load"
                        ),
                    ],
                ),
                Rung(
                    "registers_ahead",
                    "read the next factors while these are multiplied",
                    [Timed("x_cuBLAS", at_least=0.97, why="no multiplication waits for shared memory")],
                ),
                Rung(
                    "tile_by_size",
                    "a tile that suits the size",
                    [
                        Counted(
                            "busy_blocks",
                            at_least=8,
                            why="smaller tiles, where large ones leave multiprocessors without work",
                            case=case(132, 260, 36),
                        ),
                    ],
                ),
                Rung(
                    "split_k",
                    "several blocks for one long sum",
                    [
                        Counted(
                            "busy_blocks",
                            at_least=8,
                            why="where tiles are few and k is long, blocks can share a tile's sum",
                            case=case(3, 5, 1009),
                        ),
                    ],
                ),
            ],
            stars={2: "shared_tile", 3: "padding"},
            floor=[Timed("x_cuBLAS", at_least=0.002, why="a tenth of what a thread for each element reaches")],
        )
    ],
)
