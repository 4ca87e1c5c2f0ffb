/* habitat choose: which GPU to take and why. JSON follows the man page habitat-choose(1). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/choose.h>
#include <habitat/text.h>

#include "ask/choice_words.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "report/page.h"
#include "report/parts.h"
#include "report/rows.h"

enum { DEFAULT_TOP = 7, TEXT_BYTES = 512, NAMES_BY_SAMPLE = 3 };

/* ---- columns ---- */

typedef struct choice_line_of {
    const char *gpu;
    double iteration_ms, low_ms, high_ms, usd_per_hour, usd_per_1000_iterations, samples_per_usd;
    double hours, usd, energy_j, total_kwh, value, low, high, headroom_bytes;
    const char *price_date, *price_provider;
    double batch_size, samples, samples_per_s; /* NaN: unknown */
    const char *precision, *per;               /* what `value` is of: "iteration", "sample" */
    uint64_t gpus;
    int tie, pareto, fits;
    const char *interval;
    bool first;
} choice_line_of;

typedef struct listing {
    const habitat_choice *choice;
    int decimals;
} listing;

static bool has_length(const void *of) {
    return !isnan(((const listing *)of)->choice->steps);
}

static bool by_sample(const void *of) {
    return ((const listing *)of)->choice->per_sample;
}

static bool by_iteration(const void *of) {
    return !by_sample(of);
}

static bool no_length(const void *of) {
    return !has_length(of) && by_iteration(of);
}

static bool batches_differ(const void *of) {
    return ((const listing *)of)->choice->batches_differ;
}

static bool has_counts(const void *of) {
    const habitat_choice *c = ((const listing *)of)->choice;
    return c->row_count && choice_counts(c, &c->rows[0].key);
}

/* What is chosen by, of a sample; where a length is said, the training's own figures tell. */
static bool usd_of_samples(const void *of) {
    const habitat_choice *c = ((const listing *)of)->choice;
    return c->per_sample && !has_length(of) && c->options.objective != HABITAT_OBJECTIVE_ENERGY;
}

static bool energy_of_samples(const void *of) {
    const habitat_choice *c = ((const listing *)of)->choice;
    return c->per_sample && c->options.objective == HABITAT_OBJECTIVE_ENERGY;
}

static void show_ms(text_table *t, size_t column, const void *of) {
    table_ms(t, column, ((const choice_line_of *)of)->iteration_ms);
}

static void show_gpus(text_table *t, size_t column, const void *of) {
    table_number(t, column, (double)((const choice_line_of *)of)->gpus, 0);
}

static void show_batch(text_table *t, size_t column, const void *of) {
    table_number(t, column, ((const choice_line_of *)of)->batch_size, 0);
}

static void show_samples(text_table *t, size_t column, const void *of) {
    double rate = ((const choice_line_of *)of)->samples_per_s;
    table_number(t, column, rate, decimals_for(rate, 3));
}

static void show_usd_of_samples(text_table *t, size_t column, const void *of) {
    const choice_line_of *l = of;
    double usd = l->usd_per_1000_iterations / l->samples * 1000;
    table_number(t, column, usd, decimals_for(usd, 3));
}

static void show_value(text_table *t, size_t column, const void *of) {
    double value = ((const choice_line_of *)of)->value;
    table_number(t, column, value, decimals_for(value, 3));
}

static void show_interval(text_table *t, size_t column, const void *of) {
    const choice_line_of *l = of;
    int decimals = decimals_for(l->iteration_ms, 3);
    table_cell(t, column, "%.*f - %.*f", decimals, l->low_ms, decimals, l->high_ms);
}

static void show_price(text_table *t, size_t column, const void *of) {
    table_number(t, column, ((const choice_line_of *)of)->usd_per_hour, 2);
}

static void show_cost(text_table *t, size_t column, const void *of) {
    double usd = ((const choice_line_of *)of)->usd_per_1000_iterations;
    table_number(t, column, usd, decimals_for(usd, 3));
}

static void show_hours(text_table *t, size_t column, const void *of) {
    double hours = ((const choice_line_of *)of)->hours;
    table_number(t, column, hours, decimals_for(hours, 3));
}

static void show_usd(text_table *t, size_t column, const void *of) {
    double usd = ((const choice_line_of *)of)->usd;
    table_number(t, column, usd, usd < 1 ? decimals_for(usd, 2) : 2);
}

