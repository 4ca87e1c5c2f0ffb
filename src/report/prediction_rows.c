/* The columns of predictions; see prediction_rows.h. JSON follows the contract of the man page
 * habitat-predict(1). CSV columns are added at the end alone. */
#include "predict/widen.h"
#include "report/prediction_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ask/choice_words.h"
#include "gpu/gpu.h"
#include "report/device_rows.h"
#include "report/shared_pieces.h"

/* ---- JSON: what is more than a value ---- */

static void json_coverage(writer *w, const char *key, const void *of) {
    const habitat_prediction *p = ((const prediction_line *)of)->row->prediction;
    json_map(w, key);
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++)
        if (p->coverage[m] > 0)
            json_number(w, habitat_method_name((habitat_method)m), p->coverage[m]);
    json_end_map(w);
}

static void json_by_class(writer *w, const char *key, const void *of) {
    const habitat_prediction *p = ((const prediction_line *)of)->row->prediction;
    json_array(w, key);
    for (size_t i = 0; i < p->class_count; i++) {
        json_map(w, NULL);
        json_text(w, "class", habitat_class_name(p->by_class[i].op_class));
        json_number(w, "origin_ms", p->by_class[i].origin_ms);
        json_number(w, "ms", p->by_class[i].ms);
        json_end_map(w);
    }
    json_end_array(w);
}

/* What each device of one recording does. */
static void json_devices(writer *w, const char *key, const void *of) {
    const habitat_answer_row *row = ((const prediction_line *)of)->row;
    (void)key;
    json_device_rows(w, row->device_count, row->devices);
}

/* What each recorded rank waits for the others. */
static void json_ranks(writer *w, const char *key, const void *of) {
    const habitat_prediction *p = ((const prediction_line *)of)->row->prediction;
    json_array(w, key);
    for (size_t i = 0; i < p->rank_count; i++) {
        json_map(w, NULL);
        json_number(w, "rank", (double)i);
        json_number(w, "waiting_ms", p->rank_waiting_ms[i]);
        json_end_map(w);
    }
    json_end_array(w);
}

static void json_own_warnings(writer *w, const char *key, const void *of) {
    const habitat_answer_row *row = ((const prediction_line *)of)->row;
    json_array(w, key);
    for (size_t i = 0; i < row->warning_count; i++)
        json_text(w, NULL, row->warnings[i]);
    json_end_array(w);
}

/* ---- text ---- */

static void show_iteration(text_table *t, size_t column, const void *of) {
    const prediction_line *l = of;
    table_number(t, column, l->iteration_ms, l->decimals);
}

static void show_interval(text_table *t, size_t column, const void *of) {
    const prediction_line *l = of;
    table_cell(t, column, "%.*f - %.*f%s", l->decimals, l->low_ms, l->decimals, l->high_ms,
               l->mark_interval ? "~" : "");
}

static void show_ratio(text_table *t, size_t column, const void *of) {
    char ratio[32];
    ratio_text(((const prediction_line *)of)->ratio, ratio, sizeof ratio);
    table_cell(t, column, "%s", ratio);
}

static void show_samples(text_table *t, size_t column, const void *of) {
    const prediction_line *l = of;
    table_number(t, column, l->samples_per_s, l->samples_per_s < 100 ? 1 : 0);
}

static void show_kernels(text_table *t, size_t column, const void *of) {
    const prediction_line *l = of;
    table_number(t, column, l->kernel_ms, l->decimals);
}

/* Below 0: what is missing. */
static void show_headroom(text_table *t, size_t column, const void *of) {
    table_room(t, column, ((const prediction_line *)of)->headroom_bytes / HABITAT_GB);
}

static void show_memory(text_table *t, size_t column, const void *of) {
    table_number(t, column, ((const prediction_line *)of)->row->key.gpu->memory_bytes / HABITAT_GB,
                 0);
}

static void show_place(text_table *t, size_t column, const void *of) {
    table_cell(t, column, "%s", ((const prediction_line *)of)->place);
}

static void show_dollars(text_table *t, size_t column, double usd) {
    table_amount(t, column, usd, usd < 1 ? decimals_for(usd, 3) : usd < 1e4 ? 2 : 0);
}

static void show_usd_per_1000(text_table *t, size_t column, const void *of) {
    show_dollars(t, column, ((const prediction_line *)of)->usd_per_1000_iterations);
}

static void show_usd_per_hour(text_table *t, size_t column, const void *of) {
    table_number(t, column, ((const prediction_line *)of)->usd_per_hour, 2);
}

