/* What operator models may say in `auto`: when an answer counts, users' GPUs, floors. */
#include <habitat/habitat.h>
#include <habitat/models.h>

#include "ask_operation.h"
#include "check.h"
#include "gpu/gpu.h"
#include "made_trace.h"

#include "base/table.h"
#include "operator/operator.h"
#include "question/query.h"
#include "workload/rnn_calls.h"
#include "workload/share.h"
#include "workload/workload.h"

static habitat_gpu_table *table;
static habitat_models *models;

static const habitat_gpu *gpu_named(const char *name) {
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    return gpu;
}

static made_kernel product(const char *dims, double start_ms, double ms) {
    return (made_kernel){.name = "ampere_sgemm_128x64_nn",
                         .start_ns = (uint64_t)(start_ms * 1e6 + .5),
                         .duration_ns = (uint64_t)(ms * 1e6 + .5),
                         .stream = 7,
                         .grid = 2048,
                         .block = 128,
                         .registers = 96,
                         .op = "aten::mm",
                         .dims = dims};
}

/* A product as one kernel of `ms` on `origin`, predicted for `dest`. */
static habitat_estimate product_on(const habitat_gpu *origin, const habitat_gpu *dest,
                                   const char *dims, double ms) {
    const made_kernel kernel = product(dims, 0.1, ms);
    habitat_trace *trace = made_trace(&kernel, 1, NULL, "", 0);
    habitat_workload *w = NULL;
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    habitat_estimate out = {.ms = NAN};
    if (habitat_workload_create(trace, origin, &w, &err) == HABITAT_OK &&
        habitat_predict(w, dest, HABITAT_METHOD_AUTO, &p, &err) == HABITAT_OK)
        out = p->trace_kernels[0];
    else
        printf("# %s\n", err.message);
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    return out;
}

static void test_residual(void) {
    /* What the models say of the product on the origin. */
    const habitat_gpu *t4 = gpu_named("T4"), *v100 = gpu_named("V100-SXM2-32GB");
    habitat_gemm_shape shape = {.b = 1, .m = 4096, .n = 4096, .k = 4096};
    habitat_work work;
    habitat_model_estimate answer;
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work};
    CHECK_INT(habitat_models_predict(models, HABITAT_MODEL_AUTO, 1, &t4, 1, &query, &answer, NULL),
              HABITAT_OK);
    static const struct {
        double factor;
        bool learned;
    } rows[] = {{1, true},       {31, true},       {33, false},  {1000, false},
                {1. / 31, true}, {1. / 33, false}, {1e-3, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        habitat_estimate e =
            product_on(t4, v100, "[[4096, 4096], [4096, 4096]]", rows[i].factor * answer.ms);
        CHECK_INT(e.method == HABITAT_METHOD_LEARNED, rows[i].learned);
    }
    check_case("a measurement 32 times off the model means something else: the rule answers");
}

