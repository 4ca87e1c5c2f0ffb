/* What a step was recorded in, which precisions a GPU cannot tell apart, and whether a second
 * recording is of the same step: src/workload/recorded_format.c, src/rescale/scale_match.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "made_trace.h"
#include "rescale/scale.h"
#include "workload/recorded_format.h"

static habitat_gpu_table *table;

static const habitat_gpu *gpu_named(const char *name) {
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    return gpu;
}

/* A kernel of a product and the formats of its operands. */
typedef struct product {
    made_kernel kernel;
    const char *types; /* NULL: fp32 */
} product;

#define KERNEL(kernel, ns, operation, sizes)                                                       \
    {                                                                                              \
        .name = (kernel), .duration_ns = (ns), .grid = 100, .block = 256, .op = (operation),       \
        .dims = (sizes)                                                                            \
    }

/* As in recordings: [64, 32] by [32, 16] are 65536 flop, [64, 64] by [64, 64] 524288. */
#define SMALL "[[64, 32], [32, 16]]"
#define LARGE "[[64, 64], [64, 64]]"
static const product fp32_small = {
    KERNEL("ampere_sgemm_32x32_sliced1x4_tn", 100000, "aten::mm", SMALL), NULL};
static const product tf32_large = {
    KERNEL("cutlass_80_tensorop_s1688gemm_128x128_nn_align4", 20000, "aten::mm", LARGE), NULL};
static const product fp16_large = {
    KERNEL("sm80_xmma_gemm_f16f16_f16f32_f32_nn_n", 20000, "aten::mm", LARGE),
    "[\"c10::Half\", \"c10::Half\"]"};
static const product mixed = {
    KERNEL("sm80_xmma_gemm_f16f16_f16f32_f32_nn_n", 20000, "aten::linear", LARGE),
    "[\"c10::Half\", \"float\"]"};
static const product unnamed_of_halves = {
    KERNEL("ampere_lstm_tile16<64, 2>", 20000, "aten::mm", LARGE),
    "[\"c10::BFloat16\", \"c10::BFloat16\"]"};

static const product fp16_small = {
    KERNEL("sm80_xmma_gemm_f16f16_f16f32_f32_nn_n", 1000, "aten::mm", SMALL),
    "[\"c10::Half\", \"c10::Half\"]"};
static const product bf16_small = {
    KERNEL("sm80_xmma_gemm_bf16bf16_bf16f32_f32_nn_n", 1000, "aten::mm", SMALL),
    "[\"c10::BFloat16\", \"c10::BFloat16\"]"};
static const product layer_fp16 = {KERNEL("sm80_xmma_gemm_f16f16_f16f32_f32_nn_n", 100000,
                                          "aten::_cudnn_rnn", "[[16, 50, 1024], [4194304]]"),
                                   "[\"c10::Half\", \"c10::Half\"]"};
static const product compiled = {KERNEL("triton_poi_fused_3", 200000, NULL, NULL), NULL};

typedef struct made_step {
    habitat_trace *trace;
    habitat_workload *w;
} made_step;

/* The made trace's text has fp32 operands everywhere: the list's own take their place. */
static char *with_types(const char *text, const product *list, size_t count) {
    static const char fp32[] = "[\"float\", \"float\"]";
    made_text out = {0};
    for (size_t i = 0; i < count; i++) {
        const char *at = strstr(text, fp32);
        if (!list[i].kernel.op)
            continue;
        made_write(&out, "%.*s%s", (int)(at - text), text, list[i].types ? list[i].types : fp32);
        text = at + sizeof fp32 - 1;
    }
    made_write(&out, "%s", text);
    return out.data;
}

static made_step step_of(const product *list, size_t count, const char *said, const char *gpu) {
    char extra[256] = "";
    made_kernel kernels[8];
    made_step out = {0};
    habitat_error err = {0};
    size_t size = 0;
    if (said)
        snprintf(extra, sizeof extra, "\"habitat\": {\"schema\": 1, %s},", said);
    for (size_t i = 0; i < count; i++)
        kernels[i] = list[i].kernel;
    char *text = made_trace_text(kernels, count, NULL, extra, 0, &size);
    char *typed = with_types(text, list, count);
    CHECK_INT(habitat_trace_read_memory(typed, strlen(typed), "made", &out.trace, &err),
              HABITAT_OK);
    CHECK_INT(habitat_workload_create(out.trace, gpu_named(gpu), &out.w, &err), HABITAT_OK);
    free(text);
    free(typed);
    return out;
}

