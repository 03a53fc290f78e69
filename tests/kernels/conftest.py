"""torch.compile makes plain C++ here: the kernels' operators are tried, and not how torch uses a processor."""

import os

os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "0")  # else it first builds a program that tries vector instructions
