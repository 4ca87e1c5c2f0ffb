/* The table of all GPUs in an HTML report, its filter, and what stands below the charts of times
 * and costs, whose numbers it holds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/choice_words.h"
#include "gpu/gpu.h"
#include "report/html.h"
#include "report/page_gpus.h"
#include "report/shared_pieces.h"

/* ---- columns ---- */

typedef struct gpu_column {
    const char *header;
    void (*write)(page *p, const page_row *row);
    bool (*shown)(const page *p); /* NULL: always */
} gpu_column;

static bool has_memory(const page *p) {
    return p->memory;
}

static bool has_prices(const page *p) {
    return p->prices;
}

static bool has_length(const page *p) {
    return p->lengths;
}

static bool has_no_length(const page *p) {
    return !p->lengths;
}

/* In a choice, where rows are compared by them. */
static bool has_samples(const page *p) {
    return p->choice ? p->by_sample : p->samples;
}

static bool has_sample_costs(const page *p) {
    return p->prices && p->by_sample;
}

static bool has_ratio(const page *p) {
    return p->origin && !p->choice;
}

static void name_cell(page *p, const page_row *row) {
    writer_text(&p->w, "<th scope=\"row\">");
    html_text(&p->w, row->label);
    writer_text(&p->w, "</th>\n");
}

static void time_cell(page *p, const page_row *row) {
    html_ms_cell(&p->w, row->ms);
}

/* Sorted by its upper end. */
static void interval_cell(page *p, const page_row *row) {
    char low[32], high[32], text[96];
    ms_text(row->low_ms, low, sizeof low);
    ms_text(row->high_ms, high, sizeof high);
    snprintf(text, sizeof text, "%s \xe2\x80\x93 %s%s", low, high, row->calibrated ? "" : " *");
    html_shown_cell(&p->w, row->high_ms, text);
}

static void ratio_cell(page *p, const page_row *row) {
    double ratio = row->from ? ratio_of(row->from->prediction) : NAN;
    char text[32];
    ratio_text(ratio, text, sizeof text);
    html_shown_cell(&p->w, ratio, text);
}

static void samples_cell(page *p, const page_row *row) {
    double rate = row->samples / row->ms * 1e3;
    if (p->answer_count == 1 && row->from)
        rate = row->from->prediction->samples_per_s;
    html_number_cell(&p->w, rate, decimals_for(rate, 3));
}

static void memory_cell(page *p, const page_row *row) {
    html_number_cell(&p->w, row->gpu->memory_bytes / HABITAT_GB, 0);
}

static void left_cell(page *p, const page_row *row) {
    html_number_cell(&p->w, row->headroom_bytes / HABITAT_GB, 1);
}

static void dollars_cell(page *p, double usd) {
    char text[32] = "";
    if (isfinite(usd))
        dollars_text(usd, text, sizeof text);
    html_shown_cell(&p->w, usd, text);
}

static void price_cell(page *p, const page_row *row) {
    char text[32];
    habitat_format(text, sizeof text, "$%.2f", row->cost.usd_per_hour);
    html_shown_cell(&p->w, row->cost.usd_per_hour, text);
}

static void cost_cell(page *p, const page_row *row) {
    dollars_cell(p, row->cost.usd_per_1000_iterations);
}

static void unit_cost_cell(page *p, const page_row *row) {
    dollars_cell(p, page_unit_usd(p, row));
}

static void hours_cell(page *p, const page_row *row) {
    html_number_cell(&p->w, row->cost.hours, decimals_for(row->cost.hours, 3));
}

static void training_cell(page *p, const page_row *row) {
    dollars_cell(p, row->cost.usd);
}

static void energy_cell(page *p, const page_row *row) {
    html_number_cell(&p->w, row->cost.energy_j, decimals_for(row->cost.energy_j, 3));
}

static void released_cell(page *p, const page_row *row) {
    html_cell(&p->w, row->gpu->release_date);
}

static void remark(writer *w, bool *first, const char *text) {
    writer_text(w, *first ? "" : ", ");
    html_text(w, text);
    *first = false;
}

/* Whether the reason why a row cannot be taken says already what its room is. */
static bool reason_says(const page_row *row, const char *room) {
    return row->obstacle == HABITAT_EXCLUDED_SMALL || row->obstacle == HABITAT_EXCLUDED_FIT ||
           (row->reason && strncmp(row->reason, room, strlen(room)) == 0);
}

