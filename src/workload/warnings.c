/* What a person should know before trusting a prediction: one line each. */
#include "workload/warnings.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "base/constants_memory.h"
#include "base/constants_recordings.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "memory/model.h"
#include "workload/bound.h"
#include "workload/occupancy.h"
#include "workload/roofs.h"

enum { WARNINGS_MAX = 20, WARNING_BYTES = 320 };

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
warn(habitat_workload *w, const char *format, ...) {
    char text[WARNING_BYTES];
    va_list args;
    va_start(args, format);
    habitat_vformat(text, sizeof text, format, args);
    va_end(args);
    const char *kept = habitat_arena_string(&w->arena, text, strlen(text));
    if (!kept || w->warning_count == WARNINGS_MAX)
        return false;
    w->warnings[w->warning_count++] = kept;
    return true;
}

/* Three digits, and no power of ten. */
static const char *amount(double value, char text[32]) {
    habitat_format(text, 32, value < 1e-3 ? "%.6f" : value < 1000.0 ? "%.3g" : "%.0f", value);
    return text;
}

static bool warn_of_doubted_time(habitat_workload *w, const habitat_trace_info *trace) {
    char noted[32], shown[32];
    return warn(w,
                "the recording says that an iteration takes %s ms, but %s %s ms: that time is not "
                "used, and the profiled one is shown; %s",
                amount(trace->doubted_iteration_ms, noted),
                trace->doubted_iteration_ms < trace->doubted_shown_ms
                    ? "its kernels alone take"
                    : "the iteration in the trace takes only",
                amount(trace->doubted_shown_ms, shown),
                trace->iterations_by == HABITAT_ITERATIONS_MARKED
                    ? "record again"
                    : "--iterations N says how many the trace holds; or record again");
}

static bool warn_of_doubted_clock(habitat_workload *w, const habitat_trace_info *trace) {
    char noted[32], shown[32];
    return warn(w,
                "the recording says that its CPU takes %s ms for an iteration by the clock, but "
                "that iterations in a row take %s ms: the clock is left aside; record again",
                amount(trace->doubted_cpu_ms, noted), amount(trace->iteration_ms, shown));
}

static bool warn_of_doubted_memory(habitat_workload *w, const habitat_trace_info *trace) {
    bool gpu = !isnan(trace->doubted_gpu_bytes), reserved = !isnan(trace->doubted_reserved_bytes);
    double other = gpu        ? trace->doubted_gpu_bytes
                   : reserved ? trace->doubted_reserved_bytes
                              : trace->doubted_kept_bytes;
    char noted[32], shown[32];
    return warn(w,
                "the recording says that at most %s GB were in use, but that %s %s GB: %s left "
                "aside, and what fits is told without it, from the tensors' sizes where they are "
                "recorded",
                amount(trace->doubted_peak_bytes / HABITAT_GB, noted),
                gpu        ? "its GPU has only"
                : reserved ? "the allocator held at most"
                           : "weights and the optimiser's state are",
                amount(other / HABITAT_GB, shown), gpu ? "its memory is" : "both are");
}

static bool warn_of_graphs(habitat_workload *w, const habitat_trace_info *trace) {
    char noted[32], reserved[32];
    bool told = !isnan(trace->peak_memory_bytes);
    amount(trace->ungraphed_peak_bytes / HABITAT_GB, noted);
    if (!told)
        return warn(w,
                    "kernels come out of CUDA graphs, and the recorded peak of memory, %s GB, "
                    "leaves out what those keep: memory is not told",
                    noted);
    return warn(w,
                "kernels come out of CUDA graphs, and the recorded peak of memory, %s GB, leaves "
                "out what those keep: memory is what the allocator had reserved, %s GB",
                noted, amount(trace->peak_memory_bytes / HABITAT_GB, reserved));
}

static bool warn_of_doubted_format(habitat_workload *w) {
    format_doubt doubt = w->doubt;
    if (!doubt.autocast && !doubt.parameters)
        return true;
    const char *noted = habitat_dtype_name(doubt.noted);
    return warn(w,
                "the recording says that its %s %s, but not one of its products is computed in "
                "%s, most in %s: the products are believed; record again",
                doubt.autocast ? "autocast was in" : "parameters are", noted, noted,
                habitat_dtype_name(doubt.shown));
}

