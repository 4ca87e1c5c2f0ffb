/* What single numbers are marked with and nobody can ask for. */
#include "base/constants_intervals.h"
#include "predict/plug.h"

static double exact(bool alike) {
    (void)alike;
    return 0.0;
}

static double rough(bool alike) {
    (void)alike;
    return chosen_rough_width;
}

/* The same GPU: the measurement itself. */
const method_plug method_same = {.name = "same", .width = exact};

/* An operator model of `auto` answered. */
const method_plug method_learned = {.name = "learned"};

/* The method asked for did not cover it: fallback.c. */
const method_plug method_fallback = {.name = "fallback", .width = rough};
