/* T(new) from T(recorded), for one operation on one GPU. Work in proportion gives
 *
 *     T_p = sum over kernels of  f + (T - f) W(new) / W       f: what any kernel costs
 *
 * and a model that knows the operation T_m = T M(new) / M, which also knows how full the GPU is.
 * Products, convolutions on matrix units, and convolutions and recurrent layers forward take T_m,
 * other operations that a model covers the geometric mean of both: models of their passes were
 * measured on fewer GPUs. Kernels that have more blocks at a larger batch take no longer until the
 * GPU is full: what they take beyond their roofline stays until then,
 *
 *     T_s = f + R(new) + (T - f - R) (1 + x(new)) / (1 + x)   x: blocks over those that fill it
 *
 * in place of T_p, and of T_m where the recorded kernel left multiprocessors idle. Kernels whose
 * shape or recorded time tells what bounds them take neither (told_growth(), layouts.c).
 * docs/formulas.md#another-batch-size-or-precision */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "base/error.h"
#include "formula/formula.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "kernels/batch_norms.h"
#include "kernels/channel_norms.h"
#include "kernels/elementwise_times.h"
#include "kernels/filling.h"
#include "kernels/layer_norms.h"
#include "kernels/layouts.h"
#include "kernels/norms.h"
#include "kernels/recorded_roofs.h"
#include "kernels/scans.h"
#include "kernels/sums.h"
#include "kernels/tables.h"
#include "kernels/tiles.h"
#include "kernels/unmodelled_times.h"
#include "kernels/unvectorised.h"
#include "predict/operations.h"
#include "predict/rescale_times.h"
#include "rescale/groups_apart.h"
#include "work/class.h"
#include "workload/rnn_calls.h"
#include "workload/share.h"

/* ---- one group ---- */

static double ratio_of(double after, double before, double otherwise) {
    return before > 0.0 && after > 0.0 ? after / before : otherwise;
}

/* W(new) / W: flop of products, else bytes, else elements. */
static double work_ratio(const habitat_work *before, const scale_group *after) {
    double bytes = ratio_of(after->work.read_bytes + after->work.write_bytes,
                            before->read_bytes + before->write_bytes, after->ratio);
    if (!before->known || !after->work.known)
        return after->ratio;
    return habitat_class_is_product(before->op_class)
               ? ratio_of(after->work.flop, before->flop, bytes)
               : bytes;
}

/* Flop of a product in whole tiles and waves, in the same units as its flop: of complex numbers
 * four times those of real ones. */
static double spent_flop(const habitat_gpu *gpu, const habitat_work *work) {
    const habitat_gemm_shape *g = &work->shape.gemm;
    habitat_work real = *work;
    real.flop = 2.0 * g->b * g->m * g->n * g->k;
    return tiles_spent_flop(&real, gpu) * (work->flop / real.flop);
}

/* Times of a matrix product that no model covers, as complex and fp64 ones: tiles, or its bytes.
 * NaN: not known. */
static double product_s(const habitat_gpu *gpu, const habitat_work *work) {
    bool matrix = work->dtype == HABITAT_DTYPE_FP64; /* libraries take these units where they are */
    return formula_roofline_s(spent_flop(gpu, work), work->read_bytes + work->write_bytes,
                              recorded_rate(gpu, work->dtype, matrix),
                              habitat_memory_rate(gpu, true));
}

/* How much longer it takes at another batch size. */
static double product_growth(const habitat_workload *w, const habitat_workload_group *group,
                             const scale_group *after) {
    double before_s = product_s(w->origin, group->work), s = product_s(w->origin, &after->work);
    return formula_usable(before_s) && formula_usable(s) ? s / before_s
                                                         : work_ratio(group->work, after);
}

bool rescale_leaves_idle(const habitat_workload *w, size_t g, const scale_group *after,
                         const rescale_answer *answer) {
    const habitat_workload_group *group = &w->groups[g];
    bool modelled = answer->before_ms > 0.0 && answer->after_ms > 0.0;
    return group->kernel_count && rescale_changes(after) &&
           filling_leaves_idle(w, group, work_ratio(group->work, after), modelled);
}

/* ---- what the models are worth ---- */

/* A step of a recurrent layer fills few of the matrix units' tiles, as models know. */
static bool steps_on_units(const habitat_workload *w, const habitat_workload_group *group) {
    rnn_way way;
    return recorded_on_matrix_units(w, group) && workload_rnn_way(group, w->origin, &way) &&
           way == RNN_STEP_BY_STEP;
}

/* Exponent of what the model says. Batch norm in another format changes hands, or is cuDNN's in
 * both, whose kernels take as many cycles an element in fp16 as in fp32: bytes tell little of it.
 */
