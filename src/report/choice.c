/* The columns of a choice, and its JSON, which follows the man page habitat-choose(1). */
#include <math.h>
#include <stdio.h>

#include <habitat/choose.h>

#include "ask/choice_words.h"
#include "gpu/gpu.h"
#include "report/choice_rows.h"
#include "report/price_notes.h"
#include "report/shared_pieces.h"

/* ---- columns ---- */

static bool has_length(const void *of) {
    return !isnan(((const choice_listing *)of)->choice->steps);
}

static bool by_sample(const void *of) {
    return ((const choice_listing *)of)->choice->per_sample;
}

static bool by_iteration(const void *of) {
    return !by_sample(of);
}

static bool by_energy(const void *of) {
    return by_iteration(of) &&
           ((const choice_listing *)of)->choice->options.objective == HABITAT_OBJECTIVE_ENERGY;
}

static bool has_prices(const void *of) {
    const habitat_choice *c = ((const choice_listing *)of)->choice;
    for (size_t i = 0; i < c->row_count; i++)
        if (!isnan(c->rows[i].cost.usd_per_hour))
            return true;
    return false;
}

static bool shows_price(const void *of) {
    return ((const choice_listing *)of)->narrow < NARROW_PRICE && has_prices(of);
}

static bool shows_cost(const void *of) {
    return !has_length(of) && by_iteration(of) && has_prices(of);
}

static bool shows_usd(const void *of) {
    return has_length(of) && has_prices(of);
}

static bool shows_interval(const void *of) {
    return ((const choice_listing *)of)->narrow < NARROW_INTERVAL && by_iteration(of);
}

static bool shows_room(const void *of) {
    const choice_listing *list = of;
    for (size_t i = 0; list->narrow < NARROW_ROOM && i < list->choice->row_count; i++)
        if (!isnan(list->choice->rows[i].headroom_bytes))
            return true;
    return false;
}

static bool batches_differ(const void *of) {
    return ((const choice_listing *)of)->choice->batches_differ;
}

static bool has_counts(const void *of) {
    const habitat_choice *c = ((const choice_listing *)of)->choice;
    return c->row_count && choice_counts(c, &c->rows[0].key);
}

/* What is chosen by, of a sample; where a length is said, the training's own figures tell. */
static bool usd_of_samples(const void *of) {
    const habitat_choice *c = ((const choice_listing *)of)->choice;
    return c->per_sample && !has_length(of) && has_prices(of) &&
           c->options.objective != HABITAT_OBJECTIVE_ENERGY;
}

static bool energy_of_samples(const void *of) {
    const habitat_choice *c = ((const choice_listing *)of)->choice;
    return c->per_sample && c->options.objective == HABITAT_OBJECTIVE_ENERGY;
}

/* A number of three digits, or one too long for a column by its power of ten. */
static void show_number(text_table *t, size_t column, double value, int decimals) {
    const double widest = 1e7;
    if (value >= widest)
        table_cell(t, column, "%.3g", value);
    else
        table_number(t, column, value, decimals);
}

static void show_ms(text_table *t, size_t column, const void *of) {
    table_ms(t, column, ((const ranked_line *)of)->iteration_ms);
}

static void show_gpus(text_table *t, size_t column, const void *of) {
    table_number(t, column, (double)((const ranked_line *)of)->gpus, 0);
}

static void show_batch(text_table *t, size_t column, const void *of) {
    table_number(t, column, ((const ranked_line *)of)->batch_size, 0);
}

static void show_samples(text_table *t, size_t column, const void *of) {
    double rate = ((const ranked_line *)of)->samples_per_s;
    table_number(t, column, rate, decimals_for(rate, 3));
}

static void show_usd_of_samples(text_table *t, size_t column, const void *of) {
    const ranked_line *l = of;
    double usd = l->usd_per_1000_iterations / l->samples * 1000;
    table_number(t, column, usd, decimals_for(usd, 3));
}

static void show_value(text_table *t, size_t column, const void *of) {
    double value = ((const ranked_line *)of)->value;
    table_number(t, column, value, decimals_for(value, 3));
}

static void show_interval(text_table *t, size_t column, const void *of) {
    const ranked_line *l = of;
    int decimals = decimals_for(l->iteration_ms, 3);
    table_cell(t, column, "%.*f - %.*f", decimals, l->low_ms, decimals, l->high_ms);
}

