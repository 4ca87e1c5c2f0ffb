/* What iterations cost, and which GPU is chosen, by hand-worked values. */
#include <habitat/choose.h>

#include "ask/answer.h"
#include "ask/prices_list.h"
#include "gpu/gpu.h"

#include "check.h"

static habitat_gpu_table *table;

static const habitat_gpu *gpu_named(const char *name) {
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    return gpu;
}

/* Three GPUs, their times and prices:
 *   T4     100 ms at $0.36: 1,000 iterations are 100 s and cost 0.36 * 100 / 3600 = $0.010
 *   L40S    40 ms at $0.72:                       40 s          0.72 *  40 / 3600 = $0.008
 *   A100    20 ms at $3.60:                       20 s          3.60 *  20 / 3600 = $0.020
 * and a GPU without a price, H200 in 10 ms. Intervals are 10 % to each side. */
enum { ROWS = 4 };

typedef struct scene {
    habitat_workload *workload;
    habitat_prices *prices;
    habitat_prediction predictions[ROWS];
    habitat_answer_row rows[ROWS];
    habitat_answer answer;
} scene;

static void set_time(scene *s, size_t i, double ms, double width) {
    habitat_prediction *p = &s->predictions[i];
    p->iteration_ms = p->busy_ms = ms;
    p->low_ms = ms * (1 - width);
    p->high_ms = ms * (1 + width);
}

static void make_scene(scene *s, double steps) {
    static const char *const names[ROWS] = {"T4", "L40S", "A100-SXM4-80GB", "H200-SXM5-141GB"};
    static const double times[ROWS] = {100, 40, 20, 10}, usd[ROWS] = {0.36, 0.72, 3.60, 0};
    habitat_gemm_shape product = {.b = 1, .m = 64, .n = 64, .k = 64};
    habitat_untimed_operation one = {.arithmetic = 0};
    memset(s, 0, sizeof *s);
    CHECK_INT(habitat_work_gemm(&product, HABITAT_DTYPE_FP32, &one.work), HABITAT_OK);
    CHECK_INT(habitat_workload_from_operations(1, &one, &s->workload, NULL), HABITAT_OK);
    CHECK_INT(habitat_prices_create(table, false, &s->prices, NULL), HABITAT_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const habitat_gpu *gpu = gpu_named(names[i]);
        if (usd[i] > 0)
            CHECK_INT(habitat_prices_set(s->prices, gpu, usd[i], NULL), HABITAT_OK);
        s->predictions[i] =
            (habitat_prediction){.gpu = gpu, .fits = 1, .memory_bytes = 1e9, .headroom_bytes = 1e9};
        set_time(s, i, times[i], 0.1);
        s->rows[i] = (habitat_answer_row){.key = {.gpu = gpu, .gpu_count = 1},
                                          .prediction = &s->predictions[i]};
    }
    habitat_request request = {.prices = s->prices, .steps = steps, .today = "2026-11-22"};
    s->answer = (habitat_answer){.workload = s->workload, .rows = s->rows, .row_count = ROWS};
    CHECK_INT(cost_steps(&request, &s->answer, NULL), HABITAT_OK);
    cost_rows(&request, &s->answer);
}

static void free_scene(scene *s) {
    habitat_prices_free(s->prices);
    habitat_workload_free(s->workload);
}

static habitat_choice *choose(const scene *s, const habitat_choice_options *options) {
    const habitat_answer *answers[] = {&s->answer};
    habitat_choice *choice = NULL;
    CHECK_INT(habitat_choose(answers, NULL, 1, options, &choice, NULL), HABITAT_OK);
    return choice;
}

static const char *name_at(const habitat_choice *c, size_t i) {
    return i < c->row_count ? c->rows[i].key.gpu->name : "none";
}

