/* Pairs of recordings as Markdown and CSV. An error is predicted over measured busy time, less 1.
 */
#include "lab/pairs_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>
#include <habitat/work.h>

#include "gpu/gpu.h"
#include "base/constants_intervals.h"
#include "lab/coverage.h"
#include "lab/errors.h"
#include "lab/held_out.h"

static double error_of(const pair_case *c, int method) {
    return c->by[method].busy_ms / c->measured_ms - 1.0;
}

/* Which cases a row of a table is about; NULL and -1: all. */
typedef struct chosen {
    const habitat_gpu *origin;
    int half; /* of the models, by their order in the alphabet: 0 the first, third, ...; 1 the
                 others */
} chosen;

/* Models before this one in the alphabet, each once. */
static size_t rank_of(const pair_set *set, const char *network) {
    size_t rank = 0;
    for (size_t i = 0; i < set->count; i++) {
        bool first = strcmp(set->cases[i].network, network) < 0;
        for (size_t j = 0; first && j < i; j++)
            first = strcmp(set->cases[j].network, set->cases[i].network) != 0;
        rank += first;
    }
    return rank;
}

static bool counts(const pair_set *set, const pair_case *c, chosen which) {
    return (!which.origin || c->origin == which.origin) &&
           (which.half < 0 || (int)(rank_of(set, c->network) % 2) == which.half);
}

typedef struct summary {
    error_summary errors;
    size_t inside;
    double kernels;
} summary;

/* Errors of one method, and how far its kernels are off. */
static summary summarise(const pair_set *set, int method, chosen which, report_text *text) {
    summary out = {0};
    error_list errors = {0};
    for (size_t i = 0; i < set->count; i++) {
        const pair_case *c = &set->cases[i];
        const pair_outcome *o = &c->by[method];
        if (!counts(set, c, which) || !isfinite(o->busy_ms / c->measured_ms))
            continue;
        errors_add(&errors, o->busy_ms, c->measured_ms);
        out.kernels += o->kernel_error;
        out.inside += c->measured_ms >= o->low_ms && c->measured_ms <= o->high_ms;
    }
    out.errors = errors_summarise(&errors);
    out.kernels /= (double)out.errors.count;
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
    return out;
}

static void print_row(const pair_set *set, const char *title, int method, chosen which,
                      report_text *text) {
    summary s = summarise(set, method, which, text);
    error_summary e = s.errors;
    if (e.count == 0)
        return;
    report_print(text, "| %s | %zu | %.1f | %.1f | %.1f | %+.1f | %.1f |", title, e.count,
                 100 * e.mean, 100 * e.median, 100 * e.worst, 100 * e.bias, 100 * s.kernels);
    if (method == PAIRS_UNCHANGED)
        report_print(text, " - |\n");
    else
        report_print(text, " %.0f %% |\n", 100.0 * (double)s.inside / (double)e.count);
}

static const char columns[] =
    "steps | mean | median | worst | bias | kernel by kernel | inside the interval |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|\n";

static void print_directions(const pair_set *set, report_text *text) {
    for (size_t i = 0; i < set->count; i++) {
        const pair_case *c = &set->cases[i];
        bool first = true;
        for (size_t j = 0; first && j < i; j++)
            first = set->cases[j].origin != c->origin || set->cases[j].dest != c->dest;
        if (!first)
            continue;
        report_print(text, "\nFrom %s to %s:\n\n| method | %s", c->origin->name, c->dest->name,
                     columns);
        for (int m = 0; m < PAIRS_METHODS; m++)
            print_row(set, pairs_method_name(m), m, (chosen){c->origin, -1}, text);
    }
}

static void print_halves(const pair_set *set, report_text *text) {
    report_print(
        text, "\n`auto`, the models in two halves (every second of the alphabet):\n\n| models | %s",
        columns);
    for (int half = 0; half < 2; half++) {
        char title[512] = "";
        for (size_t i = 0; i < set->count; i++) {
            const char *network = set->cases[i].network;
            bool named = false;
            for (size_t j = 0; !named && j < i; j++)
                named = strcmp(set->cases[j].network, network) == 0;
            if (named || (int)(rank_of(set, network) % 2) != half)
                continue;
            size_t used = strlen(title);
            habitat_format(title + used, sizeof title - used, "%s%s", used ? ", " : "", network);
        }
        print_row(set, title, PAIRS_AUTO, (chosen){NULL, half}, text);
    }
}

