/* Judged batch sizes and precisions as Markdown and CSV. */
#include "lab/scale_tables.h"

#include <string.h>

#include "lab/errors.h"
#include "lab/scale_widths.h"

typedef enum half { CHOSEN_ON, JUDGED, ALL } half;

/* Which cases a row is of. */
typedef struct selection {
    const char *title;
    unsigned from, to; /* precisions, BIT() each; BIT(RECORDED): batch sizes */
    int upwards;       /* -1: both */
    bool by_recording;
} selection;

#define BIT(name) (1u << HABITAT_PRECISION_##name)
enum { NARROWER = BIT(TF32) | BIT(AMP_FP16) | BIT(AMP_BF16) };

static bool is_of(const scale_case *c, const selection *s, half which) {
    return (s->to & 1u << c->precision) && (s->from & 1u << c->recorded) &&
           c->by_recording == s->by_recording &&
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

/* What is compared: sums of kernels; whole steps of recordings that were steady, or were not. */
typedef enum compared { SUMS, STEPS, SPREAD_STEPS, COMPARED } compared;

static bool compares(const scale_case *c, compared what) {
    return what == SUMS || (c->step.known && c->step.spread == (what == SPREAD_STEPS));
}

/* | n | mean | worst | of a model and a precision from fp32; RECORDED: both ways to another batch
 * size */
static void print_cell(const scale_set *set, const char *model, habitat_precision precision,
                       compared what, report_text *text) {
    error_list errors = {0};
    for (size_t i = 0; i < set->count; i++) {
        const scale_case *c = &set->cases[i];
        if (c->precision == precision && c->recorded <= HABITAT_PRECISION_FP32 &&
            !c->by_recording && strcmp(c->model, model) == 0 && compares(c, what))
            errors_add(&errors, what == SUMS ? c->predicted_ms : c->step.predicted_ms,
                       what == SUMS ? c->measured_ms : c->step.measured_ms);
    }
    error_summary e = errors_summarise(&errors);
    if (e.count)
        report_print(text, " %zu | %.2f | %.2f |", e.count, 100 * e.mean, 100 * e.worst);
    else
        report_print(text, " 0 | | |");
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
}

static void print_models(const scale_set *set, compared what, report_text *text) {
    static const char *const titles[COMPARED] = {
        "By model:\n\n| model",
        "Whole steps by model, replayed, against the other recording's own time without the "
        "profiler:\n\n| model, whole steps",
        "The same where timed groups of one of the two recordings differ by more than 10 %:\n\n"
        "| model, spread steps"};
    static const habitat_precision asked[] = {HABITAT_PRECISION_RECORDED,
                                              HABITAT_PRECISION_AMP_BF16,
                                              HABITAT_PRECISION_AMP_FP16, HABITAT_PRECISION_TF32};
    report_print(text,
                 "\n%s | another batch: steps | mean | worst | amp-bf16 "
                 "from fp32: steps | mean | worst | amp-fp16 from fp32: steps | mean | worst "
                 "| tf32 from fp32: steps | mean | worst |\n"
                 "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
                 titles[what]);
    for (size_t i = 0; i < set->count; i++) {
        if (!is_first_of_model(set, i))
            continue;
        report_print(text, "| %s |", set->cases[i].model);
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
            print_cell(set, set->cases[i].model, asked[k], what, text);
        report_print(text, "\n");
    }
}

static void print_batches(const scale_set *set, report_text *text) {
    static const selection rows[] = {
        {"largest batch from the smallest", BIT(RECORDED), BIT(RECORDED), 1, false},
        {"smallest batch from the largest", BIT(RECORDED), BIT(RECORDED), 0, false},
        {"both, sizes from a second recording", BIT(RECORDED), BIT(RECORDED), -1, true}};
    report_print(text, "\nAnother batch size:\n\n");
    print_rows(set, rows, sizeof rows / sizeof *rows, text);
}

static void print_precisions(const scale_set *set, report_text *text) {
    static const selection rows[] = {{"amp-bf16 from fp32", BIT(FP32), BIT(AMP_BF16), -1, false},
                                     {"amp-fp16 from fp32", BIT(FP32), BIT(AMP_FP16), -1, false},
                                     {"tf32 from fp32", BIT(FP32), BIT(TF32), -1, false}};
    report_print(text, "\nAnother precision:\n\n");
    print_rows(set, rows, sizeof rows / sizeof *rows, text);
}

static void print_others(const scale_set *set, report_text *text) {
    static const selection rows[] = {
        {"fp32 from tf32", BIT(TF32), BIT(FP32), -1, false},
        {"fp32 from amp-bf16", BIT(AMP_BF16), BIT(FP32), -1, false},
        {"fp32 from amp-fp16", BIT(AMP_FP16), BIT(FP32), -1, false},
        {"**fp32 from these three**", NARROWER, BIT(FP32), -1, false},
        {"amp-bf16 from tf32", BIT(TF32), BIT(AMP_BF16), -1, false},
        {"amp-fp16 from tf32", BIT(TF32), BIT(AMP_FP16), -1, false},
        {"tf32 from amp-bf16", BIT(AMP_BF16), BIT(TF32), -1, false},
        {"tf32 from amp-fp16", BIT(AMP_FP16), BIT(TF32), -1, false},
        {"amp-fp16 from amp-bf16", BIT(AMP_BF16), BIT(AMP_FP16), -1, false},
        {"amp-bf16 from amp-fp16", BIT(AMP_FP16), BIT(AMP_BF16), -1, false},
        {"**each of these three from the others**", NARROWER, NARROWER, -1, false}};
    report_print(text, "\nAnother precision, not from fp32 (docs/decisions/0243). \"Chosen on\": "
                       "ResNet-50, BERT and ViT, on which rules were chosen\nor seen to hold:\n\n");
    print_rows(set, rows, sizeof rows / sizeof *rows, text);
}

void scale_print_tables(const scale_set *set, report_text *text) {
    report_print(
        text,
        "\nSum of kernels at another batch size or precision, same GPU; errors in "
        "%% of the other recording's sum.\nConstants were chosen on one half of the "
        "models; how clean the other half is: docs/decisions/0145, 0146. Those of sums over a "
        "batch and of gradients by blocks of images were chosen on both halves "
        "(docs/decisions/0480, 0482): rows of \"judged\" are partly seen, too.\n");
    print_batches(set, text);
    print_precisions(set, text);
    for (int what = SUMS; what < COMPARED; what++)
        print_models(set, (compared)what, text);
    print_others(set, text);
    scale_print_widths(set, text);
}

void scale_print_cases(const scale_set *set, report_text *text) {
    report_print(text, "from,to,model,recorded,precision,sizes_by,chosen_on,from_ms,predicted_ms,"
                       "measured_ms,error\n");
    for (size_t i = 0; i < set->count; i++) {
        const scale_case *c = &set->cases[i];
        report_print(text, "%s,%s,%s,%s,%s,%s,%s,%.4f,%.4f,%.4f,%.4f\n", c->from, c->to, c->model,
                     habitat_precision_name(c->recorded), habitat_precision_name(c->precision),
                     c->by_recording ? "recording" : "shapes", c->chosen_on ? "yes" : "no",
                     c->from_ms, c->predicted_ms, c->measured_ms,
                     c->predicted_ms / c->measured_ms - 1.0);
    }
}
