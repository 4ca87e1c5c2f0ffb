/* The one place where an operation without a measurement gets its time; see operations.h. */
#include "predict/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "gpu/gpu.h"
#include "base/apart.h"
#include "base/constants_intervals.h"
#include "base/constants_operators.h"
#include "base/error.h"
#include "kernels/attentions.h"
#include "kernels/batch_norms.h"
#include "kernels/bias.h"
#include "predict/estimate.h"
#include "kernels/conv3d_times.h"
#include "predict/method.h"
#include "predict/operator_model.h"
#include "formula/rates.h"
#include "operator/operator.h"
#include "kernels/conv_as_images.h"
#include "kernels/padded.h"
#include "kernels/resampled.h"
#include "kernels/unmodelled_times.h"
#include "work/class.h"

/* One call of operations_predict(): who asks, and what is worked out of each operation. */
typedef struct call {
    const operations_by *by;
    const method_plug *plug; /* of by->method */
    const habitat_gpu *gpu;
    habitat_arena *arena; /* keeps reasons, notes and works */
    size_t n;
    const habitat_model_query *given; /* shape (n): the caller's questions */
    method_question *questions;       /* shape (n): as they are asked: padded, folded, widened */
    habitat_model_query *queries;     /* shape (n): the same for the models */
    habitat_operator_answer *answers; /* shape (n): of the models */
    const char **notes;               /* shape (n): NULL, or how it was padded */
    double *folded; /* shape (n): of a convolution of lines or films, asked as of images, how many
                       times longer it may be than the models' interval says; 0: it is neither */
} call;

static bool has_rule(const method_plug *plug) {
    return plug->operation != NULL;
}

static habitat_status scales_time(const operations_by *by, const method_plug *plug,
                                  habitat_error *err) {
    char list[METHOD_LIST_BYTES];
    method_list(has_rule, " or ", list, sizeof list);
    return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                        "method %s scales %s none; use %s, or predict from a recording on a GPU",
                        plug->name,
                        by->untimed ? "recorded times, and a recording without a GPU has"
                                    : "a measured time, and a single operation has",
                        list);
}

static habitat_status check(const operations_by *by, const method_plug *plug, habitat_error *err) {
    if (!plug || !plug->askable)
        return habitat_fail(err, HABITAT_E_ARG, "not a method");
    if (!plug->operation && !plug->needs_models)
        return scales_time(by, plug, err);
    return method_check_models(plug, by->models, err);
}

/* Products of integers and complex numbers: no GPU of the table has a rate of them and no
 * measurement is of them. int8 has rates. Softmax and norms compute in floating point alone. Other
 * classes move data, of any format. */
static bool lacks_rate(habitat_class op_class, habitat_dtype arithmetic) {
    habitat_dtype first = class_of(op_class)->floating ? HABITAT_DTYPE_INT8 : HABITAT_DTYPE_INT16;
    return (habitat_class_is_product(op_class) || class_of(op_class)->floating) &&
           arithmetic >= first && arithmetic <= HABITAT_DTYPE_COMPLEX128;
}

/* Why this one cannot be asked at all; HABITAT_OK where it can. */
static habitat_status check_one(const call *c, size_t i, habitat_error *err) {
    const habitat_model_query *question = &c->given[i];
    const habitat_work *work = question->work;
    habitat_dtype arithmetic = question->arithmetic ? question->arithmetic : work->dtype;
    if (!work->known || !formula_known(work->flop) ||
        !formula_known(work->read_bytes + work->write_bytes))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "flop and bytes of this operation are unknown");
    if (!c->by->part && lacks_rate(work->op_class, arithmetic))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "no GPU's rate of %s in %s is known, and nobody measured it",
                            habitat_class_name(work->op_class), habitat_dtype_name(arithmetic));
    if (habitat_class_is_product(work->op_class) && habitat_rate_unlisted(c->gpu, arithmetic))
        return habitat_fail(
            err, HABITAT_E_NO_SPEC,
            "no rate of %s is listed of %s, which has units of it; a GPU file can give it",
            habitat_dtype_name(arithmetic), c->gpu->name);
    return c->plug->covers && !c->plug->covers(work) ? scales_time(c->by, c->plug, err)
                                                     : HABITAT_OK;
}

