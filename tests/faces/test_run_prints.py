"""`ladder run`: a kernel's printf knows what a GPU's does, prints as that and gives what that gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

# As an H200 printed it. It may take a value for another one behind what it does not know, so that stands last.
KNOWN = {
    r'"%d %i %u %x %X %o %c %s %%\n", -5, 6, 7u, 255, 255, 8, 97, "text"': "-5 6 7 ff FF 10 a text %",
    r'"%5d|%-5d|%05d|%+d|% d|\n", 42, 42, 42, 42, 42': "   42|42   |00042|+42| 42|",
    r'"%.3f %e %g %6.2f|%-6.2f|\n", 3.14159, 12345.678, 0.0001, 2.5f, 2.5': "3.142 1.234568e+04 0.0001   2.50|2.50  |",
    r'"%ld %lld %lu %llu %lx\n", -1L, -2LL, 3UL, 4ULL, 255L': "-1 -2 3 4 ff",
    r'"%hd %hu %#x %#o\n", -1, 65535, 255, 8': "-1 65535 0xff 010",
    r'"%*d|%-*d|%.5d|%5.3d|\n", 5, 3, 5, 3, 42, 42': "    3|3    |00042|  042|",
    r'"%5s|%-5s|%.2s|%s\n", "ab", "ab", "abcdef", "%d"': "   ab|ab   |ab|%d",
    r'"%a %A %G %.0f %.20f\n", 1.0, 2.5, 1e-10, 2.5, 0.1': "0x1p+0 0X1.4P+1 1E-10 2 0.10000000000000000555",
    r'"%g %g %g %p\n", 1 / zero, -1 / zero, nan(""), (void*)0x1234': "inf -inf nan 0x1234",
}
UNKNOWN = {
    r'"%zu|\n", sizeof(int)': ("%zu|", "write %llu for `(unsigned long long)value`"),
    r'"%jd|\n", 5L': ("%jd|", "or %lld for `(long long)value`"),
    r'"%.*f|\n", 2, 1.5': ("%.*f|", "write the number of digits itself"),
    r'"%.*s|\n", 2, "abcd"': ("%.*s|", "write the number of digits itself"),
    r'"%y|\n", 3': ("%y|", "leave it out"),
    r"""
    "%'d|\n", 1000""".strip(): ("%'d|", "leave it out"),
}


def program(*printed: str) -> str:
    calls = "".join(f"    printf({each});\n" for each in printed)
    return f"__global__ void k(double zero) {{\n{calls}}}\nint main() {{ k<<<1, 1>>>(0); cudaDeviceSynchronize(); }}\n"


def ran(folder: Path, text: str, *options: str) -> str:
    (folder / "p.cu").write_text(text)
    return run_ladder(folder, "run", "p.cu", *options).stdout


def test_what_a_gpu_knows_is_printed_as_there(tmp_path):
    assert ran(tmp_path, program(*KNOWN)).splitlines() == list(KNOWN.values())


@pytest.mark.slow
def test_what_a_gpu_does_not_know_is_printed_as_it_is_written_and_told(tmp_path):
    assert ran(tmp_path, program(*UNKNOWN)).splitlines() == [printed for printed, _ in UNKNOWN.values()]
    found = json.loads(ran(tmp_path, program(*UNKNOWN), "--json"))["findings"]
    assert [(each["kind"], each["severity"]) for each in found] == [("unknown_format", "error")] * len(UNKNOWN)
    for each, line, (printed, instead) in zip(found, range(2, 99), UNKNOWN.values(), strict=False):
        assert each["line"] == line and f"`{printed[:-1]}`" in each["message"] and instead in each["message"]


@pytest.mark.parametrize(
    ("printed", "values"),
    long_tail([(r'"none\n"', 0), (r'"%d %d\n", 1, 2', 2), (r'"%s %% %d %*d\n", "a", 1, 3, 4', 4)], every=4),
)
def test_it_gives_the_number_of_values(printed, values, tmp_path):
    text = program(r'"%d\n", ' + f"printf({printed})")
    assert ran(tmp_path, text).splitlines()[-1] == str(values)


@pytest.mark.slow
def test_host_code_knows_more(tmp_path):
    text = '#include <cstdio>\nint main() { int n = printf("%zu %.*f\\n", sizeof(int), 1, 2.5); printf("%d\\n", n); }\n'
    assert ran(tmp_path, text) == "4 2.5\n6\n" and json.loads(ran(tmp_path, text, "--json"))["findings"] == []
