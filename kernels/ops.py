"""The course's reference kernels as PyTorch operators: on CPU tensors through the emulator, on CUDA tensors natively.

    >>> import torch
    >>> from kernels import ops  # in the course's folder; builds nothing yet
    >>> x = torch.ones(3, 4, 5, requires_grad=True)
    >>> total = ops.sum(x, dim=(0, 2))
    >>> total.tolist()
    [15.0, 15.0, 15.0, 15.0]
    >>> total.square().sum().backward()
    >>> x.grad[0, 0, 0].item()
    30.0

    vector_add(x, y)                       lesson 01   x + y, of equal shapes
    polar(phi)                             lesson 02   (..., 2): cosine and sine
    sum(x, dim=None, keepdim=False)        lesson 03   over any dimensions; over all of them, lesson 05
    transpose(x)                           lesson 03   (..., rows, cols) to (..., cols, rows), as a copy
    matmul(a, b)                           lesson 04   (..., m, k) times (..., k, n)
    histogram(x)                           lesson 05   int64 counts of the 256 values of uint8
    softmax(x, dim)                        lesson 06   along one dimension; half and bfloat16, too
    log_bmm(a, b)                          lesson 07   log of exp(a) times exp(b), (..., n, m) times (..., m, p)
    max_plus(a, b)                         lesson 07   the same with a maximum in place of the sum, and where it was
    attention(q, k, v, causal=False)       lesson 08   softmax(q k^T / sqrt(d)) v of (..., n, d)

Each is `torch.ops.kernel_ladder.<name>` (`attention` is the first result of `attention_with_lse`), passes
`torch.library.opcheck`, has derivatives of any order (but for `histogram`), and goes through
`torch.compile(fullgraph=True)` and into CUDA graphs. Results are new contiguous tensors.

float32 alone (but for `softmax` and `log_bmm`), as the lessons' prototypes say: other types raise TypeError instead of
being converted in silence.
Inputs that are not contiguous are copied first; `sum` works on any permutation of contiguous memory as it lies.

On a GPU a call launches on the current stream and waits for nothing. Getting there costs the host 20 to 38 us of Python
(beside an H200, where torch's own calls cost 6 to 30); in a CUDA graph it costs nothing. On the CPU the kernel is
emulated, thread by thread: to be tried and tested, not for speed (on 2 cores 2 ms a call, and 45 ms to add two vectors
of a million elements). A kernel is built at its first call, in seconds, once for each machine; without a compiler that
is a RuntimeError of one sentence.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grader.devices.load import ReferenceKernel

__all__ = [
    "attention",
    "attention_with_lse",
    "histogram",
    "log_bmm",
    "matmul",
    "max_plus",
    "polar",
    "softmax",
    "sum",
    "transpose",
    "vector_add",
]

Shape = tuple[Sequence[int], torch.dtype]

_NAMESPACE = "kernel_ladder"
_NARROW = (torch.float16, torch.bfloat16)
_BINS = 256
_ROOT = Path(__file__).parents[1]


def _of_type(name: str, number: str) -> str:
    """The prototype of lesson 06 with another name and another type of number in x and y."""
    sizes = "int rows, int cols, float* scratch, int scratch_len, cudaStream_t stream"
    return f"void {name}(const {number}* x, {number}* y, {sizes})"


def _semiring(task: str, prototype: str) -> ReferenceKernel:
    """An entry point of lesson 07's other kernel, which has more types of numbers and another semiring."""
    sizes = "int batch, int n, int m, int p, cudaStream_t stream"
    file = _ROOT / "kernels" / "07_log_bmm" / "semirings.cu"
    return ReferenceKernel(_ROOT, "07", task, kernel=(file, None), prototype=prototype.format(sizes=sizes))


