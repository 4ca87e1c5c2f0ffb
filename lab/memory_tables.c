/* Tables of `habitat eval memory`. */
#include "lab/memory_tables.h"

#include <math.h>
#include <string.h>

#include <habitat/units.h>

#include "lab/memory_left_out.h"

static const char *const truths[] = {"recording", "shapes", "steps", "limits"};
static const double good = 0.10;

static double error_of(const memory_case *c) {
    return c->predicted_bytes / c->measured_bytes - 1;
}

void memory_print_cases(const memory_set *set, report_text *text) {
    report_print(text, "truth,script,origin,origin_batch,batch,same_format,measured_bytes,"
                       "predicted_bytes,error,fits,predicted_fits,largest_bytes,"
                       "algorithms_bytes\n");
    for (size_t i = 0; i < set->count; i++) {
        const memory_case *c = &set->cases[i];
        bool known = isfinite(c->measured_bytes);
        report_print(text, "%s,%s,%s,%.0f,%.0f,%s,", truths[c->truth], c->script, c->origin,
                     c->origin_batch, c->batch, c->same_format ? "true" : "false");
        if (known)
            report_print(text, "%.0f", c->measured_bytes);
        report_print(text, ",%.0f,", c->predicted_bytes);
        if (known)
            report_print(text, "%.4f", error_of(c));
        report_print(text, ",%s,%s,",
                     c->fits < 0 ? ""
                     : c->fits   ? "true"
                                 : "false",
                     c->predicted_fits < 0 ? ""
                     : c->predicted_fits   ? "true"
                                           : "false");
        if (isfinite(c->parts.largest_bytes))
            report_print(text, "%.0f", c->parts.largest_bytes);
        report_print(text, ",%.0f\n", c->parts.algorithms_bytes);
    }
}

/* ---- errors ---- */

typedef struct tally {
    size_t count, within;
    double sum, worst;
} tally;

static void tally_add(tally *t, const memory_case *c) {
    double error = error_of(c);
    if (!isfinite(error))
        return;
    t->count++;
    t->sum += fabs(error);
    t->within += fabs(error) <= good;
    if (fabs(error) > fabs(t->worst))
        t->worst = error;
}

static void print_tally(const tally *t, report_text *text) {
    if (t->count)
        report_print(text, " %zu | %.1f | %+.1f | %.0f |", t->count,
                     100 * t->sum / (double)t->count, 100 * t->worst,
                     100 * (double)t->within / (double)t->count);
    else
        report_print(text, " 0 | | | |");
}

static bool counts(const memory_case *c, memory_truth truth, int same_format) {
    return c->truth == truth && (same_format < 0 || c->same_format == (same_format != 0));
}

static void print_row(const memory_set *set, const char *script, memory_truth truth, int columns,
                      report_text *text) {
    report_print(text, "| %s |", script ? script : "**all**");
    for (int column = 0; column < columns; column++) {
        tally t = {0};
        for (size_t i = 0; i < set->count; i++)
            if (counts(&set->cases[i], truth, columns == 1 ? -1 : !column) &&
                (!script || !strcmp(set->cases[i].script, script)))
                tally_add(&t, &set->cases[i]);
        print_tally(&t, text);
    }
    report_print(text, "\n");
}

/* Scripts in the order of their first case. */
static bool is_first(const memory_set *set, size_t at, memory_truth truth) {
    for (size_t i = 0; i < at; i++)
        if (set->cases[i].truth == truth && !strcmp(set->cases[i].script, set->cases[at].script))
            return false;
    return set->cases[at].truth == truth;
}

static void print_truth(const memory_set *set, memory_truth truth, int columns, const char *heading,
                        report_text *text) {
    report_print(text, "%s\n\n| model |", heading);
    for (int i = 0; i < columns; i++)
        report_print(text, " %scases | mean %% | worst %% | within 10 %%: %% |",
                     columns == 1 ? ""
                     : i          ? "another format: "
                                  : "same format: ");
    report_print(text, "\n|---|");
    for (int i = 0; i < columns; i++)
        report_print(text, "--:|--:|--:|--:|");
    report_print(text, "\n");
    for (size_t i = 0; i < set->count; i++)
        if (is_first(set, i, truth))
            print_row(set, set->cases[i].script, truth, columns, text);
    print_row(set, NULL, truth, columns, text);
    report_print(text, "\n");
}

/* ---- algorithms ---- */

