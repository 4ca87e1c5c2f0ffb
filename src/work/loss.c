/* Loss functions. `reduction` 0 keeps one value an element, 1 (mean) and 2 (sum) just one. */
#include "work/rule.h"

#include <math.h>

static void set(habitat_work *out, const habitat_input *x, double flop, double read_bytes,
                double write_bytes) {
    out->dtype = x->dtype;
    out->shape.rows.rows = 1;
    out->shape.rows.columns = work_elements(x);
    out->flop = flop * work_flop_factor(x->dtype, 2);
    out->read_bytes = read_bytes;
    out->write_bytes = write_bytes;
}

static double all_bytes(const work_call *call) {
    double bytes = 0;
    for (uint32_t i = 0; i < call->count; i++)
        bytes += work_bytes(work_tensor(call->op, i));
    return bytes;
}

/* Elementwise losses: every input once; the result reduced or not. */
static void elements_loss(const work_call *call, uint32_t reduction_at, habitat_work *out) {
    const habitat_input *x = work_tensor(call->op, 0);
    double reduction = work_number(call->op, reduction_at);
    if (!x || isnan(reduction))
        return;
    double n = work_elements(x);
    set(out, x, n * call->rule->flop, all_bytes(call), work_size(reduction == 0 ? n : 1, x->dtype));
}

/* Negative log likelihood: one value of each row is picked by its class. */
static void nll(const work_call *call, habitat_work *out) {
    const habitat_input *x = work_tensor(call->op, 0), *target = work_tensor(call->op, 1);
    double reduction = work_number(call->op, 3);
    if (!x || !target || isnan(reduction))
        return;
    double n = work_elements(target);
    double picked = fmin(work_size(n, x->dtype), work_bytes(x));
    set(out, x, n, picked + work_bytes(target) + work_bytes(work_tensor(call->op, 2)),
        work_size((reduction == 0 ? n : 1) + 1, x->dtype)); /* and the total weight */
}

/* grad, self, target, ..: one value a row. The rest of the gradient is zero and filled by an
 * operation of its own (aten::zero_). */
static void nll_backward(const work_call *call, habitat_work *out) {
    const habitat_input *grad = work_tensor(call->op, 0), *x = work_tensor(call->op, 1);
    const habitat_input *target = work_tensor(call->op, 2);
    if (!grad || !x || !target)
        return;
    set(out, x, work_elements(target),
        work_bytes(grad) + work_bytes(target) + work_bytes(work_tensor(call->op, 3)) +
            work_bytes(work_tensor(call->op, 6)),
        work_size(work_elements(target), x->dtype));
}

void work_do_loss(const work_call *call, habitat_work *out) {
    const habitat_input *x = work_tensor(call->op, 0);
    double n;
    switch (call->rule->variant) {
    case WORK_LOSS_ELEMENTS:
        elements_loss(call, 2, out);
        break;
    case WORK_LOSS_BCE:
        elements_loss(call, 3, out);
        break;
    case WORK_LOSS_BCE_LOGITS:
        elements_loss(call, 4, out);
        break;
    case WORK_LOSS_ELEMENTS_BACKWARD:
        x = work_tensor(call->op, 1);
        if (!x || !work_tensor(call->op, 0))
            return;
        n = work_elements(x);
        set(out, x, n * call->rule->flop, all_bytes(call), work_size(n, x->dtype));
        break;
    case WORK_LOSS_NLL:
        nll(call, out);
        break;
    case WORK_LOSS_NLL_BACKWARD:
        nll_backward(call, out);
        break;
    default: /* cross entropy: log softmax and nll in one, 5 flop an element */
        if (!x || isnan(work_number(call->op, 3)))
            return;
        n = work_number(call->op, 3) == 0 ? work_elements(work_tensor(call->op, 1)) : 1;
        set(out, x, 5 * work_elements(x), all_bytes(call), work_size(n, x->dtype));
        break;
    }
}
