// A whole program with its main(), which runs in this process instead of an entry point on the judge's buffers.
#pragma once

namespace ladder {

struct Program {
    bool on = false;        // what only holds for a graded entry point does not hold: given buffers and stream, no leaks
    int report_fd = -1;     // where the report goes when the process ends
    int signal = 0;         // which would have ended the process; 0: none
};

void write_program_report();   // once, however the process ends

}  // namespace ladder
