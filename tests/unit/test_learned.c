/* Operator models: trees by hand, the file, classes, and answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <habitat/habitat.h>

#include "check.h"
#include "models/offset.h"
#include "lab/model_file.h"
#include "lab/train_interval.h"
#include "lab/train_spread.h"
#include "lab/train_trees.h"
#include "operator/operator.h"

/* One tree of depth 2:  x0 > 1 ? (x1 > 5 ? 40 : 30) : (always left: 10). */
static trees two_levels(void) {
    trees t = {.depth = 2, .count = 1, .inputs = 2, .bias = 0.5F};
    t.feature = malloc(3);
    t.threshold = malloc(3 * sizeof *t.threshold);
    t.leaf = malloc(4 * sizeof *t.leaf);
    memcpy(t.feature, (uint8_t[]){0, TREES_PASS, 1}, 3);
    memcpy(t.threshold, (float[]){1, 0, 5}, 3 * sizeof(float));
    memcpy(t.leaf, (float[]){10, 20, 30, 40}, 4 * sizeof(float));
    return t;
}

static void test_trees(void) {
    trees t = two_levels();
    CHECK_NEAR(trees_predict(&t, (float[]){0, 9}), 10.5, 0);
    CHECK_NEAR(trees_predict(&t, (float[]){1, 9}), 10.5, 0); /* equal goes left */
    CHECK_NEAR(trees_predict(&t, (float[]){2, 5}), 30.5, 0);
    CHECK_NEAR(trees_predict(&t, (float[]){2, 6}), 40.5, 0);
    trees_free(&t);
    check_case("a tree goes right above its threshold, left where it does not split");
}

/* y = 3 where x0 > 0, else -1: one split says it all. */
static void test_training(void) {
    enum { N = 400 };
    static float x[N * 2], y[N], w[N];
    for (int i = 0; i < N; i++) {
        x[2 * i] = (float)(i % 40) - 19.5F;
        x[2 * i + 1] = (float)(i % 7);
        y[i] = x[2 * i] > 0 ? 3 : -1;
        w[i] = 1;
    }
    trees_options options = {.depth = 2,
                             .count = 60,
                             .learning_rate = .2,
                             .row_share = 1,
                             .input_share = 1,
                             .leaf_rows = 5,
                             .leaf_penalty = 0,
                             .clip = 1,
                             .seed = 7};
    bool use[2] = {true, true}, without[2] = {false, true};
    trees a = {0}, b = {0}, c = {0};
    CHECK_INT(trees_train(x, y, w, N, 2, use, &options, &a, NULL), HABITAT_OK);
    CHECK_INT(trees_train(x, y, w, N, 2, use, &options, &b, NULL), HABITAT_OK);
    CHECK_INT(trees_train(x, y, w, N, 2, without, &options, &c, NULL), HABITAT_OK);
    CHECK(fabs(trees_predict(&a, (float[]){5, 3}) - 3) < 0.05);
    CHECK(fabs(trees_predict(&a, (float[]){-5, 3}) + 1) < 0.05);
    size_t nodes = 3 * options.count;
    CHECK(memcmp(a.feature, b.feature, nodes) == 0);
    CHECK(memcmp(a.threshold, b.threshold, nodes * sizeof(float)) == 0);
    CHECK(memcmp(a.leaf, b.leaf, 4 * options.count * sizeof(float)) == 0);
    for (size_t i = 0; i < nodes; i++)
        CHECK(c.feature[i] != 0); /* an input left out is not split on */
    trees_free(&a);
    trees_free(&b);
    trees_free(&c);
    check_case("training finds a step, repeats itself bit for bit, and leaves inputs out");
}

/* Ten inputs that count alike. A tree that may use three tenths of them splits on about three; one
 * that may use all of them takes more for its seven splits. */