static void show_energy(text_table *t, size_t column, const void *of) {
    double j = ((const choice_line_of *)of)->energy_j;
    table_number(t, column, j, decimals_for(j, 3));
}

static void show_room(text_table *t, size_t column, const void *of) {
    table_room(t, column, ((const choice_line_of *)of)->headroom_bytes / HABITAT_GB);
}

static void show_marks(text_table *t, size_t column, const void *of) {
    const choice_line_of *l = of;
    table_cell(t, column, "%s%s%s",
               l->first ? "best"
               : l->tie ? "tie"
                        : "",
               (l->first || l->tie) && l->pareto ? ", " : "", l->pareto ? "front" : "");
}

#define COLUMN(field, kind, where) ROW_COLUMN(choice_line_of, field, kind, where)

static const row_column columns[] = {
    {COLUMN(gpu, STRING, IN_FILES | IN_TEXT), .header = "GPU", .shrink = true},
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
    {COLUMN(value, NUMBER, IN_FILES)},
    {COLUMN(low, NUMBER, IN_FILES)},
    {COLUMN(high, NUMBER, IN_FILES)},
    {COLUMN(iteration_ms, NUMBER, IN_FILES | IN_TEXT), .header = "iteration\nms", .right = true,
     .shown = by_iteration, .show = show_ms},
    {.in = IN_TEXT,
     .header = "80 % interval\nms",
     .right = true,
     .shown = by_iteration,
     .show = show_interval},
    {COLUMN(low_ms, NUMBER, IN_FILES)},
    {COLUMN(high_ms, NUMBER, IN_FILES)},
    {COLUMN(interval, STRING, IN_FILES)},
    {COLUMN(usd_per_hour, NUMBER, IN_FILES | IN_TEXT), .header = "$ per\nhour", .right = true,
     .show = show_price},
    {COLUMN(usd_per_1000_iterations, NUMBER, IN_FILES | IN_TEXT),
     .header = "$ per 1,000\niterations", .right = true, .shown = no_length, .show = show_cost},
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
    {COLUMN(samples_per_usd, NUMBER, IN_FILES)},
    {COLUMN(hours, NUMBER, IN_FILES | IN_TEXT), .header = "training\nhours", .right = true,
     .shown = has_length, .show = show_hours},
    {COLUMN(usd, NUMBER, IN_FILES | IN_TEXT), .header = "training\n$", .right = true,
     .shown = has_length, .show = show_usd},
    {COLUMN(energy_j, NUMBER, IN_FILES | IN_TEXT), .header = "energy\nabout J", .right = true,
     .shown = no_length, .show = show_energy},
    {COLUMN(total_kwh, NUMBER, IN_FILES)},
    {COLUMN(price_date, STRING, IN_FILES)},
    {COLUMN(price_provider, STRING, IN_FILES)},
    {COLUMN(fits, TRISTATE, IN_FILES)},
    {COLUMN(headroom_bytes, NUMBER, IN_FILES | IN_TEXT), .header = "GB\nleft", .right = true,
     .show = show_room},
    {COLUMN(tie, TRISTATE, IN_FILES)},
    {COLUMN(pareto, TRISTATE, IN_FILES)},
    {COLUMN(batch_size, NUMBER, IN_FILES)},
    {COLUMN(precision, STRING, IN_FILES)},
    {COLUMN(gpus, INTEGER, IN_FILES)},
    {COLUMN(samples_per_s, NUMBER, IN_FILES)},
    {COLUMN(per, STRING, IN_CSV)},
    {.in = IN_TEXT, .header = "", .show = show_marks},
};

static const char *unit_word(const habitat_choice *c) {
    return c->per_sample ? "sample" : "iteration";
}

static void fill(const void *of, size_t i, void *out) {
    const habitat_choice *c = ((const listing *)of)->choice;
    const habitat_choice_row *row = &c->rows[i];
    const habitat_cost *cost = &row->cost;
    *(choice_line_of *)out =
        (choice_line_of){.gpu = row->key.gpu->name,
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
                         .batch_size = row->batch_size ? (double)row->batch_size : NAN,
                         .samples = row->samples,
                         .samples_per_s = row->samples_per_s,
                         .precision = habitat_precision_name(row->key.precision),
                         .gpus = row->key.gpu_count,
                         .per = unit_word(c),
                         .tie = row->tie,
                         .pareto = row->pareto,
                         .fits = row->fits,
                         .interval = row->calibrated ? "calibrated" : "default",
                         .first = i == 0};
}

