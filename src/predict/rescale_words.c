/* What is said of a recorded iteration at another batch size, and what is refused. */
#include "predict/rescale_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/constants_scaling.h"
#include "base/error.h"

static const char *where_from(const double of[SCALE_GONE + 1]) {
    if (of[SCALE_ASSUMED] + of[SCALE_IN_A_ROW] > of[SCALE_BY_RECORDING] + of[SCALE_BY_SHAPES])
        return "are taken to grow with it";
    return of[SCALE_BY_RECORDING] > of[SCALE_BY_SHAPES] ? "were found from the second recording"
                                                        : "were found from shapes and layers";
}

/* Where few tensors have the batch as a size, something else tells what grows, or nothing does. */
static habitat_status warn_of_place(const habitat_workload *w, const scale_group *after,
                                    bool in_a_row, habitat_workload *out, habitat_error *err) {
    double share = scale_carried_share(w, after);
    unsigned long long batch = w->batch_size;
    char text[400], where[120];
    if (share >= chosen_said_batch_share)
        return HABITAT_OK;
    if (share > 0.0 || !in_a_row)
        habitat_format(where, sizeof where,
                       "the recorded sizes hold the batch of %llu in %.0f %% of the time beside "
                       "the optimiser",
                       batch, 100.0 * share);
    else
        habitat_format(where, sizeof where, "no tensor has the batch of %llu as a size", batch);
    const char *second = workload_is_untimed(w) ? "" : "; a second recording tells (--batch-from)";
    habitat_format(text, sizeof text, "%s: %s%s", where,
                   in_a_row ? "those sizes grow with it that no parameter has, as of graphs or "
                              "samples in one row"
                            : "if it is another one, so is the answer",
                   in_a_row ? second : "");
    return scale_warn(out, text, err);
}

habitat_status rescale_warn_of_batch(const habitat_workload *w, const scale_group *after,
                                     uint32_t parts, uint64_t batch, habitat_workload *out,
                                     habitat_error *err) {
    double of[SCALE_GONE + 1] = {0.0}, all = 0.0;
    char text[400], shared[60] = "", stay[48] = "";
    for (size_t g = 0; g < w->group_count; g++) {
        of[after[g].source] += w->groups[g].origin_ms;
        all += w->groups[g].origin_ms;
    }
    if (parts > 1)
        habitat_format(shared, sizeof shared, ", shared by %u forward passes", parts);
    if (100.0 * of[SCALE_STAYS] / all >= 0.5) /* else it would read 0 */
        habitat_format(stay, sizeof stay, "; %.0f %% stay as recorded",
                       100.0 * of[SCALE_STAYS] / all);
    habitat_format(
        text, sizeof text,
        "batch size %llu instead of %llu%s: operations that carry the batch (%.0f %% of the "
        "time) %s%s",
        (unsigned long long)batch, (unsigned long long)w->batch_size, shared,
        100.0 - 100.0 * of[SCALE_STAYS] / all, where_from(of), stay);
    habitat_status status = scale_warn(out, text, err);
    if (status == HABITAT_OK)
        status = warn_of_place(w, after, of[SCALE_IN_A_ROW] > 0.0, out, err);
    if (status != HABITAT_OK || of[SCALE_ASSUMED] < chosen_scale_assumed_share * all)
        return status;
    habitat_format(
        text, sizeof text,
        "%.0f %% of the time is in kernels without recorded shapes: taken to grow with the "
        "batch; record with shapes (`habitat record` does)",
        100.0 * of[SCALE_ASSUMED] / all);
    return scale_warn(out, text, err);
}

/* A step that gathers gradients may note the samples of one of its passes. */
habitat_status rescale_warn_of_passes(const habitat_workload *recorded, uint32_t parts,
                                      habitat_workload *out, habitat_error *err) {
    uint32_t passes = 1;
    unsigned long long batch = recorded->batch_size;
    char text[400];
    habitat_status status = parts > 1 ? HABITAT_OK : scale_passes(recorded, &passes, err);
    if (status != HABITAT_OK || passes < 2)
        return status;
    habitat_format(text, sizeof text,
                   "the step gathers the gradients of %u passes, and each has the batch of %llu "
                   "that the recording notes: if those are other samples in each, the iteration "
                   "has %llu; record it with `habitat record --batch-size %llu`",
                   passes, batch, batch * passes, batch * passes);
    return scale_warn(out, text, err);
}

