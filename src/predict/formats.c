/* What makes a destination unlike the origin: number formats it lacks (what is predicted there in
 * their place must be said) and another vendor. */
#include <stdio.h>
#include <string.h>

#include <habitat/predict.h>
#include <habitat/text.h>

#include "base/constants.h"
#include "gpu/gpu.h"
#include "formula/rates.h"

enum { NAMES_SHOWN = 4 };

/* Share of the kernels' time on the origin that matrix units compute in `dtype`. */
static double share_in(const habitat_workload *workload, habitat_dtype dtype) {
    size_t count = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(workload, &count);
    double all = 0, in = 0;
    for (size_t i = 0; i < count; i++) {
        const habitat_kernel_facts *facts = &kernels[i].facts;
        all += facts->time_ns;
        if (facts->matrix_unit && facts->dtype == dtype)
            in += facts->time_ns;
    }
    return all > 0 ? in / all : 0;
}

/* The narrow formats: that fp32 and TF32 run on plain units elsewhere is what a person expects. */
static bool is_narrow(habitat_dtype dtype) {
    return dtype == HABITAT_DTYPE_FP16 || dtype == HABITAT_DTYPE_BF16 ||
           dtype == HABITAT_DTYPE_FP8 || dtype == HABITAT_DTYPE_INT8;
}

/* GPUs without matrix units for a format: their names, and what they compute in instead. */
typedef struct lacking {
    size_t count;
    char names[200], rates[96];
    bool rate_named[HABITAT_DTYPE_COUNT];
} lacking;

static void add_lacking(lacking *l, const habitat_gpu *gpu, habitat_dtype dtype) {
    habitat_dtype other = dtype;
    bool matrix = true;
    habitat_arithmetic_rate(gpu, dtype, true, false, &other, &matrix);
    if (other == dtype && matrix)
        return;
    if (l->count < NAMES_SHOWN)
        snprintf(l->names + strlen(l->names), sizeof l->names - strlen(l->names), "%s%s",
                 l->count ? ", " : "", gpu->name);
    l->count++;
    if (!l->rate_named[other])
        snprintf(l->rates + strlen(l->rates), sizeof l->rates - strlen(l->rates), "%s%s",
                 *l->rates ? " or " : "", habitat_dtype_name(other));
    l->rate_named[other] = true;
}

static void close_names(lacking *l) {
    if (l->count > NAMES_SHOWN)
        snprintf(l->names + strlen(l->names), sizeof l->names - strlen(l->names), " and %zu more",
                 l->count - NAMES_SHOWN);
}

bool habitat_format_warning(const habitat_workload *workload,
                            const habitat_prediction *const *predictions, size_t count,
                            habitat_dtype dtype, char *text, size_t size) {
    if (!workload || !text || !size || (count && !predictions) || !is_narrow(dtype))
        return false;
    double share = share_in(workload, dtype);
    if (share < chosen_format_least_share)
        return false;
    lacking found = {0};
    for (size_t i = 0; i < count; i++)
        if (predictions[i]->gpu != habitat_workload_get_info(workload)->origin)
            add_lacking(&found, predictions[i]->gpu, dtype);
    if (!found.count)
        return false;
    close_names(&found);
    habitat_format(
        text, size,
        "no %s matrix units on %s: %.0f %% of the origin's kernel time is predicted there "
        "at the %s rate; a library may be slower, or refuse",
        habitat_dtype_name(dtype), found.names, 100.0 * share, found.rates);
    return true;
}

bool habitat_operation_format_warning(const habitat_gpu *const *gpus, size_t count,
                                      habitat_dtype dtype, char *text, size_t size) {
    lacking found = {0};
    if (!text || !size || (count && !gpus) || !is_narrow(dtype))
        return false;
    for (size_t i = 0; i < count; i++)
        add_lacking(&found, gpus[i], dtype);
    if (!found.count)
        return false;
    close_names(&found);
    snprintf(text, size,
             "no %s matrix units on %s: predicted there at the %s rate; a library may be slower, "
             "or refuse",
             habitat_dtype_name(dtype), found.names, found.rates);
    return true;
}

const char *habitat_vendor_warning(const habitat_workload *workload,
                                   const habitat_prediction *const *predictions, size_t count) {
    if (!workload || (count && !predictions))
        return NULL;
    const habitat_gpu *origin = habitat_workload_get_info(workload)->origin;
    for (size_t i = 0; i < count; i++)
        if (strcmp(predictions[i]->gpu->vendor, origin->vendor) != 0)
            return "GPUs of another vendor than the origin's run other libraries: no measurement "
                   "of them checks these predictions; take them as rough";
    return NULL;
}

bool habitat_calibration_note(const habitat_prediction *const *predictions, size_t count,
                              char *text, size_t size) {
    char names[240] = "";
    size_t calibrated = 0;
    if (!text || !size || (count && !predictions))
        return false;
    for (size_t i = 0; i < count; i++) {
        const habitat_prediction *p = predictions[i];
        if (p->calibrated_operations == 0)
            continue;
        if (calibrated < NAMES_SHOWN)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s (%zu)",
                     calibrated ? ", " : "", p->gpu->name, p->calibrated_operations);
        calibrated++;
    }
    char more[32] = "";
    if (calibrated > NAMES_SHOWN)
        snprintf(more, sizeof more, " and %zu more", calibrated - NAMES_SHOWN);
    if (calibrated)
        snprintf(text, size,
                 "operations that a calibration measured move what the operator models say of %s%s",
                 names, more);
    return calibrated > 0;
}
