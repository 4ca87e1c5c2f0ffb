/* One host beside another, by what launches and layers take their CPUs: docs/gpus.md. */
#include <math.h>

#include "base/constants_recordings.h"
#include "base/constants_replay.h"
#include "base/error.h"
#include "gpu/gpu.h"

static double spread_of(const habitat_host_costs *host) {
    return fmax(host->launch_spread, fmax(host->forward_spread, host->backward_spread));
}

habitat_status habitat_host_compare(const habitat_gpu *recorded, const habitat_gpu *other,
                                    habitat_host_ratio *out, habitat_error *err) {
    if (!other || !out)
        return habitat_fail(err, HABITAT_E_ARG, "a calibration and a place are needed");
    const habitat_host_costs middle = {.launch_ns = fitted_middle_launch_ns,
                                       .forward_ns = fitted_middle_forward_ns,
                                       .backward_ns = fitted_middle_backward_ns};
    const habitat_host_costs *from = recorded ? &recorded->host : &middle, *to = &other->host;
    if (!(from->launch_ns > 0.0) || !(to->launch_ns > 0.0)) {
        habitat_status status =
            habitat_fail(err, HABITAT_E_FORMAT,
                         "says nothing of its host; measure it again with `habitat calibrate`");
        if (err)
            err->index = from->launch_ns > 0.0;
        return status;
    }
    habitat_host_ratio made = {.doubt = fitted_host_factor,
                               .launch = to->launch_ns / from->launch_ns,
                               .forward = to->forward_ns / from->forward_ns,
                               .backward = to->backward_ns / from->backward_ns,
                               .spread = fmax(spread_of(from), spread_of(to))};
    made.scale = cbrt(made.launch * made.forward * made.backward);
    /* figures further apart than those of real hosts: any of them may be the right one */
    const double figures[] = {made.launch, made.forward, made.backward};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        made.doubt = fmax(made.doubt, fmax(figures[i] / made.scale, made.scale / figures[i]));
    *out = made;
    return HABITAT_OK;
}
