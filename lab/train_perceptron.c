/* Training of perceptrons: backpropagation over batches, AdamW, three losses, validation by shape,
 * early stopping.
 *
 * Matrix products go through OpenBLAS on one thread, everything else sums in a fixed order: equal
 * seeds give equal bits on one kind of processor. OpenBLAS picks its kernels by processor, so that
 * another kind rounds otherwise; docs/mlp.md names the one the shipped perceptrons come from. */
#include "lab/train_perceptron.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/random.h"
#include "lab/train_blas.h"

bool perceptron_validates(uint64_t hash, const perceptron_options *options) {
    random_state r = random_seeded(hash ^ options->seed);
    return random_uniform(&r) < options->validation_share;
}

/* C (m, n) = op(A) op(B) + beta C, all row-major. */
static void product(const train_blas *blas, bool at, bool bt, size_t m, size_t n, size_t k,
                    const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c) {
    enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 }; /* CBLAS's numbers */
    blas->sgemm(ROW_MAJOR, at ? TRANSPOSED : PLAIN, bt ? TRANSPOSED : PLAIN, (int)m, (int)n, (int)k,
                1.0F, a, (int)lda, b, (int)ldb, beta, c, (int)n);
}

/* One layer's place in the parameters. */
typedef struct layer {
    size_t in, out, offset;
} layer;

static layer layer_at(const perceptron *net, uint32_t i) {
    layer at = {net->inputs, net->layers ? net->width : 1, 0};
    for (uint32_t j = 0; j < i; j++) {
        at.offset += (at.in + 1) * at.out;
        at.in = net->width;
        at.out = j + 1 == net->layers ? 1 : net->width;
    }
    return at;
}

static void standardise(const perceptron *net, const float *x, size_t n, float *out) {
    for (size_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < net->inputs; j++) {
            float z = (x[i * net->inputs + j] - net->mean[j]) * net->scale[j];
            out[i * net->inputs + j] = fminf(fmaxf(z, -net->clip), net->clip);
        }
}

/* Activations of every layer, one after another: inputs (n, inputs), hidden (n, width) each, output
 * (n, 1). */
static size_t activation_offset(const perceptron *net, size_t n, uint32_t layer_number) {
    return layer_number == 0 ? 0 : n * (net->inputs + (size_t)(layer_number - 1) * net->width);
}

static size_t activation_size(const perceptron *net, size_t n) {
    return n * (net->inputs + (size_t)net->layers * net->width + 1);
}

/* delta becomes the gradient before the activation whose results are `values`. */
static void deactivate(perceptron_activation activation, const float *values, size_t count,
                       float *delta) {
    if (activation == PERCEPTRON_RELU)
        for (size_t j = 0; j < count; j++)
            delta[j] = values[j] > 0.0F ? delta[j] : 0.0F;
    else
        for (size_t j = 0; j < count; j++)
            delta[j] *= 1.0F - values[j] * values[j];
}

static void forward(const train_blas *blas, const perceptron *net, const float *x, size_t n,
                    float *activations) {
    standardise(net, x, n, activations);
    for (uint32_t i = 0; i <= net->layers; i++) {
        layer at = layer_at(net, i);
        const float *w = net->parameters + at.offset, *bias = w + at.in * at.out;
        float *in = activations + activation_offset(net, n, i);
        float *out = activations + activation_offset(net, n, i + 1);
        for (size_t r = 0; r < n; r++)
            memcpy(out + r * at.out, bias, at.out * sizeof *out);
        product(blas, false, false, n, at.out, at.in, in, at.in, w, at.out, 1.0F, out);
        if (i < net->layers)
            perceptron_activate(net->activation, out, n * at.out);
    }
}

/* Loss of one prediction and its derivative by the predicted log time. */
static double loss_of(perceptron_loss loss, double predicted_log, double time_ms, double *slope) {
    const double huber = 0.3;
    double r = predicted_log - log(time_ms);
    if (loss == PERCEPTRON_MAPE) {
        double e = exp(fmin(r, 20)); /* predicted over measured; finite for wild first guesses */
        *slope = e > 1 ? e : -e;
        return fabs(e - 1);
    }
    if (loss == PERCEPTRON_SQUARED_LOG) {
        *slope = 2 * r;
        return r * r;
    }
    double root = sqrt(1 + r * r / (huber * huber));
    *slope = r / root;
    return huber * huber * (root - 1);
}

