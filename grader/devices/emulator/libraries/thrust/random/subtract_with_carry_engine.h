#pragma once

#include "../random.h"