static void test_cost(void) {
    scene s;
    make_scene(&s, 1e6);
    const habitat_cost *t4 = &s.rows[0].cost, *none = &s.rows[3].cost;
    CHECK_NEAR(t4->usd_per_1000_iterations, 0.010, 1e-12);
    CHECK_NEAR(t4->low_usd_per_1000_iterations, 0.009, 1e-12);
    CHECK_NEAR(t4->hours, 1e8 / 3.6e6, 1e-12); /* 27.8 */
    CHECK_NEAR(t4->usd, 10.0, 1e-12);
    CHECK_NEAR(t4->high_usd, 11.0, 1e-12);
    CHECK_NEAR(t4->energy_j, 7.0, 1e-12); /* 70 W for 0.1 s */
    CHECK_NEAR(t4->total_kwh, 7e6 / 3.6e6, 1e-12);
    CHECK(isnan(t4->price_age_days) && isnan(t4->samples_per_usd)); /* no date, no batch size */
    CHECK(!none->price && isnan(none->usd_per_hour) && isnan(none->usd));
    CHECK_NEAR(none->hours, 1e7 / 3.6e6, 1e-12);
    free_scene(&s);
    make_scene(&s, 0);
    CHECK(isnan(s.rows[0].cost.hours) && isnan(s.rows[0].cost.usd));
    habitat_request both = {.steps = 1, .samples = 1}, less = {.steps = -1}, batch = {.samples = 9};
    habitat_request day = {.today = "today"};
    CHECK_INT(cost_steps(&both, &s.answer, NULL), HABITAT_E_ARG);
    CHECK_INT(cost_steps(&less, &s.answer, NULL), HABITAT_E_ARG);
    CHECK_INT(cost_steps(&batch, &s.answer, NULL), HABITAT_E_ARG);
    CHECK_INT(cost_steps(&day, &s.answer, NULL), HABITAT_E_ARG);
    habitat_request part = {.steps = 1.5}, part_sample = {.samples = 1.5};
    CHECK_INT(cost_steps(&part, &s.answer, NULL), HABITAT_E_ARG);
    CHECK_INT(cost_steps(&part_sample, &s.answer, NULL), HABITAT_E_ARG);
    free_scene(&s);
    check_case("an iteration costs its time times the price");
}

static void test_objectives(void) {
    scene s;
    make_scene(&s, 0);
    habitat_choice_options options = {.objective = HABITAT_OBJECTIVE_COST};
    habitat_choice *c = choose(&s, NULL);
    CHECK_INT(c->row_count, 3);
    CHECK_TEXT(name_at(c, 0), "L40S");
    CHECK_TEXT(name_at(c, 1), "T4");
    CHECK_TEXT(name_at(c, 2), "A100-SXM4-80GB");
    CHECK(c->recommended == &c->rows[0] && !c->rows[1].tie); /* 0.0088 is below 0.009 */
    CHECK(c->rows[0].pareto && !c->rows[1].pareto && c->rows[2].pareto);
    CHECK_TEXT(c->reason,
               "L40S: $0.008 for 1,000 iterations, the least: it is 2.5x as fast as the T4 at 2x "
               "the price.");
    CHECK_INT(c->change_count, 3);
    /* 0.008 / 100 * 3600 = 0.288; 0.008 / 10 * 3600 = 2.88 */
    CHECK_TEXT(c->changes[0], "Price: below $0.29 an hour (it is $0.36) the T4 would be cheaper.");
    CHECK_TEXT(c->changes[1], "If time counts: the A100-SXM4-80GB is 2x as fast as the L40S at 5x "
                              "the price.");
    CHECK_TEXT(c->changes[2], "No price is known of the H200-SXM5-141GB: below $2.88 an hour it "
                              "would be cheaper.");
    CHECK_INT(c->excluded_count, 1);
    CHECK_INT(c->excluded[0].kind, HABITAT_EXCLUDED_NO_PRICE);
    habitat_choice_free(c);
    options.objective = HABITAT_OBJECTIVE_TIME;
    c = choose(&s, &options);
    CHECK_TEXT(name_at(c, 0), "H200-SXM5-141GB");
    CHECK(c->row_count == 4 && !c->rows[0].pareto); /* a price is needed for that */
    habitat_choice_free(c);
    options.objective = HABITAT_OBJECTIVE_ENERGY; /* 7, 14, 8 and 7 J: 70, 350, 400, 700 W */
    c = choose(&s, &options);
    CHECK_NEAR(c->rows[0].value, 7, 1e-12);
    CHECK_TEXT(name_at(c, 0), "H200-SXM5-141GB"); /* as little as the T4, and faster */
    CHECK_TEXT(name_at(c, 3), "L40S");
    CHECK(c->rows[1].tie);
    habitat_choice_free(c);
    free_scene(&s);
    check_case("cost, time and energy choose by hand-worked values");
}

