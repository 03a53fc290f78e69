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
    attention(q, k, v, causal=False)       lesson 08   softmax(q k^T / sqrt(d)) v of (..., n, d); bfloat16: lesson 09
    matmul_bf16(a, b)                      lesson 09   (..., k) times (n, k) turned, of bfloat16, in float32

Each is `torch.ops.kernel_ladder.<name>` (`attention` is the first result of `attention_with_lse`), passes
`torch.library.opcheck`, and goes through `torch.compile(fullgraph=True)` and into CUDA graphs. `histogram` has no
derivative, `log_bmm` the first one, the others have derivatives of any order. Results are new contiguous tensors.

The numbers are float32, as the lessons' prototypes say, but for what is said above and `log_bmm`, which takes float64,
half and bfloat16, too. Those of lesson 09 need a GPU of compute capability 8.0 or newer. Another type raises TypeError
instead of being converted in silence, shapes that do not fit and tensors on two devices raise ValueError, and a
dimension that is not there raises IndexError. Inputs that are not contiguous are copied first; `sum` works on any
permutation of contiguous memory as it lies.

On a GPU a call launches on the current stream and waits for nothing. On the CPU the kernel is emulated, thread by
thread: to be tried and tested, not for speed. A kernel is built at its first call, in seconds, once for each machine;
without a compiler that is a RuntimeError of one sentence.
"""

from kernels.ops._attention import attention, attention_with_lse
from kernels.ops._elements import polar, vector_add
from kernels.ops._log_bmm import log_bmm, max_plus
from kernels.ops._matrices import matmul, transpose
from kernels.ops._softmax import softmax
from kernels.ops._sums import histogram, sum
from kernels.ops._tensor_cores import matmul_bf16

__all__ = [
    "attention",
    "attention_with_lse",
    "histogram",
    "log_bmm",
    "matmul",
    "matmul_bf16",
    "max_plus",
    "polar",
    "softmax",
    "sum",
    "transpose",
    "vector_add",
]
