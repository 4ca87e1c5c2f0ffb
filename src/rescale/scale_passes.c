/* Whether a step runs the same passes several times and gathers their gradients: each operation
 * that sees samples comes once in each pass, so as often as there are passes, or a multiple. The
 * networks of one step (a generator and its judge) add to gradients several times, too, but each
 * runs as often as it runs. */
#include <stdlib.h>

#include "base/constants_scaling.h"
#include "base/error.h"
#include "rescale/scale.h"
#include "trace/gradients.h"

/* Operations of one name and sizes have one form. */
typedef struct call {
    const habitat_op_form *form;
    double ms;
} call;

static int by_form(const void *x, const void *y) {
    const call *a = x, *b = y;
    return (a->form > b->form) - (a->form < b->form);
}

/* Share of the time that is in operations of which there are a multiple of `passes` an iteration.
 * calls: shape (group_count), room. */
static double shared_by(const habitat_workload *w, uint32_t passes, call *calls) {
    size_t count = 0, every = passes * w->info.iteration_count;
    double all = 0.0, shared = 0.0;
    for (size_t g = 0; g < w->group_count; g++)
        if (w->groups[g].operation && !scale_leaves(w, &w->groups[g]))
            calls[count++] = (call){w->groups[g].operation->form, w->groups[g].origin_ms};
    qsort(calls, count, sizeof *calls, by_form);
    for (size_t i = 0, k = 0; i < count; i = k) {
        double ms = 0.0;
        for (k = i; k < count && calls[k].form == calls[i].form; k++)
            ms += calls[k].ms;
        all += ms;
        shared += (k - i) % every == 0 ? ms : 0.0;
    }
    return all > 0.0 ? shared / all : 0.0;
}

habitat_status scale_passes(const habitat_workload *w, uint32_t *out, habitat_error *err) {
    uint32_t passes = 1;
    habitat_status status = trace_backward_passes(w->trace, &passes, err);
    if (status == HABITAT_OK && passes > 1) {
        call *calls = calloc(w->group_count + 1, sizeof *calls);
        if (!calls)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        if (shared_by(w, passes, calls) < chosen_passes_share)
            passes = 1;
        free(calls);
    }
    if (status == HABITAT_OK)
        *out = passes;
    return status;
}
