"""What a learner reads of the usual mistakes: `kernels/NN_what_is_wrong.cu`, each with the sentences that it must get.

`// Says:` is a part of the verdict in a terminal, line breaks aside; `// Task:` the task to grade, if not all;
`// GPU: build_error` that nvcc refuses it, too.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.grade import grade
from grader.report.terminal import console_in_memory, printed, show
from tests.shared import long_tail

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.cu"))


def lesson_of(kernel: Path) -> str:
    return kernel.stem[:2]


def told(kernel: Path, source: str) -> str:
    """The verdict as it stands in a terminal, on one line."""
    console = console_in_memory(80, color_system=None)
    tasks = re.findall(r"^// Task: (\w+)", source, re.MULTILINE)
    show(console, grade(lesson_of(kernel), kernel, device="emulator", tasks=tasks or None, seed=7), source=source)
    return " ".join(printed(console).split())


@pytest.mark.parametrize("kernel", long_tail(KERNELS, every=90, slow=40, of=lesson_of), ids=lambda kernel: kernel.stem)
def test_a_mistake_gets_its_sentences(kernel):
    source = kernel.read_text()
    sentences = re.findall(r"^// Says: (.*)", source, re.MULTILINE)
    said = told(kernel, source)
    assert sentences and not [each for each in sentences if each not in said], said
