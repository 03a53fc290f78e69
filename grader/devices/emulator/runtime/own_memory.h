// The runtime without malloc().
#pragma once

namespace ladder {

// From now on the runtime asks malloc() for nothing: the thread that was ended may have been inside of it, or of free(),
// and hold its lock for ever.
void do_without_malloc();

}  // namespace ladder