/* Peaks that may be larger by cuDNN's choice: how many lie in the range that is told. */
static void print_open(const memory_set *set, report_text *text) {
    size_t count = 0, near = 0, inside = 0;
    for (size_t i = 0; i < set->count; i++) {
        const memory_case *c = &set->cases[i];
        if (!(c->parts.algorithms_bytes > 0) || !isfinite(error_of(c)))
            continue;
        double more = c->predicted_bytes + c->parts.algorithms_bytes;
        count++;
        near += fabs(error_of(c)) <= good;
        inside += c->measured_bytes >= (1 - good) * c->predicted_bytes &&
                  c->measured_bytes <= (1 + good) * more;
    }
    report_print(text,
                 "### Algorithms that no recording shows\n\nPeaks in strict fp32 from recordings "
                 "on matrix units. Range: from the peak to the peak with spectra, 10 %% beside "
                 "it.\n\n"
                 "| peaks | within 10 %% of the peak | in the range |\n|--:|--:|--:|\n"
                 "| %zu | %zu | %zu |\n\n",
                 count, near, inside);
}

/* ---- fits ---- */

typedef struct verdicts {
    size_t count, wrong, unknown;
} verdicts;

static void print_verdicts(const char *what, const verdicts *v, report_text *text) {
    double all = v->count ? (double)v->count : 1;
    report_print(text, "| %s | %zu | %zu | %.1f | %zu | %.1f |\n", what, v->count, v->wrong,
                 100 * (double)v->wrong / all, v->unknown, 100 * (double)v->unknown / all);
}

static void print_fits(const memory_set *set, report_text *text) {
    verdicts ran = {0}, failed = {0};
    for (size_t i = 0; i < set->count; i++) {
        const memory_case *c = &set->cases[i];
        if (!memory_near_limit(c))
            continue;
        verdicts *v = c->fits ? &ran : &failed;
        v->count++;
        v->unknown += c->predicted_fits < 0;
        v->wrong += c->predicted_fits >= 0 && c->predicted_fits != c->fits;
    }
    report_print(
        text,
        "### Does it fit?\n\nRuns that took more than half of the GPU's memory, and runs "
        "that failed, each predicted from every recording of its model.\n\n"
        "| | predictions | wrong | %% | may or may not fit | %% |\n|---|--:|--:|--:|--:|--:|\n");
    print_verdicts("ran: called too large", &ran, text);
    print_verdicts("did not fit: said to fit", &failed, text);
}

static void print_failures(const memory_set *set, report_text *text) {
    if (!set->failure_count)
        return;
    report_print(
        text,
        "\n### How runs failed\n\nWhat PyTorch said when it found no room "
        "(measured_failures_h100.csv), GB, and the largest tensor as predicted. In pieces: "
        "free in what PyTorch\nholds, where other tensors lie beside it. Median: %.2f of "
        "the largest tensor.\n\n"
        "| model | format | batch | asked | given out | free outside | in pieces | largest "
        "tensor | in pieces of it |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        memory_pieces_share(set, MEMORY_ALL));
    for (size_t i = 0; i < set->failure_count; i++) {
        const memory_failure *f = &set->failures[i];
        report_print(text, "| %s | %s | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f | %.2f |\n",
                     f->script, f->precision, f->batch, f->asked_bytes / HABITAT_GB,
                     f->allocated_bytes / HABITAT_GB, f->outside_bytes / HABITAT_GB,
                     f->pieces_bytes / HABITAT_GB, f->largest_bytes / HABITAT_GB,
                     f->pieces_bytes / f->largest_bytes);
    }
}

void memory_print_tables(const memory_set *set, report_text *text) {
    report_print(text, "## Memory\n\n");
    print_truth(
        set, MEMORY_TRUTH_RECORDED, 2,
        "### From one recording to another\n\nPeak of PyTorch's allocator, of another batch "
        "size in the same number formats, or of another format at any batch size.",
        text);
    print_truth(set, MEMORY_TRUTH_SHAPES, 1,
                "### From shapes alone\n\nEach recording's own peak, without what it notes of "
                "memory.",
                text);
    print_truth(set, MEMORY_TRUTH_STEPS, 2, "### Measured steps\n\nmeasured_steps_*.csv.", text);
    print_truth(set, MEMORY_TRUTH_LIMITS, 2, "### Near 80 GB\n\nmeasured_limits_*.csv.", text);
    print_open(set, text);
    print_fits(set, text);
    print_failures(set, text);
    memory_print_left_out(set, text);
}
