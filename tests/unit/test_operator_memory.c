/* Analytic times of operations that memory bounds and of fp32 attention, worked by hand on a GPU of
 * round numbers; the classes that questions fall in; and answers of the shipped models. */
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "models/learned.h"
#include "check.h"

/* 1 TB/s, 100 SMs of 128 lanes at 1 GHz, 10 MB of cache that gives 3.8 TB/s, 10 Tflop/s. */
static const operator_gpu gpu = {.flop_per_s = 1e13,
                                 .bytes_per_s = 1e12,
                                 .sm_count = 100,
                                 .lanes_per_sm = 128,
                                 .threads_per_sm = 2048,
                                 .clock_hz = 1e9,
                                 .l2_bytes = 1e7};
static const double start_ms = .0014; /* of a kernel under a graph */

static habitat_work rows_work(const char *kind, double rows, double columns, habitat_dtype dtype,
                              habitat_pass pass) {
    habitat_work work = {0};
    habitat_rows_shape shape = {rows, columns};
    CHECK_INT(habitat_work_rows(kind, &shape, dtype, pass, &work), HABITAT_OK);
    return work;
}

static double look_ms(const habitat_work *work, operator_class expected) {
    habitat_model_query query = {.work = work, .timing = HABITAT_TIMING_GRAPH};
    operator_view view;
    operator_class c = operator_class_of(&query);
    CHECK_INT(c, expected);
    if (c == OPERATOR_NONE)
        return NAN;
    for (size_t i = 0; i < OPERATOR_INPUTS_MAX; i++)
        view.inputs[i] = NAN;
    operator_look(&query, c, &gpu, &view);
    for (size_t i = 0; i < OPERATOR_INPUTS_MAX; i++) /* as many values as names */
        CHECK_INT(isfinite(view.inputs[i]), i < operator_facts_of(c)->features->count);
    return view.base_ms - start_ms;
}

/* The table of classes: no row is missing, and its columns do not contradict each other. */
static void test_class_table(void) {
    for (int i = 0; i < OPERATOR_CLASSES; i++) {
        const operator_facts *facts = operator_facts_of((operator_class)i);
        CHECK(facts->name && facts->features && facts->look && facts->backward_factor >= 1);
        CHECK(facts->doubt > 0 && facts->doubt_estimated > 0);
        CHECK(!facts->judged_by_kind || facts->knows_passes);
        CHECK(!(facts->memory_bound && facts->unit != OPERATOR_UNIT_PLAIN));
        CHECK_INT(facts->unit != facts->estimated_unit,
                  i == OPERATOR_CONV_MATRIX || i == OPERATOR_CONV_GROUPS);
        for (int t = 0; t <= HABITAT_TIMING_SESSION; t++)
            CHECK(facts->timings[t].constant_ms > 0 && facts->timings[t].floor_ms > 0);
        for (int other = 0; other < i; other++)
            CHECK(strcmp(facts->name, operator_facts_of((operator_class)other)->name) != 0);
    }
    CHECK_TEXT(operator_facts_of(OPERATOR_NONE)->name, "none");
    CHECK_NEAR(operator_facts_of(OPERATOR_ATTENTION)->backward_factor, 2.5, 0);
}

static void test_elementwise(void) {
    habitat_work work = rows_work("add", 1, 1e8, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_ELEMENTWISE), 1.2, 1e-9); /* 3 x 4e8 bytes from memory */
    work = rows_work("add", 1, 1e5, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_ELEMENTWISE), 1.2e6 / 3.8e12 * 1e3, 1e-9); /* cached */
    work = rows_work("copy", 1, 1e8, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    habitat_model_query copy = {.work = &work, .timing = HABITAT_TIMING_KERNEL};
    CHECK_INT(operator_class_of(&copy), OPERATOR_ELEMENTWISE);
    copy.timing = HABITAT_TIMING_GRAPH; /* another engine copies there */
    CHECK_INT(operator_class_of(&copy), OPERATOR_NONE);
    work = rows_work("relu", 1, 1e8, HABITAT_DTYPE_FP32, HABITAT_PASS_BACKWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_ELEMENTWISE), 1.2, 1e-9); /* gradient, result; gradient */
    work = rows_work("dropout", 1, 1e8, HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_ELEMENTWISE), .5, 1e-9); /* a mask of bytes */
    work = rows_work("dropout", 1, 1e8, HABITAT_DTYPE_BF16, HABITAT_PASS_BACKWARD);
    CHECK_NEAR(work.read_bytes, 3e8, 1e-9);
    /* 39 lane cycles an element of 12.8e12 a second, beside 4e8 bytes; .4 us of a longer kernel */
    work = rows_work("gelu", 1, 1e8, HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD);
    double compute = 39e8 / 12.8e12 * 1e3;
    CHECK_NEAR(look_ms(&work, OPERATOR_ELEMENTWISE), pow(pow(compute, 4) + pow(.4, 4), .25) + .0004,
               1e-9);
    /* between cached and not: 6e6 of 1e7 bytes held, (6 - 5.1) / (.45 x 6) = 1/3 missed */
    work = rows_work("add", 1, 5e5, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_ELEMENTWISE), 6e6 * (1 / 3e12 + 2 / (3 * 3.8e12)) * 1e3,
               1e-9);
    check_case("element-wise: bytes over the memory's or the cache's rate, and error functions");
}