static void free_step(made_step *s) {
    habitat_workload_free(s->w);
    habitat_trace_free(s->trace);
}

static void check_format(const product *kernels, size_t count, const char *said, const char *gpu,
                         habitat_precision precision, habitat_dtype half) {
    made_step s = step_of(kernels, count, said, gpu);
    recorded_format found = s.w->format;
    CHECK_INT(found.precision, precision);
    CHECK_INT(found.half, half);
    if (found.precision != precision || found.half != half)
        printf("# %s on %s\n", said ? said : "nothing", gpu);
    free_step(&s);
}

#define ON_BOTH      "\"matmul_allow_tf32\": true, \"cudnn_allow_tf32\": true"
#define ON_NONE      "\"matmul_allow_tf32\": false, \"cudnn_allow_tf32\": false"
#define ON_ONE       "\"matmul_allow_tf32\": false, \"cudnn_allow_tf32\": true"
#define FP32_WEIGHTS "\"parameter_dtype\": \"float32\""

/* The recording's own word goes before what most of its products are computed in: fp32. */
static void test_said(void) {
    static const struct {
        const char *said, *gpu;
        habitat_precision precision;
        habitat_dtype half;
    } cases[] = {
        {"\"autocast\": \"float16\", " FP32_WEIGHTS, "H200", HABITAT_PRECISION_AMP_FP16, 0},
        {"\"autocast\": \"bfloat16\", " ON_BOTH, "H200", HABITAT_PRECISION_AMP_BF16, 0},
        {"\"autocast\": \"bfloat16\", \"parameter_dtype\": \"bfloat16\"", "H200",
         HABITAT_PRECISION_AMP_BF16, 0},
        {"\"autocast\": null, \"parameter_dtype\": \"bfloat16\"", "H200",
         HABITAT_PRECISION_RECORDED, HABITAT_DTYPE_BF16},
        {"\"parameter_dtype\": \"float16\"", "H200", HABITAT_PRECISION_RECORDED,
         HABITAT_DTYPE_FP16},
        {"\"autocast\": null, " FP32_WEIGHTS ", " ON_BOTH, "H200", HABITAT_PRECISION_TF32, 0},
        {"\"autocast\": null, " FP32_WEIGHTS ", " ON_NONE, "H200", HABITAT_PRECISION_FP32, 0},
        /* no word, or none that says one thing: the product tells */
        {"\"autocast\": null, " FP32_WEIGHTS ", " ON_BOTH, "V100", HABITAT_PRECISION_FP32, 0},
        {"\"autocast\": null, " FP32_WEIGHTS ", " ON_ONE, "H200", HABITAT_PRECISION_FP32, 0},
        {"\"autocast\": null, \"parameter_dtype\": \"bfloat16+float32\"", "H200",
         HABITAT_PRECISION_FP32, 0},
        {"\"autocast\": \"float32\"", "H200", HABITAT_PRECISION_FP32, 0},
        {NULL, "H200", HABITAT_PRECISION_FP32, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const product steps[] = {fp32_small, fp32_small, fp16_small, fp32_small, bf16_small};
        bool fp16 = cases[i].said && strstr(cases[i].said, "\"float16");
        bool bf16 = cases[i].said && strstr(cases[i].said, "\"bfloat16\"");
        check_format(steps,
                     bf16   ? 5
                     : fp16 ? 3
                            : 2,
                     cases[i].said, cases[i].gpu, cases[i].precision, cases[i].half);
    }
    check_case("what a recording says of itself");
}

/* Trained weights in fp32 are listed; beside them there may be frozen ones in 16 bit. */
#define TRAINED                                                                                    \
    "\"memory\": {\"parameters_bytes\": 400000000, \"parameter_sizes\": {\"float32\": [16384]}}"

static void test_some_parameters(void) {
    static const struct {
        const char *said;
        habitat_precision precision;
        habitat_dtype half;
    } cases[] = {
        {"\"autocast\": null, \"parameter_dtype\": \"bfloat16+float32\", " TRAINED,
         HABITAT_PRECISION_RECORDED, HABITAT_DTYPE_BF16},
        {"\"parameter_dtype\": \"float32+bfloat16\", " TRAINED, HABITAT_PRECISION_RECORDED,
         HABITAT_DTYPE_BF16},
        {"\"autocast\": \"bfloat16\", \"parameter_dtype\": \"bfloat16+float32\", " TRAINED,
         HABITAT_PRECISION_AMP_BF16, 0},
        {"\"parameter_dtype\": \"float32+int8+\", " TRAINED, HABITAT_PRECISION_AMP_BF16, 0},
        {"\"parameter_dtype\": \"float32\", " TRAINED, HABITAT_PRECISION_AMP_BF16, 0},
    };
    const product steps[] = {bf16_small, bf16_small};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_format(steps, 2, cases[i].said, "H200", cases[i].precision, cases[i].half);
    check_case("parameters of several formats");
}

/* A note of 16 bits that no product is computed in, though all tell their format. */
static void test_doubted(void) {
    static const char fp16[] = "\"autocast\": \"float16\"",
                      half[] = "\"parameter_dtype\": \"bfloat16\"";
    const product other[] = {fp32_small, bf16_small}, hidden[] = {fp32_small, compiled};
    made_step s = step_of(&fp32_small, 1, fp16, "H200");
    format_doubt doubt = s.w->doubt;
    size_t count = 0;
    CHECK(doubt.autocast && !doubt.parameters);
    CHECK_INT(doubt.noted, HABITAT_DTYPE_FP16);
    CHECK_INT(doubt.shown, HABITAT_DTYPE_FP32);
    CHECK_TEXT(habitat_workload_warnings(s.w, &count)[0],
               "the recording says that its autocast was in fp16, but not one of its products is "
               "computed in fp16, most in fp32: the products are believed; record again");
    free_step(&s);
    check_format(&fp32_small, 1, fp16, "H200", HABITAT_PRECISION_FP32, 0);
    check_format(&fp32_small, 1, half, "H200", HABITAT_PRECISION_FP32, 0);
    check_format(other, 2, fp16, "H200", HABITAT_PRECISION_FP32, 0);
    check_format(hidden, 2, fp16, "H200", HABITAT_PRECISION_AMP_FP16, 0);
    check_format(&unnamed_of_halves, 1, half, "H200", HABITAT_PRECISION_RECORDED,
                 HABITAT_DTYPE_BF16);
    check_case("a noted format that no product is computed in is not believed");
}

/* 100 us of 65536 flop in fp32 beside 20 us of 524288 flop: what most is computed in, not what most
 * time goes to. A kernel whose name hides its format has that of its tensors. 16-bit tensors alone
 * are no autocast; one beside fp32 weights is. */
static void test_products(void) {
    const product tf32[] = {fp32_small, tf32_large};
    const product fp16[] = {fp32_small, fp16_large};
    const product lstm[] = {fp32_small, unnamed_of_halves};
    check_format(tf32, 2, NULL, "H200", HABITAT_PRECISION_TF32, 0);
    check_format(tf32, 2, ON_ONE, "H200", HABITAT_PRECISION_TF32, 0);
    check_format(fp16, 2, FP32_WEIGHTS, "H200", HABITAT_PRECISION_AMP_FP16, 0);
    check_format(lstm, 2, FP32_WEIGHTS, "H200", HABITAT_PRECISION_AMP_BF16, 0);
    check_format(fp16, 2, NULL, "H200", HABITAT_PRECISION_RECORDED, HABITAT_DTYPE_FP16);
    check_format(&mixed, 1, NULL, "H200", HABITAT_PRECISION_AMP_FP16, 0);
    check_case("what products tell");
    const product layers[] = {layer_fp16, bf16_small}, other[] = {layer_fp16, fp16_small};
    check_format(layers, 2, FP32_WEIGHTS, "H200", HABITAT_PRECISION_AMP_BF16, 0);
    check_format(other, 2, FP32_WEIGHTS, "H200", HABITAT_PRECISION_AMP_FP16, 0);
    check_format(layers, 1, FP32_WEIGHTS, "H200", HABITAT_PRECISION_AMP_FP16, 0);
    check_format(layers, 1, "\"autocast\": \"bfloat16\"", "H200", HABITAT_PRECISION_AMP_BF16, 0);
    check_case("recurrent layers in fp16 are bf16's autocast where anything else is in bf16");
}

static void test_settle(void) {
    static const habitat_precision recorded = HABITAT_PRECISION_RECORDED,
                                   fp32 = HABITAT_PRECISION_FP32, tf32 = HABITAT_PRECISION_TF32,
                                   fp16 = HABITAT_PRECISION_AMP_FP16,
                                   bf16 = HABITAT_PRECISION_AMP_BF16;
    const struct {
        const char *said;
        habitat_precision asked, on_h200, on_t4;
    } cases[] = {
        {ON_NONE, fp32, recorded, recorded},
        {ON_NONE, tf32, tf32, recorded},
        {ON_NONE, fp16, fp16, fp16},
        {ON_NONE, bf16, bf16, fp16},
        {ON_BOTH, fp32, fp32, recorded},
        {ON_BOTH, tf32, recorded, recorded},
        {"\"autocast\": \"float16\"", fp16, recorded, recorded},
        {"\"autocast\": \"float16\"", bf16, bf16, recorded},
        {"\"autocast\": \"bfloat16\"", fp16, fp16, fp16},
        {"\"autocast\": \"bfloat16\"", bf16, recorded, fp16},
        {"\"autocast\": \"bfloat16\"", recorded, recorded, fp16},
        {"\"autocast\": \"float16\"", recorded, recorded, recorded},
        {"\"parameter_dtype\": \"bfloat16\"", recorded, recorded, recorded},
        {"\"autocast\": \"bfloat16\"", tf32, tf32, fp32},
        {"\"parameter_dtype\": \"float16\"", tf32, tf32, fp32},
        {ON_NONE, recorded, recorded, recorded},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const product all[] = {fp32_small, fp32_small, fp16_small, fp32_small, bf16_small};
        made_step s = step_of(all,
                              strstr(cases[i].said, "\"bfloat16\"")  ? 5
                              : strstr(cases[i].said, "\"float16\"") ? 3
                                                                     : 1,
                              cases[i].said, "H200");
        CHECK_INT(precision_settle(s.w, cases[i].asked, gpu_named("H200")), cases[i].on_h200);
        CHECK_INT(precision_settle(s.w, cases[i].asked, NULL), cases[i].on_h200);
        CHECK_INT(precision_settle(s.w, cases[i].asked, gpu_named("T4")), cases[i].on_t4);
        CHECK_INT(precision_settle(s.w, cases[i].asked, gpu_named("K40")), cases[i].on_t4);
        free_step(&s);
    }
    check_case("what a precision comes to on a GPU");
}

static void test_half(void) {
    made_step s = step_of(&unnamed_of_halves, 1, "\"parameter_dtype\": \"bfloat16\"", "H200");
    habitat_workload *out = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.precision = HABITAT_PRECISION_AMP_FP16};
    CHECK_INT(habitat_workload_scale(s.w, &scale, NULL, &out, &err), HABITAT_E_UNSUPPORTED);
    CHECK_TEXT(err.message,
               "the step was recorded in bf16 throughout, weights too: autocast keeps "
               "weights in fp32 and casts them; leave out amp-fp16, or record the step "
               "with autocast or in fp32");
    CHECK(out == NULL);
    scale.precision = HABITAT_PRECISION_FP32;
    CHECK_INT(habitat_workload_scale(s.w, &scale, NULL, &out, &err), HABITAT_OK);
    habitat_workload_free(out);
    free_step(&s);
    check_case("16 bit throughout is no autocast");
}

