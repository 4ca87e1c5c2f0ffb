/* `habitat eval e2e`: errors, order and intervals of the cases, as Markdown and CSV. */
#include "lab/e2e_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/coverage.h"
#include "lab/errors.h"

/* Left out of the means: its whole models run up to 1.5 times slower than its own single
 * operations. */
static bool excluded(const e2e_case *c) {
    return strcmp(habitat_gpu_name(c->gpu), "P4") == 0;
}

static double error_of(const e2e_case *c, int method) {
    return c->by[method].ms / c->measured_ms - 1.0;
}

static bool has_method(const e2e_set *set, int method) {
    for (size_t i = 0; i < set->count; i++)
        if (!isnan(set->cases[i].by[method].ms))
            return true;
    return false;
}

/* ---- summaries ---- */

typedef bool (*choice)(const e2e_case *c, const void *context);

typedef struct summary {
    error_summary errors;
    size_t held;
} summary;

static summary summarise(const e2e_set *set, int method, choice chosen, const void *context,
                         report_text *text) {
    summary s = {0};
    error_list errors = {0};
    for (size_t i = 0; i < set->count; i++) {
        const e2e_case *c = &set->cases[i];
        const e2e_outcome *o = &c->by[method];
        if (!chosen(c, context) || isnan(o->ms))
            continue;
        errors_add(&errors, o->ms, c->measured_ms);
        s.held += o->low_ms <= c->measured_ms && c->measured_ms <= o->high_ms;
    }
    s.errors = errors_summarise(&errors);
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
    return s;
}

static bool judged(const e2e_case *c, const void *context) {
    (void)context;
    return !excluded(c);
}

static bool on_gpu(const e2e_case *c, const void *gpu) {
    return c->gpu == gpu;
}

/* Of every two GPUs that ran the same network: how often the faster one is called so. */
static void count_order(const e2e_set *set, int method, choice chosen, const void *context,
                        size_t *pairs, size_t *right) {
    *pairs = *right = 0;
    for (size_t i = 0; i < set->count; i++)
        for (size_t j = i + 1; j < set->count; j++) {
            const e2e_case *a = &set->cases[i], *b = &set->cases[j];
            if (a->recording != b->recording || !chosen(a, context) || !chosen(b, context) ||
                isnan(a->by[method].ms) || isnan(b->by[method].ms))
                continue;
            ++*pairs;
            *right += (a->measured_ms < b->measured_ms) == (a->by[method].ms < b->by[method].ms);
        }
}

static double percent(double share) {
    return 100.0 * share;
}

static double share(size_t part, size_t whole) {
    return whole ? percent((double)part / (double)whole) : 0.0;
}

/* ---- tables ---- */

static void print_methods(const e2e_set *set, choice chosen, const void *context,
                          report_text *text) {
    report_print(
        text,
        "| method | cases | mean %% | median %% | worst %% | mean signed %% | faster of two GPUs "
        "called right | within low..high |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int m = 0; m < E2E_METHODS; m++) {
        if (!has_method(set, m))
            continue;
        size_t pairs, right;
        summary s = summarise(set, m, chosen, context, text);
        count_order(set, m, chosen, context, &pairs, &right);
        report_print(text,
                     "| %s | %zu | %.1f | %.1f | %.1f | %+.1f | %zu of %zu (%.0f %%) | %.0f %% |\n",
                     e2e_method_name(m), s.errors.count, percent(s.errors.mean),
                     percent(s.errors.median), percent(s.errors.worst), percent(s.errors.bias),
                     right, pairs, share(right, pairs), share(s.held, s.errors.count));
    }
}

static size_t list_gpus(const e2e_set *set, const habitat_gpu **gpus, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        size_t g = 0;
        while (g < count && gpus[g] != set->cases[i].gpu)
            g++;
        if (g == count && count < most)
            gpus[count++] = set->cases[i].gpu;
    }
    return count;
}

