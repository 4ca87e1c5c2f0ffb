/* Memory of an iteration: what was recorded, what shapes tell, and the two put together.
 *
 * peak = weights + state + workspace + max(optimiser's step, highest moment of the passes), where
 * the recorded peak, if there is one, corrects what shapes say of the passes. docs/memory.md. */
#include "memory/model.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants_memory.h"
#include "base/error.h"
#include "base/format_bytes.h"
#include "gpu/generation.h"
#include "gpu/gpu.h"
#include "memory/workspace.h"
#include "trace/formats.h"
#include "trace/gradients.h"

enum { FORMATS = MEMORY_FORMATS };

static bool known(double bytes) {
    return isfinite(bytes) && bytes >= 0;
}

static double or_zero(double bytes) {
    return known(bytes) ? bytes : 0;
}

static const memory_lines *recorded_lines(const habitat_memory *m) {
    return &m->lines[HABITAT_MEMORY_RECORDED];
}

/* TF32 and strict fp32 differ in the workspaces of convolutions alone. */
bool memory_is_recorded(const habitat_memory *m, habitat_memory_format format) {
    bool single = m->facts.kind == MEMORY_KIND_SINGLE;
    return format == HABITAT_MEMORY_RECORDED ||
           (format == HABITAT_MEMORY_SINGLE && single && !(m->convolutions && m->tf32)) ||
           (format == HABITAT_MEMORY_TF32 && single && (!m->convolutions || m->tf32)) ||
           (format == HABITAT_MEMORY_AUTOCAST && m->facts.kind == MEMORY_KIND_AUTOCAST);
}

/* --- what the recording says ------------------------------------------------------------------ */

/* What the weights take in fp32: those that are listed, which are trained, and what else there is.
 * That is in 16 bit, unless all that is listed is and some weights are not. */
static double single_bytes_of(const habitat_trace_memory *m, const trace_formats *said) {
    double elements = 0, listed = 0;
    bool wide = false;
    for (size_t i = 0; i < m->parameter_count; i++) {
        double each = (double)habitat_dtype_bytes(m->parameters[i].dtype);
        elements += (double)m->parameters[i].elements;
        listed += (double)m->parameters[i].elements * each;
        wide |= each > 2;
    }
    bool others_wide = !wide && said->some_parameters != HABITAT_DTYPE_UNKNOWN;
    double others = fmax(m->parameters_bytes - listed, 0);
    return elements * SINGLE_BYTES + (others_wide ? others : 2 * others);
}

static void take_recorded(habitat_memory *m, const habitat_trace_info *info,
                          const trace_formats *said) {
    const habitat_trace_memory *r = &info->memory;
    m->peak_bytes = info->peak_memory_bytes > 0 ? info->peak_memory_bytes : NAN;
    m->of_tensors = info->without_gpu;
    m->parameters_bytes = r->parameters_bytes;
    m->buffers_bytes = or_zero(r->buffers_bytes);
    m->gradients_bytes = r->gradients_bytes;
    m->optimizer_bytes = r->optimizer_bytes;
    m->single_over_recorded = m->facts.kind != MEMORY_KIND_HALF ? 1
                              : known(m->parameters_bytes) && r->parameter_count
                                  ? single_bytes_of(r, said) / m->parameters_bytes
                                  : 2;
}

/* Bytes of the gradients whose shapes the backward pass shows: each once, however often its weights
 * are used. NaN: it shows none. passes: over which the step gathers them. */
static habitat_status shown_gradients(const habitat_trace *trace, double *out, uint32_t *passes) {
    trace_gradients g;
    habitat_status status = trace_gradients_of(trace, &g, NULL);
    *out = g.source == TRACE_GRADIENTS_SHAPES ? 0 : NAN;
    for (size_t i = 0; g.source == TRACE_GRADIENTS_SHAPES && i < g.count; i++)
        *out += (double)g.all[i].elements * (double)habitat_dtype_bytes(g.all[i].dtype);
    trace_gradients_free(&g);
    return status == HABITAT_OK ? trace_backward_passes(trace, passes, NULL) : status;
}

