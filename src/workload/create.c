/* From a trace to a workload: the kernels of the main device, what operation each belongs to, that
 * operation's work, and sums. GPU-independent but for the origin's waves. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/table.h"
#include "work/class.h"
#include "workload/bound.h"
#include "workload/collective.h"
#include "workload/devices.h"
#include "workload/group.h"
#include "workload/launch.h"
#include "workload/overlap.h"
#include "workload/ranks_share.h"
#include "workload/recorded_format.h"
#include "workload/share.h"
#include "workload/warnings.h"
#include "workload/workload.h"

/* A rank's kernel without what other ranks held it up. What it ends with stays, as a collective's
 * waiting is before its message, and others began behind its end. NULL when out of memory. */
static const habitat_kernel *taken(habitat_workload *w, const habitat_kernel *kernel,
                                   uint64_t needs_ns) {
    if (needs_ns >= kernel->duration_ns)
        return kernel;
    habitat_kernel *made = habitat_arena_alloc(&w->arena, sizeof *made);
    if (!made)
        return NULL;
    *made = *kernel;
    made->duration_ns = needs_ns;
    made->start_ns += kernel->duration_ns - needs_ns;
    return made;
}

/* The trace's kernel `number`. */
static bool keep_kernel(habitat_workload *w, size_t at, const habitat_kernel *recorded,
                        size_t number) {
    const habitat_kernel *kernel = w->taken_ns ? taken(w, recorded, w->taken_ns[number]) : recorded;
    if (!kernel)
        return false;
    w->kernels[at] = (habitat_workload_kernel){.kernel = kernel};
    w->kernels[at].shortened =
        kernel != recorded && kernel->form->kind != HABITAT_KERNEL_COLLECTIVE;
    w->kernels[at].facts.time_ns = (double)kernel->duration_ns;
    *(habitat_is_copy(kernel) ? &w->copy_ns : &w->kernel_ns) += kernel->duration_ns;
    w->info.trace_copy_count += habitat_is_copy(kernel);
    w->collective_count += kernel->form->kind == HABITAT_KERNEL_COLLECTIVE;
    return true;
}

static void count_outside(habitat_workload *w, const habitat_kernel *kernel) {
    w->outside_count += !kernel->earlier;
    w->earlier_count += kernel->earlier;
    w->earlier_ns += kernel->earlier ? kernel->duration_ns : 0;
}

/* How many there are; with room for them they are kept. 0 when out of memory. */
static size_t select_kernels(habitat_workload *w) {
    size_t count = 0, kept = 0;
    const habitat_kernel *kernels = habitat_trace_kernels(w->trace, &count);
    for (size_t i = 0; i < count; i++) {
        if (!workload_holds(w, &kernels[i]))
            continue;
        if (kernels[i].iteration == HABITAT_NONE) {
            count_outside(w, &kernels[i]);
            continue;
        }
        if (w->kernels && !keep_kernel(w, kept, &kernels[i], i))
            return 0;
        kept++;
    }
    return kept;
}