static void test_one_answer(void) {
    /* A measurement that is just what the model says of the origin leaves no residual: inside a
     * trace the destination gets what it gets alone. The second part of the GA100 was never
     * measured; what was seen of the first goes for it. */
    static const char *const names[] = {"A100-PCIE-40GB", "A100-PCIE-80GB", "V100-PCIE-32GB"};
    const habitat_gpu *t4 = gpu_named("T4");
    habitat_gemm_shape shape = {.b = 1, .m = 4096, .n = 4096, .k = 4096};
    habitat_work work;
    habitat_estimate origin = {.ms = NAN};
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    CHECK_INT(ask_operation(&work, t4, HABITAT_METHOD_AUTO, &origin, NULL), HABITAT_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        habitat_estimate alone = {.ms = NAN}, inside;
        CHECK_INT(ask_operation(&work, gpu_named(names[i]), HABITAT_METHOD_AUTO, &alone, NULL),
                  HABITAT_OK);
        inside = product_on(t4, gpu_named(names[i]), "[[4096, 4096], [4096, 4096]]", origin.ms);
        CHECK_NEAR(inside.ms, alone.ms, 1e-5); /* the made trace has whole nanoseconds */
    }
    habitat_gemm_shape heads = {.b = 128, .m = 512, .n = 64, .k = 512};
    double ms[2];
    CHECK_INT(habitat_work_gemm(&heads, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    for (size_t i = 0; i < 2; i++) {
        habitat_estimate alone = {.ms = NAN};
        CHECK_INT(ask_operation(&work, gpu_named(names[i]), HABITAT_METHOD_AUTO, &alone, NULL),
                  HABITAT_OK);
        ms[i] = alone.ms;
    }
    CHECK(ms[1] <= ms[0] && ms[1] > 0.85 * ms[0]); /* 108 SMs each, rates of 16.4 and 17.5 */
    check_case("an operation has one answer, alone and in a trace, and parts of one chip share it");
}

/* M of an operation in fp32; NaN where the model does not know it. */
static double model_ms(const habitat_work *work, const habitat_gpu *gpu) {
    habitat_model_query query = {.work = work};
    habitat_model_estimate answer = {0};
    CHECK_INT(
        habitat_models_predict(models, HABITAT_MODEL_TRANSFER, 1, &gpu, 1, &query, &answer, NULL),
        HABITAT_OK);
    return answer.covered ? answer.ms : NAN;
}

/* T_d = M_d exp(sign max(0, |log(T_o / M_o)| - |log(M_d / M_o)|)), as docs/formulas.md has it. */
static double faded_ms(double measured, double origin, double dest) {
    double longer = fmax(measured / origin, origin / measured);
    double apart = fmax(dest / origin, origin / dest);
    double left = fmax(1.0, longer / apart);
    return measured > origin ? dest * left : dest / left;
}

static void test_convolutions(void) {
    static const char *const names[] = {"H200-SXM5-141GB", "H100-SXM5-80GB", "H100-PCIE-80GB",
                                        "RTX3090",         "A100-SXM4-80GB", "T4"};
    const char path[] = HABITAT_SOURCE_DIR "/data/recordings/vgg16_inference_b12_fp32_h200.json.gz";
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    size_t count = 0, listed = 0, checked = 0;
    CHECK_INT(habitat_trace_read(path, &trace, NULL), HABITAT_OK);
    CHECK_INT(habitat_workload_create(trace, gpu_named("H200-SXM5-141GB"), &w, NULL), HABITAT_OK);
    const habitat_workload_group *groups = habitat_workload_groups(w, &count);
    const uint32_t *index = habitat_workload_group_index(w, &listed);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const habitat_gpu *dest = gpu_named(names[n]);
        habitat_prediction *p = NULL;
        CHECK_INT(habitat_predict(w, dest, HABITAT_METHOD_AUTO, &p, NULL), HABITAT_OK);
        for (size_t g = 0; p && g < count; g++) {
            if (groups[g].work->op_class != HABITAT_CLASS_CONV)
                continue;
            double ms = 0.0, origin = model_ms(groups[g].work, gpu_named(names[0]));
            for (uint32_t k = 0; k < groups[g].kernel_count; k++)
                ms += p->trace_kernels[index[groups[g].first_kernel + k]].ms;
            double expected = faded_ms(groups[g].origin_ms, origin, model_ms(groups[g].work, dest));
            CHECK_NEAR(ms, expected, 1e-9);
            if (n == 0)
                CHECK_NEAR(ms, groups[g].origin_ms, 1e-9);
            checked++;
        }
        habitat_prediction_free(p);
    }
    CHECK(checked > 60);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("what a convolution takes beyond its model fades as the model's times part");
}

/* M of a recorded layer, asked as `op` does. */
static double op_ms(const habitat_work *work, const habitat_gpu *gpu) {
    habitat_estimate alone = {.ms = NAN};
    CHECK_INT(ask_operation(work, gpu, HABITAT_METHOD_AUTO, &alone, NULL), HABITAT_OK);
    return alone.ms;
}

/* An H200 runs four of GNMT's five kinds of layers in fp16 as one kernel each, an A100 too; a T4
 * and an RTX3090 step. */
static void test_recurrent(void) {
    static const char *const names[] = {"A100-SXM4-80GB", "T4", "RTX3090", "RTX2080Ti"};
    const char path[] = HABITAT_SOURCE_DIR "/data/recordings/gnmt_b32_amp_fp16_h200.json.gz";
    const habitat_gpu *h200 = gpu_named("H200-SXM5-141GB");
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    size_t count = 0, listed = 0, asked = 0;
    CHECK_INT(habitat_trace_read(path, &trace, NULL), HABITAT_OK);
    CHECK_INT(habitat_workload_create(trace, h200, &w, NULL), HABITAT_OK);
    const habitat_workload_group *groups = habitat_workload_groups(w, &count);
    const uint32_t *index = habitat_workload_group_index(w, &listed);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const habitat_gpu *dest = gpu_named(names[n]);
        habitat_prediction *p = NULL;
        CHECK_INT(habitat_predict(w, dest, HABITAT_METHOD_AUTO, &p, NULL), HABITAT_OK);
        for (size_t g = 0; p && g < count; g++) {
            rnn_way here, there;
            if (!workload_rnn_way(&groups[g], h200, &here) ||
                !workload_rnn_way(&groups[g], dest, &there))
                continue;
            const habitat_estimate *first = &p->trace_kernels[index[groups[g].first_kernel]];
            CHECK_INT(first->method == HABITAT_METHOD_LEARNED, here != there);
            if (here == there)
                continue;
            double ms = 0.0, residual = groups[g].origin_ms / op_ms(groups[g].work, h200);
            for (uint32_t k = 0; k < groups[g].kernel_count; k++)
                ms += p->trace_kernels[index[groups[g].first_kernel + k]].ms;
            CHECK_NEAR(ms, op_ms(groups[g].work, dest) * pow(residual, 0.25), 1e-9);
            CHECK(first->high_ms > 1.5 * first->low_ms);
            asked++;
        }
        habitat_prediction_free(p);
    }
    CHECK(asked >= 3 * 8); /* none on the A100 */
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("a recurrent layer that the destination runs another way takes what it takes there");
}