/* Gradient of the mean loss; `activations` from forward(), `delta`: 2 * n * max(width, 1). */
static double backward(const train_blas *blas, const perceptron *net, perceptron_loss loss,
                       const float *time_ms, size_t n, const float *activations, float *delta,
                       float *gradient) {
    const float *output = activations + activation_offset(net, n, net->layers + 1);
    size_t width = net->width ? net->width : 1;
    float *d = delta, *next = delta + n * width;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double slope;
        sum += loss_of(loss, (double)output[i], (double)time_ms[i], &slope);
        d[i] = (float)(slope / (double)n);
    }
    for (uint32_t i = net->layers + 1; i-- > 0;) {
        layer at = layer_at(net, i);
        const float *in = activations + activation_offset(net, n, i);
        const float *w = net->parameters + at.offset;
        float *gw = gradient + at.offset, *gb = gw + at.in * at.out;
        product(blas, true, false, at.in, at.out, n, in, at.in, d, at.out, 0.0F, gw);
        memset(gb, 0, at.out * sizeof *gb);
        for (size_t r = 0; r < n; r++)
            for (size_t j = 0; j < at.out; j++)
                gb[j] += d[r * at.out + j];
        if (i == 0)
            break;
        product(blas, false, true, n, at.in, at.out, d, at.out, w, at.out, 0.0F, next);
        deactivate(net->activation, in, n * at.in, next);
        float *swap = d;
        d = next;
        next = swap;
    }
    return sum / (double)n;
}

habitat_status perceptron_room_open(const perceptron *net, size_t batch, perceptron_room *out,
                                    habitat_error *err) {
    size_t width = net->width > net->inputs ? net->width : net->inputs;
    perceptron_room room = {.activations =
                                malloc(activation_size(net, batch) * sizeof *room.activations),
                            .delta = malloc(2 * batch * width * sizeof *room.delta)};
    habitat_status status = room.activations && room.delta
                                ? train_blas_open(&room.blas, err)
                                : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        *out = room;
    else
        perceptron_room_close(&room);
    return status;
}

void perceptron_room_close(perceptron_room *room) {
    train_blas_close(&room->blas);
    free(room->activations);
    free(room->delta);
    *room = (perceptron_room){0};
}

double perceptron_gradient(const perceptron_room *room, const perceptron *net, perceptron_loss loss,
                           const float *x, const float *time_ms, size_t n, float *gradient) {
    forward(&room->blas, net, x, n, room->activations);
    return backward(&room->blas, net, loss, time_ms, n, room->activations, room->delta, gradient);
}

/* ---- The training loop
 * --------------------------------------------------------------------------- */

typedef struct trainer {
    const perceptron_options *options;
    perceptron_room room;
    perceptron net;
    random_state random;
    size_t train_n, valid_n;
    size_t *order;      /* rows to train on, then rows to validate on */
    float *x, *time_ms; /* a batch */
    float *gradient, *m, *v, *best;
    uint64_t step;
} trainer;

static void trainer_free(trainer *t) {
    free(t->order);
    free(t->x);
    free(t->time_ms);
    free(t->gradient);
    free(t->m);
    free(t->v);
    free(t->best);
    perceptron_room_close(&t->room);
}

static bool perceptron_create(perceptron *net, uint32_t inputs, const perceptron_options *options) {
    *net = (perceptron){.inputs = inputs,
                        .layers = options->layers,
                        .width = options->width,
                        .activation = options->activation,
                        .clip = 4};
    net->mean = calloc(inputs, sizeof *net->mean);
    net->scale = calloc(inputs, sizeof *net->scale);
    net->parameters = calloc(perceptron_parameter_count(net), sizeof *net->parameters);
    return net->mean && net->scale && net->parameters;
}

/* He's initialisation for ReLU, Glorot's for tanh. The last layer starts near the mean log time: a
 * first guess far above it would drive the error of MAPE to its trap, predictions of nothing. */
static void initialise(perceptron *net, random_state *random, const perceptron_samples *s) {
    for (uint32_t i = 0; i <= net->layers; i++) {
        layer at = layer_at(net, i);
        double deviation = sqrt((net->activation == PERCEPTRON_RELU ? 2.0 : 1.0) / (double)at.in);
        if (i == net->layers)
            deviation *= 0.1;
        for (size_t j = 0; j < at.in * at.out; j++)
            net->parameters[at.offset + j] = (float)(deviation * random_normal(random));
    }
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += log((double)s->time_ms[i]);
    layer last = layer_at(net, net->layers);
    net->parameters[last.offset + last.in] = (float)(sum / (double)s->n);
}

