"""A small transformer whose attention is the reference kernel of lesson 08.

    python examples/transformer.py            on a GPU if there is one, else on the emulator

It prints how far its logits are from those with torch's scaled_dot_product_attention, and then learns to count: the
next token of 3 4 5 is 6. Attention is our kernel forward and backward.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parents[1]))

from kernels import ops

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]  # of (batch, heads, n, d), causal


def ours(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ops.attention(q, k, v, causal=True)


def torchs(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


class Block(nn.Module):
    """x + attention(norm(x)), and that plus a small network of its norm; (batch, n, width) to the same.

    Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, section 2.3: norms before, not after.
    """

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_network = nn.LayerNorm(width), nn.LayerNorm(width)
        self.to_qkv, self.from_heads = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor, attention: Attention) -> Tensor:
        qkv = self.to_qkv(self.before_attention(x)).chunk(3, dim=-1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in qkv)
        x = x + self.from_heads(attention(q, k, v).transpose(1, 2).flatten(-2))
        return x + self.network(self.before_network(x))


class Transformer(nn.Module):
    """Tokens (batch, n) to the logits (batch, n, vocabulary) of the token that follows each."""

    def __init__(self, vocabulary: int, width: int, heads: int, layers: int, longest: int = 256):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.to_logits = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor, attention: Attention = ours) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.places(places)
        for block in self.blocks:
            x = block(x, attention)
        return self.to_logits(self.norm(x))


def counting(vocabulary: int, batch: int, length: int, device: torch.device) -> Tensor:
    """Sequences (batch, length) that count up from anywhere, and begin again at the vocabulary's end."""
    start = torch.randint(0, vocabulary, (batch, 1), device=device)
    return (start + torch.arange(length, device=device)) % vocabulary


def train(model: Transformer, steps: int, batch: int, length: int) -> list[float]:
    """The losses of `steps` steps of Adam."""
    vocabulary, device = model.to_logits.out_features, model.to_logits.weight.device
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=3e-3), []
    for _ in range(steps):
        tokens = counting(vocabulary, batch, length + 1, device)
        loss = functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main() -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    model = Transformer(vocabulary=16, width=64, heads=2, layers=2).to(device)
    tokens = counting(16, 2, 50, device)
    with torch.no_grad():
        difference = (model(tokens, ours) - model(tokens, torchs)).abs().max()
    print(f"logits differ from torch's by at most {difference:.1e}")
    losses = train(model, steps=30, batch=4, length=32)
    print(f"loss {losses[0]:.3f}, after {len(losses)} steps {losses[-1]:.3f}")


if __name__ == "__main__":
    main()
