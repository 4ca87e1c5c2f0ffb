/* Operator models in `auto`: T_d = M_d (T_o / M_o)^e for operations that a model knows.
 *
 * M is the transfer model: it knows GPUs by their rates alone, so that M_o and M_d are comparable.
 * e: half of what the origin's measurement says beyond the model is believed on another GPU, all of
 * it on a GPU of the same compute capability. Evidence: docs/formulas.md#auto. Operations of equal
 * shape are asked once; M_o is asked once a workload. */
#include "predict/auto_models.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/learned.h"
#include "predict/operator_model.h"
#include "predict/scaling.h"

/* Beyond this ratio to the model a measurement says something else than the model means. */
static const double largest_residual = 32.0;

/* Whether evidence on operations of left-out GPUs is for the model. */
static bool wanted(const habitat_work *work) {
    switch (work->op_class) {
    case HABITAT_CLASS_GEMM:
    case HABITAT_CLASS_BMM:
    case HABITAT_CLASS_ATTENTION:
    case HABITAT_CLASS_SOFTMAX:
    case HABITAT_CLASS_NORM:
        return true;
    case HABITAT_CLASS_CONV: /* gradients: nobody measured them on more than one kind of GPU */
        return work->pass == HABITAT_PASS_FORWARD;
    default:
        return false;
    }
}

/* What the operation computes in on the origin: its longest main kernel tells. */
static void arithmetic_of(const habitat_workload *w, const habitat_workload_group *group,
                          auto_question *out) {
    double longest = -1.0;
    out->dtype = group->work.dtype;
    out->matrix_unit = false;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel =
            &w->kernels[w->group_index[group->first_kernel + i]];
        if (!kernel->main || kernel->facts.time_ns <= longest ||
            kernel->facts.dtype == HABITAT_DTYPE_UNKNOWN)
            continue;
        longest = kernel->facts.time_ns;
        out->dtype = kernel->facts.dtype;
        out->matrix_unit = kernel->facts.matrix_unit;
    }
}

/* Open-addressed table of question numbers + 1 by hash; capacity a power of two. */
static uint32_t find_or_add(auto_models *m, uint32_t *slots, size_t capacity,
                            const auto_question *question) {
    for (size_t at = question->hash & (capacity - 1);; at = (at + 1) & (capacity - 1)) {
        if (slots[at] == 0) {
            m->questions[m->count] = *question;
            slots[at] = (uint32_t)++m->count;
            return slots[at] - 1;
        }
        const auto_question *other = &m->questions[slots[at] - 1];
        if (other->hash == question->hash && other->dtype == question->dtype &&
            other->matrix_unit == question->matrix_unit)
            return slots[at] - 1;
    }
}

