// What graphs are made of: nodes, and the order of these in a launch: one after another, in an order that keeps to their
// dependencies; nodes that need not wait for each other are on streams of their own, so that they race.
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
    cudaStream_t began_on = nullptr;                 // if it is captured
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
            const auto call = bound(its, argument<P>(arguments, I, line)...);
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
