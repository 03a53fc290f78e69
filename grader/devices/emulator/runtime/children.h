// Dynamic parallelism: what a kernel launches runs when all of its blocks have ended, on the stream that it was launched on.
// A GPU may begin earlier, and no kernel can wait for it (CUDA 12): so what comes of it must be the same.
#pragma once

#include "machine.h"

namespace ladder {

void a_kernel_waits();              // on a stream of its own, for an event
bool events_may_order_children();   // one has: which of a block's streams wait for which is not looked at
bool works_are_in_order();   // there are neither streams of host code's own nor kernels that kernels have launched
bool works_may_race();   // with another one: they are not in order, or a launch may begin before the one in front of it ends
void launches_may_overlap();
void launch_later(const Launch& by_kernel);   // with copies of the arguments
bool is_of_a_parent(Address a);               // a local variable of a thread that has launched what runs now
void launch_children(void* stream);           // behind a launch: those that are waiting, and what they launch
bool works_for_a_kernel();                    // while a kernel's copy is done, which may be of its heap

}  // namespace ladder
