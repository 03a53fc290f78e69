"""torch.compile makes plain C++ here: the kernels' operators are tried, and not how torch uses a processor."""

import os

# Else it first builds a program for each set of vector instructions, and a compiled header for two files.
os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "0")
os.environ.setdefault("TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS", "0")
