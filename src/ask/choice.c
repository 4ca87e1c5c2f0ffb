/* Ranks GPUs by cost, time or energy of the mean iteration of one or several answers. */
#include "predict/widen.h"
#include "ask/choice_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/answer.h"
#include "ask/vendor.h"
#include "base/apart.h"
#include "base/error.h"
#include "gpu/gpu.h"

static const char *const objective_names[] = {"cost", "time", "energy"};

const char *habitat_objective_name(habitat_objective objective) {
    return (unsigned)objective < HABITAT_OBJECTIVE_COUNT ? objective_names[objective] : NULL;
}

habitat_status habitat_objective_from_name(const char *name, habitat_objective *out,
                                           habitat_error *err) {
    for (int i = 0; name && i < HABITAT_OBJECTIVE_COUNT; i++)
        if (strcmp(name, objective_names[i]) == 0) {
            *out = (habitat_objective)i;
            return HABITAT_OK;
        }
    return habitat_fail(err, HABITAT_E_ARG,
                        "\"%.40s\" is nothing to choose by; take cost, time or energy",
                        name ? name : "");
}

/* ---- what a choice is by ---- */

/* Rows of one answer: those of the others have the same keys, or are left out. */
static void compare_keys(habitat_choice *c) {
    const habitat_answer *first = c->answers[0];
    for (size_t i = 1; i < first->row_count; i++) {
        const habitat_answer_key *a = &first->rows[0].key, *b = &first->rows[i].key;
        c->batches_differ |= a->batch_size != b->batch_size;
        c->gpus_differ |= a->gpu_count != b->gpu_count;
    }
    c->per_sample = c->batches_differ || c->gpus_differ;
}

/* ---- one GPU in all answers ---- */

static const habitat_answer_row *find_row(const habitat_answer *in, const habitat_answer_key *key) {
    for (size_t i = 0; i < in->row_count; i++) {
        const habitat_answer_key *k = &in->rows[i].key;
        if (k->gpu == key->gpu && k->batch_size == key->batch_size &&
            k->precision == key->precision && k->gpu_count == key->gpu_count &&
            in->rows[i].prediction)
            return &in->rows[i];
    }
    return NULL;
}

static void add_weighted(const habitat_answer *in, const habitat_answer_row *row, double weight,
                         habitat_choice_row *sum) {
    const habitat_prediction *p = row->prediction;
    sum->samples += weight * cost_samples(in, row);
    if (p->batch_size != sum->batch_size)
        sum->batch_size = sum->iteration_ms > 0 ? 0 : p->batch_size;
    sum->iteration_ms += weight * p->iteration_ms;
    sum->low_ms += weight * p->low_ms;
    sum->high_ms += weight * p->high_ms;
    sum->cost.energy_j += weight * row->cost.energy_j;
    sum->cost.at_least = sum->cost.at_least || row->cost.at_least;
    if (p->bound_by == HABITAT_BY_CPU || sum->bound_by == HABITAT_BY_GPU)
        sum->bound_by = p->bound_by;
    sum->cpu_sets =
        sum->cpu_sets && p->assembled == HABITAT_ASSEMBLE_REPLAY && p->bound_by == HABITAT_BY_CPU;
    sum->calibrated = sum->calibrated && !habitat_interval_unchecked(p->interval_basis);
    if (p->fits == 0 || (p->fits < 0 && sum->fits > 0))
        sum->fits = p->fits;
    if (p->headroom_bytes < sum->headroom_bytes) /* NaN: of another one it may be known */
        sum->headroom_bytes = p->headroom_bytes;
}

/* Iterations of a training of several recordings, of which each takes its share: as many steps as
 * were asked for, or as the samples make at the mean batch. */
