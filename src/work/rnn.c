/* LSTM, GRU and plain recurrent layers, whole sequences and single cells.
 *
 * Flop: the two matrix products of each gate, 2 gates H (I + H) a step, sequence and direction;
 * layers after the first take H (times directions) inputs; the gate arithmetic is not counted.
 * An LSTM with a projection has a state of P numbers in the place of H, made by one more product,
 * 2 H P; its cell still has H.
 * Backward costs the gradient of the inputs as much again, and that of the weights as much again.
 * Bytes: input, states, weights and output once; values kept for the backward pass are not. */
#include "work/rnn_way.h"
#include "work/rule.h"

#include <math.h>
#include <string.h>

typedef struct rnn_sizes {
    double multiplications; /* of one step of one sequence, all layers and directions */
    double weights;         /* two bias vectors included, as cuDNN and PyTorch keep them */
    double input, output, states;
} rnn_sizes;

static rnn_sizes sizes_of(const habitat_rnn_shape *s) {
    double directions = s->bidirectional ? 2 : 1;
    double state = rnn_state(s), projection = s->projected * s->hidden;
    rnn_sizes n = {0};
    double first = s->gates * s->hidden * (s->input + state) + projection;
    double later = s->gates * s->hidden * (state * directions + state) + projection;
    n.multiplications = directions * (first + (s->layers - 1) * later);
    n.weights = n.multiplications + directions * s->layers * 2 * s->gates * s->hidden;
    n.input = s->batch * s->steps * s->input;
    n.output = s->batch * s->steps * state * directions;
    n.states = s->layers * directions * s->batch * (state + (s->gates == 4 ? s->hidden : 0));
    return n;
}

static void rnn_work(const habitat_rnn_shape *s, bool backward, bool weight_gradient,
                     habitat_work *work) {
    rnn_sizes n = sizes_of(s);
    double forward = 2 * n.multiplications * s->batch * s->steps;
    habitat_dtype dtype = work->dtype;
    work->shape.rnn = *s;
    if (!backward) {
        work->flop = forward;
        work->read_bytes = work_size(n.input + n.weights + n.states, dtype);
        work->write_bytes = work_size(n.output + n.states, dtype);
        return;
    }
    work->flop = weight_gradient ? 2 * forward : forward;
    /* input, weights, initial states; output and its gradient; gradients of the final states */
    work->read_bytes = work_size(n.input + n.weights + 2 * n.states + 2 * n.output, dtype);
    work->write_bytes = work_size(n.input + n.states + (weight_gradient ? n.weights : 0), dtype);
}

/* Only an LSTM projects, to fewer numbers. */
static bool projects_well(const habitat_rnn_shape *s) {
    return s->projected == 0 || (s->gates == 4 && s->projected >= 1 && s->projected < s->hidden &&
                                 s->projected == floor(s->projected));
}

habitat_status habitat_work_rnn(const habitat_rnn_shape *shape, habitat_dtype dtype,
                                habitat_pass pass, habitat_work *out) {
    if (!shape || !out)
        return HABITAT_E_ARG;
    const double sizes[] = {shape->gates, shape->batch,  shape->steps,
                            shape->input, shape->hidden, shape->layers};
    if (!work_can_be_made(dtype, pass, sizes, sizeof sizes / sizeof *sizes) ||
        !projects_well(shape))
        return HABITAT_E_ARG;
    habitat_work work = {.op_class = HABITAT_CLASS_RNN,
                         .pass = pass,
                         .known = true,
                         .varying = true,
                         .dtype = dtype};
    rnn_work(shape, pass == HABITAT_PASS_BACKWARD, true, &work);
    work_set_kind(&work, shape->gates == 4 ? "lstm" : shape->gates == 3 ? "gru" : "rnn");
    if (!isfinite(work.flop) || !isfinite(work.read_bytes))
        return HABITAT_E_ARG;
    *out = work;
    return HABITAT_OK;
}

/* cuDNN's and MIOpen's modes: 0 relu, 1 tanh, 2 LSTM, 3 GRU. */
static double gates_of_mode(double mode) {
    return mode == 2 ? 4 : mode == 3 ? 3 : mode == 0 || mode == 1 ? 1 : NAN;
}

/* Argument positions of the fused whole-sequence operations. */
static const struct rnn_signature {
    int8_t state, mode, hidden, projected, layers, batch_first, bidirectional, batch_sizes, mask;
} signatures[] = {
    [WORK_RNN_CUDNN] = {4, 6, 7, 8, 9, 10, 13, 14, -1},
    [WORK_RNN_CUDNN_BACKWARD] = {4, 10, 11, 12, 13, 14, 17, 18, 21},
    [WORK_RNN_MIOPEN] = {3, 5, 6, -1, 7, 8, 11, 12, -1},
};

/* Batch and steps of (T, B, I), (B, T, I) or packed (sum of lengths, I) input. */
static bool sequence_shape(const habitat_input *x, bool batch_first, habitat_rnn_shape *s) {
    if (!x || x->rank < 2 || x->rank > 3)
        return false;
    bool packed = x->rank == 2; /* or one unbatched sequence: the products are the same */
    s->batch = packed ? 1 : work_dim(x, batch_first ? 0 : 1);
    s->steps = work_dim(x, !packed && batch_first ? 1 : 0);
    s->input = work_dim(x, -1);
    return true;
}

