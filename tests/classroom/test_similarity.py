"""A copy with other names is found; what the course gave out, or everybody wrote, is no sign."""

from __future__ import annotations

import re

from grader.classroom.similarity import alike, fingerprints, tokens
from grader.course import catalog

MATMUL = catalog.find("04")
OWN = """
__global__ void mine(const float* a, float* out, int n) {
    __shared__ float box[64];
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        float best = a[k];
        while (best > 2.0f) best = best * 0.5f - 1.0f;
        box[threadIdx.x & 63] += best / (1.0f + best * best);
        if (k % 3 == 1 && best < 0.25f) out[k] = box[(threadIdx.x + 7) % 64] - best;
        else out[k] = best > box[0] ? best : -box[0];
    }
    __syncthreads();
    for (int step = 32; step > 0; step >>= 1) {
        if (threadIdx.x < step) box[threadIdx.x] = box[threadIdx.x + step] * box[threadIdx.x] + 0.125f;
        __syncthreads();
    }
}
"""


def test_names_numbers_and_comments_do_not_count():
    assert tokens("int i = 3; // x") == tokens("int /* y */ other=4.5f;") == ["int", "name", "=", "number", ";"]
    assert fingerprints("") == fingerprints("int") == set()


def test_a_copy_with_other_names_is_found():
    given = (MATMUL.rungs[0]).read_text()
    copy = re.sub(r"\b(best|box|k)\b", r"\1_too", OWN).replace("63", "15").replace("\n", "  // mine\n")
    kernels = {"ann": given + OWN, "ben": copy + given, "carl": given, "dora": f"{given}int unlike;"}
    pairs = alike("04", kernels, {}, 0.6)
    assert ("ann", "ben") in {(pair.one, pair.other) for pair in pairs} and pairs[0].share > 0.85
    with_course = alike("04", kernels, {"rung 1": given}, 0.6)
    people = [pair for pair in with_course if pair.other != "rung 1"]
    assert [(pair.one, pair.other) for pair in people] == [("ann", "ben")]
    assert {pair.one for pair in with_course if pair.other == "rung 1" and pair.share == 1.0} >= {"carl", "dora"}
