/* Operations of the forward pass that the backward pass computes again: checkpoints.
 *
 * A checkpoint keeps what goes in and lets go of the rest. The first of its backward operations
 * that has use for the rest runs its forward operations once more, in the same order, with the
 * same sizes. So a run of the same calls is looked for in the forward pass: one that holds the
 * forward operation of that backward one (PyTorch's checkpoints without reentry), or that lies in
 * it (those with). Casts are left out: autocast keeps copies of weights from one call to the next,
 * so that the second run may have more of them or fewer. docs/decisions/0490 */
#include "memory/recomputed.h"

#include <stdlib.h>
#include <string.h>

#include "memory/rules.h"
#include "work/args.h"
#include "work/container.h"

/* ---- calls that are compared ---- */

typedef struct call_list {
    const habitat_operation *operations;
    uint32_t *calls; /* indices of operations with a rule, the outermost of each */
    size_t count;
} call_list;

static uint64_t end_of(const habitat_operation *o) {
    return o->start_ns + o->duration_ns;
}

static bool has_rule(const habitat_operation *o) {
    bool in_place;
    const memory_rule *rule = memory_rule_find(o->form->name, &in_place);
    return rule && !(rule->flags & IS_CAST);
}

/* Appends what a list of outermost calls takes; those inside of the last one are no new ones. */
static void append(call_list *list, uint32_t i) {
    const habitat_operation *o = &list->operations[i];
    const habitat_operation *last =
        list->count ? &list->operations[list->calls[list->count - 1]] : NULL;
    bool inside = last && last->form->thread == o->form->thread && o->start_ns < end_of(last);
    if (!inside && has_rule(o))
        list->calls[list->count++] = i;
}

static bool same_input(const habitat_input *a, const habitat_input *b) {
    if (a->is_tensor != b->is_tensor || a->is_list != b->is_list)
        return false;
    return a->is_list || !a->is_tensor || work_same_dims(a, b);
}

/* The same call: its name and the sizes of its tensors, where both show them. */
static bool same_call(const habitat_operation *a, const habitat_operation *b) {
    uint32_t count = a->form->input_count;
    if (strcmp(a->form->name, b->form->name) != 0)
        return false;
    if (!count || !b->form->input_count)
        return true;
    if (count != b->form->input_count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!same_input(&a->form->inputs[i], &b->form->inputs[i]))
            return false;
    return true;
}

/* ---- runs ---- */

/* A stretch of calls of the forward pass that is computed again. */
typedef struct run {
    size_t first, count; /* of the forward pass's calls; none: 0 */
} run;

/* How many calls from `first` on are those of `again`, one after the other, and whether one of them
 * is a layer. */
static size_t alike(const call_list *forward, size_t first, const call_list *again, bool *layer) {
    size_t i = 0;
    *layer = false;
    for (; i < again->count && first + i < forward->count; i++) {
        const habitat_operation *o = &again->operations[again->calls[i]];
        if (!same_call(&forward->operations[forward->calls[first + i]], o))
            break;
        *layer |= work_is_layer(o->form->name);
    }
    return i;
}

/* The call of the forward pass that begins at an operation, or the first behind it. */
static size_t call_at(const call_list *forward, uint32_t operation) {
    size_t low = 0, high = forward->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (forward->calls[middle] < operation)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of those that hold the call `at`, the longest, of equals the one that ends first: a checkpoint's
 * second run stops with the last tensor that is kept. */
static run around(const call_list *forward, size_t at, const call_list *again) {
    run best = {0, 0};
    size_t most = again->count < at + 1 ? again->count : at + 1;
    for (size_t back = most; back > 0 && best.count < again->count; back--) {
        bool layer;
        size_t first = at + 1 - back, count = alike(forward, first, again, &layer);
        if (layer && count >= back && count > best.count)
            best = (run){first, count};
    }
    return best;
}

static run find_run(const call_list *forward, uint32_t of, const call_list *again) {
    const habitat_operation *o = &forward->operations[of];
    size_t at = call_at(forward, of);
    if (at >= forward->count)
        return (run){0, 0};
    const habitat_operation *call = &forward->operations[forward->calls[at]];
    if (!has_rule(o) && call->start_ns < end_of(o)) { /* a call that is made of others */
        bool layer;
        size_t count = alike(forward, at, again, &layer);
        run within = layer ? (run){at, count} : (run){0, 0};
        return within.count ? within : around(forward, at, again);
    }
    if (forward->calls[at] != of && at > 0 &&
        end_of(&forward->operations[forward->calls[at - 1]]) > o->start_ns)
        at--; /* it is inside of a call */
    return around(forward, at, again);
}

/* ---- all of them ---- */

/* What lies between the calls is computed again, too: casts. */
static void mark(const call_list *forward, const call_list *again, run found, uint64_t time_ns,
                 uint64_t *again_ns, uint64_t *backward_ns) {
    if (!found.count)
        return;
    const uint32_t *calls = forward->calls + found.first;
    for (uint32_t at = calls[0]; at <= calls[found.count - 1]; at++)
        again_ns[at] = time_ns;
    for (size_t i = 0; i < found.count; i++)
        if (backward_ns[calls[i]] == UINT64_MAX)
            backward_ns[calls[i]] = backward_ns[again->calls[i]];
}

/* A backward operation, none being around it. */
static bool is_outermost(const habitat_operation *all, const habitat_operation *o) {
    return o->iteration == 0 && o->forward != HABITAT_NONE &&
           (o->parent == HABITAT_NONE || all[o->parent].forward == HABITAT_NONE);
}

/* The forward operation of the node inside of an engine's call, and what else runs in it. */
static void take_inside(const habitat_operation *all, size_t count, size_t i, call_list *out,
                        bool *layer) {
    uint64_t end_ns = end_of(&all[i]);
    out->count = 0;
    *layer = false;
    for (size_t k = i + 1; k < count && all[k].start_ns < end_ns; k++) {
        if (all[k].form->thread != all[i].form->thread)
            continue;
        append(out, (uint32_t)k);
        *layer |= work_is_layer(all[k].form->name);
    }
}

static void spread(const habitat_operation *all, size_t count, uint64_t *again_ns) {
    for (size_t i = 0; i < count; i++)
        if (!again_ns[i] && all[i].parent != HABITAT_NONE && all[i].parent < i)
            again_ns[i] = again_ns[all[i].parent];
}

bool memory_recomputed_note(const habitat_operation *operations, size_t count, uint64_t *again_ns,
                            uint64_t *backward_ns) {
    call_list forward = {.operations = operations}, again = {.operations = operations};
    forward.calls = malloc((count + 1) * sizeof *forward.calls);
    again.calls = malloc((count + 1) * sizeof *again.calls);
    bool made = forward.calls && again.calls, layer;
    for (size_t i = 0; made && i < count; i++)
        if (operations[i].iteration == 0 && operations[i].forward == HABITAT_NONE)
            append(&forward, (uint32_t)i);
    for (size_t i = 0; made && i < count; i++) {
        if (!is_outermost(operations, &operations[i]))
            continue;
        take_inside(operations, count, i, &again, &layer);
        if (layer)
            mark(&forward, &again, find_run(&forward, operations[i].forward, &again),
                 operations[i].start_ns, again_ns, backward_ns);
    }
    if (made)
        spread(operations, count, again_ns);
    free(forward.calls);
    free(again.calls);
    return made;
}
