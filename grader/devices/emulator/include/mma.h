#pragma once

#error "tensor cores are not emulated: mma.h (nvcuda::wmma) needs a GPU; check this kernel there"
