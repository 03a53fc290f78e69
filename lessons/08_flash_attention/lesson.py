"""Lesson 08: attention, two matrix products and a softmax between them, in one kernel and without n x n memory."""

import functools
import math

from grader.course.lesson import Case, Counted, Lesson, Task, Timed, Tolerance

# ---- inputs ----


def make_inputs(draw, variant, heads, n, d, causal):
    q, k, v = (draw.normal(heads, n, d) for _ in range(3))
    match variant:
        case "growing":  # each key scores higher than the one before, so that the maximum is a new one at each step
            k += draw.uniform(0, 1, heads, n, 1).cumsum(1)
            q += 0.5
        case "falling":  # the first key is the largest: the others round to little, or to nothing
            k -= draw.uniform(0, 1, heads, n, 1).cumsum(1)
            q += 0.5
        case (
            "far below"
        ):  # scores of some thousands below 0: exp of all of them is 0, and one key has nearly all the weight
            q, k = 40 * q, -40 * k
        case "equal":  # the keys of a head are all the same: the output is the mean of v
            k = k[:, :1].expand(heads, n, d).contiguous()
        case _:
            draw.plant_outliers(q, scale=20.0)
            draw.plant_outliers(k, scale=20.0)
    return {"q": q, "k": k, "v": draw.plant_outliers(v)}


# ---- reference: one head after the other, in double precision ----


def softmax(q, k, causal):
    """Weights (n, n) and lse (n) of one head. Query i sees the keys 0 ... i if causal, all of them otherwise."""
    scores = q @ k.mT / math.sqrt(q.shape[1])
    if causal:
        scores.masked_fill_(scores.new_ones(scores.shape).triu_(1).bool(), -math.inf)
    lse = scores.logsumexp(1)
    return scores.sub_(lse[:, None]).exp_(), lse


def reference(q, k, v, heads, n, d, causal):
    out, lse = v.new_empty(heads, n, d), v.new_empty(heads, n)
    for head in range(heads):
        weights, lse[head] = softmax(q[head], k[head], causal)
        out[head] = weights @ v[head]
    return {"out": out, "lse": lse}


def magnitude(q, k, v, heads, n, d, causal):
    """What an error is relative to, of out (heads, n, d) and lse (heads, n).

    A score is a sum of terms, so it is off by a share of a = sum of |q| |k| / sqrt(d), and by as much of 1 in the
    exponential: its weight p by p (1 + a). d(out) = sum of dp (v - out), d(lse) = sum of p d(score).
    """
    out, lse = v.new_empty(heads, n, d), v.new_empty(heads, n)
    for head in range(heads):
        weights, total = softmax(q[head], k[head], causal)
        off = (1 + q[head].abs() @ k[head].abs().mT / math.sqrt(d)).mul_(weights)
        result = weights @ v[head]
        lse[head] = off.sum(1) + total.abs()
        out[head] = off @ v[head].abs() + off.sum(1, keepdim=True) * result.abs()
    return {"out": out, "lse": lse}


# ---- what people use ----


def torch_attention(backend):
    """scaled_dot_product_attention through one backend, named as in torch.nn.attention.SDPBackend. It gives no lse."""

    def run(q, k, v, out, lse, heads, n, d, causal):
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel(getattr(SDPBackend, backend)):
            q, k, v = (x.unsqueeze(0) for x in (q, k, v))
            result = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))
        out.copy_(result[0])

    return run


def _attention(q, k, v, causal):
    import torch

    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    return scores.softmax(-1) @ v


def compiled(q, k, v, out, lse, heads, n, d, causal):
    out.copy_(_compiled()(q, k, v, bool(causal)))


@functools.cache
def _compiled():
    import torch

    return torch.compile(_attention, dynamic=False)


# ---- the lesson ----


def case(heads, n, d, causal=0, variant=None):
    return Case(heads=heads, n=n, d=d, causal=causal, variant=variant)


CAUSAL = case(4, 256, 32, 1)

