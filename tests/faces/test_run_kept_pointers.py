"""`ladder run`: what a graph or a launch is handed by its address must be there, in memory of the host."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import long_tail
from tests.warm import run_ladder

PROGRAM = """#include <cstdio>
#include <vector>
__global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }
cudaGraphExec_t made(cudaGraph_t graph) {
    cudaGraphExec_t all;
    cudaGraphInstantiate(&all, graph, 0);
    cudaGraphDestroy(graph);
    return all;
}
cudaGraphExec_t built(float* x, float* its) {
    float h[64] = {}, *from = its ? its : h;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, x, from, 256, cudaMemcpyHostToDevice);
    return made(graph);
}
cudaGraphExec_t captured(float* x, float* its) {
    float h[64], *to = its ? its : h;
    cudaGraph_t graph;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(to, x, 256, cudaMemcpyDeviceToHost, s);
    cudaStreamEndCapture(s, &graph);
    cudaStreamDestroy(s);
    return made(graph);
}
cudaGraphExec_t kernel(float* x, void* first) {
    int n = 64;
    void* arguments[2];
    arguments[0] = first, arguments[1] = &n;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    cudaKernelNodeParams p = {};
    p.func = (void*)twice, p.gridDim = 1, p.blockDim = 64, p.kernelParams = arguments;
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);
    return made(graph);
}
int launched(cudaGraphExec_t all, int depth) {
    volatile char own[500] = {};
    return depth ? launched(all, depth - 1) + own[depth] : cudaGraphLaunch(all, 0);
}
int main() {
    float* x;
    float mine[64] = {};
    std::vector<float> heap(64);
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
    cudaGraphExec_t all = MADE;
    cudaGraphLaunch(all, 0);
    for (int depth = 0; depth < 20; ++depth) launched(all, depth);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(all);
    cudaFree(x);
}
"""
RETURNED = "is a variable of a function that has returned"
ROWS = [
    ("built(x, nullptr)", f"p.cu:15 a launch of the graph copies this, which {RETURNED}"),
    ("kernel(x, x)", "p.cu:38 a kernel's argument 0 (the first is 0) is read from the memory of the GPU"),
    ("captured(x, nullptr)", f"p.cu:24 a launch of the graph copies this, which {RETURNED}"),
    ("built(x, mine)", ""),
    ("captured(x, mine)", ""),
    ("built(x, heap.data())", ""),
    ("kernel(x, &x)", ""),
]


@pytest.mark.parametrize(("made", "told"), long_tail(ROWS, every=8, slow=4))
def test_what_an_address_leads_to_is_there(tmp_path: Path, made: str, told: str):
    (tmp_path / "p.cu").write_text(PROGRAM.replace("MADE", made))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = " ".join((done.stdout + done.stderr).split())
    assert (told in said) if told else ("no findings" in said and "warning" not in said), said
