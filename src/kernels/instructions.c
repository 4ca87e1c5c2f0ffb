/* See instructions.h. A function in 16 bit converts each number and back, and moves half the bytes
 * for the same arithmetic: from some 30 GB/s for each multiprocessor on, GELU and SiLU are held up
 * by their instructions; in fp32 they are not. */
#include "kernels/instructions.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/constants_operators.h"
#include "gpu/gpu.h"

/* Time x lanes x clock / bytes of kernels of 60 us and more on a GPU where memory alone would take
 * 7.1 to 7.5; medians, which 90 % lie within 2 % of (docs/decisions/0502). */
static const struct {
    const char *part;
    double a_byte;
} heavy[] = {
    {"GeluBackwardCUDAKernelImpl", 9.9},
    {"GeluCUDAKernelImpl", 10.8},
    {"silu_backward_kernel", 8.3},
    {"silu_kernel", 8.4},
    {"FillFunctor", 9.8},
};

double instructions_a_byte(const char *name) {
    if (!name || !strstr(name, "vectorized_elementwise_kernel") ||
        !(strstr(name, "c10::BFloat16") || strstr(name, "c10::Half")))
        return 0.0;
    for (size_t i = 0; i < sizeof heavy / sizeof *heavy; i++)
        if (strstr(name, heavy[i].part))
            return heavy[i].a_byte;
    return 0.0;
}

/* Memory and instructions go on side by side: of two alike times the sum is 9 % more than one, and
 * a half of the other adds nothing (eighth powers). */
double instructions_s(const habitat_gpu *gpu, double bytes, double a_byte, double memory_s) {
    double lanes = hardware_issued_lanes * gpu->sm_count * gpu->boost_clock_hz;
    if (!(a_byte > 0.0) || !(lanes > 0.0) || !(memory_s > 0.0))
        return memory_s;
    double ratio = bytes * a_byte / lanes / memory_s, square = ratio * ratio,
           fourth = square * square;
    return memory_s * sqrt(sqrt(sqrt(1.0 + fourth * fourth)));
}
