/* Operator models in `auto`: T_d = M_d (T_o / M_o)^e for operations that a model knows.
 *
 * M is what `habitat op` says: the transfer model, which knows GPUs by their rates alone, with
 * what was measured of the GPU or of another part of its chip.
 * e: how much of what the origin's measurement says beyond the model counts on the
 * destination: all of it on a GPU of the same compute capability, else a half or a quarter by
 * class; of a convolution the less, the further M_d is from M_o. Operations that a calibration
 * measured on the destination move M_d, and take the place of the residual by their
 * weight. Evidence: docs/formulas.md#auto. Operations of equal shape are asked once; M_o is asked
 * once a workload. */
#include "predict/auto_models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_operators.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "base/table.h"
#include "models/calibrated.h"
#include "models/learned.h"
#include "question/query.h"
#include "workload/rnn_calls.h"
#include "workload/share.h"
#include "work/kinds.h"

/* Whether evidence on operations of left-out GPUs is for the model. */
static bool wanted(const habitat_work *work) {
    switch (work->op_class) {
    case HABITAT_CLASS_GEMM:
    case HABITAT_CLASS_BMM:
        return true;
    case HABITAT_CLASS_CONV: /* others: docs/modelling.md#traces */
        return work->shape.conv.groups <= 1 && !work->shape.conv.transposed;
    case HABITAT_CLASS_ATTENTION: /* in fp32, and the backward passes below: one GPU's rows; but the
                                     bytes counted are those of one kernel, which takes no keys of
                                     fewer heads */
        return habitat_dtype_bytes(work->dtype) == 2 ||
               work->shape.attention.kv_heads < work->shape.attention.heads;
    case HABITAT_CLASS_SOFTMAX:
        return work->pass == HABITAT_PASS_FORWARD;
    case HABITAT_CLASS_NORM:
        return work->pass == HABITAT_PASS_FORWARD && work_kind_is(work->kind, WORK_LAYER_NORM);
    case HABITAT_CLASS_RNN: /* cells are PyTorch's own kernels */
        return work->varying;
    default:
        return false;
    }
}

/* Steps towards sizes that nobody recorded: each leaves a tenth of the difference or so. */
enum { GUESS_STEPS = 6 };

static bool is_question(const void *questions, uint32_t index, const void *wanted) {
    const auto_question *a = (const auto_question *)questions + index, *b = wanted;
    return a->dtype == b->dtype && a->matrix_unit == b->matrix_unit &&
           question_same(&(habitat_model_query){.work = a->work},
                         &(habitat_model_query){.work = b->work});
}

/* Number of an equal question, added when new; the table has room. */
static uint32_t find_or_add(auto_models *m, habitat_table *table, const auto_question *question) {
    uint64_t hash = question_hash(&(habitat_model_query){.work = question->work});
    uint32_t at = habitat_table_find(table, hash, is_question, m->questions, question);
    if (at == HABITAT_NONE) {
        at = (uint32_t)m->count++;
        m->questions[at] = *question;
        habitat_table_put(table, hash, at);
    }
    return at;
}

static bool is_guess(const void *guesses, uint32_t index, const void *wanted) {
    const unsized_product *a = (const unsized_product *)guesses + index, *b = wanted;
    return a->kernel->kernel->form == b->kernel->kernel->form && a->op_class == b->op_class &&
           a->pass == b->pass;
}

/* Number of the question about an operation of unknown sizes, added when new: operations of one
 * kernel and grid are alike. HABITAT_NONE where nothing tells its sizes. */
static uint32_t guess_or_add(const habitat_workload *w, const habitat_workload_group *group,
                             auto_models *m, habitat_table *table) {
    unsized_product begun;
    if (!unsized_product_begin(w, group, &begun))
        return HABITAT_NONE;
    uint64_t hash =
        habitat_hash_number(habitat_hash_number(0, (uintptr_t)begun.kernel->kernel->form),
                            (uint64_t)begun.op_class << 8 | (uint64_t)begun.pass);
    uint32_t at = habitat_table_find(table, hash, is_guess, m->guesses, &begun);
    if (at == HABITAT_NONE) {
        at = (uint32_t)m->guess_count++;
        m->guesses[at] = begun;
        habitat_table_put(table, hash, at);
        workload_arithmetic in = workload_arithmetic_of(w, group);
        m->guesses[at].question = (uint32_t)m->count;
        m->questions[m->count++] = (auto_question){&m->guesses[at].work, in.dtype, in.matrix_unit};
    }
    unsized_product_add(&m->guesses[at], w, group);
    return m->guesses[at].question;
}

