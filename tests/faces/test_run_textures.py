"""`ladder run`: textures filter as an H200 does, whose weights have 8 bits, and have its colors at their borders. What
a texture or surface is made or asked for otherwise than it was meant is told.
"""

from __future__ import annotations

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
__global__ void fetch(cudaTextureObject_t t, float* out) {
    const int i = threadIdx.x;
    out[i] = tex2D<READ>(t, -2.25f + i * 0.37f, -1.4f + i % 7 * 0.93f);
}
int main() {
    TYPE texels[32];
    for (int i = 0; i < 32; ++i) texels[i] = i * 37 % 101 * SCALE;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<TYPE>();
    cudaMallocArray(&array, &format, 8, 4);
    cudaMemcpy2DToArray(array, 0, 0, texels, 8 * sizeof(TYPE), 8 * sizeof(TYPE), 4, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = MODE;
    how.filterMode = FILTER;
    how.readMode = AS;
    how.borderColor[0] = 7.5f;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    float* out;
    cudaMallocManaged(&out, 32 * sizeof(float));
    fetch<<<1, 32>>>(texture, out);
    cudaDeviceSynchronize();
    for (int i = 3; i < 16; ++i) printf("%.6g ", out[i]);
}
"""
FLOAT = {"TYPE": "float", "READ": "float", "AS": "cudaReadModeElementType", "SCALE": "0.5f"}
BYTE = {"TYPE": "unsigned char", "READ": "float", "AS": "cudaReadModeNormalizedFloat", "SCALE": "1"}
WHOLE = {"TYPE": "int", "READ": "int", "AS": "cudaReadModeElementType", "SCALE": "1"}
LINEAR, POINT = {"FILTER": "cudaFilterModeLinear"}, {"FILTER": "cudaFilterModePoint"}
CLAMP, BORDER = {"MODE": "cudaAddressModeClamp"}, {"MODE": "cudaAddressModeBorder"}
# The values of threads 3 to 15.
ON_AN_H200 = [
    (FLOAT | LINEAR | CLAMP, "41.8594 44.1289 40.875 40 0 3.90234 10.6953 16.8105 18.0547 21.666 27.584 23.25 11.375"),
    (FLOAT | LINEAR | BORDER, "7.5 7.5 10.8828 12.3242 7.5 7.41016 10.5547 16.8105 18.0547 21.666 13.9473 7.5 7.67188"),
    (WHOLE | POINT | BORDER, f"{'1.08947e+09 ' * 6}37 30 23 53{' 1.08947e+09' * 3}"),
    (BYTE | POINT | BORDER, "1 1 1 1 1 1 0.145098 0.117647 0.0901961 0.207843 1 1 1"),
]


@pytest.mark.parametrize(("words", "values"), long_tail(ON_AN_H200, every=4))
def test_fetches_give_what_they_give_on_an_h200(words, values, tmp_path):
    text = PROGRAM
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    (tmp_path / "fetch.cu").write_text(text)
    ran = run_ladder(tmp_path, "run", "fetch.cu")
    assert ran.stdout.split() == values.split(), ran.stderr


ROWS = """
#include <cstdio>
int main() {
    float* rows;
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, 64, 16);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {rows, cudaCreateChannelDesc<float>(), 16, 16, PITCH};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    printf("%s\\n", cudaGetErrorString(cudaCreateTextureObject(&texture, &resource, &how, nullptr)));
    cudaFree(rows);
}
"""


@pytest.mark.parametrize(
    ("pitch", "told"),
    long_tail(
        [
            ("16", "more than the texture's pitch of 16"),
            ("72", "a pitch of 72 is no multiple"),
            ("pitch", ""),
            ("64", ""),
        ],
        every=4,
        slow=2,
    ),
)
def test_a_pitch_that_no_texture_has_makes_the_call_fail(tmp_path, pitch, told):
    (tmp_path / "p.cu").write_text(ROWS.replace("PITCH", pitch))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert told in said and ("invalid argument" if told else "no error") in said, said


FETCHES = """
#include <cstdio>
__global__ void k(cudaTextureObject_t t, float* z) {
    int i = threadIdx.x;
    z[i] = tex1Dfetch<float>(t, i);
}
int main() {
    float *x, *z;
    cudaMalloc(&x, 128), cudaMalloc(&z, 128), cudaMemset(x, 0, 128);
    cudaResourceDesc from = {};
    from.resType = cudaResourceTypeLinear;
    from.res.linear = {x, cudaCreateChannelDesc<float>(), 128};
    cudaTextureDesc how = {};
    cudaTextureObject_t made, other = 0;
    cudaCreateTextureObject(&made, &from, &how, nullptr);
    k<<<1, 32>>>(made, z);
    printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaDestroyTextureObject(made);
    k<<<1, 32>>>(WHICH, z);
    cudaDeviceSynchronize();
    cudaFree(x), cudaFree(z);
}
"""


@pytest.mark.parametrize("which", long_tail(["made", "other"], every=4))  # it is destroyed; it was never made
def test_an_object_that_is_none_is_told_where_it_is_fetched_from(tmp_path, which):
    (tmp_path / "p.cu").write_text(FETCHES.replace("WHICH", which))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert said.startswith("no error 1. trap p.cu:5 in kernel k"), said
    assert "this texture or surface object was never made, or is destroyed" in said, said


SIZES = """
#include <cstdio>
__global__ void k(cudaTextureObject_t t, float* z, int n) {
    const int i = threadIdx.x;
    z[i] = tex1Dfetch<float>(t, i - 1) + tex1Dfetch<float>(t, i) + (i < n ? tex1Dfetch<float>(t, i + 1) : 0);
}
int main() {
    float *x, *z;
    cudaMalloc(&x, 1024), cudaMalloc(&z, 256), cudaMemset(x, 0, 1024);
    cudaResourceDesc from = {};
    from.resType = cudaResourceTypeLinear;
    from.res.linear = {x, cudaCreateChannelDesc<float>(), SIZE};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &from, &how, nullptr);
    k<<<1, 64>>>(t, z, 64);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(t);
    cudaFree(x), cudaFree(z);
}
"""


@pytest.mark.parametrize(
    ("size", "told"),
    long_tail(
        [("64", "note p.cu:15 fetches ask for as many"), ("256", "no findings"), ("248", "no findings")], every=3
    ),
)
def test_a_texture_s_size_in_elements_is_told(tmp_path, size, told):
    (tmp_path / "p.cu").write_text(SIZES.replace("SIZE", size))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert told in said and ("sizeInBytes" in said) == (size == "64"), said


MODES = """
#include <cstdio>
__global__ void turn(cudaTextureObject_t t, float* z) {
    const int x = threadIdx.x, y = threadIdx.y;
    z[16 * y + x] = (float)tex2D<READ>(t, AT_X, AT_Y);
}
__global__ void mark(cudaSurfaceObject_t s) { surf2Dwrite((TYPE)1, s, threadIdx.x * sizeof(TYPE), threadIdx.y); }
int main() {
    TYPE texels[256] = {};
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<TYPE>();
    cudaMallocArray(&array, &format, 16, 16, FLAG);
    cudaMemcpy2DToArray(array, 0, 0, texels, sizeof(TYPE[16]), sizeof(TYPE[16]), 16, cudaMemcpyHostToDevice);
    cudaResourceDesc from = {};
    from.resType = cudaResourceTypeArray;
    from.res.array.array = array;
    cudaTextureDesc how = {};
    how.filterMode = FILTER;
    how.readMode = AS;
    how.normalizedCoords = NORMALIZED;
    float* z;
    cudaMalloc(&z, 1024);
    cudaTextureObject_t t = 0;
    cudaCreateTextureObject(&t, &from, &how, nullptr);
    if (t) turn<<<1, dim3(16, 16)>>>(t, z);
    cudaSurfaceObject_t s = 0;
    cudaCreateSurfaceObject(&s, &from);
    if (s) mark<<<1, dim3(16, 16)>>>(s);
    cudaDestroyTextureObject(t), cudaDestroySurfaceObject(s), cudaFreeArray(array), AGAIN;
    cudaFree(z);
}
"""
FRACTIONS = {"AT_X": "x / 16.f", "AT_Y": "y / 16.f", "NORMALIZED": "1"}
PLACES = {"AT_X": "x + 0.5f", "AT_Y": "y + 0.5f", "NORMALIZED": "0"}
FLAG = {"FLAG": "cudaArraySurfaceLoadStore", "AGAIN": "z = z"}
PLAIN = FLOAT | LINEAR | FLAG
TAKEN_OTHERWISE = [
    (PLAIN | FRACTIONS, ""),
    (PLAIN | PLACES, ""),
    (BYTE | LINEAR | FLAG | FRACTIONS, ""),
    (WHOLE | POINT | FLAG | PLACES, ""),
    (PLAIN | PLACES | {"AT_X": "0.5f"}, ""),  # a line of the first column
    (PLAIN | PLACES | {"AT_X": "x * 2 / 3.f"}, ""),
    (PLAIN | FRACTIONS | {"NORMALIZED": "0"}, "note p.cu:24 this texture counts coordinates in texels"),
    (PLAIN | PLACES | {"NORMALIZED": "1"}, "note p.cu:24 this texture has normalizedCoords = 1"),
    (PLAIN | PLACES | {"READ": "int"}, "1. texture type p.cu:5 in kernel turn this texture holds floats"),
    (
        WHOLE | POINT | FLAG | PLACES | {"READ": "float"},
        "1. texture type p.cu:5 in kernel turn this texture holds w",
    ),
    (BYTE | LINEAR | FLAG | FRACTIONS | {"READ": "unsigned char"}, "this texture is read as fractions"),
    (WHOLE | LINEAR | FLAG | PLACES, "1. wrong call p.cu:24 whole numbers have no values in between"),
    (PLAIN | PLACES | {"FLAG": "0"}, "1. wrong call p.cu:27 this array takes no surface"),
    (PLAIN | PLACES | {"AGAIN": "cudaFreeArray(array)"}, "1. wrong call p.cu:29 this array was freed before"),
]


@pytest.mark.parametrize(("words", "told"), long_tail(TAKEN_OTHERWISE, every=10))
def test_what_a_texture_is_made_or_asked_for_otherwise_than_meant_is_told(tmp_path, words, told):
    text = MODES
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    (tmp_path / "p.cu").write_text(text)
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert told in said and (told or ("note" not in said and "no findings" in said)), said
