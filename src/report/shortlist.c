/* The GPUs that matter today, from facts of the tables alone: those that can be rented at a current
 * price, then the newest, of the origin's vendor and large enough. */
#include "report/shortlist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/choice_words.h"
#include "ask/vendor.h"
#include "base/constants_reports.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "report/prediction_rows.h"

enum { LEAST_ROWS = 10, MOST_ROWS = 12, NOTES_WITH_MOST_ROWS = 1 };

/* ---- order ---- */

typedef struct ranked {
    const habitat_answer_row *row;
    double key; /* smallest first */
} ranked;

static int by_key(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return isnan(y->key) || x->key < y->key ? -1 : 1; /* unknown last */
    double s = x->row->prediction->iteration_ms, t = y->row->prediction->iteration_ms;
    if (s != t)
        return s < t ? -1 : 1;
    return strcmp(x->row->key.gpu->name, y->row->key.gpu->name);
}

static double age_days(const habitat_gpu *gpu) {
    double days = NAN;
    habitat_days_between(gpu->release_date, "2100", &days);
    return days;
}

typedef double (*sort_key)(const habitat_answer_row *row);

static double key_time(const habitat_answer_row *row) {
    return row->prediction->iteration_ms;
}

static double key_cost(const habitat_answer_row *row) {
    return row->cost.usd_per_1000_iterations;
}

static double key_price(const habitat_answer_row *row) {
    return row->cost.usd_per_hour;
}

static double key_energy(const habitat_answer_row *row) {
    return row->cost.energy_j;
}

static double key_memory(const habitat_answer_row *row) {
    return sort_key_of_gpu(SORT_MEMORY, row->key.gpu);
}

static double key_date(const habitat_answer_row *row) {
    return sort_key_of_gpu(SORT_DATE, row->key.gpu);
}

static double key_name(const habitat_answer_row *row) {
    (void)row;
    return 0;
}

typedef struct order {
    const char *name;
    sort_key key;
    const char *column; /* of the table, which shows what is sorted by */
} order;

static const order orders[SORT_COUNT] = {
    [SORT_TIME] = {"time", key_time, "iteration_ms"},
    [SORT_COST] = {"cost", key_cost, "usd_per_1000_iterations"},
    [SORT_PRICE] = {"price", key_price, "usd_per_hour"},
    [SORT_ENERGY] = {"energy", key_energy, "energy_j"},
    [SORT_MEMORY] = {"memory", key_memory, "memory_gb"},
    [SORT_DATE] = {"date", key_date, "release_date"},
    [SORT_NAME] = {"name", key_name, "gpu"}};

sort_by sort_named(const char *name) {
    int by = SORT_TIME;
    while (by < SORT_COUNT && strcmp(name, orders[by].name) != 0)
        by++;
    return (sort_by)by;
}

habitat_status sort_check(const char *name, habitat_error *err) {
    if (sort_named(name) != SORT_COUNT)
        return HABITAT_OK;
    return habitat_fail(err, HABITAT_E_ARG,
                        "--sort: \"%.40s\" is nothing to sort by; take time, cost, price, energy, "
                        "memory, date or name",
                        name);
}

double sort_key_of_gpu(sort_by by, const habitat_gpu *gpu) {
    return by == SORT_MEMORY ? -gpu->memory_bytes : by == SORT_DATE ? age_days(gpu) : 0;
}

static const order *order_named(const char *name) {
    return &orders[sort_named(name)];
}

const char *shortlist_column(const habitat_report_options *o) {
    return order_named(o->sort ? o->sort : "time")->column;
}

static int by_name(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return strcmp(x->row->key.gpu->name, y->row->key.gpu->name);
}

static void sort(ranked *rows, size_t count, sort_key key) {
    for (size_t i = 0; i < count; i++)
        rows[i].key = key(rows[i].row);
    qsort(rows, count, sizeof *rows, key == key_name ? by_name : by_key);
}

static bool lacks_room(const habitat_answer_row *row) {
    return choice_lacks_room(row->prediction->fits, row->prediction->headroom_bytes);
}

/* ---- what is asked for ---- */