static void show_price(text_table *t, size_t column, const void *of) {
    table_number(t, column, ((const ranked_line *)of)->usd_per_hour, 2);
}

static void show_cost(text_table *t, size_t column, const void *of) {
    double usd = ((const ranked_line *)of)->usd_per_1000_iterations;
    table_number(t, column, usd, decimals_for(usd, 3));
}

static void show_hours(text_table *t, size_t column, const void *of) {
    double hours = ((const ranked_line *)of)->hours;
    show_number(t, column, hours, decimals_for(hours, 3));
}

static void show_usd(text_table *t, size_t column, const void *of) {
    double usd = ((const ranked_line *)of)->usd;
    show_number(t, column, usd, usd < 1 ? decimals_for(usd, 2) : usd < 1e5 ? 2 : 0);
}

static void show_energy(text_table *t, size_t column, const void *of) {
    double j = ((const ranked_line *)of)->energy_j;
    table_number(t, column, j, decimals_for(j, 3));
}

static void show_room(text_table *t, size_t column, const void *of) {
    table_room(t, column, ((const ranked_line *)of)->headroom_bytes / HABITAT_GB);
}

/* First how far to trust it, as in the table of predict; then which place it has. */
static void show_marks(text_table *t, size_t column, const void *of) {
    const ranked_line *l = of;
    const char *place = l->first ? "best" : l->equal ? "equal" : l->tie > 0 ? "tie" : "";
    const char *words[] = {place, l->pareto > 0 ? "front" : "", l->at_least ? "at least" : "",
                           l->cpu_sets ? "CPU" : ""};
    char marks[64];
    int used =
        snprintf(marks, sizeof marks, "%s%s", l->marked ? "~" : "", l->other_vendor ? "v" : "");
    const char *gap = used ? " " : "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*words[i]) {
            used += snprintf(marks + used, sizeof marks - (size_t)used, "%s%s", gap, words[i]);
            gap = ", ";
        }
    table_cell(t, column, "%s", marks);
}

#define COLUMN(field, kind, where) ROW_COLUMN(ranked_line, field, kind, where)