static habitat_status collect_guesses(const habitat_workload *w, const unsized_convolutions *told,
                                      auto_models *m) {
    habitat_table table = {0};
    if (!workload_lacks_shapes(w))
        return HABITAT_OK;
    m->guesses = calloc(w->group_count + 1, sizeof *m->guesses);
    bool ok = m->guesses && habitat_table_reserve(&table, w->group_count);
    for (size_t g = 0; ok && g < w->group_count; g++)
        if (m->of_group[g] == HABITAT_NONE && w->groups[g].origin_ms > 0.0 &&
            !unsized_convolutions_work(told, g))
            m->of_group[g] = guess_or_add(w, &w->groups[g], m, &table);
    habitat_table_free(&table);
    for (size_t i = 0; ok && i < m->guess_count; i++)
        unsized_product_settle(&m->guesses[i], w);
    return ok ? HABITAT_OK : HABITAT_E_MEMORY;
}

static habitat_status collect(const habitat_workload *w, const unsized_convolutions *told,
                              auto_models *m) {
    habitat_table table = {0};
    m->questions = calloc(w->group_count + 1, sizeof *m->questions);
    m->of_group = calloc(w->group_count + 1, sizeof *m->of_group);
    bool ok = m->questions && m->of_group && habitat_table_reserve(&table, w->group_count);
    for (size_t g = 0; ok && g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        const habitat_work *work =
            group->work->known ? group->work : unsized_convolutions_work(told, g);
        m->of_group[g] = HABITAT_NONE;
        if (!work || !wanted(work) || !(group->origin_ms > 0.0))
            continue;
        workload_arithmetic in = workload_arithmetic_of(w, group);
        auto_question question = {work, in.dtype, in.matrix_unit};
        m->of_group[g] = find_or_add(m, &table, &question);
    }
    habitat_table_free(&table);
    return ok ? collect_guesses(w, told, m) : HABITAT_E_MEMORY;
}

/* The GPU that the models are asked about: a built-in one itself, for any other its reference. */
static const habitat_gpu *reference_of(const habitat_gpu *gpu) {
    return gpu->built_in ? gpu : gpu->reference;
}

static double roofline_s(const habitat_work *work, const rate_table *rates, habitat_dtype dtype,
                         bool matrix_unit) {
    return formula_roofline_s(work->flop, work->read_bytes + work->write_bytes,
                              rates->flop_per_s[dtype][matrix_unit], rates->bytes_per_s);
}

static habitat_dtype unit_of(const auto_question *q, const rate_table *rates) {
    return (habitat_dtype)(rates->unit[q->dtype][q->matrix_unit] / 2);
}

static bool permits(const auto_question *q, const rate_table *rates) {
    return q->work->op_class == HABITAT_CLASS_CONV && unit_of(q, rates) == HABITAT_DTYPE_TF32;
}

bool auto_models_permits(const scaling *s, const auto_question *q) {
    return permits(q, &s->sustained_dest);
}

/* Convolutions on matrix units were measured on no two newer GPUs: they are not asked. But TF32 is
 * a permission: of a destination it is asked what they take in fp32. */
static habitat_model_query query_of(const auto_question *q, const rate_table *rates, bool origin) {
    static const habitat_work nothing = {.known = false};
    habitat_dtype unit = unit_of(q, rates);
    if (!origin && permits(q, rates))
        return (habitat_model_query){.work = q->work, .arithmetic = HABITAT_DTYPE_FP32};
    if (q->work->op_class == HABITAT_CLASS_CONV && unit != HABITAT_DTYPE_FP32)
        return (habitat_model_query){.work = &nothing};
    return (habitat_model_query){.work = q->work, .arithmetic = unit};
}

/* How the rooflines of a GPU and its reference stand to each other. */
static double roofline_ratio(const auto_question *q, const rate_table *own,
                             const rate_table *rates) {
    bool strict = permits(q, rates);
    habitat_dtype dtype = strict ? HABITAT_DTYPE_FP32 : q->dtype;
    bool matrix_unit = !strict && q->matrix_unit;
    return roofline_s(q->work, own, dtype, matrix_unit) /
           roofline_s(q->work, rates, dtype, matrix_unit);
}

static bool is_convolution(const habitat_model_query *query) {
    return query->work->op_class == HABITAT_CLASS_CONV;
}

/* Those of convolutions behind all others. out: shape (n). @return how many others there are. */
static size_t set_apart(const habitat_model_query *queries, size_t n, habitat_model_query *out) {
    size_t others = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        others += !is_convolution(&queries[i]);
    size_t behind = others;
    for (size_t i = 0; i < n; i++)
        out[is_convolution(&queries[i]) ? behind++ : at++] = queries[i];
    return others;
}

