/* What the operator models say of each operation as recorded and as it is wanted; see
 * rescale_ask.h. What is made of the answers: rescale_times.c. */
#include "predict/rescale_ask.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "kernels/attentions.h"
#include "kernels/conv_as_images.h"
#include "kernels/norms.h"
#include "predict/scaling.h"
#include "rescale/groups_apart.h"
#include "work/args.h"
#include "work/class.h"
#include "workload/rnn_calls.h"
#include "workload/share.h"

bool rescale_changes(const scale_group *after) {
    return after->source != SCALE_STAYS && after->source != SCALE_GONE;
}

/* In another format products and convolutions are asked as alone: what was seen of the GPU counts,
 * where each was measured in all formats (docs/decisions/0285, 0413). Between batch sizes it does
 * not: trees that know more of single shapes are rougher from one size to the next. Of recurrent
 * layers what was seen of the GPU, or of its kind, always counts (docs/decisions/0281); of others
 * what is known of any GPU. */
static habitat_model_use use_of(const scale_group *after) {
    bool in_formats = class_of(after->work.op_class)->shape == CLASS_SHAPE_GEMM ||
                      after->work.op_class == HABITAT_CLASS_CONV;
    bool seen = after->source == SCALE_BY_FORMAT && in_formats;
    return seen || after->work.op_class == HABITAT_CLASS_RNN ? HABITAT_MODEL_AUTO
                                                             : HABITAT_MODEL_TRANSFER;
}

/* What is asked of the models for all groups of a workload at once. Each array: shape
 * (group_count).
 */
typedef struct questions {
    const habitat_models *models;
    const habitat_workload *w;
    const scale_group *after; /* what is wanted: whether a group is asked, and how */
    bool before;              /* of the step as recorded, not of the one that is wanted */
    habitat_model_query *of_groups;
    habitat_work *other; /* work of a question of other sizes than its group's */
    double *times;       /* how often an answer counts */
    habitat_model_estimate *answers;
    habitat_model_query *of_use;    /* room for one use's questions, */
    habitat_model_estimate *by_use; /* and for their answers */
} questions;

static void questions_close(questions *q) {
    free(q->of_groups);
    free(q->other);
    free(q->times);
    free(q->answers);
    free(q->of_use);
    free(q->by_use);
}

/* Makes the arrays. HABITAT_E_MEMORY; to be closed all the same. */
static habitat_status questions_open(questions *q) {
    size_t room = q->w->group_count + 1;
    q->of_groups = calloc(room, sizeof *q->of_groups);
    q->other = calloc(room, sizeof *q->other);
    q->times = calloc(room, sizeof *q->times);
    q->answers = calloc(room, sizeof *q->answers);
    q->of_use = calloc(room, sizeof *q->of_use);
    q->by_use = calloc(room, sizeof *q->by_use);
    bool whole = q->of_groups && q->other && q->times && q->answers && q->of_use && q->by_use;
    return whole ? HABITAT_OK : HABITAT_E_MEMORY;
}

/* Answers those questions that are asked of `use`; the answers to others stay as they are. */
static habitat_status ask_of(questions *q, habitat_model_use use, habitat_error *err) {
    static const habitat_work nothing = {.known = false};
    const habitat_workload *w = q->w;
    size_t count = 0;
    for (size_t g = 0; g < w->group_count; g++) {
        bool own = use_of(&q->after[g]) == use;
        q->of_use[g] = own ? q->of_groups[g] : (habitat_model_query){.work = &nothing};
        if (use == HABITAT_MODEL_AUTO && q->after[g].work.op_class == HABITAT_CLASS_CONV)
            q->of_use[g].timing = HABITAT_TIMING_GRAPH; /* as the rows that compare formats were */
        count += own && q->of_groups[g].work->known;
    }
    if (count == 0)
        return HABITAT_OK;
    habitat_status status = habitat_models_predict(q->models, use, 1, &w->origin, w->group_count,
                                                   q->of_use, q->by_use, err);
    for (size_t g = 0; status == HABITAT_OK && g < w->group_count; g++)
        if (use_of(&q->after[g]) == use)
            q->answers[g] = q->by_use[g];
    return status;
}

bool rescale_same_way(const habitat_workload *w, const habitat_workload_group *group,
                      const habitat_work *one, const habitat_work *two) {
    habitat_workload_group as_one = *group, as_two = *group;
    rnn_way way, other;
    as_one.work = one;
    as_two.work = two;
    return !workload_rnn_way(&as_one, w->origin, &way) ||
           !workload_rnn_way(&as_two, w->origin, &other) || way == other;
}

/* One group, which models are asked of where a picture's groups are samples: cuDNN runs those apart
 * in every format. Layers of many pictures (ResNeXt's) have kernels of all groups in 16 bit. */
