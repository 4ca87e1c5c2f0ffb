/* The rows of an HTML report: what was shortlisted or ranked first, then everything else. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/widen.h"
#include "ask/answer.h"
#include "ask/choice_words.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "report/page_rows.h"
#include "report/shortlist.h"

static const habitat_answer_row *row_of_key(const habitat_answer *answer,
                                            const habitat_answer_key *b) {
    for (size_t i = 0; i < answer->row_count; i++) {
        const habitat_answer_key *a = &answer->rows[i].key;
        if (a->gpu == b->gpu && a->batch_size == b->batch_size && a->precision == b->precision &&
            a->gpu_count == b->gpu_count)
            return &answer->rows[i];
    }
    return NULL;
}

const habitat_answer_row *page_row_in(const habitat_answer *answer, const page_row *row) {
    return row->from ? row_of_key(answer, &row->from->key) : NULL;
}

bool page_as_recorded(const habitat_answer_row *row) {
    return row->key.batch_size == 0 && row->key.precision == HABITAT_PRECISION_RECORDED;
}

/* Of an iteration that takes at least its time hours and dollars are not known. */
static habitat_cost known_cost(const habitat_cost *cost) {
    habitat_cost c = *cost;
    if (c.at_least)
        c.usd_per_1000_iterations = c.samples_per_usd = c.hours = c.usd = NAN;
    return c;
}

/* ---- by what rows are compared ---- */

/* Samples of an iteration, of several recordings their mean by weight; NaN: not known. */
static double samples_of(const page *p, const habitat_answer_key *key) {
    double sum = 0;
    for (size_t i = 0; i < p->answer_count; i++) {
        const habitat_answer_row *row = row_of_key(p->answers[i], key);
        if (!row || !row->prediction)
            return NAN;
        sum += (p->weights ? p->weights[i] : 1) * cost_samples(p->answers[i], row);
    }
    return sum;
}

double page_units(const page *p, const page_row *row) {
    return p->by_sample ? row->samples : 1;
}

double page_bar_units(const page *p, const page_row *row) {
    return p->choice ? page_units(p, row) : 1;
}

double page_unit_usd(const page *p, const page_row *row) {
    double thousands = p->by_sample ? 1000 : 1;
    return row->cost.usd_per_1000_iterations * thousands / page_units(p, row);
}

static bool rows_differ(const page *p) {
    for (size_t i = 0; i < p->row_count; i++) {
        const habitat_answer_key *key = &p->rows[i].key, *first = &p->rows[0].key;
        if (key->gpu_count != first->gpu_count || key->batch_size != first->batch_size)
            return true;
    }
    return false;
}

/* "4 x NAME, batch 64" */
static void set_label(const page *p, const habitat_answer_key *key, page_row *row) {
    char count[24] = "", batch[32] = "";
    if (key->gpu_count > 1)
        snprintf(count, sizeof count, "%u x ", key->gpu_count);
    if (p->batches)
        snprintf(batch, sizeof batch, ", batch %llu", (unsigned long long)key->batch_size);
    snprintf(row->label, sizeof row->label, "%s%.64s%s", count, key->gpu->name, batch);
}

static page_row *add(page *p, const habitat_answer_row *from, const habitat_answer_key *key) {
    page_row *row = &p->rows[p->row_count++];
    *row = (page_row){.from = from,
                      .key = *key,
                      .gpu = key->gpu,
                      .ms = NAN,
                      .low_ms = NAN,
                      .high_ms = NAN,
                      .fits = -1,
                      .headroom_bytes = NAN,
                      .cost = {.usd_per_hour = NAN,
                               .usd_per_1000_iterations = NAN,
                               .samples_per_usd = NAN,
                               .hours = NAN,
                               .usd = NAN,
                               .energy_j = NAN},
                      .samples = samples_of(p, key),
                      .obstacle = HABITAT_EXCLUDED_COUNT,
                      .other_vendor = p->origin && strcmp(p->origin->vendor, key->gpu->vendor) != 0,
                      .origin = p->origin && key->gpu == p->origin};
    set_label(p, key, row);
    return row;
}

static void set_predicted(page_row *row, const habitat_answer_row *from) {
    const habitat_prediction *of = from->prediction;
    row->ms = of->iteration_ms;
    row->low_ms = of->low_ms;
    row->high_ms = of->high_ms;
    row->cost = known_cost(&from->cost);
    row->fits = of->fits;
    row->headroom_bytes = of->headroom_bytes;
    row->calibrated = of->interval_basis > HABITAT_INTERVAL_DEFAULT &&
                      !habitat_interval_unchecked(of->interval_basis);
    row->cpu_sets = of->bound_by == HABITAT_BY_CPU;
}

static void add_predicted(page *p, const habitat_answer_row *from) {
    set_predicted(add(p, from, &from->key), from);
}

/* ---- predict and explain ---- */

static bool listed(const page *p, size_t count, const habitat_answer_row *row) {
    for (size_t i = 0; i < count; i++)
        if (p->rows[i].from == row)
            return true;
    return false;
}

