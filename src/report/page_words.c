/* What an HTML report says in words: what was recorded, what it comes to, what to be careful of. */
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/choice_words.h"
#include "gpu/gpu.h"
#include "report/choice_rows.h"
#include "report/html.h"
#include "report/page_words.h"
#include "report/price_notes.h"
#include "report/shared_pieces.h"
#include "report/shortlist.h"

enum { TEXT_BYTES = 512 };

static const char *file_of(const habitat_answer *answer) {
    const char *file = answer->trace ? habitat_trace_get_info(answer->trace)->file : NULL;
    return file && *file ? base_name(file) : "operations";
}

void page_title(page *p) {
    static const char *const endings[] = {".gz", ".json"};
    char name[TEXT_BYTES];
    snprintf(name, sizeof name, "%s", file_of(p->what));
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(name), end = strlen(endings[i]);
        if (length > end && strcmp(name + length - end, endings[i]) == 0)
            name[length - end] = '\0';
    }
    if (p->choice)
        writer_text(&p->w, "Which GPU for ");
    html_text(&p->w, name);
    if (p->answer_count > 1)
        writer_printf(&p->w, " and %zu more", p->answer_count - 1);
    if (p->explains) {
        writer_text(&p->w, " on ");
        html_text(&p->w, p->rows[0].gpu->name);
    } else if (!p->choice) {
        writer_text(&p->w, " on other GPUs");
    }
}

/* ---- facts ---- */

/* "as profiled" is the time with the profiler running. */
static void recording_facts(page *p, const habitat_answer *answer) {
    const habitat_workload_info *info = habitat_workload_get_info(answer->workload);
    const habitat_trace_info *trace = answer->trace ? habitat_trace_get_info(answer->trace) : NULL;
    char line[TEXT_BYTES], busy[32], iteration[32], ratios[80];
    char operations[64];
    untimed_operations_text(answer, operations, sizeof operations);
    ratios_to_text(answer, ratios, sizeof ratios);
    ms_text(info->busy_ms, busy, sizeof busy);
    ms_text(info->iteration_ms, iteration, sizeof iteration);
    if (info->origin)
        habitat_format(line, sizeof line,
                       ": recorded on %s, busy %s ms of an iteration of %s ms (%s%s)",
                       info->origin->name, busy, iteration,
                       info->iteration_recorded ? "recorded" : "as profiled", ratios);
    else
        habitat_format(line, sizeof line, ": recorded without a GPU, %s", operations);
    writer_text(&p->w, "<strong>");
    html_text(&p->w, file_of(answer));
    writer_text(&p->w, "</strong>");
    html_text(&p->w, line);
    if (trace && trace->batch_size)
        writer_printf(&p->w, ", batch size %llu", (unsigned long long)trace->batch_size);
    writer_text(&p->w, ".");
}

void page_facts(page *p) {
    for (size_t i = 0; i < p->answer_count; i++) {
        writer_text(&p->w, "<p>");
        recording_facts(p, p->answers[i]);
        if (p->answer_count > 1)
            writer_printf(&p->w, " Weight %.3g %%.", 100 * p->weights[i]);
        writer_text(&p->w, "</p>\n");
    }
    writer_printf(&p->w, "<p>Method %s, %s.", habitat_method_name(p->what->method),
                  p->what->replay ? "replayed with the predicted kernels"
                                  : "the GPU\xe2\x80\x99s busy time");
    if (p->lengths && !p->batches && !p->by_sample)
        writer_printf(&p->w, " The training has %.0f iterations.",
                      p->choice ? p->choice->steps : p->what->steps);
    writer_text(&p->w, " Intervals are meant to hold the truth in 80 % of cases.</p>\n");
}

/* ---- what it comes to ---- */

static void card(page *p, const char *heading, const char *value, const char *note) {
    writer_text(&p->w, "<div class=\"card\">");
    html_element(&p->w, "h3", heading);
    html_element(&p->w, "p class=\"big\"", value);
    html_element(&p->w, "p", note);
    writer_text(&p->w, "</div>\n");
}

static void interval_text(double ms, double low, double high, char *text, size_t size) {
    char middle[32], from[32], to[32];
    ms_text(ms, middle, sizeof middle);
    ms_text(low, from, sizeof from);
    ms_text(high, to, sizeof to);
    habitat_format(text, size, "%s ms an iteration (%s to %s)", middle, from, to);
}

/* The label of one of the rows that are shown. */
static const char *label_of(const page *p, const habitat_answer_row *row) {
    for (size_t i = 0; i < p->shown; i++)
        if (p->rows[i].from == row)
            return p->rows[i].label;
    return row->key.gpu->name;
}

static void fastest_card(page *p, const shortlist_best *best) {
    const habitat_prediction *of = best->fastest->prediction;
    char time[TEXT_BYTES], note[TEXT_BYTES + 64];
    interval_text(of->iteration_ms, of->low_ms, of->high_ms, time, sizeof time);
    snprintf(note, sizeof note, "%s", time);
    if (best->ties)
        snprintf(note, sizeof note, "%s. %zu more cannot be told from it.", time, best->ties);
    card(p, best->by_sample ? "Fastest by the sample" : "Fastest of these",
         label_of(p, best->fastest), note);
}