/* Of what is as large as the weights, the part whose gradients are rows of tables. */
static void take_rows(habitat_memory *m, double tables_bytes, bool noted) {
    if (!noted && tables_bytes > 0)
        m->gradients_bytes = fmax(m->gradients_bytes - tables_bytes, 0) + m->facts.rows_bytes;
    m->rows_bytes = fmin(m->facts.rows_bytes, or_zero(m->gradients_bytes));
}

/* Weights from the operations that use them, where the recording does not say. Weights without a
 * gradient are not trained, and have no state. */
static void estimate_state(habitat_memory *m, const memory_steps *steps, double between,
                           double gradients) {
    if (known(m->parameters_bytes)) {
        if (!known(m->gradients_bytes))
            m->gradients_bytes = m->facts.has_backward ? m->parameters_bytes : 0;
        if (!known(m->optimizer_bytes))
            m->optimizer_bytes = m->parameters_bytes * m->facts.state_factor;
        return;
    }
    double each = m->facts.kind == MEMORY_KIND_HALF ? HALF_BYTES : SINGLE_BYTES;
    m->from_shapes = true;
    /* no list of an optimiser has weights in it whose gradients are rows */
    m->parameters_bytes =
        (m->facts.weights > 0 ? m->facts.weights + steps->tables : steps->weights) * each;
    m->twice_bytes = m->facts.weights > 0 ? 0 : steps->maybe_again * each;
    bool told = m->facts.has_backward && !(m->facts.weights > 0); /* by what has a gradient */
    double trained = known(gradients) ? gradients
                     : told           ? steps->trained * each
                                      : m->parameters_bytes;
    m->gradients_bytes = known(gradients) || m->facts.has_backward ? trained : 0;
    m->optimizer_bytes = trained * m->facts.state_factor;
    double state = m->parameters_bytes + m->optimizer_bytes;
    if (!known(between) || between >= state)
        return;
    m->twice_bytes = 0; /* what was there before the step says it */
    /* shared weights were met more than once */
    if (known(gradients)) {
        m->parameters_bytes = fmax(gradients, between - m->optimizer_bytes);
    } else {
        m->parameters_bytes *= between / state;
        m->gradients_bytes *= between / state;
        m->optimizer_bytes *= between / state;
    }
}

static void take_state(habitat_memory *m, const memory_steps *steps, double between,
                       double gradients) {
    double each = m->facts.kind == MEMORY_KIND_HALF ? HALF_BYTES : SINGLE_BYTES;
    bool noted = known(m->gradients_bytes);
    estimate_state(m, steps, between, gradients);
    take_rows(m, steps->tables * each, noted);
}

static double blas_bytes(const habitat_memory *m, const habitat_gpu *origin) {
    if (!m->blas)
        return 0;
    double one = origin && origin->compute_capability < SM_HOPPER ? hardware_blas_bytes
                                                                  : hardware_blas_hopper_bytes;
    return m->facts.has_backward ? 2 * one : one; /* the backward pass has a thread of its own */
}

/* What grows with the batch and is there between two iterations: the script's batch, and the last
 * outputs where its variables still hold them. */
static double outliving(const habitat_memory *m, habitat_memory_format format) {
    const memory_lines *lines = &m->lines[format];
    return lines->batch_bytes + (m->outputs_gone ? 0 : lines->loss_bytes);
}

/* The last outputs are one tensor, there between two iterations or not: the rest must have room for
 * it, and where weights are known for most of it beside what cuBLAS keeps. */
static bool outputs_held(const habitat_memory *m, double rest, double blas) {
    const memory_lines *lines = recorded_lines(m);
    double beside = m->from_shapes ? INFINITY : rest - lines->batch_bytes - blas;
    return rest >= lines->batch_bytes + lines->loss_bytes && beside >= lines->loss_bytes / 2;
}

/* What else stays between two iterations beside weights and state is workspace, which does not
 * grow. */