/* What is left of the recorded time of an operation. */
static double left_of(const made_step *s, const habitat_workload *after, const char *name) {
    for (size_t g = 0; g < s->w->group_count; g++)
        if (strcmp(s->w->groups[g].operation->form->name, name) == 0)
            return after->groups[g].origin_ms / s->w->groups[g].origin_ms;
    return NAN;
}

/* An addition halves its bytes. A gather and a scatter go through as many places as before; rows of
 * a table are copied, and autocast leaves its weights alone. */
static void test_places(void) {
    static const product step[] = {
        {KERNEL("ampere_sgemm_32x32_sliced1x4_tn", 100000, "aten::mm", "[[3072, 64], [64, 256]]"),
         NULL},
        {KERNEL("vectorized_gather_kernel", 200000, "aten::gather",
                "[[512, 256], [], [3072, 256], []]"),
         "[\"float\", \"Scalar\", \"long int\", \"Scalar\"]"},
        {KERNEL("indexFuncLargeIndex", 400000, "aten::index_add",
                "[[512, 256], [], [3072], [3072, 256], []]"),
         "[\"float\", \"Scalar\", \"long int\", \"float\", \"Scalar\"]"},
        {KERNEL("vectorized_elementwise_kernel", 100000, "aten::mul", "[[3072, 256], [3072, 256]]"),
         NULL}};
    made_step s = step_of(step, 4, NULL, "H200");
    habitat_workload *out = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.precision = HABITAT_PRECISION_AMP_BF16};
    CHECK_INT(habitat_workload_scale(s.w, &scale, NULL, &out, &err), HABITAT_OK);
    CHECK_NEAR(left_of(&s, out, "aten::gather"), 1.0, 1e-9);
    CHECK_NEAR(left_of(&s, out, "aten::index_add"), 1.0, 1e-9);
    CHECK(left_of(&s, out, "aten::mul") < 0.7);
    habitat_workload_free(out);
    free_step(&s);
    check_case("gathers and scatters take in 16 bit what they take in fp32");
}

