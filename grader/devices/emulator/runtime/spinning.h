// Lanes that ask for a word in vain, and whether the rest of their block needs others to change it.
#pragma once

#include "thread.h"

namespace ladder {

// Whether all lanes that spin would find the same again.
bool all_stuck(const Block& block);

// The same before the turn: other blocks may change their words until it has come.
bool may_be_stuck(const Block& block);

// Whether all lanes of a warp that cannot run wait for other warps, or have returned.
bool all_need_others(const WarpUnit& warp);

// Whether all lanes of the warps that cannot run wait for the others. Known before the turn, in which the others run alone.
bool rest_needs_others(const Block& block);

// Whether it has the turn, and lanes of the warps that can run spin and would find the same again, and the others need them. So
// much is known before what they have done is replayed.
bool only_spins(const Block& block);

}  // namespace ladder
