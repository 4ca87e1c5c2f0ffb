/* The paper's four perceptrons (section 4.3): which operations they cover, what they look at, and
 * their answers. Inputs are parameters of the operation, then memory size, bandwidth, SM count and
 * peak rate of the GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_operators.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "models/learned.h"

static const struct {
    const char *name;
    size_t inputs; /* without those of the GPU */
    /* Sizes that are inputs, as log2(size + 1); NULL: another input, or a stride, which the sizes
     * of image and result tell. */
    const char *sizes[PAPER_INPUTS_MAX - PAPER_GPU_INPUTS];
} papers[PAPER_CLASSES] = {
    [PAPER_CONV2D] = {"conv2d",
                      13,
                      {"batch", "in_channels", "out_channels", "kernel", "height", "output height",
                       NULL, "kernel", "width", "output width"}},
    [PAPER_LINEAR] = {"linear", 4, {NULL, "m", "n", "k"}},
    [PAPER_BMM] = {"bmm", 4, {"b", "m", "n", "k"}},
    [PAPER_LSTM] = {"lstm", 7, {"batch", "input", "hidden", "steps"}},
};

const char *paper_class_name(paper_class c) {
    return papers[c].name;
}

size_t paper_input_count(paper_class c) {
    return papers[c].inputs + PAPER_GPU_INPUTS;
}

static paper_class conv_class(const habitat_conv_shape *s) {
    bool plain = s->dims == 2 && s->groups <= 1;
    for (uint32_t i = 0; plain && i < 2; i++)
        plain = s->dilation[i] == 1;
    return plain ? PAPER_CONV2D : PAPER_CLASSES;
}

paper_class paper_class_of(const habitat_model_query *query) {
    const habitat_work *w = query->work;
    if (!w->known || w->dtype != HABITAT_DTYPE_FP32 ||
        operator_arithmetic(query) != HABITAT_DTYPE_FP32)
        return PAPER_CLASSES;
    switch (w->op_class) {
    case HABITAT_CLASS_GEMM:
        return PAPER_LINEAR;
    case HABITAT_CLASS_BMM:
        return PAPER_BMM;
    case HABITAT_CLASS_CONV:
        return conv_class(&w->shape.conv);
    case HABITAT_CLASS_RNN:
        return w->shape.rnn.gates == 4 ? PAPER_LSTM : PAPER_CLASSES;
    default:
        return PAPER_CLASSES;
    }
}

static float in_log(double value) {
    return (float)log2(value + 1);
}

/* A transposed convolution is the gradient of a convolution's input, and the other way round: the
 * same product with input and output exchanged. */
static habitat_conv_shape untransposed(const habitat_conv_shape *given, habitat_pass *pass) {
    habitat_conv_shape s = *given;
    if (!s.transposed)
        return s;
    s.transposed = false;
    s.c_in = given->c_out;
    s.c_out = given->c_in;
    memcpy(s.in, given->out, sizeof s.in);
    memcpy(s.out, given->in, sizeof s.out);
    if (*pass == HABITAT_PASS_FORWARD)
        *pass = HABITAT_PASS_BACKWARD_INPUT;
    else if (*pass == HABITAT_PASS_BACKWARD_INPUT)
        *pass = HABITAT_PASS_FORWARD;
    return s;
}

static float *conv_inputs(const habitat_conv_shape *given, habitat_pass pass, float *x) {
    habitat_conv_shape s = untransposed(given, &pass);
    *x++ = in_log(s.batch);
    *x++ = in_log(s.c_in);
    *x++ = in_log(s.c_out);
    for (int i = 0; i < 2; i++) {
        *x++ = in_log(s.kernel[i]);
        *x++ = in_log(s.in[i]);
        *x++ = in_log(s.out[i]);
        *x++ = in_log(s.stride[i]);
    }
    *x++ = pass == HABITAT_PASS_BACKWARD_INPUT;
    *x++ = pass == HABITAT_PASS_BACKWARD_WEIGHT;
    return x;
}

