"""`ladder run`: what cuFFT and cuSPARSE compute, and what is told of their arrays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.warm import run_ladder

PROGRAMS = Path(__file__).with_name("programs")
PROGRAM = PROGRAMS / "fourier.cu"
SPARSE = PROGRAMS / "sparse.cu"


@pytest.mark.slow
def test_transforms_are_as_their_definition_says(tmp_path):
    said = run_ladder(tmp_path, "run", str(PROGRAM), "-lcufft")
    assert said.stdout == "near 1\n" and "no findings" in said.stderr, said  # 1: a plan of another type is none


@pytest.mark.whole
def test_an_array_too_short_for_a_transform_is_told_at_its_line(tmp_path):
    line = PROGRAM.read_text().split("// one too many")[0].count("\n") + 1
    found = json.loads(run_ladder(tmp_path, "run", str(PROGRAM), "--json", "--", "short").stdout)["findings"]
    assert [(each["kind"], each["line"]) for each in found] == [("out_of_bounds", line)], found


@pytest.mark.slow
def test_sparse_matrices_of_all_forms_are_multiplied(tmp_path):
    said = run_ladder(tmp_path, "run", str(SPARSE), "-lcusparse")
    rows = [row.strip() for row in said.stdout.strip().split("\n")]
    vectors = ["201 3000 54"] * 3 + ["835 550 904 19000", "3"]  # by hand; 3: the sizes do not fit
    assert rows == [*vectors, "201 402 3000 6000 54 108", "201 3000 54 402 6000 108"], said
    assert "no findings" in said.stderr


@pytest.mark.slow
def test_an_index_outside_of_a_sparse_matrix_is_told_at_the_products_line(tmp_path):
    line = SPARSE.read_text().split("// by a vector")[0].count("\n") + 1
    (found,) = json.loads(run_ladder(tmp_path, "run", str(SPARSE), "--json", "--", "wrong").stdout)["findings"]
    assert found["line"] == line and "an element outside of its rows or columns" in found["message"], found


THRUST = """
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/system_error.h>
#include <thrust/unique.h>
int main() try {
    const int keys[] = {1, 1, 2, 2, 2, 1}, values[] = {10, 11, 12, 13, 14, 15};
    thrust::device_vector<int> k(keys, keys + 6), v(values, values + 6), a(3), b(3);
    const auto ends = thrust::unique_by_key_copy(k.begin(), k.end(), v.begin(), a.begin(), b.begin());
    swap(a, b);
    thrust::swap(k, v);
    thrust::device_ptr<int> p = k.data(), q = v.data();
    swap(p, q);
    printf("%d %d %d, %d %d %d\\n", int(ends.first - b.begin()), int(a[1]), int(b[2]), int(k[0]), int(*p), int(*q));
} catch (thrust::system_error& error) {
    printf("%s\\n", error.what());
}
"""


@pytest.mark.whole
def test_thrust_swaps_and_keeps_the_first_of_equal_keys(tmp_path):
    (tmp_path / "p.cu").write_text(THRUST)
    said = run_ladder(tmp_path, "run", "p.cu")
    assert said.stdout == "3 12 1, 10 1 10\n" and "no findings" in said.stderr, said
