/* What the charts of an HTML report draw, as JSON; the names of its keys are page.js's alone. */
#include <stdio.h>

#include "ask/choice_words.h"
#include "gpu/gpu.h"
#include "report/html.h"
#include "report/page_data.h"
#include "report/page_split.h"

static void time_bar(writer *j, const page *p, const page_row *row) {
    double units = page_bar_units(p, row);
    json_map(j, NULL);
    json_text(j, "name", row->label);
    json_number(j, "ms", row->ms / units);
    json_number(j, "low", row->low_ms / units);
    json_number(j, "high", row->high_ms / units);
    json_boolean(j, "calibrated", row->calibrated);
    json_boolean(j, "mark", row->origin || row->best);
    json_end_map(j);
}

/* The origin's own time, where no row is its. */
static void origin_bar(writer *j, const page *p) {
    char name[LABEL_BYTES + 16];
    for (size_t i = 0; i < p->shown; i++)
        if (p->rows[i].origin)
            return;
    if (!p->origin || p->choice || p->batches)
        return;
    snprintf(name, sizeof name, "%s, origin", p->origin->name);
    json_map(j, NULL);
    json_text(j, "name", name);
    json_number(j, "ms", habitat_workload_get_info(p->what->workload)->iteration_ms);
    json_boolean(j, "mark", true);
    json_end_map(j);
}

static void times(writer *j, const page *p) {
    json_array(j, "times");
    origin_bar(j, p);
    for (size_t i = 0; i < p->shown && i < MOST_TIMES; i++)
        time_bar(j, p, &p->rows[i]);
    json_end_array(j);
}

static void costs(writer *j, const page *p) {
    json_array(j, "costs");
    for (size_t i = 0; i < p->row_count; i++) {
        const page_row *row = &p->rows[i];
        if (!page_in_costs(p, row))
            continue;
        json_map(j, NULL);
        json_text(j, "name", row->label);
        json_number(j, "ms", row->ms / page_units(p, row));
        json_number(j, "usd", page_unit_usd(p, row));
        json_boolean(j, "front", row->front);
        json_boolean(j, "best", row->best);
        json_tristate(j, "fits", row->fits);
        json_text(j, "room", choice_room_words(row->fits, row->headroom_bytes));
        json_end_map(j);
    }
    json_end_array(j);
}

static void breakdown(writer *j, const page *p, const habitat_answer *answer) {
    page_split split;
    page_split_make(p, answer, &split);
    json_map(j, NULL);
    json_array(j, "classes");
    for (size_t c = 0; c < split.class_count; c++)
        json_text(j, NULL, habitat_class_name(split.classes[c]));
    json_text(j, NULL, "rest");
    json_text(j, NULL, "copies");
    json_end_array(j);
    json_array(j, "bars");
    for (size_t i = 0; i < split.bar_count; i++) {
        json_map(j, NULL);
        json_text(j, "name", split.bars[i].name);
        json_array(j, "ms");
        for (size_t c = 0; c < split.class_count + 2; c++)
            json_number(j, NULL, split.bars[i].ms[c]);
        json_end_array(j);
        json_end_map(j);
    }
    json_end_array(j);
    json_end_map(j);
}

void page_data(page *p) {
    writer j;
    html_json(&j, &p->w);
    json_map(&j, NULL);
    times(&j, p);
    costs(&j, p);
    json_text(&j, "unit", p->by_sample ? "sample" : "iteration");
    json_text(&j, "usd", p->by_sample ? "1,000,000 samples" : "1,000 iterations");
    json_text(&j, "bar", p->by_sample && p->choice ? "sample" : "iteration");
    json_array(&j, "breakdowns");
    for (size_t i = 0; i < p->answer_count; i++)
        breakdown(&j, p, p->answers[i]);
    json_end_array(&j);
    json_end_map(&j);
    html_json_end(&j, &p->w);
}
