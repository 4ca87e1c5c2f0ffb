/* The one place where an operation without a measurement gets its time; see operations.h. */
#include "predict/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "gpu/gpu.h"
#include "base/apart.h"
#include "base/constants.h"
#include "base/error.h"
#include "predict/attentions.h"
#include "predict/batch_norms.h"
#include "predict/bias.h"
#include "predict/estimate.h"
#include "predict/films.h"
#include "predict/method.h"
#include "predict/operator_model.h"
#include "formula/rates.h"
#include "operator/operator.h"
#include "predict/images.h"
#include "predict/padded.h"
#include "predict/scaling.h"
#include "predict/usual.h"
#include "work/class.h"

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
static habitat_status check_one(const operations_by *by, const method_plug *plug,
                                const habitat_gpu *gpu, const habitat_model_query *question,
                                habitat_error *err) {
    const habitat_work *work = question->work;
    habitat_dtype arithmetic = question->arithmetic ? question->arithmetic : work->dtype;
    if (!work->known || !formula_known(work->flop) ||
        !formula_known(work->read_bytes + work->write_bytes))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "flop and bytes of this operation are unknown");
    if (!by->part && lacks_rate(work->op_class, arithmetic))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "no GPU's rate of %s in %s is known, and nobody measured it",
                            habitat_class_name(work->op_class), habitat_dtype_name(arithmetic));
    if (habitat_class_is_product(work->op_class) && habitat_rate_unlisted(gpu, arithmetic))
        return habitat_fail(
            err, HABITAT_E_NO_SPEC,
            "no rate of %s is listed of %s, which has units of it; a GPU file can give it",
            habitat_dtype_name(arithmetic), gpu->name);
    return plug->covers && !plug->covers(work) ? scales_time(by, plug, err) : HABITAT_OK;
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
    double held = habitat_arithmetic_rate(q->gpu, q->arithmetic, product, true, NULL, NULL);
    return fmin(ms, operator_least_ms(q->work, q->gpu, q->arithmetic, fmax(peak, held)));
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
        .bound = estimate_bound(q->gpu, q->work->flop, single_bytes(q), q->rates, answer->ms),
    };
}

static habitat_status no_model(const operations_by *by, const method_plug *plug,
                               const habitat_gpu *gpu, const habitat_model_query *question,
                               habitat_error *why) {
    habitat_dtype dtype = question->arithmetic ? question->arithmetic : question->work->dtype;
    bool own = plug->models != HABITAT_MODEL_AUTO; /* the method's, not to be chosen by a caller */
    const char *who = by->models_name                     ? by->models_name
                      : own                               ? habitat_method_name(plug->marked)
                      : by->use == HABITAT_MODEL_TRANSFER ? "built-in transfer models"
                                                          : "built-in models";
    return habitat_fail(why, HABITAT_E_UNSUPPORTED, "%s%s: no model for %s in %s on %s",
                        own && !by->models_name ? "method " : "", who,
                        habitat_class_name(question->work->op_class), habitat_dtype_name(dtype),
                        gpu->name);
}

/* Room for one call. */
typedef struct asked {
    method_question *questions;       /* shape (n) */
    habitat_model_query *queries;     /* shape (n) */
    habitat_operator_answer *answers; /* shape (n) */
    const char **padded;              /* shape (n): NULL, or how it was padded */
    double *folded; /* shape (n): of a convolution of lines or films, asked as of images, how many
                       times longer it may be than the models' interval says; 0: it is neither */
} asked;

static habitat_status keep_work(asked *a, size_t i, const habitat_work *work, habitat_arena *arena,
                                habitat_error *err) {
    habitat_work *kept = habitat_arena_alloc(arena, sizeof *kept);
    if (!kept)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *kept = *work;
    a->questions[i].work = a->queries[i].work = kept;
    return HABITAT_OK;
}

/* Kernels that shapes tell and no built-in model knows. */
static bool told(const operations_by *by, const method_plug *plug, const method_question *q) {
    return plug->operation && !by->models_only && !by->models_name &&
           (batch_norms_told(q->work, q->gpu) ||
            (plug->models == HABITAT_MODEL_AUTO && plug->asks_models &&
             films_told(q->work, q->arithmetic, q->gpu)));
}

/* Frameworks run a convolution along a line as one of images a pixel high, by the same kernels. Of
 * films' gradients on plain units the library has slow ones alone. */
static habitat_status fold(const operations_by *by, const method_plug *plug, asked *a, size_t i,
                           habitat_arena *arena, habitat_error *err) {
    habitat_work images;
    const habitat_work *work = a->questions[i].work;
    if (told(by, plug, &a->questions[i]))
        return HABITAT_OK;
    bool film = images_of_film(work, &images);
    if (!film && !images_of_line(work, &images))
        return HABITAT_OK;
    bool slow = film && work->pass != HABITAT_PASS_FORWARD &&
                a->questions[i].arithmetic == HABITAT_DTYPE_FP32;
    a->folded[i] = slow ? fitted_film_gradient_factor : 1.0;
    return keep_work(a, i, &images, arena, err);
}