static table_style style(const void *line) {
    const choice_line_of *l = line;
    return l->first ? STYLE_GOOD : l->tie ? STYLE_BOLD : STYLE_PLAIN;
}

static row_list rows_of(const listing *list, choice_line_of *room) {
    return (row_list){.columns = columns,
                      .column_count = sizeof columns / sizeof *columns,
                      .count = list->choice->row_count,
                      .of = list,
                      .fill = fill,
                      .line = room,
                      .style = style};
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

static void write_json(writer *w, const habitat_choice *c) {
    choice_line_of line;
    listing list = {.choice = c};
    row_list rows = rows_of(&list, &line);
    json_start(w);
    json_map(w, NULL);
    json_integer(w, "schema", 1);
    json_text(w, "habitat", habitat_version());
    json_text(w, "objective", habitat_objective_name(c->options.objective));
    json_recommended(w, c);
    json_boolean(w, "at_least", c->at_least);
    json_number(w, "steps", c->steps);
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
    for (size_t a = 0; a < c->answer_count; a++)
        for (size_t i = 0; i < c->answers[a]->warning_count; i++)
            if (!warned_before(c->answers, a, c->answers[a]->warnings[i].text))
                json_text(w, NULL, c->answers[a]->warnings[i].text);
    json_end_array(w);
    json_end_map(w);
}

/* ---- text ---- */

/* What all rows have in common that is not as recorded. */
static int text_asked(const habitat_choice *c, char *text, size_t size) {
    char batch[48] = "", precision[48] = "";
    if (!c->answers[0]->row_count)
        return 0;
    const habitat_answer_key *key = &c->answers[0]->rows[0].key;
    if (key->batch_size && !c->batches_differ)
        snprintf(batch, sizeof batch, ", batch size %llu", (unsigned long long)key->batch_size);
    if (key->precision)
        snprintf(precision, sizeof precision, ", %s", habitat_precision_name(key->precision));
    return habitat_format(text, size, "%s%s", batch, precision);
}

static void text_head(writer *w, const habitat_choice *c) {
    char line[TEXT_BYTES], name[128];
    const habitat_trace *trace = c->answers[0]->trace;
    const char *file = trace ? habitat_trace_get_info(trace)->file : NULL;
    const habitat_gpu *origin = habitat_workload_get_info(c->answers[0]->workload)->origin;
    clean_text(name, sizeof name, file ? base_name(file) : "operations");
    int used = habitat_format(line, sizeof line, "By %s%s: %s",
                              habitat_objective_name(c->options.objective),
                              c->per_sample ? " of a sample" : "", name);
    if (c->answer_count > 1)
        used += habitat_format(line + used, sizeof line - (size_t)used, " and %zu more",
                               c->answer_count - 1);
    if (origin)
        used += habitat_format(line + used, sizeof line - (size_t)used, " on %s", origin->name);
    used += text_asked(c, line + used, sizeof line - (size_t)used);
    if (c->per_sample && !isnan(c->steps))
        habitat_format(line + used, sizeof line - (size_t)used, ", %.0f samples", c->samples);
    else if (!isnan(c->steps))
        habitat_format(line + used, sizeof line - (size_t)used, ", %.0f iterations", c->steps);
    wrapped_text(w, "", 0, line);
    writer_text(w, "\n");
}

static void text_names(writer *w, const habitat_choice *c) {
    char line[TEXT_BYTES] = "", first[32] = "Front: ", name[CHOICE_NAME_BYTES];
    size_t used = 0, count = 0, more = 0, most = c->per_sample ? NAMES_BY_SAMPLE : c->row_count;
    for (size_t i = 0; i < c->row_count; i++) {
        bool room = count < most && used < sizeof line - 96 - sizeof name;
        more += c->rows[i].pareto && !room;
        if (!c->rows[i].pareto || !room)
            continue;
        choice_name(c, &c->rows[i].key, name);
        used +=
            (size_t)snprintf(line + used, sizeof line - used, "%s%s", count++ ? ", " : "", name);
    }
    if (more)
        used += (size_t)snprintf(line + used, sizeof line - used, " and %zu more", more);
    snprintf(line + used, sizeof line - used, ": no other GPU is both faster and cheaper");
    if (count)
        wrapped_text(w, first, 7, line);
}

static void text_excluded(writer *w, const habitat_choice *c) {
    static const char *const words[HABITAT_EXCLUDED_COUNT] = {
        "of another vendor", "too small", "not known to fit", "too late",
        "without a price",   "too dear",  "unknown"};
    size_t counts[HABITAT_EXCLUDED_COUNT] = {0}, used = 0;
    char line[TEXT_BYTES] = "";
    for (size_t i = 0; i < c->excluded_count; i++)
        counts[c->excluded[i].kind]++;
    for (size_t k = 0; k < HABITAT_EXCLUDED_COUNT; k++)
        if (counts[k])
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%zu %s", used ? ", " : "",
                                     counts[k], words[k]);
    if (c->excluded_count && c->per_sample)
        snprintf(line + used, sizeof line - used, "; of %zu rows in all",
                 c->row_count + c->excluded_count);
    if (c->excluded_count)
        wrapped_text(w, "Left out: ", 10, line);
}

