/* Answers of the models: n operations on several GPUs, equal operations looked at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_operators.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "base/table.h"
#include "formula/rates.h"
#include "models/calibrated.h"
#include "models/learned.h"
#include "gpu/known.h"
#include "question/query.h"
#include "work/class.h"

size_t habitat_models_count(const habitat_models *models) {
    return models ? models->count : 0;
}

/* GPUs of a model without the kinds after them. */
static size_t gpus_of(const operator_model *m) {
    size_t count = 0;
    while (count < m->gpu_count && !learned_names_kind(m->gpus[count]))
        count++;
    return count;
}

bool habitat_models_describe(const habitat_models *models, size_t i, habitat_model_info *out) {
    if (!models || i >= models->count)
        return false;
    const operator_model *m = &models->models[i];
    bool paper = m->use == HABITAT_MODEL_PAPER;
    *out = (habitat_model_info){
        .name = paper ? paper_class_name((paper_class)m->class_number)
                      : operator_facts_of((operator_class)m->class_number)->name,
        .use = (habitat_model_use)m->use,
        .training_rows = (size_t)m->training_rows,
        .gpu_count = gpus_of(m),
        .gpus = (const char *const *)m->gpus,
        .parameters = paper ? perceptron_parameter_count(&m->net)
                            : m->trees.count * (((size_t)1 << (m->trees.depth + 1)) - 1),
    };
    return true;
}

/* ---- Equal questions
 * ---------------------------------------------------------------------------- */

static bool is_question(const void *queries, uint32_t index, const void *query) {
    return question_same((const habitat_model_query *)queries + index, query);
}

