/* Judged batch sizes and precisions as Markdown and CSV. */
#include "lab/scale_tables.h"

#include <string.h>

#include "lab/errors.h"
#include "lab/scale_widths.h"

typedef enum half { CHOSEN_ON, JUDGED, ALL } half;

/* Which cases a row is of. */
typedef struct selection {
    const char *title;
    habitat_precision precision; /* RECORDED: batch sizes */
    int upwards;                 /* -1: both */
    bool by_recording;
} selection;

static bool is_of(const scale_case *c, const selection *s, half which) {
    return c->precision == s->precision && c->by_recording == s->by_recording &&
           (s->upwards < 0 || (int)c->upwards == s->upwards) &&
           (which == ALL || c->chosen_on == (which == CHOSEN_ON));
}

static void print_row(const scale_set *set, const selection *s, half which, report_text *text) {
    static const char *const halves[] = {"chosen on", "judged", "all"};
    error_list errors = {0};
    for (size_t i = 0; i < set->count; i++)
        if (is_of(&set->cases[i], s, which))
            errors_add(&errors, set->cases[i].predicted_ms, set->cases[i].measured_ms);
    error_summary e = errors_summarise(&errors);
    if (e.count)
        report_print(text, "| %s | %s | %zu | %.2f | %.2f | %.2f | %+.2f |\n", s->title,
                     halves[which], e.count, 100 * e.mean, 100 * e.median, 100 * e.worst,
                     100 * e.bias);
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
}

static void print_rows(const scale_set *set, const selection *rows, size_t count,
                       report_text *text) {
    report_print(text, "| | models | steps | mean | median | worst | bias |\n"
                       "|---|---|--:|--:|--:|--:|--:|\n");
    for (size_t r = 0; r < count; r++)
        for (int which = CHOSEN_ON; which <= ALL; which++)
            print_row(set, &rows[r], (half)which, text);
}

static bool is_first_of_model(const scale_set *set, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (strcmp(set->cases[i].model, set->cases[at].model) == 0)
            return false;
    return true;
}

/* | n | mean | worst | of a model and a precision; RECORDED: both ways to another batch size */
static void print_cell(const scale_set *set, const char *model, habitat_precision precision,
                       report_text *text) {
    error_list errors = {0};
    for (size_t i = 0; i < set->count; i++) {
        const scale_case *c = &set->cases[i];
        if (c->precision == precision && !c->by_recording && strcmp(c->model, model) == 0)
            errors_add(&errors, c->predicted_ms, c->measured_ms);
    }
    error_summary e = errors_summarise(&errors);
    if (e.count)
        report_print(text, " %zu | %.2f | %.2f |", e.count, 100 * e.mean, 100 * e.worst);
    else
        report_print(text, " 0 | | |");
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
}

static void print_models(const scale_set *set, report_text *text) {
    static const habitat_precision asked[] = {HABITAT_PRECISION_RECORDED,
                                              HABITAT_PRECISION_AMP_BF16,
                                              HABITAT_PRECISION_AMP_FP16, HABITAT_PRECISION_TF32};
    report_print(text, "\nBy model:\n\n| model | another batch: steps | mean | worst | amp-bf16 "
                       "from fp32: steps | mean | worst | amp-fp16 from fp32: steps | mean | worst "
                       "| tf32 from fp32: steps | mean | worst |\n"
                       "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        if (!is_first_of_model(set, i))
            continue;
        report_print(text, "| %s |", set->cases[i].model);
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
            print_cell(set, set->cases[i].model, asked[k], text);
        report_print(text, "\n");
    }
}

void scale_print_tables(const scale_set *set, report_text *text) {
    static const selection batches[] = {
        {"largest batch from the smallest", HABITAT_PRECISION_RECORDED, 1, false},
        {"smallest batch from the largest", HABITAT_PRECISION_RECORDED, 0, false},
        {"both, sizes from a second recording", HABITAT_PRECISION_RECORDED, -1, true}};
    static const selection precisions[] = {
        {"amp-bf16 from fp32", HABITAT_PRECISION_AMP_BF16, -1, false},
        {"amp-fp16 from fp32", HABITAT_PRECISION_AMP_FP16, -1, false},
        {"tf32 from fp32", HABITAT_PRECISION_TF32, -1, false}};
    report_print(text, "\nSum of kernels at another batch size or precision, same GPU; errors in "
                       "%% of the other recording's sum.\nConstants were chosen on one half of the "
                       "models; how clean the other half is: docs/decisions/0145, 0146.\n\nAnother "
                       "batch size:\n\n");
    print_rows(set, batches, sizeof batches / sizeof *batches, text);
    report_print(text, "\nAnother precision:\n\n");
    print_rows(set, precisions, sizeof precisions / sizeof *precisions, text);
    print_models(set, text);
    scale_print_widths(set, text);
}

void scale_print_cases(const scale_set *set, report_text *text) {
    report_print(text, "from,to,model,precision,sizes_by,chosen_on,from_ms,predicted_ms,"
                       "measured_ms,error\n");
    for (size_t i = 0; i < set->count; i++) {
        const scale_case *c = &set->cases[i];
        report_print(text, "%s,%s,%s,%s,%s,%s,%.4f,%.4f,%.4f,%.4f\n", c->from, c->to, c->model,
                     habitat_precision_name(c->precision), c->by_recording ? "recording" : "shapes",
                     c->chosen_on ? "yes" : "no", c->from_ms, c->predicted_ms, c->measured_ms,
                     c->predicted_ms / c->measured_ms - 1.0);
    }
}
