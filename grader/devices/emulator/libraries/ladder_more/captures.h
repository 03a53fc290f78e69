// Work of streams that is kept in a graph instead of done.
#pragma once

#include <set>

#include "graph_nodes.h"

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

inline LADDER_UNSEEN bool graph_has_event(cudaEvent_t event) { return captures().events.count(event) != 0; }

// Whether what other streams have kept in this graph comes before the last of its own stream: that waits for theirs.
inline LADDER_UNSEEN bool is_joined(const std::map<cudaStream_t, Capture>& streams, const Capture& its) {
    std::set<const GraphNode*> before;
    std::vector<const GraphNode*> next(its.last.begin(), its.last.end());
    while (!next.empty()) {
        const GraphNode* const node = next.back();
        next.pop_back();
        if (before.insert(node).second) next.insert(next.end(), node->after.begin(), node->after.end());
    }
    const auto is_before = [&](const GraphNode* node) { return before.count(node) != 0; };
    return std::all_of(streams.begin(), streams.end(), [&](const auto& other) {
        const Capture& capture = other.second;
        return capture.graph != its.graph || std::all_of(capture.last.begin(), capture.last.end(), is_before);
    });
}

}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    if (!stream || stream == cudaStreamLegacy) return ladder::status(cudaErrorStreamCaptureUnsupported);
    if (ladder::in_a_capture(stream)) return ladder::status(cudaErrorIllegalState);
    ladder::is_captured = ladder::graph_captures;
    ladder::keep_work = ladder::graph_keeps;
    ladder::keep_event = ladder::graph_keeps_event;
    ladder::is_kept = ladder::graph_has_event;
    ladder::captures().streams[stream] = {new ladder::Graph{{}, stream}, {}};
    ladder_capture(stream, mode);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph, LADDER_LINE) {
    auto& all = ladder::captures();
    LADDER_WANTS(graph);
    *graph = nullptr;
    if (!ladder::in_a_capture(stream)) return ladder::status(cudaErrorIllegalState);
    const ladder::Capture its = all.streams[stream];
    if (its.graph->began_on != stream) return ladder::status(cudaErrorStreamCaptureUnmatched);
    const int broken = ladder_capture_ends(stream, ladder::is_joined(all.streams, its), line);
    ladder::forget(all.streams, its.graph);
    ladder::forget(all.events, its.graph);
    if (all.streams.empty()) ladder::is_captured = nullptr;
    if (!broken) *graph = its.graph;
    return ladder::status(broken);
}