lesson = Lesson(
    title="Flash attention",
    summary="two products and a softmax, fused: what need not be in memory is not",
    tasks=[
        Task(
            prototype="void attention(const float* q, const float* k, const float* v, float* out, float* lse, "
            "int heads, int n, int d, int causal, cudaStream_t stream)",
            shapes={
                "q": "heads, n, d",
                "k": "heads, n, d",
                "v": "heads, n, d",
                "out": "heads, n, d",
                "lse": "heads, n",
            },
            cases=[
                case(1, 1, 32),
                case(3, 1, 64, 1),
                case(2, 31, 32),  # around a warp
                case(2, 33, 32, 1),
                case(1, 32, 128, 1),
                case(3, 63, 64, 1),  # around a tile of 64
                case(1, 65, 128),
                case(3, 101, 64),  # a prime
                case(1, 127, 128, 1),
                case(1, 257, 32, 1),  # several tiles
                case(1, 193, 64, 0, "growing"),
                case(1, 130, 64, 1, "growing"),
                case(1, 129, 32, 0, "falling"),
                case(1, 100, 64, 1, "far below"),
                case(2, 67, 32, 0, "equal"),
                case(17, 37, 32, 1),  # more heads than the emulated GPU has multiprocessors
                case(16, 35, 128),
                CAUSAL,
            ],
            # Several tiles of any usual shape, and as many of 64 queries as the emulated GPU has multiprocessors.
            counted_case=case(4, 256, 32),
            timed_case=case(4 * 32, 4096, 64),
            bench_cases=[
                *(case(4 * 32, n, 64) for n in (512, 1024, 2048)),
                case(2 * 32, 8192, 64),
                case(8, 16384, 64),
                case(4 * 32, 4096, 64, 1),  # causal: half the work
                case(4 * 32, 4096, 32),
                case(4 * 16, 4096, 128),
                case(4 * 32, 4001, 64),  # a prime
            ],
            make_inputs=make_inputs,
            reference=reference,
            tolerance=Tolerance(terms="n + d", magnitude=magnitude),
            baselines={
                "memory-efficient": torch_attention("EFFICIENT_ATTENTION"),
                "math": torch_attention("MATH"),
            },
            rivals={"torch.compile": compiled},
            flops="2 * heads * n * (n + causal) * d * (2 - causal)",
            specials="heads * n * (n + causal) // (1 + causal)",
            targets=[
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
                Counted("stores_per_output_byte", at_most=1.01, why="nothing as large as n * n belongs into memory"),
                Counted("busy_blocks", at_least=8, why="heads are few: the queries must be divided among blocks, too"),
                Counted("busy_threads", at_least=512, why="a warp for each tile of queries, at least"),
                Counted(
                    "loads_per_input_byte",
                    at_most=3.1,
                    stars=3,
                    why="a block can serve 64 queries, or more",
                ),
                Counted(
                    "loads_per_input_byte",
                    at_most=2.2,
                    stars=3,
                    case=CAUSAL,
                    why="causal: tiles of keys behind the last query count for nothing, and need not be loaded",
                ),
                Counted(
                    "shared_load_wavefronts_per_output",
                    at_most=4,
                    stars=3,
                    why="a thread with 8 queries uses each key 8 times, and takes four floats at a time",
                ),
                Counted(
                    "shared_bank_conflicts",
                    at_most=0,
                    stars=3,
                    why="lanes that want different words of one bank wait for each other",
                ),
                Counted(
                    "global_store_efficiency",
                    at_least=0.95,
                    stars=3,
                    why="a thread's columns in groups of four, one float4 each, fill the sectors",
                ),
                Timed("x_memory-efficient", at_least=0.1, stars=1, why="tiles in shared memory are enough for this"),
                Timed(
                    "x_memory-efficient", at_least=0.6, stars=2, why="the sums of a thread belong into its registers"
                ),
                Timed("x_memory-efficient", at_least=1.25, stars=3, why="faster than what everybody uses"),
                Timed("x_math", at_least=2, stars=3, why="that is the fused kernel, and the registers"),
            ],
        )
    ],
)
