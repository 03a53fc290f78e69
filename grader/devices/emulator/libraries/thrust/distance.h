#pragma once

#include "../ladder_more/thrust_orders.h"