static void divide_rest(habitat_memory *m, const habitat_trace_memory *r,
                        const habitat_gpu *origin) {
    double rest = r->between_bytes - m->parameters_bytes - m->buffers_bytes - m->gradients_bytes -
                  m->optimizer_bytes;
    if (m->from_shapes) /* what was there before the profile */
        rest = r->between_bytes - m->parameters_bytes - m->optimizer_bytes;
    m->outputs_gone =
        !m->facts.has_backward ||
        (known(r->between_bytes) && !outputs_held(m, rest, origin ? blas_bytes(m, origin) : 0));
    double outlives = outliving(m, HABITAT_MEMORY_RECORDED);
    if (!known(r->between_bytes) || isnan(rest)) {
        m->outlive_bytes = outlives;
        m->workspace_bytes = blas_bytes(m, origin);
        return;
    }
    m->outlive_bytes = fmin(outlives, fmax(rest, 0));
    m->workspace_bytes = fmax(rest, 0) - m->outlive_bytes;
}

/* --- correction ------------------------------------------------------------------------------- */

/* Weights, state and workspace: what is there in every moment. */
static double always(const habitat_memory *m) {
    return m->parameters_bytes + m->buffers_bytes + m->optimizer_bytes + m->workspace_bytes;
}

static double gradients_at(const habitat_memory *m, double batch_factor) {
    return m->gradients_bytes + m->rows_bytes * (batch_factor - 1);
}

static double optimizer_step_at(const habitat_memory *m, double batch_factor) {
    return m->optimizer_bytes > 0 ? gradients_at(m, batch_factor) + m->temporary_bytes : 0;
}

static double optimizer_step(const habitat_memory *m) {
    return optimizer_step_at(m, 1);
}

/* What outlives the iteration is part of every moment. */
static void add_outliving(memory_lines *lines, double bytes) {
    for (size_t i = 0; i < lines->count; i++)
        lines->lines[i].growing += bytes;
}

/* So that the recorded peak comes out, however little is kept where layers are computed again.
 * Where that is the optimiser's step, the passes stay below it and shapes alone say how far. */
void memory_correct(habitat_memory *m, double training_most) {
    m->correction = 1;
    if (isnan(m->peak_bytes) || !recorded_lines(m)->count)
        return;
    double passes = m->peak_bytes - always(m);
    double factor = memory_lines_factor(recorded_lines(m), passes);
    if (optimizer_step(m) + m->outlive_bytes > passes * (1 - chosen_memory_step_tolerance))
        factor = fmin(factor, 1);
    double most = m->facts.has_backward ? training_most : chosen_memory_inference_correction;
    double least = m->facts.recomputes ? 0 : chosen_memory_least_correction;
    m->correction = fmax(least, fmin(factor, most));
    double told = fmax(memory_lines_at(recorded_lines(m), 1, m->correction),
                       optimizer_step(m) + m->outlive_bytes);
    m->unexplained_bytes = fmax(passes - told, 0);
}

/* --- creating --------------------------------------------------------------------------------- */

static memory_gap gap_of(const memory_facts *facts, const memory_steps *steps,
                         const habitat_trace_info *info) {
    return facts->foreign_share > chosen_memory_foreign_share ? MEMORY_GAP_COMPILED
           : facts->unlinked                                  ? MEMORY_GAP_UNLINKED
           : info->other_steps || info->iterations_differ     ? MEMORY_GAP_PARTS
           : !steps->product_count                            ? MEMORY_GAP_NO_PRODUCTS
                                                              : MEMORY_GAP_NONE;
}