static bool passes(const habitat_answer_row *row, const habitat_report_options *o) {
    const habitat_gpu *gpu = row->key.gpu;
    double days = 0;
    if (o->vendor && !vendor_takes(o->vendor, gpu))
        return false;
    if (o->min_memory_bytes > 0 && !(gpu->memory_bytes >= o->min_memory_bytes))
        return false;
    return !o->since || (habitat_days_between(o->since, gpu->release_date, &days) && days >= 0);
}

/* ---- the rule ---- */

static const char *newest_price(const habitat_prices *prices) {
    const char *newest = NULL;
    size_t count = 0;
    const habitat_price *list = prices ? habitat_prices_list(prices, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (list[i].date && (!newest || strcmp(list[i].date, newest) > 0))
            newest = list[i].date;
    return newest;
}

/* 0: origin, or a price of the user's; 1: rented today; 2: others; 3: not shown by the rule. */
static int rank_of(const habitat_answer *what, const habitat_answer_row *row,
                   const habitat_report_options *o, const char *newest) {
    const habitat_gpu *origin = habitat_workload_get_info(what->workload)->origin;
    const habitat_price *price = row->cost.price;
    double days = 0;
    if (row->key.gpu == origin || (price && price->origin != HABITAT_PRICE_BUILTIN))
        return 0;
    if ((!o->vendor && origin && strcmp(row->key.gpu->vendor, origin->vendor) != 0) ||
        row->prediction->fits == 0)
        return 3;
    bool current = price && newest && habitat_days_between(price->date, newest, &days) &&
                   days <= chosen_current_price_days;
    return current ? 1 : 2;
}

static bool of_vendor(const ranked *row, const char *vendor) {
    return strcmp(row->row->key.gpu->vendor, vendor) == 0;
}

/* Of the first `count` rows, how many are of the vendor of row `at`. */
static size_t alike_before(const ranked *rows, size_t count, size_t at) {
    size_t alike = 0;
    for (size_t i = 0; i < count; i++)
        alike += of_vendor(&rows[i], rows[at].row->key.gpu->vendor);
    return alike;
}

/* Where any vendor is asked for, none takes more than two thirds of `most` rows before the others
 * had their turn: prices are known of one vendor alone, and would fill the table. Moves the rows
 * that are taken to the front, in their order; the others stay in theirs behind them. */
static void give_turns(ranked *rows, size_t count, size_t most) {
    size_t kept = 0, turn = most - most / 3;
    for (size_t i = 0; i < count && kept < most; i++) {
        if (alike_before(rows, kept, i) >= turn)
            continue;
        ranked row = rows[i];
        memmove(&rows[kept + 1], &rows[kept], (i - kept) * sizeof *rows);
        rows[kept++] = row;
    }
}

/* Keeps those that the rule picks, at most `most`; their order is lost. */
static size_t keep_today(const habitat_answer *what, const habitat_report_options *o, size_t most,
                         ranked *rows, size_t count) {
    const double decade = 1e6; /* more days than any release is old */
    const char *newest = newest_price(what->prices);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        int rank = rank_of(what, rows[i].row, o, newest);
        double age = age_days(rows[i].row->key.gpu);
        rows[i].key = rank * decade + (isnan(age) ? decade / 2 : age);
    }
    qsort(rows, count, sizeof *rows, by_key);
    while (kept < count && rows[kept].key < 3 * decade)
        kept++;
    if (o->vendor && vendor_is_any(o->vendor))
        give_turns(rows, kept, most);
    return kept < most ? kept : most;
}

static size_t notes_of(const habitat_answer *what) {
    size_t count = 0;
    for (size_t i = 0; i < what->warning_count; i++)
        count += what->warnings[i].about >= HABITAT_ABOUT_RECORDING;
    return count;
}

/* Rows without the memory behind those that have it: the first N are to be of use. */
static void put_last_without_room(ranked *rows, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (lacks_room(rows[i].row))
            continue;
        ranked row = rows[i];
        memmove(&rows[kept + 1], &rows[kept], (i - kept) * sizeof *rows);
        rows[kept++] = row;
    }
}

size_t shortlist_most(const habitat_answer *what) {
    size_t notes = notes_of(what);
    size_t more = notes > NOTES_WITH_MOST_ROWS ? notes - NOTES_WITH_MOST_ROWS : 0;
    return more >= MOST_ROWS - LEAST_ROWS ? LEAST_ROWS : MOST_ROWS - more;
}

