/* Work of row and elementwise operations that are given by name and size, without a recording. */
#include "work/rule.h"
#include "work/kinds.h"

#include <string.h>

/* Constructors: what each kind moves and computes an element. */
static const struct row_kind {
    const char *name;
    habitat_class op_class;
    double flop, backward_flop;
    double read, write;                   /* tensors of the whole size, forward */
    double backward_read, backward_write; /* and backward */
    double columns_read, columns_write;   /* vectors as long as a row: weights and gradients */
    double rows_write;                    /* values kept for each row */
} row_kinds[] = {
    {"softmax", HABITAT_CLASS_SOFTMAX, 5, 4, 1, 1, 2, 1, 0, 0, 0},
    {"log_softmax", HABITAT_CLASS_SOFTMAX, 5, 4, 1, 1, 2, 1, 0, 0, 0},
    {"layer_norm", HABITAT_CLASS_NORM, 8, 13, 1, 1, 2, 1, 2, 2, 2},
    {"group_norm", HABITAT_CLASS_NORM, 8, 13, 1, 1, 2, 1, 2, 2, 2},
    {"batch_norm", HABITAT_CLASS_NORM, 8, 9, 1, 1, 2, 1, 0, 0, 2},
    {"rms_norm", HABITAT_CLASS_NORM, 4, 9, 1, 1, 2, 1, 1, 1, 1},
    {"sum", HABITAT_CLASS_REDUCE, 1, 0, 1, 0, 0, 1, 0, 0, 1},
    {"mean", HABITAT_CLASS_REDUCE, 1, 1, 1, 0, 0, 1, 0, 0, 1},
    {"max", HABITAT_CLASS_REDUCE, 1, 0, 1, 0, 0, 1, 0, 0, 1},
};

static habitat_status elementwise_by_name(const char *kind, const habitat_rows_shape *shape,
                                          habitat_dtype dtype, habitat_pass pass,
                                          habitat_work *out) {
    char name[64];
    size_t length = strlen(kind);
    bool in_place;
    if (length + sizeof "_backward" > sizeof name)
        return HABITAT_E_UNSUPPORTED;
    memcpy(name, kind, length + 1);
    const work_rule *rule = NULL;
    if (pass == HABITAT_PASS_BACKWARD && work_kind_is(kind, WORK_RELU)) {
        rule = work_rule_find("threshold_backward", sizeof "threshold_backward" - 1, &in_place);
    } else if (pass == HABITAT_PASS_BACKWARD) {
        memcpy(name + length, "_backward", sizeof "_backward");
        rule = work_rule_find(name, length + sizeof "_backward" - 1, &in_place);
    } else {
        rule = work_rule_find(name, length, &in_place);
    }
    if (!rule || rule->handler != work_do_elementwise)
        return HABITAT_E_UNSUPPORTED;
    double elements = shape->rows * shape->columns;
    out->op_class = HABITAT_CLASS_ELEMENTWISE;
    out->shape.rows = (habitat_rows_shape){1, elements};
    out->flop = elements * rule->flop * work_flop_factor(dtype, 2);
    out->read_bytes = work_size(elements * work_operands(rule), dtype);
    out->write_bytes =
        work_size(elements, rule->variant == WORK_OUT_BOOL ? HABITAT_DTYPE_BOOL : dtype);
    return HABITAT_OK;
}

/* Not one tensor format in and out: a contiguous copy counts no flop, dropout has a mask of bytes.
 */
static bool copy_or_dropout(const char *kind, double elements, habitat_dtype dtype,
                            habitat_pass pass, habitat_work *out) {
    bool backward = pass == HABITAT_PASS_BACKWARD, dropout = work_kind_is(kind, WORK_DROPOUT);
    if (!dropout && (!work_kind_is(kind, WORK_COPY) || backward))
        return false;
    double tensor = work_size(elements, dtype), mask = dropout ? elements : 0;
    out->op_class = dropout ? HABITAT_CLASS_ELEMENTWISE : HABITAT_CLASS_COPY;
    out->shape.rows = (habitat_rows_shape){1, elements};
    out->flop = dropout ? 3 * elements : 0; /* compare, multiply, scale */
    out->read_bytes = tensor + (backward ? mask : 0);
    out->write_bytes = tensor + (backward ? 0 : mask);
    return true;
}

habitat_status habitat_work_rows(const char *kind, const habitat_rows_shape *shape,
                                 habitat_dtype dtype, habitat_pass pass, habitat_work *out) {
    if (!kind || !shape || !out || !habitat_dtype_bytes(dtype) ||
        (pass != HABITAT_PASS_FORWARD && pass != HABITAT_PASS_BACKWARD) ||
        !(shape->rows > 0 && shape->rows < 1e18) || !(shape->columns > 0 && shape->columns < 1e18))
        return HABITAT_E_ARG;
    habitat_work work = {.pass = pass, .known = true, .dtype = dtype};
    work.shape.rows = *shape;
    work_set_kind(&work, kind);
    double elements = shape->rows * shape->columns;
    bool backward = pass == HABITAT_PASS_BACKWARD;
    for (size_t i = 0; i < sizeof row_kinds / sizeof *row_kinds; i++) {
        const struct row_kind *k = &row_kinds[i];
        if (strcmp(k->name, kind) != 0)
            continue;
        work.op_class = k->op_class;
        bool reduction = k->op_class == HABITAT_CLASS_REDUCE;
        bool batch = work_kind_is(kind, WORK_BATCH_NORM); /* its rows are channels */
        double parameters = batch ? shape->rows : shape->columns;
        double vectors_read = batch ? 2 : k->columns_read, vectors_write = k->columns_write;
        if (batch)
            vectors_write = 2;
        habitat_dtype statistics = reduction ? dtype : work_statistics_dtype(dtype);
        double kept = work_size(k->rows_write * shape->rows, statistics);
        work.flop = elements * (backward ? k->backward_flop : k->flop);
        if (!backward) {
            work.read_bytes = work_size(elements * k->read + parameters * vectors_read, dtype);
            work.write_bytes = work_size(elements * k->write, dtype) + kept;
        } else {
            double weights = vectors_read > 0 ? parameters : 0;
            work.read_bytes = work_size(elements * k->backward_read + weights, dtype) + kept;
            work.write_bytes =
                work_size(elements * k->backward_write + parameters * vectors_write, dtype);
        }
        *out = work;
        return HABITAT_OK;
    }
    habitat_status status = HABITAT_OK;
    if (!copy_or_dropout(kind, elements, dtype, pass, &work))
        status = elementwise_by_name(kind, shape, dtype, pass, &work);
    if (status == HABITAT_OK)
        *out = work;
    return status;
}
