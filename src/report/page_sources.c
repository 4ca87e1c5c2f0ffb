/* Where the numbers of an HTML report come from: methods, intervals, rates and prices of each GPU,
 * and the recording. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "gpu/gpu.h"
#include "report/html.h"
#include "report/page_sources.h"
#include "report/parts.h"
#include "report/prediction_rows.h"

/* ---- rates ---- */

static const habitat_dtype formats[] = {HABITAT_DTYPE_FP32, HABITAT_DTYPE_TF32, HABITAT_DTYPE_FP16,
                                        HABITAT_DTYPE_BF16};

enum { FORMATS = sizeof formats / sizeof *formats, KEY_BYTES = 64 };

/* A rate that is known, and where it comes from. */
typedef struct known_rate {
    char name[KEY_BYTES];
    const habitat_gpu_source *source; /* NULL: estimated by rule */
} known_rate;

enum { MOST_RATES = 2 * FORMATS + 1 };

static void add_rate(const habitat_gpu *gpu, const char *name, const char *key, bool estimated,
                     known_rate *list, size_t *count) {
    known_rate *rate = &list[(*count)++];
    snprintf(rate->name, sizeof rate->name, "%s", name);
    rate->source = estimated ? NULL : habitat_gpu_source_of(gpu, key);
}

static size_t known_rates(const habitat_gpu *gpu, known_rate *list) {
    char key[KEY_BYTES], name[KEY_BYTES];
    size_t count = 0;
    if (isfinite(gpu->sustained_bandwidth_bytes_per_s))
        add_rate(gpu, "DRAM", "sustained.dram_gb_per_s", gpu->sustained_bandwidth_estimated, list,
                 &count);
    for (size_t i = 0; i < 2 * FORMATS; i++) {
        bool matrix = i >= FORMATS, estimated = false;
        const char *format = habitat_dtype_name(formats[i % FORMATS]);
        if (isnan(habitat_gpu_rate(gpu, HABITAT_RATE_SUSTAINED, formats[i % FORMATS], matrix,
                                   &estimated)))
            continue;
        snprintf(key, sizeof key, "sustained.%s_tflop_per_s.%s", matrix ? "matrix" : "plain",
                 format);
        snprintf(name, sizeof name, "%s%s", format, matrix ? " matrix" : "");
        add_rate(gpu, name, key, estimated, list, &count);
    }
    return count;
}