static void test_ties(void) {
    scene s;
    make_scene(&s, 0);
    set_time(&s, 1, 40, 0.13); /* up to 0.00904; the T4 begins at 0.009 */
    habitat_request request = {.prices = s.prices};
    cost_rows(&request, &s.answer);
    habitat_choice *c = choose(&s, NULL);
    CHECK(!c->rows[0].tie && c->rows[1].tie && !c->rows[2].tie);
    CHECK(strstr(c->reason, "1 other is too close to tell apart") != NULL);
    habitat_choice_free(c);
    free_scene(&s);
    check_case("overlapping intervals are a tie");
}

static void test_limits(void) {
    scene s;
    make_scene(&s, 1e6); /* 27.8, 11.1, 5.6 and 2.8 hours */
    habitat_choice_options options = {.deadline_hours = 10};
    habitat_choice *c = choose(&s, &options);
    CHECK(c->row_count == 1 && c->excluded_count == 3);
    CHECK_TEXT(name_at(c, 0), "A100-SXM4-80GB");
    CHECK_TEXT(c->excluded[0].reason, "takes 27.8 hours, longer than the deadline of 10");
    CHECK(strstr(c->reason, "no other GPU can be taken") != NULL);
    habitat_choice_free(c);
    options = (habitat_choice_options){.objective = HABITAT_OBJECTIVE_TIME, .max_usd_per_hour = 1};
    c = choose(&s, &options);
    CHECK_TEXT(name_at(c, 0), "L40S");
    CHECK_INT(c->excluded[0].kind, HABITAT_EXCLUDED_PRICE);
    CHECK_INT(c->excluded[1].kind, HABITAT_EXCLUDED_NO_PRICE);
    habitat_choice_free(c);
    s.predictions[1].fits = 0;
    c = choose(&s, NULL);
    CHECK_TEXT(name_at(c, 0), "T4");
    CHECK_INT(c->excluded[0].kind, HABITAT_EXCLUDED_SMALL);
    habitat_choice_free(c);
    free_scene(&s);
    check_case("deadline, price and memory leave GPUs out; nothing left is an answer");
}

/* Nine iterations of 40 ms and one of 140 are 50 ms in the mean. */
static void test_weights(void) {
    scene a, b;
    make_scene(&a, 0);
    make_scene(&b, 0);
    set_time(&b, 1, 140, 0.1);
    b.answer.row_count = 2; /* nothing is known of the A100 */
    const habitat_answer *answers[] = {&a.answer, &b.answer};
    const double weights[] = {9, 1}, bad[] = {1, 0};
    habitat_choice *c = NULL;
    CHECK_INT(habitat_choose(answers, weights, 2, NULL, &c, NULL), HABITAT_OK);
    for (size_t i = 0; c && i < c->row_count; i++)
        if (c->rows[i].key.gpu == gpu_named("L40S")) {
            CHECK_NEAR(c->rows[i].iteration_ms, 50, 1e-12);
            CHECK_NEAR(c->rows[i].value, 0.010, 1e-12);
        }
    CHECK(c->row_count == 2 && c->excluded_count == 2);
    CHECK_NEAR(c->weights[0], 0.9, 1e-12);
    CHECK_INT(c->excluded[0].kind, HABITAT_EXCLUDED_UNKNOWN);
    habitat_choice_free(c);
    c = NULL;
    CHECK_INT(habitat_choose(answers, bad, 2, NULL, &c, NULL), HABITAT_E_ARG);
    CHECK_INT(habitat_choose(answers, NULL, 0, NULL, &c, NULL), HABITAT_E_ARG);
    habitat_choice_options late = {.deadline_hours = 1};
    CHECK_INT(habitat_choose(answers, NULL, 1, &late, &c, NULL), HABITAT_E_ARG);
    CHECK(c == NULL);
    free_scene(&a);
    free_scene(&b);
    check_case("several iterations by weight; wrong questions are refused");
}

/* Batch sizes and numbers of GPUs. At $0.36 (T4) and $0.72 (L40S) an hour of one:
 *                     an iteration   a sample    1,000,000 samples are
 *   T4, batch 32            192 ms   6 ms        6000 s    $0.60
 *   L40S, batch 32          100      3.125       3125      $0.625
 *   two L40S, batch 32      110      1.71875     1718.75   at $1.44: $0.6875
 *   L40S, batch 8            40      5           5000      $1.00
 * By the iteration the last would be the cheapest. Of two H200 in 16 ms no price is known.
 * Intervals are 2 % to each side: $0.612 is less than 0.6125. */