static void measure_inputs(perceptron *net, const perceptron_samples *s) {
    for (size_t j = 0; j < s->inputs; j++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < s->n; i++)
            sum += (double)s->x[i * s->inputs + j];
        double mean = sum / (double)s->n;
        for (size_t i = 0; i < s->n; i++) {
            double d = (double)s->x[i * s->inputs + j] - mean;
            squares += d * d;
        }
        double deviation = sqrt(squares / (double)s->n);
        net->mean[j] = (float)mean;
        net->scale[j] = deviation > 1e-9 ? (float)(1 / deviation) : 0.0F;
    }
}

static void split_rows(trainer *t, const perceptron_samples *s) {
    size_t front = 0, back = s->n;
    for (size_t i = 0; i < s->n; i++) {
        if (perceptron_validates(s->hash[i], t->options))
            t->order[--back] = i;
        else
            t->order[front++] = i;
    }
    t->train_n = front;
    t->valid_n = s->n - front;
}

static void take(trainer *t, const perceptron_samples *s, const size_t *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        memcpy(t->x + i * s->inputs, s->x + rows[i] * s->inputs, s->inputs * sizeof *t->x);
        t->time_ms[i] = s->time_ms[rows[i]];
    }
}

static void adam(trainer *t, double rate) {
    const double b1 = 0.9, b2 = 0.999;
    size_t count = perceptron_parameter_count(&t->net);
    t->step++;
    double c1 = 1 - pow(b1, (double)t->step), c2 = 1 - pow(b2, (double)t->step);
    for (size_t i = 0; i < count; i++) {
        double g = (double)t->gradient[i];
        double m = b1 * (double)t->m[i] + (1 - b1) * g;
        double v = b2 * (double)t->v[i] + (1 - b2) * g * g;
        t->m[i] = (float)m;
        t->v[i] = (float)v;
        double p = (double)t->net.parameters[i];
        p -= rate * (m / c1 / (sqrt(v / c2) + 1e-8) + t->options->weight_decay * p);
        t->net.parameters[i] = (float)p;
    }
}

/* Steps of bounded length: a batch that holds one absurd guess must not throw the weights away. */
static void clip_gradient(float *gradient, size_t count) {
    const double longest = 5.0;
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (double)gradient[i] * (double)gradient[i];
    double length = sqrt(squares);
    if (length <= longest)
        return;
    float factor = isfinite(length) ? (float)(longest / length) : 0.0F;
    for (size_t i = 0; i < count; i++)
        gradient[i] = factor == 0.0F ? 0.0F : gradient[i] * factor;
}

/* Rises over the first twentieth of the steps, then falls as half a cosine. */
static double rate_of(const trainer *t) {
    size_t batch = t->options->batch, batches = (t->train_n + batch - 1) / batch;
    double total = (double)batches * (double)t->options->epochs;
    double share = (double)t->step / total;
    double rise = fmin((double)(t->step + 1) / fmax(0.05 * total, 1), 1);
    return t->options->learning_rate * rise * 0.5 * (1 + cos(3.141592653589793 * share));
}

static void run_epoch(trainer *t, const perceptron_samples *s) {
    for (size_t i = t->train_n; i > 1; i--) {
        size_t j = random_below(&t->random, i), swap = t->order[i - 1];
        t->order[i - 1] = t->order[j];
        t->order[j] = swap;
    }
    size_t batch = t->options->batch;
    for (size_t at = 0; at < t->train_n; at += batch) {
        size_t n = t->train_n - at < batch ? t->train_n - at : batch;
        take(t, s, t->order + at, n);
        perceptron_gradient(&t->room, &t->net, t->options->loss, t->x, t->time_ms, n, t->gradient);
        clip_gradient(t->gradient, perceptron_parameter_count(&t->net));
        adam(t, rate_of(t));
    }
}

static double validate(trainer *t, const perceptron_samples *s) {
    const size_t *rows = t->valid_n ? t->order + t->train_n : t->order;
    size_t total = t->valid_n ? t->valid_n : t->train_n, batch = t->options->batch;
    double sum = 0;
    for (size_t at = 0; at < total; at += batch) {
        size_t n = total - at < batch ? total - at : batch;
        take(t, s, rows + at, n);
        forward(&t->room.blas, &t->net, t->x, n, t->room.activations);
        const float *out = t->room.activations + activation_offset(&t->net, n, t->net.layers + 1);
        double slope;
        for (size_t i = 0; i < n; i++)
            sum += loss_of(t->options->loss, (double)out[i], (double)t->time_ms[i], &slope);
    }
    return sum / (double)total;
}

