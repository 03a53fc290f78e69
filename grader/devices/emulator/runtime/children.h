// Dynamic parallelism: what a kernel launches runs when all of its blocks have ended, on the stream that it was launched on.
// A GPU may begin earlier, and no kernel can wait for it (CUDA 12): so what comes of it must be the same.
#pragma once

#include "machine.h"

namespace ladder {

bool works_may_race();   // with another one: there are streams, or kernels that kernels have launched
void launch_later(const Launch& by_kernel);   // with copies of the arguments
void launch_children(void* stream);           // behind a launch: those that are waiting, and what they launch

}  // namespace ladder
