/* Names of methods and bounds. */
#include <habitat/predict.h>

#include <string.h>

#include "base/error.h"

static const struct {
    const char *name;
    bool can_be_asked_for;
} methods[HABITAT_METHOD_COUNT] = {
    [HABITAT_METHOD_AUTO] = {"auto", true},
    [HABITAT_METHOD_HABITAT] = {"habitat", true},
    [HABITAT_METHOD_MLP] = {"mlp", true},
    [HABITAT_METHOD_WAVE] = {"wave", true},
    [HABITAT_METHOD_WAVE_LARGE] = {"wave-large", true},
    [HABITAT_METHOD_FLOPS] = {"flops", true},
    [HABITAT_METHOD_BANDWIDTH] = {"bandwidth", true},
    [HABITAT_METHOD_ROOFLINE] = {"roofline", true},
    [HABITAT_METHOD_SAME] = {"same", false},
    [HABITAT_METHOD_LEARNED] = {"learned", false},
    [HABITAT_METHOD_FALLBACK] = {"fallback", false},
};

const char *habitat_method_name(habitat_method method) {
    return (unsigned)method < HABITAT_METHOD_COUNT ? methods[method].name : "unknown";
}

habitat_status habitat_method_from_name(const char *name, habitat_method *out, habitat_error *err) {
    if (!name || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no method given");
    for (int i = 0; i < HABITAT_METHOD_COUNT; i++) {
        if (!methods[i].can_be_asked_for || strcmp(methods[i].name, name) != 0)
            continue;
        *out = (habitat_method)i;
        return HABITAT_OK;
    }
    return habitat_fail(err, HABITAT_E_UNKNOWN_METHOD,
                        "unknown method \"%.40s\"; choose one of auto, habitat, mlp, wave, "
                        "wave-large, flops, bandwidth, roofline",
                        name);
}

const char *habitat_bound_name(habitat_bound bound) {
    static const char *const names[] = {
        [HABITAT_BOUND_UNKNOWN] = "unknown",
        [HABITAT_BOUND_COMPUTE] = "compute",
        [HABITAT_BOUND_MEMORY] = "memory",
        [HABITAT_BOUND_LAUNCH] = "launch",
    };
    return (unsigned)bound < sizeof names / sizeof *names ? names[bound] : "unknown";
}
