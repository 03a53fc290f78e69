"""The ladders of lesson 08: what each rung asks for."""

from grader.course.lesson import Case, Counted, Rung, Timed


def case(heads, n, d, causal=0, variant=None, multiprocessors=None):
    return Case(heads=heads, n=n, d=d, causal=causal, variant=variant, multiprocessors=multiprocessors)


CAUSAL = case(4, 256, 32, 1)

ATTENTION = [
    Rung("three_kernels", "three kernels through memory: scores, softmax, product"),
    Rung(
        "online",
        "one kernel without the scores in memory, a thread for each query",
        [
            Counted("stores_per_output_byte", at_most=1.01, why="nothing as large as n * n belongs into memory"),
            Counted(
                "busy_blocks",
                at_least=8,
                why="heads are few: the queries must be divided among blocks, too",
            ),
            Counted("busy_threads", at_least=512, why="a warp for each tile of queries, at least"),
            Timed("x_memory-efficient", at_least=0.1, why="one kernel without n * n floats does it"),
        ],
    ),
    Rung(
        "shared_tiles",
        "tiles of k and v in shared memory",
        [
            Counted(
                "global_load_efficiency",
                at_least=0.97,
                why="neighbouring threads must read neighbouring elements, of q, k and v",
            ),
            Counted(
                "loads_per_input_byte",
                at_most=6,
                why="a block with 32 queries reads all keys and values once for all of them",
            ),
            Timed("x_memory-efficient", at_least=0.4, why="the queries of a block share what they load"),
        ],
    ),
    Rung(
        "register_products",
        "both products as in lesson 04: a thread has 8 queries of a tile, in registers",
        [
            Counted("loads_per_input_byte", at_most=3.1, why="a block can serve 64 queries, or more"),
            Counted(
                "shared_load_wavefronts_per_output",
                at_most=8,
                why="a thread with 8 queries uses each key 8 times: keep its sums in registers",
            ),
            Counted(
                "global_store_efficiency",
                at_least=0.95,
                why="neighbouring threads must write neighbouring columns of out",
            ),
            Timed("x_memory-efficient", at_least=0.62, why="the sums of a thread belong into its registers"),
        ],
    ),
    Rung(
        "own_queries",
        "a warp has 32 queries of its own: no barrier between products and softmax",
        [
            Counted(
                "shared_load_wavefronts_per_output",
                at_most=4,
                why="a thread with 8 queries uses each key 8 times, and takes four floats at a time",
            ),
            Counted(
                "shared_bank_conflicts",
                at_most=0,
                why="lanes that want different words of one bank wait for each other",
            ),
            Counted(
                "barriers_per_block",
                at_most=12,
                why="a warp that has queries of its own waits for no other, but for the tiles of k and v",
            ),
            Timed("x_memory-efficient", at_least=0.92, why="no warp should wait for another one's softmax"),
        ],
    ),
    Rung(
        "asynchronous_copies",
        "the next tile of k is on its way while v is used, and the other way round",
        [
            Counted(
                "async_bytes_in_flight",
                at_least=1024,
                why="a warp that copies with cuda_pipeline.h can multiply meanwhile",
            ),
            Timed("x_memory-efficient", at_least=1.25, why="loads belong behind the multiplications"),
            Timed("x_math", at_least=2, why="that is the fused kernel, and the registers"),
        ],
    ),
    Rung(
        "causal_tiles",
        "tiles behind the diagonal are skipped, and the longest blocks begin",
        [
            Counted(
                "loads_per_input_byte",
                at_most=2.2,
                case=CAUSAL,
                why="causal: tiles of keys behind the last query count for nothing, and need not be loaded",
            ),
        ],
    ),
    Rung(
        "rare_rebase",
        "what is subtracted from the scores moves only when it must",
        [
            Counted(
                "exponentials_per_output",
                at_most=8.65,
                why="a maximum that is a little too small does no harm: let it stand, and nothing shrinks",
            )
        ],
    ),
]

ATTENTION_BACKWARD = [
    Rung("thread_a_row", "two kernels: a thread for each row of a gradient, which computes weights again"),
    Rung(
        "shared_tiles",
        "tiles in shared memory",
        [
            Counted(
                "global_load_efficiency",
                at_least=0.97,
                why="neighbouring threads must read neighbouring elements",
            ),
            Counted("stores_per_output_byte", at_most=1.05, why="nothing as large as n * n belongs into memory"),
            Counted("loads_per_input_byte", at_most=6, why="the rows of a block can share what they load"),
        ],
    ),
    Rung(
        "register_tiles",
        "seven products from registers: a warp has 32 keys, or 32 queries",
        [
            Counted(
                "shared_load_wavefronts_per_output",
                at_most=3,
                why="the sums of a thread belong into its registers, as in the forward pass",
            ),
            Counted("shared_bank_conflicts", at_most=0, why="as in the forward pass"),
            Timed("x_memory-efficient", at_least=0.45, why="that is what registers and float4 are for"),
        ],
    ),
    Rung(
        "one_kernel",
        "one kernel and five products: the gradients of queries are added to with atomics",
        [
            Counted(
                "loads_per_input_byte",
                at_most=3.2,
                why="one kernel that has keys can add to the gradients of the queries, too",
            ),
            Timed(
                "x_memory-efficient",
                at_least=0.88,
                why="two of seven products are computed twice: one kernel needs five",
            ),
        ],
    ),
    Rung(
        "asynchronous_copies",
        "the next tile is on its way while this one is used",
        [
            Counted(
                "async_bytes_in_flight",
                at_least=1024,
                why="a warp that copies the next tile with cuda_pipeline.h can multiply meanwhile",
            ),
            Timed("x_memory-efficient", at_least=1.06, why="copy the next tile behind the products"),
        ],
    ),
    Rung(
        "keys_by_size",
        "short texts: 16 keys a warp, so that there are twice as many warps",
        [
            Counted(
                "busy_threads",
                at_least=1024,
                why="with few heads and short texts, warps of 16 keys are twice as many",
            )
        ],
    ),
]