enum { SAMPLE_ROWS = 5 };

typedef struct sample_scene {
    scene base;
    habitat_prediction predictions[SAMPLE_ROWS];
    habitat_answer_row rows[SAMPLE_ROWS];
} sample_scene;

static habitat_status cost_samples_of(sample_scene *s, double steps, double samples) {
    static const uint64_t batches[] = {8, 32};
    static const uint32_t counts[] = {1, 2};
    habitat_request request = {.prices = s->base.prices,
                               .steps = steps,
                               .samples = samples,
                               .batch_sizes = batches,
                               .batch_size_count = 2,
                               .gpu_counts = counts,
                               .gpu_counts_count = 2};
    habitat_status status = cost_steps(&request, &s->base.answer, NULL);
    cost_rows(&request, &s->base.answer);
    return status;
}

static void make_sample_scene(sample_scene *s, double samples) {
    static const char *const names[SAMPLE_ROWS] = {"L40S", "T4", "L40S", "L40S", "H200-SXM5-141GB"};
    static const double times[SAMPLE_ROWS] = {40, 192, 100, 110, 16};
    static const uint64_t batches[SAMPLE_ROWS] = {8, 32, 32, 32, 32};
    static const uint32_t counts[SAMPLE_ROWS] = {1, 1, 1, 2, 2};
    make_scene(&s->base, 0);
    for (size_t i = 0; i < SAMPLE_ROWS; i++) {
        const habitat_gpu *gpu = gpu_named(names[i]);
        habitat_prediction *p = &s->predictions[i];
        *p = (habitat_prediction){.gpu = gpu, .fits = 1, .batch_size = batches[i]};
        p->memory_bytes = p->headroom_bytes = 1e9;
        p->iteration_ms = p->busy_ms = times[i];
        p->low_ms = times[i] * 0.98;
        p->high_ms = times[i] * 1.02;
        p->samples_per_s = (double)batches[i] * counts[i] / times[i] * 1e3;
        s->rows[i] = (habitat_answer_row){
            .key = {.gpu = gpu, .batch_size = batches[i], .gpu_count = counts[i]}, .prediction = p};
    }
    s->base.answer.rows = s->rows;
    s->base.answer.row_count = SAMPLE_ROWS;
    CHECK_INT(cost_samples_of(s, 0, samples), HABITAT_OK);
}

/* A GPU beside itself at another number or batch size. */
static void test_same_gpu(void) {
    sample_scene s;
    make_sample_scene(&s, 0);
    habitat_choice_options time = {.objective = HABITAT_OBJECTIVE_TIME};
    s.base.answer.row_count = 4; /* without H200 */
    s.base.answer.rows += 2;     /* and T4: one L40S, two L40S */
    s.base.answer.row_count -= 2;
    habitat_choice *c = choose(&s.base, NULL);
    CHECK_TEXT(c->reason, "one L40S: $0.625 for 1,000,000 samples, the least: two of them are 1.8x "
                          "as fast at 2x the price.");
    CHECK_TEXT(c->changes[0],
               "If time counts: two L40S are 1.8x as fast as one of them at 2x the price.");
    habitat_choice_free(c);
    c = choose(&s.base, &time);
    CHECK_TEXT(c->reason, "two L40S: 1.72 ms a sample, the least: they are 1.8x as fast as one of "
                          "them at 2x the price.");
    habitat_choice_free(c);
    s.base.answer.rows -= 2; /* one L40S at batch 8 and 32 */
    s.rows[1] = s.rows[2];
    c = choose(&s.base, NULL);
    CHECK_TEXT(c->reason, "L40S at batch 32: $0.625 for 1,000,000 samples, the least: it is 1.6x "
                          "as fast as the same GPU at batch 8.");
    habitat_choice_free(c);
    free_scene(&s.base);
    check_case("a GPU is compared with itself by what differs");
}

