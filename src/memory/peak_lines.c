/* The moments of an iteration, each as a line over the batch size.
 *
 * A forward operation adds what it keeps. Its backward operation needs the gradients of what goes
 * in and out beside everything kept; then it gives back what was kept and leaves the gradients of
 * its weights. What a checkpoint computes again is not kept before that. Without a backward pass
 * the tensors that are in use count. */
#include "memory/model.h"

#include <math.h>
#include <stdlib.h>

#include "base/list.h"

bool memory_steps_add(memory_steps *s, const memory_step *step) {
    memory_step *steps = list_grow(s->steps, s->count, &s->capacity, 512, SIZE_MAX, sizeof *steps);
    if (!steps)
        return false;
    s->steps = steps;
    s->steps[s->count++] = *step;
    return true;
}

bool memory_steps_add_life(memory_steps *s, const memory_life *life) {
    memory_life *lives =
        list_grow(s->lives, s->life_count, &s->life_capacity, 512, SIZE_MAX, sizeof *lives);
    if (!lives)
        return false;
    s->lives = lives;
    s->lives[s->life_count++] = *life;
    return true;
}

void memory_steps_free(memory_steps *steps) {
    free(steps->steps);
    free(steps->waits);
    free(steps->lives);
    *steps = (memory_steps){0};
}

/* In this order where the time is the same: a gradient that waits counts in no moment in which it
 * is made or taken, a tensor of a forward pass alone in both. */
typedef enum moment_kind {
    WAIT_ENDS,
    LIFE_BEGINS,
    AGAIN,
    FORWARD,
    BACKWARD,
    WAIT_BEGINS,
    LIFE_ENDS
} moment_kind;

typedef struct moment {
    uint64_t time_ns;
    moment_kind kind;
    const memory_step *step; /* of a pass */
    double growing, fixed;   /* bytes that come (below 0: go) with a wait or a life */
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
        return x->growing > y->growing ? -1 : 1;
    if (x->space != y->space)
        return x->space > y->space ? -1 : 1;
    if (x->fixed != y->fixed)
        return x->fixed > y->fixed ? -1 : 1;
    return x->shrinking > y->shrinking ? -1 : x->shrinking < y->shrinking;
}

static bool has_space(const memory_line *line) {
    return line->space > 0 || line->shrinking > 0;
}

static bool is_below(const memory_line *line, const memory_line *others, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (others[i].growing >= line->growing && others[i].space >= line->space &&
            others[i].fixed >= line->fixed && others[i].shrinking >= line->shrinking)
            return true;
    return false;
}

/* Lines with the space of a library first, in their order; returns how many. */
static size_t part(memory_line *lines, size_t count) {
    size_t front = 0;
    for (size_t i = 0; i < count; i++)
        if (has_space(&lines[i])) {
            memory_line line = lines[i];
            lines[i] = lines[front];
            lines[front++] = line;
        }
    return front;
}

/* Only lines that are not below another at every batch size. Those with space are few, and only
 * they are above one of theirs; of the others, by falling growth, one must be more than all before
 * it, so that a long backward pass costs no more than its sorting. */
static void prune(memory_lines *l) {
    memory_line *lines = l->lines;
    size_t few = part(lines, l->count), kept = 0, above = 0;
    double fixed = -INFINITY;
    qsort(lines, few, sizeof *lines, by_growth);
    qsort(lines + few, l->count - few, sizeof *lines, by_growth);
    for (size_t i = 0; i < few; i++)
        if (!is_below(&lines[i], lines, kept))
            lines[kept++] = lines[i];
    size_t kept_few = kept;
    for (size_t i = few; i < l->count; i++) {
        for (; above < kept_few && lines[above].growing >= lines[i].growing; above++)
            fixed = fmax(fixed, lines[above].fixed);
        if (lines[i].fixed <= fixed)
            continue;
        fixed = lines[i].fixed;
        lines[kept++] = lines[i];
    }
    l->count = kept;
    qsort(lines, kept, sizeof *lines, by_growth);
}

/* What a library works in at a moment; where any algorithm may be taken, what the worst needs. */
static memory_space space_of(const memory_step *s, bool backward, bool most) {
    memory_space space = backward ? s->backward : s->forward;
    *(most ? &space.growing : &space.shrinking) += space.bounded;
    if (most) {
        const memory_space *other = backward ? &s->most_backward : &s->most_forward;
        space.growing = fmax(space.growing, other->growing);
        space.fixed = fmax(space.fixed + space.shrinking, other->fixed);
        space.shrinking = 0;
    }
    return space;
}

/* Gradients that are there: those made so far, and until they are let go all of the iteration
 * before. */
static memory_space gradients_at(const memory_gradients *all, memory_space made, bool before) {
    return before ? (memory_space){.growing = all->rows, .fixed = all->fixed} : made;
}

static void make_gradients(const memory_gradients *all, const memory_facts *facts,
                           const memory_step *s, memory_space *made) {
    double share = facts->rows_bytes > 0 ? all->rows / facts->rows_bytes : 0;
    made->fixed = fmin(made->fixed + all->each * s->weights, all->fixed);
    made->growing = fmin(made->growing + share * s->rows, all->rows);
}