/* Products that no model covers, at twice the batch of 8: 64 rows by 1024 columns are 64 tiles of
 * 32 x 32 and 128 rows 128, which 132 multiprocessors take at once. */
static void test_tiles(void) {
    static const char reals[] = "[\"double\", \"double\"]";
    static const char complexes[] = "[\"c10::complex<float>\", \"c10::complex<float>\"]";
    const product step[] = {
        {KERNEL("vectorized_elementwise_kernel", 100000, "aten::relu", "[[8, 8, 1024]]"), NULL},
        {KERNEL("vectorized_elementwise_kernel", 100000, "aten::relu", "[[8, 256, 1024]]"), NULL},
        {KERNEL("dgemm", 100000, "aten::mm", "[[64, 1024], [1024, 1024]]"), reals},
        {KERNEL("cgemm", 100000, "aten::mm", "[[64, 1024], [1024, 1024]]"), complexes},
        {KERNEL("cgemm", 900000, "aten::mm", "[[2048, 1024], [1024, 1024]]"), complexes}};
    made_step s = step_of(step, 5, "\"batch_size\": 8", "H200");
    habitat_workload *out = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.batch_size = 16};
    double times[5] = {0.0};
    CHECK_INT(habitat_workload_scale(s.w, &scale, NULL, &out, &err), HABITAT_OK);
    for (size_t k = 0; out && k < 5; k++)
        times[k] = out->kernels[k].facts.time_ns / s.w->kernels[k].facts.time_ns;
    CHECK_NEAR(times[2], 1.0, 1e-9);
    CHECK_NEAR(times[3], 1.0, 1e-9);
    CHECK(times[4] > 1.9 && times[4] < 2.01); /* 128 tiles of 128 x 128, and of 256 x 128 */
    habitat_workload_free(out);
    free_step(&s);
    check_case("products that no model covers take whole tiles and waves");
}

