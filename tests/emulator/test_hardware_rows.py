"""What the hardware does where one may think otherwise: the emulator does the same, and says so where that helps."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.emulator.rows import COPIES, CUT, LAUNCHES, OTHERS, REFUSALS, ROWS, SHUFFLES
from tests.shared import long_tail

MADE_BY = ("SHUFFLE(", "LAUNCH(", "ROW(")


def entry_of(line: str) -> str | None:
    made_by = next((macro for macro in MADE_BY if line.startswith(macro)), None)
    return line.removeprefix(made_by).split(",")[0].split(")")[0] if made_by else None


SOURCE = (Path(__file__).parent / "kernels" / "hardware.cu").read_text()
NAMES = [name for name in map(entry_of, SOURCE.split("\n")) if name]
PROTOTYPES = tuple(f"void {name}(int* z, cudaStream_t stream)" for name in NAMES)


@pytest.fixture
def row(run_kernel):
    def run(name: str):
        prototype = f"void {name}(int* z, cudaStream_t stream)"
        outputs, case = run_kernel(SOURCE, prototype, among=PROTOTYPES, z=np.zeros(128, np.int32), threads=1)
        return outputs["z"].tolist(), case

    return run


def test_every_row_has_its_numbers():
    assert set(NAMES) == set(ROWS) | set(REFUSALS)


@pytest.mark.parametrize("name", long_tail(SHUFFLES, every=4))
def test_shuffles_use_five_bits(row, name):
    z, case = row(name)
    assert z[:32] == ROWS[name]
    assert [(found.kind, found.severity) for found in case.findings] == (
        [("shuffle_distance", "note")] if name in CUT else []
    )


def test_the_note_names_the_bits_that_count(row):
    (note,) = row("down_by_32")[1].findings
    line = 1 + SOURCE[: SOURCE.index("SHUFFLE(down_by_32")].count("\n")
    assert note.line == line and note.details["count"] == 32
    assert note.message == (
        "__shfl_down_sync by 32: a GPU uses the lowest five bits only, which makes it 0;"
        " keep distances and masks in 0..31"
    )


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_launch_within_the_limits_of_its_function_runs(row, name):
    z, case = row(name)
    assert z[:33] == ROWS[name]
    assert [found.message for found in case.findings if found.severity == "error"] == []


@pytest.mark.parametrize("name", REFUSALS)
def test_a_launch_beyond_the_limits_of_its_function_fails(row, name):
    z, case = row(name)
    assert z[32] == 1
    (failed,) = case.findings
    assert failed.kind == "launch_error" and REFUSALS[name] in failed.message


@pytest.mark.parametrize("name", [*COPIES, *OTHERS])
def test_other_rows(row, name):
    z, case = row(name)
    right = ROWS[name]
    assert z[: len(right)] == right
    assert [found.message for found in case.findings if found.severity == "error"] == []


# Requests, sectors; then requests, wavefronts and conflicts of the store to shared memory. 50 words lie in 7 sectors.
@pytest.mark.parametrize(("name", "sectors"), [("fifty_words_then_zeros", 7), ("all_words", 16)])
def test_a_copy_that_fills_up_with_zeros_is_one_request(row, name, sectors):
    _, case = row(name)
    line = 1 + SOURCE[: SOURCE.index("// guarded copy")].count("\n")
    (copy,) = [counted for counted in case.lines if counted["line"] == line]
    assert [copy["global_load_requests"], copy["global_load_sectors"]] == [1, sectors]
    assert copy["global_load_bytes"] == copy["global_load_useful_bytes"] == 4 * (50 if sectors == 7 else 128)
    stored = [copy[f"shared_store_{what}"] for what in ("requests", "wavefronts", "bank_conflicts")]
    assert stored == [1, 4, 0]


GRID = """
__global__ void k(int* z) { if (blockIdx.x == 5) z[threadIdx.x] = 1; }
extern "C" void f(int* z, int blocks, cudaStream_t stream) {
    k<<<dim3(blocks, 1, blocks > (1 << 26) ? 60000 : 1), 1, 0, stream>>>(z);
}
"""


@pytest.mark.slow
def test_a_grid_may_be_as_large_as_the_emulator_has_time_for(run_kernel):
    prototype = "void f(int* z, int blocks, cudaStream_t stream)"
    z = np.zeros(1, np.int32)
    outputs, case = run_kernel(GRID, prototype, z=z, blocks=20_000)
    assert outputs["z"][0] == 1 and case.findings == []
    _, case = run_kernel(GRID, prototype, z=z, blocks=2**30, seconds=0.2)
    (refused,) = case.findings
    assert refused.kind == "launch_error"
    assert "so many are more than the emulator can hold" in refused.message
    _, case = run_kernel(GRID, prototype, z=z, blocks=2**26, seconds=0.3, threads=1)
    (late,) = case.findings
    assert late.kind == "timeout" and re.search(
        r"when \d{3},\d{3} of 67,108,864 blocks had begun: launch fewer", late.message
    )