/* A product that runs padded is asked so, of models and rules alike. */
static habitat_status pad(asked *a, size_t i, habitat_arena *arena, habitat_error *err) {
    char note[OUTSIDE_BYTES];
    habitat_work padded;
    if (!padded_product(a->questions[i].work, a->questions[i].arithmetic, &padded, note,
                        sizeof note))
        return HABITAT_OK;
    habitat_status status = keep_work(a, i, &padded, arena, err);
    return status == HABITAT_OK ? keep(arena, note, &a->padded[i], err) : status;
}

/* Attention in fp8 on a GPU without such units is computed in 16 bit, where its models are;
 * products are asked by the format that they are computed in anyway. */
static habitat_status widen_attention(asked *a, size_t i, habitat_arena *arena,
                                      habitat_error *err) {
    const habitat_work *work = a->questions[i].work;
    habitat_dtype arithmetic = a->questions[i].arithmetic;
    habitat_work wide;
    if (work->op_class != HABITAT_CLASS_ATTENTION || work->dtype != HABITAT_DTYPE_FP8 ||
        habitat_dtype_bytes(arithmetic) != 2 ||
        habitat_work_attention(&work->shape.attention, arithmetic, work->pass, &wide) != HABITAT_OK)
        return HABITAT_OK;
    return keep_work(a, i, &wide, arena, err);
}

/* Heads that a kernel computes wider than they are, asked so of the models. */
static habitat_status widen_heads(const operations_by *by, const method_plug *plug, asked *a,
                                  size_t i, habitat_arena *arena, habitat_error *err) {
    habitat_work wide;
    bool own = plug->models == HABITAT_MODEL_AUTO && plug->asks_models && !by->models_name;
    if (!own || !attentions_padded(a->questions[i].work, &wide))
        return HABITAT_OK;
    return keep_work(a, i, &wide, arena, err);
}

/* Without a measurement to scale the models are the best there is, of any vendor's GPU:
 * docs/decisions/0400. */
static habitat_status ask_models(const operations_by *by, const method_plug *plug,
                                 const habitat_gpu *gpu, size_t n, asked *a, habitat_error *err) {
    habitat_model_use use = plug->models == HABITAT_MODEL_AUTO ? by->use : plug->models;
    if (!plug->asks_models || !by->models)
        return HABITAT_OK;
    for (size_t i = 0; i < n; i++) {
        a->queries[i].work = a->questions[i].work;
        a->queries[i].arithmetic = a->questions[i].arithmetic;
    }
    habitat_status status = operator_models_ask(by->models, use, method_marked(use), gpu, n,
                                                a->queries, a->answers, err);
    bool rule = plug->operation && !by->models_only;
    for (size_t i = 0; status == HABITAT_OK && i < n; i++)
        if (told(by, plug, &a->questions[i])) /* models know other kernels */
            a->answers[i] = (habitat_operator_answer){0};
    return status == HABITAT_E_UNSUPPORTED && rule ? HABITAT_OK : status;
}

