/* Steps that more than one test of replays runs. Times in microseconds. Included once by a test. */
#ifndef HABITAT_TESTS_REPLAY_STEPS_H
#define HABITAT_TESTS_REPLAY_STEPS_H

#include "replay_subject.h"

/* Three kernels that the CPU launches far ahead of them. */
static const event plain[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'c', "cudaLaunchKernel", 20, 5, 1, 0, 2, NULL},
    {'c', "cudaLaunchKernel", 40, 5, 1, 0, 3, NULL},
    {'k', "a", 10, 100, 0, 7, 1, NULL},
    {'k', "b", 111, 100, 0, 7, 2, NULL},
    {'k', "c", 212, 100, 0, 7, 3, NULL},
};

/* The CPU waits for its GPU at the end, as .item() does. */
static const event blocking[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'c', "cudaLaunchKernel", 20, 5, 1, 0, 2, NULL},
    {'c', "cudaLaunchKernel", 40, 5, 1, 0, 3, NULL},
    {'k', "a", 10, 100, 0, 7, 1, NULL},
    {'k', "b", 111, 100, 0, 7, 2, NULL},
    {'k', "c", 212, 100, 0, 7, 3, NULL},
    {'c', "cudaDeviceSynchronize", 45, 270, 1, 0, 4, NULL},
};

#endif