static const row_column columns[] = {
    {COLUMN(gpu, STRING, IN_FILES | IN_TEXT), .header = "GPU"},
    {.in = IN_TEXT, .header = "GPUs", .right = true, .shown = has_counts, .show = show_gpus},
    {.in = IN_TEXT,
     .header = "batch\nsize",
     .right = true,
     .shown = batches_differ,
     .show = show_batch},
    {.in = IN_TEXT,
     .header = "samples\nper s",
     .right = true,
     .shown = by_sample,
     .show = show_samples},
    {COLUMN(value, NUMBER, IN_FILES), .header = "value", .right = true},
    {COLUMN(low, NUMBER, IN_FILES), .header = "low\nvalue", .right = true},
    {COLUMN(high, NUMBER, IN_FILES), .header = "high\nvalue", .right = true},
    {COLUMN(iteration_ms, NUMBER, IN_FILES | IN_TEXT), .header = "iteration\nms", .right = true,
     .shown = by_iteration, .show = show_ms},
    {.in = IN_TEXT,
     .header = "80 % interval\nms",
     .right = true,
     .shown = shows_interval,
     .show = show_interval},
    {COLUMN(low_ms, NUMBER, IN_FILES), .header = "low\nms", .right = true},
    {COLUMN(high_ms, NUMBER, IN_FILES), .header = "high\nms", .right = true},
    {COLUMN(interval, STRING, IN_FILES), .header = "interval"},
    {COLUMN(usd_per_hour, NUMBER, IN_FILES | IN_TEXT), .header = "$ per\nhour", .right = true,
     .shown = shows_price, .show = show_price},
    {COLUMN(usd_per_1000_iterations, NUMBER, IN_FILES | IN_TEXT),
     .header = "$ per 1,000\niterations", .right = true, .shown = shows_cost, .show = show_cost},
    {.in = IN_TEXT,
     .header = "$ per million\nsamples",
     .right = true,
     .shown = usd_of_samples,
     .show = show_usd_of_samples},
    {.in = IN_TEXT,
     .header = "a sample\nabout J",
     .right = true,
     .shown = energy_of_samples,
     .show = show_value},
    {COLUMN(samples_per_usd, NUMBER, IN_FILES), .header = "samples\nper $", .right = true},
    {COLUMN(hours, NUMBER, IN_FILES | IN_TEXT), .header = "training\nhours", .right = true,
     .shown = has_length, .show = show_hours},
    {COLUMN(usd, NUMBER, IN_FILES | IN_TEXT), .header = "training\n$", .right = true,
     .shown = shows_usd, .show = show_usd},
    {COLUMN(energy_j, NUMBER, IN_FILES | IN_TEXT), .header = "energy\nabout J", .right = true,
     .shown = by_energy, .show = show_energy},
    {COLUMN(total_kwh, NUMBER, IN_FILES), .header = "training\nkWh", .right = true},
    {COLUMN(price_date, STRING, IN_FILES), .header = "price of"},
    {COLUMN(price_provider, STRING, IN_FILES), .header = "price by"},
    {COLUMN(price_gpu_alone, TRISTATE, IN_JSON), .header = "GPU\nalone"},
    {COLUMN(fits, TRISTATE, IN_FILES), .header = "fits"},
    {COLUMN(headroom_bytes, NUMBER, IN_FILES | IN_TEXT), .header = "GB\nleft", .right = true,
     .shown = shows_room, .show = show_room},
    {COLUMN(tie, TRISTATE, IN_FILES), .header = "tie"},
    {COLUMN(pareto, TRISTATE, IN_FILES), .header = "front"},
    {COLUMN(batch_size, NUMBER, IN_FILES), .header = "batch\nsize", .right = true,
     .show = show_batch},
    {COLUMN(precision, STRING, IN_FILES), .header = "precision"},
    {COLUMN(gpus, INTEGER, IN_FILES), .header = "GPUs", .right = true},
    {COLUMN(samples_per_s, NUMBER, IN_FILES), .header = "samples\nper s", .right = true,
     .show = show_samples},
    {COLUMN(per, STRING, IN_CSV), .header = "value of"},
    {COLUMN(bound_by, STRING, IN_FILES), .header = "bound by"},
    {COLUMN(excluded, STRING, IN_CSV)},
    {COLUMN(value_unit, STRING, IN_FILES), .header = "value in"},
    {.key = "marks", .in = IN_TEXT, .header = "", .show = show_marks},
};
_Static_assert(sizeof columns / sizeof *columns <= TABLE_COLUMNS_MAX,
               "--columns may name them all");

size_t choice_first_columns(const habitat_choice *c, const char **keys) {
    choice_listing list = {.choice = c};
    size_t count = 0;
    keys[count++] = "gpu";
    if (has_counts(&list))
        keys[count++] = "gpus";
    if (batches_differ(&list))
        keys[count++] = "batch_size";
    return count;
}

static const char *unit_word(const habitat_choice *c) {
    return c->per_sample ? "sample" : "iteration";
}

static const char *value_unit(const habitat_choice *c) {
    static const char *const units[HABITAT_OBJECTIVE_COUNT][2] = {
        [HABITAT_OBJECTIVE_COST] = {"usd_per_1000_iterations", "usd_per_1000000_samples"},
        [HABITAT_OBJECTIVE_TIME] = {"ms", "ms_per_sample"},
        [HABITAT_OBJECTIVE_ENERGY] = {"j", "j_per_sample"}};
    return units[c->options.objective][c->per_sample];
}

/* What is known of one that cannot be taken: CSV has these after the ranking. */
static void fill_excluded(const habitat_choice *c, const habitat_exclusion *e, ranked_line *out) {
    *out = (ranked_line){.gpu = e->key.gpu->name,
                         .iteration_ms = e->iteration_ms,
                         .low_ms = NAN,
                         .high_ms = NAN,
                         .usd_per_hour = e->usd_per_hour,
                         .usd_per_1000_iterations = NAN,
                         .samples_per_usd = NAN,
                         .hours = e->hours,
                         .usd = NAN,
                         .energy_j = NAN,
                         .total_kwh = NAN,
                         .value = NAN,
                         .low = NAN,
                         .high = NAN,
                         .headroom_bytes = e->headroom_bytes,
                         .batch_size = e->batch_size ? (double)e->batch_size : NAN,
                         .samples = e->samples,
                         .samples_per_s = NAN,
                         .precision = habitat_precision_name(e->key.precision),
                         .gpus = e->key.gpu_count,
                         .per = unit_word(c),
                         .value_unit = value_unit(c),
                         .tie = -1,
                         .pareto = -1,
                         .fits = -1,
                         .price_gpu_alone = -1,
                         .excluded = e->reason};
}