static void print_gpus(const e2e_set *set, report_text *text) {
    const habitat_gpu *gpus[32];
    size_t count = list_gpus(set, gpus, 32);
    report_print(
        text,
        "\nMean error by GPU, and its sign (per cent; worst in brackets):\n\n| GPU | cases |");
    for (int m = 0; m < E2E_METHODS; m++)
        if (has_method(set, m))
            report_print(text, " %s |", e2e_method_name(m));
    report_print(text, "\n|---|--:|");
    for (int m = 0; m < E2E_METHODS; m++)
        if (has_method(set, m))
            report_print(text, "--:|");
    for (size_t g = 0; g < count; g++) {
        report_print(text, "\n| %s | %zu |", habitat_gpu_name(gpus[g]),
                     summarise(set, E2E_AUTO, on_gpu, gpus[g], text).errors.count);
        for (int m = 0; m < E2E_METHODS; m++) {
            summary s = summarise(set, m, on_gpu, gpus[g], text);
            if (has_method(set, m))
                report_print(text, " %.1f, %+.1f (%.1f) |", percent(s.errors.mean),
                             percent(s.errors.bias), percent(s.errors.worst));
        }
    }
    report_print(text, "\n");
}

static void print_coverage(const e2e_set *set, report_text *text) {
    covered *cases = calloc(set->count + 1, sizeof *cases);
    text->no_memory |= !cases;
    for (size_t i = 0; cases && i < set->count; i++) {
        const e2e_case *c = &set->cases[i];
        const e2e_outcome *o = &c->by[E2E_AUTO];
        cases[i] = (covered){excluded(c) ? NULL : o->family,
                             c->gpu,
                             c->measured_ms,
                             o->low_ms,
                             o->high_ms,
                             o->basis};
    }
    if (cases)
        coverage_print(cases, set->count, text);
    free(cases);
}

typedef void held_out_print(const held_case *cases, size_t count, report_text *text);

/* Intervals of the judged cases with constants that did not see them. */
static void print_held_out(const e2e_set *set, held_out_print *print, report_text *text) {
    held_case *cases = calloc(set->count + 1, sizeof *cases);
    size_t count = 0;
    text->no_memory |= !cases;
    for (size_t i = 0; cases && i < set->count; i++) {
        const e2e_case *c = &set->cases[i];
        const e2e_outcome *o = &c->by[E2E_AUTO];
        if (!excluded(c) && !isnan(o->ms))
            cases[count++] = (held_case){c->gpu, c->network, c->measured_ms, o->ms, o->parts};
    }
    if (cases)
        print(cases, count, text);
    free(cases);
}

static void print_each(const e2e_set *set, report_text *text) {
    report_print(
        text, "\nEvery case with `auto`:\n\n| model | mode | length | batch | GPU | measured ms | "
              "predicted ms | low..high ms | error %% | error %%, estimated rates |\n"
              "|---|---|--:|--:|---|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        const e2e_case *c = &set->cases[i];
        const e2e_outcome *o = &c->by[E2E_AUTO];
        report_print(text,
                     "| %s | %s | %.0f | %.0f | %s | %.1f | %.1f | %.1f..%.1f | %+.1f | %+.1f |\n",
                     c->network, c->mode, c->length, c->batch, habitat_gpu_name(c->gpu),
                     c->measured_ms, o->ms, o->low_ms, o->high_ms, percent(error_of(c, E2E_AUTO)),
                     percent(error_of(c, E2E_ESTIMATED)));
    }
}

static void print_passes(const e2e_set *set, report_text *text) {
    report_print(
        text,
        "\nForward and backward apart, training rows (`auto`):\n\n| model | batch | GPU | forward "
        "measured ms | predicted | error %% | backward measured ms | predicted | error %% |\n"
        "|---|--:|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        const e2e_case *c = &set->cases[i];
        const e2e_outcome *o = &c->by[E2E_AUTO];
        if (isnan(c->measured_backward_ms))
            continue;
        report_print(text, "| %s | %.0f | %s | %.1f | %.1f | %+.1f | %.1f | %.1f | %+.1f |\n",
                     c->network, c->batch, habitat_gpu_name(c->gpu), c->measured_forward_ms,
                     o->forward_ms, percent(o->forward_ms / c->measured_forward_ms - 1.0),
                     c->measured_backward_ms, o->backward_ms,
                     percent(o->backward_ms / c->measured_backward_ms - 1.0));
    }
}

