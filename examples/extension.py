"""Builds `extension.cu`, makes it a function with a derivative, and compares both with PyTorch's own.

    python examples/extension.py                on a GPU
    python examples/extension.py --emulator     on the CPU: `import grader.emulate` stands in for the GPU

The build takes half a minute or more: nearly all of it is PyTorch's headers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if "--emulator" in sys.argv:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import grader.emulate  # noqa: F401  # before torch's extensions are imported

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.utils.cpp_extension import load_inline

SOURCE = Path(__file__).with_name("extension.cu").read_text()
module = load_inline("log_bmm_extension", cpp_sources="", cuda_sources=SOURCE)


class LogBmm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        out = module.forward(a, b)
        ctx.save_for_backward(a, b, out)
        return out

    @staticmethod
    @once_differentiable  # the kernel's derivative has none: a second one is refused instead of wrong
    def backward(ctx: Any, grad_out: Tensor) -> Any:
        return tuple(module.backward(*ctx.saved_tensors, grad_out))


def main() -> None:
    torch.manual_seed(7)
    for dtype, close in ((torch.float32, 1e-5), (torch.float64, 1e-5), (torch.float16, 2e-2)):
        a = torch.randn(3, 9, 5, device="cuda").to(dtype).requires_grad_()
        b = torch.randn(3, 11, 5, device="cuda").to(dtype).mT.requires_grad_()  # transposed: strides do it
        wide = [x.detach().double().requires_grad_() for x in (a, b)]
        right, out = (wide[0][..., None] + wide[1][:, None]).logsumexp(2), LogBmm.apply(a, b)
        along = torch.randn_like(out)
        ours, theirs = torch.autograd.grad(out, (a, b), along), torch.autograd.grad(right, wide, along.double())
        error = max((x.double() - y).abs().max().item() for x, y in zip((out, *ours), (right, *theirs), strict=True))
        print(f"{dtype}: right within {close:g}: {error < close}")
    try:
        module.forward(a, a)
    except RuntimeError as error:
        print("refused:", str(error).splitlines()[0])


if __name__ == "__main__":
    main()