static habitat_status take_kernels(habitat_workload *w, habitat_error *err) {
    size_t count = select_kernels(w);
    if (!count)
        return habitat_fail(err, HABITAT_E_NO_GPU,
                            w->outside_count
                                ? "no GPU kernel lies inside an iteration of the trace; record "
                                  "whole iterations, with the synchronisation inside the range"
                                : "the trace holds no GPU kernel; record it on a machine with a "
                                  "GPU and GPU activities switched on");
    if (count >= UINT32_MAX / 2)
        return habitat_fail(err, HABITAT_E_RANGE, "more kernels than can be counted");
    w->kernels = calloc(count, sizeof *w->kernels);
    if (!w->kernels)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    w->outside_count = w->earlier_count = 0;
    w->earlier_ns = 0;
    w->kernel_count = select_kernels(w);
    return w->kernel_count ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

/* Products in fp32 run on matrix units where a GPU has such units for fp32 (AMD's); elsewhere the
 * same flag means plain lanes: docs/formulas.md#rates. */
static bool plain_product(const habitat_kernel_facts *facts, const habitat_work *work) {
    return facts->dtype == HABITAT_DTYPE_FP32 && class_of(work->op_class)->product;
}

/* What was told of a kernel's name and its operation's work already. A trace repeats a few dozen of
 * both, each stored once: their addresses tell them apart, and what finds its place taken is told
 * again. */
enum { TOLD_MOST = 1024 };
typedef struct told {
    const char *name;
    const habitat_work *work;
    habitat_dtype dtype;
    bool matrix_unit;
} told;

static void set_arithmetic(told *all, const char *name, const habitat_work *work,
                           habitat_kernel_facts *out) {
    uint64_t hash = habitat_hash_number(habitat_hash_number(0, (uintptr_t)name), (uintptr_t)work);
    told *one = &all[hash % TOLD_MOST];
    if (one->name != name || one->work != work) {
        *one = (told){.name = name, .work = work};
        one->dtype = habitat_kernel_arithmetic(name, work, &one->matrix_unit);
    }
    out->dtype = one->dtype;
    out->matrix_unit = one->matrix_unit;
}

/* Class and arithmetic of every kernel, from its group. */
static void describe_kernels(habitat_workload *w) {
    told all[TOLD_MOST] = {{0}};
    for (size_t i = 0; i < w->kernel_count; i++) {
        habitat_workload_kernel *kernel = &w->kernels[i];
        const habitat_work *work = w->groups[kernel->group].work;
        kernel->op_class = work->op_class;
        kernel->varying = work->varying;
        set_arithmetic(all, kernel->kernel->form->name, work, &kernel->facts);
        if (plain_product(&kernel->facts, work))
            kernel->facts.matrix_unit = true;
    }
    habitat_workload_share(w);
}

/* Time between the starts of two iterations as the trace itself shows it: from the ranges where
 * there are several, else the longer of the CPU's range and the GPU's span. A CPU that runs ahead
 * of its GPU starts iterations faster than they are done: see summarise(). */
static double traced_iteration_ms(const habitat_trace *trace) {
    size_t count = 0;
    const habitat_iteration *iterations = habitat_trace_iterations(trace, &count);
    if (!count)
        return NAN;
    if (count > 1)
        return (double)(iterations[count - 1].start_ns - iterations[0].start_ns) /
               (double)(count - 1) / HABITAT_NS_PER_MS;
    double range_ms = (double)iterations[0].duration_ns / HABITAT_NS_PER_MS;
    return range_ms > iterations[0].span_ms ? range_ms : iterations[0].span_ms;
}

/* First start to last end of the kernels of all driven devices; of several iterations their starts
 * tell. 0: it is one device alone. */
static double span_ms(const habitat_workload *w) {
    size_t count = 0;
    uint64_t first = UINT64_MAX, last = 0;
    const habitat_kernel *k = habitat_trace_kernels(w->trace, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t end = k[i].start_ns + k[i].duration_ns;
        if (k[i].iteration == HABITAT_NONE || !workload_drives(w, &k[i]))
            continue;
        first = k[i].start_ns < first ? k[i].start_ns : first;
        last = end > last ? end : last;
    }
    return w->info.iteration_count == 1 && first < last ? (double)(last - first) / HABITAT_NS_PER_MS
                                                        : 0.0;
}

/* Kernels come one device after another. Each works on its own: the busiest is a bound. */
static double busiest_ms(const habitat_workload *w) {
    size_t count = 0;
    uint64_t most = 0, sum = 0, until = 0;
    const habitat_kernel *k = habitat_trace_kernels(w->trace, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t end = k[i].start_ns + k[i].duration_ns;
        if (!i || k[i].form->device != k[i - 1].form->device)
            sum = until = 0;
        if (k[i].iteration == HABITAT_NONE || !workload_drives(w, &k[i]))
            continue;
        sum += end > until ? end - (k[i].start_ns > until ? k[i].start_ns : until) : 0;
        until = end > until ? end : until;
        most = sum > most ? sum : most;
    }
    return (double)most / (double)w->info.iteration_count / HABITAT_NS_PER_MS;
}

/* As the trace shows it. What one program drives on several devices is one iteration of all,
 * whichever of them the workload holds. */
static double profiled_ms(const habitat_workload *w) {
    double least = fmax(traced_iteration_ms(w->trace), w->info.busy_ms);
    return w->driven_count ? fmax(least, fmax(busiest_ms(w), span_ms(w))) : least;
}

static void summarise(habitat_workload *w) {
    const habitat_trace_info *trace = habitat_trace_get_info(w->trace);
    habitat_workload_info *info = &w->info;
    double iterations = (double)info->iteration_count;
    info->origin = w->origin;
    info->trace_kernel_count = w->kernel_count - info->trace_copy_count;
    info->kernel_ms = (double)w->kernel_ns / iterations / HABITAT_NS_PER_MS;
    info->copy_ms = (double)w->copy_ns / iterations / HABITAT_NS_PER_MS;
    info->busy_ms =
        w->all_devices ? busiest_ms(w) : (double)w->busy_ns / iterations / HABITAT_NS_PER_MS;
    info->iteration_recorded = trace->iteration_ms > 0.0;
    info->iteration_ms = info->iteration_recorded ? trace->iteration_ms : profiled_ms(w);
    info->waiting_share = NAN;
    if (w->is_rank || w->driven_count)
        return; /* it waits for the other ranks or devices, too */
    if (info->iteration_ms > 0.0 && info->busy_ms > 0.0) {
        info->waiting_share = fmax(0.0, 1.0 - info->busy_ms / info->iteration_ms);
        info->bound_by = habitat_waits_for_cpu(info->iteration_ms, info->busy_ms) ? HABITAT_BY_CPU
                                                                                  : HABITAT_BY_GPU;
    }
}

/* Whether not one argument but tensors was recorded, and layers ran whose sizes hang on them. */
static bool lacks_arguments(const habitat_workload *w) {
    size_t count, layers = 0;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ops[i].form->input_count; k++)
            if (ops[i].form->inputs[k].value && *ops[i].form->inputs[k].value)
                return false;
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_work *work = w->groups[g].work;
        layers += !work->known && w->groups[g].operation &&
                  (work->op_class == HABITAT_CLASS_CONV || work->op_class == HABITAT_CLASS_RNN);
    }
    return layers > 0 && habitat_trace_get_info(w->trace)->has_shapes;
}