static void show_usd(text_table *t, size_t column, const void *of) {
    show_dollars(t, column, ((const prediction_line *)of)->usd);
}

static void show_hours(text_table *t, size_t column, const void *of) {
    double hours = ((const prediction_line *)of)->hours;
    table_amount(t, column, hours, decimals_for(hours, 3));
}

static void show_exposed(text_table *t, size_t column, const void *of) {
    const prediction_line *l = of;
    table_number(t, column, l->exposed_communication_ms, l->decimals + 1);
}

static void show_waiting(text_table *t, size_t column, const void *of) {
    const prediction_line *l = of;
    table_number(t, column, l->waiting_ms, l->decimals + 1);
}

static void show_samples_per_usd(text_table *t, size_t column, const void *of) {
    table_amount(t, column, ((const prediction_line *)of)->samples_per_usd, 0);
}

static void show_energy(text_table *t, size_t column, const void *of) {
    double j = ((const prediction_line *)of)->energy_j;
    table_number(t, column, j, decimals_for(j, 3));
}

static void show_largest_batch(text_table *t, size_t column, const void *of) {
    table_number(t, column, ((const prediction_line *)of)->largest_batch, 0);
}

static void show_gpus(text_table *t, size_t column, const void *of) {
    table_number(t, column, (double)((const prediction_line *)of)->gpus, 0);
}

static void show_batch(text_table *t, size_t column, const void *of) {
    table_number(t, column, ((const prediction_line *)of)->batch_size, 0);
}

/* ---- the list ---- */

static bool memory_known(const void *of) {
    const prediction_listing *list = of;
    return list->what->row_count && !isnan(list->what->rows[0].prediction->memory_bytes);
}

static bool origin_known(const void *of) {
    return habitat_workload_get_info(((const prediction_listing *)of)->what->workload)->origin;
}

static bool length_known(const void *of) {
    return !isnan(((const prediction_listing *)of)->what->steps);
}

/* Where the training's own dollars are not shown, and what an iteration costs is known of a row. */
static bool costs_known(const void *of) {
    const prediction_listing *list = of;
    for (size_t i = 0; !length_known(of) && i < list->sorted_count; i++) {
        const habitat_cost *cost = &list->sorted[i]->cost;
        if (!cost->at_least && isfinite(cost->usd_per_1000_iterations))
            return true;
    }
    return false;
}

static bool ranks_known(const void *of) {
    const prediction_listing *list = of;
    return list->what->row_count && list->what->rows[0].prediction->rank_count > 0;
}

static bool never(const void *of) {
    (void)of;
    return false;
}

bool counts_differ(const habitat_answer *what) {
    for (size_t i = 1; i < what->row_count; i++)
        if (what->rows[i].key.gpu_count != what->rows[0].key.gpu_count)
            return true;
    return false;
}

static bool several_counts(const void *of) {
    return counts_differ(((const prediction_listing *)of)->what);
}

static bool batch_asked(const void *of) {
    const prediction_listing *list = of;
    return list->what->row_count && list->what->rows[0].key.batch_size > 0;
}

static bool precision_asked(const void *of) {
    const prediction_listing *list = of;
    return list->what->row_count && list->what->rows[0].key.precision != HABITAT_PRECISION_RECORDED;
}

static bool batch_known(const void *of) {
    const prediction_listing *list = of;
    return habitat_trace_get_info(list->what->trace)->batch_size > 0;
}

static bool rates_known(const void *of) {
    const prediction_listing *list = of;
    for (size_t i = 0; batch_known(of) && i < list->sorted_count; i++)
        if (isfinite(list->sorted[i]->prediction->samples_per_s))
            return true;
    return false;
}

static bool batch_unknown(const void *of) {
    return !batch_known(of);
}

enum { EVERYWHERE = IN_FILES | IN_EXPLAIN | IN_TEXT, FILES = IN_FILES | IN_EXPLAIN };

/* Which columns a narrow table does without, the highest first: the marks say what does not fit,
 * and rates follow from times. */
enum { RATE = 1, ROOM, RATIO };

#define COLUMN(field, kind, where) ROW_COLUMN(prediction_line, field, kind, where)