static void test_by_sample(void) {
    sample_scene s;
    make_sample_scene(&s, 0);
    habitat_choice_options options = {.objective = HABITAT_OBJECTIVE_TIME};
    CHECK_NEAR(s.rows[3].cost.usd_per_hour, 1.44, 1e-12);
    CHECK_NEAR(s.rows[3].cost.usd_per_1000_iterations, 0.044, 1e-12); /* 110 s, 2 x 0.72 / 3600 */
    habitat_choice *c = choose(&s.base, NULL);
    CHECK(c->per_sample && c->batches_differ && c->gpus_differ && c->row_count == 4);
    static const double usd[] = {0.60, 0.625, 0.6875, 1.0};
    for (size_t i = 0; i < 4; i++) {
        CHECK_NEAR(c->rows[i].value, usd[i], 1e-12);
        CHECK(c->rows[i].pareto == (i < 3) && !c->rows[i].tie);
    }
    CHECK(c->rows[0].batch_size == 32 && c->rows[0].key.gpu_count == 1);
    CHECK(c->rows[2].samples == 64 && c->rows[2].key.gpu_count == 2);
    CHECK_TEXT(c->reason, "one T4 at batch 32: $0.6 for 1,000,000 samples, the least: it is 0.52x "
                          "as fast as one L40S at batch 32 at 0.5x the price.");
    CHECK_INT(c->change_count, 3);
    /* 0.60 / 3125 * 3600 = 0.6912; two H200 take 250 s: 0.60 / 250 * 3600 = 8.64 */
    CHECK_TEXT(c->changes[0],
               "Price: below $0.69 an hour (it is $0.72) one L40S at batch 32 would be cheaper.");
    CHECK_TEXT(c->changes[1], "If time counts: two L40S at batch 32 are 3.5x as fast as one T4 at "
                              "batch 32 at 4x the price.");
    CHECK_TEXT(c->changes[2],
               "No price is known of two H200-SXM5-141GB at batch 32: below $8.64 an "
               "hour for all they would be cheaper.");
    habitat_choice_free(c);
    c = choose(&s.base, &options);
    CHECK_NEAR(c->rows[0].value, 0.25, 1e-12);
    CHECK_NEAR(c->rows[1].value, 1.71875, 1e-12);
    CHECK_NEAR(c->rows[4].value, 6, 1e-12);
    CHECK(strstr(c->reason, "two H200-SXM5-141GB at batch 32: 0.25 ms a sample, the least: they "
                            "are 6.9x as fast as two L40S at batch 32.") != NULL);
    habitat_choice_free(c);
    options.objective = HABITAT_OBJECTIVE_ENERGY; /* 70 W x 6 ms; 350 W x 3.125 ms */
    c = choose(&s.base, &options);
    CHECK_TEXT(name_at(c, 1), "T4");
    CHECK_NEAR(c->rows[0].value, 0.35, 1e-12); /* 2 x 700 W x 16 ms / 64 */
    CHECK_NEAR(c->rows[1].value, 0.42, 1e-12);
    habitat_choice_free(c);
    free_scene(&s.base);
    check_case("rows of several batch sizes and numbers of GPUs are compared by the sample");
}

static void test_limits_by_sample(void) {
    sample_scene s;
    make_sample_scene(&s, 1e6); /* 1.39, 1.67, 0.87, 0.48 and 0.07 hours */
    habitat_choice_options options = {.deadline_hours = 1};
    CHECK_NEAR(s.rows[3].cost.usd, 0.6875, 1e-12);
    CHECK_NEAR(s.rows[0].cost.usd, 1.0, 1e-12);
    habitat_choice *c = choose(&s.base, &options);
    CHECK(c->row_count == 2 && c->rows[0].key.gpu_count == 1 && c->rows[0].batch_size == 32);
    CHECK_NEAR(c->samples, 1e6, 0);
    CHECK_TEXT(c->excluded[0].reason, "takes 1.39 hours, longer than the deadline of 1");
    habitat_choice_free(c);
    options = (habitat_choice_options){.max_usd_per_hour = 1}; /* of all GPUs together */
    c = choose(&s.base, &options);
    CHECK_TEXT(c->excluded[0].reason, "costs $1.44 an hour, more than $1.00");
    CHECK(c->excluded[0].key.gpu_count == 2 && c->excluded[0].batch_size == 32);
    habitat_choice_free(c);
    for (size_t i = 1; i < SAMPLE_ROWS; i++)
        s.predictions[i].fits = 0;
    c = choose(&s.base, NULL);
    CHECK_TEXT(c->excluded[0].reason, "too small: the memory that it needs does not fit");
    CHECK_TEXT(c->reason,
               "one L40S at batch 8: $1 for 1,000,000 samples; no other GPU can be taken.");
    habitat_choice_free(c);
    free_scene(&s.base);
    check_case("deadline, money and memory of each batch size and number of GPUs");
}

