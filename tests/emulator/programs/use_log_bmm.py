# ruff: noqa: I001, F401
"""A script as its author wrote it for a GPU, but for its first import."""

import sys
import warnings
from pathlib import Path

import grader.emulate
import torch
from torch.utils.cpp_extension import load_inline

source = Path(sys.argv[1]).read_text()
module = load_inline("log_bmm", cpp_sources="", cuda_sources=source, extra_cuda_cflags=["-O3", "--use_fast_math"])

torch.manual_seed(0)
assert torch.cuda.is_available()
for dtype, close in ((torch.float32, 1e-5), (torch.float64, 1e-5), (torch.float16, 1e-2)):
    a = torch.randn(3, 9, 5, device="cuda").to(dtype)
    c = torch.randn(3, 5, 11).cuda().to("cuda", dtype)
    assert a.is_cuda
    out, largest = module.forward(a, c)
    wide = a.double().requires_grad_(), c.double().requires_grad_()
    right = torch.logsumexp(wide[0].unsqueeze(-1) + wide[1].unsqueeze(1), dim=2)
    assert (out.double() - right).abs().max() < close and largest.shape == right.shape
    along = torch.randn_like(out)
    right.backward(along.double())
    for mine, theirs in zip(module.more.backward(a, c, out, along), wide, strict=True):
        assert (mine.double() - theirs.grad).abs().max() < 20 * close
torch.cuda.synchronize()
print("right")

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    module.more.careless(torch.zeros(64, device="cuda"))
    print(len(told), "warnings")
    try:
        module.more.careless(torch.zeros(50, device="cuda"))
    except RuntimeError as error:
        print(str(error).splitlines()[0])
for each in told:
    print(f"{Path(each.filename).name}:{each.lineno}: {each.category.__name__}: {each.message}")