static const row_column columns[] = {
    {COLUMN(gpu, STRING, EVERYWHERE), .header = "GPU", .shrink = true},
    {.key = "gpus",
     .in = IN_TEXT,
     .header = "GPUs",
     .right = true,
     .shown = several_counts,
     .show = show_gpus},
    {.key = "batch_size",
     .in = IN_TEXT,
     .header = "batch\nsize",
     .right = true,
     .shown = batch_asked,
     .show = show_batch},
    {COLUMN(precision, STRING, IN_TEXT), .header = "precision", .shown = precision_asked},
    {COLUMN(method, STRING, FILES)},
    {COLUMN(iteration_ms, NUMBER, EVERYWHERE), .header = "iteration\nms", .right = true,
     .show = show_iteration},
    {.key = "interval",
     .in = IN_TEXT,
     .header = "80 % interval\nms",
     .right = true,
     .show = show_interval},
    {COLUMN(low_ms, NUMBER, FILES)},
    {COLUMN(high_ms, NUMBER, FILES)},
    {COLUMN(kernel_ms, NUMBER, FILES)},
    {COLUMN(copy_ms, NUMBER, FILES)},
    {COLUMN(ratio, NUMBER, EVERYWHERE), .header = "ratio to\norigin", .right = true,
     .shown = origin_known, .show = show_ratio, .spare = RATIO},
    {COLUMN(origin_iteration_ms, NUMBER, IN_JSON | IN_EXPLAIN)},
    {COLUMN(samples_per_s, NUMBER, EVERYWHERE), .header = "samples\nper s", .right = true,
     .shown = rates_known, .show = show_samples, .spare = RATE},
    {.key = "kernels_ms",
     .in = IN_TEXT,
     .header = "kernels\nms",
     .right = true,
     .shown = batch_unknown,
     .show = show_kernels,
     .spare = RATE},
    {.key = "headroom_gb",
     .in = IN_TEXT,
     .header = "GB\nleft",
     .right = true,
     .shown = memory_known,
     .show = show_headroom,
     .spare = ROOM},
    {.key = "memory_gb",
     .in = IN_TEXT,
     .header = "GPU has\nGB",
     .right = true,
     .shown = never,
     .show = show_memory},
    {.key = "release_date",
     .in = IN_TEXT,
     .header = "released",
     .shown = never,
     .at = offsetof(prediction_line, release_date)},
    {COLUMN(bound_by, STRING, FILES)},
    {COLUMN(memory_bytes, NUMBER, FILES)},
    {COLUMN(fits, TRISTATE, FILES)},
    {COLUMN(coverage, STRING, FILES), .json = json_coverage},
    {COLUMN(origin, STRING, IN_CSV)},
    {COLUMN(origin_busy_ms, NUMBER, IN_CSV)},
    {COLUMN(file, STRING, IN_CSV)},
    {COLUMN(busy_ms, NUMBER, FILES)},
    {COLUMN(assemble, STRING, FILES)},
    {COLUMN(idle_ms, NUMBER, FILES)},
    {COLUMN(cpu_ms, NUMBER, FILES)},
    {COLUMN(gpu_ms, NUMBER, FILES)},
    {COLUMN(cpu_basis, STRING, FILES)},
    {COLUMN(path_cpu_ms, NUMBER, IN_JSON | IN_EXPLAIN)},
    {COLUMN(path_kernel_ms, NUMBER, IN_JSON | IN_EXPLAIN)},
    {COLUMN(path_gap_ms, NUMBER, IN_JSON | IN_EXPLAIN)},
    {COLUMN(usd_per_hour, NUMBER, FILES | IN_TEXT), .header = "$ per\nhour", .right = true,
     .shown = never, .show = show_usd_per_hour},
    {COLUMN(usd_per_1000_iterations, NUMBER, EVERYWHERE), .header = "$ for\n1,000", .right = true,
     .shown = costs_known, .show = show_usd_per_1000},
    {COLUMN(price_date, STRING, FILES | IN_TEXT), .header = "price of", .shown = never},
    {COLUMN(price_gpu_alone, TRISTATE, IN_JSON)},
    {COLUMN(samples_per_usd, NUMBER, FILES | IN_TEXT), .header = "samples\nper $", .right = true,
     .shown = never, .show = show_samples_per_usd},
    {COLUMN(hours, NUMBER, EVERYWHERE), .header = "hours", .right = true, .shown = length_known,
     .show = show_hours},
    {COLUMN(usd, NUMBER, EVERYWHERE), .header = "$", .right = true, .shown = length_known,
     .show = show_usd},
    {COLUMN(energy_j, NUMBER, FILES | IN_TEXT), .header = "energy\nabout J", .right = true,
     .shown = never, .show = show_energy},
    {COLUMN(at_least, TRISTATE, FILES)},
    {COLUMN(batch_size, NUMBER, FILES)},
    {COLUMN(precision, STRING, FILES)},
    {COLUMN(interval, STRING, FILES)},
    {COLUMN(interval_basis, STRING, FILES)},
    {COLUMN(gpus, INTEGER, FILES)},
    {COLUMN(communication_ms, NUMBER, FILES)},
    {COLUMN(exposed_communication_ms, NUMBER, FILES | IN_TEXT), .header = "messages\nexposed ms",
     .right = true, .shown = ranks_known, .show = show_exposed},
    {COLUMN(waiting_ms, NUMBER, FILES | IN_TEXT), .header = "a rank\nwaits ms", .right = true,
     .shown = ranks_known, .show = show_waiting},
    {COLUMN(sharded_layers, NUMBER, IN_JSON)},
    {.key = "ranks", .in = IN_JSON, .json = json_ranks},
    {.key = "by_device", .in = IN_JSON, .json = json_devices},
    {COLUMN(calibrated_operations, INTEGER, IN_JSON | IN_EXPLAIN)},
    {COLUMN(headroom_bytes, NUMBER, FILES)},
    {COLUMN(context_bytes, NUMBER, FILES)},
    {COLUMN(margin_bytes, NUMBER, FILES)},
    {COLUMN(largest_batch, NUMBER, FILES | IN_TEXT), .header = "largest\nbatch", .right = true,
     .shown = never, .show = show_largest_batch},
    {.key = "by_class", .in = IN_JSON | IN_EXPLAIN, .json = json_by_class},
    {.key = "warnings", .in = IN_JSON, .json = json_own_warnings},
    {.key = "marks", .in = IN_TEXT, .header = "", .show = show_place},
};

