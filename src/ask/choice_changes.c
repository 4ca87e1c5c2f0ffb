/* What would change a choice; where nothing can be taken, what comes nearest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/choice_words.h"
#include "base/constants_reports.h"
#include "base/apart.h"
#include "base/error.h"
#include "gpu/gpu.h"

static habitat_status add(made_choice *out, const char **lines, const char *line,
                          habitat_error *err) {
    if (!line)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (*line)
        lines[out->open.change_count++] = line;
    return HABITAT_OK;
}

/* ---- what would change it ---- */

/* The row that is first by another objective, if it is another one. */
static const habitat_choice_row *best_by(const habitat_choice *c, bool time) {
    const habitat_choice_row *best = NULL;
    for (size_t i = 0; i < c->row_count; i++) {
        const habitat_choice_row *row = &c->rows[i];
        double value = time ? choice_time_of(c, row) : choice_usd_of(c, row);
        double least = !best ? INFINITY : time ? choice_time_of(c, best) : choice_usd_of(c, best);
        if (choice_is_less(value, least))
            best = row;
    }
    return best == c->recommended ? NULL : best;
}

/* US dollars an hour at which what takes `ms` costs as much as the first row. 1,000 ms are a
 * second, and an hour has 3,600. */
static double hourly(const habitat_choice *c, double ms) {
    return choice_usd_of(c, &c->rows[0]) / ms * 3600;
}

/* At which price the best of the other GPUs would be as cheap. */
static const char *price_change(made_choice *out) {
    const habitat_choice *c = &out->open;
    char name[CHOICE_NAME_BYTES], even[32], now[32];
    size_t next = 1;
    while (next < c->row_count && c->rows[next].key.gpu == c->rows[0].key.gpu)
        next++;
    if (next >= c->row_count || !choice_is_less(c->rows[0].value, c->rows[next].value))
        return "";
    const habitat_choice_row *row = &c->rows[next];
    choice_the_name(c, &row->key, name);
    apart_decimals(hourly(c, choice_time_of(c, row)), row->cost.usd_per_hour, 2, even, now,
                   sizeof even);
    return choice_line(out, "Price: below $%s an hour (%s $%s) %s would be cheaper.", even,
                       choice_is_plural(c, &row->key) ? "all together are" : "it is", now, name);
}

static const char *if_time_counts(made_choice *out) {
    const habitat_choice *c = &out->open;
    const habitat_choice_row *first = &c->rows[0], *other = best_by(c, true);
    char words[CHOICE_WORDS], name[CHOICE_NAME_BYTES], fast[16];
    if (!other)
        return "";
    choice_ratio(choice_time_of(c, first) / choice_time_of(c, other), fast, sizeof fast);
    if (strcmp(fast, "1x") == 0)
        return "";
    choice_compare(c, other, first, words, sizeof words);
    choice_the_name(c, &other->key, name);
    return choice_line(out, "If time counts: %s %s %s.", name,
                       choice_is_plural(c, &other->key) ? "are" : "is", words);
}

static const char *if_cost_counts(made_choice *out) {
    const habitat_choice *c = &out->open;
    const habitat_choice_row *first = &c->rows[0], *other = best_by(c, false);
    char name[CHOICE_NAME_BYTES], cost[16], fast[16];
    if (!other)
        return "";
    choice_ratio(choice_usd_of(c, other) / choice_usd_of(c, first), cost, sizeof cost);
    choice_ratio(choice_time_of(c, first) / choice_time_of(c, other), fast, sizeof fast);
    choice_the_name(c, &other->key, name);
    if (isnan(first->cost.usd_per_hour))
        return choice_line(out, "If cost counts: %s, of those with a price.", name);
    if (strcmp(cost, "1x") == 0)
        return "";
    bool equal = strcmp(fast, "1x") == 0;
    return choice_line(out, "If cost counts: %s %s %s%sas fast at %s the cost of %s.", name,
                       choice_is_plural(c, &other->key) ? "are" : "is", equal ? "" : fast,
                       equal ? "" : " ", cost, c->per_sample ? "a sample" : "an iteration");
}

