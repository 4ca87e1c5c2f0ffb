/* habitat predict: the iteration on every destination. JSON follows the contract of the man page
 * habitat-predict(1); text is sorted, fastest first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/choice_words.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "report/columns.h"
#include "report/page.h"
#include "report/device_rows.h"
#include "report/shared_pieces.h"
#include "report/notes.h"
#include "report/prediction_rows.h"
#include "report/screen.h"
#include "report/shortlist.h"
#include "work/class.h"

enum { DEFAULT_TOP = 15, LEAST_ROWS = 4, CLASS_COLUMNS = 6, TEXT_BYTES = 256 };

/* ---- JSON and CSV ---- */

static habitat_status write_json(writer *w, const habitat_answer *what, habitat_report_by by,
                                 view *v, habitat_error *err) {
    static const char *const lists[] = {"", "by_kernel", "by_op", "", "by_module"};
    prediction_line line;
    prediction_listing list = {.what = what};
    row_list rows = prediction_rows(&list, &line);
    habitat_status status = HABITAT_OK;
    json_report_head(w, what);
    json_array(w, "predictions");
    for (size_t i = 0; i < what->row_count && status == HABITAT_OK; i++) {
        rows.fill(rows.of, i, rows.line);
        json_map(w, NULL);
        rows_json_keys(w, &rows, IN_JSON);
        /* by_class is there always */
        if (by != HABITAT_REPORT_BY_NOTHING && by != HABITAT_REPORT_BY_CLASS) {
            status = view_fill(v, what->rows[i].prediction, err);
            if (status == HABITAT_OK)
                json_rows(w, lists[by], v);
            else
                writer_stop(w, status);
        }
        json_end_map(w);
    }
    json_end_array(w);
    json_report_foot(w, what);
    return status;
}

static void write_csv_summary(writer *w, const habitat_answer *what) {
    prediction_line line;
    prediction_listing list = {.what = what};
    row_list rows = prediction_rows(&list, &line);
    rows_csv_header(w, &rows);
    rows_csv(w, &rows);
}

static habitat_status write_csv_rows(writer *w, const habitat_answer *what, view *v,
                                     habitat_error *err) {
    habitat_status status = HABITAT_OK;
    csv_rows_header(w, v);
    for (size_t i = 0; i < what->row_count && status == HABITAT_OK; i++) {
        status = view_fill(v, what->rows[i].prediction, err);
        if (status == HABITAT_OK)
            csv_rows(w, what->rows[i].key.gpu->name, v);
    }
    return status;
}

/* ---- text ---- */

static void text_head(writer *w, const habitat_answer *what) {
    const habitat_trace_info *trace = habitat_trace_get_info(what->trace);
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    char name[FILE_NAME_BYTES], line[3 * TEXT_BYTES], busy[32], iteration[32], batch[48] = "";
    char gpus[64] = "", ratios[80];
    if (counts_differ(what))
        snprintf(gpus, sizeof gpus, ", times and costs of the GPUs of a row together");
    else if (what->row_count && what->rows[0].key.gpu_count > 1 && trace->device_count < 2)
        snprintf(gpus, sizeof gpus, ", times and costs of %u GPUs together",
                 what->rows[0].key.gpu_count);
    file_name(what->trace, name);
    ratios_to_text(what, ratios, sizeof ratios);
    ms_text(info->busy_ms, busy, sizeof busy);
    ms_text(info->iteration_ms, iteration, sizeof iteration);
    if (trace->batch_size)
        snprintf(batch, sizeof batch, ", batch size %llu", (unsigned long long)trace->batch_size);
    if (!info->origin) {
        char operations[64];
        untimed_operations_text(what, operations, sizeof operations);
        snprintf(line, sizeof line,
                 "%s, recorded without a GPU%s: %s, each predicted from its shape. Method %s%s.",
                 name, batch, operations, habitat_method_name(what->method), gpus);
        wrapped_text(w, "", 0, line);
        writer_text(w, "\n");
        return;
    }
    snprintf(line, sizeof line,
             "%s, recorded on %s%s: the GPU is busy %s ms of an iteration of %s ms (%s%s). "
             "Method %s%s%s.",
             name, info->origin->name, batch, busy, iteration,
             info->iteration_recorded ? "recorded" : "as profiled", ratios,
             habitat_method_name(what->method), what->replay ? "" : ", busy time (--assemble sum)",
             gpus);
    wrapped_text(w, "", 0, line);
    writer_text(w, "\n");
}