static habitat_status keep(habitat_arena *arena, const char *text, const char **out,
                           habitat_error *err) {
    *out = habitat_arena_string(arena, text, strlen(text));
    return *out ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

static habitat_status refuse(habitat_arena *arena, const habitat_error *why,
                             habitat_operation_estimate *out, habitat_error *err) {
    if (why->code == HABITAT_E_MEMORY)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->status = why->code;
    return keep(arena, why->message[0] ? why->message : habitat_status_text(why->code),
                &out->reason, err);
}

/* Tensors of one operation are in memory together, whatever else is. */
static bool fits(const habitat_work *work, const habitat_gpu *gpu) {
    return !(work->read_bytes + work->write_bytes > gpu->memory_bytes);
}

/* padded: NULL, or what was padded: that is said first. */
static habitat_status add_notes(const method_question *q, const habitat_outside *outside,
                                const char *padded, habitat_arena *arena,
                                habitat_operation_estimate *out, habitat_error *err) {
    char text[OUTSIDE_BYTES];
    habitat_status status = HABITAT_OK;
    out->outside_note = padded;
    if (!padded && outside->size) {
        outside_text(outside, text);
        status = keep(arena, text, &out->outside_note, err);
    }
    if (status == HABITAT_OK && !fits(q->work, q->gpu)) {
        char tensors[32], memory[32];
        apart_digits((q->work->read_bytes + q->work->write_bytes) / HABITAT_GB,
                     q->gpu->memory_bytes / HABITAT_GB, 4, tensors, memory, sizeof memory);
        habitat_format(text, sizeof text, "tensors of %s GB do not fit the %s GB of %s", tensors,
                       memory, q->gpu->name);
        status = keep(arena, text, &out->memory_note, err);
    }
    return status;
}

/* What the peaks allow; the answer itself where a method counts on less. */
static double least_ms(const method_question *q, double ms) {
    bool product = class_of(q->work->op_class)->product;
    double peak = habitat_arithmetic_rate(q->gpu, q->arithmetic, product, false, NULL, NULL);
    bool on_units = false;
    double held = habitat_arithmetic_rate(q->gpu, q->arithmetic, product, true, NULL, &on_units);
    bool clocks = on_units && q->arithmetic != HABITAT_DTYPE_FP64;
    double most = fmax(peak, clocks ? chosen_unit_headroom * held : held);
    return fmin(ms, operator_least_ms(q->work, q->gpu, q->arithmetic, most));
}

/* Measurements of NVIDIA's GPUs alone check the built-in models' intervals; a caller's models have
 * their own. */
static bool checked_on(const operations_by *by, const habitat_gpu *gpu) {
    return gpu->compute_capability || by->models_name;
}

/* guessed: the interval, because nobody measured there. */
static void accept(const operations_by *by, const method_question *q, const method_answer *answer,
                   bool guessed, habitat_operation_estimate *out) {
    bool checked = checked_on(by, q->gpu);
    double width = estimate_default_width(false, answer->method);
    if (!q->gpu->compute_capability)
        width = fmax(width, chosen_rough_width);
    bool own = answer->low_ms > 0.0 && checked, measured = own && !guessed;
    out->estimate = (habitat_estimate){
        .ms = answer->ms,
        .low_ms = own ? answer->low_ms : fmax(answer->ms / (1.0 + width), least_ms(q, answer->ms)),
        .high_ms = own ? answer->high_ms : answer->ms * (1.0 + width),
        .origin_ms = NAN,
        .interval_basis = measured ? HABITAT_INTERVAL_OPERATIONS : HABITAT_INTERVAL_DEFAULT,
        .method = answer->method,
        .bound = estimate_bound(q->gpu, q->work->flop, operation_question_bytes(q), q->rates,
                                answer->ms),
    };
}

static habitat_status no_model(const call *c, size_t i, habitat_error *why) {
    const operations_by *by = c->by;
    const method_plug *plug = c->plug;
    const habitat_model_query *question = &c->given[i];
    habitat_dtype dtype = question->arithmetic ? question->arithmetic : question->work->dtype;
    bool own = plug->models != HABITAT_MODEL_AUTO; /* the method's, not to be chosen by a caller */
    const char *who = by->models_name                     ? by->models_name
                      : own                               ? habitat_method_name(plug->marked)
                      : by->use == HABITAT_MODEL_TRANSFER ? "built-in transfer models"
                                                          : "built-in models";
    return habitat_fail(why, HABITAT_E_UNSUPPORTED, "%s%s: no model for %s in %s on %s",
                        own && !by->models_name ? "method " : "", who,
                        habitat_class_name(question->work->op_class), habitat_dtype_name(dtype),
                        c->gpu->name);
}

/* Operation i is asked with this work in the place of its own. */
static habitat_status keep_work(call *c, size_t i, const habitat_work *work, habitat_error *err) {
    habitat_work *kept = habitat_arena_alloc(c->arena, sizeof *kept);
    if (!kept)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *kept = *work;
    c->questions[i].work = c->queries[i].work = kept;
    return HABITAT_OK;
}

/* Whether models are asked, of whichever use fits the GPU: not mlp, and no method without models.
 */
static bool asks_auto(const method_plug *plug) {
    return plug->models == HABITAT_MODEL_AUTO && plug->asks_models;
}

/* Models of one use alone, which are asked as they are. Methods without models are not such. */
static bool asks_one_use(const method_plug *plug) {
    return plug->models != HABITAT_MODEL_AUTO;
}

/* What goes beside the library's own models, and beside rules: not beside a caller's models. */
static bool by_own(const operations_by *by) {
    return !by->models_only && !by->models_name;
}

/* Kernels that shapes tell and no built-in model knows. */
static bool told(const call *c, size_t i) {
    const operations_by *by = c->by;
    const method_plug *plug = c->plug;
    const method_question *q = &c->questions[i];
    return plug->operation && by_own(by) &&
           (batch_norms_told(q->work, q->gpu) || resampled_told(q->work, q->gpu) ||
            (asks_auto(plug) && conv3d_told(q->work, q->arithmetic, q->gpu)));
}

/* Frameworks run a convolution along a line as one of images a pixel high, by the same kernels. Of
 * films' gradients on plain units the library has slow ones alone. */
static habitat_status fold(call *c, size_t i, habitat_error *err) {
    habitat_work images;
    const habitat_work *work = c->questions[i].work;
    if (told(c, i))
        return HABITAT_OK;
    bool film = conv_as_images_3d(work, &images);
    if (!film && !conv_as_images_1d(work, &images))
        return HABITAT_OK;
    bool slow = film && work->pass != HABITAT_PASS_FORWARD &&
                c->questions[i].arithmetic == HABITAT_DTYPE_FP32;
    c->folded[i] = slow ? fitted_film_gradient_factor : 1.0;
    return keep_work(c, i, &images, err);
}

/* A product that runs padded is asked so, of models and rules alike. */
static habitat_status pad(call *c, size_t i, habitat_error *err) {
    char note[OUTSIDE_BYTES];
    habitat_work padded;
    if (!padded_product(c->questions[i].work, c->questions[i].arithmetic, &padded, note,
                        sizeof note))
        return HABITAT_OK;
    habitat_status status = keep_work(c, i, &padded, err);
    return status == HABITAT_OK ? keep(c->arena, note, &c->notes[i], err) : status;
}

/* Attention in fp8 on a GPU without such units is computed in 16 bit, where its models are;
 * products are asked by the format that they are computed in anyway. */
static habitat_status widen_attention(call *c, size_t i, habitat_error *err) {
    const habitat_work *work = c->questions[i].work;
    habitat_dtype arithmetic = c->questions[i].arithmetic;
    habitat_work wide;
    if (!c->plug->asks_models || work->op_class != HABITAT_CLASS_ATTENTION ||
        work->dtype != HABITAT_DTYPE_FP8 || habitat_dtype_bytes(arithmetic) != 2 ||
        habitat_work_attention(&work->shape.attention, arithmetic, work->pass, &wide) != HABITAT_OK)
        return HABITAT_OK;
    return keep_work(c, i, &wide, err);
}

/* Heads that a kernel computes wider than they are, asked so of the models. */
static habitat_status widen_heads(call *c, size_t i, habitat_error *err) {
    habitat_work wide;
    bool own = asks_auto(c->plug) && !c->by->models_name;
    if (!own || !attentions_padded(c->questions[i].work, &wide))
        return HABITAT_OK;
    return keep_work(c, i, &wide, err);
}

/* Without a measurement to scale the models are the best there is, of any vendor's GPU:
 * docs/decisions/0400. */
static habitat_status ask_models(call *c, habitat_error *err) {
    habitat_model_use use = asks_one_use(c->plug) ? c->plug->models : c->by->use;
    if (!c->plug->asks_models || !c->by->models)
        return HABITAT_OK;
    for (size_t i = 0; i < c->n; i++) {
        c->queries[i].work = c->questions[i].work;
        c->queries[i].arithmetic = c->questions[i].arithmetic;
    }
    habitat_status status = operator_models_ask(c->by->models, use, method_marked(use), c->gpu,
                                                c->n, c->queries, c->answers, err);
    bool rule = c->plug->operation && !c->by->models_only;
    for (size_t i = 0; status == HABITAT_OK && i < c->n; i++)
        if (told(c, i)) /* models know other kernels */
            c->answers[i] = (habitat_operator_answer){0};
    return status == HABITAT_E_UNSUPPORTED && rule ? HABITAT_OK : status;
}

/* Models know operands in order: where places are worked out one by one, that takes its time. */
static void no_faster_than_places(const method_plug *plug, const method_question *q,
                                  method_answer *answer) {
    double places_s = asks_one_use(plug) ? 0 : unmodelled_places_s(q->work, q->gpu);
    double least = (places_s + formula_kernel_floor_ns(q->gpu) * 1e-9) * 1e3;
    if (!(places_s > 0) || !(answer->ms > 0) || answer->ms >= least)
        return;
    answer->low_ms *= least / answer->ms;
    answer->high_ms *= least / answer->ms;
    answer->ms = least;
}

/* A recorded step converts operands by operations of their own. */
static double alone_share(const operations_by *by, const method_question *q) {
    habitat_model_query query = {.work = q->work, .arithmetic = q->arithmetic};
    return by->untimed ? operator_converted_share(&query, q->gpu) : 1;
}

/* Models know heads of few sizes, and little of what a training step does. */
static void as_trained(const call *c, size_t i, method_answer *answer) {
    const method_question *q = &c->questions[i];
    habitat_timing timing = c->given[i].timing;
    bool kernel = timing == HABITAT_TIMING_KERNEL || timing == HABITAT_TIMING_GRAPH;
    if (asks_one_use(c->plug) || !by_own(c->by) || !kernel || !(answer->ms > 0))
        return;
    double factor = attentions_factor(q->work, q->gpu, answer->ms * 1e-3) *
                    batch_norms_factor(q->work, q->gpu, answer->ms * 1e-3) * alone_share(c->by, q);
    answer->ms *= factor;
    answer->low_ms *= factor;
    answer->high_ms *= factor;
}

/* Kernels of these are far from what rates allow where both are known (chosen_bare_high): an answer
 * from rates alone is the least that it may be. */
static bool is_bare(const call *c, size_t i) {
    const habitat_work *work = c->questions[i].work;
    if (!c->plug->asks_models)
        return false;
    if (work->dtype == HABITAT_DTYPE_FP64 && operator_is_function(work))
        return true; /* no GPU has units of it: dozens of instructions */
    return !c->answers[i].covered && !told(c, i) &&
           (work->op_class == HABITAT_CLASS_CONV || work->op_class == HABITAT_CLASS_ATTENTION ||
            work->op_class == HABITAT_CLASS_RNN);
}

static habitat_status widen_bare(call *c, size_t i, method_answer *answer, habitat_error *err) {
    char text[OUTSIDE_BYTES];
    const habitat_model_query *given = &c->given[i];
    habitat_dtype dtype = given->arithmetic ? given->arithmetic : given->work->dtype;
    answer->low_ms = fmax(answer->ms / (1.0 + chosen_default_width_across),
                          least_ms(&c->questions[i], answer->ms));
    answer->high_ms = answer->ms * chosen_bare_high;
    habitat_format(text, sizeof text,
                   "no model knows %s in %s there: the time is what rates and launches allow, and "
                   "libraries may take several times as long",
                   habitat_class_name(given->work->op_class), habitat_dtype_name(dtype));
    return c->notes[i] ? HABITAT_OK : keep(c->arena, text, &c->notes[i], err);
}

/* Operation i after the models were asked. */
static habitat_status answer_one(call *c, size_t i, habitat_operation_estimate *out,
                                 habitat_error *err) {
    habitat_error why = {0};
    const method_question *q = &c->questions[i];
    const habitat_operator_answer *found = &c->answers[i];
    method_answer answer = {found->ms, found->low_ms, found->high_ms, found->method};
    *out = (habitat_operation_estimate){
        .estimate = {
            .ms = NAN, .low_ms = NAN, .high_ms = NAN, .origin_ms = NAN, .method = c->by->method}};
    habitat_status status = check_one(c, i, &why);
    if (status == HABITAT_OK && !found->covered)
        status = c->plug->operation && !c->by->models_only ? c->plug->operation(q, &answer, &why)
                                                           : no_model(c, i, &why);
    if (status != HABITAT_OK)
        return refuse(c->arena, &why, out, err);
    if (found->covered) {
        no_faster_than_places(c->plug, q, &answer);
        as_trained(c, i, &answer);
    }
    if (is_bare(c, i))
        status = widen_bare(c, i, &answer, err);
    if (status != HABITAT_OK)
        return status;
    double folded = c->folded[i];
    answer.high_ms *= folded > 0.0 ? folded : 1.0;
    accept(c->by, q, &answer, c->notes[i] || folded > 0.0 || found->guessed || found->outside.size,
           out);
    return add_notes(q, &found->outside, c->notes[i], c->arena, out, err);
}

/* Models know products and convolutions alone. Wall clocks of whole sessions have the bias in them,
 * and so have models of a caller's. */
static habitat_status add_bias(call *c, size_t i, habitat_operation_estimate *out,
                               habitat_error *err) {
    habitat_work work;
    habitat_operation_estimate bias = {0};
    const habitat_model_query *given = &c->given[i];
    bool beside = asks_auto(c->plug) && !c->by->models_only && !c->by->part;
    if (!beside || out->status != HABITAT_OK || given->timing == HABITAT_TIMING_SESSION ||
        !bias_beside(given->work, &work))
        return HABITAT_OK;
    habitat_model_query question = {.work = &work};
    habitat_status status = operations_predict(c->by, c->gpu, 1, &question, c->arena, &bias, err);
    if (status == HABITAT_OK && bias.status == HABITAT_OK) {
        out->estimate.ms += bias.estimate.ms;
        out->estimate.low_ms += bias.estimate.low_ms;
        out->estimate.high_ms += bias.estimate.high_ms;
    }
    return status;
}

static void close_call(call *c) {
    free(c->questions);
    free(c->queries);
    free(c->answers);
    free(c->notes);
    free(c->folded);
}

/* Makes the arrays. HABITAT_E_MEMORY; to be closed all the same. */
static habitat_status open_call(call *c, habitat_error *err) {
    c->questions = calloc(c->n + 1, sizeof *c->questions);
    c->queries = calloc(c->n + 1, sizeof *c->queries);
    c->answers = calloc(c->n + 1, sizeof *c->answers);
    c->notes = calloc(c->n + 1, sizeof *c->notes);
    c->folded = calloc(c->n + 1, sizeof *c->folded);
    return c->questions && c->queries && c->answers && c->notes && c->folded
               ? HABITAT_OK
               : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

/* As the framework runs operation i, which may be of other sizes or formats than the caller's. */
static habitat_status put_question(call *c, size_t i, habitat_error *err) {
    c->questions[i] = operation_question(&c->given[i], c->gpu, c->plug->sustained);
    c->queries[i] = c->given[i];
    habitat_status status = pad(c, i, err);
    if (status == HABITAT_OK)
        status = fold(c, i, err);
    if (status == HABITAT_OK)
        status = widen_attention(c, i, err);
    return status == HABITAT_OK ? widen_heads(c, i, err) : status;
}

habitat_status operations_predict(const operations_by *by, const habitat_gpu *gpu, size_t n,
                                  const habitat_model_query *questions, habitat_arena *arena,
                                  habitat_operation_estimate *out, habitat_error *err) {
    call c = {.by = by, .gpu = gpu, .arena = arena, .n = n, .given = questions};
    c.plug = method_of(by->method);
    habitat_status status = check(by, c.plug, err);
    if (status != HABITAT_OK)
        return status;
    status = open_call(&c, err);
    for (size_t i = 0; status == HABITAT_OK && i < n; i++)
        status = put_question(&c, i, err);
    if (status == HABITAT_OK)
        status = ask_models(&c, err);
    for (size_t i = 0; status == HABITAT_OK && i < n; i++) {
        status = answer_one(&c, i, &out[i], err);
        if (status == HABITAT_OK)
            status = add_bias(&c, i, &out[i], err);
    }
    close_call(&c);
    return status;
}