static void remarks_cell(page *p, const page_row *row) {
    bool first = true;
    writer_text(&p->w, "<td class=\"words\">");
    if (row->origin)
        remark(&p->w, &first, "origin");
    if (row->best)
        remark(&p->w, &first, "recommended");
    if (row->equal || row->tie)
        remark(&p->w, &first, row->equal ? "equal" : "tie");
    if (row->front)
        remark(&p->w, &first, "front");
    const char *room = choice_room_words(row->fits, row->headroom_bytes);
    if (*room && !reason_says(row, room))
        remark(&p->w, &first, room);
    if (row->cpu_sets)
        remark(&p->w, &first, "set by the CPU");
    if (row->other_vendor && row->obstacle != HABITAT_EXCLUDED_VENDOR)
        remark(&p->w, &first, row->gpu->vendor);
    if (row->reason)
        remark(&p->w, &first, row->reason);
    writer_text(&p->w, "</td>\n");
}

static const gpu_column columns[] = {
    {"GPU", name_cell, NULL},
    {"Iteration, ms", time_cell, NULL},
    {"80 % interval, ms", interval_cell, NULL},
    {"Ratio to origin", ratio_cell, has_ratio},
    {"Samples per s", samples_cell, has_samples},
    {"Memory, GB", memory_cell, NULL},
    {"Left, GB", left_cell, has_memory},
    {"$ per hour", price_cell, has_prices},
    {"$ for 1,000", cost_cell, has_prices},
    {"$ for 1,000,000 samples", unit_cost_cell, has_sample_costs},
    {"Training, hours", hours_cell, has_length},
    {"Training, $", training_cell, has_length},
    {"Energy, about J", energy_cell, NULL},
    {"Released", released_cell, has_no_length},
    {"Remarks", remarks_cell, NULL},
};

enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static void write_head(page *p) {
    const char *headers[COLUMN_COUNT];
    size_t count = 0;
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (!columns[c].shown || columns[c].shown(p))
            headers[count++] = columns[c].header;
    html_head(&p->w, headers, count);
}

static void write_row(page *p, size_t at) {
    const page_row *row = &p->rows[at];
    writer_printf(&p->w, "<tr%s data-vendor=\"",
                  row->best       ? " class=\"first best\""
                  : at < p->shown ? " class=\"first\""
                                  : "");
    html_text(&p->w, row->gpu->vendor);
    writer_printf(&p->w, "\" data-fits=\"%d\" data-priced=\"%d\">\n", row->fits > 0,
                  !isnan(row->cost.usd_per_hour));
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (!columns[c].shown || columns[c].shown(p))
            columns[c].write(p, row);
    writer_text(&p->w, "</tr>\n");
}

void page_gpus(page *p) {
    writer_printf(&p->w,
                  "<table id=\"gpu-table\" class=\"sortable\"><caption>%zu row%s: time, memory and "
                  "cost of an iteration%s</caption>\n",
                  p->row_count, p->row_count == 1 ? "" : "s",
                  p->answer_count > 1 ? ", the mean by weight" : "");
    write_head(p);
    writer_text(&p->w, "<tbody>\n");
    for (size_t i = 0; i < p->row_count; i++)
        write_row(p, i);
    writer_text(&p->w, "</tbody></table>\n");
}

/* ---- filter ---- */

static bool first_of_vendor(const page *p, size_t row) {
    for (size_t i = 0; i < row; i++)
        if (strcmp(p->rows[i].gpu->vendor, p->rows[row].gpu->vendor) == 0)
            return false;
    return true;
}

void page_filter(page *p) {
    for (size_t i = 0; i < p->row_count; i++)
        if (first_of_vendor(p, i))
            html_element(&p->w, "option", p->rows[i].gpu->vendor);
}

/* ---- below the charts ---- */

static bool none_taken(const page *p) {
    return p->choice && !p->choice->row_count;
}

/* Which rows are drawn. */
static void write_drawn(page *p) {
    size_t drawn = p->shown < MOST_TIMES ? p->shown : MOST_TIMES;
    if (none_taken(p))
        writer_printf(&p->w,
                      "<p>None of %zu rows can be taken; drawn are the %zu that came "
                      "nearest.</p>\n",
                      p->row_count, drawn);
    else if (drawn < p->row_count)
        writer_printf(&p->w, "<p>%zu of %zu rows, %s; the table of all GPUs holds the rest.</p>\n",
                      drawn, p->row_count,
                      p->choice ? "best first" : "those that matter most here");
}

void page_times(page *p) {
    bool plain = false;
    for (size_t i = 0; i < p->shown; i++)
        plain = plain || !p->rows[i].calibrated;
    write_drawn(p);
    if (p->choice && p->by_sample)
        writer_text(&p->w, "<p>Bars are of one sample, by which rows are compared; the table has "
                           "iterations.</p>\n");
    if (plain)
        writer_printf(&p->w,
                      "<p>Some intervals have a default width that no measurement checks: * in the "
                      "table%s.</p>\n",
                      p->choice && !none_taken(p) ? "; they decide some ties" : "");
}