/* What is noted of the step and was left aside. */
static bool warn_of_notes(habitat_workload *w, const habitat_trace_info *trace) {
    bool ok = true;
    if (trace->notes_left)
        ok = warn(w, "the range asked for is not the recorded step, but a part of it or something "
                     "else: the step's recorded time, batch size and memory are left aside, and "
                     "iteration_ms is that of the profiled range");
    if (ok && !isnan(trace->doubted_iteration_ms))
        ok = warn_of_doubted_time(w, trace);
    if (ok && !isnan(trace->doubted_cpu_ms))
        ok = warn_of_doubted_clock(w, trace);
    if (ok && !isnan(trace->doubted_peak_bytes))
        ok = warn_of_doubted_memory(w, trace);
    if (ok && !isnan(trace->ungraphed_peak_bytes))
        ok = warn_of_graphs(w, trace);
    if (ok && trace->noted_gpu)
        ok = warn(w,
                  "the recording says that it ran on \"%.60s\", its events say \"%.60s\": the "
                  "events are believed; --from names another GPU",
                  trace->noted_gpu, trace->device_facts.name);
    if (ok)
        ok = warn_of_doubted_format(w);
    w->doubt_count = w->warning_count;
    return ok;
}

/* A dependent launch may begin before the kernel before it ends: hardly more than that is taken. */
static bool warn_of_overlaps(habitat_workload *w, const habitat_trace_info *trace) {
    double iterations = (double)w->info.iteration_count;
    if (!(trace->trace_overlap_ms > chosen_stream_overlap_share * w->info.kernel_ms * iterations))
        return true;
    return warn(w,
                "%zu kernels begin before the kernel before them on their stream ends, by %.3g ms "
                "in all: no GPU runs them so, and their times may be wrong; record again",
                trace->trace_overlap_count, trace->trace_overlap_ms);
}

/* The shortest kernels of any GPU take half a microsecond. */
static bool warn_of_unit(habitat_workload *w) {
    size_t kernels = 0, quick = 0, none = 0;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const habitat_kernel *k = w->kernels[i].kernel;
        if (k->form->kind != HABITAT_KERNEL_COMPUTE)
            continue;
        kernels++;
        quick += (double)k->duration_ns < chosen_quickest_kernel_ns;
        none += k->duration_ns == 0;
    }
    if (2 * quick > kernels)
        return warn(w,
                    "%zu of %zu kernels last less than 0.1 us, as none does on a GPU: the trace's "
                    "times are not in us, as a Chrome trace has them, and nor are those predicted",
                    quick, kernels);
    return !none ||
           warn(w,
                "%zu of %zu kernels last no time, as none does on a GPU: the sum of kernels is too "
                "small, and what is predicted with it; record again",
                none, kernels);
}

/* Times that are too large: of operations of known work, and of kernels where nothing is known. Or
 * all work done in a part of the time that the GPU needs. */
static bool warn_of_roofs(habitat_workload *w) {
    workload_roofs r = workload_roofs_of(w);
    const char *gpu = w->origin->name;
    if (r.known && r.best < chosen_far_from_roof)
        return warn(w,
                    "no operation comes nearer than %.2g %% to what %s can do: the trace's times "
                    "are not in us, as a Chrome trace has them, and nor are those predicted",
                    100.0 * r.best, gpu);
    if (!r.known && (double)r.kernels >= chosen_many_kernels &&
        r.quickest_ns > chosen_slow_kernel_ns)
        return warn(w,
                    "none of %zu kernels takes less than %.0f us, as some do in every step: the "
                    "trace's times are not in us, as a Chrome trace has them, and nor are those "
                    "predicted",
                    r.kernels, 1e-3 * r.quickest_ns);
    return !(r.whole > chosen_beyond_roof) ||
           warn(w,
                "the operations of known work would be %.0f times as quick as %s can be: the "
                "trace's times are not in us, or it is of another GPU; nor are those predicted",
                r.whole, gpu);
}

/* Of single iterations, the most and the least tenth left out. */
static bool warn_of_range(habitat_workload *w) {
    char low[32], high[32];
    return warn(w,
                "the time of an iteration moved while it was recorded, from %s to %s ms for 80 %% "
                "of them: no iteration_ms that is scaled from it is known better than that",
                amount(w->info.iteration_ms * w->low_share, low),
                amount(w->info.iteration_ms * w->high_share, high));
}

