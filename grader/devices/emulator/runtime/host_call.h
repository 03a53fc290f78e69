// Host threads of a program may call CUDA at the same time: here, one call after another.
#pragma once

#include <mutex>
#include <string>

#include "machine.h"

namespace ladder {

// A graded file's entry point may be left in the middle of a call, with the lock, and is not locked.
class HostCall {
public:
    HostCall() : lock_(mutex(), std::defer_lock) {
        if (machine().whole_program && !current) lock_.lock();
        ++depth_;
    }
    ~HostCall() { --depth_; }
    HostCall(const HostCall&) = delete;
    static bool is_under_way() { return depth_ > 0; }   // of this thread

private:
    static std::recursive_mutex& mutex() {
        static std::recursive_mutex one;
        return one;
    }
    static inline thread_local int depth_ = 0;
    std::unique_lock<std::recursive_mutex> lock_;
};

void file(const char* kind, const std::string& kernel, int line, const std::string& text);   // a finding about a call

// ---- wrong_calls.cpp: a call that CUDA refuses, or that is undefined; each files a finding and gives CUDA's error ----
int wrong_call(int error, const std::string& why, int line);
int refusal_of_result(const void* result, const char* by, int line);   // that a call gives through this pointer
void judge_operand_of_graph(const void* p, int line);   // of a copy: may it be a variable of a function that has returned?
int refusal_of_free(const void* p, std::uintptr_t caller);      // by free() or delete in host code
int refusal_of_call(void* stream, int line);   // that is to work on this stream; Success if it may
int refusal_of_memory(int line);               // the same of a call that allocates or frees

void note_textures_asked_otherwise();           // library_calls.cpp: of those whose coordinates are the other kind's

// ---- captures.cpp: the same of one that streams which are captured into a graph forbid ----
int refusal_while_captured(void* stream, int line);
int memory_while_captured(int line);
void break_captures();                          // by a launch that fails

int give_back(void* pointer, bool pinned, int line);   // memory of the device's or of both sides; pinned: cudaMallocHost's
void give_back_of_parameters(int launch_line);   // behind a launch: what the destructors of its arguments' copies free

}  // namespace ladder