static habitat_status trainer_prepare(trainer *t, const perceptron_samples *s,
                                      const perceptron_options *options, habitat_error *err) {
    t->options = options;
    t->random = random_seeded(options->seed);
    if (!perceptron_create(&t->net, (uint32_t)s->inputs, options))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    size_t count = perceptron_parameter_count(&t->net), batch = options->batch;
    t->order = malloc(s->n * sizeof *t->order);
    t->x = malloc(batch * s->inputs * sizeof *t->x);
    t->time_ms = malloc(batch * sizeof *t->time_ms);
    t->gradient = calloc(count, sizeof *t->gradient);
    t->m = calloc(count, sizeof *t->m);
    t->v = calloc(count, sizeof *t->v);
    t->best = malloc(count * sizeof *t->best);
    if (!t->order || !t->x || !t->time_ms || !t->gradient || !t->m || !t->v || !t->best)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    return perceptron_room_open(&t->net, batch, &t->room, err);
}

static habitat_status check_samples(const perceptron_samples *s, const perceptron_options *options,
                                    habitat_error *err) {
    if (!s || !options || s->n == 0 || s->inputs == 0)
        return habitat_fail(err, HABITAT_E_ARG, "no rows to train a perceptron on");
    if (options->layers == 0 || options->layers > PERCEPTRON_LAYERS_MAX || options->width == 0 ||
        options->width > PERCEPTRON_WIDTH_MAX || options->batch == 0 ||
        !(options->learning_rate > 0) || !(options->weight_decay >= 0) ||
        !(options->validation_share >= 0 && options->validation_share < 1))
        return habitat_fail(err, HABITAT_E_ARG,
                            "a perceptron of %u layers of %u, batches of %u: 1 to %d layers, 1 to "
                            "%d wide, can be trained",
                            options->layers, options->width, options->batch, PERCEPTRON_LAYERS_MAX,
                            PERCEPTRON_WIDTH_MAX);
    for (size_t i = 0; i < s->n; i++) {
        if (!(s->time_ms[i] > 0) || !isfinite(s->time_ms[i]))
            return habitat_fail(err, HABITAT_E_RANGE,
                                "row %zu has a time of %g ms; remove it: the logarithm is learned",
                                i, (double)s->time_ms[i]);
        for (size_t j = 0; j < s->inputs; j++)
            if (!isfinite(s->x[i * s->inputs + j]))
                return habitat_fail(err, HABITAT_E_RANGE,
                                    "input %zu of row %zu is not a number; remove the row", j, i);
    }
    return HABITAT_OK;
}

/* Trains t->net; leaves it at the epoch of the best validation. Returns its loss. */
static double run_epochs(trainer *t, const perceptron_samples *s) {
    const perceptron_options *options = t->options;
    measure_inputs(&t->net, s);
    initialise(&t->net, &t->random, s);
    split_rows(t, s);
    size_t bytes = perceptron_parameter_count(&t->net) * sizeof *t->best;
    memcpy(t->best, t->net.parameters, bytes);
    double best = validate(t, s);
    uint32_t since = 0;
    for (uint32_t e = 0; e < options->epochs; e++) {
        run_epoch(t, s);
        double loss = validate(t, s);
        since++;
        if (loss < best) {
            best = loss;
            since = 0;
            memcpy(t->best, t->net.parameters, bytes);
        }
        if (options->patience && since >= options->patience)
            break;
    }
    memcpy(t->net.parameters, t->best, bytes);
    return best;
}

habitat_status perceptron_train(const perceptron_samples *s, const perceptron_options *options,
                                perceptron *out, double *validation_loss, habitat_error *err) {
    habitat_status status = check_samples(s, options, err);
    if (status != HABITAT_OK)
        return status;
    trainer t = {0};
    double best = INFINITY;
    status = trainer_prepare(&t, s, options, err);
    if (status == HABITAT_OK) {
        best = run_epochs(&t, s);
        if (!isfinite(best))
            status = habitat_fail(err, HABITAT_E_RANGE,
                                  "training diverged: no epoch had a finite error; lower the "
                                  "learning rate");
    }
    trainer_free(&t);
    if (status != HABITAT_OK) {
        perceptron_free(&t.net);
        return status;
    }
    *out = t.net;
    if (validation_loss)
        *validation_loss = best;
    return HABITAT_OK;
}
