/* See moments.h. Operations and calls of a thread are sorted by their start, and few are open at
 * once: a heap of the next start of each thread and of the open ends gives all points in order. So
 * no list of them is made, which would be longer than the trace. */
#include "replay/moments.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/list.h"
#include "base/quantile.h"
#include "replay/builder.h"

/* What a point is: a number of a run's, or one of these. */
enum { DIGITS = 1 << 16 };
static const uint32_t end_of_operation = UINT32_MAX, end_of_call = UINT32_MAX - 1;

typedef struct point {
    uint64_t at_ns;
    uint32_t what; /* a run: its next start */
} point;

/* Operations, or calls, of one thread that were not yet met. */
typedef struct run {
    size_t next, end;
    bool calls;
} run;

typedef struct sweep {
    const habitat_operation *ops;
    const habitat_call *calls;
    size_t op_count, call_count;
    run *runs;
    size_t run_count, run_capacity;
    point *heap;
    size_t count, capacity;
} sweep;

/* ---- the heap: the earliest on top ---- */

static bool push(sweep *s, uint64_t at_ns, uint32_t what) {
    point *heap = list_grow(s->heap, s->count, &s->capacity, 64, SIZE_MAX, sizeof *heap);
    if (!heap)
        return false;
    s->heap = heap;
    size_t at = s->count++;
    for (; at > 0 && s->heap[(at - 1) / 2].at_ns > at_ns; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = (point){at_ns, what};
    return true;
}

static point pop(sweep *s) {
    point top = s->heap[0], moved = s->heap[--s->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < s->count && s->heap[child + 1].at_ns < s->heap[child].at_ns)
            child++;
        if (child >= s->count || s->heap[child].at_ns >= moved.at_ns)
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = moved;
    return top;
}

/* ---- the points in order ---- */

static bool counts(const sweep *s, const run *r, size_t i) {
    if (r->calls)
        return s->calls[i].iteration != HABITAT_NONE && !replay_waits_gpu(&s->calls[i]);
    return s->ops[i].iteration != HABITAT_NONE &&
           s->ops[i].form->kind == HABITAT_OPERATION_FRAMEWORK;
}

/* Its next start into the heap. */
static bool push_next(sweep *s, uint32_t number) {
    run *r = &s->runs[number];
    while (r->next < r->end && !counts(s, r, r->next))
        r->next++;
    if (r->next == r->end)
        return true;
    return push(s, r->calls ? s->calls[r->next].start_ns : s->ops[r->next].start_ns, number);
}

static bool add_run(sweep *s, run made) {
    run *runs = list_grow(s->runs, s->run_count, &s->run_capacity, 64, SIZE_MAX, sizeof *runs);
    if (!runs)
        return false;
    s->runs = runs;
    s->runs[s->run_count++] = made;
    return true;
}

static bool find_runs(sweep *s) {
    bool fine = true;
    for (size_t i = 0, to = 0; fine && i < s->op_count; i = to) {
        for (to = i; to < s->op_count && s->ops[to].form->thread == s->ops[i].form->thread; to++)
            continue;
        fine = add_run(s, (run){i, to, false});
    }
    for (size_t i = 0, to = 0; fine && i < s->call_count; i = to) {
        for (to = i; to < s->call_count && s->calls[to].form->thread == s->calls[i].form->thread;
             to++)
            continue;
        fine = add_run(s, (run){i, to, true});
    }
    return fine && s->run_count < end_of_call;
}

static bool rewind_all(sweep *s) {
    bool fine = true;
    s->count = 0;
    for (size_t i = 0, op = 0, call = 0; fine && i < s->run_count; i++) {
        run *r = &s->runs[i];
        r->next = r->calls ? call : op;
        *(r->calls ? &call : &op) = r->end;
        fine = push_next(s, (uint32_t)i);
    }
    return fine;
}

/* The next point; false when out of memory. */
static bool take(sweep *s, point *out) {
    *out = pop(s);
    if (out->what == end_of_operation || out->what == end_of_call)
        return true;
    run *r = &s->runs[out->what];
    size_t i = r->next++;
    uint64_t lasts_ns = r->calls ? s->calls[i].duration_ns : s->ops[i].duration_ns;
    return push(s, out->at_ns + lasts_ns, r->calls ? end_of_call : end_of_operation) &&
           push_next(s, out->what);
}

/* ---- what is asked ---- */

/* Counts the times between neighbours of which the digits above `shift + 16` bits are `prefix`, by
 * the 16 bits below. With `out` it measures the rest, too. */
static bool count_steps(sweep *s, unsigned shift, uint64_t prefix, size_t *digits,
                        replay_moments *out) {
    uint64_t before_ns = 0;
    bool first = true, fine = rewind_all(s);
    for (size_t i = 0; i < DIGITS; i++)
        digits[i] = 0;
    while (fine && s->count) {
        point p;
        fine = take(s, &p);
        uint64_t step = p.at_ns - before_ns, high = step >> shift;
        if (!first && high >> 16 == prefix)
            digits[high & (DIGITS - 1)]++;
        before_ns = p.at_ns;
        first = false;
        if (out) {
            out->point_count++;
            out->call_count += p.what == end_of_call;
            out->any_operation |= p.what == end_of_operation;
        }
    }
    return fine;
}

static size_t count_outermost(const sweep *s) {
    const run all = {0, s->op_count, false};
    size_t count = 0;
    for (size_t i = 0; i < s->op_count; i++) {
        uint32_t parent = s->ops[i].parent;
        count += counts(s, &all, i) && (parent == HABITAT_NONE ||
                                        s->ops[parent].form->kind != HABITAT_OPERATION_FRAMEWORK);
    }
    return count;
}

/* The digit in which the time of that rank lies; the rank becomes the one among these. */
static uint64_t digit_of(const size_t *digits, size_t *rank) {
    uint64_t digit = 0;
    while (digit + 1 < DIGITS && digits[digit] <= *rank)
        *rank -= digits[digit++];
    return digit;
}

/* The time between neighbours that `rank` others are below, digit by digit. */
static bool step_of_rank(sweep *s, size_t rank, size_t *digits, double *out) {
    uint64_t value = 0;
    for (int shift = 48; shift >= 0; shift -= 16) {
        if (!count_steps(s, (unsigned)shift, value, digits, NULL))
            return false;
        value = value << 16 | digit_of(digits, &rank);
    }
    *out = (double)value;
    return true;
}

/* Most steps are shorter than 65 us: then the first count holds the median. */
static bool find_usual(sweep *s, size_t *digits, replay_moments *out) {
    size_t steps = out->point_count - 1, below = (steps - 1) / 2, short_ones = 0;
    double middle[2];
    for (size_t i = 0; i < DIGITS; i++)
        short_ones += digits[i];
    bool enough = below + 1 < short_ones;
    for (size_t i = 0; i < 2; i++) {
        size_t rank = below + i < steps ? below + i : below;
        if (enough)
            middle[i] = (double)digit_of(digits, &rank);
        else if (!step_of_rank(s, rank, digits, &middle[i]))
            return false;
    }
    out->usual_ns = habitat_quantile(middle, 2, steps % 2 ? 0.0 : 0.5);
    return true;
}

habitat_status replay_moments_of(const habitat_trace *trace, replay_moments *out,
                                 habitat_error *err) {
    sweep s = {0};
    replay_moments made = {0};
    s.ops = habitat_trace_operations(trace, &s.op_count);
    s.calls = habitat_trace_calls(trace, &s.call_count);
    size_t *digits = malloc(DIGITS * sizeof *digits);
    bool fine = digits && find_runs(&s) && count_steps(&s, 0, 0, digits, &made);
    if (fine && made.point_count > 1)
        fine = find_usual(&s, digits, &made);
    made.outermost_count = count_outermost(&s);
    free(digits);
    free(s.runs);
    free(s.heap);
    if (!fine)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *out = made;
    return HABITAT_OK;
}
