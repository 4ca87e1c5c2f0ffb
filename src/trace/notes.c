/* What a recording notes of its step (the "habitat" object: time, batch size, memory, GPU), held
 * against what its events show. The events were measured one by one and hold each other up; a note
 * is one number. So where the two contradict each other the note is left aside, and a fact says so
 * for a warning. docs/trace-format.md#what-is-noted-and-what-the-events-show */
#include "trace/notes.h"

#include <math.h>
#include <string.h>

#include "base/constants_recordings.h"
#include "gpu/generation.h"

/* ---- time ---- */

/* Per iteration, on the main device. */
typedef struct shown {
    double busy_ms;   /* without collectives, which wait for other GPUs as long as those need, and
                         half of what ran beside them, which they slow; with kernels of one stream
                         one after another */
    double length_ms; /* of its range on the CPU, or from first to last kernel: the longer */
} shown;

/* In an iteration, on the main device. */
static bool is_counted(const habitat_trace *t, const habitat_kernel *k, bool collective) {
    return k->form->device == t->info.device && k->iteration != HABITAT_NONE &&
           (k->form->kind == HABITAT_KERNEL_COLLECTIVE) == collective;
}

/* Times in which a kernel of some kind runs, one stretch after another. */
typedef struct stretches {
    const habitat_trace *t;
    bool collective;
    size_t next; /* kernel */
    uint64_t from_ns, to_ns;
} stretches;

/* To the next stretch; past the last one it begins never. */
static void go_on(stretches *s) {
    bool any = false;
    for (; s->next < s->t->kernel_count; s->next++) {
        const habitat_kernel *k = &s->t->kernels[s->next];
        uint64_t end = k->start_ns + k->duration_ns;
        if (!is_counted(s->t, k, s->collective))
            continue;
        if (any && k->start_ns > s->to_ns)
            return;
        s->from_ns = any ? s->from_ns : k->start_ns;
        s->to_ns = any && s->to_ns > end ? s->to_ns : end;
        any = true;
    }
    if (!any)
        s->from_ns = s->to_ns = UINT64_MAX;
}

/* What of a stretch lies in others, which are walked along. */
static uint64_t shared_ns(const stretches *s, stretches *others) {
    uint64_t sum_ns = 0;
    for (; others->from_ns < s->to_ns; go_on(others)) {
        uint64_t from = others->from_ns > s->from_ns ? others->from_ns : s->from_ns;
        uint64_t to = others->to_ns < s->to_ns ? others->to_ns : s->to_ns;
        sum_ns += to > from ? to - from : 0;
        if (others->to_ns >= s->to_ns)
            break; /* it may reach into the next one */
    }
    return sum_ns;
}

static double busy_ms(const habitat_trace *t) {
    double sum_ns = 0.0;
    stretches work = {.t = t}, messages = {.t = t, .collective = true};
    go_on(&messages);
    for (go_on(&work); work.from_ns < UINT64_MAX; go_on(&work))
        sum_ns += (double)(work.to_ns - work.from_ns) -
                  (1.0 - chosen_noted_beside_share) * (double)shared_ns(&work, &messages);
    return sum_ns / (double)t->info.iteration_count / HABITAT_NS_PER_MS;
}

static shown look_at(const habitat_trace *t) {
    size_t count = t->info.iteration_count;
    const habitat_iteration *all = t->iterations;
    shown out = {busy_ms(t) + t->info.trace_overlap_ms / (double)count, 0.0};
    for (size_t i = 0; i < count; i++)
        out.length_ms += fmax((double)all[i].duration_ns / HABITAT_NS_PER_MS, all[i].span_ms);
    out.length_ms /= (double)count;
    if (count > 1) /* with what lies between two of them */
        out.length_ms = fmax(out.length_ms, (double)(all[count - 1].start_ns - all[0].start_ns) /
                                                (double)(count - 1) / HABITAT_NS_PER_MS);
    return out;
}

