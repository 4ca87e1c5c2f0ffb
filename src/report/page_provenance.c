/* The table of where all numbers come from: a row each GPU, whatever its batch sizes, and a list of
 * the documents that its cells name by number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/list.h"
#include "base/same_text.h"
#include "gpu/gpu.h"
#include "report/html.h"
#include "report/page_provenance.h"
#include "report/page_rates.h"
#include "report/prediction_rows.h"
#include "report/shared_pieces.h"

/* ---- documents ---- */

/* A document, where somebody asks a price, or what an interval was made from. */
typedef struct document {
    const char *title, *publisher, *date; /* NULL: not said */
} document;

/* In the order in which they are named first: number 1 is list[0]. */
typedef struct documents {
    document *list; /* shape (count) */
    size_t count, room;
} documents;

static bool make_room(documents *d) {
    document *list = list_grow(d->list, d->count, &d->room, 64, SIZE_MAX, sizeof *list);
    if (list)
        d->list = list;
    return list;
}

/* " [12]"; nothing without a title. */
static void cite(page *p, documents *d, const char *title, const char *publisher,
                 const char *date) {
    size_t at = 0;
    if (!title)
        return;
    while (at < d->count &&
           !(same_text(d->list[at].title, title) && same_text(d->list[at].publisher, publisher) &&
             same_text(d->list[at].date, date)))
        at++;
    if (at == d->count) {
        if (!make_room(d)) {
            writer_stop(&p->w, HABITAT_E_MEMORY);
            return;
        }
        d->list[d->count++] = (document){title, publisher, date};
    }
    writer_printf(&p->w, " [%zu]", at + 1);
}

static void cite_source(page *p, documents *d, const habitat_gpu_source *source) {
    if (source)
        cite(p, d, source->title, source->publisher, source->date);
}

static void write_documents(page *p, const documents *d) {
    writer_text(&p->w, "<p>What the table names by number:</p>\n<ol class=\"documents\">\n");
    for (size_t i = 0; i < d->count; i++) {
        const document *one = &d->list[i];
        writer_text(&p->w, "<li>");
        html_text(&p->w, one->title);
        if (one->publisher) {
            writer_text(&p->w, "; ");
            html_text(&p->w, one->publisher);
        }
        if (one->date) {
            writer_text(&p->w, ", ");
            html_text(&p->w, one->date);
        }
        writer_text(&p->w, "</li>\n");
    }
    writer_text(&p->w, "</ol>\n");
}

/* ---- times and intervals: of all rows of a GPU, in all answers ---- */

typedef struct shares {
    double least[HABITAT_METHOD_COUNT], most[HABITAT_METHOD_COUNT];
    bool intervals[HABITAT_INTERVAL_COUNT];
    const habitat_prediction *only; /* NULL: several, or none */
    size_t count;
} shares;

static void add_shares(const habitat_prediction *of, shares *s) {
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
        double share = of->coverage[m];
        s->least[m] = s->count ? fmin(s->least[m], share) : share;
        s->most[m] = fmax(s->most[m], share);
    }
    s->intervals[of->interval_basis] = true;
    s->only = s->count++ ? NULL : of;
}

static shares shares_of(const page *p, const habitat_gpu *gpu) {
    shares s = {.count = 0};
    for (size_t i = 0; i < p->row_count; i++)
        for (size_t a = 0; p->rows[i].gpu == gpu && a < p->answer_count; a++) {
            const habitat_answer_row *row = page_row_in(p->answers[a], &p->rows[i]);
            if (row && row->prediction)
                add_shares(row->prediction, &s);
        }
    return s;
}

/* "roofline 81.2 %", of several "roofline 78.0 to 81.2 %". */
static void methods_cell(page *p, const shares *s) {
    char text[COVERAGE_BYTES] = "";
    size_t used = 0;
    if (s->only)
        coverage_text(s->only, text, sizeof text);
    for (int m = 0; m < HABITAT_METHOD_COUNT && !s->only; m++) {
        if (!(s->most[m] > 0) || used >= sizeof text)
            continue;
        int n = habitat_format(text + used, sizeof text - used, "%s%s %.1f to %.1f %%",
                               used ? ", " : "", habitat_method_name((habitat_method)m),
                               100 * s->least[m], 100 * s->most[m]);
        used += n > 0 ? (size_t)n : 0;
    }
    html_cell(&p->w, text);
}

/* "calibrated [2]": what it was made from is in the list. */
static void interval_cell(page *p, documents *d, const shares *s) {
    size_t told = 0;
    writer_text(&p->w, "<td>");
    for (int b = 1; b < HABITAT_INTERVAL_COUNT; b++) {
        if (!s->intervals[b])
            continue;
        writer_text(&p->w, told++ ? ", " : "");
        html_text(&p->w, habitat_interval_name((habitat_interval_basis)b));
        cite(p, d, habitat_interval_words((habitat_interval_basis)b), NULL, NULL);
    }
    writer_text(&p->w, told ? "</td>\n" : "\xe2\x80\x93</td>\n");
}

/* ---- rates and data sheets ---- */

/* The documents of the rates that are like the one at `first`, each once. */
static void cite_rates(page *p, documents *d, const page_rate *list, size_t count, size_t first) {
    for (size_t i = first; i < count; i++) {
        bool told = !list[i].source || !page_rates_alike(&list[i], &list[first]);
        for (size_t k = first; !told && k < i; k++)
            told = list[k].source && same_text(list[k].source->title, list[i].source->title);
        if (!told)
            cite_source(p, d, list[i].source);
    }
}