/* Whether the recorded host's CPU decides how long the iteration takes. */
static bool cpu_sets(const habitat_prediction *p) {
    return p->bound_by == HABITAT_BY_CPU;
}

static const char *basis_name(habitat_cpu_basis basis) {
    static const char *const names[] = {[HABITAT_CPU_RECORDED] = "recorded",
                                        [HABITAT_CPU_GIVEN] = "given",
                                        [HABITAT_CPU_RULE] = "rule",
                                        [HABITAT_CPU_CLOCK] = "clock"};
    return names[basis];
}

double row_samples(const habitat_answer_row *row) {
    double batch = row->key.batch_size ? (double)row->key.batch_size : 1;
    return row->key.gpu_count ? batch * row->key.gpu_count : batch;
}

bool row_is_faster(const habitat_answer_row *a, const habitat_answer_row *b) {
    double x = a->prediction->iteration_ms, y = b->prediction->iteration_ms;
    if (row_samples(a) != row_samples(b)) {
        x *= row_samples(b);
        y *= row_samples(a);
    }
    return x != y ? x < y : strcmp(a->key.gpu->name, b->key.gpu->name) < 0;
}

/* Whether a row is the fastest of many, or the slowest: whatever they are sorted by. */
static bool is_at_end(const habitat_answer *what, const habitat_answer_row *row, bool fastest) {
    for (size_t i = 0; i < what->row_count; i++)
        if (fastest ? row_is_faster(&what->rows[i], row) : row_is_faster(row, &what->rows[i]))
            return false;
    return what->row_count > 2;
}

table_style place_of(const habitat_answer *what, const habitat_answer_row *row, bool ends,
                     char *note, size_t size) {
    const habitat_prediction *p = row->prediction;
    bool origin = p->gpu == habitat_workload_get_info(what->workload)->origin;
    bool first = ends && is_at_end(what, row, true), last = ends && is_at_end(what, row, false);
    const char *room = choice_room_words(p->fits, p->headroom_bytes);
    const char *words[] = {origin ? "origin" : "", row->cost.at_least ? "at least" : "", room,
                           cpu_sets(p) ? "CPU" : ""};
    size_t used = 0;
    *note = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*words[i])
            used += (size_t)snprintf(note + used, size - used, "%s%s", used ? ", " : "", words[i]);
    return p->fits == 0 ? STYLE_DIM
           : first      ? STYLE_GOOD
           : last       ? STYLE_BAD
           : origin     ? STYLE_BOLD
                        : STYLE_PLAIN;
}

