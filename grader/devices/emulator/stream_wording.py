"""Races of works on streams and of host code, in words. Each sentence takes a finding's facts."""

from __future__ import annotations

STREAMS = {
    "stream": (
        "nothing joins the work of line {line}, on a stream of its own, to the stream that was given: its results may"
        " be read too early; type cudaStreamSynchronize(yours) before returning, or cudaEventRecord(event, yours) and"
        " cudaStreamWaitEvent(stream, event)"
    ),
    "early stream": (
        "the work of line {line}, on a stream of its own, may begin before the inputs are there, for it does not wait"
        " for the stream that was given; type cudaEventRecord(event, stream) and cudaStreamWaitEvent(yours, event)"
        " above it"
    ),
    "two streams": (
        "the work of line {line} {does} {at}, which that of line {other_line}, on another stream, {did}, in any order:"
        " type cudaEventRecord(event, other) below line {other_line} and cudaStreamWaitEvent(yours, event) above line"
        " {line} (where the later kernel waits for a flag, __threadfence() belongs before the flag is set)"
    ),
    "default stream": (
        "the work of line {line} {does} {at}, which that of line {other_line}, on another stream, {did}, in any order:"
        " a stream with cudaStreamNonBlocking and the default stream, that of cudaMemcpy and cudaMemset, do not wait"
        " for each other; type cudaDeviceSynchronize() between the two"
    ),
    "host threads": (
        "the work of line {line} {does} {at}, which that of line {other_line}, of another thread of the host, {did}, in"
        " any order: cudaStreamPerThread is a stream of its own in each of them; let that one call"
        " cudaStreamSynchronize(cudaStreamPerThread) behind line {other_line}, before this one goes on"
    ),
    "programmatic": (
        "the kernel of line {line} {does} {at}, which that of line {other_line} {did}, and may begin before that one is"
        " over (programmaticStreamSerializationAllowed): type cudaGridDependencySynchronize() in the kernel, in front"
        " of all that touches it"
    ),
    "allocated": (
        "the work of line {line} uses {name}, which the cudaMallocAsync of line {other_line} gives on another stream,"
        " in any order: type cudaEventRecord(event, other) below line {other_line} and cudaStreamWaitEvent(yours,"
        " event) above line {line}"
    ),
    "freed": (
        "the cudaFreeAsync of line {line} frees {name} although the work of line {other_line}, on another stream, may"
        " not be over: type cudaEventRecord(event, other) below line {other_line} and cudaStreamWaitEvent(yours, event)"
        " above line {line}"
    ),
    "two nodes": (
        "the work of line {line} {does} {at}, which that of line {other_line}, another node of the graph, {did}, in any"
        " order: let the later node depend on the other one (while streams are captured: cudaEventRecord(event, other)"
        " and cudaStreamWaitEvent(yours, event) between the two)"
    ),
    "parent": (
        "what line {line} launches {does} {at}, which the kernel that launches it {did} in line"
        " {other_line}, in any order: it is sure to be over only when the kernel that launches it is; put what needs"
        " its results into a kernel launched behind it, on the same stream or on cudaStreamTailLaunch"
    ),
    "children": (
        "what line {line} launches {does} {at}, which what line {other_line} launches {did}, in any"
        " order, for another block launches it, or it is on another stream: let one thread launch both on one"
        " stream, or the later one on cudaStreamTailLaunch"
    ),
    "host and device": (
        "host code {does} {at}, which the work of line {other_line} {did}, and nothing waits for that work in between:"
        " type cudaDeviceSynchronize() above line {line}"
    ),
}