static bool warn_of_time(habitat_workload *w, const habitat_trace_info *trace) {
    const habitat_workload_info *info = &w->info;
    bool ok = true;
    if (info->bound_by == HABITAT_BY_CPU)
        ok = warn(w, "the GPU waited %.0f %% of the iteration on %s: its CPU held it back",
                  100.0 * info->waiting_share, w->origin->name);
    if (ok && trace->predicted)
        ok =
            warn(w, "the trace is a prediction that habitat wrote, not a recording: how far off it "
                    "may be is no part of the intervals; predict from the recording itself");
    if (ok && !info->iteration_recorded && !trace->notes_left && isnan(trace->doubted_iteration_ms))
        ok = warn(w, "the trace holds no unprofiled iteration time: its iteration_ms is that of "
                     "the profiled iteration, slower by the profiler's overhead, which a "
                     "prediction for the origin leaves out");
    if (ok && habitat_spread_wide(w) && !(trace->iteration_spread > chosen_much_spread))
        ok = warn_of_range(w);
    if (ok && trace->iteration_spread > chosen_much_spread)
        ok = warn(w,
                  "the time of an iteration moved by %.0f %% while it was recorded: the origin's "
                  "iteration_ms is known no better than that",
                  100.0 * trace->iteration_spread);
    if (ok && trace->trace_dropped_records)
        ok = warn(w,
                  "the recorder lost %" PRIu64 " records: the sum of kernels is too small; record "
                  "again",
                  trace->trace_dropped_records);
    if (ok && trace->iterations_differ)
        ok = warn(w,
                  "the trace does not fall into %zu alike iterations: some launch other kernels "
                  "than others; their average is given, with warm-up steps where they are among "
                  "them",
                  trace->iteration_count);
    if (ok && trace->iterations_by == HABITAT_ITERATIONS_WHOLE && !trace->has_operations &&
        isnan(trace->several_share))
        ok = warn(w, "nothing marks iterations: the whole trace counts as one; where it holds "
                     "several, say --nvtx-range NAME or --iterations N");
    if (ok && trace->several_share > 0 && isnan(trace->doubted_iteration_ms))
        ok = warn(w,
                  "nothing marks iterations, and the trace lasts %.2g times as long as the "
                  "iteration that it notes: the whole counts as one; where it holds several, say "
                  "--nvtx-range NAME or --iterations N",
                  trace->several_share);
    if (ok && w->outside_count)
        ok = warn(w, "%zu kernels lie outside every iteration and are left out", w->outside_count);
    if (ok && w->earlier_count)
        ok = warn(w,
                  "%zu kernels and copies, of %.3g ms, were launched before the recording began: "
                  "they are of the step before and are left out",
                  w->earlier_count, (double)w->earlier_ns / HABITAT_NS_PER_MS);
    return ok;
}

/* A mean of iterations has a digit where it is no whole number. */
static int digits_of(double count) {
    return count == floor(count) ? 0 : 1;
}

/* Times and counts of one iteration. */
static bool warn_of_collectives(habitat_workload *w) {
    double count = (double)w->info.iteration_count, per_ms = HABITAT_NS_PER_MS * count;
    double each = (double)w->collective_count / count, unsized = (double)w->unsized_count / count;
    bool ok = true;
    if (w->collective_count && !w->is_rank)
        ok = warn(
            w,
            "%.*f collective kernels an iteration: %.3g of their %.3g ms are waiting for other "
            "GPUs, more than their messages need, and are kept as recorded where nothing "
            "else runs and a noted time has room for them; messages of known size are scaled by "
            "NVLink, or PCIe where a GPU has "
            "none",
            digits_of(each), each, (double)w->waiting_ns / per_ms,
            (double)w->collective_ns / per_ms);
    if (ok && w->unsized_count)
        ok = warn(w,
                  "of %.*f collectives an iteration the recording does not tell what the message "
                  "needs (no size, "
                  "or GPUs of several hosts): they are not scaled, and the shortest of the same "
                  "kernel and size stands for the message",
                  digits_of(unsized), unsized);
    return ok;
}