static double mean_steps(const habitat_choice *of, const habitat_answer_key *key) {
    double samples = of->answers[0]->samples, batch = 0;
    if (!(samples > 0))
        return of->answers[0]->steps;
    for (size_t i = 0; i < of->answer_count; i++) {
        const habitat_answer *in = of->answers[i];
        const habitat_answer_row *row = key ? find_row(in, key) : in->row_count ? in->rows : NULL;
        batch += row ? of->weights[i] * cost_samples(in, row) : (double)NAN;
    }
    double steps = samples / batch, rounding = fmin(1e-12 * steps, 1e-6); /* of the weights */
    return ceil(of->answer_count > 1 ? steps - rounding : steps);
}

static const habitat_gpu *origin_of(const habitat_answer *answer) {
    return habitat_workload_get_info(answer->workload)->origin;
}

/* The seconds by which rates go: not always those of the mean iteration, whose GPU may have waited
 * (habitat_prediction's samples_per_s). NaN where one rate is not known. */
static double mean_rated_s(const habitat_choice *of, const habitat_answer_key *key) {
    double rated_s = 0;
    for (size_t i = 0; i < of->answer_count; i++) {
        const habitat_answer_row *row = find_row(of->answers[i], key);
        rated_s +=
            of->weights[i] * cost_samples(of->answers[i], row) / row->prediction->samples_per_s;
    }
    return rated_s;
}

/* The mean iteration on a GPU; NULL, or the answer that has no row of it. */
static const habitat_answer *mean_row(const habitat_choice *of, const habitat_answer_row *first,
                                      habitat_choice_row *out) {
    *out = (habitat_choice_row){.key = first->key,
                                .cost = first->cost,
                                .fits = 1,
                                .calibrated = true,
                                .headroom_bytes = INFINITY,
                                .cpu_sets = true, /* of all, else a faster GPU is faster */
                                .bound_by = HABITAT_BY_GPU};
    out->cost.energy_j = 0;
    out->cost.samples_per_usd = NAN; /* samples of several recordings are not alike */
    for (size_t i = 0; i < of->answer_count; i++) {
        const habitat_answer_row *row = find_row(of->answers[i], &first->key);
        if (!row)
            return of->answers[i];
        add_weighted(of->answers[i], row, of->weights[i], out);
        const habitat_gpu *origin = origin_of(of->answers[i]);
        out->other_vendor |= origin && strcmp(origin->vendor, first->key.gpu->vendor) != 0;
    }
    if (isinf(out->headroom_bytes) || (out->fits < 0 && out->headroom_bytes >= 0))
        out->headroom_bytes = NAN; /* room for those of which it is known says nothing of all */
    out->samples_per_s = of->answer_count == 1 ? first->prediction->samples_per_s
                                               : out->samples / mean_rated_s(of, &first->key);
    if (of->answer_count == 1)
        out->cost.samples_per_usd = first->cost.samples_per_usd;
    out->cost.steps = mean_steps(of, &first->key);
    cost_of_times(out->iteration_ms, out->low_ms, out->high_ms, &out->cost);
    return NULL;
}

static void set_value(const habitat_choice *c, habitat_choice_row *row) {
    double unit = choice_unit(c, row->samples);
    switch (c->options.objective) {
    case HABITAT_OBJECTIVE_TIME:
        row->value = row->iteration_ms / unit;
        break;
    case HABITAT_OBJECTIVE_ENERGY:
        row->value = row->cost.energy_j / unit;
        break;
    case HABITAT_OBJECTIVE_COST:
    case HABITAT_OBJECTIVE_COUNT: /* of 1,000 iterations, or of 1,000,000 samples */
        row->value = row->cost.usd_per_1000_iterations / unit * (c->per_sample ? 1000 : 1);
        break;
    }
    row->low = row->value * (row->low_ms / row->iteration_ms);
    row->high = row->value * (row->high_ms / row->iteration_ms);
}

/* Whether no recording is of a GPU of this one's vendor. */
static bool is_other_vendor(const habitat_choice *c, const habitat_gpu *gpu) {
    bool recorded = false;
    for (size_t i = 0; i < c->answer_count; i++) {
        const habitat_gpu *origin = origin_of(c->answers[i]);
        if (origin && strcmp(origin->vendor, gpu->vendor) == 0)
            return false;
        recorded |= origin != NULL;
    }
    return recorded;
}