/* A few operations more or less are usual: libraries choose other kernels. */
habitat_status rescale_warn_of_twins(const habitat_workload *other, const scale_twins *twins,
                                     habitat_workload *out, habitat_error *err) {
    enum { USUAL = 20 }; /* one in so many */
    char text[400];
    if (!other || USUAL * (twins->operations - twins->found) <= twins->operations)
        return HABITAT_OK;
    habitat_format(text, sizeof text,
                   "%zu of %zu operations are found again in the second recording (batch size "
                   "%llu); sizes of the others are found from shapes and layers",
                   twins->found, twins->operations, (unsigned long long)other->batch_size);
    return scale_warn(out, text, err);
}

/* ---- results as long as their values say ---- */

/* Operations whose result has as many rows as values have it: places that are not zero, boxes that
 * are kept. What comes after them has sizes that no batch explains. */
size_t rescale_count_by_values(const habitat_workload *w) {
    static const char *const names[] = {"aten::nonzero", "aten::masked_select", "aten::_unique2",
                                        "torchvision::nms"};
    size_t count = 0, found = 0;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            found += strcmp(ops[i].form->name, names[k]) == 0;
    return found;
}

/* Share of the recorded time that sees samples and stays. */
static double staying_share(const habitat_workload *w, const scale_group *after) {
    double stays = 0.0, all = 0.0;
    for (size_t g = 0; g < w->group_count; g++) {
        all += w->groups[g].origin_ms;
        if (after[g].source == SCALE_STAYS && !scale_leaves(w, &w->groups[g]))
            stays += w->groups[g].origin_ms;
    }
    return all > 0.0 ? stays / all : 0.0;
}

/* What stays in such a step may as well grow with the batch: how far apart the two are. */
double rescale_values_sigma(const habitat_workload *w, const scale_group *after, uint64_t batch,
                            const habitat_workload *made) {
    double grown = (double)batch / (double)w->batch_size;
    double ratio = (double)(made->kernel_ns + made->copy_ns) / (double)(w->kernel_ns + w->copy_ns);
    double other = ratio + staying_share(w, after) * (grown - 1.0);
    return other > 0.0 && ratio > 0.0 ? fabs(log(other / ratio)) : 0.0;
}

habitat_status rescale_warn_of_values(const habitat_workload *w, const scale_group *after,
                                      size_t by_values, habitat_workload *out, habitat_error *err) {
    char text[400];
    habitat_format(text, sizeof text,
                   "%.0f operations an iteration have results as long as their values say (such "
                   "as nonzero): another batch may have other sizes and more operations; %.0f %% "
                   "of the time stays and may grow, which the interval allows for",
                   (double)by_values / (double)w->info.iteration_count,
                   100.0 * staying_share(w, after));
    return scale_warn(out, text, err);
}

/* Each of the forward passes that share a batch takes a sample at least. */
habitat_status rescale_check_shared(uint32_t parts, uint64_t batch, habitat_error *err) {
    if (batch >= parts)
        return HABITAT_OK;
    return habitat_fail(err, HABITAT_E_ARG,
                        "the step gathers the gradients of %u forward passes, which share its "
                        "batch: give a batch size of %u or more",
                        parts, parts);
}

/* A step of which next to nothing changes with its batch has another one than it notes: that of
 * several passes in one iteration, for instance. */
habitat_status rescale_check_grows(const habitat_workload *w, const scale_group *after,
                                   habitat_error *err) {
    double grows = 0.0, all = 0.0;
    for (size_t g = 0; g < w->group_count; g++) {
        if (scale_leaves(w, &w->groups[g]))
            continue;
        all += w->groups[g].origin_ms;
        grows += after[g].source == SCALE_STAYS ? 0.0 : w->groups[g].origin_ms;
    }
    if (!(grows < chosen_least_batch_share * all))
        return HABITAT_OK;
    return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                        "the recording notes a batch of %llu, and the recorded sizes hold it in "
                        "%.0f %% of the time beside the optimiser: it is another one, and nothing "
                        "tells what grows with it; record it again with `habitat record "
                        "--batch-size N`, N all samples of an iteration",
                        (unsigned long long)w->batch_size, 100.0 * grows / all);
}