/* A GPU of a user's file: the built-in one with every rate times `factor`. */
static habitat_gpu user_gpu(const habitat_gpu *gpu, double factor) {
    habitat_gpu mine = *gpu;
    mine.file = "mine.json";
    mine.built_in = false;
    mine.reference = gpu;
    mine.memory_bandwidth_bytes_per_s *= factor;
    mine.sustained_bandwidth_bytes_per_s *= factor;
    for (int i = 0; i < HABITAT_DTYPE_COUNT; i++) {
        mine.peak.matrix_flop_per_s[i] *= factor;
        mine.peak.plain_flop_per_s[i] *= factor;
        mine.sustained.matrix_flop_per_s[i] *= factor;
        mine.sustained.plain_flop_per_s[i] *= factor;
    }
    return mine;
}

static void test_user_gpu(void) {
    static const struct {
        const char *dims;
        double ms; /* about what a T4 takes */
    } rows[] = {{"[[4096, 4096], [4096, 4096]]", 33},
                {"[[512, 1024], [1024, 768]]", 0.25},
                {"[[64, 8192], [8192, 64]]", 0.1}};
    const habitat_gpu *t4 = gpu_named("T4"), *a100 = gpu_named("A100-SXM4-80GB");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        habitat_gpu same = user_gpu(a100, 1), twice = user_gpu(a100, 2);
        habitat_estimate base = product_on(t4, a100, rows[i].dims, rows[i].ms);
        habitat_estimate as_listed = product_on(t4, &same, rows[i].dims, rows[i].ms);
        habitat_estimate faster = product_on(t4, &twice, rows[i].dims, rows[i].ms);
        CHECK_INT(base.method, HABITAT_METHOD_LEARNED);
        CHECK_INT(faster.method, HABITAT_METHOD_LEARNED);
        CHECK_NEAR(as_listed.ms, base.ms, 1e-12);
        CHECK_NEAR(faster.ms, base.ms / 2, 1e-9);
    }
    check_case("twice every rate in a user's file is half the time of a learned operation");
}