static habitat_status make_lines(habitat_memory *m, const habitat_trace *trace,
                                 const habitat_trace_info *info, const memory_workspaces *spaces,
                                 habitat_memory_format format) {
    memory_steps steps;
    habitat_status status =
        memory_steps_of(trace, &info->memory, &m->facts, format, spaces, &steps);
    if (status != HABITAT_OK)
        return status;
    m->blas |= steps.blas;
    m->convolutions |= steps.convolutions;
    m->tf32 |= steps.tf32;
    double gradients = NAN;
    uint32_t passes = 1;
    if (format == HABITAT_MEMORY_RECORDED && !known(m->parameters_bytes))
        status = shown_gradients(trace, &gradients, &passes);
    steps.weights /= passes; /* met in each of them */
    steps.maybe_again /= passes;
    steps.trained /= passes;
    steps.tables /= passes;
    if (format == HABITAT_MEMORY_RECORDED)
        take_state(m, &steps, info->memory.between_bytes, gradients);
    double scale = format == HABITAT_MEMORY_RECORDED ? 1 : m->single_over_recorded;
    double each = format == HABITAT_MEMORY_RECORDED && m->facts.kind == MEMORY_KIND_HALF
                      ? HALF_BYTES
                      : SINGLE_BYTES;
    memory_gradients all = {scale * (or_zero(m->gradients_bytes) - m->rows_bytes),
                            scale * m->rows_bytes, each};
    memory_gap gap = gap_of(&m->facts, &steps, info);
    if (format == HABITAT_MEMORY_RECORDED)
        m->gap = gap;
    if (gap == MEMORY_GAP_NONE)
        for (int most = 0; most < 2 && status == HABITAT_OK; most++)
            status = memory_lines_of(&steps, &m->facts, &all, most,
                                     most ? &m->most[format] : &m->lines[format]);
    memory_steps_free(&steps);
    return status;
}

/* What kernels tell of workspaces is the same in every format. */
static habitat_status make_all_lines(habitat_memory *m, const habitat_trace *trace,
                                     const habitat_trace_info *info, const habitat_gpu *origin) {
    memory_workspaces spaces = {0};
    habitat_status status =
        memory_workspaces_of(trace, m->facts.kind, origin, &spaces) ? HABITAT_OK : HABITAT_E_MEMORY;
    for (int f = HABITAT_MEMORY_RECORDED; f < FORMATS && status == HABITAT_OK; f++) {
        habitat_memory_format format = (habitat_memory_format)f;
        if (format == HABITAT_MEMORY_RECORDED || !memory_is_recorded(m, format))
            status = make_lines(m, trace, info, &spaces, format);
    }
    memory_workspaces_free(&spaces);
    return status;
}

static habitat_status fill(habitat_memory *m, const habitat_trace *trace,
                           const habitat_trace_info *info, const habitat_gpu *origin) {
    m->facts = memory_facts_of(trace, &info->memory);
    take_recorded(m, info, trace_formats_of(trace));
    habitat_status status = make_all_lines(m, trace, info, origin);
    if (status != HABITAT_OK)
        return status;
    divide_rest(m, &info->memory, origin);
    m->temporary_bytes = m->facts.step_lists * (or_zero(m->gradients_bytes) - m->rows_bytes);
    double recorded = outliving(m, HABITAT_MEMORY_RECORDED);
    for (int f = 0; f < FORMATS && m->facts.has_backward; f++) { /* else in the lives of tensors */
        double share = recorded > 0 ? outliving(m, (habitat_memory_format)f) / recorded : 1;
        add_outliving(&m->lines[f], m->outlive_bytes * share);
        add_outliving(&m->most[f], m->outlive_bytes * share);
    }
    memory_correct(m, fitted_memory_training_correction);
    return HABITAT_OK;
}

habitat_status memory_create(const habitat_trace *trace, const habitat_trace_info *info,
                             const habitat_gpu *origin, habitat_memory **out, habitat_error *err) {
    habitat_memory *m = calloc(1, sizeof *m);
    habitat_status status = m ? fill(m, trace, info, origin) : HABITAT_E_MEMORY;
    if (status != HABITAT_OK) {
        habitat_memory_free(m);
        return habitat_fail(err, status, "out of memory");
    }
    *out = m;
    return HABITAT_OK;
}

