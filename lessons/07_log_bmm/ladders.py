"""The ladders of lesson 07: what each rung asks for."""

from grader.course.lesson import Case, Counted, Rung, Timed


def case(batch, n, m, p, variant=None):
    return Case(batch=batch, n=n, m=m, p=p, variant=variant)


FEW = case(1, 5, 257, 3)  # one of CASES

busy = [
    Counted("busy_blocks", at_least=8, why="a multiprocessor without a block does nothing"),
    Counted("busy_threads", at_least=2048, why="a thread that waits hides nothing: others must have something to do"),
]

loads = Counted(
    "global_load_efficiency", at_least=0.97, why="neighbouring threads must read neighbouring elements, of all inputs"
)

several = Counted(
    "threads_per_output", at_most=0.25, why="a thread can keep the sums of several outputs in its registers"
)

top = [
    Counted("global_store_efficiency", at_least=0.97, why="a thread's outputs in groups of four fill sectors"),
    Counted(
        "shared_bank_conflicts",
        at_most=0,
        why="lanes that want different words of one bank wait for each other",
    ),
]

FACTORS = "exp(a + b) is exp(a) * exp(b): an exponential for each input will do"

BUFFERS = "with two buffers for each panel, one barrier a panel is enough"

LOG_BMM = [
    Rung("two_passes", "a thread for each output, in two passes", busy),
    Rung(
        "online",
        "one pass",
        # Not timed: the reads that it saves came from the caches, and on an H200 it is slower than rung 1.
        [Counted("loads_per_input_byte", at_most=140, why="the maximum and the sum can be had in one pass")],
    ),
    Rung(
        "shared_tiles",
        "tiles in shared memory",
        [
            loads,
            Counted(
                "loads_per_input_byte",
                at_most=5,
                why="with tiles of 32 x 32, each element is loaded once for 32 outputs",
            ),
            Timed("x_broadcast", at_least=11.5, why="what neighbours load need not be loaded again"),
        ],
    ),
    Rung(
        "register_tiles",
        "4 x 4 outputs a thread, in registers",
        [several, Timed("x_broadcast", at_least=17, why="the sums of a thread belong into its registers")],
    ),
    Rung(
        "factored",
        "an exponential for each input, and a guard",
        [
            Counted("exponentials_per_output", at_most=8, why=FACTORS),
            Timed("x_broadcast", at_least=30, why="an exponential for each input, not for each term"),
        ],
    ),
    Rung(
        "wide_tiles",
        "8 x 8 outputs a thread, and 16 bytes a load",
        [
            Counted("loads_per_input_byte", at_most=2.5, why="a block can serve 128 x 128 outputs"),
            Counted(
                "shared_load_wavefronts_per_output",
                at_most=0.3,
                why="a thread that computes 8 x 8 outputs uses each float 8 times, and takes four at once",
            ),
            *top,
            Timed("x_broadcast", at_least=80, why="a product of matrices wants wide tiles"),
        ],
    ),
    Rung(
        "moving_shifts",
        "shifts that follow the maxima: no first pass",
        [
            Counted("loads_per_input_byte", at_most=1.5, why="a shift can follow the maximum as it grows"),
            Timed("x_broadcast", at_least=110, why="a first pass that finds the maxima is not needed"),
        ],
    ),
    Rung(
        "pipeline",
        "the next panel comes while this one is multiplied",
        [
            Counted("barriers_per_block", at_most=5, why=BUFFERS),
            Timed("x_broadcast", at_least=135, why="loads and exponentials hide behind multiplications"),
            Timed("x_shifted matmul", at_least=1.3, why="one kernel instead of seven, and always right"),
            Timed("x_bmm", at_least=0.7, why="the exponentials hide behind the multiplications"),
        ],
    ),
    Rung(
        "split_sum",
        "few outputs: blocks share the sum",
        # Not timed: the timed case has outputs for every multiprocessor.
        [
            Counted(
                "busy_blocks",
                at_least=4,
                case=FEW,
                why="where there are few outputs and many terms, blocks can share a sum",
            ),
        ],
    ),
]

LOG_BMM_BACKWARD = [
    Rung("one_thread", "a thread for each gradient", busy),
    Rung(
        "one_warp",
        "a warp for each gradient of a, whose lanes read neighbours",
        [
            Counted(
                "global_load_efficiency",
                at_least=0.6,
                why="a sum along rows is for lanes that read along these rows",
            ),
            Timed("x_broadcast", at_least=4, why="lanes that read neighbours wait for fewer sectors"),
        ],
    ),
    Rung(
        "shared_tiles",
        "tiles in shared memory",
        [
            loads,
            Counted(
                "loads_per_input_byte",
                at_most=4,
                why="with tiles of 32 x 32, each element is loaded once for 32 outputs, in both products",
            ),
            Timed("x_broadcast", at_least=6.8, why="what neighbours load need not be loaded again"),
        ],
    ),
    Rung(
        "register_tiles",
        "4 x 4 outputs a thread, in registers",
        [several, Timed("x_broadcast", at_least=10, why="the sums of a thread belong into its registers")],
    ),
    Rung(
        "factored",
        "an exponential for each input, in wide tiles with moving shifts and a guard",
        [
            Counted("exponentials_per_output", at_most=40, why=FACTORS),
            Counted(
                "shared_load_wavefronts_per_output",
                at_most=4,
                why="a thread that computes 8 x 8 outputs uses each float 8 times, and takes four at once",
            ),
            *top,
            Timed("x_broadcast", at_least=50, why="an exponential for each input, not for each term"),
        ],
    ),
    Rung(
        "pipeline",
        "the next panel comes while this one is multiplied",
        [
            Counted("barriers_per_block", at_most=25, why=BUFFERS),
            Timed("x_broadcast", at_least=76, why="loads and exponentials hide behind multiplications"),
        ],
    ),
    Rung(
        "one_launch",
        "both gradients in one launch, and small tiles for small matrices",
        # Not timed: at the timed case each gradient fills the GPU by itself.
        [Counted("launches", at_most=1, why="blocks of one launch can compute either gradient")],
    ),
]
