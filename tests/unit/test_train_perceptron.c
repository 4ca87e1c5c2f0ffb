/* Perceptrons: gradients against differences, equal runs, what they learn, when they stop, what
 * they refuse; inference in blocks; the paper's inputs. */
#include <stdlib.h>

#include "check.h"
#include "gpu/gpu.h"
#include "lab/random.h"
#include "lab/train_perceptron.h"

enum { ROWS = 600, INPUTS = 3 };

typedef struct made_rows {
    float x[ROWS * INPUTS], time_ms[ROWS];
    uint64_t hash[ROWS];
} made_rows;

/* time = exp(0.8 a - 0.5 b + 0.3 sin(2 c)): smooth, and no input alone explains it. */
static perceptron_samples make_rows(made_rows *m, double noise) {
    random_state r = random_seeded(11);
    for (int i = 0; i < ROWS; i++) {
        double a = 2 * random_uniform(&r) - 1, b = 2 * random_uniform(&r) - 1;
        double c = 2 * random_uniform(&r) - 1;
        m->x[i * INPUTS] = (float)a;
        m->x[i * INPUTS + 1] = (float)b;
        m->x[i * INPUTS + 2] = (float)(100 + 30 * c); /* standardisation has something to do */
        m->time_ms[i] =
            (float)exp(0.8 * a - 0.5 * b + 0.3 * sin(2 * c) + noise * random_normal(&r));
        m->hash[i] = random_bits(&r);
    }
    return (perceptron_samples){ROWS, INPUTS, m->x, m->time_ms, m->hash};
}

static perceptron_options usual_options(void) {
    return (perceptron_options){.layers = 2,
                                .width = 24,
                                .epochs = 60,
                                .batch = 32,
                                .activation = PERCEPTRON_TANH,
                                .loss = PERCEPTRON_MAPE,
                                .learning_rate = 5e-3,
                                .weight_decay = 1e-4,
                                .validation_share = 0.2,
                                .seed = 3};
}

/* A small network of random weights. */
static bool make_perceptron(perceptron_activation activation, perceptron *out) {
    made_rows m;
    perceptron_samples samples = make_rows(&m, 0);
    perceptron_options options = usual_options();
    options.width = 5;
    options.epochs = 1;
    options.activation = activation;
    if (perceptron_train(&samples, &options, out, NULL, NULL) != HABITAT_OK)
        return false;
    random_state r = random_seeded(5);
    for (size_t i = 0; i < perceptron_parameter_count(out); i++)
        out->parameters[i] = (float)(0.5 * random_normal(&r));
    return true;
}

/* ---- the gradient ---- */

/* Central differences of the loss by every parameter. The loss itself is computed in single
 * precision, so that steps cannot be small: 2e-3 leaves errors of 1e-3 of the largest slope. */
static void gradient_of(perceptron_loss loss, perceptron_activation activation, const char *name) {
    made_rows m;
    perceptron net;
    make_rows(&m, 0.2);
    CHECK(make_perceptron(activation, &net));
    size_t count = perceptron_parameter_count(&net);
    float *analytic = malloc(count * sizeof *analytic), *unused = malloc(count * sizeof *unused);
    const size_t rows = 40;
    perceptron_room room;
    CHECK_INT(perceptron_room_open(&net, rows, &room, NULL), HABITAT_OK);
    const double step = 2e-3;
    double largest = 0, worst = 0;
    double value = perceptron_gradient(&room, &net, loss, m.x, m.time_ms, rows, analytic);
    CHECK(isfinite(value) && value > 0);
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)analytic[i]));
    for (size_t i = 0; i < count; i++) {
        float kept = net.parameters[i];
        net.parameters[i] = (float)((double)kept + step);
        double up = perceptron_gradient(&room, &net, loss, m.x, m.time_ms, rows, unused);
        double moved = (double)net.parameters[i];
        net.parameters[i] = (float)((double)kept - step);
        double down = perceptron_gradient(&room, &net, loss, m.x, m.time_ms, rows, unused);
        moved -= (double)net.parameters[i];
        net.parameters[i] = kept;
        worst = fmax(worst, fabs((up - down) / moved - (double)analytic[i]));
    }
    /* kinks of ReLU and of the absolute value inside a step cost more than rounding does */
    double allowed = activation == PERCEPTRON_RELU || loss == PERCEPTRON_MAPE ? 0.03 : 0.002;
    CHECK(largest > 0.05 && worst < allowed * largest);
    if (!(worst < allowed * largest))
        printf("# worst %g of largest %g\n", worst, largest);
    perceptron_room_close(&room);
    free(analytic);
    free(unused);
    perceptron_free(&net);
    check_case(name);
}

