"""How a kernel becomes an operator of PyTorch, and the checks that several operators share."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from grader.devices.load import ReferenceKernel

NAMESPACE = "kernel_ladder"
ROOT = Path(__file__).parents[2]  # of the course

Shape = tuple[Sequence[int], torch.dtype]
Inputs = tuple[Any, ...]  # of an operator, as they come to what is saved for its derivative
Result = TypeVar("Result")  # of an operator: a tensor, or several


def reference(lesson: str, task: str, *, file: str | None = None, prototype: str = "") -> ReferenceKernel:
    """The reference kernel of a task; or another entry point of its file, or of another file beside it."""
    kernel = (ROOT / "kernels" / file, None) if file else None
    return ReferenceKernel(ROOT, lesson, task, kernel=kernel, prototype=prototype)


def define(
    name: str,
    schema: str,
    run: Callable[..., Result],
    fake: Callable[..., Result],
    *,
    backward: Callable[..., Any] | None = None,
    saves: Callable[..., None] | None = None,
    doc: str | None = None,
) -> Callable[..., Result]:
    """Registers torch.ops.kernel_ladder.<name> for tensors on the CPU and on a GPU, and returns it.

    `run` computes. `fake` checks the same arguments and returns results of the right shapes and types, whatever is in
    them: that is all that tracing asks for. `backward` and `saves` are those of `torch.library.register_autograd`.
    """
    full = f"{NAMESPACE}::{name}"
    torch.library.define(full, schema)
    torch.library.impl(full, ("cpu", "cuda"), run)
    torch.library.register_fake(full, fake)
    if backward:
        torch.library.register_autograd(full, backward, setup_context=saves)
    operator: Callable[..., Result] = getattr(getattr(torch.ops, NAMESPACE), name).default
    operator.__doc__ = doc
    return operator


def operator(
    schema: str,
    shape: Callable[..., Shape],
    *,
    backward: Callable[..., Any] | None = None,
    saves: Callable[..., None] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., Tensor]]:
    """Makes an operator of a function that fills its one result: `fill(out, *arguments)`, for an out with elements.

    `shape(*arguments)` checks the arguments and gives the result's shape and type.
    """

    def allocate(x: Tensor, *arguments: Any) -> Tensor:
        size, dtype = shape(x, *arguments)
        return x.new_empty(size, dtype=dtype)

    def register(fill: Callable[..., None]) -> Callable[..., Tensor]:
        def run(*arguments: Any) -> Tensor:
            out = allocate(*arguments)
            if out.numel():
                fill(out, *arguments)
            return out

        return define(fill.__name__, schema, run, allocate, backward=backward, saves=saves, doc=fill.__doc__)

    return register


# ---- checks: each raises one sentence ----


def check(operator: str, dtype: torch.dtype, **tensors: Tensor) -> None:
    """Raises TypeError or ValueError unless all tensors have this type and lie on one device."""
    (first, x), *_ = tensors.items()
    for name, tensor in tensors.items():
        if tensor.dtype != dtype:
            raise TypeError(f"{operator} takes {dtype}, and {name} is {tensor.dtype}: write {name}.to({dtype})")
        if tensor.device != x.device:
            where = f"{first} is on {x.device} and {name} on {tensor.device}"
            raise ValueError(f"{operator} works on one device, and {where}: write {name}.to({first}.device)")


def check_factors(operator: str, a: Tensor, b: Tensor, dtype: torch.dtype = torch.float32) -> None:
    """Raises TypeError or ValueError unless a, (..., n, m), and b, (..., m, p), are matrices that fit each other."""
    check(operator, dtype, a=a, b=b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(
            f"{operator} takes matrices or batches of them, not {text(a)} and {text(b)}: unsqueeze the vector"
        )
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"{operator} cannot multiply {text(a)} by {text(b)}: the inner sizes must be equal")


def dimension(operator: str, ndim: int, dim: int) -> int:
    """`dim` counted from 0; IndexError if there is none. A number without dimensions takes 0 and -1, as in torch."""
    most = max(ndim, 1)
    if not -most <= dim < most:
        raise IndexError(f"{operator} has no dimension {dim} here: x has {ndim}, so write {-most} to {most - 1}")
    return dim % most


# ---- shapes ----


def text(x: Tensor) -> str:
    """`3x4`, for messages."""
    return "x".join(map(str, x.shape)) or "a number"


def batch_of(a: Tensor, b: Tensor) -> torch.Size:
    """The leading dimensions of a product of matrices, as torch.matmul broadcasts them."""
    shape: torch.Size = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return shape


def indices(batch: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Of all members of a batch; one empty index where there is no batch."""
    return itertools.product(*map(range, batch))


def flat(x: Tensor, batch: Sequence[int]) -> Tensor:
    """The matrices of x, one for each member of the batch, as contiguous (members, rows, cols)."""
    return x.expand(*batch, -1, -1).reshape(math.prod(batch), *x.shape[-2:]).contiguous()


def from_16_bytes(x: Tensor) -> Tensor:
    """Contiguous, and where 16 bytes may be loaded at once: a view may begin anywhere."""
    x = x.contiguous()
    return x if x.data_ptr() % 16 == 0 else x.clone()