/* Sizes of a convolution, and its other inputs as they are recorded: the last word on them holds.
 */
#define CONVOLVED(sizes, one, none, groups)                                                        \
    "[" sizes ", [], [], [], [], []], \"Concrete Inputs\": [\"\", \"\", \"\", \"" one              \
    "\", \"" none "\", \"" one "\", \"" groups "\"]"

/* Element-wise kernels whose operands differ work out each place, in 16 bit as in fp32. A channel a
 * group is no product of matrices, so that TF32 changes nothing. */
static void test_alike(void) {
    static const product step[] = {
        {KERNEL("ampere_sgemm_32x32_sliced1x4_tn", 100000, "aten::mm", "[[3072, 64], [64, 256]]"),
         NULL},
        {KERNEL("elementwise_kernel", 100000, "aten::mul", "[[3072, 256], [3072, 256]]"),
         "[\"float\", \"bool\"]"},
        {KERNEL("conv_depthwise2d_forward_kernel", 100000, "aten::conv2d",
                CONVOLVED("[8, 32, 56, 56], [32, 1, 3, 3]", "[1, 1]", "[1, 1]", "32")),
         NULL}};
    static const habitat_precision precisions[] = {
        HABITAT_PRECISION_TF32, HABITAT_PRECISION_AMP_BF16, HABITAT_PRECISION_AMP_FP16};
    made_step s = step_of(step, 3, NULL, "H200");
    for (size_t i = 0; i < 3; i++) {
        habitat_workload *out = NULL;
        habitat_error err = {0};
        habitat_scale scale = {.precision = precisions[i]};
        CHECK_INT(habitat_workload_scale(s.w, &scale, NULL, &out, &err), HABITAT_OK);
        CHECK(left_of(&s, out, "aten::mm") < 0.9);
        CHECK_NEAR(left_of(&s, out, "aten::mul"), 1.0, 1e-9);
        if (precisions[i] == HABITAT_PRECISION_TF32)
            CHECK_NEAR(left_of(&s, out, "aten::conv2d"), 1.0, 1e-9);
        habitat_workload_free(out);
    }
    free_step(&s);
    check_case("what no format makes quicker stays");
}

