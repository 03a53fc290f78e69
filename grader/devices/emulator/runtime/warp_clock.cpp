// Which warp synchronisations each lane has seen (clocks.h).
#include "clocks.h"

#include <algorithm>
#include <cstring>

namespace ladder {

void WarpClock::reset() {
    std::fill(std::begin(clock_), std::end(clock_), 0u);
    std::fill(std::begin(strong_), std::end(strong_), 0u);
    std::fill(std::begin(weak_), std::end(weak_), 0u);
    strong_part_.reset();
    weak_part_.reset();
    row_.reset();
    has_met_ = false;
}

const WarpRow& WarpClock::strong_row() {
    if (!row_ && has_met_) row_ = std::make_shared<const std::array<std::uint32_t, 32>>(std::to_array(strong_));
    return row_;
}

void WarpClock::join(Matrix& matrix, std::uint32_t mask) {
    std::uint32_t joined[32];
    for (int t = 0; t < 32; ++t) {
        joined[t] = mask >> t & 1 ? clock_[t] + 1 : 0;
        for (int u = 0; u < 32; ++u)
            if (mask >> u & 1) joined[t] = std::max(joined[t], matrix[u][t]);
    }
    for (int u = 0; u < 32; ++u)
        if (mask >> u & 1) std::copy(joined, joined + 32, matrix[u]);
}

void WarpClock::synchronise(std::uint32_t mask, std::uint32_t alive, bool orders_memory) {
    mask &= alive;
    if (mask == alive) {
        if (orders_memory) row_.reset(), has_met_ = true;
        for (int t = 0; t < 32; ++t) {
            if (!(alive >> t & 1)) continue;
            weak_[t] = clock_[t] + 1;
            if (orders_memory) strong_[t] = clock_[t] + 1;
        }
    } else {
        auto& part = orders_memory ? strong_part_ : weak_part_;
        if (!part) part.reset(new Matrix[1]()), std::memset(part.get(), 0, sizeof(Matrix));
        join(*part, mask);
    }
    for (int t = 0; t < 32; ++t) clock_[t] += mask >> t & 1;
}

Edge WarpClock::seen(int observer, int lane, std::uint32_t clock) const {
    if (strong_[lane] > clock || (strong_part_ && (*strong_part_)[observer][lane] > clock)) return Edge::Strong;
    if (weak_[lane] > clock || (weak_part_ && (*weak_part_)[observer][lane] > clock)) return Edge::Weak;
    return Edge::None;
}

}  // namespace ladder