habitat_status shortlist_check(const habitat_answer *what, const habitat_report_options *o,
                               habitat_error *err) {
    double days = 0;
    if (o->vendor && vendor_check(what, o->vendor, "--vendor", err) != HABITAT_OK)
        return HABITAT_E_ARG;
    if (o->sort && sort_check(o->sort, err) != HABITAT_OK)
        return HABITAT_E_ARG;
    if (o->since && !habitat_days_between(o->since, o->since, &days))
        return habitat_fail(err, HABITAT_E_ARG,
                            "--since: \"%.40s\" is no date like 2022 or 2022-09", o->since);
    return HABITAT_OK;
}

static habitat_status none_left(const habitat_report_options *o, habitat_error *err) {
    const char *message =
        !o->since                 ? "--min-memory: no GPU is left: each is too small; ask for less"
        : o->min_memory_bytes > 0 ? "--min-memory, --since: no GPU is left: each is too small or "
                                    "too old; ask for less"
                                  : "--since: no GPU is left: each is too old; ask for less";
    return habitat_fail(err, HABITAT_E_ARG, "%s", message);
}

habitat_status shortlist_make(const habitat_answer *what, const habitat_report_options *o,
                              shortlist *out, habitat_error *err) {
    return shortlist_make_most(what, o, shortlist_most(what), out, err);
}

habitat_status shortlist_make_most(const habitat_answer *what, const habitat_report_options *o,
                                   size_t most, shortlist *out, habitat_error *err) {
    ranked *rows = calloc(what->row_count + 1, sizeof *rows);
    const habitat_answer_row **shown = calloc(what->row_count + 1, sizeof *shown);
    if (!rows || !shown) {
        free(rows);
        free(shown);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    size_t count = 0;
    for (size_t i = 0; i < what->row_count; i++)
        if (passes(&what->rows[i], o))
            rows[count++].row = &what->rows[i];
    if (!count && what->row_count) {
        free(rows);
        free(shown);
        return none_left(o, err);
    }
    *out = (shortlist){.rows = shown, .passed = count};
    if (o->shorten && !o->top) {
        count = keep_today(what, o, most, rows, count);
        out->shortened = count < what->row_count;
    }
    sort(rows, count, o->sort ? order_named(o->sort)->key : key_time);
    if (o->top)
        put_last_without_room(rows, count);
    out->count = o->top && o->top < count ? o->top : count;
    for (size_t i = 0; i < count; i++)
        shown[i] = rows[i].row;
    free(rows);
    return HABITAT_OK;
}

/* In an iteration of the row, by which its times and costs are divided. */
static double samples_of(const shortlist_best *v, const habitat_answer_row *row) {
    return v->by_sample ? row_samples(row) : 1;
}

static bool is_cheaper(const shortlist_best *v, const habitat_answer_row *a,
                       const habitat_answer_row *b) {
    return a->cost.usd_per_1000_iterations * samples_of(v, b) <
           b->cost.usd_per_1000_iterations * samples_of(v, a);
}

shortlist_best shortlist_verdict(const habitat_answer_row *const *rows, size_t count) {
    shortlist_best v = {0};
    for (size_t i = 0; i < count; i++)
        v.batches |= rows[i]->key.batch_size != rows[0]->key.batch_size;
    for (size_t i = 0; i < count; i++)
        v.counts |= rows[i]->key.gpu_count != rows[0]->key.gpu_count;
    v.by_sample = v.batches || v.counts;
    for (size_t i = 0; i < count; i++) {
        const habitat_answer_row *row = rows[i];
        if (lacks_room(row))
            continue;
        if (!v.fastest || row_is_faster(row, v.fastest))
            v.fastest = row;
        if (!row->cost.at_least && !isnan(row->cost.usd_per_1000_iterations) &&
            (!v.cheapest || is_cheaper(&v, row, v.cheapest)))
            v.cheapest = row;
    }
    for (size_t i = 0; v.fastest && i < count; i++)
        v.ties += rows[i] != v.fastest && !lacks_room(rows[i]) &&
                  rows[i]->prediction->low_ms * samples_of(&v, v.fastest) <=
                      v.fastest->prediction->high_ms * samples_of(&v, rows[i]);
    return v;
}