static void gradients(void) {
    gradient_of(PERCEPTRON_MAPE, PERCEPTRON_TANH, "gradient of MAPE, tanh");
    gradient_of(PERCEPTRON_MAPE, PERCEPTRON_RELU, "gradient of MAPE, ReLU");
    gradient_of(PERCEPTRON_SQUARED_LOG, PERCEPTRON_TANH, "gradient of squared log, tanh");
    gradient_of(PERCEPTRON_SQUARED_LOG, PERCEPTRON_RELU, "gradient of squared log, ReLU");
    gradient_of(PERCEPTRON_PSEUDO_HUBER, PERCEPTRON_TANH, "gradient of pseudo-Huber, tanh");
    gradient_of(PERCEPTRON_PSEUDO_HUBER, PERCEPTRON_RELU, "gradient of pseudo-Huber, ReLU");
}

/* ---- runs ---- */

static void equal_runs(void) {
    made_rows m;
    perceptron_samples samples = make_rows(&m, 0.1);
    perceptron_options options = usual_options();
    perceptron first, second, third;
    double loss[2] = {0, 1};
    CHECK_INT(perceptron_train(&samples, &options, &first, &loss[0], NULL), HABITAT_OK);
    CHECK_INT(perceptron_train(&samples, &options, &second, &loss[1], NULL), HABITAT_OK);
    options.seed++;
    CHECK_INT(perceptron_train(&samples, &options, &third, NULL, NULL), HABITAT_OK);
    size_t bytes = perceptron_parameter_count(&first) * sizeof *first.parameters;
    CHECK(memcmp(first.parameters, second.parameters, bytes) == 0 && loss[0] == loss[1]);
    CHECK(memcmp(first.parameters, third.parameters, bytes) != 0);
    perceptron_free(&first);
    perceptron_free(&second);
    perceptron_free(&third);
    check_case("equal seeds give equal bits, other seeds others");
}

static void learns(perceptron_loss loss, perceptron_activation activation, const char *name) {
    made_rows m;
    perceptron_samples samples = make_rows(&m, 0);
    perceptron_options options = usual_options();
    options.loss = loss;
    options.activation = activation;
    options.epochs = 150;
    perceptron net;
    double logs[ROWS], sum = 0;
    CHECK_INT(perceptron_train(&samples, &options, &net, NULL, NULL), HABITAT_OK);
    float *scratch = malloc(perceptron_scratch(&net) * sizeof *scratch);
    perceptron_predict_rows(&net, m.x, ROWS, logs, scratch);
    for (int i = 0; i < ROWS; i++)
        sum += fabs(exp(logs[i]) / (double)m.time_ms[i] - 1);
    CHECK(sum / ROWS < 0.03); /* times spread over a factor of 20 */
    free(scratch);
    perceptron_free(&net);
    check_case(name);
}

static void stops_early(void) {
    made_rows m;
    perceptron_samples samples = make_rows(&m, 0.5); /* noise to overfit */
    perceptron_options options = usual_options();
    options.validation_share = 0.4;
    options.epochs = 200;
    options.width = 64;
    double best, longer, first;
    perceptron net;
    options.patience = 5;
    CHECK_INT(perceptron_train(&samples, &options, &net, &best, NULL), HABITAT_OK);
    /* the loss that is reported is that of the weights that are returned */
    double sum = 0, logs[ROWS];
    size_t count = 0;
    float *scratch = malloc(perceptron_scratch(&net) * sizeof *scratch);
    perceptron_predict_rows(&net, m.x, ROWS, logs, scratch);
    for (int i = 0; i < ROWS; i++)
        if (perceptron_validates(m.hash[i], &options)) {
            sum += fabs(exp(logs[i]) / (double)m.time_ms[i] - 1);
            count++;
        }
    CHECK_NEAR(sum / (double)count, best, 1e-4);
    CHECK(count > ROWS / 4 && count < ROWS / 2);
    free(scratch);
    perceptron_free(&net);
    /* never worse than its first epoch, never better than looking at all of them */
    options.patience = 0;
    CHECK_INT(perceptron_train(&samples, &options, &net, &longer, NULL), HABITAT_OK);
    perceptron_free(&net);
    options.epochs = 200;
    options.patience = 1;
    CHECK_INT(perceptron_train(&samples, &options, &net, &first, NULL), HABITAT_OK);
    perceptron_free(&net);
    CHECK(longer <= best && best <= first);
    check_case("early stopping keeps the best validation");
}