/* For each query the first equal one. `first`: shape (n). */
static bool find_equals(const habitat_model_query *queries, size_t n, size_t *first) {
    habitat_table table = {0};
    if (n >= HABITAT_NONE || !habitat_table_reserve(&table, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = question_hash(&queries[i]);
        uint32_t at = habitat_table_find(&table, hash, is_question, queries, &queries[i]);
        if (at == HABITAT_NONE)
            habitat_table_put(&table, hash, at = (uint32_t)i);
        first[i] = at;
    }
    habitat_table_free(&table);
    return true;
}

/* ---- Answers
 * ------------------------------------------------------------------------------------ */

static const habitat_model_estimate nothing = {
    .ms = NAN, .model_ms = NAN, .low_ms = NAN, .high_ms = NAN};

/* A GPU as the trees are asked about it, with the built-in GPUs that are parts of its chip, and
 * those of its compute capability; without any where the question is not for what was seen. */
typedef struct asked_gpu {
    const habitat_gpu *gpu;
    const habitat_gpu **parts, **kin; /* shapes (part_count), (kin_count) */
    size_t part_count, kin_count;
} asked_gpu;

/* Looked for once for all questions. known: or NULL; parts and kin have room for all of it. */
static void ask_about(asked_gpu *a, const habitat_gpu *gpu, const habitat_gpu_table *known) {
    a->gpu = gpu;
    a->part_count = a->kin_count = 0;
    for (size_t i = 0; known && i < habitat_gpu_count(known); i++) {
        const habitat_gpu *other = habitat_gpu_at(known, i);
        if (gpu->chip && other->chip && strcmp(other->chip, gpu->chip) == 0)
            a->parts[a->part_count++] = other;
        if (other->compute_capability == gpu->compute_capability)
            a->kin[a->kin_count++] = other;
    }
}

/* Another part of the GPU's chip that the model was trained on; NULL without one. */
static const habitat_gpu *seen_part(const operator_model *seen, const asked_gpu *a) {
    for (size_t i = 0; seen && i < a->part_count; i++)
        if (learned_knows(seen, a->parts[i]->name))
            return a->parts[i];
    return NULL;
}

/* The measured GPU of a kind that comes closest in its rates; NULL without one. */
static const habitat_gpu *measured_sibling(const operator_model *seen, const asked_gpu *a) {
    const habitat_gpu *nearest = NULL;
    double least = INFINITY;
    for (size_t i = 0; seen && i < a->kin_count; i++) {
        const habitat_gpu *gpu = a->kin[i];
        if (!learned_knows(seen, gpu->name))
            continue;
        double apart = fabs(
            log(gpu->sm_count * gpu->boost_clock_hz / (a->gpu->sm_count * a->gpu->boost_clock_hz)));
        if (apart < least) {
            least = apart;
            nearest = gpu;
        }
    }
    return nearest;
}

static bool knows_kind(const operator_model *seen, const habitat_gpu *gpu) {
    char kind[LEARNED_KIND_BYTES];
    if (!seen || gpu->compute_capability == 0)
        return false;
    learned_kind_name(gpu, kind);
    return learned_knows(seen, kind);
}

/* Whether class `other` answers in place of the question's own: the GPU was measured there, or one
 * of its kind. Then parts of one chip are asked alike, whichever of them was measured where. */
static bool knows_better(const habitat_models *models, operator_class other,
                         const habitat_gpu *gpu) {
    const operator_model *seen = learned_find(models, other, HABITAT_MODEL_SEEN);
    return learned_knows(seen, gpu->name) || knows_kind(seen, gpu);
}

/* A batch of one product is that product: libraries run it by the kernels of one, which also share
 * out long sums (docs/decisions/0451). */
static bool is_one_product(operator_class c, const habitat_work *work) {
    return c == OPERATOR_BMM && work->shape.gemm.b <= 1;
}

/* Gradients of convolutions go by their forward pass, times factors, in model files without any of
 * their own, and where two GPUs are compared: recorded networks came out no better with them
 * (docs/modelling.md#traces). */
static operator_class answering_class(const habitat_models *models, habitat_model_use use,
                                      const habitat_gpu *gpu, const habitat_model_query *query) {
    operator_class c = operator_class_of(query), other = operator_class_if_seen(query);
    if (is_one_product(c, query->work) &&
        learned_find(models, OPERATOR_GEMM, HABITAT_MODEL_TRANSFER))
        return OPERATOR_GEMM;
    if (use == HABITAT_MODEL_AUTO && other != OPERATOR_NONE && knows_better(models, other, gpu))
        return other;
    operator_class newer = operator_class_on(query, gpu->compute_capability);
    if (use == HABITAT_MODEL_AUTO && newer != OPERATOR_NONE &&
        learned_find(models, newer, HABITAT_MODEL_TRANSFER))
        return newer;
    const habitat_conv_shape *conv = &query->work->shape.conv;
    bool own = use != HABITAT_MODEL_TRANSFER && learned_find(models, c, HABITAT_MODEL_TRANSFER);
    if (c == OPERATOR_CONV_OTHER && conv->groups <= 1 && !conv->transposed && !own &&
        learned_find(models, OPERATOR_CONV, HABITAT_MODEL_TRANSFER))
        return OPERATOR_CONV;
    return c;
}

/* What the model that saw a GPU says over what the one that compares GPUs does, by its weight; 1
 * where either has no answer. */
static double seen_over(const operator_model *seen, double seen_ms, double compared_ms) {
    double factor = pow(seen_ms / compared_ms, (double)seen->shrink);
    return isfinite(factor) && factor > 0 ? factor : 1;
}

/* The same of another part of the GPU's chip. */
static double part_over(const operator_model *seen, const operator_model *transfer,
                        operator_class c, const habitat_gpu *part,
                        const habitat_model_query *query) {
    operator_gpu facts;
    operator_view view;
    if (!operator_gpu_facts(part, c, operator_arithmetic(query), &facts))
        return 1;
    operator_look(query, c, &facts, &view);
    return seen_over(seen, learned_tree_ms(seen, &view), learned_tree_ms(transfer, &view));
}

/* The answer for a GPU of a measured kind. What tells GPUs apart is of the one that was measured:
 * trees know the others by it, and take one of few multiprocessors for another architecture's. */
static double sibling_ms(const operator_model *seen, const asked_gpu *a, operator_class c,
                         const habitat_model_query *query, const operator_view *view) {
    const habitat_gpu *sibling = measured_sibling(seen, a);
    operator_gpu facts;
    operator_view as = *view, measured;
    if (sibling && operator_gpu_facts(sibling, c, operator_arithmetic(query), &facts)) {
        operator_look(query, c, &facts, &measured);
        const operator_features *features = operator_facts_of(c)->features;
        for (size_t i = 0; i < features->count; i++)
            if (features->inputs[i].device)
                as.inputs[i] = measured.inputs[i];
    }
    return learned_tree_ms(seen, &as);
}

/* Sizes outside of what the model was trained on. */
static void fade(habitat_model_estimate *answer, const learned_range *range,
                 const habitat_work *work, const habitat_gpu *gpu, double far_ms, double empty_ms) {
    habitat_outside outside = range_outside(range, work);
    far_bounds bounds = {far_ms, empty_ms, operator_least_memory_ms(work, gpu), chosen_far_kept};
    far_fade(&outside, &bounds, answer);
}

static habitat_model_estimate from_trees(const habitat_models *models, habitat_model_use use,
                                         const asked_gpu *a, const habitat_model_query *query) {
    const habitat_gpu *gpu = a->gpu;
    operator_class c = answering_class(models, use, gpu, query);
    operator_gpu facts;
    if (c == OPERATOR_NONE || !operator_gpu_facts(gpu, c, operator_arithmetic(query), &facts))
        return nothing;
    const operator_model *seen = learned_find(models, c, HABITAT_MODEL_SEEN);
    const operator_model *model = learned_find(models, c, HABITAT_MODEL_TRANSFER);
    bool asks_seen = use != HABITAT_MODEL_TRANSFER; /* which knows no GPU but by its rates */
    bool named = asks_seen && learned_knows(seen, gpu->name);
    bool itself = named || (asks_seen && knows_kind(seen, gpu));
    const habitat_gpu *part = use == HABITAT_MODEL_AUTO ? itself  ? gpu
                                                          : model ? seen_part(seen, a)
                                                                  : NULL
                                                        : NULL;
    bool is_seen = use == HABITAT_MODEL_SEEN || part == gpu;
    if (use == HABITAT_MODEL_SEEN)
        model = seen;
    if (!model)
        return nothing;
    operator_view view;
    operator_look(query, c, &facts, &view);
    double forward = part == gpu && !named ? sibling_ms(seen, a, c, query, &view)
                                           : learned_tree_ms(model, &view);
    if (part == gpu && named)
        forward *= seen_over(seen, learned_tree_ms(seen, &view), forward);
    else if (part && part != gpu)
        forward *= part_over(seen, model, c, part, query);
    if (is_seen) /* another part of a seen chip has the interval of a GPU that was left out */
        model = seen;
    double factor = 1;
    habitat_pass pass = query->work->pass;
    if (c == OPERATOR_CONV && pass != HABITAT_PASS_FORWARD)
        factor = (double)models->pass_factors[pass == HABITAT_PASS_BACKWARD_WEIGHT];
    else if (pass != HABITAT_PASS_FORWARD)
        factor = operator_facts_of(c)->backward_factor;
    double ms = factor * forward;
    if (!isfinite(ms) || ms <= 0)
        return nothing;
    double width = is_seen && !named ? chosen_same_arch_width : 1;
    bool estimated = !is_seen && learned_on_estimates(gpu, c, operator_arithmetic(query));
    learned_ends ends = learned_ends_of(model, &view, estimated);
    habitat_model_estimate answer = {
        .covered = true,
        .seen = is_seen && (named || use == HABITAT_MODEL_SEEN),
        .guessed = operator_norm_is_guessed(query->work) ||
                   (!is_seen && (!learned_knows_way(model, view.way) ||
                                 (double)learned_kinds(seen ? seen : model) < chosen_judged_kinds)),
        .ms = ms,
        .model_ms = ms,
        .low_ms = ms * exp(width * ends.low),
        .high_ms = ms * exp(width * ends.high)};
    fade(&answer, &model->range, query->work, gpu,
         operator_facts_of(c)->far_by_roofline ? view.far_ms : factor * view.far_ms, view.empty_ms);
    return answer;
}

/* ---- Both gradients of a convolution ----------------------------------------------------------
 */

/* What is asked, and of what. */
typedef struct asking {
    const habitat_models *models;
    habitat_model_use use;
    const asked_gpu *gpu;
    const class_offsets *offsets; /* NULL: of a GPU without measured operations */
} asking;

typedef habitat_model_estimate answer_function(const asking *a, const habitat_model_query *whole,
                                               const habitat_model_query *one);

static void add_part(habitat_model_estimate *sum, const habitat_model_estimate *part) {
    sum->covered = sum->covered && part->covered;
    sum->seen = sum->seen && part->seen;
    sum->guessed = sum->guessed || part->guessed;
    sum->ms += part->ms;
    sum->model_ms += part->model_ms;
    sum->low_ms += part->low_ms;
    sum->high_ms += part->high_ms;
    if (part->outside.distance > sum->outside.distance)
        sum->outside = part->outside;
}

/* A backward pass of a convolution is one call for each gradient, one after the other: whatever is
 * asked of it is asked of each. */
static habitat_model_estimate one_by_one(const asking *a, answer_function *answer,
                                         const habitat_model_query *query) {
    static const habitat_pass passes[] = {HABITAT_PASS_BACKWARD_INPUT,
                                          HABITAT_PASS_BACKWARD_WEIGHT};
    if (!operator_facts_of(operator_class_of(query))->two_gradients ||
        query->work->pass != HABITAT_PASS_BACKWARD)
        return answer(a, query, query);
    habitat_model_estimate sum = {.covered = true, .seen = true};
    for (size_t i = 0; i < 2; i++) {
        habitat_work work = *query->work, counted;
        habitat_model_query one = *query;
        work.pass = passes[i];
        if (habitat_work_conv(&work.shape.conv, work.dtype, work.pass, &counted) == HABITAT_OK) {
            work.flop = counted.flop;
            work.read_bytes = counted.read_bytes;
            work.write_bytes = counted.write_bytes;
        }
        one.work = &work;
        habitat_model_estimate part = answer(a, query, &one);
        add_part(&sum, &part);
    }
    return sum.covered ? sum : nothing;
}

static habitat_model_estimate by_trees(const asking *a, const habitat_model_query *whole,
                                       const habitat_model_query *one) {
    (void)whole;
    return from_trees(a->models, a->use, a->gpu, one);
}

/* ---- Answers of all kinds of questions --------------------------------------------------------
 */

/* Offsets of a GPU whose calibration measured operations; all 0 for others. */
static habitat_status offsets_of(const habitat_models *models, habitat_model_use use,
                                 const asked_gpu *a, class_offsets *out, habitat_error *err) {
    const habitat_gpu *gpu = a->gpu;
    calibrated operations;
    habitat_status status = calibrated_read(gpu, &operations, err);
    habitat_model_estimate *answers = calloc(operations.count + 1, sizeof *answers);
    if (status == HABITAT_OK && !answers)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < operations.count; i++) {
        habitat_model_query query = question_of(&operations.rows[i]);
        answers[i] = one_by_one(&(asking){models, use, a, NULL}, by_trees, &query);
    }
    if (status == HABITAT_OK)
        status = calibrated_offsets(&operations, gpu, answers, out, err);
    free(answers);
    calibrated_free(&operations);
    return status;
}