/* Which memory does not fit: as recorded, or told for another batch size, format or number of GPUs.
 * False: there is none. */
static bool text_too_small(writer *w, const habitat_answer *what, const shortlist *shown) {
    double least = INFINITY, most = 0;
    char from[32], to[32];
    for (size_t i = 0; i < shown->count; i++) {
        const habitat_prediction *p = shown->rows[i]->prediction;
        least = p->fits == 0 ? fmin(least, p->memory_bytes) : least;
        most = p->fits == 0 ? fmax(most, p->memory_bytes) : most;
    }
    const habitat_trace_info *trace = habitat_trace_get_info(what->trace);
    bool recorded = !trace->without_gpu && most == trace->peak_memory_bytes;
    if (isinf(least))
        return false;
    habitat_format(from, sizeof from, "%.1f", least / HABITAT_GB);
    habitat_format(to, sizeof to, "%.1f", most / HABITAT_GB);
    writer_printf(w, "\ntoo small: the %s ", from);
    if (strcmp(from, to) != 0)
        writer_printf(w, "to %s ", to);
    writer_printf(w, "GB that %s do not fit.\n",
                  recorded && least == most ? "were in use on the origin" : "it needs");
    return true;
}

enum { LARGEST_NAMED = 3 };

/* It may not fit, and how many samples do is known. */
static bool tells_largest(const habitat_prediction *p) {
    return p->fits <= 0 && !isnan(p->headroom_bytes) && !isnan(p->largest_batch);
}

/* The first such row of its GPU. */
static bool names_largest(const shortlist *shown, size_t i) {
    const habitat_prediction *p = shown->rows[i]->prediction;
    bool first = tells_largest(p);
    for (size_t k = 0; k < i && first; k++)
        first =
            shown->rows[k]->prediction->gpu != p->gpu || !tells_largest(shown->rows[k]->prediction);
    return first;
}

/* What does fit where the step does not. */
static void text_largest_batch(writer *w, bool below, const shortlist *shown) {
    char line[512] = "";
    size_t used = 0, named = 0;
    for (size_t i = 0; i < shown->count; i++) {
        const habitat_prediction *p = shown->rows[i]->prediction;
        if (!names_largest(shown, i) || named++ >= LARGEST_NAMED)
            continue;
        used += (size_t)habitat_format(
            line + used, sizeof line - used, "%s%.0f on %s",
            named > 1 ? ", " : "largest batch known to fit: ", p->largest_batch, p->gpu->name);
    }
    if (!named)
        return;
    if (named > LARGEST_NAMED)
        habitat_format(line + used, sizeof line - used, "; %zu more: --columns largest_batch.",
                       named - LARGEST_NAMED);
    else
        habitat_format(line + used, sizeof line - used, ".");
    writer_text(w, below ? "" : "\n");
    wrapped_text(w, "", 0, line);
}

/* keys: shape (TABLE_COLUMNS_MAX). @return how many; 0: the usual. */
static size_t choose_columns(const habitat_answer *what, const habitat_report_options *options,
                             const char **keys) {
    size_t count = 0;
    keys[count++] = "gpu";
    if (counts_differ(what))
        keys[count++] = "gpus";
    if (what->row_count && what->rows[0].key.batch_size)
        keys[count++] = "batch_size";
    return columns_choose(options, keys, count);
}

static habitat_status text_summary(writer *w, const habitat_answer *what, const shortlist *shown,
                                   const habitat_report_options *options, habitat_error *err) {
    const char *keys[TABLE_COLUMNS_MAX];
    prediction_line line;
    prediction_listing list = {.what = what,
                               .sorted = shown->rows,
                               .sorted_count = shown->count,
                               .mark_intervals =
                                   options->column_count && !columns_chosen(options, "marks")};
    for (size_t i = 0; i < shown->count; i++) {
        int decimals = decimals_for(shown->rows[i]->prediction->iteration_ms, 3);
        list.decimals = i && decimals < list.decimals ? list.decimals : decimals;
    }
    row_list rows = prediction_rows(&list, &line);
    rows.count = shown->count;
    rows.only_count = choose_columns(what, options, keys);
    rows.only = rows.only_count ? keys : NULL;
    rows.also = shortlist_column(options);
    habitat_status status = columns_check(&rows, options, !isnan(what->steps), "predict", err);
    if (status != HABITAT_OK)
        return status;
    text_head(w, what);
    rows_text(w, &rows);
    text_largest_batch(w, text_too_small(w, what, shown), shown);
    return HABITAT_OK;
}

