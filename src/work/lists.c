/* Operations over lists of tensors: foreach and fused optimisers, gradient scalers. */
#include "work/rule.h"
#include "base/constants_kernels.h"

#include <math.h>
#include <string.h>

/* PyTorch's multi_tensor_apply (aten/src/ATen/native/cuda/MultiTensorApply.cuh): a block takes a
 * piece of one tensor, a launch so many blocks and tensors as its arguments have room for. */
static const uint32_t launch_tensors[] = {110, 110, 64, 48, 36, 30}; /* by lists */
enum { LISTS_MOST = sizeof launch_tensors / sizeof *launch_tensors - 1 };

typedef struct launching {
    double launches, longest; /* begun; sum over them of their longest piece */
    double pieces, piece;     /* of the one at hand: how many, the longest */
    uint32_t tensors, most;
} launching;

static void launch(launching *l) {
    if (!(l->pieces > 0))
        return;
    l->launches++;
    l->longest += l->piece;
    l->pieces = l->piece = 0;
    l->tensors = 0;
}

/* A tensor goes on in the next launch where this one has no room for its pieces. */
static void add_tensor(launching *l, double elements) {
    double pieces = ceil(elements / hardware_list_piece_elements),
           room = hardware_list_launch_pieces - l->pieces;
    if (!(pieces > 0))
        return;
    if (pieces > room) {
        double filled = ceil((pieces - room) / hardware_list_launch_pieces) -
                        1; /* launches, between two ends */
        l->pieces = hardware_list_launch_pieces;
        l->piece = hardware_list_piece_elements;
        launch(l);
        l->launches += filled;
        l->longest += filled * hardware_list_piece_elements;
        pieces -= room + filled * hardware_list_launch_pieces;
        elements -= (room + filled * hardware_list_launch_pieces) * hardware_list_piece_elements;
    }
    l->piece = fmax(l->piece, fmin(elements, hardware_list_piece_elements));
    l->pieces += pieces;
    l->tensors++;
    if (l->pieces >= hardware_list_launch_pieces || l->tensors == l->most)
        launch(l);
}

/* What a list takes whose elements are `elements`, lists that are read and made counted. */
static habitat_list_shape shape_of(const habitat_input *list, double elements, uint32_t lists) {
    launching l = {.most = launch_tensors[lists < LISTS_MOST ? lists : LISTS_MOST]};
    if (!list || !isfinite(elements))
        return (habitat_list_shape){1, elements, 0};
    const int64_t *dims = list->dims;
    for (uint32_t i = 0; i < list->list_count; i++, dims += 1 + dims[0])
        add_tensor(&l, work_listed_elements(dims));
    launch(&l);
    return (habitat_list_shape){fmax(l.launches, 1), elements, l.longest};
}

/* Fused steps: lists in the order of PyTorch's signatures. Flop an element, by the update's formula
 * (Adam: two moving averages 3 + 4, root, division, epsilon 3, step 3; SGD: momentum and decay). */
static const struct fused_step {
    uint32_t lists_read, lists_written;
} fused_steps[] = {
    [WORK_LIST_ADAM] = {5, 4},    /* parameter, gradient, two averages, the largest (amsgrad) */
    [WORK_LIST_SGD] = {3, 2},     /* parameter, gradient, momentum */
    [WORK_LIST_ADAGRAD] = {3, 2}, /* parameter, gradient, sum of squares */
    [WORK_LIST_UNSCALE] = {1, 1},
};

void work_do_list(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const struct fused_step *step = &fused_steps[call->rule->variant];
    uint32_t lists = 0, present = 0;
    double elements = NAN;
    for (uint32_t i = 0; i < op->form->input_count && i < step->lists_read; i++) {
        if (!op->form->inputs[i].is_list)
            continue;
        double n = work_list_elements(&op->form->inputs[i]);
        if (i == 0)
            elements = n;
        lists++;
        present += n > 0;
    }
    out->dtype = call->list_dtype;
    out->shape.list = (habitat_list_shape){1, elements, 0};
    if (!lists || isnan(elements))
        return;
    out->shape.list = shape_of(&op->form->inputs[0], elements, present);
    /* SGD without momentum has an empty third list, Adam without amsgrad an empty fifth */
    uint32_t written = present < step->lists_read && step->lists_written > 1
                           ? step->lists_written - 1
                           : step->lists_written;
    out->flop = elements * call->rule->flop;
    out->read_bytes = work_size(elements * present, call->list_dtype);
    out->write_bytes = work_size(elements * written, call->list_dtype);
}

/* aten::_foreach_NAME(lists and numbers): the element's operation over every tensor. */
void work_foreach(const work_call *call, const work_rule *element, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *first = NULL;
    double elements = NAN;
    uint32_t lists = 0;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        if (!op->form->inputs[i].is_list)
            continue;
        if (!first) {
            first = &op->form->inputs[i];
            elements = work_list_elements(first);
        }
        lists++;
    }
    out->dtype = call->list_dtype;
    out->shape.list = (habitat_list_shape){1, elements, 0};
    if (isnan(elements) || !element)
        return;
    bool reduction = element->op_class == HABITAT_CLASS_REDUCE;
    bool makes = !reduction && op->form->name[strlen(op->form->name) - 1] != '_';
    out->shape.list = shape_of(first, elements, lists + makes);
    bool fill = element->handler == work_do_fill, copy = element->handler == work_do_copy;
    double read = fill ? 0 : copy ? 1 : (double)lists;
    out->flop = copy ? 0 : elements * element->flop;
    out->read_bytes = work_size(elements * read, call->list_dtype);
    out->write_bytes =
        work_size(reduction ? (double)op->form->inputs[0].list_count : elements, call->list_dtype);
}