/* PyTorch gives a convolution along a line a height of one. */
static void test_lines(void) {
    static const product step[] = {
        {KERNEL("sgemm", 1000000, "aten::conv1d",
                CONVOLVED("[32, 128, 2048], [1024, 128, 1]", "[1]", "[0]", "1")),
         NULL},
        {KERNEL("sgemm", 1000000, "aten::conv2d",
                CONVOLVED("[32, 128, 1, 2048], [1024, 128, 1, 1]", "[1, 1]", "[0, 0]", "1")),
         NULL}};
    made_step s = step_of(step, 2, NULL, "H200");
    habitat_workload *out = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.precision = HABITAT_PRECISION_TF32};
    CHECK_INT(habitat_workload_scale(s.w, &scale, NULL, &out, &err), HABITAT_OK);
    CHECK_NEAR(left_of(&s, out, "aten::conv1d") / left_of(&s, out, "aten::conv2d"), 1.0, 1e-6);
    habitat_workload_free(out);
    free_step(&s);
    check_case("convolutions along a line are of images a pixel high");
}

/* ---- casts ---- */

static size_t added_casts(const product *kernels, size_t count, habitat_precision precision,
                          bool widening) {
    made_step s = step_of(kernels, count, NULL, "H200");
    habitat_workload *out = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.precision = precision};
    size_t found = 0;
    CHECK_INT(habitat_workload_scale(s.w, &scale, NULL, &out, &err), HABITAT_OK);
    for (size_t g = s.w->group_count; out && g < out->group_count; g++) {
        const habitat_work *work = out->groups[g].work;
        found += strcmp(out->groups[g].operation->form->name, "aten::_to_copy") == 0 &&
                 (work->write_bytes > work->read_bytes) == widening;
    }
    habitat_workload_free(out);
    free_step(&s);
    return found;
}

#define LINEAR                                                                                     \
    {                                                                                              \
        KERNEL("ampere_sgemm_32x32_sliced1x4_tn", 100000, "aten::linear", "[[64, 32], [32, 32]]"), \
            NULL                                                                                   \
    }
#define ELEMENTS(name)                                                                             \
    { KERNEL("vectorized_elementwise_kernel", 50000, name, "[[64, 32], [64, 32]]"), NULL }

