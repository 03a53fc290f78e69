#pragma once

#include "../../ladder_torch.h"
