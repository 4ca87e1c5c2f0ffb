/* See devices.h. */
#include "workload/devices.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/constants_parallel.h"
#include "base/error.h"

/* Thread that launched the kernel, or HABITAT_NONE. */
static uint32_t thread_of(const habitat_trace *trace, const habitat_kernel *k) {
    const habitat_call *call = habitat_trace_launch(trace, k);
    return call ? call->form->thread : HABITAT_NONE;
}

/* Whether the kernel's thread has launched on another device before. shape of first: (threads) */
static bool is_second(uint32_t *first, uint32_t thread, const habitat_kernel *k) {
    uint32_t *known = &first[thread];
    if (*known == HABITAT_NONE)
        *known = k->form->device;
    return *known != k->form->device;
}

static size_t count_threads(const habitat_trace *trace, const habitat_kernel *k, size_t count) {
    size_t threads = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t thread = thread_of(trace, &k[i]);
        if (thread != HABITAT_NONE && thread >= threads)
            threads = (size_t)thread + 1;
    }
    return threads;
}

/* Compute kernels in iterations [ns], by device. devices: shape (count), in their order. */
static void sum_compute(const habitat_trace *trace, const uint32_t *devices, size_t count,
                        double ns[WORKLOAD_DEVICES_MAX]) {
    size_t kernels = 0, at = 0;
    const habitat_kernel *k = habitat_trace_kernels(trace, &kernels);
    for (size_t d = 0; d < count; d++)
        ns[d] = 0.0;
    for (size_t i = 0; i < kernels; i++) {
        while (at < count && devices[at] != k[i].form->device)
            at++;
        if (at == count)
            return;
        if (k[i].form->kind == HABITAT_KERNEL_COMPUTE && k[i].iteration != HABITAT_NONE)
            ns[at] += (double)k[i].duration_ns;
    }
}

/* Devices that compute for a share of what the busiest does; how many. */
static size_t list_computing(const habitat_trace *trace, uint32_t out[WORKLOAD_DEVICES_MAX]) {
    double ns[WORKLOAD_DEVICES_MAX], most = 0.0;
    size_t count = devices_list(trace, out), kept = 0;
    sum_compute(trace, out, count, ns);
    for (size_t d = 0; d < count; d++)
        most = ns[d] > most ? ns[d] : most;
    for (size_t d = 0; d < count; d++)
        if (ns[d] > 0.0 && ns[d] >= chosen_device_least_share * most)
            out[kept++] = out[d];
    return kept;
}

static bool is_listed(const uint32_t *devices, size_t count, const habitat_kernel *k) {
    for (size_t d = 0; d < count; d++)
        if (devices[d] == k->form->device)
            return true;
    return false;
}

habitat_status devices_driven_together(const habitat_trace *trace,
                                       uint32_t out[WORKLOAD_DEVICES_MAX], size_t *count,
                                       habitat_error *err) {
    size_t kernels = 0, threads = 0;
    const habitat_kernel *k = habitat_trace_kernels(trace, &kernels);
    bool together = false;
    *count = list_computing(trace, out);
    if (*count > 1)
        threads = count_threads(trace, k, kernels);
    uint32_t *first = malloc((threads + 1) * sizeof *first);
    if (!first)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < threads; i++)
        first[i] = HABITAT_NONE;
    for (size_t i = 0; threads && i < kernels && !together; i++) {
        uint32_t thread = thread_of(trace, &k[i]);
        together = thread != HABITAT_NONE && k[i].iteration != HABITAT_NONE &&
                   is_listed(out, *count, &k[i]) && is_second(first, thread, &k[i]);
    }
    *count = together ? *count : 0;
    free(first);
    return HABITAT_OK;
}

size_t devices_list(const habitat_trace *trace, uint32_t out[WORKLOAD_DEVICES_MAX]) {
    size_t count = 0, found = 0;
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    for (size_t i = 0; i < count && found < WORKLOAD_DEVICES_MAX; i++)
        if (!found || out[found - 1] != k[i].form->device)
            out[found++] = k[i].form->device;
    return found;
}

habitat_status devices_check(const habitat_trace *trace, size_t driven, habitat_error *err) {
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
        messages += k[i].form->kind == HABITAT_KERNEL_COLLECTIVE && k[i].iteration != HABITAT_NONE;
    if (messages)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "one program drives %zu devices, and which of its %zu collectives "
                            "(kernels of NCCL) are one message is not followed inside one file; "
                            "train with a process for each GPU and give each one's recording with "
                            "--ranks; --assemble sum gives the busy time of device %" PRIu32
                            " alone",
                            driven, messages, t->device);
    return HABITAT_OK;
}