static double inputs_a_tree(double input_share) {
    enum { N = 600, D = 10, TREES = 60 };
    static float x[N * D], y[N], w[N];
    bool use[D];
    for (int j = 0; j < D; j++)
        use[j] = true;
    for (int i = 0; i < N; i++) {
        w[i] = 1;
        y[i] = 0;
        for (int j = 0; j < D; j++) {
            x[i * D + j] = (float)((i * (2 * j + 7) * 31 + j * 101) % 97);
            y[i] += x[i * D + j] > 48 ? 1 : -1;
        }
    }
    trees_options options = {.depth = 3,
                             .count = TREES,
                             .learning_rate = .1,
                             .row_share = 1,
                             .input_share = input_share,
                             .leaf_rows = 5,
                             .leaf_penalty = 0,
                             .clip = 10,
                             .seed = 3};
    trees t = {0};
    CHECK_INT(trees_train(x, y, w, N, D, use, &options, &t, NULL), HABITAT_OK);
    double all = 0;
    for (int k = 0; k < TREES; k++) {
        bool seen[256] = {false};
        for (int i = 0; i < 7; i++)
            seen[t.feature[7 * k + i]] = true;
        for (int j = 0; j < D; j++)
            all += seen[j];
    }
    trees_free(&t);
    return all / TREES;
}

static void test_input_share(void) {
    CHECK(inputs_a_tree(.3) < 3.6);
    CHECK(inputs_a_tree(1) > 4.5);
    check_case("a tree uses no more than its share of the inputs");
}

/* Two inputs, one hidden layer of two, ReLU: h = max(0, (z0 + z1, z0 - z1)), out = h0 + 2 h1 + 1/4.
 * z = (x - mean) * scale = (x0 - 1, (x1 - 2) / 2). For x = (3, 4): z = (2, 1), h = (3, 1):
 * 3 + 2 + 0.25 = 5.25. For x = (0, 4): z = (-1, 1), h = (0, 0): 0.25. */
static void test_perceptron(void) {
    float mean[] = {1, 2}, scale[] = {1, .5F};
    float parameters[] = {1, 1, 1, -1, 0, 0, 1, 2, .25F};
    perceptron net = {.inputs = 2,
                      .layers = 1,
                      .width = 2,
                      .activation = PERCEPTRON_RELU,
                      .mean = mean,
                      .scale = scale,
                      .clip = 4,
                      .parameters = parameters};
    double out[3];
    float rows[] = {3, 4, 0, 4, 1000, 2};
    float *scratch = malloc(perceptron_scratch(&net) * sizeof *scratch);
    CHECK_INT(perceptron_parameter_count(&net), 9);
    perceptron_predict_rows(&net, rows, 3, out, scratch);
    CHECK_NEAR(out[0], 5.25, 1e-6);
    CHECK_NEAR(out[1], 0.25, 1e-6);
    CHECK_NEAR(out[2], 4 + 2 * 4 + .25, 1e-6);
    free(scratch);
    check_case("a perceptron by hand, inputs clipped");
}

static habitat_models *sample(void) {
    habitat_models *models = learned_create(1);
    operator_model *m = &models->models[0];
    *m = (operator_model){.class_number = OPERATOR_GEMM,
                          .use = HABITAT_MODEL_TRANSFER,
                          .shrink = .5F,
                          .low = -.25F,
                          .high = .5F,
                          .low_estimated = -1,
                          .high_estimated = 1,
                          .training_rows = 12,
                          .trees = two_levels(),
                          .spread = {.power = .5F,
                                     .rows = .1F,
                                     .bias = .03F,
                                     .rows_estimated = .2F,
                                     .bias_estimated = .3F,
                                     .trees = two_levels()},
                          .ways = {5, .25F, .75F, 1.5F}};
    m->gpus = calloc(1, sizeof *m->gpus);
    m->gpus[0] = malloc(3);
    memcpy(m->gpus[0], "T4", 3);
    m->gpu_count = 1;
    return models;
}

