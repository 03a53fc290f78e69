// __device__ and __constant__ variables in host code (variables.cpp).
#pragma once

#include <string>

#include "machine.h"

namespace ladder {

const void* take_symbol();    // what the copy that begins now takes for a variable; null of other copies
const Region* take_named();   // the variable that the copy which begins now names, if it does
// A variable's, as host code sees it; not once it has asked for the device's, nor where a copy has named it.
bool is_address_of_the_host(const void* p, const Region* named);
void file_address_of_the_host(const void* p, int line, const std::string& kernel);   // as an error

// A launch's arguments while its kernel runs, which is this function.
class Arguments {
public:
    Arguments(const Launch& launch, const Symbol* kernel);   // files an error for each that is such an address
    ~Arguments() { cross(); }
    Arguments(const Arguments&) = delete;

private:
    void cross() const;   // crossing.h
    const Launch& launch_;
    Address kernel_;
};

void note_addresses_in(const void* copied, std::size_t bytes);   // a copy to the host may bring the device's addresses

}  // namespace ladder
