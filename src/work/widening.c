/* See widening.h. */
#include "work/widening.h"

#include <string.h>

#include "work/args.h"
#include "work/autocast.h"

/* Arguments of `to(dtype, non_blocking, copy, memory_format)`, behind the tensor. With a device in
 * place of a format PyTorch asks for a layout, too, and the format is the tensor's own. */
enum { TO_FORMAT = 1, TO_ARGUMENTS = 5 };

/* Modules and ranges alone are around it: what an operation asks for inside is its own business. */
static bool is_the_scripts(const habitat_operation *ops, size_t count, size_t at) {
    for (uint32_t p = ops[at].parent; p < count; p = ops[p].parent)
        if (ops[p].form->kind == HABITAT_OPERATION_FRAMEWORK)
            return false;
    return true;
}

static bool is_named(const habitat_operation *op, const char *name) {
    return strcmp(op->form->name, name) == 0;
}

static bool is_product(const habitat_operation *op) {
    return op->kernel_count > 0 && (is_named(op, "aten::mm") || is_named(op, "aten::addmm"));
}

/* The product that made the latest result before `at`; false: something else did. */
static bool made_by_product(const habitat_operation *ops, size_t at, double *elements) {
    for (size_t i = at; i-- > 0 && ops[i].form->thread == ops[at].form->thread;) {
        const habitat_operation *op = &ops[i];
        if (is_product(op)) {
            uint32_t first = is_named(op, "aten::addmm") ? 1 : 0;
            *elements =
                work_dim(work_tensor(op, first), 0) * work_dim(work_tensor(op, first + 1), 1);
            return *elements > 0;
        }
        if (op->kernel_count > 0 && op->form->kind == HABITAT_OPERATION_FRAMEWORK)
            return false;
    }
    return false;
}

/* Whether the next that reads a tensor as large as a product's result is the cross entropy; of
 * words that are compared with the next ones some leave out the last. */
static bool loss_follows(const habitat_operation *ops, size_t count, size_t at, double elements) {
    for (size_t i = at + 1; i < count && ops[i].form->thread == ops[at].form->thread; i++) {
        if (is_named(&ops[i], "aten::cross_entropy_loss")) {
            double read = work_elements(work_tensor(&ops[i], 0));
            return read > 0.5 * elements && read <= elements;
        }
        if (autocast_of(ops[i].form->name) != AUTOCAST_NOT_LISTED)
            return false;
    }
    return false;
}

double widening_elements(const habitat_operation *ops, size_t count, size_t at) {
    const habitat_operation *op = &ops[at];
    double elements = 0.0;
    if (!is_named(op, "aten::to") || op->kernel_count > 0 || !is_the_scripts(ops, count, at))
        return 0.0;
    if (!op->form->input_count)
        return made_by_product(ops, at, &elements) && loss_follows(ops, count, at, elements)
                   ? elements
                   : 0.0;
    const habitat_input *tensor = work_tensor(op, 0);
    bool asks = op->form->input_count == TO_ARGUMENTS && tensor && tensor->rank > 0 &&
                tensor->dtype == HABITAT_DTYPE_FP32 &&
                work_dtype_argument(op, TO_FORMAT) == HABITAT_DTYPE_FP32;
    return asks ? work_elements(tensor) : 0.0;
}