/* What an answer is multiplied by: what was measured of the whole backward pass, or of the
 * gradient.
 */
static double offset_factor(const class_offsets *offsets, const habitat_model_query *whole,
                            const habitat_model_query *one) {
    class_offset offset = calibrated_offset_of(offsets, whole);
    if (offset.count == 0)
        offset = calibrated_offset_of(offsets, one);
    return exp(offset.weight * offset.median);
}

/* No end of an answer is below what the peaks of the GPU allow: trees know nothing of them, and an
 * interval that few GPUs were judged for reaches far. */
static void keep_possible(const habitat_model_query *query, const habitat_gpu *gpu,
                          habitat_model_estimate *answer) {
    habitat_dtype arithmetic = operator_arithmetic(query);
    operator_gpu facts = {0};
    operator_class c = operator_class_of(query);
    bool known = c != OPERATOR_NONE && operator_gpu_facts(gpu, c, arithmetic, &facts);
    double rate = known ? facts.units_flop_per_s : 0;
    if (!class_of(query->work->op_class)->product)
        rate = habitat_arithmetic_rate(gpu, arithmetic, false, false, NULL, NULL);
    double least = operator_least_ms(query->work, gpu, arithmetic, rate);
    answer->high_ms *= fmax(1, least / answer->ms); /* no narrower for being moved */
    answer->ms = fmax(answer->ms, least);
    answer->low_ms = fmax(answer->low_ms, least);
}

