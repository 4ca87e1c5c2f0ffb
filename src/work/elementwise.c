/* Elementwise operations, fills and dropout: shapes by broadcasting, formats by promotion.
 *
 * Flop: the table's count for each output element, 2 or more of them for complex numbers, none for
 * integers and truth values. Bytes: distinct elements of each input once, the output once; the
 * first input of an in-place operation is read and written. */
#include "work/rule.h"

#include <math.h>
#include <string.h>

double work_flop_factor(habitat_dtype dtype, double factor) {
    int category = work_category(dtype);
    return category == 3 ? factor : category == 2 ? 1 : 0;
}

/* PyTorch's promotion: tensors with dimensions decide among themselves; rank-0 tensors and Python
 * numbers only raise the category (an integer tensor plus 1.5 becomes floating point). */
typedef struct promotion {
    habitat_dtype dimensioned, rank0;
    bool float_number;
} promotion;

static void promote_input(promotion *p, const habitat_input *t) {
    habitat_dtype *slot = t->rank ? &p->dimensioned : &p->rank0;
    *slot = *slot == HABITAT_DTYPE_UNKNOWN ? t->dtype : work_promote(*slot, t->dtype);
}

static habitat_dtype promoted(const promotion *p) {
    habitat_dtype dtype = p->dimensioned;
    if (dtype == HABITAT_DTYPE_UNKNOWN)
        dtype = p->rank0;
    else if (work_category(p->rank0) > work_category(dtype))
        dtype = p->rank0 == HABITAT_DTYPE_FP64 ? HABITAT_DTYPE_FP32 : p->rank0;
    if (p->float_number && dtype != HABITAT_DTYPE_UNKNOWN && work_category(dtype) < 2)
        dtype = HABITAT_DTYPE_FP32;
    return dtype;
}

/* A recorded Python number with a fraction or exponent. */
static bool is_float_number(const habitat_input *input) {
    if (!input->value || input->is_tensor || input->is_list)
        return false;
    const char *c = input->value;
    if (*c == '-')
        c++;
    if (*c < '0' || *c > '9')
        return false;
    for (; *c; c++)
        if (*c == '.' || *c == 'e')
            return true;
    return false;
}

static habitat_dtype result_dtype(const work_call *call, habitat_dtype mixed) {
    const habitat_input *first = work_tensor(call->op, 0);
    if (call->in_place && first)
        return first->dtype;
    switch (call->rule->variant) {
    case WORK_OUT_BOOL:
        return HABITAT_DTYPE_BOOL;
    case WORK_OUT_FLOAT:
        return work_category(mixed) < 2 && mixed != HABITAT_DTYPE_UNKNOWN ? HABITAT_DTYPE_FP32
                                                                          : mixed;
    case WORK_OUT_COMPLEX:
        return mixed == HABITAT_DTYPE_FP64 ? HABITAT_DTYPE_COMPLEX128 : HABITAT_DTYPE_COMPLEX64;
    case WORK_OUT_FIRST:
        return first ? first->dtype : mixed;
    default:
        return mixed;
    }
}

/* PyTorch's kernel with vectors wants operands of one size, order and format. A tensor without
 * dimensions passes for a number; one of one element is repeated, as a PReLU's weight is. */
static bool worked_out_by_place(const work_call *call, double elements) {
    const habitat_input *first = NULL;
    for (uint32_t i = 0; i < call->count; i++) {
        const habitat_input *t = work_tensor(call->op, i);
        if (!t || t->rank == 0 || elements <= 1)
            continue;
        if (work_elements(t) != elements || !work_dense(t) ||
            (first && !work_laid_out_alike(first, t)))
            return true;
        first = t;
    }
    return false;
}

void work_do_elementwise(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    uint32_t variant = call->rule->variant;
    promotion p = {0};
    work_dims shape = {0};
    double read = 0;
    bool any = false;
    for (uint32_t i = 0; i < call->count; i++) {
        const habitat_input *t = work_tensor(op, i);
        if (!t) {
            if (op->form->inputs[i].is_list)
                return;
            p.float_number = p.float_number || is_float_number(&op->form->inputs[i]);
            continue;
        }
        work_dims dims;
        if (!work_dims_of(t, &dims) || !work_broadcast(&shape, &dims))
            return;
        any = true;
        read += work_bytes(t);
        if (!(variant == WORK_OUT_WHERE && i == 0))
            promote_input(&p, t);
    }
    if (!any)
        return;
    habitat_dtype mixed = promoted(&p), result = result_dtype(call, mixed);
    double elements = work_dims_product(&shape);
    out->dtype = mixed;
    out->shape.rows.rows = 1;
    out->shape.rows.columns = elements;
    habitat_dtype computed = work_category(result) >= 2 ? result : mixed;
    out->flop = elements * call->rule->flop * work_flop_factor(computed, 2);
    out->read_bytes = read;
    out->write_bytes = work_size(elements, result);
    out->by_place = worked_out_by_place(call, elements);
}

/* glu(self, dim) and its backward (grad, self, dim): half of a tensor lets the other half through,
 * so that the result and its gradient are half as large. */