static void refuses(void) {
    made_rows m;
    perceptron_samples samples = make_rows(&m, 0);
    perceptron_options options = usual_options(), wrong;
    perceptron net;
    habitat_error err = {0};
    m.time_ms[7] = 0;
    CHECK_INT(perceptron_train(&samples, &options, &net, NULL, &err), HABITAT_E_RANGE);
    CHECK(strstr(err.message, "row 7") && strstr(err.message, "time"));
    m.time_ms[7] = NAN;
    CHECK_INT(perceptron_train(&samples, &options, &net, NULL, &err), HABITAT_E_RANGE);
    m.time_ms[7] = -1;
    CHECK_INT(perceptron_train(&samples, &options, &net, NULL, &err), HABITAT_E_RANGE);
    m.time_ms[7] = 1;
    m.x[8 * INPUTS + 2] = INFINITY;
    CHECK_INT(perceptron_train(&samples, &options, &net, NULL, &err), HABITAT_E_RANGE);
    CHECK(strstr(err.message, "input 2 of row 8") != NULL);
    m.x[8 * INPUTS + 2] = 100;
    wrong = options;
    wrong.layers = 0;
    CHECK_INT(perceptron_train(&samples, &wrong, &net, NULL, NULL), HABITAT_E_ARG);
    wrong = options;
    wrong.width = PERCEPTRON_WIDTH_MAX + 1;
    CHECK_INT(perceptron_train(&samples, &wrong, &net, NULL, NULL), HABITAT_E_ARG);
    wrong = options;
    wrong.learning_rate = NAN;
    CHECK_INT(perceptron_train(&samples, &wrong, &net, NULL, NULL), HABITAT_E_ARG);
    samples.n = 0;
    CHECK_INT(perceptron_train(&samples, &options, &net, NULL, NULL), HABITAT_E_ARG);
    check_case("zero, negative and missing numbers are refused by name");
}

/* ---- inference ---- */

/* 1 hidden layer of 2: h = relu(z w + b), worked by hand.
 * z = (x - 1) * 2 = 4 for x = 3; h0 = relu(4 * 1 + 0.5) = 4.5, h1 = relu(4 * -1 + 1) = 0;
 * out = 4.5 * 2 + 0 * 3 + 0.25 = 9.25. With x = 0: z = -2; h0 = 0, h1 = 3; out = 9.25. */
static void by_hand(void) {
    float mean = 1, scale = 2, parameters[] = {1, -1, 0.5F, 1, 2, 3, 0.25F};
    perceptron net = {.inputs = 1,
                      .layers = 1,
                      .width = 2,
                      .activation = PERCEPTRON_RELU,
                      .mean = &mean,
                      .scale = &scale,
                      .clip = 4,
                      .parameters = parameters};
    CHECK_INT(perceptron_parameter_count(&net), 7);
    float scratch[2 * 2 * PERCEPTRON_ROWS], x[] = {3, 0, 1000};
    double out[3];
    CHECK_INT(perceptron_scratch(&net), 2 * 2 * PERCEPTRON_ROWS);
    perceptron_predict_rows(&net, x, 3, out, scratch);
    CHECK_NEAR(out[0], 9.25, 1e-6);
    CHECK_NEAR(out[1], 9.25, 1e-6);
    CHECK_NEAR(out[2], 9.25, 1e-6); /* z is clipped to 4 */
    check_case("a network of two neurons, by hand");
}

