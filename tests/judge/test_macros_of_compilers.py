"""What only one of the two compilers of a file defines: a file that asks for it can tell where it is graded."""

from __future__ import annotations

import re
import subprocess

import pytest

from grader.devices.build.lexer import lex
from grader.devices.build.refused import refusal
from grader.devices.cache import cache_root
from grader.devices.cuda.compile import CudaRecipe
from grader.devices.cuda.toolkit import missing_cuda_tool
from grader.devices.emulator.compile import emulator_recipe
from grader.devices.emulator.translate import translate
from grader.judge.outside_world import asked_outside

KERNEL = "__global__ void add() {}\n"
CARD = "90a"


def macros(*command: object, text: str = "") -> set[str]:
    said = subprocess.run([*map(str, command)], input=text, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^#define (\w+)", said, re.MULTILINE))


def is_seen(name: str) -> bool:
    """Whether a file that asks for it keeps one star, or is refused."""
    source = f"#ifdef {name}\n#endif\n"
    return asked_outside(source) == name or refusal(source, lex(source), emulated=True) is not None


@pytest.mark.slow
@pytest.mark.skipif(missing_cuda_tool() is not None, reason="there is no nvcc here")
def test_all_that_one_alone_defines_is_known(tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text(KERNEL)
    text = translate(KERNEL, file.name)
    flags = emulator_recipe(text, file.name, cache_root()).compile_flags
    ours = macros("g++", "-fPIC", *flags, "-x", "c++", "-E", "-dM", "-", text=text)
    theirs = macros("nvcc", *CudaRecipe("", CARD).flags, "-E", "-Xcompiler", "-dM", file)
    of_cards = {name for name in theirs - ours if name.startswith("__CUDA_ARCH_")}  # which a GPU's verdict is about
    alone = (ours ^ theirs) - of_cards
    assert len(alone) > 100
    assert [name for name in sorted(alone) if not is_seen(name)] == []
