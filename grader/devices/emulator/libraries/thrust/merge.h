#pragma once

#include "../ladder_more/thrust_parts.h"