static void test_casts(void) {
    const habitat_precision bf16 = HABITAT_PRECISION_AMP_BF16, fp16 = HABITAT_PRECISION_AMP_FP16;
    const product beside[] = {LINEAR, LINEAR, LINEAR, ELEMENTS("aten::mul"), LINEAR};
    CHECK_INT(added_casts(beside, 5, bf16, false), 3);
    check_case("linear layers side by side cast what they read, each anew");
    const product residual[] = {ELEMENTS("aten::layer_norm"), LINEAR, ELEMENTS("aten::add"),
                                ELEMENTS("aten::gelu_backward")};
    CHECK_INT(added_casts(residual, 3, bf16, false), 1);
    CHECK_INT(added_casts(residual, 4, bf16, false), 2);
    check_case("the gradient of a sum in two formats is cast for the operand in 16 bit");
    const product softmax[] = {
        LINEAR, {KERNEL("softmax_warp_forward", 50000, "aten::softmax", "[[64, 32], []]"), NULL}};
    CHECK_INT(added_casts(softmax, 2, bf16, true), 1);
    CHECK_INT(added_casts(softmax, 2, fp16, true), 0);
    check_case("softmaxes make fp32 of bf16 first, and read fp16");
}

/* ---- a second recording ---- */

#define PRODUCT(sizes)                                                                             \
    { KERNEL("ampere_sgemm_32x32_sliced1x4_tn", 100000, "aten::mm", sizes), NULL }
#define ADDITION(sizes)                                                                            \
    { KERNEL("vectorized_elementwise_kernel", 50000, "aten::add", sizes), NULL }

static void check_twins(const product *kernels, size_t count, const char *said,
                        habitat_status status, size_t found, const char *message) {
    const product first[] = {PRODUCT("[[64, 32], [32, 16]]"), ADDITION("[[64, 16], [64, 16]]"),
                             PRODUCT("[[64, 16], [16, 16]]"), ADDITION("[[64, 16], [64, 16]]")};
    made_step a = step_of(first, 4,
                          "\"batch_size\": 64, \"memory\": {\"parameter_sizes\": "
                          "{\"float32\": [512, 256]}}",
                          "H200");
    made_step b = step_of(kernels, count, said, "H200");
    scale_twins twins = {0};
    habitat_error err = {0};
    CHECK_INT(scale_check_twins(a.w, b.w, &twins, &err), status);
    CHECK_TEXT(err.message, message);
    if (status == HABITAT_OK) {
        CHECK_INT(twins.operations, 4);
        CHECK_INT(twins.found, found);
    }
    free_step(&a);
    free_step(&b);
}

static void test_twins(void) {
    const product same[] = {PRODUCT("[[8, 32], [32, 16]]"), ADDITION("[[8, 16], [8, 16]]"),
                            PRODUCT("[[8, 16], [16, 16]]"), ADDITION("[[8, 16], [8, 16]]")};
    const product wider[] = {PRODUCT("[[8, 32], [32, 24]]"), ADDITION("[[8, 24], [8, 24]]"),
                             PRODUCT("[[8, 24], [24, 16]]"), ADDITION("[[8, 16], [8, 16]]")};
    check_twins(same, 4, "\"batch_size\": 8", HABITAT_OK, 4, "");
    check_twins(same, 3, "\"batch_size\": 8", HABITAT_OK, 3, "");
    check_twins(wider, 4, "\"batch_size\": 8", HABITAT_E_ARG, 0,
                "the second recording is of another step: 1 of 4 operations are found in it again; "
                "give the same script in the same precision at another batch size, or none");
    const product halves[] = {fp16_large, fp16_large, fp16_large, fp16_large};
    check_twins(halves, 4, "\"batch_size\": 8, \"autocast\": \"float16\"", HABITAT_E_ARG, 0,
                "the second recording is in amp-fp16, and this one in fp32; give the same script "
                "in the same precision at another batch size, or none");
    check_twins(same, 4,
                "\"batch_size\": 8, \"memory\": {\"parameter_sizes\": {\"float32\": [512, 300]}}",
                HABITAT_E_ARG, 0,
                "the second recording is of another model, of 812 weights and not 768; give the "
                "same script in the same precision at another batch size, or none");
    check_case("a second recording of another step is refused");
}

int main(void) {
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    test_said();
    test_some_parameters();
    test_doubted();
    test_products();
    test_settle();
    test_half();
    test_places();
    test_tiles();
    test_alike();
    test_lines();
    test_casts();
    test_twins();
    habitat_gpu_table_free(table);
    return check_done();
}