/* Why this GPU cannot be taken; HABITAT_EXCLUDED_COUNT: it can. */
static habitat_exclusion_kind obstacle(const habitat_choice *c, const habitat_choice_row *row) {
    const habitat_choice_options *o = &c->options;
    bool needs_price = o->objective == HABITAT_OBJECTIVE_COST || o->max_usd_per_hour > 0;
    if (o->vendor ? !vendor_takes(o->vendor, row->key.gpu)
                  : !o->other_vendors && is_other_vendor(c, row->key.gpu))
        return HABITAT_EXCLUDED_VENDOR;
    if (row->fits == 0)
        return HABITAT_EXCLUDED_SMALL;
    if (choice_lacks_room(row->fits, row->headroom_bytes))
        return HABITAT_EXCLUDED_NEAR;
    if (row->fits < 0 && o->must_fit)
        return HABITAT_EXCLUDED_FIT;
    if (o->deadline_hours > 0 && !(row->cost.hours <= o->deadline_hours))
        return HABITAT_EXCLUDED_DEADLINE;
    if (needs_price && isnan(row->cost.usd_per_hour))
        return HABITAT_EXCLUDED_NO_PRICE;
    if (o->max_usd_per_hour > 0 && cost_bill(&row->cost) > o->max_usd_per_hour)
        return HABITAT_EXCLUDED_PRICE;
    return row->value > 0 ? HABITAT_EXCLUDED_COUNT : HABITAT_EXCLUDED_UNKNOWN;
}

static const char *obstacle_words(made_choice *out, habitat_exclusion_kind kind,
                                  const habitat_choice_row *row) {
    const habitat_choice_options *o = &out->open.options;
    char limit[32], needs[32];
    switch (kind) {
    case HABITAT_EXCLUDED_VENDOR:
        return o->vendor ? "of another vendor than asked for"
                         : "of another vendor than the recording's GPU: no measurement checks its "
                           "prediction";
    case HABITAT_EXCLUDED_SMALL:
        return row->key.batch_size || row->key.precision || row->key.gpu_count > 1 ||
                       !origin_of(out->open.answers[0])
                   ? "too small: the memory that it needs does not fit"
                   : "too small: the memory that was in use on the origin does not fit";
    case HABITAT_EXCLUDED_NEAR:
        return choice_line(out, "may not fit: %.2g GB short of the margin that is kept free",
                           -row->headroom_bytes / HABITAT_GB);
    case HABITAT_EXCLUDED_FIT:
        return "not known to fit: the recording does not say how much memory was in use";
    case HABITAT_EXCLUDED_DEADLINE:
        apart_limit(o->deadline_hours, row->cost.hours, limit, needs, sizeof needs);
        return choice_line(out, "takes %s hours, longer than the deadline of %s", needs, limit);
    case HABITAT_EXCLUDED_NO_PRICE:
        return "no price is known; give one with --price";
    case HABITAT_EXCLUDED_PRICE:
        apart_decimals(o->max_usd_per_hour, cost_bill(&row->cost), 2, limit, needs, sizeof needs);
        return choice_line(out, "costs $%s an hour%s, more than $%s", needs,
                           cost_is_of_machines(&row->cost) ? " with what is rented together" : "",
                           limit);
    case HABITAT_EXCLUDED_UNKNOWN:
    case HABITAT_EXCLUDED_COUNT:
        break;
    }
    return choice_line(out, "its %s is not known",
                       habitat_objective_name(out->open.options.objective));
}

static habitat_status exclude(made_choice *out, const habitat_choice_row *row,
                              habitat_exclusion_kind kind, const char *reason, habitat_error *err) {
    if (!reason)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->excluded[out->open.excluded_count++] =
        (habitat_exclusion){.key = row->key,
                            .kind = kind,
                            .reason = reason,
                            .iteration_ms = row->iteration_ms,
                            .batch_size = row->batch_size,
                            .samples = row->samples,
                            .usd_per_hour = row->cost.usd_per_hour,
                            .bill_per_hour = cost_bill(&row->cost),
                            .hours = row->cost.hours,
                            .headroom_bytes = row->headroom_bytes};
    return HABITAT_OK;
}