static double model_share(const habitat_workload *w, const habitat_workload_group *group,
                          const scale_group *after) {
    const habitat_work *work = &after->work;
    bool forward = work->pass == HABITAT_PASS_FORWARD;
    if (norms_of_images(group) && group->work->dtype != work->dtype)
        return 1.0;
    switch (class_of(work->op_class)->shape) {
    case CLASS_SHAPE_GEMM:
        return work->op_class == HABITAT_CLASS_GEMM ? 1.0 : fitted_scale_model_share;
    case CLASS_SHAPE_CONV: /* few of the matrix units' large tiles fill the GPU, as models know */
        return forward                              ? 1.0
               : recorded_on_matrix_units(w, group) ? fitted_scale_conv_gradient_share
                                                    : fitted_scale_model_share;
    case CLASS_SHAPE_ATTENTION: /* of large tiles, too, and some kernels stay on their SM */
        return fitted_scale_attention_share;
    case CLASS_SHAPE_RNN:
        return forward || steps_on_units(w, group) ? 1.0 : fitted_scale_model_share;
    default:
        return fitted_scale_model_share;
    }
}

/* ---- a recurrent layer that is run another way ---- */

/* Kernels of a recurrent layer where another format or batch has fewer: PyTorch gives some layers
 * in fp16 one kernel for all steps. 0: as many as recorded, or more, whose time those carry. */
static size_t fewer_kernels(const habitat_workload *w, const habitat_workload_group *group,
                            const scale_group *after) {
    habitat_workload_group will_be = *group;
    rnn_way way;
    will_be.work = &after->work;
    if (rescale_same_way(w, group, group->work, &after->work) ||
        !workload_rnn_way(&will_be, w->origin, &way))
        return 0;
    double count =
        rnn_launches_of(&after->work.shape.rnn, way, after->work.pass != HABITAT_PASS_FORWARD)
            .kernels;
    return count < group->kernel_count ? (size_t)count : 0;
}

/* The longest `count` kernels of a group take the time of all. */
static void merge_kernels(const habitat_workload *w, const habitat_workload_group *group,
                          size_t count, double *ns) {
    const uint32_t *kernels = w->group_index + group->first_kernel;
    double sum_ns = 0.0, kept_ns = 0.0;
    for (uint32_t i = 0; i < group->kernel_count; i++)
        sum_ns += ns[kernels[i]];
    for (size_t kept = 0; kept < count; kept++) {
        uint32_t longest = kernels[0];
        for (uint32_t i = 0; i < group->kernel_count; i++)
            longest = ns[kernels[i]] > ns[longest] ? kernels[i] : longest;
        kept_ns += fmax(0.0, ns[longest]);
        ns[longest] = -ns[longest]; /* taken */
    }
    double factor = kept_ns > 0.0 ? sum_ns / kept_ns : 0.0;
    for (uint32_t i = 0; i < group->kernel_count; i++)
        ns[kernels[i]] = fmax(0.0, -ns[kernels[i]]) * factor;
}

/* ---- one group at another batch size ---- */

/* log(T(new) / T) of a product, from those of the models' answers and of the work. Libraries choose
 * its kernel by size, so what the recorded one took beyond its model fades as the sizes part; but a
 * larger batch never takes longer a sample, unless the models say so (docs/decisions/0396). */
static double product_ratio(double residual, double model, double work) {
    double left = fmax(0.0, fabs(residual) - fitted_scale_fading * fabs(model));
    double ratio = model + copysign(left, residual) - residual;
    return work > 0.0 ? fmin(ratio, fmax(model, work)) : fmax(ratio, fmin(model, work));
}

/* What groups that run in turn took beyond their model, and what of that stays at another batch
 * size: for gradients of weights libraries choose among kernels of very different pace, by rules
 * that change with the size (docs/decisions/0535). */
static double groups_kept(const scale_group *after) {
    bool image =
        after->work.pass == HABITAT_PASS_FORWARD || after->work.pass == HABITAT_PASS_BACKWARD_INPUT;
    return image ? fitted_scale_groups_share : fitted_scale_groups_weight_share;
}