static void blocks(void) {
    made_rows m;
    perceptron net;
    make_rows(&m, 0);
    CHECK(make_perceptron(PERCEPTRON_RELU, &net));
    float *scratch = malloc(perceptron_scratch(&net) * sizeof *scratch);
    double together[37], alone;
    perceptron_predict_rows(&net, m.x, 37, together, scratch);
    for (size_t i = 0; i < 37; i++) {
        perceptron_predict_rows(&net, m.x + i * INPUTS, 1, &alone, scratch);
        CHECK(alone == together[i]);
    }
    free(scratch);
    perceptron_free(&net);
    check_case("a row's result does not depend on its neighbours");
}

/* ---- what the paper's networks look at ---- */

static habitat_work conv_work(bool transposed, habitat_pass pass) {
    habitat_conv_shape shape = {.dims = 2,
                                .batch = 4,
                                .c_in = 8,
                                .c_out = 16,
                                .groups = 1,
                                .in = {10, 12},
                                .out = {20, 24},
                                .kernel = {4, 4},
                                .stride = {2, 2},
                                .padding = {1, 1},
                                .dilation = {1, 1},
                                .transposed = transposed};
    habitat_work work = {0};
    if (!transposed) { /* the mirror image: what is out there comes in here */
        shape.c_in = 16;
        shape.c_out = 8;
        for (int i = 0; i < 2; i++) {
            shape.in[i] = i ? 24 : 20;
            shape.out[i] = i ? 12 : 10;
        }
    }
    CHECK_INT(habitat_work_conv(&shape, HABITAT_DTYPE_FP32, pass, &work), HABITAT_OK);
    return work;
}

static void paper_classes(void) {
    habitat_gpu gpu = {
        .memory_sold_bytes = 16e9, .memory_bandwidth_bytes_per_s = 9e11, .sm_count = 80};
    gpu.peak.plain_flop_per_s[HABITAT_DTYPE_FP32] = 14e12;
    float a[PAPER_INPUTS_MAX], b[PAPER_INPUTS_MAX];
    habitat_work transposed = conv_work(true, HABITAT_PASS_FORWARD);
    habitat_work mirror = conv_work(false, HABITAT_PASS_BACKWARD_INPUT);
    habitat_model_query query = {.work = &transposed};
    CHECK_INT(paper_class_of(&query), PAPER_CONV2D);
    CHECK(paper_inputs(&transposed, transposed.pass, PAPER_CONV2D, &gpu, a));
    CHECK(paper_inputs(&mirror, mirror.pass, PAPER_CONV2D, &gpu, b));
    CHECK(memcmp(a, b, paper_input_count(PAPER_CONV2D) * sizeof *a) == 0);
    query.arithmetic = HABITAT_DTYPE_TF32;
    CHECK_INT(paper_class_of(&query), PAPER_CLASSES);
    query.arithmetic = HABITAT_DTYPE_FP32;
    transposed.shape.conv.groups = 2;
    CHECK_INT(paper_class_of(&query), PAPER_CLASSES);
    transposed.dtype = HABITAT_DTYPE_BF16;
    CHECK_INT(paper_class_of(&query), PAPER_CLASSES);
    gpu.peak.plain_flop_per_s[HABITAT_DTYPE_FP32] = NAN;
    CHECK(!paper_inputs(&mirror, mirror.pass, PAPER_CONV2D, &gpu, b));
    check_case("a transposed convolution is the gradient of its mirror image; other arithmetic and "
               "groups are not covered");
}

int main(void) {
    made_rows m;
    perceptron_samples samples = make_rows(&m, 0);
    perceptron_options options = usual_options();
    perceptron net;
    options.epochs = 1;
    habitat_error err = {0};
    by_hand();
    paper_classes();
    if (perceptron_train(&samples, &options, &net, NULL, &err) == HABITAT_E_UNSUPPORTED) {
        CHECK(strlen(err.message) > 0);
        check_case("without a BLAS, training says so");
        return check_done();
    }
    perceptron_free(&net);
    blocks();
    gradients();
    equal_runs();
    learns(PERCEPTRON_MAPE, PERCEPTRON_TANH, "learns a smooth function: MAPE, tanh");
    learns(PERCEPTRON_SQUARED_LOG, PERCEPTRON_RELU, "learns a smooth function: squared log, ReLU");
    learns(PERCEPTRON_PSEUDO_HUBER, PERCEPTRON_TANH,
           "learns a smooth function: pseudo-Huber, tanh");
    stops_early();
    refuses();
    return check_done();
}
