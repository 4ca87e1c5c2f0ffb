/* Which iteration everything belongs to, and the sums of each. A kernel belongs to the iteration
 * that its launch lies in, on whatever thread: backward passes run on a thread of their own. */
#include "trace/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"

static int by_start(const void *a, const void *b) {
    const trace_range *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

/* Ranges of the highest rank there is: see step_rank() and asked_rank() of build.c. */
static size_t choose_kind(trace_range *ranges, size_t count) {
    size_t kept = 0;
    uint8_t rank = 0;
    for (size_t i = 0; i < count; i++)
        if (ranges[i].rank > rank)
            rank = ranges[i].rank;
    for (size_t i = 0; i < count; i++)
        if (ranges[i].rank == rank)
            ranges[kept++] = ranges[i];
    return kept;
}

/* Sorted. Two that overlap by more than half of the shorter are the same step seen by two
 * processes, and made one; less is rounding, and the earlier ends where the later starts. */
static size_t merge_ranges(trace_range *ranges, size_t count) {
    size_t kept = 0;
    count = choose_kind(ranges, count);
    if (count)
        qsort(ranges, count, sizeof *ranges, by_start);
    for (size_t i = 0; i < count; i++) {
        trace_range *last = kept ? &ranges[kept - 1] : NULL, *r = &ranges[i];
        if (last && r->start_ns < last->end_ns) {
            uint64_t shorter = last->end_ns - last->start_ns, length = r->end_ns - r->start_ns;
            uint64_t end = r->end_ns < last->end_ns ? r->end_ns : last->end_ns;
            if (length < shorter)
                shorter = length;
            if (end - r->start_ns > shorter / 2) {
                if (r->end_ns > last->end_ns)
                    last->end_ns = r->end_ns;
                continue;
            }
            last->end_ns = r->start_ns;
        }
        ranges[kept++] = *r;
    }
    return kept;
}

static uint32_t range_at(const trace_range *ranges, size_t count, uint64_t time) {
    size_t low = 0;
    LIST_FIRST_NOT(low, count, ranges[middle].start_ns <= time);
    return low && time < ranges[low - 1].end_ns ? (uint32_t)(low - 1) : HABITAT_NONE;
}

/* Drop ranges in which nothing was launched on the main device. `used` is scratch. */
static size_t keep_used(habitat_trace *t, trace_range *ranges, size_t count, bool *used) {
    size_t kept = 0;
    for (size_t i = 0; i < t->kernel_count; i++) {
        const habitat_kernel *k = &t->kernels[i];
        uint32_t at = k->form->device == t->info.device
                          ? range_at(ranges, count, trace_launch_time(t, k))
                          : HABITAT_NONE;
        if (at != HABITAT_NONE)
            used[at] = true;
    }
    for (size_t i = 0; i < count; i++)
        if (used[i])
            ranges[kept++] = ranges[i];
    return kept;
}

static void assign(habitat_trace *t, const trace_range *ranges, size_t count) {
    for (size_t i = 0; i < t->kernel_count; i++)
        t->kernels[i].iteration = range_at(ranges, count, trace_launch_time(t, &t->kernels[i]));
    for (size_t i = 0; i < t->call_count; i++)
        t->calls[i].iteration = range_at(ranges, count, t->calls[i].start_ns);
    for (size_t i = 0; i < t->operation_count; i++)
        t->operations[i].iteration = range_at(ranges, count, t->operations[i].start_ns);
}

static void reach(trace_range *whole, uint64_t start_ns, uint64_t end_ns) {
    if (start_ns < whole->start_ns)
        whole->start_ns = start_ns;
    if (end_ns > whole->end_ns)
        whole->end_ns = end_ns;
}

/* Without ranges the whole trace is one iteration. */
static void assign_all(habitat_trace *t, trace_range *whole) {
    *whole = (trace_range){.start_ns = UINT64_MAX};
    for (size_t i = 0; i < t->call_count; i++) {
        t->calls[i].iteration = 0;
        reach(whole, t->calls[i].start_ns, 0);
    }
    for (size_t i = 0; i < t->kernel_count; i++) {
        habitat_kernel *k = &t->kernels[i];
        k->iteration = k->earlier ? HABITAT_NONE : 0;
        if (!k->earlier)
            reach(whole, k->start_ns, k->start_ns + k->duration_ns);
    }
    for (size_t i = 0; i < t->operation_count; i++) {
        habitat_operation *o = &t->operations[i];
        o->iteration = 0;
        reach(whole, o->start_ns, o->start_ns + o->duration_ns);
    }
}

/* Sums in nanoseconds, and how far the busy time of an iteration is counted. */
typedef struct sums {
    uint64_t kernel_ns, copy_ns, busy_ns, first_ns, busy_until_ns;
    bool any;
} sums;

/* Kernels come sorted by start, so the union of their intervals grows from left to right. */
static void add_kernel(const habitat_kernel *k, habitat_iteration *it, sums *s) {
    uint64_t end = k->start_ns + k->duration_ns;
    if (k->form->kind == HABITAT_KERNEL_MEMCPY || k->form->kind == HABITAT_KERNEL_MEMSET) {
        it->copy_count++;
        s->copy_ns += k->duration_ns;
    } else {
        it->kernel_count++;
        s->kernel_ns += k->duration_ns;
    }
    if (!s->any) {
        s->any = true;
        s->first_ns = s->busy_until_ns = k->start_ns;
    }
    if (end > s->busy_until_ns) {
        s->busy_ns += end - (k->start_ns > s->busy_until_ns ? k->start_ns : s->busy_until_ns);
        s->busy_until_ns = end;
    }
}

static bool sum_up(habitat_trace *t, const trace_range *ranges, size_t count) {
    sums *all = calloc(count, sizeof *all);
    t->iterations = calloc(count, sizeof *t->iterations);
    if (!all || !t->iterations) {
        free(all);
        return false;
    }
    for (size_t i = 0; i < t->kernel_count; i++) {
        const habitat_kernel *k = &t->kernels[i];
        if (k->form->device == t->info.device && k->iteration != HABITAT_NONE)
            add_kernel(k, &t->iterations[k->iteration], &all[k->iteration]);
    }
    for (size_t i = 0; i < count; i++) {
        habitat_iteration *it = &t->iterations[i];
        it->start_ns = ranges[i].start_ns;
        it->duration_ns = ranges[i].end_ns - ranges[i].start_ns;
        it->kernel_ms = (double)all[i].kernel_ns / HABITAT_NS_PER_MS;
        it->copy_ms = (double)all[i].copy_ns / HABITAT_NS_PER_MS;
        it->busy_ms = (double)all[i].busy_ns / HABITAT_NS_PER_MS;
        it->span_ms = (double)(all[i].busy_until_ns - all[i].first_ns) / HABITAT_NS_PER_MS;
    }
    t->info.iteration_count = count;
    free(all);
    return true;
}

/* --- all together --------------------------------------------------------------------------- */

static habitat_status split_divided(trace_builder *b, habitat_error *err) {
    trace_range *ranges = NULL;
    size_t parts = b->options.iterations;
    habitat_status status = trace_divide(b, parts, &ranges, err);
    if (status != HABITAT_OK)
        return status;
    trace_range whole;
    assign_all(b->trace, &whole);
    ranges[parts - 1].end_ns = whole.end_ns + 1;
    assign(b->trace, ranges, parts);
    b->trace->info.iterations_by = HABITAT_ITERATIONS_COUNTED;
    bool fine = sum_up(b->trace, ranges, parts);
    free(ranges);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

/* Ranges that mark iterations, made one where two processes saw the same, without those in which
 * nothing was launched - but where nothing at all was launched, all count. */
static bool find_marks(habitat_trace *t, trace_range *ranges, size_t *count) {
    *count = merge_ranges(ranges, *count);
    bool *used = *count && t->kernel_count ? calloc(*count, sizeof *used) : NULL;
    if (used)
        *count = keep_used(t, ranges, *count, used);
    bool fine = used || !*count || !t->kernel_count;
    free(used);
    return fine;
}

/* Which step of the trace's own each asked range is, and the other way round. */
typedef struct step_match {
    uint32_t *step_of, *asked_of; /* shape (asked), (count); HABITAT_NONE: none yet */
    bool differs;                 /* some kernel of the one is not of the other */
} step_match;

static void match_kernel(step_match *m, uint32_t asked, uint32_t step) {
    if (asked == HABITAT_NONE)
        return; /* of a step that was not asked for, perhaps */
    if (step == HABITAT_NONE) {
        m->differs = true;
        return;
    }
    if (m->step_of[asked] == HABITAT_NONE && m->asked_of[step] == HABITAT_NONE) {
        m->step_of[asked] = step;
        m->asked_of[step] = asked;
    }
    m->differs |= m->step_of[asked] != step || m->asked_of[step] != asked;
}

static void match_kernels(const habitat_trace *t, const trace_range *steps, size_t count,
                          step_match *m) {
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].form->device == t->info.device)
            match_kernel(m, t->kernels[i].iteration,
                         range_at(steps, count, trace_launch_time(t, &t->kernels[i])));
    for (size_t i = 0; i < t->kernel_count; i++) {
        const habitat_kernel *k = &t->kernels[i];
        uint32_t step = k->form->device == t->info.device && k->iteration == HABITAT_NONE
                            ? range_at(steps, count, trace_launch_time(t, k))
                            : HABITAT_NONE;
        m->differs |= step != HABITAT_NONE && m->asked_of[step] != HABITAT_NONE;
    }
}