static void print_coverage(const pair_set *set, report_text *text) {
    covered *cases = calloc(set->count + 1, sizeof *cases);
    text->no_memory |= !cases;
    for (size_t i = 0; cases && i < set->count; i++) {
        const pair_outcome *o = &set->cases[i].by[PAIRS_AUTO];
        cases[i] = (covered){o->family, set->cases[i].dest, set->cases[i].measured_ms,
                             o->low_ms, o->high_ms,         o->basis};
    }
    if (cases)
        coverage_print(cases, set->count, text);
    free(cases);
}

/* The width between two GPUs of one chip, fitted without the model of each case. */
static void print_held_out(const pair_set *set, report_text *text) {
    held_case *cases = calloc(set->count + 1, sizeof *cases);
    size_t count = 0;
    text->no_memory |= !cases;
    for (size_t i = 0; cases && i < set->count; i++) {
        const pair_case *c = &set->cases[i];
        const pair_outcome *o = &c->by[PAIRS_AUTO];
        bool one_chip = o->basis == HABITAT_INTERVAL_PAIRS || o->basis == HABITAT_INTERVAL_FLOOR;
        if (one_chip && isfinite(o->busy_ms))
            cases[count++] =
                (held_case){.gpu = c->dest,
                            .model = c->network,
                            .measured_ms = c->measured_ms,
                            .predicted_ms = o->busy_ms,
                            .parts = {.least_width = log1p(fitted_iteration_least_width)}};
    }
    if (cases)
        held_out_print_pairs(cases, count, text);
    free(cases);
}

/* ---- forms of the rule ---- */

/* Errors of one form on one half of the models, as shares. */
static error_summary summarise_form(const pair_set *set, int form, int half, report_text *text) {
    error_list errors = {0};
    for (size_t i = 0; i < set->count; i++)
        if (counts(set, &set->cases[i], (chosen){NULL, half}))
            errors_add(&errors, set->cases[i].form_ms[form], set->cases[i].measured_ms);
    error_summary s = errors_summarise(&errors);
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
    return s;
}

/* The form with the least mean error on a half. */
static int best_form(const pair_set *set, int half, report_text *text) {
    int best = 0;
    for (int form = 1; form < AUTO_FORMS; form++)
        if (summarise_form(set, form, half, text).mean < summarise_form(set, best, half, text).mean)
            best = form;
    return best;
}

static void print_forms(const pair_set *set, report_text *text) {
    if (summarise_form(set, 0, 0, text).count == 0 || summarise_form(set, 0, 1, text).count == 0)
        return; /* one model has no halves */
    report_print(text,
                 "\nForms that the rule of `auto` could have, on the two halves of the models "
                 "(first and second of the table above), both directions:\n\n"
                 "| form | first half: mean | worst | bias | second half: mean | worst | bias "
                 "|\n|---|--:|--:|--:|--:|--:|--:|\n");
    for (int form = 0; form < AUTO_FORMS; form++) {
        report_print(text, "| %s |", auto_form_name((auto_form)form));
        for (int half = 0; half < 2; half++) {
            error_summary s = summarise_form(set, form, half, text);
            report_print(text, " %.1f | %.1f | %+.1f |", 100 * s.mean, 100 * s.worst, 100 * s.bias);
        }
        report_print(text, "\n");
    }
    for (int half = 0; half < 2; half++) {
        int best = best_form(set, half, text);
        report_print(text, "\nChosen on the %s half: %s; on the other half its mean is %.1f %%.\n",
                     half ? "second" : "first", auto_form_name((auto_form)best),
                     100 * summarise_form(set, best, 1 - half, text).mean);
    }
}

/* Another version of the software alone may move a step more than what is judged here. */
static void print_mixed(const pair_set *set, report_text *text) {
    size_t mixed = 0;
    for (size_t i = 0; i < set->count; i++)
        mixed += set->cases[i].mixed;
    if (mixed)
        report_print(text,
                     "\n**Versions differ** in %zu of %zu cases: framework, CUDA or cuDNN of the "
                     "two recordings are not the same. One release of PyTorch\nmoved a step of 8e9 "
                     "parameters by 16 %% on one GPU: such a difference is not the GPU's.\n",
                     mixed, set->count);
}