static void test_softmax(void) {
    /* 1e6 rows of 64, one warp each: (12 + 9.7 x 2) cycles a row, 1e4 rows an SM; 512 MB */
    habitat_work work = rows_work("softmax", 1e6, 64, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    double issue = 1e4 * (12 + 9.7 * 2) * 1e-6, memory = 1.15 * .512;
    CHECK_NEAR(look_ms(&work, OPERATOR_WARM_SOFTMAX),
               cbrt(pow(issue, 3) + pow(memory, 3)) + 75 * 2e-6, 1e-9);
    work = rows_work("log_softmax", 1e6, 64, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_WARM_SOFTMAX),
               cbrt(pow(.68 * issue, 3) + pow(memory, 3)) + 75 * 2e-6, 1e-9);
    /* one row of 4096, a block: as long as it takes from start to end */
    work = rows_work("softmax", 1, 4096, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_WARM_SOFTMAX), 4 * 136e-6, .1);
    /* backward: a product first, six tensors moved */
    work = rows_work("softmax", 1e5, 1024, HABITAT_DTYPE_FP32, HABITAT_PASS_BACKWARD);
    issue = 1e3 * (7.15 + 9.04 * 32) * 1e-6;
    memory = 6 * 4 * 1.024e8 / 1e12 * 1e3;
    CHECK_NEAR(look_ms(&work, OPERATOR_WARM_SOFTMAX),
               cbrt(pow(issue, 3) + pow(memory, 3)) + 17.9 * 32e-6 + .0012, 1e-9);
    work = rows_work("log_softmax", 1e5, 1024, HABITAT_DTYPE_FP32, HABITAT_PASS_BACKWARD);
    memory /= 2; /* no product: one kernel, three tensors */
    CHECK_NEAR(look_ms(&work, OPERATOR_WARM_SOFTMAX),
               cbrt(pow(issue, 3) + pow(memory, 3)) + 17.9 * 32e-6, 1e-9);
    check_case("softmax: traffic, issue of its rows, and the longest of them");
}

/* Softmax of rows that a block each takes: the cycles are of where an H200 holds them, with a step
 * down behind 9216 columns as it was measured (fp32: 9837 cycles a row of 9152, 6675 of 9304). What
 * is read again does not depend on it. */
