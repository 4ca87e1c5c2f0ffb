/* The page docs/shapes.md and its cases as CSV. */
#include "lab/shapes_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/quantile.h"
#include "gpu/gpu.h"
#include "lab/errors.h"

enum { WIDE = 2 }; /* high over low that was asked at most */
static const double near_enough = 0.15;

static double width(const shapes_case *c, int way) {
    return c->high_ms[way] / c->low_ms[way];
}

/* ---- against the answer with shapes ---- */

/* Which cases a row is about; NULL: all. */
typedef struct chosen {
    const char *network, *architecture;
    int half; /* of the networks, by the alphabet: 0 the first, third, ..; 1 the others; -1 both */
} chosen;

/* Networks before this one in the alphabet, each once. */
static size_t rank_of(const shapes_set *set, const char *network) {
    size_t rank = 0;
    const char *last = "";
    for (size_t i = 0; i < set->count; i++) { /* recordings are sorted by name */
        const char *other = set->cases[i].network;
        if (strcmp(other, network) < 0 && strcmp(other, last) != 0)
            rank++;
        last = other;
    }
    return rank;
}

static bool counts(const shapes_set *set, const shapes_case *c, chosen which) {
    return (!which.network || strcmp(c->network, which.network) == 0) &&
           (!which.architecture || strcmp(c->dest->architecture, which.architecture) == 0) &&
           (which.half < 0 || (int)(rank_of(set, c->network) % 2) == which.half);
}

static double share(size_t part, size_t all) {
    return all ? 100.0 * (double)part / (double)all : 0.0;
}

static void print_row(const shapes_set *set, const char *title, chosen which, report_text *text) {
    error_list errors = {0};
    size_t far = 0, narrow = 0, widened = 0, wide[SHAPES_WAYS] = {0};
    for (size_t i = 0; i < set->count; i++) {
        const shapes_case *c = &set->cases[i];
        if (!counts(set, c, which))
            continue;
        errors_add(&errors, c->ms[SHAPES_WITHOUT], c->ms[SHAPES_WITH]);
        far += fabs(c->ms[SHAPES_WITHOUT] / c->ms[SHAPES_WITH] - 1.0) > near_enough;
        for (int way = 0; way < SHAPES_WAYS; way++)
            wide[way] += width(c, way) > WIDE;
        narrow += width(c, SHAPES_WITH) <= WIDE;
        widened += width(c, SHAPES_WITH) <= WIDE && width(c, SHAPES_WITHOUT) > WIDE;
    }
    error_summary e = errors_summarise(&errors);
    report_print(text, "| %s | %zu | %.1f | %+.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", title,
                 e.count, 100 * e.mean, 100 * e.bias, 100 * e.worst, share(far, e.count),
                 share(wide[SHAPES_WITH], e.count), share(wide[SHAPES_WITHOUT], e.count),
                 share(widened, narrow));
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
}