static void test_attention_backward(void) {
    /* five products for the forward pass's two */
    const habitat_gpu *a100 = gpu_named("A100-SXM4-80GB");
    habitat_attention_shape shape = {.batch = 4,
                                     .heads = 16,
                                     .kv_heads = 16,
                                     .q_len = 2048,
                                     .kv_len = 2048,
                                     .head_dim = 64,
                                     .v_head_dim = 64};
    habitat_estimate forward = {.ms = NAN}, backward = {.ms = NAN};
    habitat_work work;
    CHECK_INT(habitat_work_attention(&shape, HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD, &work),
              HABITAT_OK);
    CHECK_INT(ask_operation(&work, a100, HABITAT_METHOD_AUTO, &forward, NULL), HABITAT_OK);
    CHECK_INT(habitat_work_attention(&shape, HABITAT_DTYPE_BF16, HABITAT_PASS_BACKWARD, &work),
              HABITAT_OK);
    CHECK_INT(ask_operation(&work, a100, HABITAT_METHOD_AUTO, &backward, NULL), HABITAT_OK);
    CHECK_INT(forward.method, HABITAT_METHOD_LEARNED);
    /* 1.11 and .98 of the models' (docs/decisions/0522), past what both begin with */
    double begin_ms = 8.5e-3 / 1.41;
    CHECK_NEAR((backward.ms - begin_ms) / (forward.ms - begin_ms), 2.5 * 1.11 / (.9 * pow(2, .129)),
               1e-6);
    check_case(
        "fused attention's backward pass takes two and a half times its forward pass, and more");
}

/* What a product in fp8 is of a time with its operand's conversion: most of it where each element
 * is used for many columns. */
static double fp8_share(double n) {
    habitat_gemm_shape shape = {.b = 1, .m = 16384, .n = n, .k = 4096};
    habitat_work work;
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_FP8, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work};
    return operator_converted_share(&query, gpu_named("H100-SXM5-80GB"));
}

static void test_fp8_alone(void) {
    CHECK(fp8_share(2048) > 0.3 && fp8_share(2048) < 0.6);
    CHECK(fp8_share(65536) > 0.9 && fp8_share(65536) < 1);
    habitat_gemm_shape shape = {.b = 1, .m = 512, .n = 512, .k = 512};
    habitat_work work;
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_BF16, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work};
    CHECK_NEAR(operator_converted_share(&query, gpu_named("H100-SXM5-80GB")), 1, 0);
    check_case("a product in fp8 is a part of what converts its operand, too");
}

static double attention_ms(double q, double kv, bool causal, bool bottom_right, habitat_dtype dtype,
                           habitat_pass pass) {
    habitat_attention_shape shape = {.batch = 4,
                                     .heads = 16,
                                     .kv_heads = 16,
                                     .q_len = q,
                                     .kv_len = kv,
                                     .head_dim = 64,
                                     .v_head_dim = 64,
                                     .causal = causal,
                                     .bottom_right = bottom_right};
    habitat_estimate out = {.ms = NAN};
    habitat_work work;
    CHECK_INT(habitat_work_attention(&shape, dtype, pass, &work), HABITAT_OK);
    CHECK_INT(ask_operation(&work, gpu_named("A100-SXM4-80GB"), HABITAT_METHOD_AUTO, &out, NULL),
              HABITAT_OK);
    CHECK_INT(out.method, HABITAT_METHOD_LEARNED);
    return out.ms;
}

/* 512 queries see the first 512 of 2048 keys, or the last 512 to 2048 of them; of 2048 queries and
 * 512 keys the first 1536 queries see nothing bottom-right, the last 1536 see all keys top-left. */
