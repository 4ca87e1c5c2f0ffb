/* Iterations that the reader was asked for: the number of them, and what to say where the range
 * that was named is not there. */
#include "trace/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

uint64_t trace_launch_time(const habitat_trace *t, const habitat_kernel *k) {
    if (k->earlier)
        return UINT64_MAX;
    if (k->call != HABITAT_NONE)
        return t->calls[k->call].start_ns;
    return k->operation != HABITAT_NONE ? t->operations[k->operation].start_ns : k->start_ns;
}

enum { NAMES_SHOWN = 5, LIST_BYTES = 400 };

typedef struct range_name {
    const char *name; /* interned */
    size_t count;
} range_name;

static int by_name(const void *a, const void *b) {
    const range_name *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int by_count(const void *a, const void *b) {
    const range_name *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->name, y->name);
}

/* "forward" (10), "step" (10): the most frequent names of ranges; "" without any. */
static bool list_ranges(const habitat_trace *t, char text[LIST_BYTES]) {
    size_t count = 0, kept = 0, used = 0;
    range_name *names = calloc(t->operation_count + 1, sizeof *names);
    if (!names)
        return false;
    for (size_t i = 0; i < t->operation_count; i++)
        if (t->operations[i].form->kind == HABITAT_OPERATION_RANGE)
            names[count++] = (range_name){t->operations[i].form->name, 1};
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        if (kept && !strcmp(names[kept - 1].name, names[i].name))
            names[kept - 1].count++;
        else
            names[kept++] = names[i];
    }
    qsort(names, kept, sizeof *names, by_count);
    text[0] = '\0';
    for (size_t i = 0; i < kept && i < NAMES_SHOWN; i++)
        used += (size_t)snprintf(text + used, LIST_BYTES - used, "%s\"%.60s\" (%zu)", i ? ", " : "",
                                 names[i].name, names[i].count);
    free(names);
    return true;
}

habitat_status trace_no_range(const trace_builder *b, habitat_error *err) {
    const habitat_trace *t = b->trace;
    char names[LIST_BYTES];
    if (!list_ranges(t, names))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (b->range_count)
        return habitat_fail_at(err, HABITAT_E_ARG, t->info.file, UINT64_MAX, 0,
                               "nothing was launched inside a range \"%.60s\"; name the range of a "
                               "whole iteration: there are %s",
                               b->options.range, names);
    if (!names[0])
        return habitat_fail_at(err, HABITAT_E_ARG, t->info.file, UINT64_MAX, 0,
                               "no range \"%.60s\": the trace holds no ranges at all; say how many "
                               "iterations it holds, or profile it with NVTX ranges",
                               b->options.range);
    return habitat_fail_at(err, HABITAT_E_ARG, t->info.file, UINT64_MAX, 0,
                           "no range \"%.60s\"; there are %s", b->options.range, names);
}

/* Kernels, copies and sets of the main device in the order they were asked for. */
typedef struct launched {
    uint64_t time_ns;
    const habitat_kernel *kernel;
} launched;

static int by_launch(const void *a, const void *b) {
    const launched *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel; /* sorted by start */
}

static size_t list_launches(const habitat_trace *t, launched *out) {
    size_t count = 0;
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].form->device == t->info.device && !t->kernels[i].earlier)
            out[count++] = (launched){trace_launch_time(t, &t->kernels[i]), &t->kernels[i]};
    qsort(out, count, sizeof *out, by_launch);
    return count;
}

static int by_address(const void *a, const void *b) {
    const char *const *x = a, *const *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Do all parts launch the same kernels, in whatever order? Names are interned: one address each.
 * `names`: room for two parts. */
static bool parts_differ(const launched *list, size_t count, size_t parts, const char **names) {
    size_t each = count / parts;
    if (count % parts)
        return true;
    for (size_t part = 0; part < parts; part++) {
        const char **of_part = part ? names + each : names;
        for (size_t i = 0; i < each; i++)
            of_part[i] = list[part * each + i].kernel->form->name;
        qsort(of_part, each, sizeof *of_part, by_address);
        if (part && memcmp(names, of_part, each * sizeof *names) != 0)
            return true;
    }
    return false;
}

habitat_status trace_divide(trace_builder *b, size_t parts, trace_range **out, habitat_error *err) {
    habitat_trace *t = b->trace;
    if (parts == 0)
        return habitat_fail(err, HABITAT_E_ARG, "a trace holds one iteration at least");
    launched *list = malloc((t->kernel_count + 1) * sizeof *list);
    size_t count = list ? list_launches(t, list) : 0;
    if (list && parts > count) {
        free(list);
        return habitat_fail_at(
            err, HABITAT_E_ARG, t->info.file, UINT64_MAX, 0,
            "%zu iterations, but only %zu launches; say the number of iterations "
            "in the trace",
            parts, count);
    }
    trace_range *ranges = list ? calloc(parts, sizeof *ranges) : NULL;
    const char **names = ranges ? malloc(2 * (count / parts) * sizeof *names) : NULL;
    if (!names) {
        free(list);
        free(ranges);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < parts; i++) {
        ranges[i].start_ns = i ? list[i * count / parts].time_ns : 0;
        if (i)
            ranges[i - 1].end_ns = ranges[i].start_ns;
    }
    ranges[parts - 1].end_ns = UINT64_MAX;
    t->info.iterations_differ = parts_differ(list, count, parts, names);
    free(names);
    free(list);
    *out = ranges;
    return HABITAT_OK;
}
