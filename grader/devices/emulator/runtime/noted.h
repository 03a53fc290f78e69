// What host code launches where no launch runs (host_ways.py).
#pragma once

#include "../include/ladder/abi.h"

namespace ladder {

void note_launch(const Launch& launch);

}  // namespace ladder
