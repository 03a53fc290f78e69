// Graphs: their nodes as calls make them, and what becomes of a graph.
#pragma once

#include <cstdio>

#include "captures.h"

// ---- nodes ----

struct cudaKernelNodeParams {
    ladder::AnyKernel func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void** kernelParams;
    void** extra;
};
struct cudaMemsetParams {
    void* dst;
    std::size_t pitch;
    unsigned value, elementSize;
    std::size_t width, height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void* userData;
};

namespace ladder {

inline LADDER_UNSEEN GraphWork kernel_work(const cudaKernelNodeParams& p, int line) {
    return p.func.make(p.func.kernel, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, line);
}
inline LADDER_UNSEEN cudaError_t set_elements(const cudaMemsetParams& p, int line) {
    for (std::size_t row = 0; row < p.height; ++row) {
        char* const to = static_cast<char*>(p.dst) + row * p.pitch;
        if (p.elementSize == 1) {
            if (const int error = ladder_memset(to, static_cast<int>(p.value), p.width, line)) return status(error);
            continue;
        }
        std::vector<char> bytes(p.width * p.elementSize);
        for (std::size_t i = 0; i < p.width; ++i) memcpy(bytes.data() + i * p.elementSize, &p.value, p.elementSize);
        if (const auto error = copy(to, bytes.data(), bytes.size(), cudaMemcpyHostToDevice, line)) return error;
    }
    return status();
}
template <class Work> LADDER_UNSEEN GraphWork on_stream(int line, Work work) {
    return [=](cudaStream_t stream) LADDER_UNSEEN { asynchronous(stream, line, work); };
}
inline LADDER_UNSEEN GraphWork copy_work(const cudaMemcpy3DParms& p, int line) {
    return on_stream(line, [=]() LADDER_UNSEEN { return copy_volume(&p, line); });
}
inline LADDER_UNSEEN GraphWork copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, int line) {
    return on_stream(line, [=]() LADDER_UNSEEN { return copy(to, from, bytes, kind, line); });
}
inline LADDER_UNSEEN GraphWork set_work(const cudaMemsetParams& p, int line) {
    return on_stream(line, [=]() LADDER_UNSEEN { return set_elements(p, line); });
}
inline LADDER_UNSEEN GraphWork host_work(const cudaHostNodeParams& p, int) {
    return [=](cudaStream_t stream) LADDER_UNSEEN { cudaLaunchHostFunc(stream, p.fn, p.userData); };
}

}  // namespace ladder

#define LADDER_NODE(type, work)                                                                       \
    *node = ladder::add_node(*graph, type, work, after, count);                                       \
    return ladder::status();

inline LADDER_UNSEEN cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                                        const cudaKernelNodeParams* p, LADDER_LINE) {
    if (!p->func.make) return ladder::status(cudaErrorInvalidDeviceFunction);
    LADDER_NODE(cudaGraphNodeTypeKernel, ladder::kernel_work(*p, line))
}
inline LADDER_UNSEEN cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                                        const cudaMemcpy3DParms* p, LADDER_LINE) {
    LADDER_NODE(cudaGraphNodeTypeMemcpy, ladder::copy_work(*p, line))
}
inline LADDER_UNSEEN cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                                          void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, LADDER_LINE) {
    LADDER_NODE(cudaGraphNodeTypeMemcpy, ladder::copy_work(to, from, bytes, kind, line))
}
inline LADDER_UNSEEN cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                                        const cudaMemsetParams* p, LADDER_LINE) {
    LADDER_NODE(cudaGraphNodeTypeMemset, ladder::set_work(*p, line))
}
inline LADDER_UNSEEN cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                                      const cudaHostNodeParams* p) {
    LADDER_NODE(cudaGraphNodeTypeHost, ladder::host_work(*p, 0))
}
inline LADDER_UNSEEN cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count) {
    LADDER_NODE(cudaGraphNodeTypeEmpty, nullptr)
}
inline LADDER_UNSEEN cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                                            std::size_t count, cudaGraph_t child) {
    const std::shared_ptr<ladder::GraphToLaunch> whole(ladder::in_order(*child));
    LADDER_NODE(cudaGraphNodeTypeGraph, [whole](cudaStream_t stream) LADDER_UNSEEN { ladder::run_in_order(*whole, stream); })
}
#undef LADDER_NODE