static habitat_status collect(const habitat_workload *w, auto_models *m) {
    size_t capacity = 16;
    while (capacity < 2 * w->group_count)
        capacity *= 2;
    uint32_t *slots = calloc(capacity, sizeof *slots);
    m->questions = calloc(w->group_count + 1, sizeof *m->questions);
    m->of_group = calloc(w->group_count + 1, sizeof *m->of_group);
    bool ok = slots && m->questions && m->of_group;
    for (size_t g = 0; ok && g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        m->of_group[g] = HABITAT_NONE;
        if (!group->work.known || !wanted(&group->work) || !(group->origin_ms > 0.0))
            continue;
        auto_question question = {.work = &group->work};
        arithmetic_of(w, group, &question);
        question.hash = learned_query_hash(&(habitat_model_query){.work = &group->work});
        m->of_group[g] = find_or_add(m, slots, capacity, &question);
    }
    free(slots);
    return ok ? HABITAT_OK : HABITAT_E_MEMORY;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const habitat_gpu_table *builtin_gpus; /* never freed; NULL when memory ran out */

static void load_gpus(void) {
    habitat_gpu_table *table = NULL;
    if (habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK)
        builtin_gpus = table;
}

/* The GPU that the models are asked about: a built-in one itself; for any other its namesake, else
 * the first of its architecture; NULL without. What a model says of another GPU's distance to its
 * roofline must not change with the rates in a user's file: more bandwidth would now and then make
 * a kernel slower. */
static const habitat_gpu *reference_of(const habitat_gpu *gpu) {
    const habitat_gpu *found = NULL;
    if (gpu->file && strcmp(gpu->file, "built-in") == 0)
        return gpu;
    pthread_once(&once, load_gpus);
    if (!builtin_gpus || !gpu->name || !gpu->architecture)
        return NULL;
    if (habitat_gpu_find(builtin_gpus, gpu->name, &found, NULL, NULL) == HABITAT_OK)
        return found;
    for (size_t i = 0; i < habitat_gpu_count(builtin_gpus); i++) {
        found = habitat_gpu_at(builtin_gpus, i);
        if (found->architecture && strcmp(found->architecture, gpu->architecture) == 0)
            return found;
    }
    return NULL;
}

static double roofline_s(const auto_question *q, const rate_table *rates) {
    return formula_roofline_s(q->work->flop, q->work->read_bytes + q->work->write_bytes,
                              rates->flop_per_s[q->dtype][q->matrix_unit], rates->bytes_per_s);
}

/* M of every question on a GPU [ms]; NaN where no model covers it. Shape (count), the caller's. */
static habitat_status ask(const auto_models *m, const habitat_gpu *gpu, double **out) {
    const habitat_gpu *reference = reference_of(gpu);
    habitat_model_query *queries = calloc(m->count + 1, sizeof *queries);
    habitat_model_estimate *found = calloc(m->count + 1, sizeof *found);
    double *ms = calloc(m->count + 1, sizeof *ms);
    habitat_status status = queries && found && ms ? HABITAT_OK : HABITAT_E_MEMORY;
    rate_table own, rates;
    if (status == HABITAT_OK && !reference)
        status = HABITAT_E_UNSUPPORTED;
    if (status == HABITAT_OK) {
        scaling_fill(&own, gpu, true);
        scaling_fill(&rates, reference, true);
    }
    for (size_t i = 0; status == HABITAT_OK && i < m->count; i++) {
        const auto_question *q = &m->questions[i];
        uint8_t unit = rates.unit[q->dtype][q->matrix_unit];
        queries[i] =
            (habitat_model_query){.work = q->work, .arithmetic = (habitat_dtype)(unit / 2)};
    }
    if (status == HABITAT_OK)
        status = habitat_models_predict(learned_builtin(), HABITAT_MODEL_TRANSFER, 1, &reference,
                                        m->count, queries, found, NULL);
    for (size_t i = 0; status == HABITAT_OK && i < m->count; i++) {
        const auto_question *q = &m->questions[i];
        double ratio = reference == gpu ? 1.0 : roofline_s(q, &own) / roofline_s(q, &rates);
        ms[i] = found[i].covered && found[i].ms > 0.0 ? found[i].ms * ratio : NAN;
    }
    free(queries);
    free(found);
    if (status == HABITAT_OK)
        *out = ms;
    else
        free(ms);
    return status;
}

habitat_status habitat_auto_models_prepare(habitat_workload *w) {
    auto_models *m = &w->models;
    if (!learned_builtin())
        return HABITAT_OK;
    habitat_status status = collect(w, m);
    if (status == HABITAT_OK && m->count)
        status = ask(m, w->origin, &m->origin_ms);
    if (status == HABITAT_E_MEMORY)
        return status;
    if (status != HABITAT_OK) /* no transfer models in this build, or none for this origin */
        m->count = 0;
    return HABITAT_OK;
}

void habitat_auto_models_free(auto_models *m) {
    free(m->questions);
    free(m->of_group);
    free(m->origin_ms);
    *m = (auto_models){0};
}

habitat_status habitat_auto_models_answer(const scaling *s, habitat_operator_answer *out) {
    const habitat_workload *w = s->w;
    const auto_models *m = &w->models;
    double *dest_ms = NULL;
    if (m->count == 0)
        return HABITAT_OK;
    habitat_status status = ask(m, s->dest, &dest_ms);
    if (status != HABITAT_OK)
        return status == HABITAT_E_MEMORY ? status : HABITAT_OK;
    bool vendors = s->origin->vendor && s->dest->vendor &&
                   strcmp(s->origin->vendor, s->dest->vendor) != 0; /* never measured: no halving */
    bool alike = vendors || (s->origin->compute_capability &&
                             s->origin->compute_capability == s->dest->compute_capability);
    for (size_t g = 0; g < w->group_count; g++) {
        uint32_t q = m->of_group[g];
        if (q == HABITAT_NONE)
            continue;
        double residual = w->groups[g].origin_ms / m->origin_ms[q];
        if (isnan(dest_ms[q]) || !(residual < largest_residual && residual > 1 / largest_residual))
            continue;
        out[g].covered = true;
        out[g].ms = dest_ms[q] * (alike ? residual : sqrt(residual));
    }
    free(dest_ms);
    return HABITAT_OK;
}