/* What was seen of a GPU, or of another part of its chip, counts, so that an operation in a trace
 * is answered as alone. Of convolutions it does not: seen ones of two sources contradict each
 * other, and GPUs would come out in the wrong order. */
static habitat_status predict_operations(const habitat_models *models, const habitat_gpu *gpu,
                                         size_t n, const habitat_model_query *queries,
                                         habitat_model_estimate *out, habitat_error *err) {
    habitat_model_query *apart = calloc(n + 1, sizeof *apart);
    habitat_model_estimate *answers = calloc(n + 1, sizeof *answers);
    habitat_status status =
        apart && answers ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    size_t others = status == HABITAT_OK ? set_apart(queries, n, apart) : 0, at = 0;
    size_t behind = others;
    if (status == HABITAT_OK)
        status = habitat_models_predict(models, HABITAT_MODEL_AUTO, 1, &gpu, others, apart, answers,
                                        err);
    if (status == HABITAT_OK)
        status = habitat_models_predict(models, HABITAT_MODEL_TRANSFER, 1, &gpu, n - others,
                                        apart + others, answers + others, err);
    for (size_t i = 0; status == HABITAT_OK && i < n; i++)
        out[i] = answers[is_convolution(&queries[i]) ? behind++ : at++];
    free(apart);
    free(answers);
    return status;
}

/* The models' answers on the reference for n queries, and the offsets that the GPU's measured
 * operations give them. */
static habitat_status ask_reference(const habitat_models *models, const habitat_gpu *gpu,
                                    const habitat_gpu *reference,
                                    const habitat_model_query *queries, size_t n,
                                    habitat_model_estimate *out, class_offsets *offsets,
                                    habitat_error *err) {
    habitat_gpu bare = *reference; /* what its own operations say is added here, once */
    bare.operations = NULL;
    bare.operation_count = 0;
    calibrated measured;
    habitat_status status = calibrated_read(gpu, &measured, err);
    habitat_model_query *rows = calloc(measured.count + 1, sizeof *rows);
    habitat_model_estimate *predicted = calloc(measured.count + 1, sizeof *predicted);
    if (status == HABITAT_OK && !(rows && predicted))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < measured.count; i++)
        rows[i] = question_of(&measured.rows[i]);
    if (status == HABITAT_OK)
        status = predict_operations(models, &bare, n, queries, out, err);
    if (status == HABITAT_OK && measured.count)
        status = predict_operations(models, &bare, measured.count, rows, predicted, err);
    if (status == HABITAT_OK)
        status = calibrated_offsets(&measured, gpu, predicted, offsets, err);
    free(rows);
    free(predicted);
    calibrated_free(&measured);
    return status;
}

/* M = M_r (r / r_r), with the roofline r and the reference GPU's M_r and r_r. What was measured is
 * has the weight w, rates the rest: M = M_r (r / r_r)^(1 - w) exp(w b), b the median of
 * log(measured / M_r). A rate that is raised never makes it slower: 0 <= w < 1. */
static auto_answer answer_of(const habitat_model_estimate *found, double ratio,
                             const class_offset *offset) {
    auto_answer answer = {.ms = NAN, .outside = found->outside};
    if (found->covered && found->ms > 0.0)
        answer.ms = found->ms * ratio;
    if (offset->weight > 0.0 && ratio > 0.0) {
        answer.correction = offset->weight * (offset->median - log(ratio));
        answer.weight = offset->weight;
    }
    return answer;
}

/* Answers to every question on a GPU, shape (count), the caller's. `operations` receives how many
 * measured ones stand behind offsets of the questions' classes. HABITAT_E_UNSUPPORTED without a
 * reference GPU or models. */
