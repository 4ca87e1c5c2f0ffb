/* What iterations cost: time times price, and the energy that a busy GPU takes at most. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/answer.h"
#include "ask/warnings.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "workload/workload.h"

static const double ms_per_hour = 3.6e6, j_per_kwh = 3.6e6;

/* Of one GPU in the first row; 0: not known. */
static uint64_t batch_size(const habitat_request *r, const habitat_answer *out) {
    if (r->batch_size_count)
        return r->batch_sizes[0];
    if (r->workload)
        return r->workload->batch_size;
    return out->trace ? habitat_trace_get_info(out->trace)->batch_size : 0;
}

static double steps_of(double samples, uint64_t batch, uint32_t gpu_count) {
    return ceil(samples / ((double)batch * gpu_count));
}

habitat_status cost_steps(const habitat_request *r, habitat_answer *out, habitat_error *err) {
    uint64_t batch = batch_size(r, out);
    double days = 0;
    out->steps = out->samples = NAN;
    if (r->steps != floor(r->steps) || r->samples != floor(r->samples))
        return habitat_fail(err, HABITAT_E_ARG,
                            "the length of a training is a whole number of steps or samples");
    if ((r->steps != 0.0 && !(r->steps > 0.0 && isfinite(r->steps))) ||
        (r->samples != 0.0 && !(r->samples > 0.0 && isfinite(r->samples))))
        return habitat_fail(err, HABITAT_E_ARG, "the length of a training must be more than 0");
    if (r->steps > 0.0 && r->samples > 0.0)
        return habitat_fail(err, HABITAT_E_ARG,
                            "the length of a training is given in steps or in samples, not both");
    if (r->today && !habitat_days_between(r->today, r->today, &days))
        return habitat_fail(err, HABITAT_E_ARG, "\"%.40s\" is no date like 2026-11-22", r->today);
    if (r->samples > 0.0 && !batch)
        return habitat_fail(err, HABITAT_E_ARG,
                            "the recording does not say its batch size: say it (--recorded-batch "
                            "N), or give the length of the training in steps");
    if (r->steps > 0.0)
        out->steps = r->steps;
    if (r->samples > 0.0)
        out->samples = r->samples; /* steps are known with the rows: cost_rows() */
    return HABITAT_OK;
}

static habitat_cost unknown(void) {
    return (habitat_cost){.price_age_days = NAN,
                          .usd_per_hour = NAN,
                          .usd_per_1000_iterations = NAN,
                          .low_usd_per_1000_iterations = NAN,
                          .high_usd_per_1000_iterations = NAN,
                          .samples_per_usd = NAN,
                          .hours = NAN,
                          .low_hours = NAN,
                          .high_hours = NAN,
                          .usd = NAN,
                          .low_usd = NAN,
                          .high_usd = NAN,
                          .energy_j = NAN,
                          .total_kwh = NAN,
                          .steps = NAN};
}

void cost_of_times(double iteration_ms, double low_ms, double high_ms, habitat_cost *c) {
    double usd_per_ms = c->usd_per_hour / ms_per_hour, steps = c->steps;
    c->usd_per_1000_iterations = 1000.0 * iteration_ms * usd_per_ms;
    c->low_usd_per_1000_iterations = 1000.0 * low_ms * usd_per_ms;
    c->high_usd_per_1000_iterations = 1000.0 * high_ms * usd_per_ms;
    c->hours = steps * iteration_ms / ms_per_hour;
    c->low_hours = steps * low_ms / ms_per_hour;
    c->high_hours = steps * high_ms / ms_per_hour;
    c->usd = c->hours * c->usd_per_hour;
    c->low_usd = c->low_hours * c->usd_per_hour;
    c->high_usd = c->high_hours * c->usd_per_hour;
    c->total_kwh = steps * c->energy_j / j_per_kwh;
}

static uint32_t batches_of(const habitat_answer *what, const habitat_answer_row *row) {
    return what->workload->one_batch ? 1 : row->key.gpu_count;
}

double cost_samples(const habitat_answer *what, const habitat_answer_row *row) {
    uint64_t batch = row->prediction->batch_size;
    return batch ? (double)batch * batches_of(what, row) : NAN;
}

