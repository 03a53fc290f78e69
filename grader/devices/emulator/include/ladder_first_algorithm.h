// The same of a file that includes <algorithm>.
#include "ladder_first.h"

#include <algorithm>