/* A profiler makes kernels a little slower, and the CPU's side much: an iteration without it is
 * about as long as its kernels at least, and hardly longer than the profiled one. */
static bool is_possible(double iteration_ms, const shown *s) {
    return iteration_ms >= chosen_noted_least_share * s->busy_ms &&
           iteration_ms <= chosen_noted_most * s->length_ms;
}

static void forget_time(habitat_trace_info *info) {
    info->iteration_ms = info->iteration_spread = info->cpu_ms = NAN;
    info->iteration_ms_all = NULL;
    info->iteration_ms_count = 0;
}

/* The parameters are the model's, whatever the step. */
static void forget_memory(habitat_trace_info *info) {
    const habitat_trace_memory *was = &info->memory;
    info->peak_memory_bytes = NAN;
    info->memory = (habitat_trace_memory){.parameters = was->parameters,
                                          .parameter_count = was->parameter_count,
                                          .parameters_bytes = NAN,
                                          .buffers_bytes = NAN,
                                          .gradients_bytes = NAN,
                                          .optimizer_bytes = NAN,
                                          .between_bytes = NAN,
                                          .reserved_bytes = NAN};
}

static void forget_step(habitat_trace_info *info) {
    forget_time(info);
    forget_memory(info);
    info->batch_size = 0;
}

/* The noted times lie around the noted one, or they are of something else. */
static void check_times(habitat_trace_info *info) {
    size_t below = 0, above = 0;
    for (size_t i = 0; i < info->iteration_ms_count; i++) {
        below += info->iteration_ms_all[i] < info->iteration_ms * (1 - 1e-9);
        above += info->iteration_ms_all[i] > info->iteration_ms * (1 + 1e-9);
    }
    if (info->iteration_ms_count &&
        (below == info->iteration_ms_count || above == info->iteration_ms_count)) {
        info->iteration_ms_all = NULL;
        info->iteration_ms_count = 0;
        info->iteration_spread = NAN;
    }
}

/* In a row iterations take no less than the CPU does for each of them. */
static void check_clock(habitat_trace_info *info) {
    if (!(info->cpu_ms > chosen_noted_clock_most * info->iteration_ms))
        return;
    info->doubted_cpu_ms = info->cpu_ms;
    info->cpu_ms = NAN;
}

/* Where the trace does not mark its iterations itself, it may as well be the iteration that is
 * another one than was noted: then nothing is known of its batch and memory either. */
static void check_time(habitat_trace *t) {
    habitat_trace_info *info = &t->info;
    shown s = look_at(t);
    check_times(info);
    if (info->iterations_by == HABITAT_ITERATIONS_WHOLE &&
        s.length_ms > chosen_noted_several * info->iteration_ms)
        info->several_share = s.length_ms / info->iteration_ms;
    if (isnan(info->iteration_ms) || !(s.busy_ms > 0.0) || is_possible(info->iteration_ms, &s))
        return;
    info->doubted_iteration_ms = info->iteration_ms;
    info->doubted_shown_ms = info->iteration_ms < s.busy_ms ? s.busy_ms : s.length_ms;
    if (info->iterations_by == HABITAT_ITERATIONS_MARKED)
        forget_time(info);
    else
        forget_step(info);
}

/* ---- memory ---- */

static double or_zero(double bytes) {
    return isnan(bytes) ? 0.0 : bytes;
}

/* Weights, buffers and the optimiser's state are there all the time. What is given out is part of
 * what the allocator holds, and that is part of the GPU's memory. Nobody can tell which of two
 * notes is wrong. */
