/* Distances of all pairs of points that no matrix product gives, forward and backward.
 *
 * A difference, its power and a sum an element of each pair. The gradient of the first points is
 * written pair by pair, into memory of its own that an aten::sum then adds up. */
#include "work/rule.h"

#include <math.h>

enum { PAIR_FLOP = 3, PAIR_BACKWARD_FLOP = 5 /* difference, its power's 3, times the gradient */ };

/* x1 (.., p, m), x2 (.., r, m), power; backward: gradient (.., p, r), x1, x2, power, distances. */
void work_do_pairs(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    bool backward = out->pass == HABITAT_PASS_BACKWARD;
    const habitat_input *x1 = work_tensor(op, backward ? 1 : 0);
    const habitat_input *x2 = work_tensor(op, backward ? 2 : 1);
    const habitat_input *grad = backward ? work_tensor(op, 0) : NULL;
    if (!x1 || !x2 || x1->rank < 2 || x2->rank < 2 || (backward && !grad))
        return;
    double points = work_dim(x1, -2), length = work_dim(x1, -1);
    double batch = fmax(work_elements(x1) / (points * length),
                        work_elements(x2) / (work_dim(x2, -2) * work_dim(x2, -1)));
    double pairs = batch * points * work_dim(x2, -2);
    if (!(pairs > 0) || !(length > 0) || work_dim(x2, -1) != length)
        return;
    out->dtype = x1->dtype;
    out->shape.rows.rows = pairs;
    out->shape.rows.columns = length;
    out->flop = pairs * length * (backward ? PAIR_BACKWARD_FLOP : PAIR_FLOP);
    double distances = work_size(pairs, x1->dtype);
    out->read_bytes = work_bytes(x1) + work_bytes(x2) + (backward ? 2 * distances : 0);
    out->write_bytes = backward ? work_size(pairs * length, x1->dtype) : distances;
}
