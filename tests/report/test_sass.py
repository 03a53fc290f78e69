"""`ladder explain --sass`: source and machine code with counts."""

from __future__ import annotations

from types import SimpleNamespace

from grader.model.flow import NONE, Flow, Instruction
from grader.report.sass import sass_words


def test_like_instructions_of_a_line_are_one_row_with_their_runs():
    rows = [(2, "S2R R0", -1), (3, "LDS.128 R4, [R2]", -1), (3, "FFMA R4", -1), (3, "FFMA R5", -1), (3, "@P0 BRA", 1)]
    code = [Instruction(line, text, 1, NONE, NONE, 0, target) for line, text, target in [*rows, (4, "EXIT", -1)]]
    flow = Flow(code, {3: {"shared_load_words": 16.0}}, warps=2)  # 4 of each round: 4 rounds, 2 a warp
    launch = SimpleNamespace(flow=flow, kernel="k", registers=30, stack=0)
    assert list(sass_words(launch, ["a", "b", "c", "d"])) == [
        "k: 30 registers a thread, 10 instructions a warp",
        "  2 │ b  (10%)",
        "    │          1×  S2R",
        "  3 │ c  (80%)",
        "    │          2×  LDS.128",
        "    │          2×  2 FFMA",
        "    │          2×  BRA",
        "  4 │ d  (10%)",
        "    │          1×  EXIT",
    ]


def test_without_machine_code_there_is_nothing_to_say():
    assert list(sass_words(SimpleNamespace(flow=None), [])) == []