/* By class of kernel: what the destination's time over the origin's was, and was predicted. */
static void print_classes(const pair_set *set, const habitat_gpu *origin, report_text *text) {
    double from[HABITAT_CLASS_COUNT] = {0}, measured[HABITAT_CLASS_COUNT] = {0};
    double predicted[HABITAT_CLASS_COUNT] = {0}, all = 0.0;
    for (size_t i = 0; i < set->count; i++)
        for (int k = 0; set->cases[i].origin == origin && k < HABITAT_CLASS_COUNT; k++) {
            const pair_case *c = &set->cases[i];
            double share = 1.0 / c->origin_ms; /* every step counts alike */
            from[k] += share * c->class_origin_ms[k];
            measured[k] += share * c->class_measured_ms[k];
            predicted[k] += share * c->by[PAIRS_AUTO].class_ms[k];
            all += share * c->class_origin_ms[k];
        }
    report_print(text,
                 "\nKernels by class, from %s, every step counting alike; ratio of the "
                 "destination's time to the origin's:\n\n"
                 "| class | share of time | measured | auto |\n|---|--:|--:|--:|\n",
                 origin->name);
    for (int k = 0; k < HABITAT_CLASS_COUNT; k++)
        if (from[k] > 0.002 * all)
            report_print(text, "| %s | %.1f %% | %.3f | %.3f |\n",
                         habitat_class_name((habitat_class)k), 100 * from[k] / all,
                         measured[k] / from[k], predicted[k] / from[k]);
}

static void print_steps(const pair_set *set, report_text *text) {
    report_print(text, "\nEvery step with `auto` (GPU busy time, ms; `matched`: share of the "
                       "destination's kernel time whose kernels also ran on the origin):\n\n"
                       "| step | from | to | measured | predicted | interval | error | unchanged | "
                       "matched |\n|---|---|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        const pair_case *c = &set->cases[i];
        const pair_outcome *o = &c->by[PAIRS_AUTO];
        report_print(text,
                     "| %s | %s | %s | %.2f | %.2f | %.2f..%.2f | %+.1f | %+.1f | %.0f %% |\n",
                     c->step, c->origin->name, c->dest->name, c->measured_ms, o->busy_ms, o->low_ms,
                     o->high_ms, 100 * error_of(c, PAIRS_AUTO), 100 * error_of(c, PAIRS_UNCHANGED),
                     100 * c->matched);
    }
}

void pairs_print_tables(const pair_set *set, report_text *text) {
    report_print(
        text, "## Pairs: the same steps recorded on two GPUs\n\n"
              "One software on both, so that a difference is the GPU's. GPU busy time "
              "(`--assemble sum`); errors in %%. `kernel by kernel`: mean over\nsteps of "
              "the time by which kernels are off, over their time; `time unchanged` "
              "answers with the origin's time.\n\n**What was seen.** The form of `auto`'s rule was "
              "settled with "
              "all of these steps in view\n(docs/decisions/0030), the power by which memory and "
              "instructions add up, the instructions of five functions and the share of "
              "optimisers\nof three lists were chosen on their differences (0501 to 0503), and the "
              "usual shares of work that nobody counted (0130) are means over their\nH200 side: "
              "they show what the rule does and are no clean test of it. Below, its forms are "
              "chosen on one half of the "
              "models and shown on the other.\n");
    print_mixed(set, text);
    print_directions(set, text);
    print_halves(set, text);
    print_coverage(set, text);
    print_held_out(set, text);
    print_forms(set, text);
    for (size_t i = 0; i < set->count; i++) {
        bool first = true;
        for (size_t j = 0; first && j < i; j++)
            first = set->cases[j].origin != set->cases[i].origin;
        if (first)
            print_classes(set, set->cases[i].origin, text);
    }
    print_steps(set, text);
}

void pairs_print_cases(const pair_set *set, report_text *text) {
    report_print(text,
                 "step,model,from,to,method,origin_ms,measured_ms,predicted_ms,low_ms,high_ms,"
                 "kernel_error,matched\n");
    for (size_t i = 0; i < set->count; i++)
        for (int m = 0; m < PAIRS_METHODS; m++) {
            const pair_case *c = &set->cases[i];
            if (!isfinite(c->by[m].busy_ms))
                continue;
            report_print(text, "%s,%s,%s,%s,%s,%.9g,%.9g,%.9g", c->step, c->network,
                         c->origin->name, c->dest->name, pairs_method_name(m), c->origin_ms,
                         c->measured_ms, c->by[m].busy_ms);
            if (m == PAIRS_UNCHANGED)
                report_print(text, ",,");
            else
                report_print(text, ",%.9g,%.9g", c->by[m].low_ms, c->by[m].high_ms);
            report_print(text, ",%.6g,%.6g\n", c->by[m].kernel_error, c->matched);
        }
}
