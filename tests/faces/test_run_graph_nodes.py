"""`ladder run`: how the nodes of a graph hang together, and what of graphs is refused in a program's own words."""

from __future__ import annotations

import re

import pytest

from tests.warm import run_ladder

PROGRAM = """
#include <cstdio>
__global__ void k(int* x) { *x += 1; }
int main() {
    int* x;
    cudaMalloc(&x, 4);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(x, 0, 4, s);
    k<<<1, 1, 0, s>>>(x);
    k<<<1, 1, 0, s>>>(x);
    cudaGraph_t graph;
    cudaStreamEndCapture(s, &graph);
    size_t roots = 4, edges = 0, before = 4, all = 0;
    cudaGraphNode_t root[4], from[4], to[4], dependency[4];
    cudaGraphGetNodes(graph, nullptr, &all);
    cudaGraphGetRootNodes(graph, root, &roots);
    cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
    cudaGraphGetEdges(graph, from, to, nullptr, &edges);
    cudaGraphNodeGetDependencies(to[1], dependency, nullptr, &before);
    cudaGraphDebugDotPrint(graph, "graph.dot", 0);
    const bool hang = root[0] == from[0] && !root[1] && to[0] == from[1] && dependency[0] == from[1];
    printf("%zu nodes %zu root %zu edges %zu before %d\\n", all, roots, edges, before, hang);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
    cudaFree(x);
}
"""


@pytest.mark.slow
def test_a_graph_s_nodes_and_edges_are_told_and_drawn(tmp_path):
    (tmp_path / "p.cu").write_text(PROGRAM)
    done = run_ladder(tmp_path, "run", "p.cu")
    assert "3 nodes 1 root 2 edges 1 before 1\n" in done.stdout and "no findings" in done.stderr, done
    assert len(re.findall(r'"node_\d+" -> "node_\d+";', (tmp_path / "graph.dot").read_text())) == 2


@pytest.mark.slow
def test_a_program_is_not_told_what_a_graded_file_lacks(tmp_path):
    call = "cudaGraphKernelNodeGetParams(to[1], nullptr);\n    cudaGraphDestroy"
    (tmp_path / "p.cu").write_text(PROGRAM.replace("cudaGraphDestroy", call))
    done = run_ladder(tmp_path, "run", "p.cu")
    said = done.stdout + done.stderr
    assert "`cudaGraphKernelNodeGetParams` is not emulated: check this on a GPU" in said and "graded" not in said
