/* habitat_launch_run() on a command line of its own, for trying the recorder without the rest of
 * habitat: recorder_launch OUT [--nvtx-range NAME] [--warmup N] [--iterations N] [--counters
 * PERCENTILE] -- COMMAND */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    habitat_launch_options o = {.out = argc > 1 ? argv[1] : NULL};
    habitat_launch_result r;
    int i = 2;
    for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
        if (strcmp(argv[i], "--nvtx-range") == 0) {
            o.nvtx_range = argv[i + 1];
        } else if (strcmp(argv[i], "--warmup") == 0) {
            o.warmup = (unsigned)strtoul(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--iterations") == 0) {
            o.iterations = (unsigned)strtoul(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--counters") == 0) {
            o.counters = true;
            o.counters_percentile = strtod(argv[i + 1], NULL);
        } else {
            fprintf(stderr, "recorder_launch: %s?\n", argv[i]);
            return 2;
        }
    }
    o.argv = i + 1 < argc ? &argv[i + 1] : NULL;
    habitat_launch_run(&o, &r);
    fprintf(stderr,
            "recorder_launch: exit %d, program %d, kernels %llu, iterations %llu, dropped %llu, "
            "counted %llu\n",
            r.exit_code, r.program_status, (unsigned long long)r.kernels,
            (unsigned long long)r.iterations, (unsigned long long)r.dropped_records,
            (unsigned long long)r.counted);
    if (r.message[0])
        fprintf(stderr, "recorder_launch: %s\n", r.message);
    return r.exit_code;
}