static void test_attention_masks(void) {
    static const habitat_dtype formats[] = {HABITAT_DTYPE_FP32, HABITAT_DTYPE_BF16,
                                            HABITAT_DTYPE_FP16};
    static const habitat_pass passes[] = {HABITAT_PASS_FORWARD, HABITAT_PASS_BACKWARD};
    for (size_t i = 0; i < 6; i++) {
        habitat_dtype f = formats[i / 2];
        habitat_pass p = passes[i % 2];
        double square = attention_ms(512, 512, true, false, f, p);
        double beside = attention_ms(1536, 512, false, false, f, p);
        double top = attention_ms(2048, 512, true, false, f, p);
        double whole = attention_ms(512, 2048, false, false, f, p);
        double end = attention_ms(512, 2048, true, true, f, p);
        CHECK_NEAR(attention_ms(512, 2048, true, false, f, p), square, 1e-12);
        CHECK_NEAR(attention_ms(512, 512, true, true, f, p), square, 1e-12);
        if (p == HABITAT_PASS_FORWARD) /* backward their gradients are written: zeros */
            CHECK_NEAR(attention_ms(512, 16384, true, false, f, p), square, 1e-12);
        CHECK_NEAR(top, square + beside, f == HABITAT_DTYPE_FP32 ? 0.1 : 0.15);
        CHECK(attention_ms(2048, 512, true, true, f, p) < 0.7 * top);
        CHECK(end > 3 * square && end < 1.2 * whole);
    }
    check_case("what a causal mask hides of unequal lengths is hidden in every format");
}

static void test_floor(void) {
    /* One element times one: nothing but the floor of what was timed, which trees of GPUs that were
     * seen, trained on calls of twice that length, exceed by a little. */
    const habitat_gpu *gpus[] = {gpu_named("T4"), gpu_named("V100-PCIE-16GB"), gpu_named("RTX4090"),
                                 gpu_named("H100-SXM5-80GB")};
    habitat_gemm_shape shape = {.b = 1, .m = 1, .n = 1, .k = 1};
    habitat_work work;
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work, .timing = HABITAT_TIMING_EAGER};
    for (int use = HABITAT_MODEL_AUTO; use <= HABITAT_MODEL_TRANSFER; use++) {
        habitat_model_estimate out[4];
        CHECK_INT(
            habitat_models_predict(models, (habitat_model_use)use, 4, gpus, 1, &query, out, NULL),
            HABITAT_OK);
        for (size_t g = 0; g < 4; g++) {
            CHECK(out[g].covered);
            CHECK(out[g].ms >= 0.050 && out[g].ms < 0.055);
            if (use == HABITAT_MODEL_TRANSFER)
                CHECK_NEAR(out[g].ms, 0.050, 1e-9);
        }
    }
    check_case("the smallest eager product takes the least that was ever timed: 50 us");
}

/* Two products whose questions have one number in the table of questions, found by trying half a
 * million. */
static const habitat_gemm_shape colliding[2] = {{.b = 1, .m = 896, .n = 1984, .k = 64},
                                                {.b = 1, .m = 192, .n = 1664, .k = 64}};
static const char *const colliding_dims[2] = {"[[896, 64], [64, 1984]]", "[[192, 64], [64, 1664]]"};

static uint32_t number_of(const habitat_work *work) {
    return habitat_table_fold(question_hash(&(habitat_model_query){.work = work}));
}

static void test_collision_of_queries(void) {
    const habitat_gpu *gpu = gpu_named("A100-SXM4-80GB");
    habitat_work work[2];
    habitat_model_query queries[2] = {{.work = &work[0]}, {.work = &work[1]}};
    habitat_model_estimate together[2], alone[2];
    for (size_t i = 0; i < 2; i++)
        CHECK_INT(habitat_work_gemm(&colliding[i], HABITAT_DTYPE_FP32, &work[i]), HABITAT_OK);
    CHECK_INT(number_of(&work[0]), number_of(&work[1])); /* else find another pair */
    CHECK(!question_same(&queries[0], &queries[1]) && question_same(&queries[0], &queries[0]));
    CHECK_INT(
        habitat_models_predict(models, HABITAT_MODEL_AUTO, 1, &gpu, 2, queries, together, NULL),
        HABITAT_OK);
    for (size_t i = 0; i < 2; i++) {
        CHECK_INT(habitat_models_predict(models, HABITAT_MODEL_AUTO, 1, &gpu, 1, &queries[i],
                                         &alone[i], NULL),
                  HABITAT_OK);
        CHECK(alone[i].covered);
        CHECK_NEAR(together[i].ms, alone[i].ms, 0);
    }
    CHECK(alone[0].ms > 1.2 * alone[1].ms);
    check_case("two operations of one hash get two answers of the models");
}