static bool shape_complete(const habitat_rnn_shape *s) {
    return s->gates > 0 && s->batch > 0 && s->steps > 0 && s->input > 0 && s->hidden > 0 &&
           s->layers > 0 && projects_well(s);
}

/* aten::lstm(input, [h0, c0], weights, has_biases, layers, dropout, train, bidirectional,
 * batch_first); gru and rnn_tanh take one state tensor. */
static bool functional_shape(const work_call *call, const habitat_input *x, habitat_rnn_shape *s) {
    const habitat_operation *op = call->op;
    double first = work_number(op, 8), both = work_number(op, 7);
    if (isnan(first) || isnan(both) || op->form->input_count < 9 ||
        !sequence_shape(x, first != 0, s))
        return false;
    const habitat_input *state = &op->form->inputs[1];
    if (call->rule->variant == WORK_RNN_GRU) {
        s->hidden = work_dim(work_tensor(op, 1), -1);
    } else { /* groups of [rank, sizes..]: the state, and the cell */
        if (!state->is_list || state->list_count < 2 || !state->dims || state->dims[0] < 2)
            return false;
        const int64_t *cell = state->dims + state->dims[0] + 1;
        if (cell[0] < 2)
            return false;
        s->hidden = (double)cell[cell[0]];
        double shown = (double)state->dims[state->dims[0]];
        s->projected = shown < s->hidden ? shown : 0;
    }
    s->gates = call->rule->flop;
    s->layers = work_number(op, 4);
    s->bidirectional = both != 0;
    return true;
}

void work_do_rnn(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *x = work_tensor(op, 0);
    uint32_t variant = call->rule->variant;
    habitat_rnn_shape s = {0};
    bool weight_gradient = true;
    if (variant == WORK_RNN_LSTM || variant == WORK_RNN_GRU) {
        if (!functional_shape(call, x, &s))
            return;
    } else {
        const struct rnn_signature *at = &signatures[variant];
        double first = work_number(op, (uint32_t)at->batch_first);
        double both = work_number(op, (uint32_t)at->bidirectional);
        double projected = at->projected >= 0 ? work_number(op, (uint32_t)at->projected) : 0;
        if (isnan(first) || isnan(both) || !sequence_shape(x, first != 0, &s))
            return;
        s.gates = gates_of_mode(work_number(op, (uint32_t)at->mode));
        s.hidden = work_number(op, (uint32_t)at->hidden);
        s.projected = projected > 0 ? projected : 0;
        s.layers = work_number(op, (uint32_t)at->layers);
        s.bidirectional = both != 0;
        /* Packed: the list says how many samples there are at each step, so the first number is the
         * batch. A profiler leaves out long lists; the states have the batch, too. */
        const habitat_input *state = work_tensor(op, (uint32_t)at->state);
        double batch = work_first_number(op, (uint32_t)at->batch_sizes);
        if (isnan(batch) && state && state->rank == 3 && work_dim(state, 1) > 1)
            batch = work_dim(state, 1);
        if (x->rank == 2 && batch > 0) {
            s.packed = true;
            s.batch = batch;
            s.steps = work_dim(x, 0) / s.batch; /* mean length */
        }
        work_list mask;
        if (at->mask >= 0) {
            if (!work_numbers(op, (uint32_t)at->mask, &mask) || mask.count < 4)
                return;
            weight_gradient = mask.value[3] != 0;
        }
    }
    if (!shape_complete(&s))
        return;
    out->dtype = x->dtype;
    rnn_work(&s, out->pass == HABITAT_PASS_BACKWARD, weight_gradient, out);
}

/* One step's gate arithmetic after its matrix products (_thnn_fused_lstm_cell and the like),
 * element by element: the gates come in two halves (from input and state) with biases. */
void work_do_rnn_cell(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *first = NULL;
    double states = 0, gates = 0;
    out->varying = false;
    out->read_bytes = 0;
    for (uint32_t i = 0; i < op->form->input_count; i++) {
        const habitat_input *t = work_tensor(op, i);
        if (!t)
            continue;
        first = first ? first : t;
        out->read_bytes += work_bytes(t);
        gates = fmax(gates, work_elements(t));
    }
    if (!first)
        return;
    bool gru = call->rule->variant == WORK_RNN_GRU, backward = out->pass == HABITAT_PASS_BACKWARD;
    /* a GRU's gradient reads five of a state, and writes both halves of its gates */
    states = gru && backward ? work_elements(first) : gates / (gru ? 3 : 4);
    gates = gru && backward ? 6 * states : gates;
    out->dtype = first->dtype;
    out->flop = call->rule->flop * states * work_flop_factor(first->dtype, 2);
    /* forward: new state (two for an LSTM) and the gates kept for the backward pass;
     * backward: gradients of the gates and of the state */
    double written = backward ? gates + states : gru ? 6 * states : gates + 2 * states;
    out->write_bytes = work_size(written, first->dtype);
}