static void source_words(writer *w, const habitat_gpu_source *source) {
    writer_text(w, " (");
    html_text(w, source->publisher ? source->publisher : source->title);
    writer_text(w, source->date ? ", " : "");
    html_text(w, source->date);
    writer_text(w, ")");
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* As a reader sees them: who published it, and when. */
static bool same_source(const habitat_gpu_source *a, const habitat_gpu_source *b) {
    return a == b ||
           (a && b && same_text(a->publisher, b->publisher) && same_text(a->date, b->date));
}

/* "fp32, bf16 matrix": those of one source. */
static void rates_of(writer *w, const known_rate *list, size_t count,
                     const habitat_gpu_source *source) {
    bool first = true;
    for (size_t i = 0; i < count; i++)
        if (same_source(list[i].source, source)) {
            writer_text(w, first ? "" : ", ");
            html_text(w, list[i].name);
            first = false;
        }
}

static bool first_of_source(const known_rate *list, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (same_source(list[i].source, list[at].source))
            return false;
    return true;
}

static void write_rates(page *p, const habitat_gpu *gpu) {
    known_rate list[MOST_RATES];
    size_t count = known_rates(gpu, list);
    bool estimated = false;
    for (size_t i = 0; i < count; i++) {
        estimated = estimated || !list[i].source;
        if (!list[i].source || !first_of_source(list, i))
            continue;
        writer_text(&p->w, "Measured: ");
        rates_of(&p->w, list, count, list[i].source);
        source_words(&p->w, list[i].source);
        writer_text(&p->w, ". ");
    }
    const habitat_gpu_source *sheet = habitat_gpu_source_of(gpu, "memory_bandwidth_gb_per_s");
    if (estimated) {
        writer_text(&p->w, "Estimated by rule: ");
        rates_of(&p->w, list, count, NULL);
        if (sheet) {
            writer_text(&p->w, ", from: ");
            html_text(&p->w, sheet->title);
        }
        writer_text(&p->w, ".");
    }
    if (gpu->operation_count)
        writer_printf(&p->w, " %zu operations measured on it.", gpu->operation_count);
}

/* ---- prices ---- */

static void part(writer *w, bool *first, const char *text) {
    if (!text)
        return;
    writer_text(w, *first ? "" : ", ");
    html_text(w, text);
    *first = false;
}

static void write_price(page *p, const habitat_price *price) {
    bool first = true;
    char usd[64];
    if (!price) {
        writer_text(&p->w, "none is known");
        return;
    }
    habitat_format(usd, sizeof usd, "$%.2f an hour%s", price->usd_per_hour,
                   price->spot ? ", spot" : "");
    part(&p->w, &first, usd);
    part(&p->w, &first, price->provider);
    part(&p->w, &first, price->product);
    part(&p->w, &first, price->date);
    part(&p->w, &first, price->source);
    if (price->origin == HABITAT_PRICE_GIVEN)
        part(&p->w, &first, "given by the user");
    else if (price->origin == HABITAT_PRICE_FILE)
        part(&p->w, &first, price->file);
}

/* ---- predictions ---- */

static void write_source(page *p, const page_row *row) {
    const habitat_prediction *of = row->from ? row->from->prediction : NULL;
    const char *words = of ? habitat_interval_words(of->interval_basis) : NULL;
    char shares[COVERAGE_BYTES] = "";
    if (of)
        coverage_text(of, shares, sizeof shares);
    html_element(&p->w, "h3", row->label);
    writer_text(&p->w, "<dl>\n<div><dt>Kernel times by</dt>");
    html_element(&p->w, "dd", shares);
    writer_text(&p->w, "</div>\n<div><dt>Interval</dt><dd>");
    html_text(&p->w, of ? habitat_interval_name(of->interval_basis) : NULL);
    writer_text(&p->w, words ? ": " : "");
    html_text(&p->w, words);
    writer_text(&p->w, "</dd></div>\n<div><dt>Rates</dt><dd>");
    write_rates(p, row->gpu);
    writer_text(&p->w, "</dd></div>\n<div><dt>Price</dt><dd>");
    write_price(p, row->cost.price);
    writer_text(&p->w, "</dd></div>\n</dl>\n");
}

static void recording(page *p, const habitat_answer *answer) {
    const habitat_trace_info *trace = habitat_trace_get_info(answer->trace);
    char sha256[65];
    bool first = true;
    writer_text(&p->w, "<li>");
    part(&p->w, &first, trace->file);
    part(&p->w, &first, trace->model);
    part(&p->w, &first, trace->framework);
    if (trace->cuda_version) {
        part(&p->w, &first, "CUDA ");
        html_text(&p->w, trace->cuda_version);
    }
    if (trace->driver_version) {
        part(&p->w, &first, "driver ");
        html_text(&p->w, trace->driver_version);
    }
    if (habitat_trace_sha256(answer->trace, sha256, NULL) == HABITAT_OK) {
        part(&p->w, &first, "SHA-256 ");
        html_element(&p->w, "code", sha256);
    }
    writer_text(&p->w, "</li>\n");
}

void page_sources(page *p) {
    bool folded = p->shown > MOST_BREAKDOWN;
    for (size_t i = 0; i < p->shown; i++) {
        if (folded && i == MOST_OPERATIONS)
            writer_printf(&p->w, "<details><summary>%zu more</summary>\n", p->shown - i);
        write_source(p, &p->rows[i]);
    }
    writer_text(&p->w, folded ? "</details>\n" : "");
    writer_text(&p->w, "<h3>Recordings</h3>\n<ul>\n");
    for (size_t i = 0; i < p->answer_count; i++)
        if (p->answers[i]->trace)
            recording(p, p->answers[i]);
    writer_text(&p->w, "</ul>\n");
}
