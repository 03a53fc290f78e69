"""Addresses of functions and of tables of virtual functions, which host code and kernels each have for themselves."""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <new>
typedef int (*F)(int);
struct Shape {
    int size;
    __host__ __device__ Shape(int size) : size(size) {}
    __host__ __device__ virtual int area() const { return size; }
};
struct Square : Shape {
    __host__ __device__ Square(int size) : Shape(size) {}
    __host__ __device__ int area() const override { return size * size; }
};
struct Task { int n; F run; };
__host__ __device__ int one(int x) { return x + 1; }
__host__ __device__ int two(int x) { return x + 2; }
__device__ F on_device[2] = {one, two};
__constant__ F table[2];
__global__ void calls(int* z) { z[0] = table[1](5); }
__global__ void calls_it(int* z, F f) { z[0] = f(6); }
__global__ void runs(int* z, Task task) { z[0] = task.run(task.n); }
__global__ void makes(Square* place) { new (place) Square(3); }
__global__ void asks(int* z, const Shape* shape) { z[0] = shape->area(); }
__global__ void only_reads(int* z, const Shape* shape, Task task) { z[0] = shape->size + task.n; }

int main() {
    int* z;
    int h = 0;
    Square* shape;
    Square square(4);
    F here[2] = {one, two};
    cudaMalloc(&z, sizeof(int));
    cudaMalloc(&shape, sizeof(Square));
    BODY
    cudaMemcpy(&h, z, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\\n", h, square.area());
    cudaFree(z);
    cudaFree(shape);
}
"""


def run(folder, body: str) -> str:
    (folder / "p.cu").write_text(PROGRAM.replace("BODY", body))
    done = run_ladder(folder, "run", "p.cu")
    return " ".join((done.stdout + done.stderr).split())


MANAGED = "cudaFree(shape); cudaMallocManaged(&shape, sizeof(Square));"
FROM_DEVICE = "cudaMemcpyFromSymbol(here, on_device, sizeof here);"


RIGHT = [
    (f"{FROM_DEVICE} cudaMemcpyToSymbol(table, here, sizeof here); calls<<<1, 1>>>(z);", "7 16"),
    (f"{FROM_DEVICE} calls_it<<<1, 1>>>(z, here[0]);", "7 16"),
    (f"{FROM_DEVICE} Task task{{4, here[1]}}; for (int i = 0; i < 2; ++i) runs<<<1, 1>>>(z, task);", "6 16"),
    ("makes<<<1, 1>>>(shape); asks<<<1, 1>>>(z, shape);", "9 16"),
    (f"{MANAGED} makes<<<1, 1>>>(shape); asks<<<1, 1>>>(z, shape);", "9 16"),
    (f"{MANAGED} new (shape) Square(3); only_reads<<<1, 1>>>(z, shape, Task{{4, nullptr}});", "7 16"),
    (
        "cudaMemcpy(shape, &square, sizeof square, cudaMemcpyHostToDevice);"
        "cudaMemcpy(&square, shape, sizeof square, cudaMemcpyDeviceToHost);"
        "Task task{one(2), one}; only_reads<<<1, 1>>>(z, shape, task); square.size += task.run(0);",
        "7 25",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("body", "prints"), long_tail(RIGHT, every=12))
def test_what_each_side_uses_of_its_own_is_right(tmp_path, body, prints):
    said = run(tmp_path, body)
    assert said.startswith(f"{prints} ") and "no findings" in said, said


WRONG = [
    (f"{MANAGED} new (shape) Square(3); asks<<<1, 1>>>(z, shape);", "host code has made the `Square` whose virtual"),
    ("cudaMemcpyToSymbol(table, here, sizeof here); calls<<<1, 1>>>(z);", "`two(int)` as host code has it"),
    ("calls_it<<<1, 1>>>(z, one);", "`one(int)` as host code has it"),
    ("runs<<<1, 1>>>(z, Task{1, one});", "In host code a function's address is one of the host's"),
    (
        "cudaMemcpy(shape, &square, sizeof square, cudaMemcpyHostToDevice); asks<<<1, 1>>>(z, shape);",
        "host code has made the `Square` whose virtual function it calls",
    ),
]


@pytest.mark.parametrize(("body", "told"), long_tail(WRONG, every=6))
def test_what_the_other_side_has_made_is_told(tmp_path, body, told):
    said = run(tmp_path, body)
    assert told in said and "1 finding" in said, said