static void test_file(void) {
    habitat_models *models = sample(), *back = NULL;
    uint8_t *data = NULL;
    size_t size = 0;
    habitat_error err = {0};
    CHECK_INT(learned_encode(models, &data, &size, NULL), HABITAT_OK);
    CHECK_INT(habitat_models_parse(data, size, "sample", &back, &err), HABITAT_OK);
    CHECK(back && back->count == 1 && back->models[0].training_rows == 12);
    CHECK(back && memcmp(back->models[0].trees.leaf, models->models[0].trees.leaf, 16) == 0);
    CHECK(back && back->models[0].spread.trees.count == 1);
    CHECK(back &&
          memcmp(&back->models[0].spread, &models->models[0].spread, 5 * sizeof(float)) == 0);
    CHECK(back &&
          memcmp(back->models[0].spread.trees.leaf, models->models[0].spread.trees.leaf, 16) == 0);
    CHECK(back && memcmp(&back->models[0].ways, &models->models[0].ways, 16) == 0);
    habitat_models_free(back);
    back = NULL;
    for (size_t cut = 0; cut < size; cut++)
        CHECK_INT(habitat_models_parse(data, cut, "cut", &back, &err), HABITAT_E_FORMAT);
    CHECK(strstr(err.message, "truncated") != NULL);
    for (size_t i = 24; i < size; i++) { /* every byte the checksum covers */
        data[i] ^= 0x10;
        CHECK_INT(habitat_models_parse(data, size, "flipped", &back, &err), HABITAT_E_FORMAT);
        data[i] ^= 0x10;
    }
    CHECK(strstr(err.message, "checksum") != NULL);
    data[8] = 99;
    CHECK_INT(habitat_models_parse(data, size, "future", &back, &err), HABITAT_E_VERSION);
    CHECK(back == NULL);
    free(data);
    habitat_models_free(models);
    check_case("the file comes back; every cut, flipped byte and other version is refused");
}

/* Changes the checksum of the only model of an encoded file, and then the file's own. */
static void mark_class(uint8_t *data, size_t size, uint32_t checksum) {
    uint8_t *at = data + LEARNED_HEADER_BYTES + 2 * sizeof(float) + 4 + 2;
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(checksum >> (8 * i));
    uint32_t sum =
        (uint32_t)crc32(0, data + LEARNED_HEADER_BYTES, (uInt)(size - LEARNED_HEADER_BYTES));
    for (int i = 0; i < 4; i++)
        data[LEARNED_MAGIC_BYTES + 4 + i] = (uint8_t)(sum >> (8 * i));
}

/* Reads a file of one model of this class with this checksum. */
static habitat_status parse_marked(operator_class c, uint32_t checksum, habitat_error *err) {
    habitat_models *models = sample(), *back = NULL;
    uint8_t *data = NULL;
    size_t size = 0;
    models->models[0].class_number = (uint8_t)c;
    CHECK_INT(learned_encode(models, &data, &size, NULL), HABITAT_OK);
    habitat_models_free(models);
    mark_class(data, size, checksum);
    habitat_status status = habitat_models_parse(data, size, "old", &back, err);
    CHECK((back != NULL) == (status == HABITAT_OK));
    habitat_models_free(back);
    free(data);
    return status;
}

/* Files of format 1 end behind the trees. */
/* The sample as an older version wrote it: the last `cut` bytes were not there. */
static habitat_models *older(uint8_t version, size_t cut) {
    habitat_models *models = sample(), *back = NULL;
    uint8_t *data = NULL;
    size_t size = 0;
    CHECK_INT(learned_encode(models, &data, &size, NULL), HABITAT_OK);
    size -= cut;
    data[LEARNED_MAGIC_BYTES] = version;
    for (int i = 0; i < 8; i++)
        data[LEARNED_MAGIC_BYTES + 8 + i] =
            (uint8_t)((uint64_t)(size - LEARNED_HEADER_BYTES) >> (8 * i));
    mark_class(data, size, learned_class_checksum(OPERATOR_GEMM, false));
    CHECK_INT(habitat_models_parse(data, size, "older", &back, NULL), HABITAT_OK);
    free(data);
    habitat_models_free(models);
    return back;
}

