/* See sharded_kernels.h. */
#include "replay/sharded_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/launched.h"
#include "replay/layers.h"
#include "work/args.h"
#include "workload/workload.h"

/* What is known of an operation: it, and all inside it, casts a weight or its gradient. */
typedef struct casts {
    const habitat_operation *ops;
    size_t count;
    bool *is; /* shape (count) */
} casts;

static bool same_input(const habitat_operation *a, const habitat_operation *b) {
    return a->form->name == b->form->name && a->form->input_count && b->form->input_count &&
           a->form->inputs[0].is_tensor && b->form->inputs[0].is_tensor &&
           a->form->inputs[0].dtype == b->form->inputs[0].dtype &&
           work_same_dims(&a->form->inputs[0], &b->form->inputs[0]);
}

/* The first run of a layer that is run again casts its weights as well. */
static void mark_first_runs(casts *c, uint32_t second) {
    const habitat_operation *of = &c->ops[second];
    for (size_t i = 0; i < c->count; i++)
        if (c->ops[i].iteration == of->iteration && c->ops[i].start_ns < of->start_ns &&
            !c->is[i] && !replay_is_again(c->ops, (uint32_t)i) && same_input(&c->ops[i], of)) {
            c->is[i] = true;
            return;
        }
}

static void mark(casts *c, const replay_gradients *g) {
    for (size_t i = 0; i < g->count; i++) {
        uint32_t maker = replay_maker_of(c->ops, g->all[i].operation);
        if (!replay_casts_weight(c->ops, maker))
            continue;
        uint32_t forward = c->ops[maker].forward;
        c->is[maker] = true;
        if (forward == HABITAT_NONE)
            continue;
        c->is[forward] = true;
        if (replay_is_again(c->ops, forward))
            mark_first_runs(c, forward);
    }
    for (size_t i = 0; i < c->count; i++)
        c->is[i] |= c->ops[i].parent < i && c->is[c->ops[i].parent];
}

/* When the last gradient of each iteration is done; UINT64_MAX: it has none. */
static uint64_t *ends_of(const habitat_workload *w, const replay_gradients *g) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    size_t iterations = habitat_trace_get_info(w->trace)->iteration_count;
    uint64_t *ends = malloc((iterations + 1) * sizeof *ends);
    for (size_t i = 0; ends && i <= iterations; i++)
        ends[i] = UINT64_MAX;
    for (size_t i = 0; ends && i < g->count; i++) {
        const habitat_operation *op = &ops[g->all[i].operation];
        uint64_t end = op->start_ns + op->duration_ns;
        if (op->iteration < iterations &&
            (ends[op->iteration] == UINT64_MAX || ends[op->iteration] < end))
            ends[op->iteration] = end;
    }
    return ends;
}

/* An optimiser that multiplies or decomposes matrices needs whole ones on some GPU. */
static bool is_of_matrices(const casts *c, const habitat_workload *w, size_t i) {
    habitat_class op_class = w->kernels[i].op_class;
    if (op_class == HABITAT_CLASS_GEMM || op_class == HABITAT_CLASS_BMM ||
        op_class == HABITAT_CLASS_CONV)
        return true;
    uint32_t operation = replay_operation_of(w, i);
    return operation != HABITAT_NONE && strstr(c->ops[operation].form->name, "linalg");
}

bool replay_part_times(const habitat_workload *w, const replay_gradients *g, uint32_t gpus,
                       double floor_ns, double *ns) {
    casts c = {0};
    size_t iterations = habitat_trace_get_info(w->trace)->iteration_count;
    c.ops = habitat_trace_operations(w->trace, &c.count);
    c.is = calloc(c.count + 1, sizeof *c.is);
    uint64_t *ends = ends_of(w, g);
    bool fine = c.is && ends;
    if (fine)
        mark(&c, g);
    for (size_t i = 0; fine && i < w->kernel_count; i++) {
        uint32_t operation = replay_operation_of(w, i), iteration = replay_iteration_of(w, i);
        if (operation != HABITAT_NONE && c.is[operation])
            ns[i] = 0.0;
        else if (replay_is_launched(w, i) && iteration < iterations &&
                 replay_launched_ns(w, i) > ends[iteration] && !is_of_matrices(&c, w, i))
            ns[i] = fmin(ns[i], fmax(floor_ns, ns[i] / gpus));
    }
    free(c.is);
    free(ends);
    return fine;
}