static void fill_cost(const habitat_cost *c, prediction_line *l) {
    l->usd_per_hour = c->usd_per_hour;
    l->price_date = c->price ? c->price->date : NULL;
    l->price_gpu_alone = price_is_alone(c);
    l->energy_j = c->energy_j;
    l->usd_per_1000_iterations = c->usd_per_1000_iterations;
    l->samples_per_usd = c->samples_per_usd;
    l->hours = c->hours;
    l->usd = c->usd;
    l->at_least = c->at_least;
}

/* "~": its interval is a default width; "v": another vendor's. */
static void add_marks(const habitat_answer *what, const habitat_prediction *p, char *note,
                      size_t size) {
    const habitat_gpu *origin = habitat_workload_get_info(what->workload)->origin;
    const char *width = habitat_interval_unchecked(p->interval_basis) ? "~" : "";
    const char *vendor = origin && strcmp(origin->vendor, p->gpu->vendor) != 0 ? "v" : "";
    char rest[PLACE_BYTES - 8];
    snprintf(rest, sizeof rest, "%.*s", (int)sizeof rest - 1, note);
    snprintf(note, size, "%s%s%s%s", width, vendor, *rest && (*width || *vendor) ? " " : "", rest);
}

static void fill(const void *of, size_t row, void *out) {
    const prediction_listing *list = of;
    const habitat_answer *what = list->what;
    const habitat_answer_row *from = list->sorted ? list->sorted[row] : &what->rows[row];
    const habitat_prediction *p = from->prediction;
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    prediction_line *l = out;
    *l = (prediction_line){.row = from,
                           .gpu = p->gpu->name,
                           .method = habitat_method_name(p->method),
                           .iteration_ms = p->iteration_ms,
                           .low_ms = p->low_ms,
                           .high_ms = p->high_ms,
                           .busy_ms = p->busy_ms,
                           .kernel_ms = p->kernel_ms,
                           .copy_ms = p->copy_ms,
                           .ratio = ratio_of(p),
                           .origin_iteration_ms = p->origin_iteration_ms,
                           .samples_per_s = p->samples_per_s,
                           .bound_by = bound_by_name(p->bound_by),
                           .memory_bytes = p->memory_bytes,
                           .fits = p->fits,
                           .headroom_bytes = p->headroom_bytes,
                           .context_bytes = p->context_bytes,
                           .margin_bytes = p->margin_bytes,
                           .largest_batch = p->largest_batch,
                           .origin = origin_name(info),
                           .origin_busy_ms = info->busy_ms,
                           .file = habitat_trace_get_info(what->trace)->file,
                           .calibrated_operations = p->calibrated_operations,
                           .assemble = habitat_assemble_name(p->assembled),
                           .idle_ms = p->idle_ms,
                           .cpu_ms = p->cpu_ms,
                           .gpu_ms = p->gpu_ms,
                           .cpu_basis = basis_name(p->cpu_basis),
                           .path_cpu_ms = p->path_cpu_ms,
                           .path_kernel_ms = p->path_kernel_ms,
                           .path_gap_ms = p->path_gap_ms,
                           .release_date = p->gpu->release_date,
                           .batch_size = p->batch_size ? (double)p->batch_size : NAN,
                           .precision = habitat_precision_name(from->key.precision),
                           .interval = habitat_interval_name(p->interval_basis),
                           .interval_basis = habitat_interval_words(p->interval_basis),
                           .mark_interval = list->mark_intervals &&
                                            habitat_interval_unchecked(p->interval_basis),
                           .gpus = p->gpu_count,
                           .sharded_layers = p->sharded ? (double)p->layer_count : NAN,
                           .communication_ms = p->communication_ms,
                           .exposed_communication_ms = p->exposed_ms,
                           .waiting_ms = p->waiting_ms,
                           .decimals = list->decimals};
    fill_cost(&from->cost, l);
    coverage_text(p, l->coverage_room, sizeof l->coverage_room);
    l->coverage = l->coverage_room;
    bool whole = list->sorted_count == what->row_count; /* else its ends are those of a part */
    l->style = place_of(what, from, whole, l->place, sizeof l->place);
    add_marks(what, p, l->place, sizeof l->place);
}

static table_style line_style(const void *of) {
    return ((const prediction_line *)of)->style;
}

row_list prediction_rows(const prediction_listing *list, prediction_line *room) {
    return (row_list){.columns = columns,
                      .column_count = sizeof columns / sizeof *columns,
                      .count = list->what->row_count,
                      .of = list,
                      .fill = fill,
                      .line = room,
                      .style = line_style};
}