void work_do_gated(const work_call *call, habitat_work *out) {
    bool backward = out->pass == HABITAT_PASS_BACKWARD;
    const habitat_input *x = work_tensor(call->op, backward ? 1 : 0);
    const habitat_input *grad = backward ? work_tensor(call->op, 0) : NULL;
    if (!x || (backward && !grad))
        return;
    double half = work_elements(x) / 2;
    out->dtype = x->dtype;
    out->shape.rows.rows = 1;
    out->shape.rows.columns = backward ? 2 * half : half;
    out->flop = half * call->rule->flop * work_flop_factor(x->dtype, 2);
    out->read_bytes = work_bytes(x) + work_bytes(grad);
    out->write_bytes = work_size(backward ? 2 * half : half, x->dtype);
}

/* Tensors an elementwise operation reads, for counting without a trace. */
double work_operands(const work_rule *rule) {
    if (rule->pass == HABITAT_PASS_BACKWARD)
        return 2;
    static const char *const two[] = {
        "add",         "sub",  "mul",       "div",         "pow",         "maximum",
        "minimum",     "eq",   "ne",        "lt",          "le",          "gt",
        "ge",          "lerp", "rsub",      "atan2",       "logical_and", "logical_or",
        "logical_xor", "fmod", "remainder", "bitwise_and", "bitwise_or",  "bitwise_xor"};
    static const char *const three[] = {"addcmul", "addcdiv", "where"};
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (!strcmp(rule->name, two[i]))
            return 2;
    for (size_t i = 0; i < sizeof three / sizeof *three; i++)
        if (!strcmp(rule->name, three[i]))
            return 3;
    return 1;
}

static double arange_elements(const work_call *call) {
    const habitat_operation *op = call->op;
    /* arange(end, ..), arange(start, end, ..), arange(start, end, step, ..) */
    double numbers[3] = {NAN, NAN, NAN};
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->form->input_count && count < 3; i++) {
        numbers[count] = work_number(op, i);
        if (isnan(numbers[count]))
            break;
        count++;
    }
    if (op->form->input_count >= 5 && count > op->form->input_count - 4)
        count = op->form->input_count - 4; /* dtype, layout, device, pin_memory */
    double start = count > 1 ? numbers[0] : 0, end = count > 1 ? numbers[1] : numbers[0];
    double step = count > 2 ? numbers[2] : 1;
    return count && step != 0 ? ceil((end - start) / step) : NAN;
}

void work_do_fill(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *self = work_tensor(op, 0);
    uint32_t variant = call->rule->variant;
    habitat_dtype dtype = self ? self->dtype : HABITAT_DTYPE_UNKNOWN, given;
    double elements = self ? work_elements(self) : NAN;
    work_list size;
    switch (variant) {
    case WORK_FILL_LIKE:
    case WORK_FULL_LIKE:
        given = work_dtype_argument(op, variant == WORK_FILL_LIKE ? 1 : 2);
        dtype = given != HABITAT_DTYPE_UNKNOWN ? given : dtype;
        break;
    case WORK_FILL_SIZE:
    case WORK_FULL_SIZE:
        given = work_dtype_argument(op, variant == WORK_FILL_SIZE ? 1 : 2);
        dtype = given != HABITAT_DTYPE_UNKNOWN ? given : HABITAT_DTYPE_FP32;
        if (work_numbers(op, 0, &size)) {
            elements = 1;
            for (uint32_t i = 0; i < size.count; i++)
                elements *= size.value[i];
        }
        break;
    case WORK_FILL_ARANGE:
        elements = arange_elements(call);
        dtype = HABITAT_DTYPE_INT64;
        for (uint32_t i = 0; i < op->form->input_count; i++)
            if (work_tensor(op, i))
                dtype = work_tensor(op, i)->dtype;
        break;
    default:
        break;
    }
    out->dtype = dtype;
    out->shape.rows.rows = 1;
    out->shape.rows.columns = elements;
    out->flop = 0;
    out->read_bytes = 0;
    /* bernoulli(p) reads its probabilities, bernoulli_(self, p) and fill_(self, value) the second
     */
    uint32_t first = call->in_place ? 1 : 0;
    for (uint32_t i = first; i < call->count && variant == WORK_FILL_FIRST; i++)
        out->read_bytes += work_bytes(work_tensor(op, i));
    out->write_bytes =
        self && variant == WORK_FILL_FIRST ? work_bytes(self) : work_size(elements, dtype);
}

/* native_dropout(input, p, train): the output and a mask of truth values. */
void work_do_dropout(const work_call *call, habitat_work *out) {
    const habitat_input *x = work_tensor(call->op, 0);
    if (!x)
        return;
    double elements = work_elements(x);
    out->dtype = x->dtype;
    out->shape.rows.rows = 1;
    out->shape.rows.columns = elements;
    out->flop = elements * call->rule->flop * work_flop_factor(x->dtype, 2);
    out->read_bytes = work_bytes(x);
    out->write_bytes = work_size(elements, x->dtype) + work_size(elements, HABITAT_DTYPE_BOOL);
}