/* The fastest of those without a price: below which price it would be the cheapest. */
static const char *unpriced(made_choice *out) {
    const habitat_choice *c = &out->open;
    const habitat_exclusion *best = NULL;
    char name[CHOICE_NAME_BYTES], others[48] = "";
    double ms = INFINITY;
    size_t equals = 0;
    for (size_t i = 0; i < c->excluded_count; i++) {
        const habitat_exclusion *e = &c->excluded[i];
        double other_ms = e->iteration_ms / choice_unit(c, e->samples);
        if (e->kind != HABITAT_EXCLUDED_NO_PRICE)
            continue;
        bool faster = choice_is_less(other_ms, ms);
        equals = faster ? 0 : equals + !choice_is_less(ms, other_ms);
        best = faster ? e : best;
        ms = faster ? other_ms : ms;
    }
    if (!best || c->options.objective != HABITAT_OBJECTIVE_COST)
        return "";
    choice_the_name(c, &best->key, name);
    if (equals && !c->per_sample)
        snprintf(others, sizeof others, " and %zu other%s as fast", equals, equals == 1 ? "" : "s");
    bool plural = choice_is_plural(c, &best->key);
    double limit = c->options.max_usd_per_hour > 0 ? c->options.max_usd_per_hour : INFINITY;
    return choice_line(out, "No price is known of %s%s: below $%.2f an hour%s %s would be cheaper.",
                       name, others, fmin(hourly(c, ms), limit), plural ? " for all" : "",
                       plural || *others ? "they" : "it");
}

/* A GPU's price on demand, where that is less than the spot price that was taken; NULL. */
static const habitat_price *less_on_demand(const made_choice *out, const habitat_choice_row *row) {
    const habitat_price *spot = row->cost.price;
    const habitat_prices *prices = out->open.answers[0]->prices;
    if (!spot || !spot->spot || !prices)
        return NULL;
    const habitat_price *other = habitat_prices_of(prices, row->key.gpu, false);
    return other && other->usd_per_hour < spot->usd_per_hour ? other : NULL;
}

/* Of the GPU that is recommended and of the front, which a person may take: each once. */
static const char *on_demand(made_choice *out) {
    const habitat_choice *c = &out->open;
    char text[CHOICE_WORDS] = "";
    size_t used = 0;
    for (size_t i = 0; i < c->row_count; i++) {
        const habitat_choice_row *row = &c->rows[i];
        const habitat_price *other = less_on_demand(out, row);
        bool told = i > 0 && !row->pareto;
        for (size_t k = 0; !told && k < i; k++)
            told = c->rows[k].key.gpu == row->key.gpu && (k == 0 || c->rows[k].pareto);
        if (!other || told || used + 128 > sizeof text)
            continue;
        used += (size_t)habitat_format(
            text + used, sizeof text - used,
            "%s%s %s costs $%.2f an hour on demand, less than $%.2f", used ? "; " : "",
            choice_is_plural(c, &row->key) ? "one" : "the", habitat_gpu_name(row->key.gpu),
            other->usd_per_hour, row->cost.price->usd_per_hour);
    }
    return used ? choice_line(out, "Without --spot: %s.", text) : "";
}

static habitat_status of_rows(made_choice *out, const char **lines, habitat_error *err) {
    habitat_objective objective = out->open.options.objective;
    bool cost = objective == HABITAT_OBJECTIVE_COST, time = objective == HABITAT_OBJECTIVE_TIME;
    habitat_status status = add(out, lines, on_demand(out), err);
    if (status == HABITAT_OK && cost)
        status = add(out, lines, price_change(out), err);
    if (status == HABITAT_OK && !time)
        status = add(out, lines, if_time_counts(out), err);
    if (status == HABITAT_OK && !cost)
        status = add(out, lines, if_cost_counts(out), err);
    return status == HABITAT_OK ? add(out, lines, unpriced(out), err) : status;
}

/* ---- what comes nearest, where nothing can be taken ---- */

/* By how much a GPU misses its limit: less is nearer. */
static double miss(const habitat_exclusion *e) {
    switch (e->kind) {
    case HABITAT_EXCLUDED_DEADLINE:
        return e->hours;
    case HABITAT_EXCLUDED_PRICE:
        return e->bill_per_hour;
    case HABITAT_EXCLUDED_SMALL:
    case HABITAT_EXCLUDED_NEAR:
        return -e->headroom_bytes;
    case HABITAT_EXCLUDED_VENDOR:
    case HABITAT_EXCLUDED_FIT:
    case HABITAT_EXCLUDED_NO_PRICE:
    case HABITAT_EXCLUDED_UNKNOWN:
    case HABITAT_EXCLUDED_COUNT:
        break;
    }
    return NAN;
}

static const char *of_vendor(made_choice *out, size_t count) {
    const char *vendor = out->open.options.vendor;
    if (vendor)
        return choice_line(out, "Vendor: %zu not of %.40s are left out: --vendor any takes them.",
                           count, vendor);
    return choice_line(out, "Vendor: %zu of another vendor are left out: --vendor any takes them.",
                       count);
}