/* One question in the arithmetic that it names. */
static habitat_model_estimate answer_exactly(const asking *a, const habitat_model_query *whole,
                                             const habitat_model_query *one) {
    habitat_model_estimate answer = by_trees(a, whole, one);
    if (!answer.covered)
        return answer;
    double factor = a->offsets ? offset_factor(a->offsets, whole, one) : 1;
    answer.ms *= factor;
    answer.model_ms *= factor;
    answer.low_ms *= factor;
    answer.high_ms *= factor;
    keep_possible(one, a->gpu->gpu, &answer);
    return answer;
}

/* The quicker of two ways to compute one operation. Far outside of what was measured neither high
 * end is known well enough to bound the other. */
static habitat_model_estimate quicker(const habitat_model_estimate *a,
                                      const habitat_model_estimate *b) {
    habitat_model_estimate out = a->ms <= b->ms ? *a : *b;
    bool outside = a->outside.size || b->outside.size;
    double widest = fmax(a->high_ms / a->ms, b->high_ms / b->ms);
    out.seen = a->seen && b->seen;
    out.guessed = a->guessed || b->guessed;
    out.low_ms = fmin(a->low_ms, b->low_ms);
    out.high_ms = outside ? out.ms * widest : fmin(a->high_ms, b->high_ms);
    return out;
}