static void test_collision_in_auto(void) {
    const habitat_gpu *t4 = gpu_named("T4"), *v100 = gpu_named("V100-SXM2-32GB");
    const double ms[2] = {0.1, 0.03};
    const made_kernel kernels[2] = {product(colliding_dims[0], 0.1, ms[0]),
                                    product(colliding_dims[1], 0.3, ms[1])};
    habitat_trace *trace = made_trace(kernels, 2, NULL, "", 0);
    habitat_workload *w = NULL;
    habitat_prediction *p = NULL;
    CHECK_INT(habitat_workload_create(trace, t4, &w, NULL), HABITAT_OK);
    CHECK_INT(habitat_predict(w, v100, HABITAT_METHOD_AUTO, &p, NULL), HABITAT_OK);
    CHECK(w && w->group_count == 2 && number_of(w->groups[0].work) == number_of(w->groups[1].work));
    for (size_t i = 0; p && i < 2; i++) {
        habitat_estimate alone = product_on(t4, v100, colliding_dims[i], ms[i]);
        CHECK_INT(alone.method, HABITAT_METHOD_LEARNED);
        CHECK_NEAR(p->trace_kernels[i].ms, alone.ms, 0);
    }
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("two operations of one hash get two answers of auto");
}

/* An operation computes in what its longest kernel of those that do its arithmetic. */
static void test_arithmetic(void) {
    habitat_workload_kernel kernels[] = {
        {.main = true, .facts = {.time_ns = 5.0, .dtype = HABITAT_DTYPE_FP32}},
        {.main = true, .facts = {.time_ns = 7.0, .dtype = HABITAT_DTYPE_TF32, .matrix_unit = true}},
        {.main = true, .facts = {.time_ns = 7.0, .dtype = HABITAT_DTYPE_FP16}},
        {.main = true, .facts = {.time_ns = 9.0}}, /* of unknown format */
        {.main = false, .facts = {.time_ns = 11.0, .dtype = HABITAT_DTYPE_FP64}},
    };
    uint32_t index[] = {4, 0, 3, 1, 2};
    habitat_workload w = {.kernels = kernels, .kernel_count = 5, .group_index = index};
    habitat_work work = {.dtype = HABITAT_DTYPE_BF16};
    habitat_workload_group group = {.work = &work, .first_kernel = 0, .kernel_count = 5};
    workload_arithmetic in = workload_arithmetic_of(&w, &group);
    CHECK_INT(in.dtype, HABITAT_DTYPE_TF32); /* the first of two that are equally long */
    CHECK(in.matrix_unit);
    group.kernel_count = 2;
    in = workload_arithmetic_of(&w, &group);
    CHECK_INT(in.dtype, HABITAT_DTYPE_FP32);
    CHECK(!in.matrix_unit);
    group.kernel_count = 1; /* nothing tells */
    in = workload_arithmetic_of(&w, &group);
    CHECK_INT(in.dtype, HABITAT_DTYPE_BF16);
    CHECK(!in.matrix_unit);
    check_case("the longest main kernel tells what an operation computes in");
}

int main(void) {
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_models_load_default(&models, NULL), HABITAT_OK);
    test_residual();
    test_one_answer();
    test_convolutions();
    test_recurrent();
    test_user_gpu();
    test_attention_backward();
    test_attention_masks();
    test_fp8_alone();
    test_floor();
    test_collision_of_queries();
    test_collision_in_auto();
    test_arithmetic();
    habitat_models_free(models);
    habitat_gpu_table_free(table);
    return check_done();
}