inline LADDER_UNSEEN cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
    return ladder::status();
}
struct cudaGraphEdgeData { unsigned char from_port, to_port, type, reserved[5]; };   // of CUDA 13's form
inline LADDER_UNSEEN cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                                          const cudaGraphEdgeData*, std::size_t count) {
    return cudaGraphAddDependencies(graph, from, to, count);
}
inline LADDER_UNSEEN cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    *type = node->type;
    return ladder::status();
}

// How nodes hang together. Where there is room for more than there are, the rest is null.
namespace ladder {
inline LADDER_UNSEEN cudaError_t hand_out(const std::vector<cudaGraphNode_t>& found, cudaGraphNode_t* nodes, std::size_t* count) {
    for (std::size_t i = 0; nodes && i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
    *count = nodes ? std::min(*count, found.size()) : found.size();
    return status();
}
template <class Wanted> LADDER_UNSEEN std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph, Wanted wanted) {
    std::vector<cudaGraphNode_t> found;
    for (const auto& node : graph->nodes)
        if (wanted(*node)) found.push_back(node.get());
    return found;
}
}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    return ladder::hand_out(ladder::nodes_of(graph, [](const ladder::GraphNode&) LADDER_UNSEEN { return true; }), nodes, count);
}
inline LADDER_UNSEEN cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    return ladder::hand_out(ladder::nodes_of(graph, [](const ladder::GraphNode& node) LADDER_UNSEEN { return node.after.empty(); }), nodes, count);
}
inline LADDER_UNSEEN cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*, std::size_t* count) {
    return ladder::hand_out(node->after, nodes, count);
}
inline LADDER_UNSEEN cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
    return ladder::hand_out(node->after, nodes, count);
}
inline LADDER_UNSEEN cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData*, std::size_t* count) {
    std::vector<cudaGraphNode_t> begins, ends;
    for (const auto& node : graph->nodes)
        for (ladder::GraphNode* other : node->after) begins.push_back(other), ends.push_back(node.get());
    std::size_t room = *count;
    ladder::hand_out(begins, from, &room);
    return ladder::hand_out(ends, to, count);
}
inline LADDER_UNSEEN cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
enum cudaGraphDebugDotFlags { cudaGraphDebugDotFlagsVerbose = 1 };
inline LADDER_UNSEEN cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
    std::FILE* const file = std::fopen(path, "w");
    if (!file) return ladder::status(cudaErrorOperatingSystem);
    const auto number = [&](const ladder::GraphNode* node) LADDER_UNSEEN {
        std::size_t at = 0;
        while (graph->nodes[at].get() != node) ++at;
        return at;
    };
    std::fprintf(file, "digraph dot {\n");
    for (const auto& node : graph->nodes) std::fprintf(file, "\"node_%zu\";\n", number(node.get()));
    for (const auto& node : graph->nodes)
        for (const auto* other : node->after) std::fprintf(file, "\"node_%zu\" -> \"node_%zu\";\n", number(other), number(node.get()));
    std::fprintf(file, "}\n");
    std::fclose(file);
    return ladder::status();
}

// ---- graphs ----