/* "NAME", "two NAME at batch size 16" */
static void row_name(const shortlist_best *v, const habitat_answer_row *row, char *text,
                     size_t size) {
    char count[32] = "", batch[48] = "";
    if (v->counts)
        choice_count_words(row->key.gpu_count, count, sizeof count);
    if (v->batches)
        snprintf(batch, sizeof batch, " at batch size %llu",
                 (unsigned long long)row->key.batch_size);
    snprintf(text, size, "%s%s%s%s", count, *count ? " " : "", row->key.gpu->name, batch);
}

/* "12.3 samples/s"; of batches as recorded where nobody said how large they are. */
static void rate_words(const habitat_answer_row *row, char *text, size_t size) {
    double samples_per_s = row->prediction->samples_per_s;
    bool of_batches = isnan(samples_per_s) && row->key.batch_size == 0;
    if (isnan(samples_per_s))
        samples_per_s = row_samples(row) / row->prediction->iteration_ms * 1e3;
    habitat_format(text, size, "%.4g %s/s", samples_per_s, of_batches ? "batches" : "samples");
}

/* "$0.0865 for 1,000 iterations"; of samples where iterations hold different numbers of them, else
 * of the whole training where its length is known. */
static void cost_words(const shortlist_best *v, const habitat_answer_row *row, char *text,
                       size_t size) {
    const habitat_cost *cost = &row->cost;
    if (v->by_sample && isnan(cost->samples_per_usd))
        habitat_format(text, size, "$%.3g for 1,000 %s",
                       cost->usd_per_1000_iterations / row_samples(row),
                       row->key.batch_size ? "samples" : "batches");
    else if (v->by_sample)
        habitat_format(text, size, "$%.3g for 1,000,000 samples", 1e6 / cost->samples_per_usd);
    else if (isnan(cost->usd))
        habitat_format(text, size, "$%.3g for 1,000 iterations", cost->usd_per_1000_iterations);
    else
        habitat_format(text, size,
                       cost->usd < 100 || cost->usd >= 1e7 ? "$%.3g in all" : "$%.0f in all",
                       cost->usd);
}

static void left_out_words(const shortlist *shown, const habitat_report_options *options,
                           char *text, size_t size) {
    size_t left = shown->passed - shown->count;
    *text = '\0';
    if (left && options->top)
        snprintf(text, size, "%zu more %s left out: --top %zu.", left, left == 1 ? "is" : "are",
                 options->top);
    else if (left)
        snprintf(text, size, "%zu more: --all.", left);
}

/* What the table comes to, and how many rows are not in it. */
static void text_verdict(writer *w, const habitat_answer *what, const shortlist *shown,
                         const habitat_report_options *options) {
    char line[2 * TEXT_BYTES], ms[32], name[TEXT_BYTES / 2], words[TEXT_BYTES / 2];
    shortlist_best v = shortlist_verdict(shown->rows, shown->count);
    const char *of = shown->passed > shown->count ? " of these" : "";
    int used = 0;
    if (shown->count < 2 && what->row_count < 2)
        return;
    if (v.fastest) {
        ms_text(v.fastest->prediction->iteration_ms, ms, sizeof ms);
        row_name(&v, v.fastest, name, sizeof name);
        rate_words(v.fastest, words, sizeof words);
        const char *bound = !v.fastest->cost.at_least ? "" : v.by_sample ? "at most " : "at least ";
        used = habitat_format(line, sizeof line, "Fastest%s: %s, %s%s%s", of, name, bound,
                              v.by_sample ? words : ms, v.by_sample ? "" : " ms");
    } else {
        used = habitat_format(line, sizeof line, "None of these is known to have the memory");
    }
    if (v.ties)
        used += habitat_format(line + used, sizeof line - (size_t)used,
                               " (%zu more cannot be told from it)", v.ties);
    used += habitat_format(line + used, sizeof line - (size_t)used, ". ");
    if (v.cheapest) {
        row_name(&v, v.cheapest, name, sizeof name);
        cost_words(&v, v.cheapest, words, sizeof words);
        used += habitat_format(line + used, sizeof line - (size_t)used, "Cheapest%s: %s, %s. ", of,
                               name, words);
    }
    if (v.cheapest && old_price_months(&v.cheapest->cost) > 0)
        used +=
            habitat_format(line + used, sizeof line - (size_t)used,
                           "Its price is %.0f months old. ", old_price_months(&v.cheapest->cost));
    left_out_words(shown, options, words, sizeof words);
    habitat_format(line + used, sizeof line - (size_t)used, "%s", words);
    writer_text(w, "\n");
    wrapped_text(w, "", 0, line);
}