static void write_front(page *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->row_count; i++)
        if (p->rows[i].front && !p->rows[i].reason) {
            writer_text(&p->w, count++ ? "; "
                                       : "<p>On the front, no other GPU is both faster and "
                                         "cheaper: ");
            html_text(&p->w, p->rows[i].label);
        }
    writer_text(&p->w, count ? ". Costs of all are in the table of GPUs.</p>\n" : "");
}

/* Where fewer than two costs can be drawn: which there are. */
static void few_costs(page *p, size_t drawn, size_t known) {
    if (drawn && known > drawn)
        writer_text(&p->w, "<p>One of the GPUs that can be taken has a cost; the table has it, and "
                           "those of GPUs that are left out.</p>\n");
    else if (drawn)
        writer_text(&p->w, "<p>One of these GPUs has a price; the table has its cost.</p>\n");
    else if (known && p->by_sample && !p->choice)
        writer_text(&p->w, "<p>Rows differ in samples, and the recording does not say its batch "
                           "size: costs cannot be compared.</p>\n");
    else if (known)
        writer_text(&p->w, "<p>No GPU that can be taken has a cost; the table has those of GPUs "
                           "that are left out.</p>\n");
    else if (p->prices)
        writer_text(&p->w, "<p>Prices are known and costs are not: an iteration may take longer "
                           "than its time here, which is the GPU\xe2\x80\x99s busy time.</p>\n");
    else
        writer_text(&p->w, "<p>No cost is known of these GPUs; --price GPU=USD and --prices FILE "
                           "give prices.</p>\n");
}

void page_cost(page *p) {
    size_t drawn = 0, known = 0;
    for (size_t i = 0; i < p->row_count; i++) {
        drawn += page_in_costs(p, &p->rows[i]);
        known += isnan(p->rows[i].cost.usd_per_1000_iterations) ? 0 : 1;
    }
    if (drawn < 2) {
        few_costs(p, drawn, known);
        return;
    }
    writer_text(&p->w, "<div class=\"chart\" id=\"cost-chart\"></div>\n");
    if (none_taken(p))
        writer_text(&p->w, "<p>None of these can be taken.</p>\n");
    write_front(p);
}

/* ---- memory ---- */

static void gb_cell(page *p, double bytes) {
    html_number_cell(&p->w, bytes / HABITAT_GB, bytes < 10 * HABITAT_GB ? 2 : 1);
}

static void memory_row(page *p, const page_row *row) {
    const habitat_prediction *of = row->from && p->answer_count == 1 ? row->from->prediction : NULL;
    writer_text(&p->w, "<tr><th scope=\"row\">");
    html_text(&p->w, row->label);
    writer_text(&p->w, "</th>\n");
    gb_cell(p, row->gpu->memory_bytes);
    gb_cell(p, of ? of->memory_bytes : NAN);
    gb_cell(p, of ? of->context_bytes : NAN);
    gb_cell(p, of ? of->margin_bytes : NAN);
    gb_cell(p, row->headroom_bytes);
    html_number_cell(&p->w, of ? of->largest_batch : NAN, 0);
    const char *lacks = choice_room_words(row->fits, row->headroom_bytes);
    html_cell(&p->w, row->fits > 0 ? "fits" : *lacks ? lacks : "not known");
    writer_text(&p->w, "</tr>\n");
}

void page_memory(page *p) {
    static const char *const headers[] = {"GPU",        "Has, GB",  "Step, GB",      "CUDA, GB",
                                          "Margin, GB", "Left, GB", "Largest batch", "Verdict"};
    if (!p->memory) {
        writer_text(&p->w, "<p>The recording does not say how much memory was in use.</p>\n");
        return;
    }
    writer_text(&p->w,
                "<p>What the step keeps, what CUDA itself takes, and a margin for gaps and for "
                "what the prediction may miss; the rest is left.</p>\n"
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Memory\">\n"
                "<table class=\"sortable\"><caption>Memory of one GPU, 1 GB = 10<sup>9</sup> "
                "bytes</caption>\n");
    html_head(&p->w, headers, sizeof headers / sizeof *headers);
    writer_text(&p->w, "<tbody>\n");
    for (size_t i = 0; i < p->shown && i < MOST_BREAKDOWN; i++)
        memory_row(p, &p->rows[i]);
    writer_text(&p->w, "</tbody></table></div>\n");
    if (p->shown > MOST_BREAKDOWN)
        writer_text(&p->w, "<p>What is left on the others is in the table of all GPUs.</p>\n");
}