/* Steps are of more samples at another batch size; without a batch size no sample is known. */
static void test_no_samples(void) {
    sample_scene s;
    habitat_error err = {0};
    habitat_choice *c = NULL;
    make_sample_scene(&s, 0);
    const habitat_answer *answers[] = {&s.base.answer};
    CHECK_INT(cost_samples_of(&s, 1000, 0), HABITAT_OK);
    CHECK_INT(habitat_choose(answers, NULL, 1, NULL, &c, &err), HABITAT_E_ARG);
    CHECK_TEXT(err.message, "as many steps at another batch size, or on more GPUs, are of more "
                            "samples: give the length of the training in samples");
    CHECK_INT(cost_samples_of(&s, 0, 0), HABITAT_OK);
    s.predictions[3].batch_size = 0;
    CHECK_INT(habitat_choose(answers, NULL, 1, NULL, &c, &err), HABITAT_E_ARG);
    CHECK_TEXT(err.message,
               "a recording does not say its batch size, and numbers of GPUs are compared by the "
               "sample: say it with --recorded-batch N, or record it with `habitat record`");
    CHECK(c == NULL);
    s.base.answer.row_count = 1; /* alone it is as good as any */
    CHECK_INT(habitat_choose(answers, NULL, 1, NULL, &c, &err), HABITAT_OK);
    CHECK(c && !c->per_sample && c->row_count == 1);
    if (c)
        CHECK_TEXT(c->reason, "L40S: $0.008 for 1,000 iterations; no other GPU can be taken.");
    habitat_choice_free(c);
    free_scene(&s.base);
    check_case("what cannot be compared by the sample is refused");
}

static void test_names(void) {
    habitat_objective objective = HABITAT_OBJECTIVE_ENERGY;
    CHECK_INT(habitat_objective_from_name("time", &objective, NULL), HABITAT_OK);
    CHECK_INT(objective, HABITAT_OBJECTIVE_TIME);
    CHECK_INT(habitat_objective_from_name("speed", &objective, NULL), HABITAT_E_ARG);
    CHECK(habitat_objective_name(HABITAT_OBJECTIVE_COUNT) == NULL);
    check_case("objectives by name");
}

static void test_memory(void) {
    scene s;
    make_scene(&s, 0);
    habitat_choice_options options = {.must_fit = true};
    s.predictions[1].fits = -1;
    s.predictions[1].headroom_bytes = -0.1e9;
    s.predictions[0].fits = -1;
    s.predictions[0].headroom_bytes = NAN;
    habitat_choice *c = choose(&s, NULL);
    CHECK_TEXT(c->reason, "T4: $0.01 for 1,000 iterations, the least: it is 0.2x as fast as the "
                          "A100-SXM4-80GB at 0.1x the price. Whether it fits is not known.");
    CHECK_INT(c->excluded[0].kind, HABITAT_EXCLUDED_NEAR);
    CHECK_TEXT(c->excluded[0].reason, "may not fit: 0.1 GB short of the margin that is kept free");
    CHECK_NEAR(c->excluded[0].headroom_bytes, -0.1e9, 1e-12);
    habitat_choice_free(c);
    c = choose(&s, &options);
    CHECK_TEXT(name_at(c, 0), "A100-SXM4-80GB");
    CHECK_INT(c->excluded[0].kind, HABITAT_EXCLUDED_FIT);
    CHECK_TEXT(c->excluded[0].reason,
               "not known to fit: the recording does not say how much memory was in use");
    habitat_choice_free(c);
    for (size_t i = 0; i < ROWS; i++) {
        s.predictions[i].fits = -1;
        s.predictions[i].headroom_bytes = NAN;
    }
    c = choose(&s, &options);
    CHECK(!c->recommended && c->row_count == 0 && c->excluded_count == ROWS);
    CHECK_INT(c->change_count, 1); /* the first limit that each meets */
    CHECK_TEXT(c->changes[0], "Memory: the recording does not say what it needs; 4 could be taken "
                              "without --must-fit.");
    habitat_choice_free(c);
    free_scene(&s);
    check_case("too small, may not fit and not known are three reasons");
}

