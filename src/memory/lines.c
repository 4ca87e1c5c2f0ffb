/* The moments of an iteration, each as a line over the batch size.
 *
 * A forward operation adds what it keeps. Its backward operation needs the gradients of what goes
 * in and out beside everything kept; then it gives back what was kept and leaves the gradients of
 * its weights. Without a backward pass only the tensors that pass by count. */
#include "memory/model.h"

#include <math.h>
#include <stdlib.h>

bool memory_steps_add(memory_steps *s, const memory_step *step) {
    if (s->count == s->capacity) {
        size_t larger = s->capacity ? s->capacity * 2 : 512;
        memory_step *grown = realloc(s->steps, larger * sizeof *grown);
        if (!grown)
            return false;
        s->steps = grown;
        s->capacity = larger;
    }
    s->steps[s->count++] = *step;
    return true;
}

void memory_steps_free(memory_steps *steps) {
    free(steps->steps);
    free(steps->waits);
    *steps = (memory_steps){0};
}

/* In this order where the time is the same: a gradient that waits counts in no moment in which it
 * is made or taken. */
typedef enum moment_kind { WAIT_ENDS, FORWARD, BACKWARD, WAIT_BEGINS } moment_kind;

typedef struct moment {
    uint64_t time_ns;
    moment_kind kind;
    const memory_step *step; /* of a pass */
    double bytes;            /* of a gradient that waits */
} moment;

static int by_time(const void *a, const void *b) {
    const moment *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step; /* the same on every machine */
}

static int by_growth(const void *a, const void *b) {
    const memory_line *x = a, *y = b;
    if (x->growing != y->growing)
        return x->growing < y->growing ? -1 : 1;
    return x->fixed < y->fixed ? -1 : x->fixed > y->fixed;
}

/* Only lines that are not below another at every batch size. */
static void prune(memory_lines *l) {
    size_t kept = 0;
    qsort(l->lines, l->count, sizeof *l->lines, by_growth);
    for (size_t i = 0; i < l->count; i++) {
        while (kept && l->lines[kept - 1].fixed <= l->lines[i].fixed)
            kept--;
        l->lines[kept++] = l->lines[i];
    }
    l->count = kept;
}

static void follow(const moment *moments, size_t count, const memory_facts *facts,
                   double gradients_bytes, double weight_bytes, memory_lines *out) {
    double kept = 0, casts = 0, waiting = 0;
    double gradients = facts->gradients_stay ? gradients_bytes : 0;
    for (size_t i = 0; i < count; i++) {
        const memory_step *s = moments[i].step;
        if (!s) {
            waiting += moments[i].kind == WAIT_BEGINS ? moments[i].bytes : -moments[i].bytes;
            continue;
        }
        bool keeps = s->backward_ns != UINT64_MAX, backward = moments[i].kind == BACKWARD;
        if (!backward) {
            kept += keeps ? s->kept : 0;
            casts += keeps ? s->casts : 0;
            if (keeps && s->kept > 0)
                continue; /* what moves is what is kept */
        }
        out->lines[out->count++] = (memory_line){kept + waiting + s->moved, casts + gradients};
        if (backward) {
            kept -= s->kept;
            casts -= s->casts;
            gradients = fmin(gradients + weight_bytes * s->weights, gradients_bytes);
        }
    }
}

static size_t list_moments(const memory_steps *steps, moment *out) {
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const memory_step *s = &steps->steps[i];
        out[count++] = (moment){s->forward_ns, FORWARD, s, 0};
        if (s->backward_ns != UINT64_MAX)
            out[count++] = (moment){s->backward_ns, BACKWARD, s, 0};
    }
    for (size_t i = 0; i < steps->wait_count; i++) {
        const memory_wait *w = &steps->waits[i];
        out[count++] = (moment){w->from_ns, WAIT_BEGINS, NULL, w->bytes};
        out[count++] = (moment){w->to_ns, WAIT_ENDS, NULL, w->bytes};
    }
    return count;
}

habitat_status memory_lines_of(const memory_steps *steps, const memory_facts *facts,
                               double gradients_bytes, double weight_bytes, memory_lines *out) {
    *out = (memory_lines){.loss_bytes = steps->loss_bytes,
                          .batch_bytes = steps->batch_bytes,
                          .largest_bytes = steps->largest_bytes};
    if (!steps->count)
        return HABITAT_OK;
    moment *moments = malloc(2 * (steps->count + steps->wait_count) * sizeof *moments);
    out->lines = malloc(2 * steps->count * sizeof *out->lines);
    if (!moments || !out->lines) {
        free(moments);
        memory_lines_free(out);
        return HABITAT_E_MEMORY;
    }
    size_t count = list_moments(steps, moments);
    qsort(moments, count, sizeof *moments, by_time);
    follow(moments, count, facts, gradients_bytes, weight_bytes, out);
    free(moments);
    prune(out);
    return HABITAT_OK;
}

void memory_lines_free(memory_lines *lines) {
    free(lines->lines);
    *lines = (memory_lines){0};
}

double memory_lines_at(const memory_lines *lines, double factor) {
    double highest = 0;
    for (size_t i = 0; i < lines->count; i++)
        highest = fmax(highest, lines->lines[i].growing * factor + lines->lines[i].fixed);
    return highest;
}

double memory_lines_factor(const memory_lines *lines, double bytes) {
    double factor = INFINITY;
    for (size_t i = 0; i < lines->count; i++)
        if (lines->lines[i].growing > 0)
            factor = fmin(factor, (bytes - lines->lines[i].fixed) / lines->lines[i].growing);
    return factor;
}