static void print_heading(const char *what, report_text *text) {
    report_print(
        text,
        "\n| %s | answers | mean difference %% | bias %% | worst %% | more than 15 %% off, "
        "%% | wider than 2, with shapes %% | without %% | at most 2 with, wider without, "
        "%% |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        what);
}

static void print_networks(const shapes_set *set, report_text *text) {
    const chosen all = {.half = -1};
    print_heading("recordings", text);
    print_row(set, "all", all, text);
    print_row(set, "models, every second of the alphabet", (chosen){.half = 0}, text);
    print_row(set, "the other models", (chosen){.half = 1}, text);
    for (size_t i = 0; i < set->count; i++) {
        const char *network = set->cases[i].network;
        if (i == 0 || strcmp(network, set->cases[i - 1].network) != 0)
            print_row(set, network, (chosen){.network = network, .half = -1}, text);
    }
}

static void print_architectures(const shapes_set *set, report_text *text) {
    print_heading("onto", text);
    for (size_t i = 0; i < set->count; i++) {
        const char *architecture = set->cases[i].dest->architecture;
        bool first = true;
        for (size_t j = 0; first && j < i; j++)
            first = strcmp(set->cases[j].dest->architecture, architecture) != 0;
        if (first)
            print_row(set, architecture, (chosen){.architecture = architecture, .half = -1}, text);
    }
}

/* What each class of kernels adds to the difference. */
static void print_classes(const shapes_set *set, report_text *text) {
    report_print(text, "\n| kernels of | share of the time %% | difference, of the whole time %% | "
                       "with its sign |\n|---|--:|--:|--:|\n");
    for (int c = 0; c < HABITAT_CLASS_COUNT; c++) {
        double part = 0.0, apart = 0.0, bias = 0.0, n = (double)set->count;
        for (size_t i = 0; i < set->count; i++) {
            const shapes_case *k = &set->cases[i];
            double off = k->class_ms[SHAPES_WITHOUT][c] - k->class_ms[SHAPES_WITH][c];
            part += 100.0 * k->class_ms[SHAPES_WITH][c] / k->ms[SHAPES_WITH];
            apart += 100.0 * fabs(off) / k->ms[SHAPES_WITH];
            bias += 100.0 * off / k->ms[SHAPES_WITH];
        }
        if (part > 0.0)
            report_print(text, "| %s | %.1f | %.2f | %+.2f |\n",
                         habitat_class_name((habitat_class)c), part / n, apart / n, bias / n);
    }
}

/* ---- against measurements ---- */

typedef struct judged {
    double predicted_ms, low_ms, high_ms, measured_ms;
} judged;

typedef struct judged_list {
    judged *items;
    size_t count;
    bool no_memory;
} judged_list;

static void add(judged_list *list, judged one) {
    judged *grown = realloc(list->items, (list->count + 1) * sizeof *grown);
    list->no_memory |= !grown;
    if (!grown)
        return;
    list->items = grown;
    list->items[list->count++] = one;
}

static void print_judged(const judged_list *list, report_text *text) {
    error_list errors = {0};
    size_t inside = 0;
    double *widths = calloc(list->count + 1, sizeof *widths);
    for (size_t i = 0; i < list->count; i++) {
        const judged *j = &list->items[i];
        errors_add(&errors, j->predicted_ms, j->measured_ms);
        inside += j->low_ms <= j->measured_ms && j->measured_ms <= j->high_ms;
        if (widths)
            widths[i] = j->high_ms / j->low_ms;
    }
    error_summary e = errors_summarise(&errors);
    if (widths)
        habitat_sort_numbers(widths, list->count);
    report_print(text, " %.1f | %+.1f | %.1f | %.0f | %.2f |", 100 * e.mean, 100 * e.bias,
                 100 * e.worst, share(inside, list->count),
                 widths ? habitat_quantile(widths, list->count, 0.5) : NAN);
    text->no_memory |= !widths || errors.no_memory || list->no_memory;
    free(widths);
    errors_free(&errors);
}

static void print_lists(const char *title, const judged_list lists[SHAPES_WAYS],
                        report_text *text) {
    static const char *const ways[SHAPES_WAYS] = {"with shapes", "without"};
    for (int way = 0; way < SHAPES_WAYS && lists[way].count; way++) {
        report_print(text, "| %s | %s | %zu |", way ? "" : title, ways[way], lists[way].count);
        print_judged(&lists[way], text);
        report_print(text, "\n");
    }
}

static void print_pairs(const shapes_set *set, const habitat_gpu *origin, report_text *text) {
    judged_list lists[SHAPES_WAYS] = {{0}};
    char title[128];
    for (int way = 0; way < SHAPES_WAYS; way++)
        for (size_t i = 0; i < set->pairs[way].count; i++) {
            const pair_case *c = &set->pairs[way].cases[i];
            const pair_outcome *o = &c->by[PAIRS_AUTO];
            if (c->origin == origin)
                add(&lists[way], (judged){o->busy_ms, o->low_ms, o->high_ms, c->measured_ms});
        }
    habitat_format(title, sizeof title, "steps of an %s, on the other GPU of the pairs",
                   origin->name);
    print_lists(title, lists, text);
    for (int way = 0; way < SHAPES_WAYS; way++)
        free(lists[way].items);
}

/* recorded: number format; NULL: any. The P4, which heat slows, is counted apart everywhere. */
static void print_measured(const e2e_set sets[SHAPES_WAYS], const char *title, const char *recorded,
                           report_text *text) {
    judged_list lists[SHAPES_WAYS] = {{0}};
    for (int way = 0; way < SHAPES_WAYS; way++)
        for (size_t i = 0; i < sets[way].count; i++) {
            const e2e_case *c = &sets[way].cases[i];
            const e2e_outcome *o = &c->by[E2E_AUTO];
            if (strcmp(c->gpu->name, "P4") != 0 &&
                (!recorded || strcmp(c->recorded, recorded) == 0))
                add(&lists[way], (judged){o->ms, o->low_ms, o->high_ms, c->measured_ms});
        }
    print_lists(title, lists, text);
    for (int way = 0; way < SHAPES_WAYS; way++)
        free(lists[way].items);
}

static void print_measurements(const shapes_set *set, report_text *text) {
    report_print(text, "\n## Against measurements\n\nThe cases of docs/accuracy.md, where the "
                       "columns are explained.\n\n"
                       "| what | read | cases | mean error %% | bias %% | worst %% | inside the "
                       "interval %% | median high over low |\n|---|---|--:|--:|--:|--:|--:|--:|\n");
    const pair_set *pairs = &set->pairs[SHAPES_WITH];
    for (size_t i = 0; i < pairs->count && i < 2; i++)
        print_pairs(set, pairs->cases[i].origin, text);
    print_measured(set->language, "language models, fp32, without the P4", NULL, text);
    print_measured(set->networks, "convolutional networks, fp32", "fp32", text);
    print_measured(set->networks, "the same, TF32", "tf32", text);
    print_measured(set->networks, "the same, fp16", "fp16", text);
}

/* ---- the page ---- */

static const char head[] =
    "# Recordings without shapes\n\n"
    "Made by `habitat eval shapes`; do not edit. `torch.profiler` records the sizes of operations "
    "only when it is asked\n"
    "(`record_shapes=True`; `habitat record` asks). Every recording of data/recordings is read "
    "twice, "
    "the second time without\n"
    "them, and predicted onto every GPU of NVIDIA in the table. What is made of names, grids and "
    "times then:\n"
    "[formulas.md](formulas.md#unknown-work). Asked were answers within 15 % of those with shapes, "
    "and "
    "intervals with high\n"
    "over low at most 2. Where the answer with shapes is wider than that, short kernels and rates "
    "that "
    "nobody measured make it so:\n"
    "without shapes it is no narrower.\n\n"
    "**What was seen.** The usual shares and residuals of kernels are means over counted kernels "
    "of "
    "these recordings, alike on both\n"
    "halves of the models; which GPU was asked about played no part in them. The pace of "
    "convolutions and the length of sums\n"
    "from which on a kernel is taken for 3x3 were chosen among some 17 settings with the "
    "differences below in view: these are no left-out\n"
    "figures (docs/decisions/0288). How cuDNN lays out its kernels was read from these recordings; "
    "the pace of its fp32\n"
    "kernels is alike in all networks (docs/decisions/0325).\n\n"
    "## Against the answer with shapes\n";

void shapes_print_page(const shapes_set *set, report_text *text) {
    report_print(text, "%s", head);
    print_networks(set, text);
    print_architectures(set, text);
    print_classes(set, text);
    print_measurements(set, text);
}

void shapes_print_cases(const shapes_set *set, report_text *text) {
    report_print(text, "recording,origin,gpu,with_ms,with_low_ms,with_high_ms,without_ms,"
                       "without_low_ms,without_high_ms\n");
    for (size_t i = 0; i < set->count; i++) {
        const shapes_case *c = &set->cases[i];
        report_print(text, "%s,%s,%s", c->step, c->origin->name, c->dest->name);
        for (int way = 0; way < SHAPES_WAYS; way++)
            report_print(text, ",%.4f,%.4f,%.4f", c->ms[way], c->low_ms[way], c->high_ms[way]);
        report_print(text, "\n");
    }
}
