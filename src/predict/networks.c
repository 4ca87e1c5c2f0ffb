/* The paper's networks in a prediction: T_d = T_o M_d / M_o, as the paper's authors do. What a
 * network gets wrong on both GPUs alike cancels. The interval is as wide as M_d's. Where the
 * networks do not know how the origin computed (TF32, another vendor) its time says nothing about
 * M_o, and M_d stands alone. docs/decisions/0094 */
#include "predict/networks.h"

#include <stdlib.h>

#include "base/error.h"
#include "gpu/gpu.h"

/* What an operation's products compute in on a GPU of these rates: on the origin its main kernels
 * tell. */
static habitat_dtype arithmetic_of(const habitat_workload *w, const rate_table *rates,
                                   const habitat_workload_group *group) {
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel =
            &w->kernels[w->group_index[group->first_kernel + i]];
        const habitat_kernel_facts *facts = &kernel->facts;
        if (kernel->main && facts->dtype != HABITAT_DTYPE_UNKNOWN)
            return (habitat_dtype)(rates->unit[facts->dtype][facts->matrix_unit] / 2);
    }
    return group->work->dtype;
}

/* The networks' answers for one of the two GPUs, one a group; `covered` false where they were not
 * asked. */
static habitat_status ask(const habitat_workload *w, const habitat_models *models,
                          const habitat_gpu *gpu, const rate_table *rates,
                          habitat_operator_answer *answers, habitat_error *err) {
    habitat_model_query *queries = calloc(w->group_count, sizeof *queries);
    habitat_operator_answer *found = calloc(w->group_count, sizeof *found);
    uint32_t *group_of = calloc(w->group_count, sizeof *group_of);
    habitat_status status = queries && found && group_of
                                ? HABITAT_OK
                                : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    size_t n = 0;
    for (size_t g = 0; status == HABITAT_OK && g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        if (!group->work->known || !group->work->varying || !(group->origin_ms > 0.0))
            continue;
        queries[n] = (habitat_model_query){.work = group->work,
                                           .arithmetic = arithmetic_of(w, rates, group)};
        group_of[n++] = (uint32_t)g;
    }
    if (status == HABITAT_OK)
        status = operator_models_ask(models, HABITAT_MODEL_PAPER, HABITAT_METHOD_MLP, gpu, n,
                                     queries, found, err);
    for (size_t i = 0; status == HABITAT_OK && i < n; i++)
        answers[group_of[i]] = found[i];
    free(queries);
    free(found);
    free(group_of);
    return status;
}

habitat_status networks_prepare(const habitat_workload *w, const habitat_models *models,
                                void **state, habitat_error *err) {
    rate_table rates;
    if (!models) /* without models only the origin can be predicted */
        return HABITAT_OK;
    habitat_operator_answer *origin = calloc(w->group_count + 1, sizeof *origin);
    scaling_fill(&rates, w->origin, false);
    habitat_status status = origin ? ask(w, models, w->origin, &rates, origin, err)
                                   : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        *state = origin;
    else
        free(origin);
    return status;
}

void networks_free(void *state) {
    free(state);
}

static void scale_answer(double origin_ms, const habitat_operator_answer *origin,
                         habitat_operator_answer *dest) {
    if (!dest->covered || !origin->covered)
        return;
    double factor = origin_ms / origin->ms;
    dest->ms *= factor;
    dest->low_ms *= factor;
    dest->high_ms *= factor;
}

habitat_status networks_groups(const scaling *s, const void *state, operator_answers *answers,
                               size_t *operations, habitat_error *err) {
    const habitat_operator_answer *origin = state;
    *operations = 0;
    answers->each = calloc(s->w->group_count, sizeof *answers->each);
    if (!answers->each)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    habitat_status status = ask(s->w, s->models, s->dest, &s->spec_dest, answers->each, err);
    for (size_t g = 0; status == HABITAT_OK && g < s->w->group_count; g++)
        scale_answer(s->w->groups[g].origin_ms, &origin[g], &answers->each[g]);
    return status;
}