static void fill(const void *of, size_t i, void *out) {
    const choice_listing *list = of;
    const habitat_choice *c = list->choice;
    if (i >= c->row_count) {
        fill_excluded(c, &c->excluded[i - c->row_count], out);
        return;
    }
    if (list->order)
        i = list->order[i];
    const habitat_choice_row *row = &c->rows[i];
    const habitat_cost *cost = &row->cost;
    *(ranked_line *)out =
        (ranked_line){.gpu = row->key.gpu->name,
                      .iteration_ms = row->iteration_ms,
                      .low_ms = row->low_ms,
                      .high_ms = row->high_ms,
                      .usd_per_hour = cost->usd_per_hour,
                      .usd_per_1000_iterations = cost->usd_per_1000_iterations,
                      .samples_per_usd = cost->samples_per_usd,
                      .hours = cost->hours,
                      .usd = cost->usd,
                      .energy_j = cost->energy_j,
                      .total_kwh = cost->total_kwh,
                      .value = row->value,
                      .low = row->low,
                      .high = row->high,
                      .headroom_bytes = row->headroom_bytes,
                      .price_date = cost->price ? cost->price->date : NULL,
                      .price_provider = cost->price ? cost->price->provider : NULL,
                      .price_gpu_alone = price_is_alone(cost),
                      .batch_size = row->batch_size ? (double)row->batch_size : NAN,
                      .samples = row->samples,
                      .samples_per_s = row->samples_per_s,
                      .precision = habitat_precision_name(row->key.precision),
                      .gpus = row->key.gpu_count,
                      .per = unit_word(c),
                      .value_unit = value_unit(c),
                      .tie = row->tie,
                      .pareto = row->pareto,
                      .fits = row->fits,
                      .interval = row->calibrated ? "calibrated" : "default",
                      .bound_by = bound_by_name(row->bound_by),
                      .first = i == 0,
                      .equal = i <= list->equals,
                      .marked = !row->calibrated,
                      .other_vendor = row->other_vendor,
                      .at_least = row->cost.at_least,
                      .cpu_sets = row->cpu_sets};
}

static table_style style(const void *line) {
    const ranked_line *l = line;
    return l->first ? STYLE_GOOD : l->tie > 0 ? STYLE_BOLD : STYLE_PLAIN;
}

row_list choice_rows(const choice_listing *list, ranked_line *room) {
    return (row_list){.columns = columns,
                      .column_count = sizeof columns / sizeof *columns,
                      .count = list->choice->row_count,
                      .of = list,
                      .fill = fill,
                      .line = room,
                      .style = style};
}

void choice_excluded_words(const habitat_choice *c, char *line, size_t size) {
    static const char *const words[HABITAT_EXCLUDED_COUNT] = {
        "of another vendor", "too small",       "may not fit", "not known to fit",
        "too late",          "without a price", "too dear",    "unknown"};
    size_t counts[HABITAT_EXCLUDED_COUNT] = {0}, used = 0;
    *line = '\0';
    for (size_t i = 0; i < c->excluded_count; i++)
        counts[c->excluded[i].kind]++;
    for (size_t k = 0; k < HABITAT_EXCLUDED_COUNT && used < size; k++)
        if (counts[k])
            used += (size_t)snprintf(line + used, size - used, "%s%zu %s", used ? ", " : "",
                                     counts[k], words[k]);
    if (used && used < size && c->per_sample)
        snprintf(line + used, size - used, "; of %zu rows in all",
                 c->row_count + c->excluded_count);
}

/* ---- JSON ---- */

static bool is_named(const habitat_choice_row *row, bool ties) {
    return ties ? row->tie : row->pareto;
}

