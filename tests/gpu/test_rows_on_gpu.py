"""The rows of tests/emulator/rows.py, asked of a GPU. `python -m tests.gpu.test_rows_on_gpu` tells more."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from grader.devices.cuda.toolkit import cuda_home
from tests.emulator.rows import COPIES, FINE, REFUSALS, REFUSED, ROWS

PROGRAM = Path(__file__).with_name("rows.cu")
_GLOBAL, _SHARED = (
    r"t_(requests|sectors)_pipe_lsu_mem_global",
    r"data_(pipe_lsu_wavefronts|bank_conflicts.*)_mem_shared",
)
METRICS = rf"regex:l1tex__({_GLOBAL}|{_SHARED}).*\.sum$"


def built(folder: Path) -> Path:
    home, program = cuda_home(), folder / "rows"
    assert home, "there is no CUDA toolkit: set CUDA_HOME"
    command = [str(home / "bin/nvcc"), "-std=c++17", "-O3", "-arch=native", "-o", str(program), str(PROGRAM)]
    subprocess.run(command, check=True)
    return program


def asked(program: Path) -> dict[str, list[int]]:
    """What each row writes: 128 numbers."""
    said = subprocess.run([program], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout[-500:] + said.stderr[-500:]
    lines = [line.split() for line in said.stdout.splitlines()]
    return {name: [int(word) for word in words] for name, *words in lines}


def wrong(rows: dict[str, list[int]]) -> list[str]:
    """One sentence for each row that is not as expected."""
    said = [
        f"{name}: {rows[name][: len(right)]} and not {right}"
        for name, right in ROWS.items()
        if rows[name][: len(right)] != right
    ]
    return said + [f"{name}: error {rows[name][32]} and not {REFUSED}" for name in REFUSALS if rows[name][32] == FINE]


def counted(program: Path, row: str) -> str:
    """What Nsight Compute counts for the row's last kernel: each metric that is not 0. Or why it does not count."""
    command = ["ncu", "--metrics", METRICS, "--print-units", "base", str(program), row]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    last = said.rpartition("Section: Command line profiler metrics")[2]
    found = re.findall(r"^\s*(\S+\.sum)\s+\S*\s*([\d,]+)\s*$", last, re.MULTILINE)
    return "\n".join(f"  {name} {value}" for name, value in found if value != "0") or said[-500:]


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    return built(tmp_path_factory.mktemp("rows"))


def test_every_row_is_as_the_emulator_promises(program):
    assert wrong(asked(program)) == []


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = built(Path(folder))
        rows = asked(program)
        print("\n".join(wrong(rows)) or f"all {len(rows)} rows are as the emulator promises")
        for row in COPIES:
            print(f"{row}\n{counted(program, row)}")


if __name__ == "__main__":
    main()