_vector_add = ReferenceKernel(_ROOT, "01", "vector_add")
_polar = ReferenceKernel(_ROOT, "02", "polar")
_row_sum = ReferenceKernel(_ROOT, "03", "row_sum")
_column_sum = ReferenceKernel(_ROOT, "03", "column_sum")
_transpose = ReferenceKernel(_ROOT, "03", "transpose")
_matmul = ReferenceKernel(_ROOT, "04", "matmul")
_sum = ReferenceKernel(_ROOT, "05", "sum")
_histogram = ReferenceKernel(_ROOT, "05", "histogram")
_softmax = {
    torch.float32: ReferenceKernel(_ROOT, "06", "softmax"),
    torch.float16: ReferenceKernel(_ROOT, "06", "softmax", prototype=_of_type("softmax_half", "half")),
    torch.bfloat16: ReferenceKernel(_ROOT, "06", "softmax", prototype=_of_type("softmax_bfloat16", "__nv_bfloat16")),
}
_log_bmm = {
    torch.float32: ReferenceKernel(_ROOT, "07", "log_bmm"),
    torch.float64: _semiring("log_bmm", "void log_bmm_double(const double* a, const double* b, double* out, {sizes})"),
}
_log_bmm_backward = {
    torch.float32: ReferenceKernel(_ROOT, "07", "log_bmm_backward"),
    torch.float64: _semiring(
        "log_bmm_backward",
        "void log_bmm_backward_double(const double* a, const double* b, const double* out, const double* grad_out, "
        "double* grad_a, double* grad_b, {sizes})",
    ),
}
_max_plus = _semiring("log_bmm", "void max_plus(const float* a, const float* b, float* out, int* from, {sizes})")
_attention = ReferenceKernel(_ROOT, "08", "attention")
_attention_backward = ReferenceKernel(_ROOT, "08", "attention_backward")


def _operator(
    schema: str, shape: Callable, *, backward: Callable | None = None, saves: Callable | None = None
) -> Callable[[Callable], Any]:
    """Makes an operator of a function that fills the result: `fill(out, *arguments)`.

    `shape(*arguments)` checks the arguments and gives the result's shape and type, which is all that tracing asks for.
    `backward` and `saves` are those of `torch.library.register_autograd`.
    """

    def allocate(x: Tensor, *arguments: Any) -> Tensor:
        size, dtype = shape(x, *arguments)
        return x.new_empty(size, dtype=dtype)

    def register(fill: Callable) -> Any:
        def run(*arguments: Any) -> Tensor:
            out = allocate(*arguments)
            if out.numel():
                fill(out, *arguments)
            return out

        name = f"{_NAMESPACE}::{fill.__name__}"
        torch.library.define(name, schema)
        torch.library.impl(name, ("cpu", "cuda"), run)
        torch.library.register_fake(name, allocate)
        if backward:
            torch.library.register_autograd(name, backward, setup_context=saves)
        operator = getattr(getattr(torch.ops, _NAMESPACE), fill.__name__).default
        operator.__doc__ = fill.__doc__
        return operator

    return register


def _check(operator: str, dtype: torch.dtype, **tensors: Tensor) -> None:
    """Raises TypeError or ValueError, one sentence, unless all tensors have this type and lie on one device."""
    (first, x), *_ = tensors.items()
    for name, tensor in tensors.items():
        if tensor.dtype != dtype:
            raise TypeError(f"{operator} takes {dtype}, and {name} is {tensor.dtype}: write {name}.to({dtype})")
        if tensor.device != x.device:
            where = f"{first} is on {x.device} and {name} on {tensor.device}"
            raise ValueError(f"{operator} works on one device, and {where}: write {name}.to({first}.device)")


def _text(x: Tensor) -> str:
    return "x".join(map(str, x.shape)) or "a number"


