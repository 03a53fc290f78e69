#pragma once

#include "../ladder_more/thrust_searches.h"
