// Graphs: captured from streams, or built node by node. A launched graph does its nodes one after another, in an order that
// keeps to their dependencies; nodes that need not wait for each other are on streams of their own, so that they race.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "arrays.h"

enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost, cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged };
#define cudaGraphInstantiateFlagAutoFreeOnLaunch 1

namespace ladder {

using GraphWork = std::function<void(cudaStream_t)>;
struct GraphNode {
    GraphWork work;
    std::vector<GraphNode*> after;
    cudaGraphNodeType type;
};
struct Graph {
    std::vector<std::unique_ptr<GraphNode>> nodes;   // in the order in which they were added
};
struct GraphStep { const GraphNode* node; std::vector<const GraphNode*> after; std::size_t lane; };
struct GraphToLaunch {
    std::map<const GraphNode*, GraphWork> works;
    std::vector<GraphStep> order;
    std::size_t lanes = 0;                // of nodes, each behind the one before it
    std::vector<cudaStream_t> streams;    // one for each lane, if there are two or more
};
struct Capture { Graph* graph; std::vector<GraphNode*> last; };   // what the next node comes behind
struct Captures {
    std::map<cudaStream_t, Capture> streams;
    std::map<cudaEvent_t, Capture> events;
};
inline LADDER_UNSEEN Captures& captures() {
    static Captures all;
    return all;
}

inline LADDER_UNSEEN GraphNode* add_node(Graph& graph, cudaGraphNodeType type, GraphWork work, GraphNode* const* after, std::size_t count) {
    graph.nodes.push_back(std::make_unique<GraphNode>());
    GraphNode* const node = graph.nodes.back().get();
    node->work = std::move(work);
    node->type = type;
    if (count) node->after.assign(after, after + count);
    return node;
}

// A lane's last node is followed there by one that waits for it; other nodes begin a lane.
inline LADDER_UNSEEN void add_step(GraphToLaunch& graph, const GraphNode& node, std::vector<const GraphNode*>& ends) {
    std::size_t lane = 0;
    while (lane < ends.size() && std::find(node.after.begin(), node.after.end(), ends[lane]) == node.after.end()) ++lane;
    ends.resize(std::max(ends.size(), lane + 1));
    ends[lane] = &node;
    graph.works[&node] = node.work;
    graph.order.push_back({&node, {node.after.begin(), node.after.end()}, lane});
    graph.lanes = ends.size();
}

// Each node behind those that it waits for, else in the order of adding. Null if they wait for each other in a circle.
inline LADDER_UNSEEN GraphToLaunch* in_order(const Graph& graph) {
    auto* const made = new GraphToLaunch;
    std::vector<const GraphNode*> ends;
    while (made->order.size() < graph.nodes.size()) {
        const std::size_t before = made->order.size();
        for (const auto& node : graph.nodes) {
            const auto is_done = [&](const GraphNode* other) { return made->works.count(other) != 0; };
            if (is_done(node.get()) || !std::all_of(node->after.begin(), node->after.end(), is_done)) continue;
            add_step(*made, *node, ends);
        }
        if (made->order.size() == before) return nullptr;
    }
    return made;
}

inline LADDER_UNSEEN void run_on_lanes(GraphToLaunch& graph, cudaStream_t stream) {
    while (graph.streams.size() < graph.lanes) graph.streams.push_back(static_cast<cudaStream_t>(ladder_stream_create(0, 0, 0)));
    ladder_event_record(&graph, stream);
    for (const auto lane : graph.streams) ladder_stream_wait(lane, &graph);
    for (const GraphStep& step : graph.order) {
        const cudaStream_t lane = graph.streams[step.lane];
        for (const GraphNode* other : step.after) ladder_stream_wait(lane, other);
        if (const auto& work = graph.works.at(step.node)) work(lane);
        ladder_event_record(step.node, lane);
    }
    for (const GraphStep& step : graph.order) ladder_stream_wait(stream, step.node);
}
inline LADDER_UNSEEN void run_in_order(GraphToLaunch& graph, cudaStream_t stream) {
    if (graph.lanes > 1 && !(is_captured && is_captured(stream))) return run_on_lanes(graph, stream);
    for (const GraphStep& step : graph.order)
        if (const auto& work = graph.works.at(step.node)) work(stream);
}

// A kernel whose type is forgotten, as cudaKernelNodeParams has it: `(void*)kernel` without the cast, which translation
// takes away.
struct AnyKernel {
    const void* kernel;
    GraphWork (*make)(const void* kernel, dim3 grid, dim3 block, std::size_t shared, void** arguments, int line);

