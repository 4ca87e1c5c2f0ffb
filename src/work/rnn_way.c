/* The rule of PyTorch 1.8 to 2.11 (aten/src/ATen/native/cudnn/RNN.cpp): which algorithm of cuDNN a
 * recurrent layer is run with. cuDNN steps where it has no such kernel: for sequences of several
 * lengths, states that are projected, and narrow ones in bf16. */
#include "work/rnn_way.h"

#include <math.h>

#include "gpu/generation.h"

/* The widest layers of the narrow kernels: plain layers have one gate and so fewer weights. */
static double narrow_hidden(double gates, bool backward) {
    if (gates > 1)
        return backward ? 128 : 192;
    return backward ? 256 : 384;
}

/* Shapes that a persistent kernel has the registers for. */
static bool shape_persists(const habitat_rnn_shape *s) {
    return s->layers == 1 && !s->bidirectional && s->hidden <= 1024 && fmod(s->hidden, 128) == 0 &&
           fmod(s->input, 128) == 0;
}

/* Volta: batches for which the kernel was quicker. */
static bool volta_persists(double batch, double steps) {
    bool even = (fmod(batch, 16) == 0 && batch != 80 && batch != 112) || batch == 8;
    return even && ((steps >= 40 && batch <= 128) || (steps >= 20 && batch <= 96) ||
                    (steps >= 10 && batch <= 32));
}

/* All blocks of the kernel run at once, so that it needs many SMs. */
static bool device_persists(const habitat_rnn_shape *s, const rnn_device *device) {
    enum { LEAST_SMS = 98 };
    uint32_t capability = device->compute_capability;
    if (capability >= SM_VOLTA && capability < SM_TURING)
        return volta_persists(s->batch, s->steps);
    if (capability < SM_AMPERE || capability % 10 == SM_AMPERE_GRAPHICS % 10 ||
        device->sm_count < LEAST_SMS)
        return false;
    bool wide = s->gates == 1 && s->batch >= 96 && s->hidden >= 896;
    return s->gates != 3 && fmod(s->batch, 8) == 0 && s->batch <= 128 && !wide;
}

rnn_way rnn_way_of(const habitat_rnn_shape *s, habitat_dtype dtype, bool backward,
                   const rnn_device *device) {
    if (s->packed || s->projected > 0 || device->compute_capability == 0)
        return RNN_STEP_BY_STEP;
    bool known = dtype == HABITAT_DTYPE_FP32 || dtype == HABITAT_DTYPE_FP16;
    if (known && device->compute_capability >= SM_PASCAL &&
        s->hidden <= narrow_hidden(s->gates, backward))
        return RNN_NARROW;
    if (dtype == HABITAT_DTYPE_FP16 && shape_persists(s) && device_persists(s, device))
        return RNN_PERSISTENT;
    return RNN_STEP_BY_STEP;
}

/* Counted in 723 profiles of single layers (least squares of the relative error): a step
 * has a product and the gates after it, and, going back, events and fills beside them. The rest is
 * of layers and directions: products of all steps at once, biases, hand-over between streams. */
typedef struct counted {
    double of_step, of_layer, once;
} counted;
typedef struct launched {
    counted kernels, calls;
} launched;
static const launched stepwise[] = {{{2, 2, 0}, {2.2, 24, 21}}, /* forward, backward */
                                    {{2, 8, 0}, {4.9, 45, 37}}};
static const launched at_once[] = {{{0, 2.3, 0}, {0, 2.4, 16}}, {{0, 7, 5}, {0, 13, 57}}};

static double launches_in(const counted *c, double steps, double layers) {
    return (c->of_step > 0 ? c->of_step * steps : 0) + c->of_layer * layers + c->once;
}

rnn_launches rnn_launches_of(const habitat_rnn_shape *s, rnn_way way, bool backward) {
    double layers = s->layers * (s->bidirectional ? 2 : 1), steps = s->steps * layers;
    const launched *of = &(way == RNN_STEP_BY_STEP ? stepwise : at_once)[backward];
    return (rnn_launches){launches_in(&of->kernels, steps, layers),
                          launches_in(&of->calls, steps, layers)};
}
