"""Lesson 07: a matrix product whose sums are logs of sums of exponentials: sums of probabilities, kept as logs."""

import functools
import math

from grader.course.lesson import Lesson, Task, Timed, Tolerance

from .ladders import LOG_BMM, LOG_BMM_BACKWARD, case

CHUNK = 1 << 25  # terms that a reference looks at at a time: 256 MB in double precision, and a few times as much
REACH = 64.0  # a kernel that shifts exponents by maxima works with differences up to about this size

# ---- inputs ----


def make_inputs(draw, variant, batch, n, m, p):
    a, b = draw.normal(batch, n, m), draw.normal(batch, m, p, mean=-0.5)
    match variant:
        case "masked":  # nothing leads from some states to some others; nothing at all leads out of one, or into one
            a[draw.uniform(0, 1, batch, n, m) < 0.3] = -math.inf
            b[draw.uniform(0, 1, batch, m, p) < 0.3] = -math.inf
            a[:, n // 2] = -math.inf
            a[:, n // 3, : 2 * m // 3] = -math.inf  # so whole tiles of a sum are empty, and the last one is not
            b[:, :, p // 3] = -math.inf
        case "all masked":
            a.fill_(-math.inf)
        case "large":
            a, b = draw.uniform(-1e4, 1e4, batch, n, m), draw.uniform(-1e4, 1e4, batch, m, p)
        case "opposed":  # where a row of a is large, all columns of b are small: their maxima never meet
            height = draw.uniform(-150, 150, batch, 1, m)
            a, b = a + height, b - height.mT
        case "one apart":  # the maxima of one row and of one column do not meet, all others do
            a[:, n // 2, 1] += 150
            b[:, 1, p // 2] -= 300
        case "growing":  # each maximum exceeds the one before: in b, in both, in a
            climb = draw.uniform(0, 2, batch, 1, m).cumsum(2)
            a[1:] += climb[1:]
            b[:2] += climb.mT[:2]
        case "far below":  # log-probabilities of something very unlikely
            a = a * 1000 - 4e9
        case _:
            draw.plant_outliers(a, scale=20.0)
            draw.plant_outliers(b, scale=20.0)
    return {"a": a, "b": b}


def backward_inputs(draw, variant, batch, n, m, p):
    inputs = make_inputs(draw, variant, batch, n, m, p)
    out = reference(inputs["a"].double(), inputs["b"].double(), batch, n, m, p)["out"]
    grad_out = draw.plant_outliers(draw.normal(batch, n, p), scale=100.0)
    if variant == "opposed":  # sums of factors may be beyond a float's range where the gradients are not
        grad_out = grad_out * 1e20
    return inputs | {"out": out.float(), "grad_out": grad_out}


# ---- references: all terms, in double precision ----


def chunks(a, b):
    """(member of the batch, rows of a) whose terms are looked at together."""
    batch, n, m = a.shape
    rows = max(1, CHUNK // (m * b.shape[2]))
    return [(member, slice(first, min(first + rows, n))) for member in range(batch) for first in range(0, n, rows)]


def terms(a, b, member, rows):
    """a[i, k] + b[k, j] as (rows, m, p)."""
    return a[member, rows, :, None] + b[member]


def weights(a, b, out, member, rows):
    """exp(a[i, k] + b[k, j] - out[i, j]) as (rows, m, p): which share of a sum a term is; 0 of an empty one."""
    total = out[member, rows, None]
    return (terms(a, b, member, rows) - total.nan_to_num(neginf=math.inf)).exp_()


def zeros(*shape, like):
    return like.new_zeros(shape)


def reference(a, b, batch, n, m, p):
    out = zeros(batch, n, p, like=a)
    for member, rows in chunks(a, b):
        out[member, rows] = terms(a, b, member, rows).logsumexp(1)
    return {"out": out}


def finite(x):
    return x.nan_to_num(neginf=0.0)


def magnitude(a, b, batch, n, m, p):
    """What a relative error is relative to, (batch, n, p). In units of roundoff, and times sqrt(m) for random ones:

    1              of the sum, for d log(s) = ds / s
    log m          of log(s) + shift, as far as it is not in the next line
    |a| + |b|      of the addition, weighted by the terms' shares: as if the inputs had been rounded
    r + c - out    of exp(a - r) * exp(b - c): how far below the maxima r of the row and c of the column the sum lies
    """
    out = reference(a, b, batch, n, m, p)["out"]
    size = zeros(batch, n, p, like=a)
    for member, rows in chunks(a, b):
        share = weights(a, b, out, member, rows)
        size[member, rows] = share.mul_(finite(a[member, rows, :, None]).abs() + finite(b[member]).abs()).sum(1)
    below = a.amax(2, keepdim=True) + b.amax(1, keepdim=True) - out
    return {"out": 1 + math.log(m) + size + below.nan_to_num(0.0, posinf=0.0).clamp(0, REACH)}


def backward_reference(a, b, out, grad_out, batch, n, m, p):
    grad_a, grad_b = zeros(batch, n, m, like=a), zeros(batch, m, p, like=a)
    for member, rows in chunks(a, b):
        share = weights(a, b, out, member, rows).mul_(grad_out[member, rows, None])
        grad_a[member, rows] = share.sum(2)
        grad_b[member] += share.sum(0)
    return {"grad_a": grad_a, "grad_b": grad_b}


def backward_magnitude(a, b, out, grad_out, batch, n, m, p):
    """As `magnitude`, of sums of share * grad_out. A share below 2^-24 counts as 2^-24: it is lost in the sum."""
    grad_a, grad_b = zeros(batch, n, m, like=a), zeros(batch, m, p, like=a)
    least = finite(out).masked_fill(out.isneginf(), math.inf)
    above_a = a + b.amax(2)[:, None] - least.amin(2, keepdim=True)
    above_b = b + a.amax(1)[:, :, None] - least.amin(1, keepdim=True)
    above_a, above_b = (above.nan_to_num(0.0, posinf=0.0).clamp(0, REACH) for above in (above_a, above_b))
    for member, rows in chunks(a, b):
        share = weights(a, b, out, member, rows)
        size = (
            1 + finite(a[member, rows, :, None]).abs() + finite(b[member]).abs() + finite(out[member, rows, None]).abs()
        )
        weight = grad_out[member, rows, None].abs()
        floor = 2.0**-24
        grad_a[member, rows] = ((share * (size + above_a[member, rows, :, None]) + floor) * weight).sum(2)
        grad_b[member] += ((share * (size + above_b[member]) + floor) * weight).sum(0)
    return {"grad_a": grad_a, "grad_b": grad_b}


# ---- what people use ----


def broadcast(a, b, out, batch, n, m, p):
    """The definition, with all n * m * p terms of each member in memory."""
    import torch

    torch.logsumexp(a.unsqueeze(3) + b.unsqueeze(1), dim=2, out=out)


def transposed(a, b, out, batch, n, m, p):
    """The same with the sum along the rows of memory, for which b is copied in another order."""
    import torch

    torch.logsumexp(a.unsqueeze(2) + b.mT.contiguous().unsqueeze(1), dim=3, out=out)


def shifted(a, b, out, batch, n, m, p):
    """exp(a - r) times exp(b - c), through cuBLAS: -inf where the maxima of a row and of a column do not meet."""
    import torch

    r, c = a.amax(2, keepdim=True), b.amax(1, keepdim=True)
    torch.add(torch.bmm((a - r).exp_(), (b - c).exp_()).log_().add_(r), c, out=out)


def bmm(a, b, out, batch, n, m, p):
    """No logs and no exponentials: the plain product, whose arithmetic is the least that a factored form does."""
    import torch

    torch.bmm(a, b, out=out)


@functools.cache
def compiled(function):
    import torch

    return torch.compile(function, dynamic=False)


def compiled_broadcast(a, b, out, batch, n, m, p):
    out.copy_(compiled(_log_sum)(a, b))


def _log_sum(a, b):
    return (a.unsqueeze(3) + b.unsqueeze(1)).logsumexp(2)


def broadcast_backward(a, b, out, grad_out, grad_a, grad_b, batch, n, m, p):
    """What autograd does with the broadcast form once `out` is there."""
    import torch

    share = (a.unsqueeze(3) + b.unsqueeze(1)).sub_(out.unsqueeze(2)).exp_().mul_(grad_out.unsqueeze(2))
    torch.sum(share, 3, out=grad_a)
    torch.sum(share, 1, out=grad_b)


def shifted_backward(a, b, out, grad_out, grad_a, grad_b, batch, n, m, p):
    """Two products through cuBLAS, with the weights of the shifted form: inf or NaN where the maxima do not meet."""
    import torch

    r, c = a.amax(2, keepdim=True), b.amax(1, keepdim=True)
    left, right = (a - r).exp_(), (b - c).exp_()
    weight = (r + c).sub_(out).exp_().mul_(grad_out)
    torch.mul(left, torch.bmm(weight, right.mT), out=grad_a)
    torch.mul(right, torch.bmm(left.mT, weight), out=grad_b)


def _shares(a, b, out, grad_out):
    share = (a.unsqueeze(3) + b.unsqueeze(1) - out.unsqueeze(2)).exp() * grad_out.unsqueeze(2)
    return share.sum(3), share.sum(1)


def compiled_backward(a, b, out, grad_out, grad_a, grad_b, batch, n, m, p):
    for to, result in zip((grad_a, grad_b), compiled(_shares)(a, b, out, grad_out), strict=True):
        to.copy_(result)


# ---- the lesson ----


CASES = [
    case(1, 1, 1, 1),
    case(3, 31, 33, 32),  # around a warp
    case(2, 33, 31, 34),
    case(1, 5, 257, 3),  # few outputs, many terms
    case(3, 127, 1, 130),  # a single term, around a tile of 128
    case(1, 129, 16, 129),  # one more than a tile, both ways
    case(1, 20, 33, 132),  # whole vectors along the rows of b, and not along those of a
    case(2, 37, 101, 53),  # primes
    case(1, 144, 128, 128),  # whole tiles of both passes, many along the sum, and part of one
    case(5, 1, 7, 1),
    # Kernels that choose by size have one for up to 128: the others see every kind of data, too.
    case(1, 40, 60, 132, "masked"),
    case(1, 9, 3, 5, "masked"),
    case(1, 3, 5, 7, "all masked"),
    case(1, 30, 70, 131, "large"),  # also for kernels that split the sum: their parts lie far apart
    case(1, 36, 132, 20, "opposed"),
    case(1, 17, 33, 17, "opposed"),  # one more than whole tiles of 16
    case(1, 17, 18, 131, "one apart"),
    case(3, 66, 24, 66, "growing"),  # all rows and columns of a warp at once
    case(1, 7, 11, 13, "far below"),
]
COUNTED = case(8, 128, 32, 128)  # whole tiles of any usual shape
COUNTED_BACKWARD = case(4, 256, 32, 128)  # likewise, and too large for the top rung's small tiles
TIMED = case(8, 512, 512, 512)
STUDY = [case(8, size, size, size) for size in (2, 4, 8, 16, 32, 64, 128, 256, 1024)]


lesson = Lesson(
    title="Log-space batched matrix product",
    summary="another semiring: sums of probabilities, kept as logs",
    next_step="`ladder start 08`: two products and a softmax in one kernel",
    tasks=[
        Task(
            prototype="void log_bmm(const float* a, const float* b, float* out, int batch, int n, int m, int p, "
            "cudaStream_t stream)",
            shapes={"a": "batch, n, m", "b": "batch, m, p", "out": "batch, n, p"},
            cases=CASES,
            counted_case=COUNTED,
            drawn={"batch": range(1, 4), "n": range(2, 70), "m": range(2, 70), "p": range(2, 70)},
            timed_case=TIMED,
            wide_case=case(9, 200, 9, 300),
            bench_cases=STUDY,
            make_inputs=make_inputs,
            reference=reference,
            tolerance=Tolerance(terms="m", magnitude=magnitude),
            baselines={"broadcast": broadcast, "shifted matmul": shifted, "bmm": bmm},
            rivals={"broadcast, b transposed": transposed, "torch.compile": compiled_broadcast},
            flops="2 * batch * n * m * p",
            specials="batch * (n * m + m * p + n * p)",
            ladder=LOG_BMM,
            stars={2: "shared_tiles", 3: "pipeline"},
            floor=[Timed("x_broadcast", at_least=1, why="a tenth of what a thread for each output reaches")],
        ),
        Task(
            prototype="void log_bmm_backward(const float* a, const float* b, const float* out, const float* grad_out, "
            "float* grad_a, float* grad_b, int batch, int n, int m, int p, cudaStream_t stream)",
            shapes={
                "a": "batch, n, m",
                "b": "batch, m, p",
                "out": "batch, n, p",
                "grad_out": "batch, n, p",
                "grad_a": "batch, n, m",
                "grad_b": "batch, m, p",
            },
            cases=CASES,
            counted_case=COUNTED_BACKWARD,
            drawn={"batch": range(1, 4), "n": range(2, 70), "m": range(2, 70), "p": range(2, 70)},
            timed_case=TIMED,
            bench_cases=STUDY,
            make_inputs=backward_inputs,
            reference=backward_reference,
            tolerance=Tolerance(terms="max(n, p)", magnitude=backward_magnitude),
            baselines={"broadcast": broadcast_backward, "shifted matmul": shifted_backward},
            rivals={"torch.compile": compiled_backward},
            flops="4 * batch * n * m * p",
            specials="2 * batch * (n * m + m * p + n * p)",
            ladder=LOG_BMM_BACKWARD,
            stars={2: "shared_tiles", 3: "pipeline"},
            floor=[Timed("x_broadcast", at_least=0.24, why="a tenth of what a thread for each gradient reaches")],
        ),
    ],
)