static void cheapest_card(page *p, const shortlist_best *best) {
    const habitat_answer_row *row = best->cheapest;
    char usd[32], note[TEXT_BYTES];
    double months = old_price_months(&row->cost);
    dollars_text(row->cost.usd_per_1000_iterations, usd, sizeof usd);
    int used = habitat_format(note, sizeof note, "%s for 1,000 iterations at $%.2f an hour", usd,
                              row->cost.usd_per_hour);
    if (months > 0)
        habitat_format(note + used, sizeof note - (size_t)used, ", a price %.0f months old",
                       months);
    card(p, best->by_sample ? "Cheapest by the sample" : "Cheapest of these", label_of(p, row),
         note);
}

static void best_cards(page *p) {
    const habitat_answer_row *rows[MOST_TIMES] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < p->shown && count < MOST_TIMES; i++)
        rows[count++] = p->rows[i].from;
    shortlist_best best = shortlist_verdict(rows, count);
    if (best.fastest)
        fastest_card(p, &best);
    if (best.cheapest)
        cheapest_card(p, &best);
}

static void origin_card(page *p) {
    const habitat_workload_info *info = habitat_workload_get_info(p->what->workload);
    char ms[32], note[TEXT_BYTES];
    ms_text(info->iteration_ms, ms, sizeof ms);
    snprintf(note, sizeof note, "%s ms an iteration, %s", ms,
             info->iteration_recorded ? "recorded" : "as profiled");
    card(p, "Origin", p->origin->name, note);
}

static void prediction_cards(page *p) {
    char note[TEXT_BYTES];
    writer_text(&p->w, "<div class=\"cards\">\n");
    if (p->shown == 1) {
        interval_text(p->rows[0].ms, p->rows[0].low_ms, p->rows[0].high_ms, note, sizeof note);
        card(p, "Predicted", p->rows[0].label, note);
    } else {
        best_cards(p);
    }
    if (p->origin)
        origin_card(p);
    writer_text(&p->w, "</div>\n");
}

static void choice_answer(page *p) {
    const habitat_choice *c = p->choice;
    char left_out[TEXT_BYTES];
    writer_printf(&p->w, "<p class=\"big\">%s", choice_take(c));
    html_text(&p->w, c->reason);
    writer_text(&p->w, "</p>\n");
    if (c->at_least)
        writer_printf(&p->w, "<p>Note: %s.</p>\n", choice_at_least_words(c));
    choice_excluded_words(c, left_out, sizeof left_out);
    if (*left_out)
        writer_printf(&p->w, "<p>Left out: %s.</p>\n", left_out);
    if (c->change_count) {
        html_element(&p->w, "h3",
                     c->recommended ? "What would change the answer" : "What comes nearest");
        writer_text(&p->w, "<ul>\n");
        for (size_t i = 0; i < c->change_count; i++)
            html_element(&p->w, "li", c->changes[i]);
        writer_text(&p->w, "</ul>\n");
    }
}

void page_answer(page *p) {
    if (p->choice)
        choice_answer(p);
    else
        prediction_cards(p);
}

/* ---- what to be careful of ---- */

static void note(page *p, const char *text, size_t *told) {
    html_element(&p->w, "li", text);
    (*told)++;
}

/* Of each GPU in the charts once, whatever its batch sizes; dates yet to come and GPUs that are
 * rented together are warned of. */
static void price_lines(page *p, size_t *told) {
    char text[TEXT_BYTES];
    for (size_t i = 0; i < p->shown; i++) {
        price_notes notes = {{NULL}, 0};
        bool before = false;
        for (size_t k = 0; k < i; k++)
            before = before || p->rows[k].gpu == p->rows[i].gpu;
        if (!before)
            price_notes_add(&notes, &p->rows[i].cost);
        notes.gpus[PRICE_NOTE_FUTURE] = notes.gpus[PRICE_NOTE_TOGETHER] = NULL;
        price_notes_text(&notes, text, sizeof text);
        if (*text)
            note(p, text, told);
    }
}

/* What holds of the choice as a whole. */
static void choice_lines(page *p, size_t *told) {
    for (size_t i = 0; p->choice && i < p->choice->note_count; i++)
        note(p, p->choice->notes[i], told);
}

void page_notes(page *p) {
    size_t told = 0;
    writer_text(&p->w, "<ul>\n");
    for (size_t a = 0; a < p->answer_count; a++)
        for (size_t i = 0; i < p->answers[a]->warning_count; i++) {
            const char *text = p->answers[a]->warnings[i].text;
            if (warned_before(p->answers, a, text))
                continue;
            note(p, text, &told);
        }
    choice_lines(p, &told);
    price_lines(p, &told);
    if (!told)
        writer_text(&p->w, "<li>None.</li>\n");
    writer_text(&p->w, "</ul>\n");
}