/* A batch of products in fp8. Measured were linear layers of serving frameworks, which make fp8 of
 * their input first, one matrix at a time; a batch has its operands in fp8. It takes what the same
 * product takes in bf16, by the ratio of what memory and units need of both, and the doubt of fp8.
 */
static habitat_model_estimate batched_fp8(const asking *a, const habitat_model_query *query) {
    habitat_work half;
    habitat_model_query as_half = *query;
    const operator_model *fp8 = learned_find(a->models, OPERATOR_GEMM_FP8, HABITAT_MODEL_TRANSFER);
    double ratio = operator_fp8_share(query, a->gpu->gpu);
    if (!fp8 || isnan(ratio) ||
        habitat_work_gemm(&query->work->shape.gemm, HABITAT_DTYPE_BF16, &half) != HABITAT_OK)
        return nothing;
    as_half.work = &half;
    as_half.arithmetic = HABITAT_DTYPE_BF16;
    habitat_model_estimate answer = answer_exactly(a, &as_half, &as_half);
    if (!answer.covered)
        return nothing;
    double launch =
        operator_facts_of(OPERATOR_GEMM_MATRIX)->timings[HABITAT_TIMING_KERNEL].floor_ms;
    answer.ms = fmin(answer.ms, launch) + fmax(answer.ms - launch, 0) * ratio;
    answer.model_ms = fmin(answer.model_ms, launch) + fmax(answer.model_ms - launch, 0) * ratio;
    answer.low_ms = answer.ms * exp((double)fp8->low);
    answer.high_ms = answer.ms * exp((double)fp8->high);
    answer.seen = false;
    answer.guessed = true;
    return answer;
}

/* TF32 is a permission: where its kernels are slower the library takes one that computes in fp32.
 */
static habitat_model_estimate permitted(const asking *a, const habitat_model_query *whole,
                                        const habitat_model_query *one,
                                        habitat_model_estimate *strict) {
    habitat_model_query plain = *one, plain_whole = *whole;
    plain.arithmetic = plain_whole.arithmetic = HABITAT_DTYPE_FP32;
    habitat_model_estimate answer = answer_exactly(a, whole, one);
    *strict = answer_exactly(a, &plain_whole, &plain);
    return answer.covered && strict->covered ? quicker(&answer, strict) : answer;
}

/* An attention in TF32 that is computed in separate kernels, known in fp32: its products are as
 * much faster as products alone are. What is left is no less than they take. */
static void speed_products(const asking *a, const habitat_model_query *query,
                           habitat_model_estimate *answer) {
    habitat_work products[OPERATOR_ATTENTION_PRODUCTS_MAX];
    size_t count = operator_attention_products(query, products);
    double saved_ms = 0, left_ms = 0;
    for (size_t i = 0; i < count; i++) {
        habitat_model_query product = *query;
        product.work = &products[i];
        habitat_model_estimate strict, fast;
        fast = permitted(a, &product, &product, &strict);
        if (!fast.covered || !strict.covered)
            return;
        saved_ms += strict.ms - fast.ms;
        left_ms += fast.ms;
        answer->seen = answer->seen && fast.seen;
        answer->guessed = answer->guessed || fast.guessed;
    }
    double factor = fmax(answer->ms - saved_ms, fmin(left_ms, answer->ms)) / answer->ms;
    answer->ms *= factor;
    answer->model_ms *= factor;
    answer->low_ms *= factor;
    answer->high_ms *= factor;
}

static habitat_model_estimate answer_one(const asking *a, const habitat_model_query *whole,
                                         const habitat_model_query *one) {
    habitat_dtype arithmetic = operator_arithmetic(one);
    if (arithmetic == HABITAT_DTYPE_FP8 && one->work->op_class == HABITAT_CLASS_BMM)
        return batched_fp8(a, one);
    if (arithmetic != HABITAT_DTYPE_TF32)
        return answer_exactly(a, whole, one);
    habitat_model_estimate strict;
    habitat_model_estimate answer = permitted(a, whole, one, &strict);
    if (answer.covered)
        speed_products(a, one, &answer);
    return answer;
}