static const char *file_of(const habitat_answer *answer) {
    const char *file = answer->trace ? habitat_trace_get_info(answer->trace)->file : NULL;
    return file ? file : "a workload";
}

static habitat_status place(made_choice *out, const habitat_answer_row *first, habitat_error *err) {
    habitat_choice *c = &out->open;
    habitat_choice_row row;
    const habitat_answer *lacks = mean_row(c, first, &row);
    if (lacks) {
        row.iteration_ms = row.samples = row.cost.hours = row.headroom_bytes = NAN;
        return exclude(out, &row, HABITAT_EXCLUDED_UNKNOWN,
                       choice_line(out, "not predicted for %.200s", file_of(lacks)), err);
    }
    if (c->per_sample && isnan(row.samples))
        return habitat_fail(err, HABITAT_E_ARG,
                            "a recording does not say its batch size, and numbers of GPUs are "
                            "compared by the sample: say it with --recorded-batch N, or record it "
                            "with `habitat record`");
    set_value(c, &row);
    habitat_exclusion_kind kind = obstacle(c, &row);
    if (kind != HABITAT_EXCLUDED_COUNT)
        return exclude(out, &row, kind, obstacle_words(out, kind, &row), err);
    c->rows[c->row_count++] = row;
    return HABITAT_OK;
}

/* ---- ranking ---- */

/* Values that are equal but for their last digits: choice_is_less(). */
static double without_last_digits(double value) {
    const double steps = 1 << 30;
    int exponent = 0;
    double share = frexp(value, &exponent);
    return ldexp(round(share * steps) / steps, exponent);
}

/* The smaller first, what is not known last. */
static int by_number(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    a = without_last_digits(a);
    b = without_last_digits(b);
    return (a > b) - (a < b);
}

/* Of equal ones the faster, then the one that costs less, then the one whose interval is
 * calibrated. */
static int by_value(const void *a, const void *b) {
    const habitat_choice_row *x = a, *y = b;
    const habitat_answer_key *k = &x->key, *l = &y->key;
    bool by_sample = x->samples > 0 && y->samples > 0 && x->samples != y->samples;
    double m = by_sample ? x->samples : 1, n = by_sample ? y->samples : 1;
    int order = by_number(x->value, y->value);
    if (!order)
        order = by_number(x->iteration_ms / m, y->iteration_ms / n);
    if (!order)
        order = by_number(x->cost.usd_per_1000_iterations / m, y->cost.usd_per_1000_iterations / n);
    if (!order)
        order = y->calibrated - x->calibrated;
    if (!order)
        order = strcmp(k->gpu->name, l->gpu->name);
    if (!order)
        order = by_number(k->gpu_count, l->gpu_count);
    return order ? order : by_number((double)k->batch_size, (double)l->batch_size);
}

/* Whether `a` leaves no reason to take `b`. */
static bool beats(const habitat_choice *c, const habitat_choice_row *a,
                  const habitat_choice_row *b) {
    double x = choice_unit(c, a->samples), y = choice_unit(c, b->samples);
    return choice_beats(a->iteration_ms / x, a->cost.usd_per_1000_iterations / x,
                        b->iteration_ms / y, b->cost.usd_per_1000_iterations / y);
}

static void rank(habitat_choice *c) {
    qsort(c->rows, c->row_count, sizeof *c->rows, by_value);
    for (size_t i = 0; i < c->row_count; i++) {
        habitat_choice_row *row = &c->rows[i];
        row->tie = i > 0 && row->low <= c->rows[0].high;
        row->pareto = !isnan(row->cost.usd_per_1000_iterations);
        for (size_t k = 0; row->pareto && k < c->row_count; k++)
            row->pareto = !beats(c, &c->rows[k], row);
    }
    c->recommended = c->row_count ? &c->rows[0] : NULL;
}

/* ---- the whole ---- */