    AnyKernel() = default;
    LADDER_UNSEEN AnyKernel(std::nullptr_t) : kernel(nullptr), make(nullptr) {}
    template <class... P> LADDER_UNSEEN AnyKernel(void (*its)(P...)) : kernel(reinterpret_cast<const void*>(its)), make(&work_of<P...>) {}

    template <class... P>
    static LADDER_UNSEEN GraphWork work_of(const void* kernel, dim3 grid, dim3 block, std::size_t shared, void** arguments, int line) {
        return [=]<std::size_t... I>(std::index_sequence<I...>) LADDER_UNSEEN -> GraphWork {
            const auto its = reinterpret_cast<void (*)(P...)>(const_cast<void*>(kernel));
            const auto call = bound(its, *static_cast<std::remove_cv_t<P>*>(arguments[I])...);
            return [=](cudaStream_t stream) LADDER_UNSEEN {
                auto fresh = call;
                start(ladder_kernel_name(kernel), line, config(grid, block, shared, stream), false, fresh);
            };
        }(std::index_sequence_for<P...>{});
    }
};

}  // namespace ladder

using cudaGraph_t = ladder::Graph*;
using cudaGraphNode_t = ladder::GraphNode*;
using cudaGraphExec_t = ladder::GraphToLaunch*;

// ---- capture ----

namespace ladder {

template <class Of> LADDER_UNSEEN void forget(std::map<Of, Capture>& captured, const Graph* graph) {
    for (auto each = captured.begin(); each != captured.end();) each = each->second.graph == graph ? captured.erase(each) : std::next(each);
}
inline LADDER_UNSEEN bool graph_captures(cudaStream_t stream) { return captures().streams.count(stream) != 0; }
inline LADDER_UNSEEN void graph_keeps(cudaStream_t stream, KeptWork run, void* work) {
    Capture& its = captures().streams[stream];
    const auto node = add_node(*its.graph, cudaGraphNodeTypeKernel, [=](cudaStream_t on) LADDER_UNSEEN { run(work, on); }, its.last.data(), its.last.size());
    its.last = {node};
}
inline LADDER_UNSEEN bool graph_keeps_event(cudaStream_t stream, cudaEvent_t event, bool waits) {
    Captures& all = captures();
    if (waits) {
        const auto known = all.events.find(event);
        if (known == all.events.end()) return false;
        Capture& its = all.streams[stream];
        its.graph = known->second.graph;
        its.last.insert(its.last.end(), known->second.last.begin(), known->second.last.end());
        return true;
    }
    all.events.erase(event);
    if (!all.streams.count(stream)) return false;
    all.events[event] = all.streams[stream];
    return true;
}

}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    if (!stream || stream == cudaStreamLegacy) return ladder::status(cudaErrorStreamCaptureUnsupported);
    ladder::is_captured = ladder::graph_captures;
    ladder::keep_work = ladder::graph_keeps;
    ladder::keep_event = ladder::graph_keeps_event;
    ladder::captures().streams[stream] = {new ladder::Graph, {}};
    ladder_capture(stream, mode);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    auto& all = ladder::captures();
    *graph = all.streams.count(stream) ? all.streams[stream].graph : nullptr;
    if (!*graph) return ladder::status(cudaErrorInvalidValue);
    ladder::forget(all.streams, *graph);
    ladder::forget(all.events, *graph);
    if (all.streams.empty()) ladder::is_captured = nullptr;
    const int broken = ladder_capture_ends(stream);
    if (broken) *graph = nullptr;
    return ladder::status(broken);
}

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
inline LADDER_UNSEEN cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    *type = node->type;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    if (nodes)
        for (std::size_t i = 0; i < *count && i < graph->nodes.size(); ++i) nodes[i] = graph->nodes[i].get();
    *count = graph->nodes.size();
    return ladder::status();
}

// ---- graphs ----

inline LADDER_UNSEEN cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
    *graph = new ladder::Graph;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
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
    ladder::run_in_order(*graph, stream);
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