static void follow(const moment *moments, size_t count, const memory_facts *facts,
                   const memory_gradients *all, bool most, memory_lines *out) {
    double kept = 0, casts = 0, waiting = 0;
    memory_space made = gradients_at(all, (memory_space){0}, facts->gradients_stay);
    for (size_t i = 0; i < count; i++) {
        const memory_step *s = moments[i].step;
        if (!s) {
            waiting += moments[i].growing;
            casts += moments[i].fixed;
            continue;
        }
        if (moments[i].kind == AGAIN) {
            kept += s->kept_again;
            casts += s->casts;
            continue;
        }
        bool keeps = s->backward_ns != UINT64_MAX, backward = moments[i].kind == BACKWARD;
        memory_space space = space_of(s, backward, most);
        bool before = moments[i].time_ns < facts->zeroed_ns &&
                      (made.fixed < all->fixed || made.growing < all->rows);
        memory_space gradients = gradients_at(all, made, before);
        double moved = s->moved + (backward ? s->passing : 0);
        if (!backward) {
            kept += keeps ? s->kept - s->kept_again : 0;
            casts += keeps && !s->again_ns ? s->casts : 0;
            keeps &= !s->again_ns;
            if (keeps && s->kept > 0)
                moved = s->made; /* what goes in is kept */
            if (keeps && s->kept > 0 && !(space.growing + space.fixed + space.shrinking > 0) &&
                !before)
                continue; /* and what comes out, too: the backward pass has as much */
        }
        if (!backward && s->view)
            continue;
        double summed = backward ? all->each * s->summed : 0;
        memory_line line = {kept + waiting + moved, gradients.growing + space.growing,
                            casts + gradients.fixed + summed + space.fixed, space.shrinking};
        out->lines[out->count++] = line;
        if (most && space.bounded > 0) { /* of a smaller batch it may be as large as recorded */
            line.space -= space.bounded;
            line.fixed += space.bounded;
            out->lines[out->count++] = line;
        }
        if (backward) {
            kept -= s->kept;
            casts -= s->casts;
            make_gradients(all, facts, s, &made);
        }
    }
}

static size_t list_moments(const memory_steps *steps, moment *out) {
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const memory_step *s = &steps->steps[i];
        out[count++] = (moment){s->forward_ns, FORWARD, s, 0, 0};
        if (s->backward_ns != UINT64_MAX)
            out[count++] = (moment){s->backward_ns, BACKWARD, s, 0, 0};
        if (s->backward_ns != UINT64_MAX && s->again_ns)
            out[count++] = (moment){s->again_ns, AGAIN, s, 0, 0};
    }
    for (size_t i = 0; i < steps->wait_count; i++) {
        const memory_wait *w = &steps->waits[i];
        out[count++] = (moment){w->from_ns, WAIT_BEGINS, NULL, w->bytes, 0};
        out[count++] = (moment){w->to_ns, WAIT_ENDS, NULL, -w->bytes, 0};
    }
    for (size_t i = 0; i < steps->life_count; i++) {
        const memory_life *l = &steps->lives[i];
        out[count++] = (moment){l->from_ns, LIFE_BEGINS, NULL, l->growing, l->fixed};
        out[count++] = (moment){l->to_ns, LIFE_ENDS, NULL, -l->growing, -l->fixed};
    }
    return count;
}

habitat_status memory_lines_of(const memory_steps *steps, const memory_facts *facts,
                               const memory_gradients *all, bool most, memory_lines *out) {
    *out = (memory_lines){.loss_bytes = steps->loss_bytes,
                          .batch_bytes = steps->batch_bytes,
                          .largest_bytes = steps->largest_bytes};
    if (!steps->count)
        return HABITAT_OK;
    size_t room = 3 * steps->count + 2 * (steps->wait_count + steps->life_count);
    moment *moments = malloc(room * sizeof *moments);
    out->lines = calloc(4 * steps->count, sizeof *out->lines);
    if (!moments || !out->lines) {
        free(moments);
        memory_lines_free(out);
        return HABITAT_E_MEMORY;
    }
    size_t count = list_moments(steps, moments);
    qsort(moments, count, sizeof *moments, by_time);
    follow(moments, count, facts, all, most, out);
    free(moments);
    prune(out);
    return HABITAT_OK;
}

void memory_lines_free(memory_lines *lines) {
    free(lines->lines);
    *lines = (memory_lines){0};
}

static double at(const memory_line *line, double batch_factor, double correction) {
    return (line->growing * correction + line->space) * batch_factor + line->fixed +
           line->shrinking * fmin(batch_factor, 1);
}

double memory_lines_at(const memory_lines *lines, double batch_factor, double correction) {
    double highest = 0;
    for (size_t i = 0; i < lines->count; i++)
        highest = fmax(highest, at(&lines->lines[i], batch_factor, correction));
    return highest;
}

double memory_lines_growing(const memory_lines *lines, double batch_factor, double correction) {
    double most = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const memory_line *l = &lines->lines[i];
        most = fmax(most, (l->growing * correction + l->space) * batch_factor);
    }
    return most;
}

double memory_lines_factor(const memory_lines *lines, double bytes) {
    double factor = INFINITY;
    for (size_t i = 0; i < lines->count; i++) {
        const memory_line *l = &lines->lines[i];
        if (l->growing > 0)
            factor = fmin(factor, (bytes - l->space - l->fixed - l->shrinking) / l->growing);
    }
    return factor;
}