/* The classes with the most time over all destinations, largest first. */
static size_t top_classes(const habitat_answer *what, habitat_class *out) {
    double sums[HABITAT_CLASS_COUNT] = {0};
    size_t count = 0;
    for (size_t i = 0; i < what->row_count; i++)
        for (size_t c = 0; c < what->rows[i].prediction->class_count; c++) {
            const habitat_class_total *total = &what->rows[i].prediction->by_class[c];
            sums[total->op_class] += total->ms / what->rows[i].prediction->kernel_ms;
        }
    while (count < CLASS_COLUMNS) {
        int best = 0;
        for (int c = 1; c < HABITAT_CLASS_COUNT; c++)
            if (sums[c] > sums[best])
                best = c;
        if (!(sums[best] > 0))
            break;
        out[count++] = (habitat_class)best;
        sums[best] = -1;
    }
    return count;
}

/* One row a GPU, one column a class. */
static void text_classes(writer *w, const habitat_answer *what,
                         const habitat_answer_row *const *sorted, size_t shown) {
    habitat_class classes[CLASS_COLUMNS];
    size_t count = top_classes(what, classes);
    table_column columns[CLASS_COLUMNS + 3] = {{"GPU", false, true}, {"kernels\nms", true, false}};
    char headers[CLASS_COLUMNS][32];
    for (size_t c = 0; c < count; c++) {
        const char *heading = class_of(classes[c])->heading;
        snprintf(headers[c], sizeof headers[c], "%s\nms",
                 heading ? heading : habitat_class_name(classes[c]));
        columns[2 + c] = (table_column){headers[c], true, false};
    }
    columns[2 + count] = (table_column){"rest\nms", true, false};
    text_table t;
    table_start(&t, columns, count + 3);
    int decimals = what->row_count ? decimals_for(sorted[0]->prediction->kernel_ms, 3) : 0;
    for (size_t i = 0; i < shown; i++) {
        const habitat_prediction *p = sorted[i]->prediction;
        double rest = 0, values[CLASS_COLUMNS] = {0};
        char note[64];
        for (size_t c = 0; c < p->class_count; c++) {
            size_t at = 0;
            while (at < count && classes[at] != p->by_class[c].op_class)
                at++;
            if (at < count)
                values[at] = p->by_class[c].ms;
            else
                rest += p->by_class[c].ms;
        }
        table_row(&t, place_of(what, sorted[i], true, note, sizeof note));
        table_cell(&t, 0, "%s", p->gpu->name);
        table_number(&t, 1, p->kernel_ms, decimals);
        for (size_t c = 0; c < count; c++)
            table_number(&t, 2 + c, values[c], decimals);
        table_number(&t, 2 + count, rest, decimals);
    }
    table_write(&t, w);
}

static habitat_status text_sections(writer *w, const shortlist *shown, view *v, size_t top,
                                    habitat_error *err) {
    for (size_t i = 0; i < shown->count; i++) {
        const habitat_prediction *p = shown->rows[i]->prediction;
        char iteration[32], ratio[32];
        habitat_status status = view_fill(v, p, err);
        if (status != HABITAT_OK) {
            writer_stop(w, status);
            return status;
        }
        ms_text(p->iteration_ms, iteration, sizeof iteration);
        ratio_text(ratio_of(p), ratio, sizeof ratio);
        writer_text(w, i ? "\n" : "");
        styled_text(w, STYLE_BOLD, p->gpu->name);
        writer_printf(w, ": iteration %s ms, %s the origin\n", iteration, ratio);
        text_rows(w, v, top);
    }
    return HABITAT_OK;
}

/* Below a table of many GPUs the verdict comes last: what is above it scrolls away. The one screen
 * of the rule has no room for a second table, of devices. */
