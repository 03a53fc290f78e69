"""What is said of inline PTX before anything runs: tests/language has nvcc's verdicts."""

from __future__ import annotations

import pytest

from grader.devices.build.ptx_rules import Asm, of_function
from grader.devices.emulator.ptx_texts import refused_ptx

WRONG = [
    ("move.u32 %0, 1;", "r", "`move.u32` is no instruction of PTX"),
    ("bar.sync 0", "", "a `;` is missing at the end of the PTX"),
    ("mov %0, 1;", "r", "does not say its type, as in `mov.u32`"),
    ("mov.u32 t, %0;", "r", "`t` is not declared in this PTX: a register needs `.reg .u32 t;`"),
    ("{ .reg .u32 t; } mov.u32 t, %0;", "r", "`t` is not declared"),
    ("mov.u32 t, %0; .reg .u32 t;", "r", "`t` is not declared"),
    (".reg .u32 t<3>; mov.u32 t3, %0;", "r", "`t3` is not declared"),
    ("@p mov.u32 %0, 1;", "r", "`p` is not declared"),
    ("bra AWAY;", "", "`AWAY` is not declared"),
    (".reg .u32 t; .reg .f32 t;", "", "`t` is declared twice"),
    ("mov.u32 %0, %%lane;", "r", "PTX has no special register `%lane`"),
    ("mov.u32 %0, %%tid;", "r", "`%tid` has three numbers: write `%tid.x`"),
    ("mov.u32 %0, %%clock64;", "r", "the special register `%clock64` has 64 bits: `mov.u64` takes it"),
    ("add.u32 %0, %%laneid, 1;", "r", "move it to a register of your own first"),
    ("mov.u32 %%laneid, 1;", "", "its text has one `%`"),
    ("add.u64 %0, %0, 1;", "r", '.u64 takes nothing with "r", which is for 32-bit integers: %0 should have "l"'),
    ("add.s32 %0, %0, 1;", "f", '%0 should have "r"'),
    ("ld.global.u64 %0, [%1];", "rl", '`ld` of type .u64 takes nothing with "r"'),
    ("cvt.rn.f32.s32 %0, %1;", "ff", '%1 should have "r"'),
    ("selp.s32 %0, 1, 0, %1;", "rr", "no operand can stand for %1 there"),
    ("@%0 mov.u32 %1, 1;", "rr", "the guard `@%0` must be a predicate"),
    ("ld.global.u32 %0, [%1];", "rr", 'the address of `ld` has 64 bits: bind it with "l"'),
]  # fmt: skip
RIGHT = [
    ("{ .reg .u32 t<3>; mov.u32 t2, %0; { .reg .f32 t2; mov.f32 t2, 0f3F800000; } mov.u32 %0, t2; }", "r"),
    ("{ .reg .pred p; L: setp.lt.s32 p, %0, 10; @!p bra L; @p bra END; END: }", "r"),
    ("mov.b64 {%0, %1}, %2; mov.b32 %0, %3; st.shared.u8 [%1], %0;", "rrdf"),
    ("{ .reg .u32 %%own; mov.u32 %%own, %%ntid.y; shl.b64 %0, %0, %1; }", "lr"),
    ("mov.u32 %0, WARP_SZ; shfl.sync.up.b32 %0|_, %0, 1, 0, -1;", "r"),
    ("{ .reg .v4 .f32 v; ld.global.v4.f32 v, [%0 + 16]; mov.f32 v.x, 1e-3; }", "l"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "letters", "said"), WRONG)
def test_what_is_wrong_is_one_sentence(text: str, letters: str, said: str):
    (found,) = of_function([Asm(text, letters)]).values()
    assert said in found and "\n" not in found


@pytest.mark.parametrize(("text", "letters"), RIGHT)
def test_what_is_right_is_left_alone(text: str, letters: str):
    assert of_function([Asm(text, letters)]) == {}


def test_statements_of_one_function_share_what_stands_outside_of_braces():
    declares, uses, inner = Asm(".reg .u32 t;", ""), Asm("mov.u32 %0, t;", "r"), Asm("{ .reg .u32 t; }", "")
    assert of_function([declares, uses, inner, inner]) == {}
    assert list(of_function([declares, inner, declares])) == [2]
    assert list(of_function([inner, uses])) == [1]
    opens, closes = Asm("{ .reg .u32 t;", ""), Asm("mov.u32 %0, t; }", "r")
    assert of_function([opens, closes]) == {}  # nothing is known of such ones


def test_texts_are_found_in_what_gpp_has_made():
    """With their lines, as macros and templates have made them, where a kernel comes to them."""
    head = ";; Function {0} ({0}, funcdef_no=1, decl_uid=2, cgraph_uid=3, symbol_order=4)\n\n{1}void {0} ()\n{{\n"
    list_ = "&_ZN6ladder11ConstraintsIJLj370EEE4listE"
    call = f'  [k.cu:7:1] first_1 = ladder_ptx (7, [k.cu:7:9] "foo.u32\\t%0;\\n", {list_}, 0);\n'
    kernel = head.format("k", "__attribute__((flatten, noclone, noinline))\n")
    assert refused_ptx(kernel + call + "}\n") == ("`foo.u32` is no instruction of PTX", 7)
    assert refused_ptx(kernel + "}\n" + head.format("g", "") + call + "}\n") is None
    assert refused_ptx(kernel + "  g ();\n}\n" + head.format("g", "") + call + "}\n") is not None