static void test_older_formats(void) {
    enum { RANGE = 4 + 4, SPREAD = 5 * 4 + 4 + 4 + 4 + 3 + 3 * 4 + 4 * 4, WAYS = 4 + 3 * 4 };
    habitat_models *first = older(1, RANGE + SPREAD + WAYS), *second = older(2, SPREAD + WAYS);
    habitat_models *third = older(3, WAYS);
    CHECK(first && first->models[0].training_rows == 12 && first->models[0].range.count == 0);
    CHECK(second && second->models[0].training_rows == 12);
    /* every answer has the interval of the class */
    operator_view view = {.inputs = {2, 9}};
    CHECK(second && second->models[0].spread.trees.count == 0);
    CHECK_NEAR(second ? learned_ends_of(&second->models[0], &view, false).high : 0, .5, 0);
    CHECK_NEAR(second ? learned_ends_of(&second->models[0], &view, true).low : 0, -1, 0);
    /* no way is one that nobody measured */
    CHECK(third && third->models[0].spread.trees.count == 1);
    CHECK(third && third->models[0].ways.known == 0 && learned_knows_way(&third->models[0], 31));
    habitat_models_free(first);
    habitat_models_free(second);
    habitat_models_free(third);
    check_case("files of older formats are read");
}

/* Rows .1, bias .03, power 1/2; a tree that answers log 4 where x0 > 1, else 0. */
static void test_ends(void) {
    uint8_t feature[] = {0};
    float threshold[] = {1}, leaf[] = {0, 1.3862944F};
    operator_model model = {
        .low = -.5F,
        .high = .7F,
        .spread = {.power = .5F,
                   .rows = .1F,
                   .bias = .03F,
                   .rows_estimated = .1F,
                   .bias_estimated = .3F,
                   .trees = {1, 1, 1, 0, feature, threshold, leaf}},
    };
    operator_view sure = {.inputs = {0}}, unsure = {.inputs = {2}};
    CHECK_NEAR(learned_ends_of(&model, &sure, false).high, .1044031, 1e-6); /* sqrt(.01 + .0009) */
    CHECK_NEAR(learned_ends_of(&model, &unsure, false).high, .2022375, 1e-6); /* 2 x .1 */
    CHECK_NEAR(learned_ends_of(&model, &unsure, false).low, -.2022375, 1e-6);
    CHECK_NEAR(learned_ends_of(&model, &unsure, true).high, .3605551, 1e-6); /* sqrt(.04 + .09) */
    model.spread.rows = .001F;
    model.spread.bias = 0;
    sure.base_ms = .0099;
    CHECK_NEAR(learned_ends_of(&model, &sure, false).high, .04, 0); /* never narrower */
    sure.base_ms = .010;
    CHECK_NEAR(learned_ends_of(&model, &sure, false).high, .02, 0);
    model.spread.trees.count = 0;
    CHECK_NEAR(learned_ends_of(&model, &sure, false).high, (double).7F, 0);
    check_case("the interval of an answer is as wide as its inputs say");
}

static uint32_t names_checksum(operator_class c, size_t count, const uint8_t *formula) {
    uint32_t sum = formula ? (uint32_t)crc32(0, formula, 1) : 0;
    const operator_features *of = operator_facts_of(c)->features;
    for (size_t i = 0; i < count; i++)
        sum = (uint32_t)crc32(sum, (const Bytef *)of->inputs[i].name,
                              (uInt)strlen(of->inputs[i].name) + 1);
    return sum;
}

/* Checksums as files of 0.2.0 hold them. A class whose analytic time has moved since is refused,
 * also where its inputs are the first of today's, as those of softmax and layer norm are. */