def _indices(batch: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Of all members of a batch; one empty index where there is no batch."""
    return itertools.product(*map(range, batch))


# ---- lessons 01 and 02 ----


def _vector_add_shape(x: Tensor, y: Tensor) -> Shape:
    _check("vector_add", torch.float32, x=x, y=y)
    if x.shape != y.shape:
        raise ValueError(f"vector_add takes equal shapes, not {_text(x)} and {_text(y)}: write y.expand_as(x)")
    return x.shape, x.dtype


@_operator("(Tensor x, Tensor y) -> Tensor", _vector_add_shape, backward=lambda ctx, grad: (grad, grad))
def vector_add(out: Tensor, x: Tensor, y: Tensor) -> None:
    """vector_add(x, y): x + y for float32 tensors of one shape."""
    _vector_add(x.contiguous(), y.contiguous(), out, out.numel())


def _polar_shape(phi: Tensor) -> Shape:
    _check("polar", torch.float32, phi=phi)
    return (*phi.shape, 2), phi.dtype


def _polar_saves(ctx: Any, inputs: tuple, output: Tensor) -> None:
    ctx.save_for_backward(output)


def _polar_backward(ctx: Any, grad: Tensor) -> Tensor:
    """cos' = -sin and sin' = cos, and both are in the result."""
    (xy,) = ctx.saved_tensors
    return xy[..., 0] * grad[..., 1] - xy[..., 1] * grad[..., 0]


@_operator("(Tensor phi) -> Tensor", _polar_shape, backward=_polar_backward, saves=_polar_saves)
def polar(out: Tensor, phi: Tensor) -> None:
    """polar(phi): cosine and sine of float32 angles, (...) to (..., 2).

    Off by less than 2^-21 within [-pi, pi], and by more the further away: the kernel uses the GPU's fast sine and
    cosine (CUDA Programming Guide, "Intrinsic Functions").
    """
    _polar(phi.contiguous(), out, phi.numel())


# ---- lessons 03 and 05: sum ----


@lru_cache
def _dims(ndim: int, dim: tuple[int, ...] | None) -> tuple[int, ...]:
    """The dimensions meant, counted from 0; all of them for None and for (), as torch has it."""
    most = max(ndim, 1)  # a number takes 0 and -1
    for d in dim or ():
        if not -most <= d < most:
            raise IndexError(f"sum has no dimension {d} here: x has {ndim}, so write {-most} to {most - 1}")
    dims = tuple(d % most for d in dim or range(ndim))
    if len(set(dims)) < len(dims):
        raise ValueError(f"sum takes each dimension once, and {dim} has one twice")
    return dims


def _given(dim: Sequence[int] | None) -> tuple[int, ...] | None:
    return dim if dim is None else tuple(dim)


def _kept(shape: Sequence[int], dims: Sequence[int]) -> list[int]:
    return [1 if d in dims else size for d, size in enumerate(shape)]


def _sum_shape(x: Tensor, dim: Sequence[int] | None = None, keepdim: bool = False) -> Shape:
    _check("sum", torch.float32, x=x)
    dims = _dims(x.ndim, _given(dim))
    return [size for d, size in enumerate(_kept(x.shape, dims)) if keepdim or d not in dims], x.dtype


def _sum_saves(ctx: Any, inputs: tuple, output: Tensor) -> None:
    x, dim, _ = inputs
    ctx.shape, ctx.dims = x.shape, _dims(x.ndim, _given(dim))


def _sum_backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    return grad.reshape(_kept(ctx.shape, ctx.dims)).expand(ctx.shape), None, None


@_operator(
    "(Tensor x, int[1]? dim=None, bool keepdim=False) -> Tensor", _sum_shape, backward=_sum_backward, saves=_sum_saves
)
def sum(out: Tensor, x: Tensor, dim: Sequence[int] | None = None, keepdim: bool = False) -> None:
    """sum(x, dim=None, keepdim=False): as torch.sum, over one, several or all dimensions of a float32 tensor.

    Neighbouring dimensions are as good as one, so the tensor is (batch, rows, cols) around the dimensions to sum over:
    leading and interior ones are a `column_sum`, trailing ones a `row_sum`. Dimensions that are no neighbours, as
    (2, 4), want a pass for each. A tensor that is permuted, but without gaps, is summed as it lies.
    """
    if x.numel() == 0:
        out.zero_()
        return
    dims, target = _dims(x.ndim, _given(dim)), out
    if not x.is_contiguous():
        order = sorted(range(x.ndim), key=x.stride, reverse=True)  # as x lies in memory
        if x.permute(order).is_contiguous():
            target = out.view(_kept(x.shape, dims)).permute(order)
            x, dims = x.permute(order), tuple(place for place, d in enumerate(order) if d in dims)
        else:
            x = x.contiguous()
    total = target if target.is_contiguous() else out.new_empty(target.shape)
    _sum_in_passes(total, x, _passes(x.shape, dims))
    if total is not target:
        target.copy_(total)


@lru_cache
def _passes(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """(batch, rows, cols) of each pass over a contiguous tensor. The longest is first: it leaves least to the others.

    _passes((2, 3, 1, 5), (1, 3)) is ((2, 15, 1),), and _passes((2, 3, 4, 5), (1, 3)) is ((24, 5, 1), (2, 3, 4)).
    """
    marked = [(size, d in dims) for d, size in enumerate(shape) if size > 1]
    groups = itertools.groupby(marked, key=lambda pair: pair[1])
    runs = [(math.prod(size for size, _ in group), summed) for summed, group in groups]
    passes = []
    while any(summed for _, summed in runs):
        longest = max((run for run, (_, summed) in enumerate(runs) if summed), key=lambda run: runs[run][0])
        parts = runs[:longest], runs[longest : longest + 1], runs[longest + 1 :]
        passes.append(tuple(math.prod(size for size, _ in part) for part in parts))
        del runs[longest]
    return tuple(passes)


def _sum_in_passes(total: Tensor, x: Tensor, passes: Sequence[tuple[int, int, int]]) -> None:
    if not passes:  # all sizes are 1
        total.copy_(x.view_as(total))
    for number, (batch, rows, cols) in enumerate(passes, start=1):
        out = total if number == len(passes) else x.new_empty(batch * cols)
        if batch == cols == 1:
            _sum(x, out, rows)
        elif cols == 1:
            _row_sum(x, out, batch, rows)
        else:
            _column_sum(x, out, batch, rows, cols)
        x = out


# ---- lesson 03: transpose ----


def _transpose_shape(x: Tensor) -> Shape:
    _check("transpose", torch.float32, x=x)
    if x.ndim < 2:
        raise ValueError(f"transpose takes a matrix or a batch of them, not {_text(x)}: unsqueeze it first")
    return (*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype


@_operator("(Tensor x) -> Tensor", _transpose_shape, backward=lambda ctx, grad: transpose(grad))
def transpose(out: Tensor, x: Tensor) -> None:
    """transpose(x): (..., rows, cols) to (..., cols, rows), copied; float32. A batch takes a launch for each matrix."""
    x = x.contiguous()
    for index in _indices(x.shape[:-2]):
        _transpose(x[index], out[index], *x.shape[-2:])


# ---- lesson 04 ----


def _check_factors(operator: str, a: Tensor, b: Tensor, dtype: torch.dtype = torch.float32) -> None:
    """Raises TypeError or ValueError unless a, (..., n, m), and b, (..., m, p), are matrices that fit each other."""
    _check(operator, dtype, a=a, b=b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(
            f"{operator} takes matrices or batches of them, not {_text(a)} and {_text(b)}: unsqueeze the vector"
        )
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"{operator} cannot multiply {_text(a)} by {_text(b)}: the inner sizes must be equal")


def _matmul_shape(a: Tensor, b: Tensor) -> Shape:
    _check_factors("matmul", a, b)
    batch = a.shape[:-2] if b.ndim == 2 else torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return (*batch, a.shape[-2], b.shape[-1]), a.dtype


def _matmul_saves(ctx: Any, inputs: tuple, output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _matmul_backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
    a, b = ctx.saved_tensors
    needs_a, needs_b = ctx.needs_input_grad
    grad_a = matmul(grad, transpose(b)).sum_to_size(a.shape) if needs_a else None
    grad_b = matmul(transpose(a), grad).sum_to_size(b.shape) if needs_b else None
    return grad_a, grad_b


@_operator("(Tensor a, Tensor b) -> Tensor", _matmul_shape, backward=_matmul_backward, saves=_matmul_saves)
def matmul(out: Tensor, a: Tensor, b: Tensor) -> None:
    """matmul(a, b): (..., m, k) times (..., k, n) for float32 matrices, with leading dimensions as in torch.matmul.

    One launch if b is a single matrix, for then a batch is just more rows of a; else one for each pair of matrices.
    """
    if a.shape[-1] == 0:
        out.zero_()
        return
    a, b = a.contiguous(), b.contiguous()
    n, k = out.shape[-1], a.shape[-1]
    if b.ndim == 2:
        _matmul(a, b, out, out.numel() // n, n, k)
        return
    batch = out.shape[:-2]
    a, b = a.expand(*batch, -1, -1), b.expand(*batch, -1, -1)
    for index in _indices(batch):
        _matmul(a[index], b[index], out[index], out.shape[-2], n, k)


# ---- lesson 05: histogram ----


def _histogram_shape(x: Tensor) -> Shape:
    _check("histogram", torch.uint8, x=x)
    return (_BINS,), torch.int64


@_operator("(Tensor x) -> Tensor", _histogram_shape)
def histogram(out: Tensor, x: Tensor) -> None:
    """histogram(x): how often each of 0 to 255 occurs in a uint8 tensor, the int64 counts of torch.bincount."""
    if x.numel() == 0:
        out.zero_()
        return
    counts = out.new_empty(_BINS, dtype=torch.int32)  # the kernel's are unsigned, and none reaches 2^31
    _histogram(x.contiguous(), counts, x.numel())
    out.copy_(counts)


# ---- lesson 06 ----

_SCRATCH = 1024  # floats: a pair for each block that a row is spread over


def _softmax_dim(ndim: int, dim: int) -> int:
    most = max(ndim, 1)  # a number takes 0 and -1
    if not -most <= dim < most:
        raise IndexError(f"softmax has no dimension {dim} here: x has {ndim}, so write {-most} to {most - 1}")
    return dim % most


def _softmax_shape(x: Tensor, dim: int) -> Shape:
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"softmax takes float32, float16 and bfloat16, and x is {x.dtype}: write x.to(torch.float32)")
    _softmax_dim(x.ndim, dim)
    return x.shape, x.dtype


def _softmax_saves(ctx: Any, inputs: tuple, output: Tensor) -> None:
    ctx.save_for_backward(output)
    ctx.dim = _softmax_dim(output.ndim, inputs[1])


def _softmax_backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
    """dy_i / dx_j = y_i ((i = j) - y_j), summed over i with grad_i; in float32, as the result was computed."""
    (saved,) = ctx.saved_tensors
    y, wide = saved.float(), grad.float()
    return (y * (wide - (y * wide).sum(ctx.dim, keepdim=True))).to(saved.dtype), None


@_operator("(Tensor x, int dim) -> Tensor", _softmax_shape, backward=_softmax_backward, saves=_softmax_saves)
def softmax(out: Tensor, x: Tensor, dim: int) -> None:
    """softmax(x, dim): as torch.softmax, for float32, float16 and bfloat16; computed in float32 and rounded once.

    Another dimension than the last one costs a copy before and one after. How far an element may be off stands in
    docs/numerics.md.
    """
    dim = _softmax_dim(x.ndim, dim)
    if x.ndim == 0:
        x, out = x.view(1), out.view(1)
    rows, target = x.movedim(dim, -1).contiguous(), out.movedim(dim, -1)
    result = target if target.is_contiguous() else torch.empty_like(rows)
    cols = rows.shape[-1]
    scratch = rows.new_empty(_SCRATCH, dtype=torch.float32)
    _softmax[x.dtype](rows, result, rows.numel() // cols, cols, scratch, _SCRATCH)
    if result is not target:
        target.copy_(result)


# ---- lesson 07 ----


def _log_bmm_batch(a: Tensor, b: Tensor) -> torch.Size:
    return torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])


def _log_bmm_shape(a: Tensor, b: Tensor) -> Shape:
    number = a.dtype if a.dtype in (*_log_bmm, *_NARROW) else torch.float32
    _check_factors("log_bmm", a, b, number)
    return (*_log_bmm_batch(a, b), a.shape[-2], b.shape[-1]), a.dtype


def _flat(x: Tensor, batch: Sequence[int]) -> Tensor:
    """The matrices of x, one for each member of the batch, as (members, rows, cols)."""
    return x.expand(*batch, -1, -1).reshape(math.prod(batch), *x.shape[-2:]).contiguous()


def _log_bmm_saves(ctx: Any, inputs: tuple, output: Tensor) -> None:
    ctx.save_for_backward(*inputs, output)


def _log_bmm_derivative(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    a, b, out = ctx.saved_tensors
    number = a.dtype
    if number in _NARROW:  # a rounded out would be off by hundredths, and so would all shares: compute it again
        a, b, grad = a.float(), b.float(), grad.float()
        out = torch.ops.kernel_ladder.log_bmm(a, b)
    grad_a, grad_b = torch.ops.kernel_ladder.log_bmm_backward(a, b, out, grad)
    return grad_a.sum_to_size(a.shape).to(number), grad_b.sum_to_size(b.shape).to(number)


@_operator("(Tensor a, Tensor b) -> Tensor", _log_bmm_shape, backward=_log_bmm_derivative, saves=_log_bmm_saves)
def log_bmm(out: Tensor, a: Tensor, b: Tensor) -> None:
    """log_bmm(a, b): (a.unsqueeze(-1) + b.unsqueeze(-3)).logsumexp(-2), without that many terms in memory.

    (..., n, m) and (..., m, p) give (..., n, p), with leading dimensions as in torch.matmul; -inf, +inf and NaN as in
    torch. Differentiable once. An element of -inf counts for no gradient, where torch gives NaN. float16 and bfloat16
    are converted to float32 and the result is rounded once; float64 is exact to its own roundings, and slow.
    """
    if a.shape[-1] == 0:
        out.fill_(-math.inf)
        return
    batch = _log_bmm_batch(a, b)
    a, b = (_flat(x.float() if x.dtype in _NARROW else x, batch) for x in (a, b))
    wide = out if out.dtype == a.dtype else torch.empty_like(out, dtype=a.dtype)
    _log_bmm[a.dtype](a, b, wide.view(-1, *out.shape[-2:]), len(a), *a.shape[-2:], b.shape[-1])
    if wide is not out:
        out.copy_(wide)


def _log_bmm_gradients(a: Tensor, b: Tensor, out: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """Of each member of the batch: (..., n, m) and (..., m, p), not yet summed where a or b was broadcast."""
    batch = out.shape[:-2]
    grad_a, grad_b = _no_gradients(a, b, out, grad)
    if out.numel() == 0 or a.shape[-1] == 0:
        return grad_a.zero_(), grad_b.zero_()
    a, b, out, grad = (_flat(x, batch) for x in (a, b, out, grad))
    to = grad_a.view(a.shape), grad_b.view(b.shape)
    _log_bmm_backward[a.dtype](a, b, out, grad, *to, len(a), *a.shape[-2:], b.shape[-1])
    return grad_a, grad_b


def _no_gradients(a: Tensor, b: Tensor, out: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    batch = out.shape[:-2]
    return a.new_empty((*batch, *a.shape[-2:])), b.new_empty((*batch, *b.shape[-2:]))


def _no_second_derivative(ctx: Any, *grads: Tensor) -> None:
    raise RuntimeError(
        "log_bmm can be differentiated once: leave out create_graph=True, or write it with torch.logsumexp"
    )


torch.library.define(
    f"{_NAMESPACE}::log_bmm_backward", "(Tensor a, Tensor b, Tensor out, Tensor grad) -> (Tensor, Tensor)"
)
torch.library.impl(f"{_NAMESPACE}::log_bmm_backward", ("cpu", "cuda"), _log_bmm_gradients)
torch.library.register_fake(f"{_NAMESPACE}::log_bmm_backward", _no_gradients)
torch.library.register_autograd(f"{_NAMESPACE}::log_bmm_backward", _no_second_derivative)


def _max_plus_results(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    _check_factors("max_plus", a, b)
    shape = (*_log_bmm_batch(a, b), a.shape[-2], b.shape[-1])
    if a.shape[-1] == 0:
        raise ValueError(f"max_plus needs something to take the maximum of, not {_text(a)} and {_text(b)}")
    return a.new_empty(shape), a.new_empty(shape, dtype=torch.int64)


def _max_plus_of(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    out, index = _max_plus_results(a, b)
    batch = out.shape[:-2]
    a, b = _flat(a, batch), _flat(b, batch)
    found = index.new_empty(index.shape, dtype=torch.int32)
    if out.numel():
        _max_plus(a, b, *(x.view(-1, *out.shape[-2:]) for x in (out, found)), len(a), *a.shape[-2:], b.shape[-1])
    return out, index.copy_(found)


def _max_plus_saves(ctx: Any, inputs: tuple, output: tuple) -> None:
    ctx.shapes = [x.shape for x in inputs]
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def _max_plus_derivative(ctx: Any, grad: Tensor, _: Any) -> tuple[Tensor, ...]:
    """Every output was one a[i, k] + b[k, j]: its gradient goes to these two."""
    (index,) = ctx.saved_tensors
    batch = index.shape[:-2]
    found = [grad.new_zeros(*batch, *shape[-2:]) for shape in ctx.shapes]
    return tuple(
        to.scatter_add(dim, index, grad).sum_to_size(shape)
        for to, dim, shape in zip(found, (-1, -2), ctx.shapes, strict=True)
    )


torch.library.define(f"{_NAMESPACE}::max_plus", "(Tensor a, Tensor b) -> (Tensor, Tensor)")
torch.library.impl(f"{_NAMESPACE}::max_plus", ("cpu", "cuda"), _max_plus_of)
torch.library.register_fake(f"{_NAMESPACE}::max_plus", _max_plus_results)
torch.library.register_autograd(f"{_NAMESPACE}::max_plus", _max_plus_derivative, setup_context=_max_plus_saves)


def max_plus(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """max_plus(a, b): (a.unsqueeze(-1) + b.unsqueeze(-3)).max(-2), values and int64 indices, of float32.

    The product of a semiring whose sum is the maximum: the best path, and its last step but one (Viterbi). Shapes as
    in `log_bmm`. Of equal terms the first counts, and gets the whole gradient.
    """
    return torch.ops.kernel_ladder.max_plus(a, b)


# ---- lesson 08: attention ----

_HEAD_SIZES = (32, 64, 128)
_QUERIES = 128  # that the backward pass looks at together: its memory grows with n, not with n * n


def attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """attention(q, k, v, causal=False): softmax(q k^T / sqrt(d)) v of float32 tensors (..., n, d), d = 32, 64 or 128.

    The leading dimensions are the batch and the heads. Query i sees the keys 0 ... i if causal, else all of them. The
    memory of the forward and of the backward pass grows with n, not with n * n. The first derivative is a kernel's;
    with create_graph=True it is composed of torch's matrix products, so that it can be differentiated again.
    """
    return attention_with_lse(q, k, v, causal)[0]


def _attention_outputs(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> tuple[Tensor, Tensor]:
    """Empty out and lse, once the arguments are checked."""
    _check("attention", torch.float32, q=q, k=k, v=v)
    if not q.shape == k.shape == v.shape or q.ndim < 2:
        shapes = f"{_text(q)}, {_text(k)} and {_text(v)}"
        raise ValueError(f"attention takes q, k and v of one shape (..., n, d), not {shapes}: expand or unsqueeze them")
    if q.shape[-1] not in _HEAD_SIZES:
        raise ValueError(f"attention takes heads of 32, 64 or 128 numbers, not {q.shape[-1]}: reshape q, k and v")
    return q.new_empty(q.shape), q.new_empty(q.shape[:-1])


def _run_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> tuple[Tensor, Tensor]:
    out, lse = _attention_outputs(q, k, v, causal)
    if out.numel():
        n, d = q.shape[-2:]
        _attention(*map(_from_16_bytes, (q, k, v)), out, lse, lse.numel() // n, n, d, int(causal))
    return out, lse


def _from_16_bytes(x: Tensor) -> Tensor:
    """Contiguous, and where a float4 may lie: a view may begin anywhere."""
    x = x.contiguous()
    return x if x.data_ptr() % 16 == 0 else x.clone()


def _attention_saves(ctx: Any, inputs: tuple, output: tuple[Tensor, Tensor]) -> None:
    *tensors, ctx.causal = inputs
    ctx.save_for_backward(*tensors, *output)
    ctx.set_materialize_grads(False)  # a result that nobody used has the gradient None


def _attention_derivative(
    ctx: Any, grad_out: Tensor | None, grad_lse: Tensor | None
) -> tuple[Tensor | None, Tensor | None, Tensor | None, None]:
    """By the kernel, where it does: it knows no gradient of lse, and is not differentiable itself."""
    q, k, v, out, lse = ctx.saved_tensors
    if grad_out is None and grad_lse is None:
        return None, None, None, None
    if grad_out is not None and grad_lse is None and not torch.is_grad_enabled():
        gradients = torch.ops.kernel_ladder.attention_backward(q, k, v, out, lse, grad_out, ctx.causal)
    else:
        grad_out = torch.zeros_like(out) if grad_out is None else grad_out
        grad_lse = torch.zeros_like(lse) if grad_lse is None else grad_lse
        gradients = _composed_gradients(q, k, v, out, lse, grad_out, grad_lse, ctx.causal)
    return *gradients, None


def _no_attention_gradients(q: Tensor, k: Tensor, v: Tensor, *_: Any) -> tuple[Tensor, Tensor, Tensor]:
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def _attention_gradients(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, grad_out: Tensor, causal: bool
) -> tuple[Tensor, Tensor, Tensor]:
    gradients = _no_attention_gradients(q, k, v)
    if out.numel():
        n, d = q.shape[-2:]
        tensors = map(_from_16_bytes, (q, k, v, out, lse, grad_out))
        _attention_backward(*tensors, *gradients, lse.numel() // n, n, d, int(causal))
    return gradients


def _composed_gradients(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, grad_out: Tensor, grad_lse: Tensor, causal: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """p = exp(score - lse) is computed again, for some queries at a time; d(score) = p * (grad_out v^T - rest).

    Dao et al., "FlashAttention", 2022, appendix B.2. Composed of differentiable operators, so derivatives go on.
    """
    n, scale = q.shape[-2], q.shape[-1] ** -0.5
    rest = (grad_out * out).sum(-1) - grad_lse
    grad_q, grad_k, grad_v = [], torch.zeros_like(k), torch.zeros_like(v)
    for first in range(0, n, _QUERIES):
        rows = slice(first, min(first + _QUERIES, n))
        p = (q[..., rows, :] @ k.mT * scale - lse[..., rows, None]).exp()
        if causal:
            p = p.masked_fill(p.new_ones(p.shape[-2:], dtype=torch.bool).triu(first + 1), 0.0)
        of_scores = p * (grad_out[..., rows, :] @ v.mT - rest[..., rows, None]) * scale
        grad_q.append(of_scores @ k)
        grad_k = grad_k + of_scores.mT @ q[..., rows, :]
        grad_v = grad_v + p.mT @ grad_out[..., rows, :]
    return torch.cat(grad_q, -2) if grad_q else torch.zeros_like(q), grad_k, grad_v


torch.library.define(
    f"{_NAMESPACE}::attention_with_lse", "(Tensor q, Tensor k, Tensor v, bool causal=False) -> (Tensor, Tensor)"
)
torch.library.impl(f"{_NAMESPACE}::attention_with_lse", ("cpu", "cuda"), _run_attention)
torch.library.register_fake(f"{_NAMESPACE}::attention_with_lse", _attention_outputs)
torch.library.register_autograd(
    f"{_NAMESPACE}::attention_with_lse", _attention_derivative, setup_context=_attention_saves
)
torch.library.define(
    f"{_NAMESPACE}::attention_backward",
    "(Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, Tensor grad_out, bool causal) -> (Tensor, Tensor, Tensor)",
)
torch.library.impl(f"{_NAMESPACE}::attention_backward", ("cpu", "cuda"), _attention_gradients)
torch.library.register_fake(f"{_NAMESPACE}::attention_backward", _no_attention_gradients)
attention_with_lse = torch.ops.kernel_ladder.attention_with_lse.default
attention_with_lse.__doc__ = """attention_with_lse(q, k, v, causal=False): `attention`, and the logarithm (..., n) of

the sum of exp(q k^T / sqrt(d)) of each query, from which results over parts of the keys can be combined.
"""