/* Factor of the kernels' times in proportion, `sum_ns`: what the models say counts. */
static double modelled_factor(const habitat_workload *w, size_t g, const scale_group *after,
                              const rescale_answer *answer, double old_ns, double sum_ns) {
    const habitat_workload_group *group = &w->groups[g];
    double before_ns = answer->before_ms * HABITAT_NS_PER_MS;
    double after_ns = answer->after_ms * HABITAT_NS_PER_MS;
    double ratio = log(after_ns / before_ns);
    if (!rescale_same_way(w, group, group->work, &after->work)) /* other kernels */
        return after_ns * pow(old_ns / before_ns, fitted_scale_format_share) / sum_ns;
    if (workload_groups_in_turn(group)) /* whichever kernels the library takes for that size */
        return after_ns * pow(old_ns / before_ns, groups_kept(after)) / sum_ns;
    if (class_of(group->work->op_class)->shape == CLASS_SHAPE_GEMM)
        ratio = product_ratio(log(old_ns / before_ns), ratio, log(work_ratio(group->work, after)));
    return pow(old_ns * exp(ratio) / sum_ns, model_share(w, group, after));
}

/* Batch norms whose kernels the shape tells grow as these do; NaN: others. */
static double norms_growth(const habitat_workload *w, const habitat_workload_group *group,
                           const scale_group *after) {
    habitat_work one = *group->work, two = after->work, asked;
    if (norms_asked(group, group->work, &asked))
        one.dtype = asked.dtype;
    if (norms_asked(group, &after->work, &asked))
        two.dtype = asked.dtype;
    if (after->source == SCALE_BY_FORMAT)
        return batch_norms_change(&one, &two, w->origin);
    double of_layers = layer_norms_growth(w, group, &after->work);
    double last = channel_norms_growth(w, group, &after->work);
    return !isnan(of_layers) ? of_layers
           : !isnan(last)    ? last
                             : batch_norms_growth(&one, &two, w->origin);
}

/* More groups that are run apart take as much longer, however little each fills of the GPU. NaN:
 * not so. */
static double groups_growth(const habitat_workload_group *group, const scale_group *after) {
    double before = group->work->shape.conv.groups, now = after->work.shape.conv.groups;
    bool more = workload_groups_apart(group) && now > 0.0 && now != before;
    return more ? now / before : (double)NAN;
}

/* Kernels whose time the shape tells grow as that does; NaN: others. */
static double told_growth(const habitat_workload *w, const habitat_workload_group *group,
                          const scale_group *after) {
    double of_sums = sums_growth(group, &after->work, w->origin);
    double of_groups = groups_growth(group, after);
    double of_scans = scans_growth(group, &after->work, w->origin);
    double of_tables = tables_growth(group, &after->work, w->origin);
    double of_streams =
        after->source == SCALE_BY_FORMAT ? (double)NAN : elementwise_growth(w, group, &after->work);
    return !isnan(of_sums)      ? of_sums
           : !isnan(of_scans)   ? of_scans
           : !isnan(of_tables)  ? of_tables
           : !isnan(of_streams) ? of_streams
           : !isnan(of_groups)  ? of_groups
                                : norms_growth(w, group, after);
}

static void scale_kernels(const habitat_workload *w, size_t g, const scale_group *after,
                          const rescale_answer *answer, double *ns) {
    const habitat_workload_group *group = &w->groups[g];
    const uint32_t *kernels = w->group_index + group->first_kernel;
    double ratio = work_ratio(group->work, after), sum_ns = 0.0, old_ns = 0.0, factor = 1.0;
    double floor_ns = formula_kernel_floor_ns(w->origin);
    double places = unvectorised_ratio(w, group, after, ratio);
    bool modelled = isnan(places) && answer->before_ms > 0.0 && answer->after_ms > 0.0;
    bool batch = after->source != SCALE_BY_FORMAT; /* else blocks are as many */
    bool fills = batch || group->work->op_class == HABITAT_CLASS_REDUCE;
    ratio = isnan(places) ? ratio : places;
    if (batch && !modelled && group->work->known && after->work.known &&
        class_of(group->work->op_class)->shape == CLASS_SHAPE_GEMM)
        ratio = product_growth(w, group, after);
    if (batch && !workload_groups_in_turn(group) && layouts_are_turned(w, group, &after->work)) {
        layouts_scale(w, group, ratio, modelled ? answer->after_ms / answer->before_ms : NAN, ns);
        return;
    }
    double growth = told_growth(w, group, after);
    bool soon = false;
    for (uint32_t i = 0; growth > 0.0 && i < group->kernel_count; i++)
        ns[kernels[i]] = w->kernels[kernels[i]].facts.time_ns * growth;
    if (growth > 0.0)
        return;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel = &w->kernels[kernels[i]];
        double own_ns = fmax(0.0, kernel->facts.time_ns - floor_ns);
        filling by = fills ? filling_of(w, group, kernel, modelled) : FILLING_NOT;
        double work_ns = filling_ns(w, kernel, by, own_ns, ratio);
        soon |= by == FILLING_SOON;
        ns[kernels[i]] = kernel->facts.time_ns - own_ns + work_ns;
        sum_ns += ns[kernels[i]];
        old_ns += kernel->facts.time_ns;
    }
    bool by_model =
        workload_groups_in_turn(group) || !batch || !filling_leaves_idle(w, group, ratio, true);
    if (modelled && sum_ns > 0.0 && by_model)
        factor = modelled_factor(w, g, after, answer, old_ns, sum_ns);
    if (soon)
        factor = pow(factor, fitted_scale_soon_share);
    for (uint32_t i = 0; i < group->kernel_count; i++)
        ns[kernels[i]] *= factor;
}

