"""Gradients of attention whose row sums of grad_out * out, which are subtracted, are another row's or of other factors.

The reference takes `out` for these sums alone (Dao et al. 2022, appendix B.2), and each output is linear in them: so
another `out` stands for any other sums, and two answers for sums that are chosen by the row that is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from grader.judge.causes.asked import Case, Cause, Variation

TILES = (16, 32, 64, 128)
MOST_TILES = 8
OWN = "each row's own sum of grad_out * out"

Sums = Callable[[Tensor, Tensor], Tensor]  # from out and grad_out, (heads, n, d), to (heads, n)


def causes_of_deltas(case: Case) -> Iterator[Cause]:
    """Of tasks that are given `out` and `grad_out`, and whose outputs are gradients, if they take row sums of these."""
    if not _takes_row_sums(case):
        return
    for key, sums, said in _others(case):
        yield Variation(f"delta_{key}", "out", partial(_out_with, sums), partial(_said, said)).as_cause()
    yield Cause("delta_of_written", _is_of_written, _said_of_written)
    yield Cause("delta_of_both", _is_of_both, _said_of_both)
    for size in dict.fromkeys([*case.threads, *TILES]):
        yield Cause(f"delta_by_thread_{size}", partial(_is_by_thread, size), partial(_said_by_thread, size))


def _takes_row_sums(case: Case) -> bool:
    """Whether this output has a row for each of `out`, and another `out` with the same row sums leaves it as it is."""
    out, grad = case.inputs.get("out"), case.inputs.get("grad_out")
    if out is None or grad is None or out.dim() != 3 or not out.shape == grad.shape == case.expected.shape:
        return False
    other = out.flip(-1)
    other = other + ((_deltas(out, grad) - _deltas(other, grad)) / _deltas(grad, grad))[..., None] * grad
    result = case.reference({**case.inputs, "out": other})[case.buffer].double()
    return bool(((result - case.expected).abs() <= case.allowed).all())


def _of_rows(places: Callable[[Tensor], Tensor], out: Tensor, grad: Tensor) -> Tensor:
    return _deltas(out, grad)[:, places(torch.arange(out.shape[1]))]


def _others(case: Case) -> Iterator[tuple[str, Sums, str]]:
    """Other sums, and what stands in the place of a row's own."""
    yield "head", lambda out, grad: _deltas(out, grad)[:1].expand(out.shape[:2]), "that of the first head's row"
    for size in dict.fromkeys([*case.threads, *TILES]):
        said = f"that of row i % {size} in the place of row i's: is the offset of a tile, or of a block, missing?"
        yield f"modulo_{size}", partial(_of_rows, partial(torch.remainder, other=size)), said
    yield "first", partial(_of_rows, lambda row: 0 * row), "that of the first row of its head"
    yield "next", partial(_of_rows, lambda row: (row + 1).clamp(max=len(row) - 1)), "that of the next row"
    yield "of_out", lambda out, grad: _deltas(out, out), "the row's sum of out * out"
    yield "of_grad", lambda out, grad: _deltas(grad, grad), "the row's sum of grad_out * grad_out"
    yield "minus", lambda out, grad: -_deltas(out, grad), "its negative, so that it is added and not subtracted,"
    yield "mean", lambda out, grad: _deltas(out, grad) / out.shape[2], "its mean over the d columns"
    root = "the sum times 1 / sqrt(d)"
    yield "scaled", lambda out, grad: _deltas(out, grad) / out.shape[2] ** 0.5, root


def _deltas(one: Tensor, other: Tensor) -> Tensor:
    return (one * other).sum(-1)


def _out_with(sums: Sums, case: Case) -> Tensor:
    """An `out` whose row sums with grad_out are these."""
    out, grad = case.inputs["out"], case.inputs["grad_out"]
    return out + ((sums(out, grad) - _deltas(out, grad)) / _deltas(grad, grad))[..., None] * grad


def _said(said: str, case: Case) -> str:
    if ":" in said:
        return f"What {case.buffer} holds is right for another row's sum of grad_out * out, {said}"
    asks = ": which row's, and of which head, is subtracted?" if said.startswith("that of") else "."
    return f"What {case.buffer} holds is right where {said} stands in the place of {OWN}{asks}"


def _is_of_written(case: Case) -> bool:
    """Whether what is subtracted is the sum of the row that is written, as of the key's, and not of the query's."""
    without, all_rows = _terms(case, None)
    return case.is_right_for(without - _deltas(case.inputs["out"], case.inputs["grad_out"])[..., None] * all_rows)


def _terms(case: Case, rows: slice | None) -> tuple[Tensor, Tensor]:
    """The output without the sums, and what sums of 1 take away from it, of all rows or some."""
    grad = case.inputs["grad_out"]
    ones, some = grad / _deltas(grad, grad)[..., None], torch.zeros_like(grad)
    some[:, rows or slice(None)] = ones[:, rows or slice(None)]
    without, with_some = (
        case.reference({**case.inputs, "out": out})[case.buffer].double() for out in (torch.zeros_like(grad), some)
    )
    return without, without - with_some


def _said_of_written(case: Case) -> str:
    return (
        f"What {case.buffer} holds is right where the sum of grad_out * out is that of the row that is written, the"
        " key's: it belongs to the query, as lse does, so read it at the row of each term."
    )


def _is_of_both(case: Case) -> bool:
    """Whether grad_out is the query's and out the key's: weight * (grad_out . (v - out))."""
    out, v = case.inputs["out"], case.inputs.get("v")
    if v is None or v.shape != out.shape:
        return False
    changed = {**case.inputs, "v": v - out, "out": torch.zeros_like(out)}
    return case.is_right_for(case.reference(changed)[case.buffer].double())


def _said_of_both(case: Case) -> str:
    return (
        f"What {case.buffer} holds is right where the sum of grad_out * out takes grad_out's row of the query and out's"
        " of the key: both rows are the query's."
    )


def _is_by_thread(size: int, case: Case) -> bool:
    """Whether of each tile of rows the sum is read at the thread's own place, and not at that of each term."""
    deltas = _deltas(case.inputs["out"], case.inputs["grad_out"])
    count = deltas.shape[1]
    if count <= 1 or -(-count // size) > MOST_TILES:
        return False
    claim: Tensor | None = None
    for first in range(0, count, size):
        without, taken = _terms(case, slice(first, first + size))
        places = first + torch.arange(count) % size
        places = torch.where(places < count, places, (places - size).clamp(0, count - 1))  # what the last tile left
        claim = (without if claim is None else claim) - deltas[:, places, None] * taken
    return claim is not None and case.is_right_for(claim)


def _said_by_thread(size: int, case: Case) -> str:
    return (
        f"What {case.buffer} holds is right where of each tile of {size} queries the sum of grad_out * out is read at"
        " the thread's own place: read it at the place of each term, as its row of q is."
    )