inline LADDER_UNSEEN cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
    *graph = new ladder::Graph;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    LADDER_WANTS(graph);
    delete graph;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t graph) {
    *copy = new ladder::Graph;
    std::map<const ladder::GraphNode*, ladder::GraphNode*> same;
    for (const auto& node : graph->nodes) same[node.get()] = ladder::add_node(**copy, node->type, node->work, nullptr, 0);
    for (const auto& node : graph->nodes)
        for (const auto* other : node->after) same[node.get()]->after.push_back(same[other]);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long = 0) {
    *made = graph ? ladder::in_order(*graph) : nullptr;
    return ladder::status(*made ? cudaSuccess : cudaErrorInvalidValue);
}
inline LADDER_UNSEEN cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long = 0) {
    return cudaGraphInstantiate(made, graph);
}
template <class Node, class Log>   // as before CUDA 12: where to tell of a node that is wrong
LADDER_UNSEEN cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, Node, Log, std::size_t) {
    return cudaGraphInstantiate(made, graph);
}
inline LADDER_UNSEEN cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    if (!graph) return ladder::status(cudaErrorInvalidValue);
    ladder_graph_launch(true);
    ladder::run_in_order(*graph, stream);
    ladder_graph_launch(false);
    return static_cast<cudaError_t>(ladder_last_error(0));
}
inline LADDER_UNSEEN cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    if (!graph) return ladder::status(cudaErrorInvalidValue);
    for (const auto lane : graph->streams) ladder_stream_destroy(lane);
    delete graph;
    return ladder::status();
}
// A node's work in a graph that is made already, or in the graph that the next ones are made from.
#define LADDER_SET(kind, Params, made)                                                                                                               \
    inline LADDER_UNSEEN cudaError_t cudaGraphExec##kind##NodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const Params* p, LADDER_LINE) { \
        graph->works[node] = made(*p, line);                                                                                                         \
        return ladder::status();                                                                                                                     \
    }                                                                                                                                                \
    inline LADDER_UNSEEN cudaError_t cudaGraph##kind##NodeSetParams(cudaGraphNode_t node, const Params* p, LADDER_LINE) {                            \
        node->work = made(*p, line);                                                                                                                 \
        return ladder::status();                                                                                                                     \
    }
LADDER_SET(Kernel, cudaKernelNodeParams, ladder::kernel_work)
LADDER_SET(Memcpy, cudaMemcpy3DParms, ladder::copy_work)
LADDER_SET(Memset, cudaMemsetParams, ladder::set_work)
LADDER_SET(Host, cudaHostNodeParams, ladder::host_work)
#undef LADDER_SET
inline LADDER_UNSEEN cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t graph, cudaGraphNode_t node, void* to, const void* from,
                                                                    std::size_t bytes, cudaMemcpyKind kind, LADDER_LINE) {
    graph->works[node] = ladder::copy_work(to, from, bytes, kind, line);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes,
                                                                cudaMemcpyKind kind, LADDER_LINE) {
    node->work = ladder::copy_work(to, from, bytes, kind, line);
    return ladder::status();
}

struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};
inline LADDER_UNSEEN cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
    const std::unique_ptr<ladder::GraphToLaunch> fresh(ladder::in_order(*graph));
    const bool same = fresh && fresh->order.size() == made->order.size() && fresh->lanes == made->lanes;
    if (info) *info = {same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
    if (same) fresh->streams = made->streams, *made = *fresh;
    return ladder::status(same ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}
inline LADDER_UNSEEN cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph, cudaGraphNode_t*, cudaGraphExecUpdateResult* result) {
    cudaGraphExecUpdateResultInfo info;
    const cudaError_t error = cudaGraphExecUpdate(made, graph, &info);
    if (result) *result = info.result;
    return error;
}

#define cudaStreamGetCaptureInfo(...) LADDER_REFUSED(cudaError_t, "cudaStreamGetCaptureInfo")
#define cudaGraphAddMemAllocNode(...) LADDER_REFUSED(cudaError_t, "cudaGraphAddMemAllocNode")
#define cudaGraphConditionalHandleCreate(...) LADDER_REFUSED(cudaError_t, "cudaGraphConditionalHandleCreate")