static habitat_status ask(const habitat_models *models, const auto_models *m,
                          const habitat_gpu *gpu, bool origin, auto_answer **out,
                          size_t *operations, habitat_error *err) {
    const habitat_gpu *reference = reference_of(gpu);
    if (!reference)
        return HABITAT_E_UNSUPPORTED;
    habitat_model_query *queries = calloc(m->count + 1, sizeof *queries);
    habitat_model_estimate *found = calloc(m->count + 1, sizeof *found);
    auto_answer *answers = calloc(m->count + 1, sizeof *answers);
    class_offsets *offsets = calloc(1, sizeof *offsets);
    habitat_status status = queries && found && answers && offsets
                                ? HABITAT_OK
                                : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    rate_table own, rates;
    scaling_fill(&own, gpu, true);
    scaling_fill(&rates, reference, true);
    for (size_t i = 0; status == HABITAT_OK && i < m->count; i++)
        queries[i] = query_of(&m->questions[i], &rates, origin);
    if (status == HABITAT_OK)
        status = ask_reference(models, gpu, reference, queries, m->count, found, offsets, err);
    for (size_t i = 0; status == HABITAT_OK && i < m->count; i++) {
        const auto_question *q = &m->questions[i];
        double ratio = reference == gpu ? 1.0 : roofline_ratio(q, &own, &rates);
        class_offset offset = calibrated_offset_of(offsets, &queries[i]);
        answers[i] = answer_of(&found[i], ratio, &offset);
    }
    if (status == HABITAT_OK)
        *operations = calibrated_count(offsets, queries, m->count);
    free(queries);
    free(found);
    free(offsets);
    if (status == HABITAT_OK)
        *out = answers;
    else
        free(answers);
    return status;
}

/* Sizes that nobody recorded come nearer to those with which the models need the measured time. */
static habitat_status improve_guesses(const habitat_models *models, const habitat_gpu *origin,
                                      auto_models *m, habitat_error *err) {
    auto_answer *answers = NULL;
    size_t operations = 0;
    for (size_t i = 0; i < m->guess_count; i++)
        unsized_product_improve(&m->guesses[i], m->origin[m->guesses[i].question].ms);
    habitat_status status = ask(models, m, origin, true, &answers, &operations, err);
    if (status == HABITAT_OK) {
        free(m->origin);
        m->origin = answers;
    }
    return status;
}

/* Without models, or with a GPU they know nothing of, auto goes by its rule. */
static habitat_status without_models_ok(habitat_status status) {
    return status == HABITAT_E_UNSUPPORTED ? HABITAT_OK : status;
}

habitat_status auto_models_prepare(const habitat_workload *w, const unsized_convolutions *told,
                                   const habitat_models *models, auto_models *m,
                                   habitat_error *err) {
    size_t operations = 0;
    if (!models)
        return HABITAT_OK;
    habitat_status status = collect(w, told, m);
    if (status != HABITAT_OK)
        return habitat_fail(err, status, "out of memory");
    if (m->count)
        status = ask(models, m, w->origin, true, &m->origin, &operations, err);
    for (int i = 0; status == HABITAT_OK && m->guess_count && i < GUESS_STEPS; i++)
        status = improve_guesses(models, w->origin, m, err);
    if (status == HABITAT_E_UNSUPPORTED) /* no transfer models, or none for this origin */
        m->count = 0;
    return without_models_ok(status);
}

void auto_models_free(auto_models *m) {
    free(m->questions);
    free(m->guesses);
    free(m->of_group);
    free(m->origin);
    *m = (auto_models){0};
}

/* How two GPUs stand to each other: docs/formulas.md#auto. */
typedef struct pairing {
    bool same_arch;    /* one compute capability: the same kernels run */
    bool other_vendor; /* two vendors: no measurement says how much of a residual carries over */
} pairing;

static pairing pair_of(const scaling *s) {
    uint32_t origin = s->origin->compute_capability, dest = s->dest->compute_capability;
    bool other_vendor =
        s->origin->vendor && s->dest->vendor && strcmp(s->origin->vendor, s->dest->vendor) != 0;
    return (pairing){.same_arch = origin && origin == dest && !other_vendor,
                     .other_vendor = other_vendor};
}

/* The weight of the origin's residual on the destination.
 * By class, chosen on operations that several GPUs measured, each left out of the models in turn.
 */
static double residual_exponent(const pairing *pair, habitat_class op_class) {
    if (op_class != HABITAT_CLASS_RNN && (pair->same_arch || pair->other_vendor))
        return 1.0;
    switch (op_class) {
    case HABITAT_CLASS_GEMM:
    case HABITAT_CLASS_BMM:
    case HABITAT_CLASS_ATTENTION:
    case HABITAT_CLASS_RNN: /* run another way: docs/decisions/0281 */
        return fitted_residual_product_share;
    default:
        return fitted_residual_share;
    }
}

/* Libraries choose another algorithm of convolution on another GPU. So a residual holds where the
 * model's times are alike, and fades as they part: `distance` is |log(M_d / M_o)|. It fades as fast
 * as it may: any faster, and a GPU that is slower by the model would come out quicker. */
static double faded(double residual, double distance) {
    return copysign(fmax(0.0, fabs(residual) - distance), residual);
}