/* Whether `a` leaves no reason to take `b`. */
static bool beats(const page *p, const page_row *a, const page_row *b) {
    double x = page_units(p, a), y = page_units(p, b);
    return !choice_lacks_room(a->fits, a->headroom_bytes) &&
           choice_beats(a->ms / x, a->cost.usd_per_1000_iterations / x, b->ms / y,
                        b->cost.usd_per_1000_iterations / y);
}

static void mark_front(page *p) {
    for (size_t i = 0; i < p->row_count; i++) {
        page_row *row = &p->rows[i];
        row->front = !isnan(row->cost.usd_per_1000_iterations) &&
                     !choice_lacks_room(row->fits, row->headroom_bytes);
        for (size_t k = 0; row->front && k < p->row_count; k++)
            row->front = !beats(p, &p->rows[k], row);
    }
}

static habitat_status rows_of_answer(page *p) {
    shortlist first, all;
    habitat_report_options every = {.sort = p->options->sort};
    habitat_status status = shortlist_check(p->what, p->options, p->err);
    if (status == HABITAT_OK)
        status = shortlist_make(p->what, p->options, &first, p->err);
    if (status != HABITAT_OK)
        return status;
    for (size_t i = 0; i < first.count; i++)
        add_predicted(p, first.rows[i]);
    p->shown = p->row_count;
    free(first.rows);
    status = shortlist_make(p->what, &every, &all, p->err);
    if (status != HABITAT_OK)
        return status;
    for (size_t i = 0; i < all.count; i++)
        if (!listed(p, p->shown, all.rows[i]))
            add_predicted(p, all.rows[i]);
    free(all.rows);
    return HABITAT_OK;
}

/* ---- choose ---- */

/* How near a row came to being taken: obstacles stand in the order in which they are looked for. */
static int nearness(const page_row *row) {
    return row->obstacle == HABITAT_EXCLUDED_UNKNOWN ? -1 : (int)row->obstacle;
}

static int by_nearness(const void *a, const void *b) {
    const page_row *x = a, *y = b;
    if (nearness(x) != nearness(y))
        return nearness(x) > nearness(y) ? -1 : 1;
    if (x->ms != y->ms && !(isnan(x->ms) && isnan(y->ms)))
        return isnan(y->ms) || x->ms < y->ms ? -1 : 1; /* unknown last */
    return strcmp(x->label, y->label);
}

/* Of several iterations the mean is not known of these, but for its time. */
static void add_excluded(page *p) {
    const habitat_choice *c = p->choice;
    page_row *first = &p->rows[p->row_count];
    for (size_t i = 0; i < c->excluded_count; i++) {
        const habitat_answer_row *from = row_of_key(p->what, &c->excluded[i].key);
        page_row *row = add(p, from, &c->excluded[i].key);
        if (from && p->answer_count == 1)
            set_predicted(row, from);
        row->ms = c->excluded[i].iteration_ms;
        row->reason = c->excluded[i].reason;
        row->obstacle = c->excluded[i].kind;
    }
    qsort(first, c->excluded_count, sizeof *first, by_nearness);
}

/* Where no GPU can be taken, those that came nearest are drawn. */
static void rows_of_choice(page *p) {
    enum { DEFAULT_TOP = 12 };
    const habitat_choice *c = p->choice;
    size_t equals = choice_equals(c);
    for (size_t i = 0; i < c->row_count; i++) {
        const habitat_choice_row *from = &c->rows[i];
        page_row *row = add(p, row_of_key(p->what, &from->key), &from->key);
        row->ms = from->iteration_ms;
        row->low_ms = from->low_ms;
        row->high_ms = from->high_ms;
        row->cost = from->cost;
        row->fits = from->fits;
        row->headroom_bytes = from->headroom_bytes;
        row->calibrated = from->calibrated;
        row->best = i == 0;
        row->equal = i > 0 && i <= equals;
        row->tie = from->tie;
        row->cpu_sets = from->cpu_sets;
        row->other_vendor = from->other_vendor;
        row->front = from->pareto;
    }
    size_t top = p->options->top ? p->options->top : DEFAULT_TOP, taken = p->row_count;
    add_excluded(p);
    size_t most = taken ? taken : p->row_count;
    p->shown = top < most ? top : most;
}

bool page_in_costs(const page *p, const page_row *row) {
    return !isnan(page_unit_usd(p, row)) && (!row->reason || !p->choice->row_count);
}

habitat_status page_rows_make(page *p) {
    size_t most = p->what->row_count;
    if (p->choice)
        most = p->choice->row_count + p->choice->excluded_count;
    p->rows = calloc(most + 1, sizeof *p->rows);
    if (!p->rows)
        return habitat_fail(p->err, HABITAT_E_MEMORY, "out of memory");
    habitat_status status = HABITAT_OK;
    if (p->choice)
        rows_of_choice(p);
    else
        status = rows_of_answer(p);
    p->by_sample = p->choice ? p->choice->per_sample : rows_differ(p);
    if (!p->choice)
        mark_front(p);
    double steps = p->choice ? p->choice->steps : p->what->steps;
    p->lengths = !isnan(steps);
    for (size_t i = 0; i < p->row_count; i++) {
        p->prices = p->prices || !isnan(p->rows[i].cost.usd_per_hour);
        p->memory = p->memory || !isnan(p->rows[i].headroom_bytes);
    }
    return status;
}