static const char matching[] =
    "**Matching.** A recording stands for a measured row when model, mode, number format, batch "
    "and "
    "sequence length are the same; its file\n"
    "name says them. Both ran eagerly, fp32 with TF32 off, attention not fused, tokens all ones; "
    "training is forward and backward without loss and\n"
    "optimiser. Rows of compiled models (option fusion) and of models nobody recorded are left "
    "out. "
    "The measured side ran PyTorch 2.1 and is the mean of\n"
    "the 5 fastest of 25; the recordings ran PyTorch 2.11. Predicted is `iteration_ms`, the GPU's "
    "busy "
    "time.\n\n"
    "**What was seen.** No whole model was trained on or fitted to; the one constant chosen on "
    "these rows is the common part of the intervals. Sustained rates of\n"
    "the five GPUs, and their rows in the operator models, come from single operations measured on "
    "them. \"auto, estimated rates\" takes the measured rates away.\n"
    "\"k = 5 operations\" adds five measured operations of each class, as a calibration of the "
    "destination would: training rows, drawn by hash\n"
    "(docs/modelling.md#calibrated-operations).\n";

static const char p4[] =
    "The card is held to 75 W: whole models run up to 1.5 times slower on it than the sum of their "
    "own single operations, which ran in bursts.";

void e2e_print_tables(const e2e_set *set, report_text *text) {
    size_t judged_count = 0;
    for (size_t i = 0; i < set->count; i++)
        judged_count += !excluded(&set->cases[i]);
    report_print(
        text,
        "## End to end\n\n"
        "%zu recordings of the %s (`data/recordings`) onto %zu iterations that others measured on "
        "other GPUs (`data/measurements/e2e_models.csv`, source neusight).\n\n",
        set->recordings, habitat_gpu_name(set->cases[0].origin), set->count);
    report_print(text, "%s", matching);
    report_print(
        text,
        "\n%zu of the cases are on a P4 and counted apart: the next table leaves them out. %s\n\n",
        set->count - judged_count, p4);
    print_methods(set, judged, NULL, text);
    print_coverage(set, text);
    print_held_out(set, held_out_print_common, text);
    print_gpus(set, text);
    print_each(set, text);
    print_passes(set, text);
}

/* ---- convolutional networks ---- */

typedef struct network_kind {
    const char *recorded; /* number format of the recording */
    bool large;           /* few long kernels, or many short ones */
} network_kind;

static bool of_kind(const e2e_case *c, const void *context) {
    const network_kind *kind = context;
    bool large = strcmp(c->network, "resnet50") == 0 || strcmp(c->network, "vgg16") == 0;
    return strcmp(c->recorded, kind->recorded) == 0 && large == kind->large;
}

static const char networks_text[] =
    "Torchvision models, batch 12 of 3x224x224, `cudnn.benchmark` on, forward alone (inference) or "
    "forward, loss and backward\n"
    "(training); the images come from pageable memory in every iteration. Measured is the median "
    "over the machines that had the GPU\n"
    "(source ryujaehun, PyTorch 1.4 and older, median of 50 iterations by wall clock; in brackets "
    "the fastest and slowest machine). Recorded in\n"
    "fp32 with TF32 off, in `tf32` (PyTorch's default: convolutions on matrix units, which these "
    "GPUs lack), or as `model.half()`.\n"
    "Predicted is the GPU's busy time. The measured times hold the host's share too: DenseNet-121 "
    "and MobileNet v2 are hundreds of short kernels, and\n"
    "the same RTX 2080 Ti needs from 58 to 90 ms for one of them; what the GPU does there is only "
    "part of what was measured.\n\n"
    "**What was seen.** None of these iterations was trained on. Single convolutions of the two "
    "Pascal cards (GTX 1080 Ti, Titan Xp: DeepBench) are among the\n"
    "rows of the operator models. That convolutions take the model's time alone, without the "
    "origin's measurement, was settled with all four cards in\n"
    "view: these figures are no clean test of that rule. ResNet-50 of batch 64 on six cards "
    "(tests/golden/accuracy.csv) was looked at afterwards.\n";

