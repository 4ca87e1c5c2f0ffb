/* With how many kernels a library runs a recurrent layer, and what another precision does to them:
 * src/work/rnn_way.c, src/workload/rnn_calls.c, src/rescale/scale_cast.c,
 * src/predict/rescale_times.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "recorded.h"
#include "work/rnn_way.h"
#include "workload/rnn_calls.h"

static const rnn_device h200 = {90, 132}, a100 = {80, 108}, a30 = {80, 56}, a40 = {86, 84},
                        v100 = {70, 80}, t4 = {75, 40}, m40 = {52, 24}, rtx4090 = {89, 128},
                        mi300x = {0, 304};

/* shape: gates, batch, steps, input, hidden, layers, both directions, lengths that differ,
 * projection. */
typedef struct asked {
    const rnn_device *device;
    habitat_rnn_shape shape;
    habitat_dtype dtype;
    bool backward;
    rnn_way way;
} asked;

static const asked rule[] = {
    {&h200,
     {4, 32, 50, 1024, 1024, 1, false, false, 512},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 32, 50, 128, 128, 1, false, false, 64},
     HABITAT_DTYPE_FP32,
     false,
     RNN_STEP_BY_STEP},
    {&h200, {4, 32, 50, 1024, 1024, 1, false, false, 0}, HABITAT_DTYPE_FP16, false, RNN_PERSISTENT},
    {&h200, {4, 32, 50, 1024, 1024, 1, false, false, 0}, HABITAT_DTYPE_FP16, true, RNN_PERSISTENT},
    {&h200,
     {4, 32, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_BF16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 32, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP32,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 32, 50, 1024, 1024, 1, false, true, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 32, 50, 1024, 1024, 1, true, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 32, 50, 1024, 1024, 2, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {3, 32, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 32, 50, 1000, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 32, 50, 1024, 1152, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 36, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 136, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {1, 96, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200, {1, 88, 50, 1024, 1024, 1, false, false, 0}, HABITAT_DTYPE_FP16, false, RNN_PERSISTENT},
    {&a100,
     {4, 128, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_PERSISTENT},
    {&a30,
     {4, 32, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&a40,
     {4, 32, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&rtx4090,
     {4, 32, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_PERSISTENT},
    {&t4, {4, 32, 50, 1024, 1024, 1, false, false, 0}, HABITAT_DTYPE_FP16, false, RNN_STEP_BY_STEP},
    {&mi300x,
     {4, 32, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&v100, {4, 32, 50, 1024, 1024, 1, false, false, 0}, HABITAT_DTYPE_FP16, false, RNN_PERSISTENT},
    {&v100,
     {4, 80, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&v100,
     {4, 24, 50, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&v100,
     {4, 32, 9, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&v100,
     {4, 128, 20, 1024, 1024, 1, false, false, 0},
     HABITAT_DTYPE_FP16,
     false,
     RNN_STEP_BY_STEP},
    {&h200, {4, 32, 50, 1024, 192, 1, false, false, 0}, HABITAT_DTYPE_FP32, false, RNN_NARROW},
    {&h200, {4, 32, 50, 1024, 192, 1, false, false, 0}, HABITAT_DTYPE_FP32, true, RNN_STEP_BY_STEP},
    {&h200, {4, 32, 50, 1024, 128, 2, false, false, 0}, HABITAT_DTYPE_FP16, true, RNN_NARROW},
    {&h200, {1, 32, 50, 1024, 384, 1, false, false, 0}, HABITAT_DTYPE_FP32, false, RNN_NARROW},
    {&h200, {1, 32, 50, 1024, 384, 1, false, false, 0}, HABITAT_DTYPE_FP32, true, RNN_STEP_BY_STEP},
    {&h200,
     {4, 32, 50, 1024, 128, 1, false, false, 0},
     HABITAT_DTYPE_BF16,
     false,
     RNN_STEP_BY_STEP},
    {&h200,
     {4, 32, 50, 1024, 128, 1, false, false, 0},
     HABITAT_DTYPE_FP64,
     false,
     RNN_STEP_BY_STEP},
    {&m40, {4, 32, 50, 1024, 128, 1, false, false, 0}, HABITAT_DTYPE_FP32, false, RNN_STEP_BY_STEP},
};

static void test_rule(void) {
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        CHECK_INT(rnn_way_of(&rule[i].shape, rule[i].dtype, rule[i].backward, rule[i].device),
                  rule[i].way);
    check_case("which layers PyTorch gives one kernel for all steps");
}

/* Kernels of recurrent layers that take time. */
static size_t kernels_of(const habitat_workload *w) {
    size_t count = 0;
    for (size_t k = 0; k < w->kernel_count; k++)
        count += w->kernels[k].op_class == HABITAT_CLASS_RNN &&
                 !habitat_is_copy(w->kernels[k].kernel) && w->kernels[k].facts.time_ns > 0.0;
    return count;
}

static size_t named(const habitat_workload *w, const char *name) {
    size_t count = 0;
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_operation *op = w->groups[g].operation;
        count += op && strcmp(op->form->name, name) == 0;
    }
    return count;
}

static habitat_prediction *predicted(const recorded *r, habitat_precision precision,
                                     habitat_workload **after) {
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    habitat_scale scale = {.precision = precision};
    CHECK_INT(habitat_workload_scale(r->w, &scale, NULL, after, &err), HABITAT_OK);
    CHECK_INT(habitat_predict(*after, r->origin, HABITAT_METHOD_AUTO, &p, &err), HABITAT_OK);
    return p;
}

/* GNMT has seven layers of one direction and one of two: as recorded in fp16, 399 kernels of theirs
 * where fp32 has 1855. */
static void test_precision(const habitat_gpu_table *table) {
    recorded wide = recorded_open(table, "gnmt_b32_fp32_h200");
    recorded narrow = recorded_open(table, "gnmt_b32_amp_fp16_h200");
    habitat_workload *after = NULL, *back = NULL;
    habitat_prediction *p = predicted(&wide, HABITAT_PRECISION_AMP_FP16, &after);
    habitat_prediction *q = predicted(&narrow, HABITAT_PRECISION_FP32, &back);
    CHECK(kernels_of(wide.w) > 1800 && kernels_of(after) < 600);
    CHECK(p->calls_more < -2000.0);
    CHECK_NEAR(q->calls_more, -p->calls_more, 1e-9);
    check_case("layers of one kernel in fp16 are launched as such, and step by step in fp32");
    CHECK_INT(named(after, "aten::_to_copy of a weight"), 36 + 4); /* and those of linear layers */
    CHECK_INT(named(after, "aten::zero_ of a weight"), 8);
    check_case("autocast casts each weight in the list of a recurrent layer");
    habitat_prediction_free(p);
    habitat_prediction_free(q);
    habitat_workload_free(after);
    habitat_workload_free(back);
    recorded_close(&wide);
    recorded_close(&narrow);
}

static size_t layers_in(const habitat_workload *w, habitat_dtype dtype) {
    size_t count = 0;
    for (size_t g = 0; g < w->group_count; g++)
        count += w->groups[g].work->op_class == HABITAT_CLASS_RNN && w->groups[g].work->known &&
                 w->groups[g].work->dtype == dtype;
    return count;
}

static size_t products_in(const habitat_workload *w, habitat_dtype dtype) {
    size_t count = 0;
    for (size_t g = 0; g < w->group_count; g++)
        count +=
            w->groups[g].work->op_class == HABITAT_CLASS_GEMM && w->groups[g].work->dtype == dtype;
    return count;
}

/* Autocast to bf16 has cuDNN's layers in fp16: GNMT's eight, forward and back, are one kernel for
 * all steps there as in fp16, and their neighbours cast between the two. What joins both formats is
 * fp32, as recorded. */
static void test_bf16(const habitat_gpu_table *table) {
    recorded wide = recorded_open(table, "gnmt_b32_fp32_h200");
    recorded narrow = recorded_open(table, "in_turns/gnmt_b16_amp_bf16_h200");
    habitat_workload *bf16 = NULL, *fp16 = NULL, *back = NULL, *other = NULL;
    habitat_prediction *p = predicted(&wide, HABITAT_PRECISION_AMP_BF16, &bf16);
    habitat_prediction *q = predicted(&wide, HABITAT_PRECISION_AMP_FP16, &fp16);
    habitat_prediction *r = predicted(&narrow, HABITAT_PRECISION_FP32, &back);
    CHECK_INT(layers_in(bf16, HABITAT_DTYPE_FP16), 16);
    CHECK_INT(layers_in(bf16, HABITAT_DTYPE_BF16), 0);
    CHECK_INT(kernels_of(bf16), kernels_of(fp16));
    CHECK_NEAR(p->rnn_calls_more, q->rnn_calls_more, 0.0);
    CHECK(p->rnn_calls_more < -2000.0);
    check_case("recurrent layers are those of fp16 under autocast to bf16");
    CHECK(products_in(bf16, HABITAT_DTYPE_BF16) > 10);
    CHECK_INT(products_in(bf16, HABITAT_DTYPE_FP16), 0);
    CHECK_INT(named(bf16, "aten::_to_copy"), named(fp16, "aten::_to_copy") + 3);
    check_case("all other products are in bf16, and what goes between is cast");
    CHECK_INT(narrow.w->format.precision, HABITAT_PRECISION_AMP_BF16);
    CHECK_INT(layers_in(narrow.w, HABITAT_DTYPE_FP16), 16);
    CHECK_INT(layers_in(back, HABITAT_DTYPE_FP32), 16);
    CHECK_NEAR(r->rnn_calls_more, -p->rnn_calls_more, 1e-9);
    habitat_prediction_free(r);
    r = predicted(&narrow, HABITAT_PRECISION_AMP_FP16, &other);
    CHECK_NEAR(r->rnn_calls_more, 0.0, 0.0);
    CHECK_INT(products_in(other, HABITAT_DTYPE_BF16), 0);
    check_case("a recording in bf16 has them so, and goes back to fp32 and to fp16");
    habitat_prediction_free(p);
    habitat_prediction_free(q);
    habitat_prediction_free(r);
    habitat_workload_free(bf16);
    habitat_workload_free(fp16);
    habitat_workload_free(back);
    habitat_workload_free(other);
    recorded_close(&wide);
    recorded_close(&narrow);
}

/* A T4 has no such kernels: its CPU launches each step of what the H200 ran as one. */
static void test_other_gpu(const habitat_gpu_table *table) {
    recorded r = recorded_open(table, "gnmt_b32_amp_fp16_h200");
    const habitat_gpu *gpu = NULL;
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_find(table, "T4", &gpu, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_predict(r.w, gpu, HABITAT_METHOD_AUTO, &p, &err), HABITAT_OK);
    CHECK(p->calls_more > 2000.0);
    habitat_prediction_free(p);
    CHECK_INT(habitat_gpu_find(table, "H100", &gpu, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_predict(r.w, gpu, HABITAT_METHOD_AUTO, &p, &err), HABITAT_OK);
    CHECK_NEAR(p->calls_more, 0.0, 0.0);
    habitat_prediction_free(p);
    recorded_close(&r);
    check_case("a GPU without kernels for all steps is launched more of");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &table, &err), HABITAT_OK);
    test_rule();
    test_precision(table);
    test_bf16(table);
    test_other_gpu(table);
    habitat_gpu_table_free(table);
    return check_done();
}
