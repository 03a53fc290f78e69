"""What stands before the first line of a translated file: CUDA's headers, as g++ keeps them in memory.

Most of what g++ does with a small file is what its headers have it do. So a file that includes <algorithm> begins
with a header that holds it, too; and the special functions of mathematics, which <cmath> of C++17 has g++ make anew
for every file, are there only where the text has one of their names, as is CUDA's arithmetic with several small
integers in a register.
"""

from __future__ import annotations

import re

FIRST_HEADER = "ladder_first.h"
WITH_ALGORITHM = "ladder_first_algorithm.h"
PRECOMPILED = (FIRST_HEADER, WITH_ALGORITHM)
OF_PROGRAMS = "ladder_first_program.h"  # of libraries/

_ARE_WANTED = "_GLIBCXX_USE_STD_SPEC_FUNCS"  # libstdc++'s, which ladder_first.h takes back
_ALGORITHM = re.compile(r"#\s*include\s*<algorithm>")
_SPECIAL = re.compile(
    r"\b(?:assoc_laguerre|assoc_legendre|beta|comp_ellint_[123]|cyl_bessel_[ijk]|cyl_neumann|ellint_[123]|expint|hermite"
    r"|laguerre|legendre|riemann_zeta|sph_bessel|sph_legendre|sph_neumann|hyperg|conf_hyperg)[fl]?\b"
)
OF_THE_EMULATORS = ("__SANITIZE_THREAD__", "_GLIBCXX_TSAN")  # macros by which a file would tell its g++ from nvcc's
_LANES = re.compile(r"\b__v(?!olatile)")
ARCHITECTURE, _BEFORE_IT = 900, 800  # the first: include/ladder/standard.h
_NOT_EMULATED = re.compile(
    r"\b(?:wgmma|setmaxnreg|tensormap|multimem|cp\.async\.bulk|CUtensorMap|memcpy_async_tx|cuda::ptx)\b"
)


def architecture(text: str) -> int:
    """`__CUDA_ARCH__` for this text: 9.0, or 8.0 if it has what is not emulated of 9.0, and may have another way."""
    return _BEFORE_IT if _NOT_EMULATED.search(text) else ARCHITECTURE


def first_lines(text: str, of_program: bool = False) -> str:
    """The lines that include them before this text, which is a graded file's or a whole program's."""
    first = OF_PROGRAMS if of_program else WITH_ALGORITHM if _ALGORITHM.search(text) else FIRST_HEADER
    special = f"#define {_ARE_WANTED} 1\n#include <bits/specfun.h>\n" if _SPECIAL.search(text) else ""
    lanes = "#include <ladder/lanes.h>\n" if _LANES.search(text) else ""
    before = f"#undef __CUDA_ARCH__\n#define __CUDA_ARCH__ {_BEFORE_IT}\n" if architecture(text) == _BEFORE_IT else ""
    before += "".join(f"#undef {name}\n" for name in OF_THE_EMULATORS if name in text)
    header = f"#include <{first}>\n"
    if of_program:  # whose files may include each other: g++ takes a compiled header at the beginning alone
        header = f"#if !__INCLUDE_LEVEL__\n{header}#endif\n"
    return f"{header}{special}{lanes}{before}"
