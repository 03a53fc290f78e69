"""A hidden Markov model on `kernels.ops.log_bmm`: how likely a sequence is, and what its hidden states were.

    python examples/hmm.py

A model has S hidden states and V symbols. The probability of a sequence of T symbols is a sum over all S^T paths of
hidden states; the forward algorithm takes them together state by state (Rabiner, "A Tutorial on Hidden Markov Models",
1989, section III.A). As a product it reads

    start (1, S)  x  step_1 (S, S)  x ... x  step_T-1 (S, S)  x  ones (S, 1)

in which "times" adds logs and "plus" is the log of a sum of exponentials: `log_bmm`. That product is associative. So
the steps can be multiplied in pairs, all pairs in one launch, and log2(T) launches do what else takes T. With the
maximum as "plus", `max_plus`, it is the likeliest path.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))

from kernels import ops


@dataclass(frozen=True)
class Model:
    """Logs of probabilities; each row of `start`, `transition` and `emission` sums to 1 as exponentials."""

    start: Tensor  # (S): of the first hidden state
    transition: Tensor  # (S, S): from a state to the next
    emission: Tensor  # (S, V): of a symbol in a state


def random_model(states: int, symbols: int, seed: int = 0) -> Model:
    """A model in which a state leads to itself, the next one or the one after it: all other logs are -inf."""
    draw = torch.Generator().manual_seed(seed)
    distance = (torch.arange(states) - torch.arange(states)[:, None]) % states
    transition = torch.randn(states, states, generator=draw).masked_fill(distance > 2, -torch.inf)
    start, emission = torch.randn(states, generator=draw), torch.randn(states, symbols, generator=draw)
    return Model(start.log_softmax(-1), transition.log_softmax(-1), emission.log_softmax(-1))


def steps(model: Model, observed: Tensor) -> Tensor:
    """(batch, T - 1, S, S): from each state to each next one, and the symbol seen there. `observed` is (batch, T)."""
    return model.transition + model.emission.t()[observed[:, 1:], None, :]


def product(matrices: Tensor) -> Tensor:
    """(batch, length, S, S) to (batch, S, S): the log-space product along `length`, in pairs."""
    while matrices.shape[1] > 1:
        odd = matrices[:, matrices.shape[1] // 2 * 2 :]  # the last one, if it has no partner
        paired = ops.log_bmm(matrices[:, 0:-1:2], matrices[:, 1::2])
        matrices = torch.cat([paired, odd], dim=1)
    return matrices[:, 0]


def log_likelihood(model: Model, observed: Tensor) -> Tensor:
    """The log of the probability of each sequence, (batch), of `observed`: (batch, T) symbols, T at least 2."""
    first = model.start + model.emission.t()[observed[:, 0]]  # (batch, S)
    last = ops.log_bmm(first[:, None, :], product(steps(model, observed)))  # (batch, 1, S)
    return ops.log_bmm(last, last.new_zeros(last.shape[2], 1)).flatten()


def log_likelihood_by_recursion(model: Model, observed: Tensor) -> Tensor:
    """The same in double precision, one symbol after the other."""
    start, transition, emission = (x.double() for x in (model.start, model.transition, model.emission))
    alpha = start + emission.t()[observed[:, 0]]
    for symbols in observed[:, 1:].t():
        alpha = (alpha[:, :, None] + transition).logsumexp(1) + emission.t()[symbols]
    return alpha.logsumexp(1)


def expected_transitions(model: Model, observed: Tensor) -> Tensor:
    """(S, S): how often each transition was taken, on average over all paths that may have led to `observed`.

    The derivative of a log-likelihood by the log of a probability is how often that probability was used: here the
    backward pass of `log_bmm` does the work of the backward algorithm. What cannot happen happens 0 times.
    """
    transition = model.transition.detach().requires_grad_()
    (counts,) = torch.autograd.grad(
        log_likelihood(Model(model.start, transition, model.emission), observed).sum(), transition
    )
    return counts


def best_path(model: Model, observed: Tensor) -> tuple[Tensor, Tensor]:
    """The likeliest hidden states, (batch, T), and the log of their probability, (batch): the Viterbi algorithm.

    Step by step, for a path needs to know where each of its states came from.
    """
    best = (model.start + model.emission.t()[observed[:, 0]])[:, None, :]  # (batch, 1, S): of paths to each state
    came_from = []
    for step in steps(model, observed).unbind(1):
        best, before = ops.max_plus(best, step)
        came_from.append(before)
    best, state = best.max(2, keepdim=True)
    path = [state]
    for before in reversed(came_from):
        path.append(before.gather(2, path[-1]))
    return torch.cat(path[::-1], dim=2)[:, 0], best.flatten()


def main() -> None:
    model = random_model(states=5, symbols=8)
    observed = torch.randint(8, (3, 200), generator=torch.Generator().manual_seed(1))
    print("three sequences of 200 symbols, from a model with 5 hidden states")
    print("log-likelihood, with log_bmm:         ", *(f"{x:.4f}" for x in log_likelihood(model, observed).tolist()))
    plain = log_likelihood_by_recursion(model, observed)
    print("log-likelihood, recursion in float64: ", *(f"{x:.4f}" for x in plain.tolist()))
    print("probability as a float:               ", plain.exp().float().tolist())
    path, best = best_path(model, observed)
    print("log of the likeliest path:            ", *(f"{x:.4f}" for x in best.tolist()))
    print("its first states:                     ", *("".join(map(str, states[:12].tolist())) for states in path))
    print("how often each transition was taken, on average, in 3 x 199 steps (from: row, to: column):")
    for row in expected_transitions(model, observed).tolist():
        print("   ", *(f"{count:6.2f}" for count in row))


if __name__ == "__main__":
    main()