/* A replay that its CPU sets: 10 ms everywhere, but for the last digits. */
static void test_equal(void) {
    scene s;
    make_scene(&s, 0);
    for (size_t i = 0; i < ROWS; i++) {
        set_time(&s, i, 10 * (1 - 1e-13 * (double)i), 0.1);
        s.predictions[i].assembled = HABITAT_ASSEMBLE_REPLAY;
        s.predictions[i].bound_by = HABITAT_BY_CPU;
    }
    habitat_request request = {.prices = s.prices}, none = {.prices = NULL};
    cost_rows(&request, &s.answer);
    habitat_choice_options options = {.objective = HABITAT_OBJECTIVE_TIME};
    habitat_choice *c = choose(&s, &options);
    CHECK_TEXT(c->reason,
               "T4: 10 ms an iteration, the least, the same as 3 others; the cheapest of "
               "these. The CPU sets the time, not the GPU.");
    CHECK(c->rows[0].cpu_sets && c->rows[0].bound_by == HABITAT_BY_CPU && c->rows[3].tie);
    CHECK_TEXT(name_at(c, 3), "H200-SXM5-141GB"); /* without a price */
    CHECK_INT(c->change_count, 0);
    habitat_choice_free(c);
    c = choose(&s, NULL); /* by cost: time changes nothing */
    CHECK_TEXT(c->reason, "T4: $0.001 for 1,000 iterations, the least: it is as fast as the L40S "
                          "at 0.5x the price. The CPU sets the time, not the GPU.");
    CHECK_INT(c->change_count, 2);
    CHECK_TEXT(c->changes[0],
               "Price: below $0.36 an hour (it is $0.72) the L40S would be cheaper.");
    CHECK_TEXT(c->changes[1], "No price is known of the H200-SXM5-141GB: below $0.36 an hour it "
                              "would be cheaper.");
    habitat_choice_free(c);
    s.answer.row_count = 2;
    cost_rows(&none, &s.answer);
    s.predictions[1].interval_basis = HABITAT_INTERVAL_DEFAULT;
    c = choose(&s, &options);
    CHECK_TEXT(c->reason, "T4: 10 ms an iteration, the least, the same as the L40S; its interval "
                          "alone is calibrated. The CPU sets the time, not the GPU.");
    habitat_choice_free(c);
    s.predictions[1].interval_basis = HABITAT_INTERVAL_UNKNOWN;
    c = choose(&s, &options);
    CHECK_TEXT(c->reason,
               "L40S: 10 ms an iteration, the least, the same as the T4; nothing tells them "
               "apart. The CPU sets the time, not the GPU.");
    habitat_choice_free(c);
    free_scene(&s);
    check_case("equal GPUs are said to be, with what tells them apart");
}

static void test_energy(void) {
    scene s;
    make_scene(&s, 0);
    habitat_choice_options options = {.objective = HABITAT_OBJECTIVE_ENERGY};
    habitat_choice *c = choose(&s, &options); /* 7, 14, 8 and 7 J */
    CHECK_TEXT(c->reason,
               "H200-SXM5-141GB: about 7 J an iteration, the least, the same as the T4; the "
               "fastest of these. 1 more is too close to tell apart.");
    habitat_choice_free(c);
    s.answer.row_count = 3; /* the T4 takes 7 / 8 of the A100's energy and 5 times as long */
    set_time(&s, 2, 20, 0);
    set_time(&s, 0, 100, 0);
    habitat_request request = {.prices = s.prices};
    cost_rows(&request, &s.answer);
    c = choose(&s, &options);
    CHECK_TEXT(c->reason, "T4: about 7 J an iteration, the least: it takes 0.88x the energy of the "
                          "A100-SXM4-80GB and is 0.2x as fast.");
    CHECK_TEXT(c->changes[0], "If time counts: the A100-SXM4-80GB is 5x as fast as the T4 at 10x "
                              "the price.");
    habitat_choice_free(c);
    free_scene(&s);
    check_case("by energy it is energy that is compared");
}