/* Whether ranges that were asked for, by which everything is assigned, are other steps than the
 * trace marks itself: parts of them, or more than one. Some of its own steps are not. */
static bool find_other_steps(habitat_trace *t, const trace_range *steps, size_t count,
                             size_t asked) {
    step_match m = {.step_of = malloc((asked + 1) * sizeof *m.step_of),
                    .asked_of = malloc((count + 1) * sizeof *m.asked_of)};
    bool fine = m.step_of && m.asked_of;
    for (size_t i = 0; fine && i < asked; i++)
        m.step_of[i] = HABITAT_NONE;
    for (size_t i = 0; fine && i < count; i++)
        m.asked_of[i] = HABITAT_NONE;
    if (fine && count)
        match_kernels(t, steps, count, &m);
    t->info.other_steps = m.differs;
    free(m.step_of);
    free(m.asked_of);
    return fine;
}

habitat_status trace_split_iterations(trace_builder *b, habitat_error *err) {
    habitat_trace *t = b->trace;
    trace_range whole;
    size_t count = b->range_count, steps = b->step_count, asked = b->options.iterations;
    if (!find_marks(t, b->ranges, &count) || !find_marks(t, b->steps, &steps))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (b->options.range && !count)
        return trace_no_range(b, err);
    if (asked && count && asked != count)
        return habitat_fail_at(err, HABITAT_E_ARG, t->info.file, UINT64_MAX, 0,
                               "the trace itself marks %zu iteration%s, not %zu; leave the number "
                               "out",
                               count, count == 1 ? "" : "s", asked);
    if (asked && !count)
        return split_divided(b, err);
    if (count) {
        t->info.iterations_by =
            b->options.range ? HABITAT_ITERATIONS_RANGE : HABITAT_ITERATIONS_MARKED;
        assign(t, b->ranges, count);
        if (!find_other_steps(t, b->steps, steps, count))
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    } else {
        assign_all(t, &whole);
    }
    if (!sum_up(t, count ? b->ranges : &whole, count ? count : 1))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return HABITAT_OK;
}
