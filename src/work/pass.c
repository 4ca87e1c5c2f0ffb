/* Names of passes. */
#include "work/pass.h"

#include <habitat/work.h>

#include "base/error.h"

static const word passes[] = {
    {"forward", HABITAT_PASS_FORWARD, NULL},
    {"backward", HABITAT_PASS_BACKWARD, NULL},
    {"backward-input", HABITAT_PASS_BACKWARD_INPUT, NULL},
    {"backward-weight", HABITAT_PASS_BACKWARD_WEIGHT, NULL},
    {"fwd", HABITAT_PASS_FORWARD, NULL},
    {"fwd+bwd+update", HABITAT_PASS_FORWARD,
     "a whole training step of a layer in one time cannot be taken apart"},
};

const vocabulary habitat_passes = VOCABULARY("pass", passes);

habitat_status habitat_pass_from_name(const char *name, habitat_pass *out, habitat_error *err) {
    if (!name || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no pass given");
    const word *found = word_find(&habitat_passes, name);
    if (!found || found->why_not)
        return habitat_fail(err, HABITAT_E_ARG,
                            "\"%.40s\" is no pass; choose forward, backward, backward-input or "
                            "backward-weight",
                            name);
    *out = (habitat_pass)found->value;
    return HABITAT_OK;
}