static void test_nearest(void) {
    scene s;
    make_scene(&s, 1e6); /* 27.8, 11.1, 5.6 and 2.8 hours */
    habitat_choice_options options = {.deadline_hours = 3, .max_usd_per_hour = 0.1};
    habitat_choice *c = choose(&s, &options);
    CHECK(!c->recommended && c->change_count == 2);
    CHECK_TEXT(c->changes[0], "Deadline of 3 h: 5.56 h on the A100-SXM4-80GB, the least.");
    CHECK_TEXT(c->changes[1], "Price: not known of 1: --price GPU=USD gives one.");
    habitat_choice_free(c);
    options.deadline_hours = 0;
    c = choose(&s, &options);
    CHECK_TEXT(c->changes[0], "Limit of $0.10 an hour: $0.36 for the T4, the least.");
    habitat_choice_free(c);
    options.max_usd_per_hour = 0.3599; /* as near as two decimals cannot tell */
    c = choose(&s, &options);
    CHECK_TEXT(c->changes[0], "Limit of $0.3599 an hour: $0.3600 for the T4, the least.");
    CHECK_TEXT(c->excluded[0].reason, "costs $0.3600 an hour, more than $0.3599");
    habitat_choice_free(c);
    options = (habitat_choice_options){.vendor = "any"};
    s.answer.row_count = 2;
    s.predictions[0].fits = s.predictions[1].fits = 0;
    s.predictions[0].headroom_bytes = -2.5e9;
    s.predictions[1].headroom_bytes = -1.5e9;
    c = choose(&s, &options);
    CHECK_INT(c->change_count, 1);
    CHECK_TEXT(c->changes[0], "Memory: 1.5 GB are missing on the L40S, the least.");
    habitat_choice_free(c);
    free_scene(&s);
    check_case("where nothing can be taken, what comes nearest is said for each limit");
}

static void test_spot(void) {
    scene s;
    make_scene(&s, 0);
    habitat_prices_free(s.prices);
    CHECK_INT(habitat_prices_create(table, false, &s.prices, NULL), HABITAT_OK);
    habitat_price price = {.gpu = s.rows[0].key.gpu, .usd_per_hour = 0.30, .spot = true};
    price.origin = HABITAT_PRICE_FILE;
    price.min_gpus = 1;
    CHECK_INT(prices_add(s.prices, &price, NULL), HABITAT_OK);
    price.spot = false;
    price.usd_per_hour = 0.20;
    price.date = "2026-12-01";
    CHECK_INT(prices_add(s.prices, &price, NULL), HABITAT_OK);
    habitat_request request = {.prices = s.prices, .spot = true, .today = "2026-11-22"};
    s.answer.prices = s.prices;
    s.answer.spot = true;
    cost_rows(&request, &s.answer);
    habitat_choice *c = choose(&s, NULL);
    CHECK_TEXT(name_at(c, 0), "T4");
    CHECK_TEXT(c->changes[0],
               "Without --spot: the T4 costs $0.20 an hour on demand, less than $0.30.");
    CHECK_INT(c->note_count, 1);
    CHECK_TEXT(c->notes[0], "a spot price is known of 1 of 4 GPUs");
    CHECK(!cost_is_of_future(&s.rows[0].cost)); /* that one has no date */
    request.spot = false;
    cost_rows(&request, &s.answer);
    CHECK(cost_is_of_future(&s.rows[0].cost));
    request.today = "2026-11-30"; /* tomorrow here is today elsewhere */
    cost_rows(&request, &s.answer);
    CHECK(!cost_is_of_future(&s.rows[0].cost));
    habitat_choice_free(c);
    free_scene(&s);
    check_case("spot: how many prices are known, and whether on demand is cheaper");
}

static void test_vendor(void) {
    scene s;
    habitat_error error = {0};
    make_scene(&s, 0);
    const habitat_answer *answers[] = {&s.answer};
    habitat_choice_options options = {.vendor = "nvidia"};
    habitat_choice *c = choose(&s, &options);
    CHECK_INT(c->row_count, 3);
    habitat_choice_free(c);
    c = NULL;
    options.vendor = "AMD";
    CHECK_INT(habitat_choose(answers, NULL, 1, &options, &c, &error), HABITAT_E_ARG);
    CHECK_TEXT(error.message, "vendor: \"AMD\" made none of the GPUs asked for; choose NVIDIA");
    CHECK(c == NULL);
    free_scene(&s);
    check_case("a vendor by its name; one that made none is refused");
}

int main(void) {
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    test_cost();
    test_objectives();
    test_ties();
    test_limits();
    test_weights();
    test_same_gpu();
    test_by_sample();
    test_limits_by_sample();
    test_no_samples();
    test_names();
    test_memory();
    test_equal();
    test_energy();
    test_nearest();
    test_spot();
    test_vendor();
    habitat_gpu_table_free(table);
    return check_done();
}
