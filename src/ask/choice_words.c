/* A choice in words: why this GPU, and what would change it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/choice_words.h"
#include "base/error.h"
#include "gpu/gpu.h"

enum { WORDS = 160 };

const char *choice_line(made_choice *out, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    habitat_vformat(line, sizeof line, format, args);
    va_end(args);
    return habitat_arena_string(&out->arena, line, strlen(line));
}

bool choice_is_less(double a, double b) {
    const double same = 1e-9;
    return a < b * (1 - same);
}

bool choice_beats(double ms, double usd, double other_ms, double other_usd) {
    return !choice_is_less(other_ms, ms) && !choice_is_less(other_usd, usd) && !isnan(usd) &&
           (choice_is_less(ms, other_ms) || choice_is_less(usd, other_usd));
}

bool choice_lacks_room(int fits, double headroom_bytes) {
    return fits == 0 || (fits < 0 && headroom_bytes < 0.0);
}

const char *choice_room_words(int fits, double headroom_bytes) {
    return fits == 0 ? "too small" : choice_lacks_room(fits, headroom_bytes) ? "may not fit" : "";
}

/* "1.1x", "3x", "12x" */
static void ratio_words(double ratio, char *text, size_t size) {
    habitat_format(text, size, ratio < 10 ? "%.2gx" : "%.0fx", ratio);
}

/* "1.1x as fast as the NAME at 3x the price"; without prices, the first half. */
static void compare(const habitat_choice_row *a, const habitat_choice_row *b, char *text,
                    size_t size) {
    double price = a->cost.usd_per_hour / b->cost.usd_per_hour;
    char fast[16], dear[16];
    ratio_words(b->iteration_ms / a->iteration_ms, fast, sizeof fast);
    ratio_words(price, dear, sizeof dear);
    const char *speed = strcmp(fast, "1x") == 0 ? "" : fast, *gap = *speed ? " " : "";
    if (isnan(price))
        habitat_format(text, size, "%s%sas fast as the %s", speed, gap, b->key.gpu->name);
    else if (strcmp(dear, "1x") == 0)
        habitat_format(text, size, "%s%sas fast as the %s at the same price", speed, gap,
                       b->key.gpu->name);
    else
        habitat_format(text, size, "%s%sas fast as the %s at %s the price", speed, gap,
                       b->key.gpu->name, dear);
}

static void value_words(const habitat_choice *c, double value, char *text, size_t size) {
    switch (c->options.objective) {
    case HABITAT_OBJECTIVE_TIME:
        habitat_format(text, size, "%.3g ms an iteration", value);
        break;
    case HABITAT_OBJECTIVE_ENERGY:
        habitat_format(text, size, "about %.3g J an iteration", value);
        break;
    case HABITAT_OBJECTIVE_COST:
    case HABITAT_OBJECTIVE_COUNT:
        habitat_format(text, size, "$%.3g for 1,000 iterations", value);
        break;
    }
}

static size_t count_ties(const habitat_choice *c) {
    size_t count = 0;
    for (size_t i = 1; i < c->row_count; i++)
        count += c->rows[i].tie;
    return count;
}

static const char *reason_of(made_choice *out) {
    const habitat_choice *c = &out->open;
    char value[WORDS], other[WORDS];
    if (!c->recommended)
        return choice_line(out, "No GPU can be taken: each is left out for a reason.");
    const char *least = c->rows[0].cost.at_least ? "at least " : "";
    value_words(c, c->rows[0].value, value, sizeof value);
    if (c->row_count == 1)
        return choice_line(out, "%s: %s%s; no other GPU can be taken.", c->rows[0].key.gpu->name,
                           least, value);
    compare(&c->rows[0], &c->rows[1], other, sizeof other);
    size_t ties = count_ties(c);
    if (ties)
        return choice_line(out,
                           "%s: %s%s, the least, but %zu other%s too close to tell apart: it is "
                           "%s.",
                           c->rows[0].key.gpu->name, least, value, ties, ties > 1 ? "s are" : " is",
                           other);
    return choice_line(out, "%s: %s%s, the least: it is %s.", c->rows[0].key.gpu->name, least,
                       value, other);
}