static void check_memory(habitat_trace_info *info) {
    const habitat_trace_memory *m = &info->memory;
    double kept =
        or_zero(m->parameters_bytes) + or_zero(m->buffers_bytes) + or_zero(m->optimizer_bytes);
    double gpu = (double)info->device_facts.memory_bytes, peak = info->peak_memory_bytes;
    double most = fmax(peak, m->reserved_bytes);
    if (info->without_gpu)
        return;
    if (peak < kept) {
        info->doubted_kept_bytes = kept;
    } else if (gpu > 0 && most > gpu) {
        info->doubted_gpu_bytes = gpu;
        peak = most;
    } else if (peak > m->reserved_bytes) {
        info->doubted_reserved_bytes = m->reserved_bytes;
    } else {
        return;
    }
    info->doubted_peak_bytes = peak;
    forget_memory(info);
}

static bool has_graphs(const habitat_trace *t) {
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].in_graph && t->kernels[i].iteration != HABITAT_NONE)
            return true;
    return false;
}

/* What a CUDA graph keeps lies in a pool of its own, and once it is captured PyTorch counts that as
 * given out no more; as reserved it does, and nobody else gets it. More given out than reserved is
 * for check_memory() to doubt. */
static void check_graphs(const habitat_trace *t, habitat_trace_info *info) {
    double reserved = info->memory.reserved_bytes;
    if (isnan(info->peak_memory_bytes) || info->peak_memory_bytes > reserved || info->without_gpu ||
        !has_graphs(t))
        return;
    info->ungraphed_peak_bytes = info->peak_memory_bytes;
    info->peak_memory_bytes = reserved;
}

/* ---- streams ---- */

enum { STREAMS = 256, DEPENDENT_LAUNCHES = SM_HOPPER };

typedef struct last_kernel {
    uint32_t stream;
    bool any, in_graph;
    uint64_t end_ns;    /* latest of the kernels so far */
    uint64_t before_ns; /* the same without the last one */
} last_kernel;

/* From compute capability 9.0 on a launch may depend on the kernel before it (libraries sort and
 * multiply so): it begins while that one runs, waits for its end, and ends later. */
static bool is_dependent(const habitat_trace *t, const last_kernel *of, const habitat_kernel *k) {
    return t->info.device_facts.compute_capability >= DEPENDENT_LAUNCHES &&
           k->start_ns + k->duration_ns > of->end_ns && k->start_ns >= of->before_ns;
}

/* A stream runs one kernel after another. Branches of a CUDA graph are noted under one stream. Only
 * kernels that busy_ms() counts: no answer uses the others. Sorted by start. */
static void count_overlaps(habitat_trace *t) {
    last_kernel last[STREAMS] = {{0}};
    for (size_t i = 0; i < t->kernel_count; i++) {
        const habitat_kernel *k = &t->kernels[i];
        last_kernel *of = &last[k->form->stream % STREAMS];
        uint64_t end = k->start_ns + k->duration_ns;
        if (!is_counted(t, k, false))
            continue;
        bool same = of->any && of->stream == k->form->stream;
        uint64_t until = same ? (of->end_ns < end ? of->end_ns : end) : 0;
        if (until > k->start_ns && !k->in_graph && !of->in_graph && !is_dependent(t, of, k)) {
            t->info.trace_overlap_count++;
            t->info.trace_overlap_ms += (double)(until - k->start_ns) / HABITAT_NS_PER_MS;
        }
        uint64_t before = same ? of->end_ns : 0;
        if (!same || end > of->end_ns)
            *of = (last_kernel){k->form->stream, true, k->in_graph, end, before};
        else
            of->before_ns = before;
    }
}

/* ---- all together ---- */

static void check_gpu(habitat_trace_info *info) {
    const char *name = info->device_facts.name;
    if (info->noted_gpu && (!name || strcmp(info->noted_gpu, name) == 0))
        info->noted_gpu = NULL;
}

void trace_check_notes(habitat_trace *t) {
    habitat_trace_info *info = &t->info;
    info->notes_left = info->other_steps && (!isnan(info->iteration_ms) || info->batch_size ||
                                             !isnan(info->peak_memory_bytes));
    if (info->other_steps)
        forget_step(info);
    count_overlaps(t);
    check_time(t);
    check_clock(info);
    check_graphs(t, info);
    check_memory(info);
    check_gpu(info);
}
