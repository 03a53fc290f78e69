"""What instructions on matrices cost: clocks of a multiprocessor for each of a warp's mma.sync, ldmatrix and stmatrix.

    python3 -m benchmarks.model.matrices > benchmarks/results/h200/matrices.json      (half a minute, for nvcc)

One block of 32 warps has a multiprocessor to itself and does the same instruction again and again, in chains that do
not wait for each other. Those of mma.sync are all that the emulator runs; rows of ldmatrix meet in no bank.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

ROUNDS, CHAINS, WARPS = 2048, 4, 32
# Types of the sums, and of the operands, with the shapes of each and its registers of c, a and b.
PRODUCTS = (
    ("f32", "bf16", {"m16n8k8": (4, 2, 1), "m16n8k16": (4, 4, 2)}),
    ("f32", "f16", {"m16n8k8": (4, 2, 1), "m16n8k16": (4, 4, 2)}),
    ("f16", "f16", {"m16n8k8": (2, 2, 1), "m16n8k16": (2, 4, 2)}),
    ("f32", "tf32", {"m16n8k4": (4, 2, 1), "m16n8k8": (4, 4, 2)}),
    ("s32", "s8", {"m16n8k16": (4, 2, 1), "m16n8k32": (4, 4, 2)}),
    ("f32", "e4m3", {"m16n8k32": (4, 4, 2)}),
    ("f64", "f64", {"m8n8k4": (2, 1, 1)}),
)
MOVES = tuple(f"m8n8.{count}{way}.shared.b16" for way in ("", ".trans") for count in ("x1", "x2", "x4"))
LETTERS = {"f32": "f", "f64": "d"}
C_TYPES = {"f": "float", "d": "double", "r": "unsigned"}


def statements() -> Iterator[tuple[str, str, str]]:
    """Of each instruction its name, what it declares, and the `asm` of chain k."""
    for sums, operand, shapes in PRODUCTS:
        for shape, counts in shapes.items():
            yield _product(f"mma.sync.aligned.{shape}.row.col.{sums}.{operand}.{operand}.{sums}", sums, operand, counts)
    for form in MOVES:
        yield _move(form)


def _product(name: str, sums: str, operand: str, counts: tuple[int, int, int]) -> tuple[str, str, str]:
    c, a, b = counts
    to, of = LETTERS.get(sums, "r"), LETTERS.get(operand, "r") if operand == "f64" else "r"
    lists = [", ".join(f"%{i}" for i in range(c)), ", ".join([f"%{c}"] * a), ", ".join([f"%{c}"] * b)]
    text = f"{name} {{{lists[0]}}}, {{{lists[1]}}}, {{{lists[2]}}}, {{{lists[0]}}};"
    results = ", ".join(f'"+{to}"(c[k][{i}])' for i in range(c))
    # ptxas makes several instructions of a product of 8-bit floats; of those of the same numbers it would do one.
    number = f"x ^ (round * {CHAINS} + k)" if operand == "e4m3" else "x"
    given = f'"{of}"({C_TYPES[of]}({number}))'
    declared = f"{C_TYPES[to]} c[{CHAINS}][4] = {{}};"
    return name, declared, f'asm volatile("{text}" : {results} : {given});'


def _move(form: str) -> tuple[str, str, str]:
    words = int(form[form.index(".x") + 2])
    loaded = ", ".join(f"%{i}" for i in range(words))
    results = ", ".join(f'"=r"(c[k][{i}])' for i in range(words))
    text = f"ldmatrix.sync.aligned.{form} {{{loaded}}}, [%{words}];"
    return (
        f"ldmatrix.sync.aligned.{form}",
        f"unsigned c[{CHAINS}][4] = {{}};",
        (f'{{ asm volatile("{text}" : {results} : "r"(at[k]) : "memory"); at[k] += c[k][0]; }}'),
    )


def _store(form: str) -> tuple[str, str, str]:
    words = int(form[form.index(".x") + 2])
    values = ", ".join(f'"r"(c[k][{i}])' for i in range(words))
    stored = ", ".join(f"%{i + 1}" for i in range(words))
    text = f"stmatrix.sync.aligned.{form} [%0], {{{stored}}};"
    return (
        f"stmatrix.sync.aligned.{form}",
        f"unsigned c[{CHAINS}][4] = {{}};",
        (f'asm volatile("{text}" :: "r"(at[k]), {values} : "memory");'),
    )


def source() -> tuple[str, list[str]]:
    """The program's text, and the names in the order of its results."""
    every = [*statements(), *map(_store, MOVES)]
    kernels = "".join(_kernel(number, *each) for number, each in enumerate(every))
    runs = " ".join(f"once<{number}>(out + {number});" for number in range(len(every)))
    text = f"""template <int kNumber> __global__ void some(long long* out, int x);
{kernels}
template <int kNumber> void once(double* out) {{
    long long *clocks, found;
    cudaMalloc(&clocks, sizeof *clocks);
    for (int k = 0; k < 2; ++k) some<kNumber><<<1, {32 * WARPS}>>>(clocks, 0);
    cudaMemcpy(&found, clocks, sizeof found, cudaMemcpyDeviceToHost);
    *out = double(found) / {ROUNDS * CHAINS * WARPS};
}}
extern "C" int run(double* out) {{ {runs} return cudaDeviceSynchronize(); }}
"""
    return text, [name for name, *_ in every]


def _kernel(number: int, name: str, declared: str, statement: str) -> str:
    return f"""template <> __global__ void some<{number}>(long long* out, int x) {{   // {name}
    __shared__ alignas(16) unsigned char tile[{WARPS}][32 * 16];
    auto own = reinterpret_cast<uint4*>(&tile[threadIdx.x / 32][threadIdx.x % 32 * 16]);
    *own = {{}};   // a load adds to where the next one loads: else ptxas would do one of them
    unsigned at[{CHAINS}];
    for (unsigned& each : at) each = unsigned(__cvta_generic_to_shared(own));
    {declared}
    for (int k = 0; k < {CHAINS}; ++k)   // no two chains are the same, or ptxas would do one of them
        for (int i = 0; i < 4; ++i) c[k][i] = x + 4 * k + i;
    __syncthreads();
    long long begin = clock64();
    for (int round = 0; round < {ROUNDS}; ++round)
#pragma unroll
        for (int k = 0; k < {CHAINS}; ++k) {statement}
    __syncthreads();
    if (threadIdx.x == 0) *out = clock64() - begin;
    long long sum = 0;   // so that ptxas leaves nothing out
    for (int k = 0; k < {CHAINS}; ++k) sum += (long long)c[k][0];
    if (sum == 3) out[1] = at[0];
}}
"""


def main() -> None:
    import torch

    text, names = source()
    out = (ctypes.c_double * len(names))()
    with tempfile.TemporaryDirectory() as folder:
        file, library = Path(folder) / "matrices.cu", Path(folder) / "matrices.so"
        file.write_text(text)
        major, minor = torch.cuda.get_device_capability()
        command = ["nvcc", "-std=c++17", f"-arch=sm_{major}{minor}", "-shared", "-Xcompiler", "-fPIC", str(file)]
        subprocess.run([*command, "-o", str(library)], check=True)
        code = ctypes.CDLL(str(library)).run(out)
    assert code == 0, f"the kernels end with error {code}"
    clocks = {name: round(each, 3) for name, each in zip(names, out, strict=True)}
    print(json.dumps({"device": torch.cuda.get_device_name(), "date": str(date.today()), "clocks": clocks}, indent=1))


if __name__ == "__main__":
    main()
