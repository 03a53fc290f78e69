"""The results of scalar PTX: each instruction on edges and on random numbers, as a GPU gives them, bit by bit.

    python3 -m benchmarks.fidelity.scalar_ptx > benchmarks/results/h200/scalar_ptx.json      (a minute, for nvcc)

tests/emulator/test_scalar_ptx.py holds the emulator to it.
"""

from __future__ import annotations

import base64
import ctypes
import json
import subprocess
import tempfile
import zlib
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks.fidelity.scalar_statements import COUNT, Bits, Statement, inputs, statements

KEPT = slice(None, None, 6)  # of the inputs, whose results are written down
C_TYPES = {"h": "unsigned short", "r": "unsigned", "l": "unsigned long long", "f": "float", "d": "double"}


def statement(number: int | str, each: Statement, place: str) -> str:
    """C++ that runs it with x[...] and puts its result into v's bits; `place` is where its first input stands."""
    names = enumerate(each.kinds[1:])
    given = ", ".join(f'"{kind}"({_from_bits(kind, f"x[{place} + {i} * {COUNT}]")})' for i, kind in names)
    kind = each.kinds[0]
    ran = f'asm volatile("{each.text}" : "={kind}"(v) : {given});'
    return f"{{ {C_TYPES[kind]} v; {ran} z[{number}] = {_to_bits(kind)}; }}"


def source(tried: list[Statement]) -> str:
    """A kernel of all statements: x (statements, 4, COUNT), z (statements, COUNT)."""
    rows = [statement(f"{n}ll * {COUNT} + i", each, f"{4 * n}ll * {COUNT} + i") for n, each in enumerate(tried)]
    body = "\n    ".join(rows)
    return f"""__global__ void some(const unsigned long long* x, unsigned long long* z) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
extern "C" int run(const void* x, void* z) {{
    void *dx, *dz;
    const size_t bytes = {len(tried)}ull * {COUNT} * 8;
    cudaMalloc(&dx, 4 * bytes), cudaMalloc(&dz, bytes);
    cudaMemcpy(dx, x, 4 * bytes, cudaMemcpyHostToDevice);
    some<<<{COUNT // 128}, 128>>>((const unsigned long long*)dx, (unsigned long long*)dz);
    return cudaMemcpy(z, dz, bytes, cudaMemcpyDeviceToHost);
}}
"""


def _from_bits(kind: str, place: str) -> str:
    casts = {"f": "__uint_as_float(static_cast<unsigned>({}))", "d": "__longlong_as_double(static_cast<long long>({}))"}
    return casts.get(kind, f"static_cast<{C_TYPES[kind]}>({{}})").format(place)


def _to_bits(kind: str) -> str:
    return {"f": "__float_as_uint(v)", "d": "static_cast<unsigned long long>(__double_as_longlong(v))"}.get(kind, "v")


def packed(results: Bits) -> str:
    return base64.b64encode(zlib.compress(results.astype("<u8").tobytes(), 9)).decode()


def unpacked(text: str) -> Bits:
    """(statements, results that were kept)"""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u8").reshape(-1, len(range(COUNT)[KEPT]))


def main() -> None:
    import torch

    tried = statements()
    x = np.ascontiguousarray(inputs(tried))
    z = np.zeros((len(tried), COUNT), np.uint64)
    with tempfile.TemporaryDirectory() as folder:
        text, library = Path(folder) / "scalar.cu", Path(folder) / "scalar.so"
        text.write_text(source(tried))
        major, minor = torch.cuda.get_device_capability()
        command = ["nvcc", "-std=c++17", f"-arch=sm_{major}{minor}", "-shared", "-Xcompiler", "-fPIC", str(text)]
        subprocess.run([*command, "-o", str(library)], check=True)
        code = ctypes.CDLL(str(library)).run(x.ctypes.data_as(ctypes.c_void_p), z.ctypes.data_as(ctypes.c_void_p))
    assert code == 0, f"the kernel ends with error {code}"
    said = {"device": torch.cuda.get_device_name(), "date": str(date.today()), "statements": len(tried)}
    print(json.dumps(said | {"results": packed(z[:, KEPT])}, indent=1))


if __name__ == "__main__":
    main()
