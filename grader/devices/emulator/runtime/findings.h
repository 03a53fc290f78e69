// A finding as the runtime knows it: facts with program counters. The session turns them into lines and sentences.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "index.h"

namespace ladder {

struct Region;

struct Place {
    std::uint64_t block = 0;
    Index block_index{}, thread_index{};
    bool in_kernel = false;
};

// How far a thread had come that was given up, and its launch.
struct Progress {
    std::uint64_t steps = 0, threads = 0;        // most of a thread of its block; threads that have made about as many
    std::uint64_t blocks = 0, blocks_done = 0;   // of the launch
    std::set<std::uint32_t> pcs;                 // where it has been lately
};

struct Finding {
    std::string kind;
    bool note = false;
    std::string kernel;
    std::uint64_t launch = 0;      // its number from 1, among all; 0: in none
    std::uint32_t pc = 0;          // 0: `line` is known instead, or nothing
    std::vector<std::uint32_t> callers;   // that lead there, where `pc` may be in a library's code
    int line = 0;
    Place place;
    // Of a memory access.
    std::string access;            // "read", "write", "atomic"
    std::uint64_t address = 0;
    unsigned bytes = 0;
    std::string array;             // of the region, or the nearest
    std::string space;
    long long offset = 0;          // from the array's start
    std::uint64_t array_bytes = 0;
    int array_line = 0;            // of its cudaMalloc
    int array_order = 0;           // how often that line had allocated memory before
    // The other side of a race, barrier or warp operation.
    std::uint32_t other_pc = 0;
    int other_line = 0;
    std::uint32_t call_pc = 0, other_call_pc = 0;   // of two barriers in one line: the calls that lead there
    Place other;
    std::string other_access;
    std::string text;              // whatever else has to be said
    std::uint64_t count = 1;       // how often it happened
    Progress progress;             // of a time-out

    // It is about this address, which lies in the region or is nearest to it.
    Finding& at(const Region& region, std::uintptr_t address);
};

// CUDA's number for the error with which a launch ends that did this.
int error_of_launch(const std::vector<Finding>& findings, std::uint64_t launch);

}  // namespace ladder
