// What means one thing to host code and another to a kernel: the address of a function, that of a class's table of virtual
// functions, and that of a text ("..."). A GPU has its own of each; here both sides have the same. So such a word changes where it crosses from
// one side to the other, and changes back where it returns.
#pragma once

#include "machine.h"

namespace ladder {

void cross(void* words, std::size_t bytes, Address except = 0);   // `except`: the kernel that is launched
void cross_by_copy(void* to, const void* from, std::size_t bytes, bool to_device);   // the words at `to` are those of `from`

// Ends the thread if this is what such an address is on the other side.
void refuse_address_of_the_host(Thread& thread, Address a, std::uint32_t pc);

// Memory of both sides has one such word for both. Ends the thread if it reads here where a class's table lies, and no
// kernel has made the object.
void refuse_object_of_the_host(Thread& thread, Address a, std::uint32_t pc);
void note_object_of_kernel(Address a);

}  // namespace ladder