void rescale_group(const habitat_workload *w, size_t g, const scale_group *after,
                   const rescale_answer *answer, double *ns) {
    size_t count = fewer_kernels(w, &w->groups[g], after);
    scale_kernels(w, g, after, answer, ns);
    if (count)
        merge_kernels(w, &w->groups[g], count, ns);
}

/* ---- another number format ---- */

/* A convolution [ms]: arithmetic, then its tensors, whose layouts are changed. */
static double conv_ms(double flop, double bytes, double flop_per_s, double bytes_per_s) {
    return 1e3 * (flop / (fitted_scale_conv_rate_share * flop_per_s) +
                  fitted_scale_conv_reads * bytes / bytes_per_s);
}

/* How much of what the recorded kernel took beyond its model carries over: between formats of the
 * matrix units kernels are alike, and fp16 and bf16 run the same ones. */
static double kept_share(const habitat_workload *w, const habitat_workload_group *group,
                         const scale_group *after) {
    habitat_dtype was = workload_arithmetic_of(w, group).dtype;
    if (after->work.op_class != HABITAT_CLASS_CONV || !after->matrix_unit ||
        !recorded_on_matrix_units(w, group))
        return workload_groups_in_turn(group) ? 0.0 : fitted_scale_format_share;
    bool alike = habitat_dtype_bytes(was) == habitat_dtype_bytes(after->arithmetic);
    return alike ? 1.0 : workload_groups_in_turn(group) ? 0.0 : fitted_scale_conv_share;
}

/* Time on another unit [ms]. The kernel is another one, so that little of what the recorded one
 * took beyond its model carries over: as between architectures. */
static double product_ms(const habitat_workload *w, const habitat_workload_group *group,
                         const scale_group *after, const rescale_answer *answer) {
    const habitat_gpu *gpu = w->origin;
    const habitat_work *work = &after->work;
    double rate = recorded_rate(gpu, after->arithmetic, after->matrix_unit);
    double bytes_per_s = habitat_memory_rate(gpu, true);
    double bytes = work->read_bytes + work->write_bytes;
    double floors_ms = group->kernel_count * formula_kernel_floor_ns(gpu) / HABITAT_NS_PER_MS;
    if (answer->before_ms > 0.0 && answer->after_ms > 0.0)
        return answer->after_ms *
               pow(group->origin_ms / answer->before_ms, kept_share(w, group, after));
    if (work->op_class == HABITAT_CLASS_CONV && group->work->known &&
        (after->matrix_unit || recorded_on_matrix_units(w, group))) {
        const habitat_work *was = group->work;
        bool was_matrix = recorded_on_matrix_units(w, group);
        double before = was_matrix
                            ? recorded_rate(gpu, workload_arithmetic_of(w, group).dtype, true)
                            : recorded_rate(gpu, HABITAT_DTYPE_FP32, false);
        double before_ms =
            floors_ms + conv_ms(was->flop, was->read_bytes + was->write_bytes, before, bytes_per_s);
        double after_ms = floors_ms + conv_ms(work->flop, bytes, rate, bytes_per_s);
        if (was_matrix &&
            after->matrix_unit) /* kernels of one unit are alike: half of what the formula says */
            return group->origin_ms * pow(after_ms / before_ms, fitted_scale_conv_share);
        return after_ms * pow(group->origin_ms / before_ms, fitted_scale_conv_share);
    }
    return NAN;
}

/* A channel a group, images in NCHW: PyTorch has cuDNN run these in fp16 and runs them itself in
 * other formats, by one kernel that is bound by instructions (docs/decisions/0414). */
static bool runs_alike(const habitat_work *before, const habitat_work *after) {
    return scale_is_depthwise(before) && !before->shape.conv.channels_last &&
           before->dtype != HABITAT_DTYPE_FP16 && after->dtype != HABITAT_DTYPE_FP16;
}