static bool warn_of_devices(habitat_workload *w, const habitat_trace_info *trace) {
    if (w->all_devices)
        return warn(w,
                    "one program drives %zu devices, replayed together: kernels are summed over "
                    "all, busy time is that of the busiest, and memory of each is not known",
                    w->driven_count);
    if (w->driven_count)
        return warn(w, "GPU times are of device %" PRIu32 " alone: one program drives %zu devices",
                    w->device, w->driven_count);
    return warn(w,
                "the trace holds %zu devices: only device %u is predicted, not what it waits for "
                "on the others",
                trace->device_count, trace->device);
}

/* Kernels of launches of one kernel that launched another one before, on the same device. */
static size_t count_shared(const habitat_workload *w) {
    size_t count = 0, kernel_count = 0, shared = 0;
    const habitat_call *calls = habitat_trace_calls(w->trace, &count);
    const habitat_kernel *kernels = habitat_trace_kernels(w->trace, &kernel_count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *own = habitat_trace_call_kernels(w->trace, &calls[i]);
        bool single = calls[i].form->kind == HABITAT_CALL_LAUNCH;
        for (uint32_t k = 1; single && k < calls[i].kernel_count; k++)
            shared += !kernels[own[k]].in_graph &&
                      kernels[own[k]].form->device == kernels[own[k - 1]].form->device;
    }
    return shared;
}

static bool warn_of_shared_launches(habitat_workload *w) {
    size_t shared = count_shared(w);
    return !shared ||
           warn(w,
                "%zu kernels name a launch of one kernel that launched another one already: they "
                "may be in the trace twice, or belong to other operations; record again",
                shared);
}

/* Of a call of the driver's inside one of the runtime's with its correlation, the kernel is one's.
 */
static bool has_kernel(const habitat_call *calls, size_t count, size_t i) {
    const habitat_call *c = &calls[i], *before = i > 0 ? c - 1 : c;
    const habitat_call *behind = i + 1 < count ? c + 1 : c;
    return c->kernel_count || (before->correlation == c->correlation && before->kernel_count) ||
           (behind->correlation == c->correlation && behind->kernel_count);
}

typedef struct launches {
    uint64_t capture_from_ns, capture_to_ns; /* CUDA graphs are put together: nothing runs */
    size_t count, lost;
} launches;

static void find_captures(const habitat_call *calls, size_t count, launches *of) {
    of->capture_from_ns = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t start_ns = calls[i].start_ns;
        if (strstr(calls[i].form->name, "StreamBeginCapture") && start_ns < of->capture_from_ns)
            of->capture_from_ns = start_ns;
        if (strstr(calls[i].form->name, "StreamEndCapture") && start_ns > of->capture_to_ns)
            of->capture_to_ns = start_ns;
    }
}

static launches count_launches(const habitat_workload *w) {
    launches of = {0};
    size_t count = 0;
    const habitat_call *calls = habitat_trace_calls(w->trace, &count);
    find_captures(calls, count, &of);
    for (size_t i = 0; i < count; i++) {
        const habitat_call *c = &calls[i];
        bool captured = c->start_ns > of.capture_from_ns && c->start_ns < of.capture_to_ns;
        if (c->form->kind != HABITAT_CALL_LAUNCH || c->iteration == HABITAT_NONE ||
            !c->correlation || captured)
            continue;
        of.count++;
        of.lost += !has_kernel(calls, count, i);
    }
    return of;
}

/* A profiler that runs out of room drops records of kernels, not of their launches; one that stops
 * misses those that the CPU was ahead of; and a kernel of a category that is not known was skipped.
 * No launch of the recordings here is without one. Where a kernel's link alone is missing, the
 * kernel is not. */
static bool warn_of_lost_kernels(habitat_workload *w, const habitat_trace_info *trace) {
    launches of = count_launches(w);
    return of.lost <= trace->trace_unlinked_kernels ||
           warn(w,
                "%zu of %zu launches have no kernel in the trace, lost by its profiler or run "
                "after its "
                "end: the sum of kernels is too small, and what is predicted with it; record again",
                of.lost - (size_t)trace->trace_unlinked_kernels, of.count);
}