/* Models know operands in order: where places are worked out one by one, that takes its time. */
static void no_faster_than_places(const method_plug *plug, const method_question *q,
                                  method_answer *answer) {
    double places_s = plug->models == HABITAT_MODEL_AUTO ? usual_places_s(q->work, q->gpu) : 0;
    double least = (places_s + scaling_kernel_floor_ns(q->gpu) * 1e-9) * 1e3;
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
static void as_trained(const operations_by *by, const method_plug *plug,
                       const habitat_model_query *question, const method_question *q,
                       method_answer *answer) {
    bool kernel =
        question->timing == HABITAT_TIMING_KERNEL || question->timing == HABITAT_TIMING_GRAPH;
    if (plug->models != HABITAT_MODEL_AUTO || by->models_only || by->models_name || !kernel ||
        !(answer->ms > 0))
        return;
    double factor = attentions_factor(q->work, q->gpu, answer->ms * 1e-3) * alone_share(by, q);
    answer->ms *= factor;
    answer->low_ms *= factor;
    answer->high_ms *= factor;
}

/* Kernels of these are far from what rates allow where both are known (chosen_bare_high): an answer
 * from rates alone is the least that it may be. */
static bool is_bare(const method_plug *plug, const habitat_operator_answer *found,
                    const habitat_work *work, bool is_told) {
    if (plug->asks_models && work->dtype == HABITAT_DTYPE_FP64 && operator_is_function(work))
        return true; /* no GPU has units of it: dozens of instructions */
    return plug->asks_models && !found->covered && !is_told &&
           (work->op_class == HABITAT_CLASS_CONV || work->op_class == HABITAT_CLASS_ATTENTION ||
            work->op_class == HABITAT_CLASS_RNN);
}

static habitat_status widen_bare(const habitat_model_query *question, const method_question *q,
                                 habitat_arena *arena, method_answer *answer, const char **note,
                                 habitat_error *err) {
    char text[OUTSIDE_BYTES];
    habitat_dtype dtype = question->arithmetic ? question->arithmetic : question->work->dtype;
    answer->low_ms =
        fmax(answer->ms / (1.0 + chosen_default_width_across), least_ms(q, answer->ms));
    answer->high_ms = answer->ms * chosen_bare_high;
    habitat_format(text, sizeof text,
                   "no model knows %s in %s there: the time is what rates and launches allow, and "
                   "libraries may take several times as long",
                   habitat_class_name(question->work->op_class), habitat_dtype_name(dtype));
    return *note ? HABITAT_OK : keep(arena, text, note, err);
}

/* One operation after the models were asked. */
static habitat_status answer_one(const operations_by *by, const method_plug *plug,
                                 const habitat_model_query *question, const method_question *q,
                                 const habitat_operator_answer *found, const char *padded,
                                 double folded, habitat_arena *arena,
                                 habitat_operation_estimate *out, habitat_error *err) {
    habitat_error why = {0};
    method_answer answer = {found->ms, found->low_ms, found->high_ms, found->method};
    *out = (habitat_operation_estimate){
        .estimate = {
            .ms = NAN, .low_ms = NAN, .high_ms = NAN, .origin_ms = NAN, .method = by->method}};
    habitat_status status = check_one(by, plug, q->gpu, question, &why);
    if (status == HABITAT_OK && !found->covered)
        status = plug->operation && !by->models_only ? plug->operation(q, &answer, &why)
                                                     : no_model(by, plug, q->gpu, question, &why);
    if (status != HABITAT_OK)
        return refuse(arena, &why, out, err);
    if (found->covered)
        no_faster_than_places(plug, q, &answer);
    if (found->covered)
        as_trained(by, plug, question, q, &answer);
    bool bare = is_bare(plug, found, q->work, told(by, plug, q));
    if (bare && widen_bare(question, q, arena, &answer, &padded, err) != HABITAT_OK)
        return err->code;
    answer.high_ms *= folded > 0.0 ? folded : 1.0;
    accept(by, q, &answer, padded || folded > 0.0 || found->guessed || found->outside.size, out);
    return add_notes(q, &found->outside, padded, arena, out, err);
}

/* Models know products and convolutions alone. Wall clocks of whole sessions have the bias in them,
 * and so have models of a caller's. */
static habitat_status add_bias(const operations_by *by, const habitat_gpu *gpu,
                               const habitat_model_query *asked_of, habitat_arena *arena,
                               habitat_operation_estimate *out, habitat_error *err) {
    habitat_work work;
    habitat_operation_estimate bias = {0};
    bool told = method_of(by->method)->models == HABITAT_MODEL_AUTO &&
                method_of(by->method)->asks_models && !by->models_only && !by->part;
    if (!told || out->status != HABITAT_OK || asked_of->timing == HABITAT_TIMING_SESSION ||
        !bias_beside(asked_of->work, &work))
        return HABITAT_OK;
    habitat_model_query question = {.work = &work};
    habitat_status status = operations_predict(by, gpu, 1, &question, arena, &bias, err);
    if (status == HABITAT_OK && bias.status == HABITAT_OK) {
        out->estimate.ms += bias.estimate.ms;
        out->estimate.low_ms += bias.estimate.low_ms;
        out->estimate.high_ms += bias.estimate.high_ms;
    }
    return status;
}

habitat_status operations_predict(const operations_by *by, const habitat_gpu *gpu, size_t n,
                                  const habitat_model_query *questions, habitat_arena *arena,
                                  habitat_operation_estimate *out, habitat_error *err) {
    const method_plug *plug = method_of(by->method);
    habitat_status status = check(by, plug, err);
    if (status != HABITAT_OK)
        return status;
    asked a = {calloc(n + 1, sizeof *a.questions), calloc(n + 1, sizeof *a.queries),
               calloc(n + 1, sizeof *a.answers), calloc(n + 1, sizeof *a.padded),
               calloc(n + 1, sizeof *a.folded)};
    if (!a.questions || !a.queries || !a.answers || !a.padded || !a.folded)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < n; i++) {
        a.questions[i] = single_question(&questions[i], gpu, plug->sustained);
        a.queries[i] = questions[i];
        status = pad(&a, i, arena, err);
        if (status == HABITAT_OK)
            status = fold(by, plug, &a, i, arena, err);
        if (status == HABITAT_OK && plug->asks_models)
            status = widen_attention(&a, i, arena, err);
        if (status == HABITAT_OK)
            status = widen_heads(by, plug, &a, i, arena, err);
    }
    if (status == HABITAT_OK)
        status = ask_models(by, plug, gpu, n, &a, err);
    for (size_t i = 0; status == HABITAT_OK && i < n; i++) {
        status = answer_one(by, plug, &questions[i], &a.questions[i], &a.answers[i], a.padded[i],
                            a.folded[i], arena, &out[i], err);
        if (status == HABITAT_OK)
            status = add_bias(by, gpu, &questions[i], arena, &out[i], err);
    }
    free(a.questions);
    free(a.queries);
    free(a.answers);
    free(a.padded);
    free(a.folded);
    return status;
}