static float *lstm_inputs(const habitat_rnn_shape *s, habitat_pass pass, float *x) {
    *x++ = in_log(s->batch);
    *x++ = in_log(s->input);
    *x++ = in_log(s->hidden);
    *x++ = in_log(s->steps);
    *x++ = (float)s->layers;
    *x++ = s->bidirectional;
    *x++ = pass != HABITAT_PASS_FORWARD;
    return x;
}

static float *product_inputs(const habitat_gemm_shape *s, paper_class c, float *x) {
    *x++ = c == PAPER_BMM ? in_log(s->b) : s->bias;
    *x++ = in_log(s->m);
    *x++ = in_log(s->n);
    *x++ = in_log(s->k);
    return x;
}

bool paper_inputs(const habitat_work *work, habitat_pass pass, paper_class c,
                  const habitat_gpu *gpu, float *x) {
    if (c == PAPER_CONV2D)
        x = conv_inputs(&work->shape.conv, pass, x);
    else if (c == PAPER_LSTM)
        x = lstm_inputs(&work->shape.rnn, pass, x);
    else
        x = product_inputs(&work->shape.gemm, c, x);
    if (gpu->vendor && strcmp(gpu->vendor, "NVIDIA") != 0)
        return false; /* trained on one vendor's libraries */
    const double facts[PAPER_GPU_INPUTS] = {gpu->memory_sold_bytes / 1e9,
                                            gpu->memory_bandwidth_bytes_per_s / 1e9, gpu->sm_count,
                                            gpu->peak.plain_flop_per_s[HABITAT_DTYPE_FP32] / 1e12};
    for (int i = 0; i < PAPER_GPU_INPUTS; i++) {
        if (!(isfinite(facts[i]) && facts[i] > 0))
            return false;
        *x++ = (float)log2(facts[i]);
    }
    return true;
}

/* A network sees no size beyond what it clips: there its answer stands still. */
static habitat_outside outside_of(const perceptron *net, paper_class c, const float *x) {
    habitat_outside found = {.value = NAN, .edge = NAN};
    for (size_t i = 0; i < papers[c].inputs; i++) {
        double z = ((double)x[i] - (double)net->mean[i]) * (double)net->scale[i];
        double clip = copysign((double)net->clip, z);
        if (!papers[c].sizes[i] || fabs(z) <= (double)net->clip)
            continue;
        double value = exp2((double)x[i]) - 1;
        double edge = fmax(exp2((double)net->mean[i] + clip / (double)net->scale[i]) - 1, 1);
        double distance = fabs(log(value / edge)) - log(chosen_far_margin);
        if (distance > found.distance)
            found = (habitat_outside){papers[c].sizes[i], value, edge, distance};
    }
    return found;
}

/* false: the GPU lists no rate that the operation needs. A network's answer
 * stands still beyond its clip: nothing of such a correction is kept. */
static bool bounds_of(const habitat_model_query *query, const habitat_gpu *gpu, far_bounds *out) {
    operator_class c = operator_class_of(query);
    operator_gpu facts;
    operator_view view;
    if (c == OPERATOR_NONE || !operator_gpu_facts(gpu, c, operator_arithmetic(query), &facts))
        return false;
    operator_look(query, c, &facts, &view);
    *out = (far_bounds){view.far_ms, view.empty_ms, operator_least_memory_ms(query->work, gpu), 1};
    return view.far_ms > 0;
}

/* ---- answers ---- */

/* Rows of one perceptron, for all operations and GPUs of a call. */
typedef struct batch {
    float *x;       /* shape (rows, inputs) */
    size_t *place;  /* shape (rows): which answer a row adds to */
    double *log_ms; /* shape (rows) */
    size_t rows;
} batch;

/* All gradients of a convolution in one call: those of the input and of the weight, one after the
 * other, as they were measured. Other operations are one row. */
static size_t passes_of(const habitat_work *work, habitat_pass passes[2]) {
    passes[0] = work->pass;
    if (work->op_class != HABITAT_CLASS_CONV || work->pass != HABITAT_PASS_BACKWARD)
        return 1;
    passes[0] = HABITAT_PASS_BACKWARD_INPUT;
    passes[1] = HABITAT_PASS_BACKWARD_WEIGHT;
    return 2;
}