static void change_format(const habitat_workload *w, size_t g, const scale_group *after,
                          const rescale_answer *answer, double *ns) {
    const habitat_workload_group *group = &w->groups[g];
    double ms = NAN;
    bool pools = group->work->op_class == HABITAT_CLASS_POOL; /* by instructions: windows */
    if (pools || runs_alike(group->work, &after->work))
        return;
    if (!(group->origin_ms > 0.0)) /* of no time there is no share */
        return;
    if (after->arithmetic != HABITAT_DTYPE_UNKNOWN)
        ms = product_ms(w, group, after, answer);
    if (isnan(ms) && after->arithmetic == HABITAT_DTYPE_UNKNOWN) {
        scale_kernels(w, g, after, answer, ns);
        for (uint32_t i = 0; after->mixed && i < group->kernel_count; i++)
            ns[w->group_index[group->first_kernel + i]] *= fitted_scale_mixed_factor;
        return;
    }
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        uint32_t k = w->group_index[group->first_kernel + i];
        const habitat_workload_kernel *kernel = &w->kernels[k];
        habitat_workload_kernel as_it_will = *kernel;
        if (kernel->main) {
            as_it_will.facts.dtype = after->arithmetic;
            as_it_will.facts.matrix_unit = after->matrix_unit;
        }
        double ratio = recorded_roofline_ns(w->origin, &as_it_will.facts, 1.0) /
                       recorded_roofline_ns(w->origin, &kernel->facts, 1.0);
        if (!isnan(ms))
            ns[k] = kernel->facts.time_ns * (ms / group->origin_ms);
        else if (formula_usable(ratio))
            ns[k] = kernel->facts.time_ns * ratio;
    }
}

void rescale_format(const habitat_workload *w, size_t g, const scale_group *after,
                    const rescale_answer *answer, double *ns) {
    const habitat_workload_group *group = &w->groups[g];
    size_t count = fewer_kernels(w, group, after);
    change_format(w, g, after, answer, ns);
    if (count)
        merge_kernels(w, group, count, ns);
}

/* ---- what was not recorded ---- */

/* Casts of 16 bit to fp32 go without vectors, and begin late: docs/decisions/0472. */
static double widening_ns(const habitat_gpu *gpu, const habitat_work *work, double bytes_ns) {
    double start_ns = unmodelled_widened_start_s(work->shape.rows.columns, gpu) * 1e9;
    return fmax(start_ns, fitted_scale_mixed_factor * bytes_ns);
}

static double by_bytes_ns(const habitat_gpu *gpu, const scale_added *added) {
    double bytes = added->work.read_bytes + added->work.write_bytes;
    double ns = bytes / habitat_memory_rate(gpu, true) * 1e9;
    return formula_kernel_floor_ns(gpu) + (added->widens ? widening_ns(gpu, &added->work, ns) : ns);
}

/* What models or, where they know nothing, the roofs say of each. */
static habitat_status by_models(const habitat_models *models, const habitat_gpu *gpu, size_t count,
                                const habitat_model_query *queries, habitat_arena *arena,
                                habitat_operation_estimate *out, habitat_error *err) {
    operations_by by = {.method = HABITAT_METHOD_AUTO, .models = models, .part = true};
    operations_by roofs = {.method = HABITAT_METHOD_ROOFLINE, .part = true};
    habitat_status status = operations_predict(&by, gpu, count, queries, arena, out, err);
    for (size_t i = 0; status == HABITAT_OK && i < count; i++)
        if (out[i].status != HABITAT_OK)
            status = operations_predict(&roofs, gpu, 1, &queries[i], arena, &out[i], err);
    return status;
}

habitat_status rescale_added(const habitat_models *models, const habitat_gpu *gpu, size_t count,
                             const scale_added *added, double *ns, habitat_error *err) {
    habitat_arena arena = {0};
    habitat_status status = HABITAT_OK;
    size_t asked = 0;
    habitat_model_query *queries = calloc(count + 1, sizeof *queries);
    habitat_operation_estimate *found = calloc(count + 1, sizeof *found);
    if (!queries || !found)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < count; i++)
        if (added[i].work.varying)
            queries[asked++] = (habitat_model_query){.work = &added[i].work};
    if (status == HABITAT_OK && asked)
        status = by_models(models, gpu, asked, queries, &arena, found, err);
    asked = 0;
    for (size_t i = 0; status == HABITAT_OK && i < count; i++) {
        double ms = added[i].work.varying ? found[asked++].estimate.ms : (double)NAN;
        ns[i] = ms > 0.0 ? ms * HABITAT_NS_PER_MS : by_bytes_ns(gpu, &added[i]);
    }
    habitat_arena_free(&arena);
    free(queries);
    free(found);
    return status;
}