void e2e_print_networks(const e2e_set *set, report_text *text) {
    static const char *const formats[] = {"fp32", "tf32", "fp16"};
    report_print(
        text,
        "## End to end: convolutional networks\n\n%zu recordings of the %s onto %zu iterations "
        "that "
        "others measured.\n\n",
        set->recordings, habitat_gpu_name(set->cases[0].origin), set->count);
    report_print(text, "%s", networks_text);
    for (int large = 1; large >= 0; large--)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            network_kind kind = {formats[f], large};
            if (summarise(set, E2E_AUTO, of_kind, &kind, text).errors.count == 0)
                continue;
            report_print(text, "\nRecorded in %s, %s:\n\n", formats[f],
                         large ? "ResNet-50 and VGG-16" : "DenseNet-121 and MobileNet v2");
            print_methods(set, of_kind, &kind, text);
        }
    print_coverage(set, text);
    print_held_out(set, held_out_print_networks, text);
    print_gpus(set, text);
    report_print(text,
                 "\nEvery case with `auto`:\n\n| model | mode | recorded in | GPU | measured ms | "
                 "predicted ms "
                 "| low..high ms | error %% |\n|---|---|---|---|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        const e2e_case *c = &set->cases[i];
        const e2e_outcome *o = &c->by[E2E_AUTO];
        report_print(text, "| %s | %s | %s | %s | %.1f", c->network, c->mode, c->recorded,
                     habitat_gpu_name(c->gpu), c->measured_ms);
        if (c->slowest_ms > c->fastest_ms)
            report_print(text, " (%.1f..%.1f)", c->fastest_ms, c->slowest_ms);
        report_print(text, " | %.1f | %.1f..%.1f | %+.1f |\n", o->ms, o->low_ms, o->high_ms,
                     percent(error_of(c, E2E_AUTO)));
    }
}

/* ---- CSV ---- */

static void print_number(report_text *text, double value) {
    if (isnan(value))
        report_print(text, ",");
    else
        report_print(text, ",%.6g", value);
}

void e2e_print_cases(const e2e_set *set, report_text *text) {
    report_print(
        text, "model,mode,dtype,batch,seq_len,origin,gpu,method,measured_ms,predicted_ms,low_ms,"
              "high_ms,measured_forward_ms,forward_ms,measured_backward_ms,backward_ms,recorded\n");
    for (size_t i = 0; i < set->count; i++)
        for (int m = 0; m < E2E_METHODS; m++) {
            const e2e_case *c = &set->cases[i];
            const e2e_outcome *o = &c->by[m];
            if (isnan(o->ms))
                continue;
            report_print(text, "%s,%s,%s,%.0f", c->network, c->mode, c->dtype, c->batch);
            print_number(text, c->length);
            report_print(text, ",%s,%s,\"%s\"", habitat_gpu_name(c->origin),
                         habitat_gpu_name(c->gpu), e2e_method_name(m));
            const double values[] = {c->measured_ms,
                                     o->ms,
                                     o->low_ms,
                                     o->high_ms,
                                     c->measured_forward_ms,
                                     o->forward_ms,
                                     c->measured_backward_ms,
                                     o->backward_ms};
            for (size_t v = 0; v < sizeof values / sizeof *values; v++)
                print_number(text, values[v]);
            report_print(text, ",%s\n", c->recorded);
        }
}