static void test_formulas(void) {
    static const struct {
        operator_class of;
        uint32_t checksum;
        bool same;
    } old[] = {{OPERATOR_GEMM, 0xbe228f0d, false},
               {OPERATOR_BMM, 0xbe228f0d, false},
               {OPERATOR_CONV, 0x55266c69, true},
               {OPERATOR_ELEMENTWISE, 0xabf63673, true},
               {OPERATOR_SOFTMAX, 0xa6164e2a, false},
               {OPERATOR_NORM, 0xa6164e2a, false},
               {OPERATOR_GEMM_MATRIX, 0xd1220c23, false},
               {OPERATOR_GEMM_FP8, 0xd1220c23, false},
               {OPERATOR_ATTENTION, 0xbfb2ec44, false},
               {OPERATOR_WARM_SOFTMAX, 0x6588f6a9, false},
               {OPERATOR_WARM_NORM, 0x6588f6a9, false},
               {OPERATOR_BATCH_NORM, 0x6588f6a9, false},
               {OPERATOR_ATTENTION_PLAIN, 0xf2f72b76, false},
               {OPERATOR_CONV_OTHER, 0xe8df2ea0, false},
               {OPERATOR_CONV_MATRIX, 0xe8df2ea0, false},
               {OPERATOR_RNN, 0xc38d284b, false}};
    CHECK_INT(sizeof old / sizeof *old, OPERATOR_CLASSES - 1); /* conv2d-groups came later */
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        operator_class c = old[i].of;
        habitat_error err = {0};
        CHECK_INT(parse_marked(c, old[i].checksum, &err),
                  old[i].same ? HABITAT_OK : HABITAT_E_VERSION);
        char want[256];
        snprintf(want, sizeof want,
                 "its models of %s correct another formula or look at other inputs than this "
                 "version's; train it again with `habitat train`",
                 operator_facts_of(c)->name);
        CHECK_TEXT(err.message, old[i].same ? "" : want);
        /* today's formula, the first inputs of today's; the one after it */
        uint8_t formula = operator_facts_of(c)->formula, next = (uint8_t)(formula + 1);
        size_t few = operator_facts_of(c)->features->count - 1;
        const uint8_t *byte = formula ? &formula : NULL;
        CHECK_INT(parse_marked(c, names_checksum(c, few, byte), &err), HABITAT_OK);
        CHECK_INT(parse_marked(c, names_checksum(c, few, &next), &err), HABITAT_E_VERSION);
    }
    check_case("models of another formula are refused, by the name of their class");
}

static void test_answers(void) {
    habitat_models *models = NULL;
    habitat_gpu_table *table = NULL;
    const habitat_gpu *gpus[2] = {NULL, NULL};
    CHECK_INT(habitat_models_load_default(&models, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "T4", &gpus[0], NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "RTX4090", &gpus[1], NULL, NULL), HABITAT_OK);
    habitat_work work[2];
    habitat_gemm_shape shape = {.b = 1, .m = 4096, .n = 4096, .k = 4096};
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work[0]), HABITAT_OK);
    work[1] = work[0];
    work[1].known = false;
    habitat_model_query queries[3] = {{.work = &work[0]}, {.work = &work[1]}, {.work = &work[0]}};
    habitat_model_estimate out[6];
    CHECK_INT(habitat_models_predict(models, HABITAT_MODEL_AUTO, 2, gpus, 3, queries, out, NULL),
              HABITAT_OK);
    CHECK(out[0].covered && out[0].seen && !out[3].seen && out[3].covered);
    CHECK(!out[1].covered && isnan(out[1].ms));
    CHECK(out[0].ms == out[2].ms && out[3].ms == out[5].ms);
    CHECK(out[0].low_ms < out[0].ms && out[0].ms < out[0].high_ms);
    /* 137.4 Gflop at the 4.2 Tflop/s a T4 sustains: 32.7 ms */
    CHECK(out[0].ms > 26 && out[0].ms < 42);
    CHECK_INT(habitat_models_predict(NULL, HABITAT_MODEL_AUTO, 2, gpus, 3, queries, out, NULL),
              HABITAT_E_ARG);
    habitat_models_free(models);
    habitat_gpu_table_free(table);
    check_case("the shipped models answer a batch, say what they do not cover, and bracket it");
}

