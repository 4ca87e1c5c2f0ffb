/* See devices.h. */
#include "workload/devices.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"

/* Whether the kernel's thread has launched on another device before. shape of first: (threads) */
static bool is_second(uint32_t *first, const habitat_kernel *k) {
    uint32_t *known = &first[k->launch_thread];
    if (*known == HABITAT_NONE)
        *known = k->device;
    return *known != k->device;
}

static size_t count_threads(const habitat_kernel *k, size_t count) {
    size_t threads = 0;
    for (size_t i = 0; i < count; i++)
        if (k[i].launch_thread != HABITAT_NONE && k[i].launch_thread >= threads)
            threads = (size_t)k[i].launch_thread + 1;
    return threads;
}

habitat_status devices_driven_together(const habitat_trace *trace, bool *out, habitat_error *err) {
    size_t count = 0;
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    *out = false;
    if (habitat_trace_get_info(trace)->device_count < 2)
        return HABITAT_OK;
    size_t threads = count_threads(k, count);
    uint32_t *first = malloc((threads + 1) * sizeof *first);
    if (!first)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < threads; i++)
        first[i] = HABITAT_NONE;
    for (size_t i = 0; i < count && !*out; i++)
        *out = k[i].launch_thread != HABITAT_NONE && k[i].iteration != HABITAT_NONE &&
               is_second(first, &k[i]);
    free(first);
    return HABITAT_OK;
}

size_t devices_list(const habitat_trace *trace, uint32_t out[WORKLOAD_DEVICES_MAX]) {
    size_t count = 0, found = 0;
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    for (size_t i = 0; i < count && found < WORKLOAD_DEVICES_MAX; i++)
        if (!found || out[found - 1] != k[i].device)
            out[found++] = k[i].device;
    return found;
}

habitat_status devices_check(const habitat_trace *trace, habitat_error *err) {
    size_t count = 0, messages = 0;
    const habitat_trace_info *t = habitat_trace_get_info(trace);
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    if (t->devices_differ)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "one program drives GPUs of several kinds, and a step of theirs is not "
                            "predicted; record it on equal GPUs; --assemble sum gives the busy "
                            "time of device %" PRIu32 " alone",
                            t->device);
    for (size_t i = 0; i < count; i++)
        messages += k[i].kind == HABITAT_KERNEL_COLLECTIVE && k[i].iteration != HABITAT_NONE;
    if (messages)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "one program drives %zu devices, and which of its %zu collectives "
                            "(kernels of NCCL) are one message is not followed inside one file; "
                            "train with a process for each GPU and give each one's recording with "
                            "--ranks; --assemble sum gives the busy time of device %" PRIu32
                            " alone",
                            t->device_count, messages, t->device);
    return HABITAT_OK;
}