/* What of the residual log(T_o / M_o) counts on the destination. */
static double carried(const pairing *pair, habitat_class op_class, double residual,
                      const auto_answer *origin, const auto_answer *dest) {
    if (op_class == HABITAT_CLASS_CONV)
        return faded(residual, fabs(log(dest->ms / origin->ms)));
    return residual_exponent(pair, op_class) * residual;
}

static bool ways_part(const scaling *s, const habitat_workload_group *group) {
    rnn_way here, there;
    return workload_rnn_way(group, s->origin, &here) && workload_rnn_way(group, s->dest, &there) &&
           here != there;
}

/* Whether the library runs a recurrent layer another way on the destination: step by step where the
 * origin had one kernel for all steps, or the other way round. What was recorded is then no kernel
 * of the destination's. Run alike, the rule answers (docs/decisions/0366). Of another batch size
 * what was recorded counts, too: else a destination that goes step by step at every size would have
 * another answer wherever the origin does. */
static bool runs_otherwise(const scaling *s, size_t g) {
    const habitat_workload *recorded = s->w->recorded;
    const habitat_workload_group *group = &s->w->groups[g];
    if (!s->dest->compute_capability)
        return false;
    bool same = recorded && g < recorded->group_count &&
                recorded->groups[g].work->op_class == group->work->op_class &&
                recorded->groups[g].work->dtype == group->work->dtype;
    return ways_part(s, group) || (same && ways_part(s, &recorded->groups[g]));
}

/* T_d of an operation of time T_o; NaN where the models have none. Within an architecture the
 * measurement carries what operations would tell; they count where both GPUs have them, so that the
 * same one twice gives T_o back. Elsewhere what is known of the destination itself takes the place
 * of the origin's residual. An operation that the model knows on the destination alone (the origin
 * computed it on other units) leaves none. */
static double scaled_ms(const pairing *pair, habitat_class op_class, double origin_ms,
                        const auto_answer *origin, const auto_answer *dest) {
    if (isnan(origin->ms))
        return dest->ms * exp(dest->correction);
    double residual = log(origin_ms / origin->ms);
    if (!(fabs(residual) < log(chosen_largest_residual)))
        return NAN;
    if (dest->weight == 0.0 || (pair->same_arch && origin->weight == 0.0))
        return dest->ms * exp(carried(pair, op_class, residual, origin, dest));
    double counts = carried(pair, op_class, residual - origin->correction, origin, dest);
    return dest->ms * exp(dest->correction + (pair->same_arch ? 1.0 : 1.0 - dest->weight) * counts);
}

/* What an answer of a question says of all its groups. */
static habitat_operator_answer marked(const auto_answer *dest) {
    return (habitat_operator_answer){.covered = true,
                                     .method = operator_analytic(&dest->outside)
                                                   ? HABITAT_METHOD_ROOFLINE
                                                   : HABITAT_METHOD_LEARNED,
                                     .outside = dest->outside};
}

/* Times of the groups that ask. Returns whether measured operations corrected any. */
static bool set_times(const scaling *s, const auto_models *m, const auto_answer *dest, double *ms) {
    pairing pair = pair_of(s);
    bool corrected = false;
    for (size_t g = 0; g < s->w->group_count; g++) {
        uint32_t q = m->of_group[g];
        ms[g] = NAN;
        if (q == HABITAT_NONE)
            continue;
        habitat_class op_class = m->questions[q].work->op_class;
        if (op_class == HABITAT_CLASS_RNN && !runs_otherwise(s, g))
            continue;
        ms[g] = scaled_ms(&pair, op_class, s->w->groups[g].origin_ms, &m->origin[q], &dest[q]);
        corrected |= !isnan(ms[g]) && dest[q].weight > 0.0 &&
                     !(pair.same_arch && m->origin[q].weight == 0.0);
    }
    return corrected;
}

habitat_status auto_models_answer(const scaling *s, const auto_models *m, operator_answers *out,
                                  size_t *operations, habitat_error *err) {
    auto_answer *dest = NULL;
    *operations = 0;
    if (m->count == 0)
        return HABITAT_OK;
    size_t measured = 0;
    habitat_status status = ask(s->models, m, s->dest, false, &dest, &measured, err);
    if (status != HABITAT_OK)
        return without_models_ok(status);
    out->of_group = m->of_group;
    out->each = malloc(m->count * sizeof *out->each);
    out->ms = malloc(s->w->group_count * sizeof *out->ms);
    for (size_t q = 0; out->each && q < m->count; q++)
        out->each[q] = marked(&dest[q]);
    if (out->each && out->ms && set_times(s, m, dest, out->ms))
        *operations = measured;
    free(dest);
    return out->each && out->ms ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