static bool warn_of_gaps(habitat_workload *w, const habitat_trace_info *trace) {
    bool ok = true;
    if (!trace->has_operations)
        ok = warn(w, "the trace names no operations: kernels are told apart by their names alone");
    else if (!trace->has_shapes)
        ok = warn(w,
                  "no operation has input shapes: sizes are taken from the names, grids and times "
                  "of kernels, and intervals are wider; record with record_shapes=True");
    else if (w->lacks_arguments)
        ok = warn(w,
                  "no operation has its arguments (Concrete Inputs, which PyTorch writes from 2.1 "
                  "on): sizes of convolutions and recurrent layers are taken from the names, grids "
                  "and times of kernels, and intervals are wider");
    if (ok && trace->batch_size_said && !trace->has_shapes)
        ok = warn(w,
                  "the batch size of %" PRIu64 " is as said: without shapes nothing in the "
                  "recording bears it out",
                  trace->batch_size);
    if (ok && trace->trace_unlinked_kernels)
        ok = warn(w,
                  "%" PRIu64 " kernels have no launch record: which operation they belong to is "
                  "unknown",
                  trace->trace_unlinked_kernels);
    return ok && (trace->device_count < 2 || warn_of_devices(w, trace));
}

/* Waves are counted by the calculator: a profiler that finds another occupancy is worth a line. */
static bool warn_of_occupancy(habitat_workload *w) {
    const habitat_kernel *first = NULL;
    uint32_t mine = 0, first_mine = 0;
    size_t differing = 0;
    for (size_t i = 0; i < w->kernel_count; i++)
        if (workload_occupancy_differs(w->origin, w->kernels[i].kernel, &mine) &&
            differing++ == 0) {
            first = w->kernels[i].kernel;
            first_mine = mine;
        }
    if (!first)
        return true;
    char recorded[64];
    if (first->form->resident_blocks)
        snprintf(recorded, sizeof recorded, "%" PRIu32 " blocks an SM%s",
                 first->form->resident_blocks,
                 first->form->resident_blocks == first_mine ? " with another limit" : "");
    else
        snprintf(recorded, sizeof recorded, "%" PRIu32 " %% of an SM",
                 first->form->occupancy_percent);
    return warn(w,
                "%zu of %zu kernels have another occupancy in the recording than the rules of %s "
                "give (first: %.80s, recorded %s, by rule %" PRIu32 " blocks): method wave may be "
                "off for them",
                differing, w->kernel_count, w->origin->name, first->form->name, recorded,
                first_mine);
}

/* What is there between two iterations and belongs to no part of the step counts as needed. Of a
 * step alone it is a tenth of the peak, of small models up to a third. */
static bool warn_of_others(habitat_workload *w) {
    const habitat_memory *m = w->memory;
    char peak[32], kept[32];
    if (!m || !(m->workspace_bytes > chosen_unexplained_share * m->peak_bytes))
        return true;
    return warn(w,
                "%s GB of the recorded peak of %s GB stay between iterations and are neither "
                "weights, gradients nor the optimiser's state: they count as needed; where "
                "they belong to other models or data of the same process, record the step alone",
                amount(m->workspace_bytes / HABITAT_GB, kept),
                amount(m->peak_bytes / HABITAT_GB, peak));
}

habitat_status habitat_workload_doubt(habitat_workload *w, habitat_error *err) {
    w->warnings = habitat_arena_alloc(&w->arena, WARNINGS_MAX * sizeof *w->warnings);
    if (!w->warnings || !warn_of_notes(w, habitat_trace_get_info(w->trace)))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return HABITAT_OK;
}

habitat_status habitat_workload_warn(habitat_workload *w, habitat_error *err) {
    const habitat_trace_info *trace = habitat_trace_get_info(w->trace);
    habitat_status status = habitat_workload_doubt(w, err);
    if (status != HABITAT_OK)
        return status;
    size_t before = w->warning_count;
    if (!warn_of_unit(w) || (w->warning_count == before && !warn_of_roofs(w)))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    w->doubt_count = w->warning_count;
    if (!warn_of_time(w, trace) || !warn_of_overlaps(w, trace) || !warn_of_shared_launches(w) ||
        !warn_of_lost_kernels(w, trace) || !warn_of_gaps(w, trace) || !warn_of_collectives(w) ||
        !warn_of_occupancy(w) || !warn_of_others(w))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return HABITAT_OK;
}