/* ---- what would change it ---- */

/* The GPU that is first by another objective, if it is another one. */
static const habitat_choice_row *best_by(const habitat_choice *c, bool time) {
    const habitat_choice_row *best = NULL;
    for (size_t i = 0; i < c->row_count; i++) {
        const habitat_choice_row *row = &c->rows[i];
        double value = time ? row->iteration_ms : row->cost.usd_per_1000_iterations;
        double least = !best  ? INFINITY
                       : time ? best->iteration_ms
                              : best->cost.usd_per_1000_iterations;
        if (choice_is_less(value, least))
            best = row;
    }
    return best == c->recommended ? NULL : best;
}

/* US dollars an hour at which 1,000 iterations of `ms` cost `usd`: 1,000 ms are a second, and an
 * hour has 3,600. */
static double hourly(double usd, double ms) {
    return usd / ms * 3600;
}

/* At which price the second would be as cheap. */
static const char *price_change(made_choice *out) {
    const habitat_choice_row *first = &out->open.rows[0], *second = &out->open.rows[1];
    double even = hourly(first->value, second->iteration_ms);
    return choice_line(out, "Price: below $%.2f an hour (it is $%.2f) the %s would be cheaper.",
                       even, second->cost.usd_per_hour, second->key.gpu->name);
}

static const char *other_objective(made_choice *out, bool time) {
    const habitat_choice_row *other = best_by(&out->open, time), *first = &out->open.rows[0];
    char words[WORDS], cost[16], fast[16];
    if (!other)
        return "";
    compare(other, first, words, sizeof words);
    if (time)
        return choice_line(out, "If time counts: the %s is %s.", other->key.gpu->name, words);
    ratio_words(other->cost.usd_per_1000_iterations / first->cost.usd_per_1000_iterations, cost,
                sizeof cost);
    ratio_words(first->iteration_ms / other->iteration_ms, fast, sizeof fast);
    if (isnan(first->cost.usd_per_hour))
        return choice_line(out, "If cost counts: the %s, of those with a price.",
                           other->key.gpu->name);
    bool equal = strcmp(fast, "1x") == 0;
    return choice_line(out, "If cost counts: the %s is %s%sas fast at %s the cost of an iteration.",
                       other->key.gpu->name, equal ? "" : fast, equal ? "" : " ", cost);
}

/* The fastest of those without a price: below which price it would be the cheapest. */
static const char *unpriced(made_choice *out) {
    const habitat_choice *c = &out->open;
    const habitat_exclusion *best = NULL;
    for (size_t i = 0; i < c->excluded_count; i++)
        if (c->excluded[i].kind == HABITAT_EXCLUDED_NO_PRICE &&
            (!best || c->excluded[i].iteration_ms < best->iteration_ms))
            best = &c->excluded[i];
    if (!best || c->options.objective != HABITAT_OBJECTIVE_COST)
        return "";
    return choice_line(out, "No price is known of the %s: below $%.2f an hour it would be cheaper.",
                       best->key.gpu->name, hourly(c->rows[0].value, best->iteration_ms));
}

static habitat_status add(made_choice *out, const char **lines, const char *line,
                          habitat_error *err) {
    if (!line)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (*line)
        lines[out->open.change_count++] = line;
    return HABITAT_OK;
}

habitat_status choice_words(made_choice *out, habitat_error *err) {
    habitat_choice *c = &out->open;
    bool cost = c->options.objective == HABITAT_OBJECTIVE_COST;
    const char **lines = habitat_arena_alloc(&out->arena, CHANGES_MAX * sizeof *lines);
    c->reason = reason_of(out);
    if (!lines || !c->reason)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    c->changes = lines;
    habitat_status status = HABITAT_OK;
    if (!c->row_count)
        return status;
    if (cost && c->row_count > 1)
        status = add(out, lines, price_change(out), err);
    if (status == HABITAT_OK && c->options.objective != HABITAT_OBJECTIVE_TIME)
        status = add(out, lines, other_objective(out, true), err);
    if (status == HABITAT_OK && !cost)
        status = add(out, lines, other_objective(out, false), err);
    return status == HABITAT_OK ? add(out, lines, unpriced(out), err) : status;
}