static habitat_status build(habitat_workload *w, habitat_error *err) {
    habitat_status status = take_kernels(w, err);
    if (status != HABITAT_OK)
        return status;
    if (workload_set_groups(w) != HABITAT_OK || workload_set_launches(w) != HABITAT_OK)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    w->lacks_arguments = lacks_arguments(w);
    if (w->collective_count && !w->all_devices) {
        w->share = ranks_find_share(w->trace);
        w->one_batch = w->is_rank && w->share == RANKS_SHARE_BATCH;
    }
    describe_kernels(w);
    if (habitat_collective_prepare(w) != HABITAT_OK)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    status = habitat_busy_prepare(w, err);
    if (status != HABITAT_OK)
        return status;
    summarise(w);
    return habitat_spread_prepare(w, err);
}

/* Takes `made`; frees it on failure. */
static habitat_status create(habitat_workload *made, const habitat_trace *trace,
                             const habitat_gpu *origin, habitat_workload **out,
                             habitat_error *err) {
    made->trace = trace;
    made->origin = origin;
    made->batch_size = habitat_trace_get_info(trace)->batch_size;
    habitat_trace_iterations(trace, &made->info.iteration_count);
    if (!made->info.iteration_count)
        made->info.iteration_count = 1;
    habitat_status status = HABITAT_OK;
    if (!made->is_rank)
        status = devices_driven_together(trace, made->driven, &made->driven_count, err);
    if (status == HABITAT_OK)
        status = build(made, err);
    if (status == HABITAT_OK && !made->all_devices)
        status = habitat_memory_create(trace, origin, &made->memory, err);
    if (status == HABITAT_OK) {
        recorded_format_tell(made);
        status = habitat_workload_warn(made, err);
    }
    made->taken_ns = NULL;
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_workload_free(made);
    return status;
}

static habitat_status create_as(habitat_workload as, const habitat_trace *trace,
                                const habitat_gpu *origin, habitat_workload **out,
                                habitat_error *err) {
    habitat_workload *made = malloc(sizeof *made);
    if (!made)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *made = as;
    return create(made, trace, origin, out, err);
}

habitat_status workload_create_rank(const habitat_trace *trace, const habitat_gpu *origin,
                                    const uint64_t *taken_ns, habitat_workload **out,
                                    habitat_error *err) {
    if (!trace || !origin || !out)
        return habitat_fail(err, HABITAT_E_ARG, "a workload needs a trace and its origin GPU");
    return create_as((habitat_workload){.device = habitat_trace_get_info(trace)->device,
                                        .taken_ns = taken_ns,
                                        .is_rank = taken_ns != NULL},
                     trace, origin, out, err);
}

habitat_status workload_create_all(const habitat_trace *trace, const habitat_gpu *origin,
                                   habitat_workload **out, habitat_error *err) {
    return create_as((habitat_workload){.all_devices = true, .one_batch = true}, trace, origin, out,
                     err);
}

habitat_status workload_create_device(const habitat_trace *trace, const habitat_gpu *origin,
                                      uint32_t device, habitat_workload **out, habitat_error *err) {
    return create_as((habitat_workload){.device = device}, trace, origin, out, err);
}

habitat_status habitat_workload_create(const habitat_trace *trace, const habitat_gpu *origin,
                                       habitat_workload **out, habitat_error *err) {
    return workload_create_rank(trace, origin, NULL, out, err);
}
