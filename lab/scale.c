/* Recordings of a folder scaled to one another: the largest batch from the smallest and back, and
 * every precision from every other, on the same GPU. Sums of kernels against sums of
 * kernels, whole steps against whole steps. */
#include "lab/scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/predict.h>
#include <habitat/trace.h>

#include "base/error.h"
#include "lab/recordings.h"
#include "rescale/scale.h"

/* A file's name in parts: "resnet50", 16, "amp_bf16", "h200". */
typedef struct part_names {
    char model[48], precision[24], gpu[16];
    unsigned long batch;
} part_names;

/* "resnet50_b16_amp_bf16_h200.json.gz"; false for a name of another form. */
static bool split(const char *file, part_names *out) {
    const char *batch = recording_batch_part(file), *end = strstr(file, ".json");
    if (!batch || !end)
        return false;
    const char *precision = batch + 2 + strspn(batch + 2, "0123456789"), *gpu = end;
    while (gpu > precision && *gpu != '_')
        gpu--;
    if (*precision != '_' || gpu <= precision)
        return false;
    snprintf(out->model, sizeof out->model, "%.*s", (int)(batch - file), file);
    snprintf(out->precision, sizeof out->precision, "%.*s", (int)(gpu - precision - 1),
             precision + 1);
    snprintf(out->gpu, sizeof out->gpu, "%.*s", (int)(end - gpu - 1), gpu + 1);
    out->batch = strtoul(batch + 2, NULL, 10);
    return true;
}

/* bf16 in a name is autocast too; fp16 alone is a network whose weights are fp16. */
static habitat_precision precision_of(const part_names *p) {
    static const struct {
        const char *word;
        habitat_precision precision;
    } words[] = {{"fp32", HABITAT_PRECISION_FP32},
                 {"tf32", HABITAT_PRECISION_TF32},
                 {"amp_bf16", HABITAT_PRECISION_AMP_BF16},
                 {"bf16", HABITAT_PRECISION_AMP_BF16},
                 {"amp_fp16", HABITAT_PRECISION_AMP_FP16}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, p->precision) == 0)
            return words[i].precision;
    return HABITAT_PRECISION_RECORDED;
}

/* Whether rules of batch sizes, of precisions from fp32, of those from others were chosen on it. */
static bool is_chosen_on(const scale_case *c) {
    static const char *const of_batches[] = {"resnet50", "bert", "gnmt", "gpt2", NULL};
    static const char *const of_single[] = {"resnet50", "bert", NULL};
    static const char *const of_others[] = {
        "resnet50", "resnet50_inference", "resnet50_training", "bert", "vit", NULL};
    const char *const *names = !c->precision                           ? of_batches
                               : c->recorded == HABITAT_PRECISION_FP32 ? of_single
                                                                       : of_others;
    while (*names && strcmp(*names, c->model) != 0)
        names++;
    return *names;
}

/* ---- one pair ---- */

static double kernels_ms(const habitat_workload *w) {
    const habitat_workload_info *info = habitat_workload_get_info(w);
    return info->kernel_ms + info->copy_ms;
}

/* Recorded in another format than the file's name says: weights in bf16 are no autocast. */
static bool is_misnamed(const recording *r, habitat_precision named) {
    return r->workload->format.precision != named;
}

/* Whole steps are judged from fp32 alone, as the widths of their intervals are. */
static habitat_status judge(scale_case *c, const recording *from, const habitat_workload *scaled,
                            const recording *to, habitat_error *err) {
    c->from_ms = kernels_ms(from->workload);
    c->predicted_ms = kernels_ms(scaled);
    c->measured_ms = kernels_ms(to->workload);
    return !c->precision || c->recorded == HABITAT_PRECISION_FP32
               ? scale_judge_step(from, scaled, to, &c->step, err)
               : HABITAT_OK;
}

/* third: a recording that tells which sizes change, or NULL. */
static habitat_status add_case(const habitat_gpu_table *gpus, const char *folder, scale_case what,
                               const char *third, scale_set *set, habitat_error *err) {
    scale_case *grown = realloc(set->cases, (set->count + 1) * sizeof *grown);
    recording from = {0}, to = {0}, other = {0};
    habitat_workload *scaled = NULL;
    if (!grown)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    set->cases = grown;
    habitat_status status = recording_open(gpus, folder, what.from, &from, err);
    if (status == HABITAT_OK)
        status = recording_open(gpus, folder, what.to, &to, err);
    if (status == HABITAT_OK && third)
        status = recording_open(gpus, folder, third, &other, err);
    habitat_scale scale = {.precision = what.precision, .batch_from = other.workload};
    if (status == HABITAT_OK && !what.precision)
        scale.batch_size = habitat_trace_get_info(to.trace)->batch_size;
    bool wanted = status == HABITAT_OK && (!what.precision || (!is_misnamed(&from, what.recorded) &&
                                                               !is_misnamed(&to, what.precision)));
    if (wanted)
        status = habitat_workload_scale(from.workload, &scale, NULL, &scaled, err);
    if (wanted && status == HABITAT_OK)
        status = judge(&what, &from, scaled, &to, err);
    if (wanted && status == HABITAT_OK)
        set->cases[set->count++] = what;
    habitat_workload_free(scaled);
    recording_close(&from);
    recording_close(&to);
    recording_close(&other);
    return status;
}

