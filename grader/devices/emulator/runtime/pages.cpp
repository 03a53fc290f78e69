#include "pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace ladder {

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

void* map_zeroes(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
}

void unmap(void* memory, std::size_t bytes) { munmap(memory, bytes); }

}  // namespace ladder