static void cost_row(const habitat_request *r, const habitat_answer *what,
                     habitat_answer_row *row) {
    const habitat_prediction *p = row->prediction;
    const habitat_workload_info *info = habitat_workload_get_info(what->workload);
    habitat_bound_by waits = info->origin ? info->bound_by : p->bound_by;
    uint32_t batches = batches_of(what, row);
    double samples = cost_samples(what, row);
    habitat_cost *c = &row->cost;
    c->price = habitat_prices_of(r->prices, row->key.gpu, r->spot);
    c->at_least = what->workload->left_out_count ||
                  (p->assembled == HABITAT_ASSEMBLE_SUM && waits == HABITAT_BY_CPU);
    c->steps = r->samples > 0.0 ? steps_of(r->samples, p->batch_size, batches) : what->steps;
    if (c->price)
        c->usd_per_hour = c->price->usd_per_hour * row->key.gpu_count;
    if (c->price && r->today)
        habitat_days_between(c->price->date, r->today, &c->price_age_days);
    c->energy_j = row->key.gpu->tdp_w * p->busy_ms / 1e3 * row->key.gpu_count;
    cost_of_times(p->iteration_ms, p->low_ms, p->high_ms, c);
    if (samples > 0.0 && !c->at_least)
        c->samples_per_usd = samples / p->iteration_ms * ms_per_hour / c->usd_per_hour;
}

void cost_rows(const habitat_request *r, habitat_answer *out) {
    const habitat_prediction *first = out->row_count ? out->rows[0].prediction : NULL;
    if (r->samples > 0.0 && first)
        out->steps = steps_of(r->samples, first->batch_size, batches_of(out, &out->rows[0]));
    for (size_t i = 0; i < out->row_count; i++) {
        out->rows[i].cost = unknown();
        if (out->rows[i].prediction)
            cost_row(r, out, &out->rows[i]);
    }
}

bool cost_is_of_future(const habitat_cost *cost) {
    return cost->price_age_days < -1;
}

/* GPUs that take part in its collectives; 0: not recorded. */
static uint32_t largest_group(const habitat_workload *w) {
    uint32_t most = 0;
    for (size_t i = 0; i < w->kernel_count; i++)
        if (w->kernels[i].kernel && w->kernels[i].kernel->form->group_size > most)
            most = w->kernels[i].kernel->form->group_size;
    return most;
}

bool cost_is_of_one_rank(const habitat_answer *answer, char of[RANKS_BYTES]) {
    if (answer->rank_count || answer->device_count > 1 || !answer->row_count ||
        answer->rows[0].key.gpu_count != 1 || !answer->workload ||
        !answer->workload->collective_count)
        return false;
    uint32_t group = largest_group(answer->workload);
    if (group)
        snprintf(of, RANKS_BYTES, "%u", group);
    else
        snprintf(of, RANKS_BYTES, "several");
    return group != 1;
}

/* Samples are shared among GPUs that train together, of which this is one. */
static habitat_status warn_of_one_rank(made_answer *out, habitat_error *err) {
    char of[RANKS_BYTES], line[WARNING_BYTES];
    if (!(out->open.samples > 0.0) || !cost_is_of_one_rank(&out->open, of))
        return HABITAT_OK;
    snprintf(line, sizeof line,
             "the recording is of one of %s GPUs that trained together: hours and costs are of one "
             "that takes all samples itself; give the files of all together",
             of);
    return warnings_add(out, HABITAT_ABOUT_DESTINATIONS, line, err);
}

double cost_bill(const habitat_cost *cost) {
    double machine = cost->price ? cost->price->usd_per_hour * cost->price->min_gpus : NAN;
    if (!(machine > 0.0))
        return cost->usd_per_hour;
    return fmax(cost->usd_per_hour, machine * ceil(cost->usd_per_hour / machine - FLT_EPSILON));
}

bool cost_is_of_machines(const habitat_cost *cost) {
    return cost_bill(cost) > cost->usd_per_hour * (1 + FLT_EPSILON);
}

