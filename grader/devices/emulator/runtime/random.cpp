// Steps of XORWOW's shift register by the billions: a step is linear over the bits of its five words, and so are 2^k steps.
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace ladder {

namespace {

constexpr int words = 5, bits = 32 * words, powers = 67 + 64;
using BitRow = std::array<std::uint32_t, words>;
using BitMatrix = std::array<BitRow, bits>;   // what becomes of each bit alone

BitRow stepped(const BitRow& v) {
    const std::uint32_t t = v[0] ^ v[0] >> 2;
    return {v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ t ^ t << 1};
}

BitRow times(const BitMatrix& matrix, const BitRow& row) {
    BitRow sum{};
    for (int bit = 0; bit < bits; ++bit)
        if (row[bit / 32] >> bit % 32 & 1)
            for (int word = 0; word < words; ++word) sum[word] ^= matrix[bit][word];
    return sum;
}

std::vector<BitMatrix> all_powers() {
    std::vector<BitMatrix> made(powers);
    for (int bit = 0; bit < bits; ++bit) {
        BitRow alone{};
        alone[bit / 32] = std::uint32_t{1} << bit % 32;
        made[0][bit] = stepped(alone);
    }
    for (int k = 1; k < powers; ++k)
        for (int bit = 0; bit < bits; ++bit) made[k][bit] = times(made[k - 1], made[k - 1][bit]);
    return made;
}

}  // namespace

}  // namespace ladder

using namespace ladder;

extern "C" void ladder_xorwow_skip(unsigned* state, unsigned long long steps, int log_of_step) {
    static const std::vector<BitMatrix> power = all_powers();
    BitRow row;
    for (int word = 0; word < words; ++word) row[word] = state[word];
    for (int k = log_of_step; steps; ++k, steps >>= 1)
        if (steps & 1) row = times(power[k], row);
    for (int word = 0; word < words; ++word) state[word] = row[word];
}
