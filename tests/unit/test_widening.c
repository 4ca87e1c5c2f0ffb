/* What autocast has in fp32 that an fp32 step does not show: tensors that a script asks to have so,
 * and results that are larger than what they are made of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "check.h"
#include "recorded_scale.h"
#include "work_case.h"
#include "rescale/result_sizes.h"
#include "work/widening.h"

enum { MOST = 8 };

/* Operations on one thread, each behind the one before it. */
typedef struct list {
    work_case cases[MOST];
    habitat_operation ops[MOST];
    size_t count;
} list;

static void add(list *l, const char *line, uint32_t kernels, uint32_t parent) {
    CHECK_INT(case_read(&l->cases[l->count], line), 0);
    habitat_operation *op = &l->ops[l->count];
    *op = l->cases[l->count].op;
    op->parent = parent;
    op->kernel_count = kernels;
    l->count++;
}

#define SCORES   "f32[8,100]"
#define NO_SHAPE "aten::to |"

static double asked(const char *line, uint32_t kernels) {
    list *l = calloc(1, sizeof *l);
    add(l, line, kernels, HABITAT_NONE);
    double elements = widening_elements(l->ops, l->count, 0);
    free(l);
    return elements;
}

static void test_shapes(void) {
    CHECK_NEAR(asked("aten::to | " SCORES " =6 =False =False -", 0), 800, 0);
    check_case("a call for fp32 widens what it is given");
    CHECK_NEAR(asked("aten::to | " SCORES " =6 =False =False -", 1), 0, 0);  /* a copy */
    CHECK_NEAR(asked("aten::to | " SCORES " =15 =False =False -", 0), 0, 0); /* bf16 */
    CHECK_NEAR(asked("aten::to | i64[8,100] =6 =False =False -", 0), 0, 0);
    CHECK_NEAR(asked("aten::to | " SCORES " =6 =0 - - =False =False -", 0), 0, 0); /* a device */
    CHECK_NEAR(asked("aten::view | " SCORES " =6 =False =False -", 0), 0, 0);
    CHECK_NEAR(asked(NO_SHAPE, 0), 0, 0);
    check_case("other calls do not, nor for a device");
    list *l = calloc(1, sizeof *l);
    add(l, "aten::log_softmax | " SCORES " =1 =6", 1, HABITAT_NONE);
    add(l, "aten::to | " SCORES " =6 =False =False -", 0, 0);
    CHECK_NEAR(widening_elements(l->ops, l->count, 1), 0, 0);
    l->cases[0].form.kind = HABITAT_OPERATION_MODULE;
    CHECK_NEAR(widening_elements(l->ops, l->count, 1), 800, 0);
    free(l);
    check_case("calls inside an operation are its own, inside a module the script's");
}

/* between: what lies behind the call. */
static double without_shapes(const char *product, const char *between, const char *loss) {
    list *l = calloc(1, sizeof *l);
    add(l, product, 1, HABITAT_NONE);
    add(l, "aten::_unsafe_view |", 0, HABITAT_NONE);
    add(l, NO_SHAPE, 0, HABITAT_NONE);
    if (between)
        add(l, between, 1, HABITAT_NONE);
    add(l, loss, 2, HABITAT_NONE);
    double elements = widening_elements(l->ops, l->count, 2);
    free(l);
    return elements;
}

static void test_without_shapes(void) {
    const char *product = "aten::mm | f32[8,32] f32[32,100]";
    const char *loss = "aten::cross_entropy_loss | f32[8,100] i64[8] - =1 =-100 =0";
    CHECK_NEAR(without_shapes(product, NULL, loss), 800, 0);
    CHECK_NEAR(without_shapes("aten::addmm | f32[100] f32[8,32] f32[32,100] =1 =1", NULL, loss),
               800, 0);
    CHECK_NEAR(without_shapes(product, "aten::copy_ | f32[7,100] f32[7,100] =False",
                              "aten::cross_entropy_loss | f32[7,100] i64[7] - =1 =-100 =0"),
               800, 0);
    check_case("small recordings: a call between a product and its cross entropy");
    CHECK_NEAR(without_shapes("aten::relu | f32[8,100]", NULL, loss), 0, 0);
    CHECK_NEAR(without_shapes(product, "aten::mm | f32[8,100] f32[100,100]", loss), 0, 0);
    CHECK_NEAR(
        without_shapes(product, NULL, "aten::cross_entropy_loss | f32[8,10] i64[8] - =1 =-100 =0"),
        0, 0);
    CHECK_NEAR(without_shapes(product, NULL, "aten::mse_loss | f32[8,100] f32[8,100] =1"), 0, 0);
    check_case("anywhere else it may be for a device");
}

static void test_results(void) {
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, "aten::upsample_bilinear2d | f32[2,8,4,4] =[8,12] =True - -"), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    habitat_workload_group group = {.operation = &read.op, .work = &work};
    CHECK_NEAR(result_elements(&group), 2 * 8 * 8 * 12, 0);
    check_case("what is enlarged is as large as it is told to be");
}

/* Llama's logits are asked for in fp32: before, the softmax was in bf16, 0.54 of the recorded. */
static void test_recorded(const habitat_gpu_table *table) {
    const habitat_scale to_bf16 = {.precision = HABITAT_PRECISION_AMP_BF16};
    recorded_check_near(table, "full_size/words_1b_b1_tf32_h100",
                        "full_size/words_1b_b1_amp_bf16_h100", to_bf16, "aten::_log_softmax", .05);
    recorded_check_near(table, "full_size/words_1b_b1_tf32_h100",
                        "full_size/words_1b_b1_amp_bf16_h100", to_bf16,
                        "aten::_log_softmax_backward_data", .05);
}

int main(void) {
    habitat_gpu_table *table = NULL;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    test_shapes();
    test_without_shapes();
    test_results();
    test_recorded(table);
    habitat_gpu_table_free(table);
    return check_done();
}
