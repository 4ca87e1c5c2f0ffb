/* Where the numbers of an HTML report come from: methods, intervals, rates and prices of each GPU,
 * and the recording. */
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "gpu/gpu.h"
#include "report/html.h"
#include "report/page_provenance.h"
#include "report/page_rates.h"
#include "report/page_sources.h"
#include "report/prediction_rows.h"
#include "report/shared_pieces.h"

/* ---- rates ---- */

static void source_words(writer *w, const habitat_gpu_source *source) {
    writer_text(w, " (");
    html_text(w, source->publisher ? source->publisher : source->title);
    writer_text(w, source->date ? ", " : "");
    html_text(w, source->date);
    writer_text(w, ")");
}

/* Those of one source, or of none. */
static void rates_of_source(page *p, const habitat_gpu *gpu, const page_rate *list, size_t count,
                            size_t at) {
    const habitat_gpu_source *sheet = habitat_gpu_source_of(gpu, "memory_bandwidth_gb_per_s");
    bool estimated = list[at].estimated, said = list[at].source;
    writer_text(&p->w, estimated ? "Estimated by rule: "
                       : said    ? "Measured: "
                                 : "From a file that does not say their source: ");
    page_rate_names(&p->w, list, count, at);
    if (said)
        source_words(&p->w, list[at].source);
    if (estimated && sheet) {
        writer_text(&p->w, ", from: ");
        html_text(&p->w, sheet->title);
    }
    writer_text(&p->w, ". ");
}

static void write_rates(page *p, const habitat_gpu *gpu) {
    page_rate list[MOST_RATES];
    size_t count = page_rates_of(gpu, list);
    for (int estimated = 0; estimated < 2; estimated++)
        for (size_t i = 0; i < count; i++)
            if (list[i].estimated == estimated && page_rate_is_first(list, i))
                rates_of_source(p, gpu, list, count, i);
    if (gpu->operation_count)
        writer_printf(&p->w, "%zu operations measured on it.", gpu->operation_count);
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
    if (price->origin == HABITAT_PRICE_FILE && !price->date)
        part(&p->w, &first, "no date");
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
    page_provenance(p);
    writer_text(&p->w, "<h3>Recordings</h3>\n<ul>\n");
    for (size_t i = 0; i < p->answer_count; i++)
        if (p->answers[i]->trace)
            recording(p, p->answers[i]);
    writer_text(&p->w, "</ul>\n");
}