static void test_long_rows(void) {
    static const struct {
        const char *kind;
        double columns, row, column; /* cycles of issue */
    } rows[] = {{"softmax", 6144, 950, .575},     {"softmax", 6145, 1550, .82},
                {"log_softmax", 7168, 950, .575}, {"log_softmax", 7169, 1550, .82},
                {"softmax", 9216, 1550, .82},     {"softmax", 9220, 4100, .2},
                {"softmax", 11996, 4100, .2},     {"softmax", 9217, 5750, .295},
                {"softmax", 12000, 5750, .295},   {"log_softmax", 20001, 5750, .295}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double columns = rows[i].columns, bytes = 4 * columns;
        habitat_work work =
            rows_work(rows[i].kind, 1e4, columns, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
        /* a row on each of 100 SMs, of which 1.5 MB of 10 stay in the cache */
        double flight = 100 * fmax(16 * 1024, bytes), missed = fmax(0, 1 - 1.5e6 / flight);
        double memory = 1.15 * (2 + 2 * missed) * bytes * 1e4 / 1e12 * 1e3;
        double issue = 100 * (rows[i].row + rows[i].column * columns) * 1e-6;
        if (strcmp(rows[i].kind, "log_softmax") == 0)
            issue *= .85;
        CHECK_NEAR(look_ms(&work, OPERATOR_WARM_SOFTMAX),
                   cbrt(pow(issue, 3) + pow(memory, 3)) + 136e-6 * ceil(columns / 1024), 1e-9);
    }
    check_case("softmax of long rows: issue by where they are held, traffic by what is in flight");
}

/* More columns take no less time, where the cycles do not fall as they were measured to: from
 * register rows on to rows in shared memory, and from there, read three times, down to the next
 * multiple of 4. */
static void test_longer_rows(void) {
    double before = 0;
    for (double columns = 2052; columns <= 40000; columns += 4) {
        habitat_work work =
            rows_work("softmax", 1e4, columns, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
        double ms = look_ms(&work, OPERATOR_WARM_SOFTMAX);
        CHECK(ms > before || columns == 9220);
        before = ms;
    }
    check_case("longer rows take longer");
}

static void test_norms(void) {
    habitat_work work =
        rows_work("layer_norm", 1e5, 1024, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    /* 16 rows in flight on each of 100 SMs, 6.5536 MB, of which the cache holds 3.3 */
    double missed = (6.5536 - 3.3) / (.6 * 6.5536);
    double issue = 1e3 * (294 + .282 * 1024) * 1e-6, memory = 1.02 * (2 + missed) * .4096;
    CHECK_NEAR(look_ms(&work, OPERATOR_WARM_NORM),
               cbrt(pow(issue, 3) + pow(memory, 3)) + 1.9 * 1024e-6 + .00086, 1e-9);
    habitat_work odd = rows_work("layer_norm", 1e5, 1025, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK(look_ms(&odd, OPERATOR_WARM_NORM) > 1.5 * look_ms(&work, OPERATOR_WARM_NORM));
    /* fp64 has no vectors: rows of four columns cost what rows of three do */
    work = rows_work("layer_norm", 1e5, 4, HABITAT_DTYPE_FP64, HABITAT_PASS_FORWARD);
    odd = rows_work("layer_norm", 1e5, 3, HABITAT_DTYPE_FP64, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_WARM_NORM), look_ms(&odd, OPERATOR_WARM_NORM), .02);
    /* backward, few columns: two blocks walk down all rows */
    work = rows_work("layer_norm", 5e4, 64, HABITAT_DTYPE_FP32, HABITAT_PASS_BACKWARD);
    issue = 500 * (231 + .424 * 64) * 1e-6;
    memory = 1.24 * 3 * 4 * 3.2e6 / 1e12 * 1e3; /* 38.4 MB: none of it stays */
    CHECK_NEAR(look_ms(&work, OPERATOR_WARM_NORM),
               cbrt(pow(issue, 3) + pow(memory, 3)) + 1.19 * 64e-6 + .0027 + 5e4 * 5.2e-6, 1e-9);
    /* 50 channels on 100 SMs: as long as one channel takes, counted 1.45 times */
    work = rows_work("batch_norm", 50, 1e6, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    double channel = 1.45 * (1e6 * (.564 + .184) + 1848) * 1e-6;
    CHECK_NEAR(look_ms(&work, OPERATOR_BATCH_NORM), hypot(channel, 3 * .2), 1e-9);
    /* fp16 runs in the same kernels on half of the bytes, bf16 in PyTorch's own */
    work = rows_work("batch_norm", 50, 1e6, HABITAT_DTYPE_FP16, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_BATCH_NORM), hypot(channel, 3 * .1), 1e-9);
    work = rows_work("batch_norm", 50, 1e6, HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD);
    channel = 1.39 * (1e6 * (1.02 + .158) + 1988) * 1e-6;
    CHECK_NEAR(look_ms(&work, OPERATOR_BATCH_NORM), hypot(channel, 3 * .1) + .0025, 1e-9);
    check_case("norms: slow odd rows, sums down the columns, channels short of SMs");
}

static habitat_work attention_work(double kv_heads, double head_dim, bool causal,
                                   habitat_dtype dtype, habitat_pass pass) {
    habitat_attention_shape shape = {.batch = 10,
                                     .heads = 10,
                                     .kv_heads = kv_heads,
                                     .q_len = 128,
                                     .kv_len = 128,
                                     .head_dim = head_dim,
                                     .v_head_dim = head_dim,
                                     .causal = causal};
    habitat_work work = {0};
    CHECK_INT(habitat_work_attention(&shape, dtype, pass, &work), HABITAT_OK);
    return work;
}

static void test_attention(void) {
    /* 100 heads, 2 x 2 tiles of 64 x 64: 4 x 64^3 flop at a hundredth of 10 Tflop/s each */
    habitat_work work = attention_work(10, 64, false, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    double tile = 4 * 64. * 64 * 64 / 1e11 * 1e3;
    CHECK_NEAR(look_ms(&work, OPERATOR_ATTENTION_PLAIN),
               4 * tile / .7 + 2 * .00146 + 2 * tile * 1.69 + .0019, 1e-9);
    /* a causal mask leaves 3 of 4 */
    work = attention_work(10, 64, true, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_ATTENTION_PLAIN),
               3 * tile / .7 + 2 * .00146 + 2 * tile * 1.69 + .0019, 1e-9);
    /* tiles of 32 x 128 where heads are wide: each of 4 blocks meets one, masked or not */
    work = attention_work(10, 128, true, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_NEAR(look_ms(&work, OPERATOR_ATTENTION_PLAIN),
               4 * 2 * tile / .92 + 4 * .00146 + 2 * tile * 1.075 + .0019, 1e-9);
    /* fewer key heads: two products and 3.76 score matrices of 6.5 MB, 13.3 tensors of queries */
    work = attention_work(5, 64, false, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    double scores = 100 * 128. * 128, queries = 4 * 100 * 128. * 64;
    CHECK_NEAR(look_ms(&work, OPERATOR_ATTENTION_PLAIN),
               4 * scores * 64 / 4.6e12 * 1e3 + (4 * scores * 3.76 + 13.3 * queries) / 1e12 * 1e3 +
                   .0205,
               1e-9);
    look_ms(&work, OPERATOR_ATTENTION_PLAIN);
    work = attention_work(10, 64, false, HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD);
    look_ms(&work, OPERATOR_ATTENTION);
    work = attention_work(10, 64, false, HABITAT_DTYPE_FP64, HABITAT_PASS_FORWARD);
    look_ms(&work, OPERATOR_NONE);
    check_case("attention in fp32: tiles of the fused kernel, or scores in memory");
}

static void test_classes(void) {
    habitat_work work = rows_work("softmax", 64, 64, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    habitat_model_query query = {.work = &work};
    for (int t = 0; t <= HABITAT_TIMING_SESSION; t++) { /* the timing alone decides */
        query.timing = (habitat_timing)t;
        bool eager = t == HABITAT_TIMING_EAGER;
        CHECK_INT(operator_class_of(&query), eager ? OPERATOR_SOFTMAX : OPERATOR_WARM_SOFTMAX);
        CHECK_INT(operator_class_if_seen(&query), OPERATOR_NONE);
    }
    /* calls of ten times the shortest are rows of the kernel, too: .33 ms */
    query.timing = HABITAT_TIMING_EAGER;
    CHECK(operator_trains_on(OPERATOR_SOFTMAX, &query, .1));
    CHECK(!operator_trains_on(OPERATOR_WARM_SOFTMAX, &query, .32));
    CHECK(operator_trains_on(OPERATOR_WARM_SOFTMAX, &query, .34));
    CHECK(!operator_trains_on(OPERATOR_WARM_NORM, &query, 1));
    query.timing = HABITAT_TIMING_GRAPH;
    CHECK(!operator_trains_on(OPERATOR_SOFTMAX, &query, 1));
    work = rows_work("rms_norm", 64, 64, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK_INT(operator_class_of(&query), OPERATOR_WARM_NORM); /* layer norm's kernel */
    CHECK(operator_norm_is_guessed(&work));
    work = rows_work("layer_norm", 64, 64, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    CHECK(!operator_norm_is_guessed(&work));
    work = rows_work("batch_norm", 64, 64, HABITAT_DTYPE_FP32, HABITAT_PASS_BACKWARD);
    CHECK_INT(operator_class_of(&query), OPERATOR_BATCH_NORM);
    CHECK_INT(operator_class_if_seen(&query), OPERATOR_NONE);
    check_case("rows go to the models of their timing");
}

/* Of a row operation timed as eager calls are and as graphs are, class by class. */
static double timed_ms(const habitat_work *work, operator_class c, habitat_timing timing) {
    habitat_model_query query = {.work = work, .timing = timing};
    operator_view view;
    CHECK_INT(operator_class_of(&query), c);
    operator_look(&query, c, &gpu, &view);
    return view.base_ms - operator_facts_of(c)->timings[timing].constant_ms;
}

static void test_eager_rows(void) {
    habitat_work work = rows_work("softmax", 1e5, 4096, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    double kernel = timed_ms(&work, OPERATOR_WARM_SOFTMAX, HABITAT_TIMING_GRAPH);
    CHECK_NEAR(timed_ms(&work, OPERATOR_SOFTMAX, HABITAT_TIMING_EAGER), kernel, 1e-9);
    work = rows_work("layer_norm", 1e5, 4096, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    kernel = timed_ms(&work, OPERATOR_WARM_NORM, HABITAT_TIMING_GRAPH);
    double start = 8.6e-4; /* hides behind the call's own cost */
    CHECK_NEAR(timed_ms(&work, OPERATOR_NORM, HABITAT_TIMING_EAGER), kernel - start, 1e-9);
    CHECK_NEAR(operator_facts_of(OPERATOR_SOFTMAX)->timings[HABITAT_TIMING_EAGER].constant_ms, .02,
               0);
    CHECK_NEAR(operator_facts_of(OPERATOR_NORM)->timings[HABITAT_TIMING_EAGER].constant_ms, .03, 0);
    check_case("eager calls of row operations take their kernel's time, and the call's");
}

static habitat_model_estimate ask(const habitat_models *models, habitat_model_use use,
                                  const habitat_gpu *on, const habitat_work *work,
                                  habitat_timing timing) {
    habitat_model_query query = {.work = work, .timing = timing};
    habitat_model_estimate answer = {0};
    CHECK_INT(habitat_models_predict(models, use, 1, &on, 1, &query, &answer, NULL), HABITAT_OK);
    return answer;
}

static void test_shipped(void) {
    habitat_models *models = NULL;
    habitat_gpu_table *table = NULL;
    const habitat_gpu *h200 = NULL, *v100 = NULL;
    if (habitat_models_load_default(&models, NULL) != HABITAT_OK)
        return; /* a build without models */
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "H200", &h200, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "V100-PCIE-32GB", &v100, NULL, NULL), HABITAT_OK);
    habitat_work work = rows_work("add", 1, 10000, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    habitat_model_estimate answer =
        ask(models, HABITAT_MODEL_AUTO, h200, &work, HABITAT_TIMING_GRAPH);
    CHECK(answer.seen && answer.ms > .0009 && answer.ms < .002); /* no launch of an eager call */
    answer = ask(models, HABITAT_MODEL_AUTO, v100, &work, HABITAT_TIMING_KERNEL);
    CHECK(answer.ms > .0009 && answer.ms < .004);
    work = rows_work("batch_norm", 64, 1e5, HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD);
    answer = ask(models, HABITAT_MODEL_AUTO, v100, &work, HABITAT_TIMING_KERNEL);
    CHECK(answer.covered && !answer.seen);
    CHECK_NEAR(answer.high_ms / answer.ms, exp(.7), 1e-3); /* nobody measured it there */
    CHECK_NEAR(answer.ms / answer.low_ms, exp(.7), 1e-3);
    work = rows_work("softmax", 4096, 1024, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD);
    double warm = ask(models, HABITAT_MODEL_AUTO, h200, &work, HABITAT_TIMING_KERNEL).ms;
    CHECK_NEAR(ask(models, HABITAT_MODEL_AUTO, h200, &work, HABITAT_TIMING_GRAPH).ms, warm, .02);
    habitat_gpu_table_free(table);
    habitat_models_free(models);
    check_case("shipped models: small tensors cost a kernel; wide where one GPU was measured");
}

int main(void) {
    test_class_table();
    test_elementwise();
    test_softmax();
    test_long_rows();
    test_longer_rows();
    test_norms();
    test_attention();
    test_classes();
    test_eager_rows();
    test_shipped();
    return check_done();
}