static const char *of_price(made_choice *out, size_t count) {
    bool limit = out->open.options.max_usd_per_hour > 0;
    return choice_line(out, "Price: not known of %zu: --price GPU=USD gives one%s.", count,
                       limit ? "" : "; --objective time needs none");
}

/* A line about the nearest of one kind, of which there are `count`. */
static const char *nearest_words(made_choice *out, const habitat_exclusion *e, size_t count) {
    const habitat_choice_options *o = &out->open.options;
    char name[CHOICE_NAME_BYTES], limit[32], least[32];
    choice_the_name(&out->open, &e->key, name);
    switch (e->kind) {
    case HABITAT_EXCLUDED_DEADLINE:
        apart_limit(o->deadline_hours, e->hours, limit, least, sizeof least);
        return choice_line(out, "Deadline of %s h: %s h on %s, the least.", limit, least, name);
    case HABITAT_EXCLUDED_PRICE:
        apart_decimals(o->max_usd_per_hour, e->bill_per_hour,
                       o->max_usd_per_hour < chosen_shown_cent ? 4 : 2, limit, least, sizeof least);
        return choice_line(out, "Limit of $%s an hour: $%s for %s, the least.", limit, least, name);
    case HABITAT_EXCLUDED_SMALL:
        return choice_line(out, "Memory: %.2g GB are missing on %s, the least.",
                           -e->headroom_bytes / HABITAT_GB, name);
    case HABITAT_EXCLUDED_NEAR:
        return choice_line(out, "Memory: %.2g GB of the margin are missing on %s, the least.",
                           -e->headroom_bytes / HABITAT_GB, name);
    case HABITAT_EXCLUDED_VENDOR:
        return of_vendor(out, count);
    case HABITAT_EXCLUDED_FIT:
        return choice_line(out,
                           "Memory: the recording does not say what it needs; %zu could be taken "
                           "without --must-fit.",
                           count);
    case HABITAT_EXCLUDED_NO_PRICE:
        return of_price(out, count);
    case HABITAT_EXCLUDED_UNKNOWN:
    case HABITAT_EXCLUDED_COUNT:
        break;
    }
    return "";
}

/* Whether the deadline alone forbids it. */
static bool has_price(const habitat_choice *c, const habitat_exclusion *e) {
    const habitat_choice_options *o = &c->options;
    if (o->max_usd_per_hour > 0)
        return e->usd_per_hour <= o->max_usd_per_hour;
    return o->objective != HABITAT_OBJECTIVE_COST || !isnan(e->usd_per_hour);
}

static bool is_nearer(const habitat_choice *c, const habitat_exclusion *a,
                      const habitat_exclusion *b) {
    if (a->kind == HABITAT_EXCLUDED_DEADLINE && has_price(c, a) != has_price(c, b))
        return has_price(c, a);
    return miss(a) < miss(b) || (isnan(miss(b)) && !isnan(miss(a)));
}

/* Another row of a GPU counts once. */
static bool is_counted(const habitat_choice *c, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (c->excluded[i].kind == c->excluded[at].kind &&
            c->excluded[i].key.gpu == c->excluded[at].key.gpu)
            return true;
    return false;
}

/* What can be moved comes first: time and money, then memory, then what was not asked for. */
static habitat_status of_misses(made_choice *out, const char **lines, habitat_error *err) {
    static const habitat_exclusion_kind order[] = {
        HABITAT_EXCLUDED_DEADLINE, HABITAT_EXCLUDED_PRICE, HABITAT_EXCLUDED_NO_PRICE,
        HABITAT_EXCLUDED_FIT,      HABITAT_EXCLUDED_NEAR,  HABITAT_EXCLUDED_SMALL,
        HABITAT_EXCLUDED_VENDOR};
    const habitat_choice *c = &out->open;
    habitat_status status = HABITAT_OK;
    for (size_t k = 0; status == HABITAT_OK && k < sizeof order / sizeof *order; k++) {
        const habitat_exclusion *nearest = NULL;
        size_t count = 0;
        for (size_t i = 0; i < c->excluded_count; i++) {
            const habitat_exclusion *e = &c->excluded[i];
            if (e->kind != order[k])
                continue;
            if (!nearest || is_nearer(c, e, nearest))
                nearest = e;
            count += !is_counted(c, i);
        }
        if (nearest)
            status = add(out, lines, nearest_words(out, nearest, count), err);
    }
    return status;
}

habitat_status choice_changes(made_choice *out, habitat_error *err) {
    const char **lines = habitat_arena_alloc(&out->arena, CHOICE_CHANGES_MAX * sizeof *lines);
    if (!lines)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->open.changes = lines;
    return out->open.row_count ? of_rows(out, lines, err) : of_misses(out, lines, err);
}