/* Where prices of the rows shown are old, or not of whole machines. */
static void text_prices(writer *w, const habitat_choice *c, size_t shown) {
    double oldest = 0;
    const char *old = NULL, *alone = NULL;
    char line[TEXT_BYTES];
    for (size_t i = 0; i < shown; i++) {
        const habitat_cost *cost = &c->rows[i].cost;
        if (old_price_months(cost) > oldest) {
            oldest = old_price_months(cost);
            old = c->rows[i].key.gpu->name;
        }
        if (cost->price && cost->price->gpu_alone && !alone)
            alone = c->rows[i].key.gpu->name;
    }
    if (old) {
        habitat_format(line, sizeof line, "the price of the %s is %.0f months old", old, oldest);
        wrapped_text(w, "Note: ", 6, line);
    }
    if (alone) {
        snprintf(line, sizeof line, "the price of the %s is without the machine around it", alone);
        wrapped_text(w, "Note: ", 6, line);
    }
}

static void text_notes(writer *w, const habitat_choice *c, size_t shown) {
    bool plain = false, told = false;
    for (size_t i = 0; i < shown; i++)
        plain = plain || !c->rows[i].calibrated;
    if (c->at_least)
        wrapped_text(w, "Note: ", 6,
                     habitat_workload_get_info(c->answers[0]->workload)->origin
                         ? "the recorded GPU waited for its CPU; times are the GPU's busy time, "
                           "and times, hours and dollars are at least these"
                         : "recorded without a GPU: where a GPU is done before its CPU, times, "
                           "hours and dollars are at least these");
    if (plain)
        wrapped_text(w, "Note: ", 6, "intervals that are not calibrated decide some ties");
    text_prices(w, c, shown);
    for (size_t i = 0; i < c->answer_count; i++)
        told = told || c->answers[i]->warning_count;
    if (told)
        wrapped_text(w, "Note: ", 6, "more on these times in `habitat predict` and in --json");
}

static void write_text(writer *w, const habitat_choice *c, size_t top) {
    choice_line_of line;
    listing list = {.choice = c};
    row_list rows = rows_of(&list, &line);
    size_t shown = top ? top : DEFAULT_TOP;
    shown = shown < c->row_count ? shown : c->row_count;
    rows.count = shown;
    text_head(w, c);
    wrapped_text(w, choice_take(c), 0, c->reason);
    writer_text(w, "\n");
    if (shown)
        rows_text(w, &rows);
    writer_text(w, shown ? "\n" : "");
    text_names(w, c);
    for (size_t i = 0; i < c->change_count; i++)
        wrapped_text(w, "", 0, c->changes[i]);
    text_excluded(w, c);
    text_notes(w, c, shown);
}

habitat_status habitat_report_choice(const habitat_choice *choice,
                                     const habitat_report_options *options, habitat_error *err) {
    writer w;
    choice_line_of line;
    listing list = {.choice = choice};
    if (!choice)
        return habitat_fail(err, HABITAT_E_ARG, "no choice given");
    if (page_asked(options))
        return page_choice(choice, options, err);
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (options->format == HABITAT_REPORT_JSON) {
        write_json(&w, choice);
    } else if (options->format == HABITAT_REPORT_CSV) {
        row_list rows = rows_of(&list, &line);
        rows_csv_header(&w, &rows);
        rows_csv(&w, &rows);
    } else {
        write_text(&w, choice, options->top);
    }
    return writer_finish(&w, err);
}
