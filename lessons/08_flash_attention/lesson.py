"""Lesson 08: attention, two matrix products and a softmax between them, in one kernel and without n x n memory."""

import functools
import math

from grader.course.lesson import Lesson, Task, Timed, Tolerance

from .ladders import ATTENTION, ATTENTION_BACKWARD, CAUSAL, case

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


def backward_inputs(draw, variant, heads, n, d, causal):
    inputs = make_inputs(draw, variant, heads, n, d, causal)
    q, k, v = (inputs[name].double() for name in "qkv")
    results = reference(q, k, v, heads, n, d, causal)
    grad_out = draw.plant_outliers(draw.normal(heads, n, d))
    return inputs | {name: result.float() for name, result in results.items()} | {"grad_out": grad_out}


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


def shares(q, k, v, out, lse, grad_out, causal):
    """Of one head, all (n, n): the weights, d(loss) / d(score), and what the errors of the two are relative to.

    A weight exp(score - lse) is off as `magnitude` has it; one below 2^-100 may be 0.
    """
    scale = 1 / math.sqrt(q.shape[1])
    scores = q @ k.mT * scale
    if causal:
        scores.masked_fill_(scores.new_ones(scores.shape).triu_(1).bool(), -math.inf)
    weights = scores.sub_(lse[:, None]).exp_()
    off = (1 + lse.abs()[:, None] + q.abs() @ k.abs().mT * scale).mul_(weights) + 2.0**-100
    rest = grad_out @ v.mT - (grad_out * out).sum(1, keepdim=True)
    size = grad_out.abs() @ v.abs().mT + (grad_out * out).abs().sum(1, keepdim=True)
    return weights, weights * rest * scale, off, (off * rest.abs() + weights * size + 2.0**-100) * scale


def backward_reference(q, k, v, out, lse, grad_out, heads, n, d, causal):
    """Dao et al., "FlashAttention", 2022, appendix B.2: d(score) = weight * (grad_out . v - grad_out . out)."""
    grad_q, grad_k, grad_v = (q.new_empty(q.shape) for _ in range(3))
    for head in range(heads):
        weights, of_scores, _, _ = shares(q[head], k[head], v[head], out[head], lse[head], grad_out[head], causal)
        grad_q[head] = of_scores @ k[head]
        grad_k[head] = of_scores.mT @ q[head]
        grad_v[head] = weights.mT @ grad_out[head]
    return {"grad_q": grad_q, "grad_k": grad_k, "grad_v": grad_v}


def backward_magnitude(q, k, v, out, lse, grad_out, heads, n, d, causal):
    grad_q, grad_k, grad_v = (q.new_empty(q.shape) for _ in range(3))
    for head in range(heads):
        _, _, off, of_scores = shares(q[head], k[head], v[head], out[head], lse[head], grad_out[head], causal)
        grad_q[head] = of_scores @ k[head].abs()
        grad_k[head] = of_scores.mT @ q[head].abs()
        grad_v[head] = off.mT @ grad_out[head].abs()
    return {"grad_q": grad_q, "grad_k": grad_k, "grad_v": grad_v}


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


def torch_backward(q, k, v, out, lse, grad_out, grad_q, grad_k, grad_v, heads, n, d, causal):
    """The backward pass of SDPBackend.EFFICIENT_ATTENTION alone, as autograd calls it: from out and lse."""
    import torch

    q, k, v, out, grad_out = (x.unsqueeze(0) for x in (q, k, v, out, grad_out))
    rows = lse.new_full((1, heads, -(-n // 32) * 32), math.inf)  # it wants them in whole 32s
    rows[0, :, :n] = lse
    state = torch.zeros((), dtype=torch.int64, device="cuda")  # of the random numbers that dropout would need
    gradients = torch.ops.aten._scaled_dot_product_efficient_attention_backward(
        grad_out, q, k, v, None, out, rows, state, state, 0.0, [True, True, True, False], bool(causal)
    )
    for to, gradient in zip((grad_q, grad_k, grad_v), gradients, strict=False):
        to.copy_(gradient[0])


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


TIMED = case(4 * 32, 4096, 64)

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
                case(5, 70, 32, 1, multiprocessors=4),  # more heads than those; warps that need the first tile alone
                case(4, 35, 128, multiprocessors=4),
                CAUSAL,
            ],
            # Several tiles of any usual shape, and as many of 64 queries as the emulated GPU has multiprocessors.
            counted_case=case(4, 256, 32),
            drawn={"heads": range(1, 4), "n": range(2, 70), "d": (32, 64), "causal": (0, 1)},
            timed_case=TIMED,
            wide_case=case(1100, 33, 32),
            bench_cases=[
                *(case(16, n, 64) for n in (512, 1024, 2048, 4096, 8192)),
                case(4 * 32, 4096, 64, 1),  # causal: half the work
                case(16, 4096, 32),
                case(16, 4096, 128),
                case(16, 4096, 128, 1),
                case(16, 4001, 64),  # a prime
                case(16, 16384, 64),  # last, as n * n floats take so long to write that who does so sits out the rest
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
            ladder=ATTENTION,
            stars={2: "shared_tiles", 3: "rare_rebase"},
            floor=[
                Timed("x_memory-efficient", at_least=0.002, why="a tenth of what three kernels through memory reach")
            ],
        ),
        Task(
            bonus=True,
            prototype="void attention_backward(const float* q, const float* k, const float* v, const float* out, "
            "const float* lse, const float* grad_out, float* grad_q, float* grad_k, float* grad_v, int heads, int n, "
            "int d, int causal, cudaStream_t stream)",
            shapes={name: "heads, n, d" for name in ("q", "k", "v", "out", "grad_out", "grad_q", "grad_k", "grad_v")}
            | {"lse": "heads, n"},
            cases=[
                case(1, 1, 32),
                case(1, 32, 32),  # around a warp
                case(2, 33, 32, 1),
                case(1, 63, 64, 1),  # around a tile of 64
                case(1, 65, 128),
                case(1, 34, 128, 1),
                case(2, 47, 64),  # a prime
                case(1, 97, 64, 1, "growing"),
                case(1, 70, 32, 0, "falling"),
                case(1, 66, 64, 1, "far below"),
                case(2, 37, 32, 0, "equal"),
                case(17, 5, 32, 1),  # more heads than the emulated GPU has multiprocessors
                case(6, 65, 32, 1),  # and work enough for several warps of a block
                case(2, 129, 32, 1),
                # So much work for these that a rung which chooses by size takes its largest tiles.
                case(9, 34, 64, 1, multiprocessors=4),
                case(17, 4, 32, multiprocessors=4),
            ],
            counted_case=case(4, 128, 32),
            drawn={"heads": range(1, 4), "n": range(2, 70), "d": (32, 64), "causal": (0, 1)},
            timed_case=TIMED,
            bench_cases=[
                *(case(16, n, 64) for n in (512, 1024, 2048, 4096, 8192, 16384)),
                case(4 * 32, 4096, 64, 1),
                case(16, 4096, 128),
                case(16, 4096, 128, 1),
            ],
            make_inputs=backward_inputs,
            reference=backward_reference,
            tolerance=Tolerance(terms="n + d", magnitude=backward_magnitude),
            baselines={"memory-efficient": torch_backward},
            flops="5 * heads * n * (n + causal) * d * (2 - causal)",
            specials="heads * n * (n + causal) // (1 + causal)",
            ladder=ATTENTION_BACKWARD,
            stars={2: "register_tiles", 3: "keys_by_size"},
            floor=[Timed("x_memory-efficient", at_least=0.01, why="tiles in shared memory reach ten times this")],
        ),
    ],
)
