"""`ladder run`: what host code does with memory of its own, and of the GPU's, in calls that no callback sees into."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = Path(__file__).with_name("programs") / "host_memory.cu"


def findings(folder: Path, name: str, text: str) -> list[tuple[int, str, str]]:
    (folder / name).write_text(text)
    found = json.loads(run_ladder(folder, "run", name, "--json").stdout)["findings"]
    return [(each["line"], each["kind"], each["message"]) for each in found]


@pytest.mark.slow
def test_copies_that_leave_host_memory_are_told_and_those_beside_them_are_right(tmp_path):
    text = PROGRAM.read_text()
    rows = enumerate(text.split("\n"), start=1)
    wrong = {number: said for number, row in rows if (said := row.partition("  // wrong: ")[2])}
    wrong[text[: text.index("up(const void* from")].count("\n") + 1] = "host memory of 100 bytes"  # `up(zeroes, 104)`
    found = findings(tmp_path, "host_memory.cu", text)
    assert {line for line, *_ in found} == set(wrong)
    assert not [each for line, kind, each in found if kind != "wrong_call" or wrong[line] not in each], found


STRUCTURE = """
struct Numbers { float* x; int n; };
__global__ void ones(Numbers* v) { if (threadIdx.x < v->n) v->x[threadIdx.x] = 1; }
int main() {
    Numbers host{nullptr, 32}, *d;
    cudaMalloc(&d, sizeof(Numbers));
    ALLOCATE(&WHERE, 128);
    cudaMemcpy(d, &host, sizeof host, cudaMemcpyHostToDevice);
    ones<<<1, 32>>>(d);
    cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize("allocate", long_tail(["cudaMalloc", "cudaMallocManaged"], every=4))
def test_a_pointer_that_an_allocation_writes_into_the_devices_memory(tmp_path, allocate):
    text = STRUCTURE.replace("ALLOCATE", allocate)
    assert not findings(tmp_path, "structure.cu", text.replace("WHERE", "host.x"))
    (line, kind, told), *_ = findings(tmp_path, "structure.cu", text.replace("WHERE", "d->x"))
    assert (line, kind) == (7, "host_access") and f"{allocate} writes the new pointer into element 0 of d" in told


PROGRAM_OF_ONE_LINE = """
__global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }
int main() {
    std::vector<float> host(32, 1.0f);
    float *x = nullptr, *wild = (float*)1234567;
    cudaMalloc(&x, 32 * sizeof(float));
    cudaMemcpy(x, host.data(), 32 * sizeof(float), cudaMemcpyHostToDevice);
    LINE
    cudaFree(x);
}
"""


MISTAKES = [
    ("twice<<<1, 32>>>(x, 32);", "", ""),
    ("float* p = (float*)malloc(400); free(p); free(nullptr);", "", ""),
    ("float* p; cudaMallocHost(&p, 400); cudaFreeHost(p);", "", ""),
    ("free(x);", "invalid_free", "free() or delete of memory from CUDA: cudaFree gives that back"),
    ("float* p; cudaMallocHost(&p, 400); delete[] p;", "invalid_free", "cudaFreeHost that of cudaMallocHost"),
    ("cudaFree(x + 1);", "invalid_free", "a pointer into an array: hand over the one that cudaMalloc gave"),
    ("cudaFree(host.data());", "invalid_free", "of a pointer that cudaMalloc did not return"),
    ("float* p; cudaMalloc(&p, 4); cudaFree(p); cudaFree(p);", "invalid_free", "memory that was freed before"),
    ("cudaMalloc((void**)nullptr, 400);", "", ""),
    ("cudaMalloc((void**)wild, 400);", "wrong_call", "hand over the address of your pointer, `cudaMalloc(&p"),
    (
        "cudaMalloc(&wild, 128); cudaMemcpy(wild, x, 32, cudaMemcpyDeviceToDevice); twice<<<1, 32>>>(wild, 32);",
        "uninitialized_read",
        "the copy or memset in line 8 has filled 32 of its 128 bytes",
    ),
    ("float* p; cudaMalloc(&p, 400); cudaDeviceReset(); cudaMalloc(&x, 4); cudaMemset(x, 0, 4);", "", ""),
    ("cudaDeviceReset(); cudaMemset(x, 0, 4); x = nullptr;", "out_of_bounds", "after it was freed"),
    ("__syncthreads();", "", "`__syncthreads` is a function of the GPU, which host code cannot call"),
]


@pytest.mark.parametrize(("line", "kind", "told"), long_tail(MISTAKES, every=16, slow=6))
def test_what_one_line_of_host_code_does_wrong(tmp_path, line, kind, told):
    text = "#include <vector>" + PROGRAM_OF_ONE_LINE.replace("LINE", line)
    (tmp_path / "line.cu").write_text(text)
    said = run_ladder(tmp_path, "run", "line.cu", "--json")
    if not kind:
        assert told in said.stdout + said.stderr and ('"findings": []' in said.stdout or told), said
        return
    found = json.loads(said.stdout)["findings"]
    assert [each["kind"] for each in found] == [kind] and told in found[0]["message"], found


@pytest.mark.parametrize(
    ("line", "said"),
    long_tail(
        [
            ("x[99] = 1;", ""),
            ("x[100] = 1;", "writes element 100 of x (cudaMallocManaged in line 4), past its end: it has 100 elements"),
            ("cudaFree(x); return (int)x[1];", "reads element 1 of x (cudaMallocManaged in line 4) after it was freed"),
            ("cudaMemcpy(q, x, 4, cudaMemcpyHostToDevice);", "the destination of this copy is no device memory"),
        ],
        every=4,
        slow=2,
    ),
)
def test_what_host_code_may_touch_has_an_end(tmp_path, line, said):
    text = f"\nint main() {{\nfloat* x; int place, *q = &place;\ncudaMallocManaged(&x, 400);\n{line}\n}}\n"
    found = findings(tmp_path, "end.cu", text)
    assert found if said else not found
    assert not said or (said in found[0][2] and found[0][1] == "out_of_bounds"), found


COPIES_BACK = """
#include <cstdio>
__global__ void add(const float* x, float* y, int n) { int i = INDEX; if (GUARD) y[i] = x[i] + 1; }
int main() {
    const int n = 1000;
    float h[n] = {}, *x, *y, *both;
    cudaMalloc(&x, sizeof h), cudaMalloc(&y, sizeof h), cudaMallocManaged(&both, 64);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    add<<<BLOCKS, 128>>>(x, y, n);
    cudaMemcpy(h, y, COPIED * sizeof(float), cudaMemcpyDeviceToHost);
    BOTH
    printf("%f\\n", h[0]);
    cudaFree(x), cudaFree(y), cudaFree(both);
}
"""
RIGHT = {"INDEX": "blockIdx.x * blockDim.x + threadIdx.x", "GUARD": "i < n", "BLOCKS": "8", "COPIED": "n", "BOTH": ""}


@pytest.mark.parametrize(
    ("wrong", "told"),
    long_tail(
        [
            ({"GUARD": "i < 0"}, "note p.cu:10 this copies to the host what nothing has written, from y"),
            ({"BLOCKS": "n / 128"}, "its first 3,584 bytes are written, as much as a launch has threads for"),
            ({"BLOCKS": "7", "COPIED": "896"}, ""),
            ({"GUARD": "i < 500"}, ""),  # what there is of results may be less
            (
                {"GUARD": "i < n && i % 2"},
                "host code reads element 0 of y (cudaMalloc in line 7), as the copy in line 10",
            ),
            ({"BOTH": "h[0] = both[16];"}, "1. out of bounds p.cu:11 host code reads element 16 of both"),
            ({"BOTH": "both[15] = 0;"}, ""),
        ],
        every=4,
        slow=2,
    ),
)
def test_what_comes_back_unwritten_is_told_without_being_asked(tmp_path, wrong, told):
    text = COPIES_BACK
    for name, part in (RIGHT | wrong).items():
        text = text.replace(name, part)
    (tmp_path / "p.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    if told:
        assert told in said, said
    else:
        assert "no findings in 1 kernel" in said and "this copies" not in said, said


NO_BARRIER = """
__global__ void product(const float* a, const float* b, float* c) {
    __shared__ float As[16][16], Bs[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    As[y][x] = a[y * 16 + x];
    Bs[y][x] = b[y * 16 + x];
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += As[y][k] * Bs[k][x];
    c[y * 16 + x] = sum;
}
int main() {
    float *a, *b, *c;
    cudaMalloc(&a, 1024), cudaMalloc(&b, 1024), cudaMalloc(&c, 1024);
    cudaMemset(a, 0, 1024), cudaMemset(b, 0, 1024);
    product<<<1, dim3(16, 16)>>>(a, b, c);
    cudaFree(a), cudaFree(b), cudaFree(c);
}
"""


def test_the_race_comes_before_what_follows_from_it(tmp_path):
    kinds = [kind for _, kind, _ in findings(tmp_path, "p.cu", NO_BARRIER)]
    assert "race" in kinds and kinds == sorted(kinds), kinds  # "race" comes before "uninitialized_read"


BESIDE = """
__global__ void twice(int* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }
__global__ void answer(int* x, volatile int* stop) {
    for (int i = 0; i < 100 && !*stop; ++i) {}
    x[0] = 1;
}
int main() {
    int* x;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    ALLOCATE;
    for (int i = 0; i < 32; ++i) x[i] = i;
    x[63] = 0;
    LAUNCH;
    x[TOUCHED] = 5;
    cudaStreamSynchronize(stream);
}
"""


@pytest.mark.parametrize(
    ("launch", "touched", "said"),
    long_tail(
        [
            ("twice<<<1, 32, 0, stream>>>(x, 32)", 32, ""),
            ("twice<<<1, 32, 0, stream>>>(x, 32)", 31, "host code writes element 31 of x"),
            ("twice<<<1, 32, 0, stream>>>(x + 1, 31)", 0, ""),
            ("answer<<<1, 1, 0, stream>>>(x, x + 63)", 63, ""),  # a flag that the kernel looks at
            ("answer<<<1, 1, 0, stream>>>(x, x + 63)", 0, "host code writes element 0 of x"),
        ],
        every=4,
        slow=2,
    ),
)
@pytest.mark.parametrize(
    "allocate", long_tail(["cudaMallocHost(&x, 256)", "cudaMallocManaged(&x, 256)"], every=4, slow=1)
)
def test_host_code_touches_memory_beside_what_a_kernel_uses(tmp_path, allocate, launch, touched, said):
    text = BESIDE.replace("ALLOCATE", allocate).replace("LAUNCH", launch).replace("TOUCHED", str(touched))
    found = findings(tmp_path, "beside.cu", text)
    assert [kind for _, kind, _ in found] == (["race"] if said else []), found
    assert all(said in each for *_, each in found), found


TWO_DEVICES = """
int main() {
    float* x[2];
    for (int i = 0; i < 2; ++i) cudaSetDevice(i), cudaMalloc(&x[i], 128);
    for (int i = 0; i < 2; ++i) {
        cudaSetDevice(i);
        BOTH;
    }
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("both", "told"),
    [
        ("cudaFree(x[i]); cudaDeviceReset()", "no findings"),
        ("cudaDeviceReset(); cudaFree(x[i])", "cudaFree of memory that was freed before"),
    ],
)
def test_a_reset_gives_back_the_memory_of_its_own_device(tmp_path, both, told):
    (tmp_path / "two.cu").write_text(TWO_DEVICES.replace("BOTH", both))
    said = run_ladder(tmp_path, "run", "two.cu", "--devices", "2")
    assert told in said.stdout + said.stderr, said