static habitat_status check(const habitat_answer *const *answers, const double *weights,
                            size_t count, const habitat_choice_options *options,
                            habitat_error *err) {
    for (size_t i = 0; i < count; i++) {
        if (!answers[i] || !answers[i]->workload ||
            (answers[i]->row_count && !answers[i]->rows[0].prediction))
            return habitat_fail(err, HABITAT_E_ARG, "answer %zu is not of an iteration", i);
        if (weights && !(weights[i] > 0.0 && isfinite(weights[i])))
            return habitat_fail(err, HABITAT_E_ARG, "weight %zu is not more than 0", i);
    }
    if (!(options->max_usd_per_hour >= 0) || !(options->deadline_hours >= 0) ||
        !habitat_objective_name(options->objective))
        return habitat_fail(err, HABITAT_E_ARG, "no such objective, price or deadline");
    if (options->deadline_hours > 0 && isnan(answers[0]->steps))
        return habitat_fail(err, HABITAT_E_ARG,
                            "a deadline needs the length of the training: --steps or --samples");
    return options->vendor ? vendor_check(answers[0], options->vendor, "vendor", err) : HABITAT_OK;
}

static habitat_status take_answers(made_choice *out, const habitat_answer *const *answers,
                                   const double *weights, size_t count, habitat_error *err) {
    const habitat_answer **kept = habitat_arena_alloc(&out->arena, count * sizeof *kept);
    double *shares = habitat_arena_alloc(&out->arena, count * sizeof *shares), sum = 0;
    size_t rows = answers[0]->row_count + 1;
    out->open.rows = calloc(rows, sizeof *out->open.rows);
    out->open.excluded = out->excluded = calloc(rows, sizeof *out->excluded);
    if (!kept || !shares || !out->open.rows || !out->excluded)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        sum += weights ? weights[i] : 1;
    for (size_t i = 0; i < count; i++) {
        kept[i] = answers[i];
        shares[i] = (weights ? weights[i] : 1) / sum;
        for (size_t k = 0; k < answers[i]->row_count; k++)
            out->open.at_least |= answers[i]->rows[k].cost.at_least;
    }
    out->open.answers = kept;
    out->open.weights = shares;
    out->open.answer_count = count;
    out->open.steps = mean_steps(&out->open, NULL);
    out->open.samples = answers[0]->samples > 0 ? answers[0]->samples : NAN;
    compare_keys(&out->open);
    if (out->open.per_sample && !isnan(out->open.steps) && isnan(out->open.samples))
        return habitat_fail(err, HABITAT_E_ARG,
                            "as many steps at another batch size, or on more GPUs, are of more "
                            "samples: give the length of the training in samples");
    return HABITAT_OK;
}

habitat_status habitat_choose(const habitat_answer *const *answers, const double *weights,
                              size_t count, const habitat_choice_options *options,
                              habitat_choice **out, habitat_error *err) {
    static const habitat_choice_options usual;
    const habitat_choice_options *o = options ? options : &usual;
    if (!answers || !count || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no answers or no place for the choice given");
    habitat_status status = check(answers, weights, count, o, err);
    if (status != HABITAT_OK)
        return status;
    made_choice *made = calloc(1, sizeof *made);
    if (!made)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    made->open.options = *o;
    status = take_answers(made, answers, weights, count, err);
    for (size_t i = 0; status == HABITAT_OK && i < answers[0]->row_count; i++)
        status = place(made, &answers[0]->rows[i], err);
    if (status == HABITAT_OK) {
        rank(&made->open);
        status = choice_words(made, err);
    }
    if (status == HABITAT_OK)
        status = choice_changes(made, err);
    if (status == HABITAT_OK)
        status = choice_notes(made, err);
    if (status == HABITAT_OK)
        *out = &made->open;
    else
        habitat_choice_free(&made->open);
    return status;
}

void habitat_choice_free(habitat_choice *open) {
    made_choice *c = (made_choice *)(void *)open;
    if (!c)
        return;
    free(open->rows);
    free(c->excluded);
    habitat_arena_free(&c->arena);
    free(c);
}
