"""nvcc's machine code in the model: how often it runs, and how long a warp takes for it, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.devices.cuda.machine_code import MachineCode, asm_lines, control, kernels_in, resources_in, tools
from grader.model.flow import NONE, Flow, Instruction
from grader.model.scoreboard import clocks_of_warp

SASS = """
	.section	.text._Z3addPf,"ax",@progbits
_Z3addPf:
.text._Z3addPf:
	//## File "/tmp/text.cu", line 3
        /*0000*/                   LDC R1, c[0x0][0x28] ;                        /* 0x00000a00ff017b82 */
                                                                                 /* 0x000fe20000000800 */
.L_x_1:
	//## File "/usr/include/math.h", line 40 inlined at "/tmp/text.cu", line 5
        /*0010*/                   LDG.E.128 R4, [R2.64] ;                       /* 0x0000000a00017b82 */
                                                                                 /* 0x000ea4000c1e1900 */
	//## File "/tmp/text.cu", line 6
        /*0020*/              @!P0 BRA `(.L_x_1) ;                               /* 0xfffffffc00f48947 */
                                                                                 /* 0x004fec000383ffff */
"""


def instruction(
    line: int, text: str, target: int = -1, stall: int = 1, sets: int = NONE, waits: int = 0
) -> Instruction:
    return Instruction(line, text, stall, sets, NONE, waits, target)


def loop(body: list[Instruction], jump: int = 1) -> list[Instruction]:
    """One instruction, a loop of these, and the end."""
    return [instruction(1, "S2R R0, SR_TID.X"), *body, instruction(2, "@P0 BRA", target=jump), instruction(9, "EXIT")]


def runs(flow: Flow) -> list[float]:
    return [part.runs for part in sorted(flow.parts, key=lambda part: part.begin)]


def test_nvdisasm_is_read_with_the_learners_lines_and_the_control_bits():
    first, load, jump = kernels_in(SASS, "text.cu")["_Z3addPf"]
    assert [row[0] for row in (first, load, jump)] == [3, 5, 6]
    assert load[1] == "LDG.E.128 R4, [R2.64]" and (first[-1], jump[-1]) == (-1, 1)
    assert first[2] == 1 and load[2:4] == [2, 2]  # clocks, and the barrier that the load sets
    assert jump[5] == 0b100  # which the jump awaits
    assert control(0x004FEC000383FFFF)[3] == 0b100


def test_instructions_of_an_asm_stand_where_it_begins():
    """nvcc names the line of its last operand, the emulator that of the word."""
    source = """int x;
asm volatile("mov.b32 %0, 1;"
    : "=r"(x)
    : "r"(f(")")));
asm("");
"""
    assert asm_lines(source) == {3: 2, 4: 2}
    (rows,) = kernels_in(SASS.replace('line 5"', 'line 4"'), "text.cu", {5: 4, 6: 4}).values()
    assert [row[0] for row in rows] == [3, 4, 4]


def test_ptxas_says_what_a_kernel_holds():
    said = """ptxas info    : Compiling entry function '_Z3addPf' for 'sm_90a'
    40 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 30 registers, used 1 barriers"""
    assert resources_in(said) == {"_Z3addPf": {"registers": 30, "stack": 40}}


def test_a_loop_runs_as_often_as_its_work_needs():
    """The emulator saw 64 loads of 4 bytes a warp at line 2; nvcc has unrolled by 4 and joined pairs: 8 rounds."""
    body = [instruction(2, "LDG.E.64 R4, [R2]")] * 4
    flow = Flow(loop(body), {2: {"global_load_words": 640.0}}, warps=10)
    assert runs(flow) == [10, 80, 10]


def test_a_loop_of_products_runs_as_often_as_its_products_need():
    """The emulator saw 32 products of m16n8k16 and 24 matrices a warp; nvcc has unrolled by 4: 8 rounds."""
    products = [instruction(2, f"HMMA.16816.F32.BF16 R{4 * k}, R8, R12, R{4 * k}") for k in range(4)]
    matrices = [instruction(3, "LDSM.16.M88.2 R4, [R2]"), instruction(3, "LDSM.16.MT88 R6, [R2]")]
    lines = {2: {"tensor_operations": 10 * 32 * 4096.0}, 3: {"shared_load_words": 10 * 24.0}}
    assert [each.operations for each in (*products, *matrices)] == [4096] * 4 + [0, 0]
    assert [each.words for each in matrices] == [2, 1]
    assert runs(Flow(loop([*products, *matrices]), lines, warps=10)) == [10, 80, 10]
    assert instruction(2, "IMMA.16832.S8.S8 R0, R4, R8, R0").operations == 2 * 16 * 8 * 32


def test_what_an_unrolled_loop_leaves_over_is_done_by_the_other():
    """13 loads a warp: three rounds of four, and one of one."""
    main, rest = [instruction(2, "LDS R4, [R2]")] * 4, [instruction(2, "LDS R4, [R2]")]
    code = [instruction(1, "MOV R1, R2"), *main, instruction(2, "@P0 BRA", target=1)]
    code += [*rest, instruction(2, "@P1 BRA", target=6), instruction(9, "EXIT")]
    flow = Flow(code, {2: {"shared_load_words": 13.0}}, warps=1)
    assert [each.runs for each in flow.loops] == [1, 3, 1]


def test_what_did_not_run_counts_nothing():
    """Line 7 was never reached; behind the end stands what a divided warp does."""
    code = [instruction(1, "@P0 BRA", target=3), instruction(7, "LDG.E R1, [R2]"), instruction(7, "IADD3 R1")]
    code += [instruction(2, "STG.E [R2], R1"), instruction(9, "EXIT"), instruction(0, "NOP")]
    flow = Flow(code, {2: {"global_store_words": 4.0}}, warps=4)
    assert runs(flow) == [4, 0, 4, 0]


def test_functions_for_unusual_arguments_are_not_entered():
    """A loop without arithmetic, at a line whose functions do some: what reduces very large angles."""
    code = [instruction(2, "FMUL R1"), instruction(2, "@P0 BRA", target=5), instruction(2, "IADD3 R1")]
    code += [instruction(2, "LDG.E.CONSTANT R1"), instruction(2, "@P1 BRA", target=2), instruction(2, "FFMA R1")]
    flow = Flow([*code, instruction(9, "EXIT")], {2: {"in_functions": 3.0}}, warps=1)
    assert runs(flow)[1] == 0 and runs(flow)[-1] == 1


def test_a_warp_waits_for_its_loads_once_if_they_are_on_their_way_together():
    one = instruction(2, "LDG.E R4, [R2]", sets=0)
    use = instruction(2, "FADD R4, R4, R5", waits=1, stall=4)
    lines = {2: {"global_load_words": 64.0}}
    apart, together = (Flow(loop(body), lines, warps=1) for body in ([one, use], [one] * 4 + [use]))
    assert clocks_of_warp(apart, lambda each: 100.0) == pytest.approx(64 * 105, rel=0.05)
    assert clocks_of_warp(together, lambda each: 100.0) == pytest.approx(16 * 108, rel=0.05)


KERNEL = """__global__ void twice(const float* x, float* y) {
    y[threadIdx.x] = 2 * x[threadIdx.x];
}
"""


def compiled(source: str, folder: Path) -> dict:
    code = MachineCode(source, "mine.cu", "90a", folder, most_seconds=120)
    code.begin()
    code.finish()
    return code.kernels


@pytest.mark.skipif(not tools(), reason="needs nvcc and nvdisasm")
def test_a_file_is_compiled_and_read_by_kernel_and_line(tmp_path):
    ((name, kernel),) = compiled(KERNEL, tmp_path).items()
    assert name == "twice(float const*, float*)" and kernel["registers"] > 0
    loads = [row for row in kernel["instructions"] if Instruction(*row).name == "LDG"]
    assert [row[0] for row in loads] == [2]
    assert compiled("no C++", tmp_path) == {}


def test_without_the_tools_there_is_no_machine_code(tmp_path, monkeypatch):
    monkeypatch.setattr("grader.devices.cuda.machine_code.tools", lambda: None)
    assert compiled(KERNEL, tmp_path) == {} and MachineCode(KERNEL, "mine.cu", "90a", tmp_path).needed == []