/* Answers of the trees for one GPU. out: shape (q->n). */
static void predict_gpu(const asking *a, const model_questions *q, habitat_model_estimate *out) {
    for (size_t i = 0; i < q->n; i++)
        out[i] = q->first[i] < i ? out[q->first[i]] : one_by_one(a, answer_one, &q->queries[i]);
}

/* All offsets before the first answer: an error leaves `out` alone. */
static habitat_status predict_trees(const habitat_models *models, habitat_model_use use,
                                    const model_questions *q, habitat_model_estimate *out,
                                    habitat_error *err) {
    class_offsets *offsets = calloc(q->gpu_count ? q->gpu_count : 1, sizeof *offsets);
    const habitat_gpu_table *known = NULL;
    asked_gpu a = {0};
    habitat_status status =
        offsets ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK && use == HABITAT_MODEL_AUTO)
        status = gpu_known(&known, err);
    if (status == HABITAT_OK && known) {
        a.parts = malloc(2 * habitat_gpu_count(known) * sizeof *a.parts);
        a.kin = a.parts ? a.parts + habitat_gpu_count(known) : NULL;
        if (!a.parts)
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    for (size_t g = 0; status == HABITAT_OK && g < q->gpu_count; g++) {
        ask_about(&a, q->gpus[g], known);
        if (q->gpus[g]->operation_count)
            status = offsets_of(models, use, &a, &offsets[g], err);
    }
    for (size_t g = 0; status == HABITAT_OK && g < q->gpu_count; g++) {
        const class_offsets *measured = q->gpus[g]->operation_count ? &offsets[g] : NULL;
        ask_about(&a, q->gpus[g], known);
        predict_gpu(&(asking){models, use, &a, measured}, q, &out[g * q->n]);
    }
    free(offsets);
    free(a.parts);
    return status;
}

habitat_status habitat_models_predict(const habitat_models *models, habitat_model_use use,
                                      size_t gpu_count, const habitat_gpu *const *gpus, size_t n,
                                      const habitat_model_query *queries,
                                      habitat_model_estimate *out, habitat_error *err) {
    if (!models || (gpu_count && !gpus) || (n && !queries) || (gpu_count && n && !out) ||
        (unsigned)use > HABITAT_MODEL_PAPER)
        return habitat_fail(err, HABITAT_E_ARG, "no models, GPUs or operations given");
    bool any = false;
    for (uint32_t i = 0; i < models->count; i++)
        any = any || (use == HABITAT_MODEL_PAPER) == (models->models[i].use == HABITAT_MODEL_PAPER);
    if (!any)
        return habitat_fail(
            err, HABITAT_E_UNSUPPORTED, "the model file holds no models of method %s",
            habitat_model_use_name(use == HABITAT_MODEL_PAPER ? use : HABITAT_MODEL_AUTO));
    size_t *first = malloc((n ? n : 1) * sizeof *first);
    if (!first || !find_equals(queries, n, first)) {
        free(first);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    const model_questions asked = {gpu_count, gpus, n, queries, first};
    habitat_status status = use == HABITAT_MODEL_PAPER
                                ? paper_predict(models, &asked, out, err)
                                : predict_trees(models, use, &asked, out, err);
    free(first);
    return status;
}

habitat_status habitat_models_offsets(const habitat_models *models, const habitat_gpu *gpu,
                                      habitat_class_offset *out, size_t *count, size_t *unused,
                                      habitat_error *err) {
    if (!models || !gpu || !count || (*count && !out))
        return habitat_fail(err, HABITAT_E_ARG, "no models, GPU or room for offsets given");
    class_offsets offsets;
    habitat_status status =
        offsets_of(models, HABITAT_MODEL_TRANSFER, &(asked_gpu){.gpu = gpu}, &offsets, err);
    if (status != HABITAT_OK)
        return status;
    size_t found = 0, used = 0;
    for (int c = 0; c < OPERATOR_CLASSES; c++)
        for (int pass = 0; pass < OFFSET_PASSES; pass++) {
            const class_offset *offset = &offsets.of[c][pass];
            if (offset->count == 0)
                continue;
            used += offset->count;
            if (found < *count)
                out[found] = (habitat_class_offset){operator_facts_of((operator_class)c)->name,
                                                    (habitat_pass)pass, offset->count,
                                                    exp(offset->median), offset->weight};
            found++;
        }
    *count = found;
    if (unused)
        *unused = gpu->operation_count - used;
    return HABITAT_OK;
}