/* What is added to the log of every prediction of the class. */
static double offset_of(operator_class c, bool estimated, const double *residuals, size_t n) {
    class_offset offset = offset_fit(c, estimated, residuals, n);
    return offset.weight * offset.median;
}

static void test_offset(void) {
    /* median .3 of five, two agree with the model: .3 * 5/7 */
    double five[] = {.5, .1, .3, NAN, .2, .9};
    CHECK_NEAR(offset_of(OPERATOR_GEMM, true, five, 6), .3 * 5 / 7, 1e-12);
    CHECK_NEAR(offset_of(OPERATOR_CONV, true, five, 6), .3 * 5 / 13, 1e-12);
    CHECK_NEAR(offset_of(OPERATOR_GEMM, true, five, 2), .3 * 2 / 4, 1e-12);
    CHECK_NEAR(offset_of(OPERATOR_GEMM, true, five, 0), 0, 0);
    CHECK_NEAR(offset_of(OPERATOR_GEMM, true, &five[3], 1), 0, 0);
    check_case("few measured operations move a class by their shrunken median");
}

/* Two GPUs that err by .1 and by -.1, every row alike: root mean square .1, two degrees of freedom:
 * 1.886 * .1 = .1886. */
static void test_interval(void) {
    enum { ROWS = 20 };
    train_held_out rows[ROWS];
    for (unsigned i = 0; i < ROWS; i++)
        rows[i] = (train_held_out){.residual = i % 2 ? .1 : -.1,
                                   .residual_estimated = i % 2 ? .1 : -.1,
                                   .weight = 1,
                                   .gpu = (uint8_t)(i % 2),
                                   .kind = (uint8_t)(i % 2)};
    float low, high;
    train_interval(rows, ROWS, 1, 0, &low, &high);
    CHECK_NEAR(low, -.1886, 1e-6);
    CHECK_NEAR(high, .1886, 1e-6);
    /* rates off by .3 besides: 1.886 sqrt(.1^2 + .3^2) */
    train_interval(rows, ROWS, 1, .3, &low, &high);
    CHECK_NEAR(high, 1.886 * .316228, 1e-6);
    /* a correction that takes the errors away, counted by half */
    for (unsigned i = 0; i < ROWS; i++)
        rows[i].correction = rows[i].residual;
    train_interval(rows, ROWS, .5, 0, &low, &high);
    CHECK_NEAR(high, .1886 / 2, 1e-6);
    train_interval(rows, ROWS, 1, 0, &low, &high);
    CHECK_NEAR(high, .04, 1e-6); /* never narrower */
    for (unsigned i = 0; i < ROWS; i++)
        rows[i].correction = 0;
    train_seen_interval(rows, ROWS, &low, &high);
    CHECK_NEAR(low, -.1, 1e-6); /* of a GPU among them: what its rows did */
    CHECK_NEAR(high, .1, 1e-6);
    check_case("intervals of a new GPU hold the spread of biases");
}

