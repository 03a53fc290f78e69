"""Which volatile reads look at a flag, told from machine code of both kinds of machine."""

from __future__ import annotations

import pytest

from grader.devices.emulator.flags import flag_reads

READ = "1010 <__tsan_volatile_read4@plt>"
BLOCK = "1020 <__sanitizer_cov_trace_pc@plt>"


def told(*rows: str) -> bool:
    """Whether the read is of a flag, whose callback comes first; each row is four bytes behind the one before."""
    code = [(0x100 + 4 * number, *[*row.split(" ", 1), ""][:2]) for number, row in enumerate(rows)]
    return flag_reads(code) == [0x104]


@pytest.mark.parametrize(
    "rows",
    [
        ["mov (%rbx),%eax", "test %eax,%eax", "je 100 <k+0x10>"],
        ["cmpl $0x0,(%rbx)", "je 100 <k+0x10>"],
        ["mov 0x0(%rbp),%rbx", "mov %rbx,%r12", "shr $0x20,%r12", "je 100 <k+0x10>"],
        ["mov (%rbx),%ebp", f"call {BLOCK}", "cmp $0x2,%ebp", "jne 200 <k+0x10>"],
        ["mov (%rbx),%ebp", "cmp %r14d,%r13d", "jg 200 <k+0x10>", "and $0x4,%ebp", "je 100 <k+0x10>"],
        ["mov (%rbx),%eax", "test %eax,%eax", "sete %dl", "movzbl %dl,%edx", "call 1090 <ladder_warp@plt>",
         "test %eax,%eax", "jne 100 <k+0x10>"],
    ],
)  # fmt: skip
def test_a_flag_on_x86(rows):
    assert told(f"call {READ}", *rows)


@pytest.mark.parametrize(
    "rows",
    [
        ["addss (%rbx),%xmm0", "add $0x4,%rbx", "cmp %rbp,%rbx", "jne 100 <k+0x10>"],
        ["add (%rbx),%r12d", "add $0x4,%rbx", "cmp %rbp,%rbx", "jne 100 <k+0x10>", "test %r12d,%r12d", "je 200 <k>"],
        ["mov (%rbx),%eax", f"call {READ}", "test %eax,%eax", "je 100 <k+0x10>"],  # eax is another value by then
        ["mov (%rbx),%eax", "mov %eax,(%r12)", "ret"],
        ["mov (%rbx),%eax", "mov $0x1,%eax", "test %eax,%eax", "je 100 <k+0x10>"],
        [],
    ],
)
def test_data_on_x86(rows):
    assert not told(f"call {READ}", *rows)


@pytest.mark.parametrize(
    ("rows", "flag"),
    [
        (["ldr w0, [x19]", "cbz w0, 100 <k+0x10>"], True),
        (["ldr w0, [x19]", "cmp w0, #0x3", "b.ne 100 <k+0x10>"], True),
        (["ldr x20, [x19]", f"bl {BLOCK}", "lsr x21, x20, #32", "cbz x21, 100 <k+0x10>"], True),
        (["ldr w0, [x19], #4", "add w20, w20, w0", "cmp x19, x21", "b.ne 100 <k+0x10>"], False),
        (["ldr s0, [x19]", "fadd s8, s8, s0", "add x19, x19, #0x4", "cmp x19, x21", "b.ne 100 <k+0x10>"], False),
        (["ldr w0, [x19]", "str w0, [x20]", "ret"], False),
    ],
)
def test_both_on_aarch64(rows, flag):
    assert told(f"bl {READ}", *rows) == flag