static void text_below(writer *w, const habitat_answer *what, const shortlist *shown,
                       const habitat_report_options *options) {
    bool marked = options->by == HABITAT_REPORT_BY_NOTHING;
    size_t marks = marked ? shown->count : 0;
    if (!options->shorten || options->top)
        text_device_rows(w, shown->rows, shown->count);
    if (options->shorten) {
        text_verdict(w, what, shown, options);
        notes_short(w, what, shown->rows, shown->count, marked);
        notes_of_marks(w, what, shown->rows, marks, "");
    } else {
        notes_of_marks(w, what, shown->rows, marks, "\n");
        text_warnings(w, what, HABITAT_ABOUT_REQUEST);
        text_verdict(w, what, shown, options);
    }
}

/* A row a GPU and batch size. */
static habitat_status text_one_table(writer *w, const habitat_answer *what, const shortlist *shown,
                                     const habitat_report_options *options, habitat_error *err) {
    if (options->by == HABITAT_REPORT_BY_NOTHING) {
        habitat_status status = text_summary(w, what, shown, options, err);
        if (status != HABITAT_OK)
            return status;
    } else {
        text_head(w, what);
        text_classes(w, what, shown->rows, shown->count);
    }
    text_below(w, what, shown, options);
    return HABITAT_OK;
}

/* As many of the rows that the rule picks as the screen holds with all that is around them. */
static habitat_status shorten(const writer *w, const habitat_answer *what,
                              const habitat_report_options *options, shortlist *shown,
                              habitat_error *err) {
    screen s = {.lines = SCREEN_LINES + 1};
    habitat_status status = HABITAT_OK;
    for (size_t most = shortlist_most(what); s.lines > SCREEN_LINES; most--) {
        status = shortlist_make_most(what, options, most, shown, err);
        if (status != HABITAT_OK || !options->shorten || options->top || most <= LEAST_ROWS)
            return status;
        writer counting = screen_writer(w, &s);
        status = text_one_table(&counting, what, shown, options, err);
        if (status == HABITAT_OK && counting.status != HABITAT_OK) /* not all lines were counted */
            status = habitat_fail(err, counting.status, "out of memory");
        if (status != HABITAT_OK || s.lines > SCREEN_LINES)
            free(shown->rows);
        if (status != HABITAT_OK)
            return status;
    }
    return status;
}

static habitat_status write_text(writer *w, const habitat_answer *what,
                                 const habitat_report_options *options, view *v,
                                 habitat_error *err) {
    shortlist shown;
    habitat_status status = HABITAT_OK;
    if (options->by == HABITAT_REPORT_BY_NOTHING || options->by == HABITAT_REPORT_BY_CLASS) {
        status = shorten(w, what, options, &shown, err);
        if (status != HABITAT_OK)
            return status;
        status = text_one_table(w, what, &shown, options, err);
    } else {
        habitat_report_options o = *options;
        o.shorten = false;
        o.top = 0;
        status = shortlist_make(what, &o, &shown, err);
        if (status != HABITAT_OK)
            return status;
        text_head(w, what);
        status = text_sections(w, &shown, v, options->top ? options->top : DEFAULT_TOP, err);
        if (status == HABITAT_OK) {
            text_device_rows(w, shown.rows, shown.count);
            text_warnings(w, what, HABITAT_ABOUT_REQUEST);
        }
    }
    free(shown.rows);
    return status;
}

habitat_status habitat_report_prediction(const habitat_answer *what,
                                         const habitat_report_options *options,
                                         habitat_error *err) {
    writer w;
    if (!what || !what->trace || !what->workload ||
        (what->row_count > 0 && !what->rows[0].prediction))
        return habitat_fail(err, HABITAT_E_ARG, "no predictions given");
    if (page_asked(options))
        return page_prediction(what, options, err);
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    view v = {0};
    status = shortlist_check(what, options, err);
    if (status == HABITAT_OK && options->by != HABITAT_REPORT_BY_NOTHING)
        status = view_create(what, split_for(options->by, options->format), &v, err);
    if (status == HABITAT_OK && options->format == HABITAT_REPORT_JSON)
        status = write_json(&w, what, options->by, &v, err);
    else if (status == HABITAT_OK && options->format == HABITAT_REPORT_TEXT)
        status = write_text(&w, what, options, &v, err);
    else if (status == HABITAT_OK && options->by != HABITAT_REPORT_BY_NOTHING)
        status = write_csv_rows(&w, what, &v, err);
    else if (status == HABITAT_OK)
        write_csv_summary(&w, what);
    view_free(&v);
    habitat_status written = writer_finish(&w, err);
    return status != HABITAT_OK ? status : written;
}
