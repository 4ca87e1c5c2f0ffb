/* Which operation belongs to which, and until when a tensor is there. */
#include "memory/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory/recomputed.h"
#include "memory/rules.h"
#include "memory/sparse.h"
#include "work/args.h"

enum { LOOK_AHEAD = 64 };

static void note_backward(memory_links *l) {
    for (size_t i = 0; i < l->count; i++) {
        l->backward_ns[i] = UINT64_MAX;
        l->node[i] = HABITAT_NONE;
    }
    for (size_t i = 0; i < l->count; i++) {
        const habitat_operation *o = &l->operations[i];
        if (o->iteration != 0)
            continue;
        if (o->forward != HABITAT_NONE && l->node[o->forward] == HABITAT_NONE)
            l->node[o->forward] = (uint32_t)i;
        for (uint32_t at = o->forward; at != HABITAT_NONE; at = l->operations[at].parent)
            if (o->start_ns < l->backward_ns[at])
                l->backward_ns[at] = o->start_ns;
    }
}

/* A node of autograd ("IndexBackward0") takes first the gradient of what its operation made. */
static void note_results(memory_links *l) {
    for (size_t i = 0; i < l->count; i++)
        l->result[i] = NAN;
    for (size_t i = 0; i < l->count; i++) {
        const habitat_operation *o = &l->operations[i];
        const habitat_input *gradient = work_tensor(o, 0);
        if (o->iteration == 0 && o->forward != HABITAT_NONE && gradient &&
            !strstr(o->form->name, "::") && work_category(gradient->dtype) == 2 &&
            isnan(l->result[o->forward]))
            l->result[o->forward] = work_elements(gradient);
    }
}

static void note_rows(memory_links *l) {
    for (size_t i = 0; i < l->count; i++) {
        double bytes = memory_rows_made(l->operations, i);
        uint32_t at = bytes > 0 ? (uint32_t)i : HABITAT_NONE;
        while (at != HABITAT_NONE && l->operations[at].forward == HABITAT_NONE)
            at = l->operations[at].parent;
        for (at = at == HABITAT_NONE ? at : l->operations[at].forward; at != HABITAT_NONE;
             at = l->operations[at].parent)
            l->rows[at] += bytes;
    }
}

/* A copy is launched inside of `copy_`, which `_to_copy` calls. */
static void note_copies(memory_links *l) {
    size_t count;
    const habitat_kernel *kernels = habitat_trace_kernels(l->trace, &count);
    for (size_t i = 0; i < count; i++) {
        const habitat_kernel_form *form = kernels[i].form;
        if (form->kind != HABITAT_KERNEL_MEMCPY || !form->copy_kind ||
            strcmp(form->copy_kind, "HtoD") != 0)
            continue;
        uint32_t at = kernels[i].operation;
        for (int up = 0; up < 2 && at != HABITAT_NONE; up++) {
            l->from_host[at] = true;
            at = l->operations[at].parent;
        }
    }
}

bool memory_links_of(const habitat_trace *trace, memory_links *out) {
    *out = (memory_links){.trace = trace};
    out->operations = habitat_trace_operations(trace, &out->count);
    out->backward_ns = malloc((out->count + 1) * sizeof *out->backward_ns);
    out->node = malloc((out->count + 1) * sizeof *out->node);
    out->again_ns = calloc(out->count + 1, sizeof *out->again_ns);
    out->result = malloc((out->count + 1) * sizeof *out->result);
    out->rows = calloc(out->count + 1, sizeof *out->rows);
    out->from_host = calloc(out->count + 1, sizeof *out->from_host);
    if (!out->backward_ns || !out->node || !out->again_ns || !out->result || !out->rows ||
        !out->from_host)
        return false;
    note_backward(out);
    note_results(out);
    note_rows(out);
    note_copies(out);
    return memory_recomputed_note(out->operations, out->count, out->again_ns, out->backward_ns);
}

void memory_links_free(memory_links *links) {
    free(links->backward_ns);
    free(links->node);
    free(links->again_ns);
    free(links->result);
    free(links->rows);
    free(links->from_host);
    *links = (memory_links){0};
}

/* This operation, or the one around it that counts as the same and has a backward operation. */
static size_t linked(const memory_links *l, size_t i) {
    while (l->backward_ns[i] == UINT64_MAX && l->operations[i].parent != HABITAT_NONE) {
        size_t parent = l->operations[i].parent;
        /* a module has no number, nor has what it computes without gradients: not its backward */
        if (!habitat_trace_numbered_as_parent(l->trace, (uint32_t)i) ||
            l->operations[parent].form->kind != HABITAT_OPERATION_FRAMEWORK)
            break;
        i = parent;
    }
    return i;
}

uint64_t memory_links_backward(const memory_links *l, size_t i) {
    return l->backward_ns[linked(l, i)];
}

double memory_links_rows(const memory_links *l, size_t i) {
    return l->rows[linked(l, i)];
}

uint64_t memory_links_backward_after(const memory_links *l, size_t i) {
    for (size_t k = i + 1; k < l->count && k - i < LOOK_AHEAD; k++)
        if (l->backward_ns[k] != UINT64_MAX &&
            l->operations[k].form->thread == l->operations[i].form->thread)
            return l->backward_ns[k];
    return UINT64_MAX;
}

/* What begins as it ends comes after it. */
static uint64_t last_moment(const habitat_operation *o) {
    return o->start_ns + (o->duration_ns > 0 ? o->duration_ns - 1 : 0);
}

/* Nothing that makes a tensor comes after it in what is around it: that returns what it makes. */
static bool is_last(const memory_links *l, size_t i, const habitat_operation *around) {
    const habitat_operation *o = &l->operations[i];
    for (size_t k = i + 1; k < l->count; k++) {
        const habitat_operation *next = &l->operations[k];
        bool in_place;
        if (next->form->thread != o->form->thread || next->start_ns > last_moment(around))
            return true;
        if (next->start_ns > last_moment(o) && memory_rule_find(next->form->name, &in_place))
            return false;
    }
    return true;
}

uint64_t memory_links_left_until(const memory_links *l, size_t i) {
    for (uint32_t at = l->operations[i].parent; at != HABITAT_NONE; at = l->operations[at].parent) {
        const habitat_operation *o = &l->operations[at];
        if (o->form->kind == HABITAT_OPERATION_MODULE && !is_last(l, i, o))
            return last_moment(o);
    }
    return last_moment(&l->operations[i]);
}

uint64_t memory_links_held_until(const memory_links *l, size_t i, uint64_t born_ns) {
    uint64_t until = last_moment(&l->operations[i]);
    for (uint32_t at = l->operations[i].parent; at != HABITAT_NONE; at = l->operations[at].parent) {
        const habitat_operation *o = &l->operations[at];
        if (o->form->kind == HABITAT_OPERATION_MODULE && o->start_ns > born_ns &&
            last_moment(o) > until)
            until = last_moment(o);
    }
    return until;
}