/* Each GPU once: which of its batch sizes and numbers are meant, the rows say. */
static void json_names(writer *w, const char *key, const habitat_choice *c, bool ties) {
    json_array(w, key);
    for (size_t i = 0; i < c->row_count; i++) {
        bool before = false;
        for (size_t k = 0; k < i; k++)
            before |= is_named(&c->rows[k], ties) && c->rows[k].key.gpu == c->rows[i].key.gpu;
        if (is_named(&c->rows[i], ties) && !before)
            json_text(w, NULL, c->rows[i].key.gpu->name);
    }
    json_end_array(w);
}

/* 0: not known */
static void json_batch(writer *w, const char *key, uint64_t batch_size) {
    json_number(w, key, batch_size ? (double)batch_size : NAN);
}

static void json_recommended(writer *w, const habitat_choice *c) {
    const habitat_choice_row *row = c->recommended;
    json_text(w, "recommended", row ? row->key.gpu->name : NULL);
    json_batch(w, "recommended_batch_size", row ? row->batch_size : 0);
    json_number(w, "recommended_gpus", row ? (double)row->key.gpu_count : NAN);
    json_text(w, "reason", c->reason);
    json_text(w, "per", unit_word(c));
}

static void json_traces(writer *w, const habitat_choice *c) {
    json_array(w, "traces");
    for (size_t i = 0; i < c->answer_count; i++) {
        const habitat_gpu *origin = habitat_workload_get_info(c->answers[i]->workload)->origin;
        const habitat_trace *trace = c->answers[i]->trace;
        json_map(w, NULL);
        json_text(w, "file", trace ? habitat_trace_get_info(trace)->file : NULL);
        json_text(w, "gpu", origin ? origin->name : NULL);
        json_number(w, "weight", c->weights[i]);
        json_end_map(w);
    }
    json_end_array(w);
}

static void json_excluded(writer *w, const habitat_choice *c) {
    json_array(w, "excluded");
    for (size_t i = 0; i < c->excluded_count; i++) {
        json_map(w, NULL);
        json_text(w, "gpu", c->excluded[i].key.gpu->name);
        json_batch(w, "batch_size", c->excluded[i].batch_size);
        json_integer(w, "gpus", c->excluded[i].key.gpu_count);
        json_text(w, "reason", c->excluded[i].reason);
        json_end_map(w);
    }
    json_end_array(w);
}

/* Of the recommended GPU; dates yet to come and GPUs that are rented together are warned of. */
static void json_price_notes(writer *w, const habitat_choice *c) {
    char text[512];
    price_notes notes = {{NULL}, 0};
    if (!c->row_count)
        return;
    price_notes_add(&notes, &c->rows[0].cost);
    notes.gpus[PRICE_NOTE_FUTURE] = notes.gpus[PRICE_NOTE_TOGETHER] = NULL;
    price_notes_text(&notes, text, sizeof text);
    if (*text)
        json_text(w, NULL, text);
}

void choice_json(writer *w, const habitat_choice *c) {
    ranked_line line;
    choice_listing list = {.choice = c};
    row_list rows = choice_rows(&list, &line);
    json_start(w);
    json_map(w, NULL);
    json_integer(w, "schema", 1);
    json_text(w, "habitat", habitat_version());
    json_text(w, "objective", habitat_objective_name(c->options.objective));
    json_recommended(w, c);
    json_boolean(w, "at_least", c->at_least);
    json_number(w, "steps", c->per_sample ? NAN : c->steps); /* else rows have steps of their own */
    json_number(w, "samples", c->samples);
    json_traces(w, c);
    rows_json(w, "ranking", &rows);
    json_names(w, "pareto", c, false);
    json_names(w, "ties", c, true);
    json_array(w, "changes");
    for (size_t i = 0; i < c->change_count; i++)
        json_text(w, NULL, c->changes[i]);
    json_end_array(w);
    json_excluded(w, c);
    json_array(w, "warnings");
    for (size_t i = 0; i < c->note_count; i++)
        json_text(w, NULL, c->notes[i]);
    json_price_notes(w, c);
    for (size_t a = 0; a < c->answer_count; a++)
        for (size_t i = 0; i < c->answers[a]->warning_count; i++)
            if (!warned_before(c->answers, a, c->answers[a]->warnings[i].text))
                json_text(w, NULL, c->answers[a]->warnings[i].text);
    json_end_array(w);
    json_end_map(w);
}