/* The fewer kinds of GPU, the wider. */
static void test_kinds_of_interval(void) {
    enum { MANY = 100, PER_GPU = 10 };
    static train_held_out many[MANY];
    float low, high;
    /* one GPU, errors of -.49 to .50: its median is 0, four fifths lie within .40 of it */
    for (int i = 0; i < MANY; i++)
        many[i] = (train_held_out){
            .residual = (i - 49) / 100., .residual_estimated = (i - 49) / 100., .weight = 1};
    train_interval(many, MANY, 1, 0, &low, &high);
    CHECK_NEAR(low, -.40, 1e-6);
    CHECK_NEAR(high, .40, 1e-6);
    /* ten GPUs that are all off by .2: one degree of freedom where they are of one kind */
    for (int i = 0; i < MANY; i++)
        many[i] = (train_held_out){.residual = .2, .weight = 1, .gpu = (uint8_t)(i / PER_GPU)};
    train_interval(many, MANY, 1, 0, &low, &high);
    CHECK_NEAR(high, 3.078 * .2, 1e-6);
    for (int i = 0; i < MANY; i++) /* five kinds of two GPUs */
        many[i].kind = many[i].gpu / 2;
    train_interval(many, MANY, 1, 0, &low, &high);
    CHECK_NEAR(high, 1.476 * .2, 1e-6);
    /* nine GPUs of one kind that are exact count as one beside one that is off by .2:
     * sqrt((0 + .2^2) / 2) = .14142, two degrees of freedom */
    for (int i = 0; i < MANY; i++) {
        many[i].kind = many[i].gpu == 9;
        many[i].residual = many[i].gpu == 9 ? .2 : 0;
    }
    train_interval(many, MANY, 1, 0, &low, &high);
    CHECK_NEAR(high, 1.886 * .1414214, 1e-6);
    train_interval(many, 0, 1, 0, &low, &high);
    CHECK_NEAR(high, .7, 1e-6); /* no evidence */
    /* rows of which none tells a bias: no kind is known, and no interval */
    for (int i = 0; i < MANY; i++)
        many[i].residual = NAN;
    CHECK(train_interval(many, MANY, 1, 0, &low, &high));
    CHECK_NEAR(low, -.7, 1e-6);
    CHECK_NEAR(high, .7, 1e-6);
    check_case("few kinds of GPU give a wide interval, GPUs of one kind count as one");
}

/* Three kinds of GPU. Errors lie evenly within +-.3 where x0 > 0, within +-.1 elsewhere. */
static void test_spread(void) {
    enum { ROWS = 900 };
    static train_held_out rows[ROWS];
    static float x[ROWS][2];
    static const operator_input names[] = {{"x0", false}, {"which GPU", true}};
    operator_features features = {names, 2};
    for (int i = 0; i < ROWS; i++) {
        bool wild = i / 3 % 2;
        double error = (wild ? .3 : .1) * ((i * 7 % 101) - 50) / 50.;
        x[i][0] = wild ? 1 : -1;
        x[i][1] = (float)(i % 3);
        rows[i] = (train_held_out){.residual = error,
                                   .residual_estimated = error,
                                   .weight = 1,
                                   .x = x[i],
                                   .x_estimated = x[i],
                                   .gpu = (uint8_t)(i % 3),
                                   .kind = (uint8_t)(i % 3)};
    }
    operator_model model = {.high = 1};
    operator_view calm = {.inputs = {-1, 0}}, wild = {.inputs = {1, 0}};
    CHECK_INT(train_spread(rows, ROWS, &features, 1, .1, 7, &model.spread, NULL), HABITAT_OK);
    CHECK_NEAR((double)model.spread.power, 1, 0);
    for (uint32_t i = 0; i < 3 * model.spread.trees.count; i++)
        CHECK(model.spread.trees.feature[i] != 1); /* which GPU it is says nothing of another */
    double narrow = learned_ends_of(&model, &calm, false).high;
    double wide = learned_ends_of(&model, &wild, false).high;
    CHECK(narrow > .065 && narrow < .1); /* four fifths of .1 are .08 */
    CHECK(wide > .2 && wide < .28);      /* of .3, .24; one width for all would be .17 */
    CHECK(learned_ends_of(&model, &calm, true).high > narrow);
    trees_free(&model.spread.trees);
    /* one kind alone: nothing says that the trees hold for another */
    for (int i = 0; i < ROWS; i++)
        rows[i].kind = 0;
    CHECK_INT(train_spread(rows, ROWS, &features, 1, .1, 7, &model.spread, NULL), HABITAT_OK);
    CHECK(model.spread.trees.count == 0);
    check_case("widths follow what rows of other GPUs show");
}

int main(void) {
    test_trees();
    test_training();
    test_input_share();
    test_perceptron();
    test_file();
    test_older_formats();
    test_ends();
    test_formulas();
    test_answers();
    test_offset();
    test_interval();
    test_spread();
    test_kinds_of_interval();
    return check_done();
}