/* The rows of one class: each query that is the first of its kind, of each GPU. */
static void fill(batch *b, paper_class c, const model_questions *q) {
    size_t inputs = paper_input_count(c);
    b->rows = 0;
    for (size_t i = 0; i < q->n; i++) {
        if (q->first[i] != i || paper_class_of(&q->queries[i]) != c)
            continue;
        habitat_pass passes[2];
        const habitat_work *work = q->queries[i].work;
        size_t count = passes_of(work, passes);
        for (size_t g = 0; g < q->gpu_count; g++)
            for (size_t p = 0; p < count; p++)
                if (paper_inputs(work, passes[p], c, q->gpus[g], b->x + b->rows * inputs))
                    b->place[b->rows++] = g * q->n + i;
    }
}

/* Answers for sizes outside, after all rows were added up. */
static void fade(const operator_model *model, const batch *b, const model_questions *q,
                 habitat_model_estimate *out) {
    for (size_t r = 0; r < b->rows; r++) {
        habitat_outside outside =
            outside_of(&model->net, (paper_class)model->class_number, b->x + r * model->net.inputs);
        size_t place = b->place[r];
        if (!outside.size || out[place].outside.size)
            continue;
        const habitat_model_query *query = &q->queries[place % q->n];
        far_bounds bounds;
        if (bounds_of(query, q->gpus[place / q->n], &bounds))
            far_fade(&outside, &bounds, &out[place]);
    }
}

static void answer(const operator_model *model, batch *b, const model_questions *q, float *scratch,
                   habitat_model_estimate *out) {
    perceptron_predict_rows(&model->net, b->x, b->rows, b->log_ms, scratch);
    for (size_t r = 0; r < b->rows; r++) {
        habitat_model_estimate *e = &out[b->place[r]];
        double ms = exp(b->log_ms[r]);
        if (r > 0 && b->place[r - 1] == b->place[r])
            ms += e->ms;
        bool seen = learned_knows(model, q->gpus[b->place[r] / q->n]->name);
        double low = (double)(seen ? model->low : model->low_estimated);
        double high = (double)(seen ? model->high : model->high_estimated);
        bool usable = isfinite(ms) && ms > 0;
        *e = (habitat_model_estimate){.covered = usable,
                                      .seen = seen,
                                      .ms = ms,
                                      .model_ms = ms,
                                      .low_ms = ms * exp(low),
                                      .high_ms = ms * exp(high)};
    }
    fade(model, b, q, out);
}

habitat_status paper_predict(const habitat_models *models, const model_questions *asked,
                             habitat_model_estimate *out, habitat_error *err) {
    size_t n = asked->n, most = 2 * n * asked->gpu_count, scratch_size = 1;
    for (uint32_t i = 0; i < models->count; i++)
        if (models->models[i].use == HABITAT_MODEL_PAPER &&
            perceptron_scratch(&models->models[i].net) > scratch_size)
            scratch_size = perceptron_scratch(&models->models[i].net);
    batch b = {.x = malloc((most + 1) * PAPER_INPUTS_MAX * sizeof *b.x),
               .place = malloc((most + 1) * sizeof *b.place),
               .log_ms = malloc((most + 1) * sizeof *b.log_ms)};
    float *scratch = malloc(scratch_size * sizeof *scratch);
    habitat_status status = HABITAT_OK;
    if (!b.x || !b.place || !b.log_ms || !scratch)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < n * asked->gpu_count; i++)
        out[i] =
            (habitat_model_estimate){.ms = NAN, .model_ms = NAN, .low_ms = NAN, .high_ms = NAN};
    for (int c = 0; status == HABITAT_OK && c < PAPER_CLASSES; c++) {
        const operator_model *model = learned_find(models, (unsigned)c, HABITAT_MODEL_PAPER);
        if (!model)
            continue;
        fill(&b, (paper_class)c, asked);
        answer(model, &b, asked, scratch, out);
    }
    for (size_t g = 0; status == HABITAT_OK && g < asked->gpu_count; g++)
        for (size_t i = 0; i < n; i++)
            out[g * n + i] = out[g * n + asked->first[i]];
    free(b.x);
    free(b.place);
    free(b.log_ms);
    free(scratch);
    return status;
}
