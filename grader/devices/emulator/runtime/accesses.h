// What a request to memory is counted as.
#pragma once

#include "request.h"

namespace ladder {

Site& site_at(Executor& executor, std::uint32_t pc);
Event counted_as(const Request& request, const Site& site);
void replay_access(Executor& executor, WarpUnit& warp, const Request& request);
void replay_part(Executor& executor, WarpUnit& warp, const Request& request);    // an asynchronous copy's load
void replay_value(Executor& executor, WarpUnit& warp, const Request& request);   // a store has happened: now its value is known
void replay_source(Executor& executor, WarpUnit& warp, const Request& request);  // of such a copy
void replay_free(Executor& executor, WarpUnit& warp, const Request& request);    // by a kernel, of its heap
void replay_copy(Executor& executor, WarpUnit& warp, const Request& request);    // asynchronous: was issued, or has landed

void count_copy(Address a, std::size_t bytes, bool writes);                      // of host code: it moves as much as a kernel's would

}  // namespace ladder
