// What a fault is called.
#pragma once

#include <ucontext.h>

#include <string>
#include <string_view>

#include "memory.h"

namespace ladder {

const char* name_of_signal(int number);

// What host code has done that ends with this signal.
std::string fault_of_host(int number, Address address, const ucontext_t& context);

// What the C library says of its memory before it calls abort(), as after a write past the end of what malloc gave; "" if
// it called abort() for another reason, or host code did.
std::string_view said_of_damage();

}  // namespace ladder