static habitat_status warn_of_machines(made_answer *out, habitat_error *err) {
    char line[WARNING_BYTES];
    for (size_t i = 0; i < out->open.row_count; i++) {
        const habitat_cost *c = &out->open.rows[i].cost;
        if (!c->price || !cost_is_of_machines(c))
            continue;
        snprintf(
            line, sizeof line,
            "the price of the %s is of %u GPUs that are rented together: fewer cost as much as "
            "all of them",
            habitat_gpu_name(c->price->gpu), c->price->min_gpus);
        return warnings_add(out, HABITAT_ABOUT_DESTINATIONS, line, err);
    }
    return HABITAT_OK;
}

/* As many steps of larger batches, or on more GPUs, are of more samples: their costs do not
 * compare. */
static habitat_status warn_of_samples(made_answer *out, habitat_error *err) {
    char line[WARNING_BYTES];
    double least = INFINITY, most = 0.0;
    if (isnan(out->open.steps) || out->open.samples > 0.0)
        return HABITAT_OK;
    for (size_t i = 0; i < out->open.row_count; i++) {
        const habitat_answer_row *row = &out->open.rows[i];
        double samples = row->prediction ? cost_samples(&out->open, row) : NAN;
        least = fmin(least, samples);
        most = fmax(most, samples);
    }
    if (!(least < most))
        return HABITAT_OK;
    habitat_format(
        line, sizeof line,
        "%.0f steps are %.0f samples in one row and %.0f in another: hours and costs are of "
        "trainings of different lengths; --samples gives all rows the same",
        out->open.steps, out->open.steps * least, out->open.steps * most);
    return warnings_add(out, HABITAT_ABOUT_DESTINATIONS, line, err);
}

/* The first price of a file that has none of the kind asked for; NULL: every file has one. Prices
 * of a file lie side by side. */
static const habitat_price *first_of_other_kind(const habitat_prices *prices, bool spot) {
    size_t count = 0;
    const habitat_price *list = prices ? habitat_prices_list(prices, &count) : NULL;
    for (size_t i = 0, next; i < count; i = next) {
        bool of_file = list[i].origin == HABITAT_PRICE_FILE, any = !of_file;
        for (next = i; next < count && list[next].origin == list[i].origin &&
                       (!of_file || strcmp(list[next].file, list[i].file) == 0);
             next++)
            any |= list[next].spot == spot;
        if (!any)
            return &list[i];
    }
    return NULL;
}

/* Who brings a file expects it to count. */
static habitat_status warn_of_kind(made_answer *out, habitat_error *err) {
    char line[WARNING_BYTES];
    bool spot = out->open.spot;
    const habitat_price *price = first_of_other_kind(out->open.prices, spot);
    if (!price)
        return HABITAT_OK;
    snprintf(line, sizeof line, "none of the prices in %.200s counts: they are %s", price->file,
             spot ? "on demand, and spot prices are asked for; leave out --spot"
                  : "spot prices, which --spot takes");
    return warnings_add(out, HABITAT_ABOUT_DESTINATIONS, line, err);
}

/* Dates of the library's own list are held by its tests: today may be one that a build fixed. */
habitat_status cost_warn(made_answer *out, habitat_error *err) {
    const habitat_price *first = NULL;
    size_t count = 0;
    char more[32] = "", line[WARNING_BYTES];
    for (size_t i = 0; i < out->open.row_count; i++) {
        const habitat_cost *c = &out->open.rows[i].cost;
        if (!c->price || c->price->origin == HABITAT_PRICE_BUILTIN || !cost_is_of_future(c))
            continue;
        first = first ? first : c->price;
        count++;
    }
    habitat_status status = warn_of_machines(out, err);
    if (status == HABITAT_OK)
        status = warn_of_one_rank(out, err);
    if (status == HABITAT_OK)
        status = warn_of_samples(out, err);
    if (status == HABITAT_OK)
        status = warn_of_kind(out, err);
    if (!count || status != HABITAT_OK)
        return status;
    if (count > 1)
        snprintf(more, sizeof more, " and %zu more", count - 1);
    snprintf(line, sizeof line, "the price of the %s%s has a date that is yet to come: %.32s",
             habitat_gpu_name(first->gpu), more, first->date);
    return warnings_add(out, HABITAT_ABOUT_DESTINATIONS, line, err);
}