static void take_one_group(const habitat_work *work, habitat_work *out) {
    double groups = work->shape.conv.groups;
    *out = *work;
    out->shape.conv.c_in /= groups;
    out->shape.conv.c_out /= groups;
    out->shape.conv.groups = 1.0;
    out->flop /= groups;
    out->read_bytes /= groups;
    out->write_bytes /= groups;
}

/* Puts the question of group g at a level: q->of_groups[g], and how often its answer counts. First:
 * the group at the first level. Products of complex numbers are not asked: those of real ones were
 * measured. */
static void put_question(questions *q, size_t g, const scale_group *first,
                         const scale_group *level) {
    static const habitat_work nothing = {.known = false};
    const habitat_workload_group *group = &q->w->groups[g];
    const habitat_work *work = &level->work;
    habitat_work *other = &q->other[g];
    habitat_dtype changed = q->before ? HABITAT_DTYPE_UNKNOWN : q->after[g].arithmetic;
    bool odd = habitat_class_is_product(work->op_class) && work_is_complex(work->dtype);
    bool asks = rescale_changes(&q->after[g]) && work->known && !odd &&
                rescale_same_way(q->w, group, &first->work, work);
    bool apart = asks && workload_groups_apart(group) && work->shape.conv.batch == 1.0;
    if (apart)
        take_one_group(work, other);
    bool as_other =
        apart ||
        (asks && (conv_as_images_1d(work, other) || norms_asked(group, work, other) ||
                  (q->after[g].source == SCALE_BY_FORMAT && attentions_padded(work, other))));
    q->of_groups[g] = (habitat_model_query){
        .work = as_other ? other
                : asks   ? work
                         : &nothing,
        .arithmetic = changed ? changed : workload_arithmetic_of(q->w, group).dtype};
    q->times[g] = apart ? work->shape.conv.groups : 1.0;
}

/* Answers of the models to all groups at one level, in ms. NaN: not covered. */
static habitat_status ask_level(questions *q, const scale_group *first, const scale_group *level,
                                double *ms, habitat_error *err) {
    for (size_t g = 0; g < q->w->group_count; g++)
        put_question(q, g, &first[g], &level[g]);
    habitat_status status = ask_of(q, HABITAT_MODEL_TRANSFER, err);
    if (status == HABITAT_OK)
        status = ask_of(q, HABITAT_MODEL_AUTO, err);
    for (size_t g = 0; status == HABITAT_OK && g < q->w->group_count; g++) {
        ms[g] = q->answers[g].covered ? q->answers[g].model_ms * q->times[g] : (double)NAN;
        if (q->after[g].source == SCALE_BY_FORMAT) /* formats have kernels of their own */
            ms[g] *= attentions_factor(&level[g].work, q->w->origin, ms[g] * 1e-3);
    }
    return status;
}

/* Largest answer over the levels to each group's question. works: shape (levels, group_count). */
static habitat_status ask_levels(questions *q, size_t levels, scale_group *const *works,
                                 double *out, habitat_error *err) {
    double *ms = calloc(q->w->group_count + 1, sizeof *ms);
    habitat_status status = ms ? HABITAT_OK : HABITAT_E_MEMORY;
    for (size_t l = 0; status == HABITAT_OK && l < levels; l++) {
        status = ask_level(q, works[0], works[l], ms, err);
        for (size_t g = 0; status == HABITAT_OK && g < q->w->group_count; g++)
            if (l == 0 || ms[g] > out[g])
                out[g] = ms[g];
    }
    free(ms);
    return status;
}

/* Asks of a step, as recorded or as it is wanted. */
static habitat_status ask_step(questions q, size_t levels, scale_group *const *works, double *out,
                               habitat_error *err) {
    habitat_status status = questions_open(&q);
    if (status == HABITAT_OK)
        status = ask_levels(&q, levels, works, out, err);
    questions_close(&q);
    return status;
}

habitat_status rescale_ask(const habitat_models *models, const habitat_workload *w, size_t levels,
                           scale_group *const *before, scale_group *const *after,
                           rescale_answer *out, habitat_error *err) {
    const questions of_step = {.models = models, .w = w, .after = after[0]};
    questions of_recorded = of_step;
    of_recorded.before = true;
    double *old_ms = calloc(w->group_count + 1, sizeof *old_ms);
    double *new_ms = calloc(w->group_count + 1, sizeof *new_ms);
    habitat_status status = old_ms && new_ms ? HABITAT_OK : HABITAT_E_MEMORY;
    if (status == HABITAT_OK)
        status = ask_step(of_recorded, levels, before, old_ms, err);
    if (status == HABITAT_OK)
        status = ask_step(of_step, levels, after, new_ms, err);
    for (size_t g = 0; g < w->group_count; g++)
        out[g] = status == HABITAT_OK ? (rescale_answer){old_ms[g], new_ms[g]}
                                      : (rescale_answer){NAN, NAN};
    free(old_ms);
    free(new_ms);
    /* no models, or none for this GPU: in proportion */
    return status == HABITAT_E_MEMORY ? habitat_fail(err, status, "out of memory") : HABITAT_OK;
}