static void rates_cell(page *p, documents *d, const habitat_gpu *gpu, bool estimated) {
    page_rate list[MOST_RATES];
    size_t count = page_rates_of(gpu, list), told = 0;
    writer_text(&p->w, "<td>");
    for (size_t i = 0; i < count; i++) {
        if (list[i].estimated != estimated || !page_rate_is_first(list, i))
            continue;
        writer_text(&p->w, told++ ? "; " : "");
        page_rate_names(&p->w, list, count, i);
        if (estimated)
            cite_source(p, d, habitat_gpu_source_of(gpu, "memory_bandwidth_gb_per_s"));
        else
            cite_rates(p, d, list, count, i);
    }
    if (gpu->operation_count && !estimated)
        writer_printf(&p->w, "%s%zu operations", told++ ? "; " : "", gpu->operation_count);
    writer_text(&p->w, told ? "</td>\n" : "\xe2\x80\x93</td>\n");
}

/* "data sheet [3]" */
static void sheet_cell(page *p, documents *d, const habitat_gpu *gpu, const char *field,
                       const char *other) {
    const habitat_gpu_source *source = habitat_gpu_source_of(gpu, field);
    if (!source && other)
        source = habitat_gpu_source_of(gpu, other);
    if (!source) {
        html_cell(&p->w, NULL);
        return;
    }
    writer_text(&p->w, "<td>");
    html_text(&p->w, source->kind ? source->kind : "not said");
    cite_source(p, d, source);
    writer_text(&p->w, "</td>\n");
}

/* ---- prices ---- */

static const habitat_price *price_of(const page *p, const habitat_gpu *gpu) {
    for (size_t i = 0; i < p->row_count; i++)
        if (p->rows[i].gpu == gpu && p->rows[i].cost.price)
            return p->rows[i].cost.price;
    return NULL;
}

/* "lambda, one GPU, spot [4]", "given by the user", "prices.csv" */
static void asked_cell(page *p, documents *d, const habitat_price *price) {
    const char *from = price->origin == HABITAT_PRICE_GIVEN  ? "given by the user"
                       : price->origin == HABITAT_PRICE_FILE ? base_name(price->file)
                                                             : NULL;
    const char *words[] = {price->provider,
                           price->product,
                           price->region,
                           from,
                           price->spot ? "spot" : NULL,
                           price->gpu_alone ? "without the machine" : NULL};
    size_t told = 0;
    writer_text(&p->w, "<td>");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i]) {
            writer_text(&p->w, told++ ? ", " : "");
            html_text(&p->w, words[i]);
        }
    cite(p, d, price->source, NULL, NULL);
    writer_text(&p->w, "</td>\n");
}

static void price_cells(page *p, documents *d, const habitat_price *price) {
    char usd[32];
    if (!price) {
        writer_text(&p->w, "<td class=\"none\">\xe2\x80\x93</td><td>\xe2\x80\x93</td>"
                           "<td>\xe2\x80\x93</td>\n");
        return;
    }
    habitat_format(usd, sizeof usd, "$%.2f", price->usd_per_hour);
    html_shown_cell(&p->w, price->usd_per_hour, usd);
    asked_cell(p, d, price);
    html_cell(&p->w, price->date);
}

/* ---- the table ---- */

static bool first_of_gpu(const page *p, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (p->rows[i].gpu == p->rows[at].gpu)
            return false;
    return true;
}

static void write_row(page *p, documents *d, const habitat_gpu *gpu) {
    shares s = shares_of(p, gpu);
    writer_text(&p->w, "<tr><th scope=\"row\">");
    html_text(&p->w, gpu->name);
    writer_text(&p->w, "</th>\n");
    methods_cell(p, &s);
    interval_cell(p, d, &s);
    rates_cell(p, d, gpu, false);
    rates_cell(p, d, gpu, true);
    sheet_cell(p, d, gpu, "memory_usable_bytes", "memory_gib");
    sheet_cell(p, d, gpu, "tdp_w", NULL);
    sheet_cell(p, d, gpu, "release_date", NULL);
    price_cells(p, d, price_of(p, gpu));
    writer_text(&p->w, "</tr>\n");
}

static size_t count_gpus(const page *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->row_count; i++)
        count += first_of_gpu(p, i);
    return count;
}

void page_provenance(page *p) {
    static const char *const headers[] = {"GPU",
                                          "Kernel times by",
                                          "Interval",
                                          "Rates measured",
                                          "Rates by rule",
                                          "Memory",
                                          "Power",
                                          "Released",
                                          "$ per GPU-hour",
                                          "Asked by",
                                          "Date of the price"};
    size_t count = count_gpus(p);
    documents named = {NULL, 0, 0};
    writer_text(&p->w, "<details id=\"provenance\"><summary>");
    if (count > 1)
        writer_printf(&p->w, "All %zu GPUs: ", count);
    writer_text(&p->w, "the source of each number</summary>\n");
    writer_text(&p->w,
                "<p>Times, ratios, samples, costs and energy follow from these: the recording, the "
                "methods, the rates, power and price.</p>\n");
    writer_text(&p->w, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Sources "
                       "of all GPUs\">\n<table id=\"source-table\" class=\"sortable "
                       "sources\"><caption>Numbers in brackets are those of the list below the "
                       "table</caption>\n");
    html_head(&p->w, headers, sizeof headers / sizeof *headers);
    writer_text(&p->w, "<tbody>\n");
    for (size_t i = 0; i < p->row_count && p->w.status == HABITAT_OK; i++)
        if (first_of_gpu(p, i))
            write_row(p, &named, p->rows[i].gpu);
    writer_text(&p->w, "</tbody></table></div>\n");
    write_documents(p, &named);
    writer_text(&p->w, "</details>\n");
    free(named.list);
}