static scale_case case_of(const char *from, const char *to, const part_names *p) {
    scale_case out = {0};
    snprintf(out.from, sizeof out.from, "%s", from);
    snprintf(out.to, sizeof out.to, "%s", to);
    snprintf(out.model, sizeof out.model, "%s", p->model);
    return out;
}

/* ---- a folder ---- */

static bool same_step(const part_names *a, const part_names *b) {
    return strcmp(a->model, b->model) == 0 && strcmp(a->gpu, b->gpu) == 0;
}

/* The smallest and the largest batch of a step, and one between them; i: the first of the step. */
static habitat_status add_batches(const habitat_gpu_table *gpus, const char *folder,
                                  const recording_names *names, const part_names *parts, size_t i,
                                  scale_set *set, habitat_error *err) {
    size_t smallest = i, largest = i, between = SIZE_MAX;
    habitat_status status = HABITAT_OK;
    for (size_t j = 0; j < names->count; j++) {
        if (!same_step(&parts[i], &parts[j]) || strcmp(parts[i].precision, parts[j].precision) != 0)
            continue;
        if (j < i)
            return HABITAT_OK; /* done with the first */
        smallest = parts[j].batch < parts[smallest].batch ? j : smallest;
        largest = parts[j].batch > parts[largest].batch ? j : largest;
    }
    for (size_t j = i; j < names->count; j++)
        if (same_step(&parts[i], &parts[j]) &&
            strcmp(parts[i].precision, parts[j].precision) == 0 &&
            parts[j].batch > parts[smallest].batch && parts[j].batch < parts[largest].batch)
            between = j;
    if (smallest == largest)
        return HABITAT_OK;
    int ways = between != SIZE_MAX ? 2 : 1; /* with a third recording between them, too */
    for (int up = 1; up >= 0; up--)
        for (int third = 0; third < ways; third++) {
            scale_case c = case_of(names->items[up ? smallest : largest],
                                   names->items[up ? largest : smallest], &parts[i]);
            c.upwards = up;
            c.by_recording = third;
            c.chosen_on = is_chosen_on(&c);
            if (status == HABITAT_OK)
                status = add_case(gpus, folder, c, third ? names->items[between] : NULL, set, err);
        }
    return status;
}

/* Every other precision of the step of recording i. */
static habitat_status add_precisions(const habitat_gpu_table *gpus, const char *folder,
                                     const recording_names *names, const part_names *parts,
                                     size_t i, scale_set *set, habitat_error *err) {
    habitat_precision recorded = precision_of(&parts[i]);
    habitat_status status = HABITAT_OK;
    for (size_t j = 0; recorded && status == HABITAT_OK && j < names->count; j++) {
        habitat_precision precision = precision_of(&parts[j]);
        if (!same_step(&parts[i], &parts[j]) || parts[i].batch != parts[j].batch || !precision ||
            precision == recorded)
            continue;
        scale_case c = case_of(names->items[i], names->items[j], &parts[i]);
        c.precision = precision;
        c.recorded = recorded;
        c.chosen_on = is_chosen_on(&c);
        status = add_case(gpus, folder, c, NULL, set, err);
    }
    return status;
}

habitat_status scale_collect(const habitat_gpu_table *gpus, const char *folder, scale_set *out,
                             habitat_error *err) {
    recording_names names = {0};
    habitat_status status = recording_names_read(folder, &names, err);
    part_names *parts = calloc(names.count + 1, sizeof *parts);
    if (status == HABITAT_OK && !parts)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    size_t known = 0;
    for (size_t i = 0; parts && i < names.count; i++) { /* names of another form go last */
        if (!split(names.items[i], &parts[known]))
            continue;
        char *item = names.items[i];
        names.items[i] = names.items[known];
        names.items[known++] = item;
    }
    recording_names judged = {names.items, known};
    for (size_t i = 0; status == HABITAT_OK && i < known; i++) {
        status = add_batches(gpus, folder, &judged, parts, i, out, err);
        if (status == HABITAT_OK)
            status = add_precisions(gpus, folder, &judged, parts, i, out, err);
    }
    free(parts);
    recording_names_free(&names);
    if (status == HABITAT_OK && !out->count)
        return habitat_fail_at(err, HABITAT_E_ARG, folder, UINT64_MAX, 0,
                               "no two recordings here are of one model, at two batch sizes or in "
                               "two precisions, on one GPU");
    return status;
}

void scale_free(scale_set *set) {
    free(set->cases);
    *set = (scale_set){0};
}