habitat_status habitat_memory_create(const habitat_trace *trace, const habitat_gpu *origin,
                                     habitat_memory **out, habitat_error *err) {
    if (!trace || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no trace, or nowhere to put its memory");
    return memory_create(trace, habitat_trace_get_info(trace), origin, out, err);
}

void habitat_memory_free(habitat_memory *memory) {
    if (!memory)
        return;
    for (int format = 0; format < FORMATS; format++) {
        memory_lines_free(&memory->lines[format]);
        memory_lines_free(&memory->most[format]);
    }
    free(memory);
}

/* --- predicting ------------------------------------------------------------------------------- */

/* What nothing explains is workspace of convolutions: less where less passes, but never more than
 * was recorded. Where there are none it is tensors, which grow with the batch. */
static double moments_at(const habitat_memory *m, const memory_lines *lines, double batch_factor) {
    double told = memory_lines_at(lines, batch_factor, m->correction);
    double recorded = memory_lines_at(recorded_lines(m), 1, m->correction);
    if (!(recorded > 0))
        return told + m->unexplained_bytes;
    if (m->convolutions || !m->facts.has_backward)
        return told + m->unexplained_bytes * fmin(told / recorded, 1);
    double same_batch = memory_lines_at(lines, 1, m->correction);
    return told + m->unexplained_bytes * batch_factor * fmin(same_batch / recorded, 1);
}

/* What nothing explains of a recorded peak that the optimiser's step makes: it is there at any
 * batch size, as the step is. */
static double unexplained_of_step(const habitat_memory *m) {
    double passes = memory_lines_at(recorded_lines(m), 1, m->correction);
    return optimizer_step(m) + m->outlive_bytes > passes ? m->unexplained_bytes : 0;
}

static const memory_lines *lines_in(const habitat_memory *m, habitat_memory_format format) {
    return &m->lines[memory_is_recorded(m, format) ? HABITAT_MEMORY_RECORDED : format];
}

double memory_growing_bytes(const habitat_memory *m, double batch_factor,
                            habitat_memory_format format) {
    const memory_lines *lines = lines_in(m, format);
    return lines->count ? memory_lines_growing(lines, batch_factor, m->correction) : (double)NAN;
}

habitat_status habitat_memory_predict(const habitat_memory *m, double batch_factor,
                                      habitat_memory_format format, habitat_memory_parts *out) {
    if (!m || !out || !(batch_factor > 0) || isinf(batch_factor) || format > HABITAT_MEMORY_TF32)
        return HABITAT_E_ARG;
    bool recorded = memory_is_recorded(m, format), same = recorded && batch_factor == 1;
    habitat_memory_format made = recorded ? HABITAT_MEMORY_RECORDED : format;
    const memory_lines *lines = &m->lines[made];
    if (!same && !lines->count)
        return HABITAT_E_UNSUPPORTED;
    double scale = recorded ? 1 : m->single_over_recorded;
    double moments = moments_at(m, lines, batch_factor);
    double step = scale * (optimizer_step_at(m, batch_factor) + unexplained_of_step(m)) +
                  m->outlive_bytes * batch_factor;
    double most = same ? moments : fmax(moments, moments_at(m, &m->most[made], batch_factor));
    double sum = scale * (m->parameters_bytes + m->optimizer_bytes) + m->buffers_bytes +
                 m->workspace_bytes + fmax(moments, optimizer_step(m) > 0 ? step : 0);
    bool measured = known(m->peak_bytes);
    bool told = lines->count || !m->from_shapes; /* weights from few products are none */
    *out = (habitat_memory_parts){
        .basis = same && measured ? m->of_tensors ? HABITAT_MEMORY_TENSORS : HABITAT_MEMORY_MEASURED
                 : !lines->count  ? HABITAT_MEMORY_UNKNOWN
                 : measured       ? HABITAT_MEMORY_SCALED
                                  : HABITAT_MEMORY_SHAPES,
        .parameters_bytes = told ? scale * m->parameters_bytes + m->buffers_bytes : (double)NAN,
        .gradients_bytes = told ? scale * gradients_at(m, batch_factor) : (double)NAN,
        .optimizer_bytes = told ? scale * m->optimizer_bytes : (double)NAN,
        .activations_bytes = lines->count ? moments : (double)NAN,
        .workspace_bytes = lines->count ? m->workspace_bytes : (double)NAN,
        .peak_bytes = same && measured ? m->peak_bytes
                      : lines->count   ? sum
                                       : (double)NAN,
        .algorithms_bytes = lines->count ? most - moments : (double)NAN,
        .largest_bytes = lines->count ? lines->largest_bytes * batch_factor : (double)NAN,
        .twice_bytes = told ? scale * m->twice_bytes : 0};
    return HABITAT_OK;
}
