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

double choice_unit(const habitat_choice *c, double samples) {
    return c->per_sample ? samples : 1;
}

/* ---- names ---- */

bool choice_counts(const habitat_choice *c, const habitat_answer_key *key) {
    return c->gpus_differ || key->gpu_count > 1;
}

const char *choice_take(const habitat_choice *c) {
    if (!c->recommended)
        return "";
    return choice_counts(c, &c->recommended->key) ? "Take " : "Take the ";
}

static void count_words(uint32_t count, char *text, size_t size) {
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    if (count < sizeof words / sizeof *words)
        habitat_format(text, size, "%s", words[count]);
    else
        habitat_format(text, size, "%u", count);
}

void choice_name(const habitat_choice *c, const habitat_answer_key *key,
                 char text[CHOICE_NAME_BYTES]) {
    char count[24] = "", batch[48] = "";
    bool counts = choice_counts(c, key);
    if (counts)
        count_words(key->gpu_count, count, sizeof count);
    if (c->batches_differ)
        habitat_format(batch, sizeof batch, " at batch %llu", (unsigned long long)key->batch_size);
    habitat_format(text, CHOICE_NAME_BYTES, "%s%s%.64s%s", count, counts ? " " : "", key->gpu->name,
                   batch);
}

/* "the L40S", "two L40S" */
static void name_words(const habitat_choice *c, const habitat_answer_key *key,
                       char text[CHOICE_NAME_BYTES + 8]) {
    char name[CHOICE_NAME_BYTES];
    choice_name(c, key, name);
    habitat_format(text, CHOICE_NAME_BYTES + 8, "%s%s", choice_counts(c, key) ? "" : "the ", name);
}

static bool is_plural(const habitat_choice *c, const habitat_answer_key *key) {
    return choice_counts(c, key) && key->gpu_count > 1;
}

/* Of an iteration, or of a sample. */
static double time_of(const habitat_choice *c, const habitat_choice_row *row) {
    return row->iteration_ms / choice_unit(c, row->samples);
}

static double usd_of(const habitat_choice *c, const habitat_choice_row *row) {
    return row->cost.usd_per_1000_iterations / choice_unit(c, row->samples);
}

/* ---- why ---- */

/* "1.1x", "3x", "12x" */
static void ratio_words(double ratio, char *text, size_t size) {
    habitat_format(text, size, ratio < 10 ? "%.2gx" : "%.0fx", ratio);
}

/* "1.1x as fast as the NAME at 3x the price"; without prices, the first half. */
static void compare(const habitat_choice *c, const habitat_choice_row *a,
                    const habitat_choice_row *b, char *text, size_t size) {
    double price = a->cost.usd_per_hour / b->cost.usd_per_hour;
    char fast[16], dear[16], name[CHOICE_NAME_BYTES + 8];
    ratio_words(time_of(c, b) / time_of(c, a), fast, sizeof fast);
    ratio_words(price, dear, sizeof dear);
    name_words(c, &b->key, name);
    const char *speed = strcmp(fast, "1x") == 0 ? "" : fast, *gap = *speed ? " " : "";
    if (isnan(price))
        habitat_format(text, size, "%s%sas fast as %s", speed, gap, name);
    else if (strcmp(dear, "1x") == 0)
        habitat_format(text, size, "%s%sas fast as %s at the same price", speed, gap, name);
    else
        habitat_format(text, size, "%s%sas fast as %s at %s the price", speed, gap, name, dear);
}

static void value_words(const habitat_choice *c, double value, char *text, size_t size) {
    const char *one = c->per_sample ? "a sample" : "an iteration";
    switch (c->options.objective) {
    case HABITAT_OBJECTIVE_TIME:
        habitat_format(text, size, "%.3g ms %s", value, one);
        break;
    case HABITAT_OBJECTIVE_ENERGY:
        habitat_format(text, size, "about %.3g J %s", value, one);
        break;
    case HABITAT_OBJECTIVE_COST:
    case HABITAT_OBJECTIVE_COUNT:
        habitat_format(text, size, "$%.3g for %s", value,
                       c->per_sample ? "1,000,000 samples" : "1,000 iterations");
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
    char value[WORDS], other[2 * WORDS], name[CHOICE_NAME_BYTES];
    if (!c->recommended)
        return choice_line(out, "No GPU can be taken: each is left out for a reason.");
    const char *least = c->rows[0].cost.at_least ? "at least " : "";
    const char *are = is_plural(c, &c->rows[0].key) ? "they are" : "it is";
    choice_name(c, &c->rows[0].key, name);
    value_words(c, c->rows[0].value, value, sizeof value);
    if (c->row_count == 1)
        return choice_line(out, "%s: %s%s; no other GPU can be taken.", name, least, value);
    compare(c, &c->rows[0], &c->rows[1], other, sizeof other);
    size_t ties = count_ties(c);
    if (ties)
        return choice_line(out,
                           "%s: %s%s, the least, but %zu other%s too close to tell apart: %s %s.",
                           name, least, value, ties, ties > 1 ? "s are" : " is", are, other);
    return choice_line(out, "%s: %s%s, the least: %s %s.", name, least, value, are, other);
}

/* ---- what would change it ---- */

/* The row that is first by another objective, if it is another one. */
static const habitat_choice_row *best_by(const habitat_choice *c, bool time) {
    const habitat_choice_row *best = NULL;
    for (size_t i = 0; i < c->row_count; i++) {
        const habitat_choice_row *row = &c->rows[i];
        double value = time ? time_of(c, row) : usd_of(c, row);
        double least = !best ? INFINITY : time ? time_of(c, best) : usd_of(c, best);
        if (choice_is_less(value, least))
            best = row;
    }
    return best == c->recommended ? NULL : best;
}

/* US dollars an hour at which what takes `ms` costs as much as the first row. 1,000 ms are a
 * second, and an hour has 3,600. */
static double hourly(const habitat_choice *c, double ms) {
    return usd_of(c, &c->rows[0]) / ms * 3600;
}

/* At which price the best of the other GPUs would be as cheap. */
static const char *price_change(made_choice *out) {
    const habitat_choice *c = &out->open;
    const habitat_choice_row *second = NULL;
    char name[CHOICE_NAME_BYTES + 8];
    for (size_t i = 1; i < c->row_count && !second; i++)
        if (c->rows[i].key.gpu != c->rows[0].key.gpu)
            second = &c->rows[i];
    if (!second)
        return "";
    name_words(c, &second->key, name);
    return choice_line(out, "Price: below $%.2f an hour (%s $%.2f) %s would be cheaper.",
                       hourly(c, time_of(c, second)),
                       is_plural(c, &second->key) ? "all together are" : "it is",
                       second->cost.usd_per_hour, name);
}

static const char *other_objective(made_choice *out, bool time) {
    const habitat_choice *c = &out->open;
    const habitat_choice_row *other = best_by(c, time), *first = &c->rows[0];
    char words[2 * WORDS], cost[16], fast[16], name[CHOICE_NAME_BYTES + 8];
    if (!other)
        return "";
    const char *is = is_plural(c, &other->key) ? "are" : "is";
    compare(c, other, first, words, sizeof words);
    name_words(c, &other->key, name);
    if (time)
        return choice_line(out, "If time counts: %s %s %s.", name, is, words);
    ratio_words(usd_of(c, other) / usd_of(c, first), cost, sizeof cost);
    ratio_words(time_of(c, first) / time_of(c, other), fast, sizeof fast);
    if (isnan(first->cost.usd_per_hour))
        return choice_line(out, "If cost counts: %s, of those with a price.", name);
    bool equal = strcmp(fast, "1x") == 0;
    return choice_line(out, "If cost counts: %s %s %s%sas fast at %s the cost of %s.", name, is,
                       equal ? "" : fast, equal ? "" : " ", cost,
                       c->per_sample ? "a sample" : "an iteration");
}

/* The fastest of those without a price: below which price it would be the cheapest. */
static const char *unpriced(made_choice *out) {
    const habitat_choice *c = &out->open;
    const habitat_exclusion *best = NULL;
    char name[CHOICE_NAME_BYTES + 8];
    double ms = INFINITY;
    for (size_t i = 0; i < c->excluded_count; i++) {
        const habitat_exclusion *one = &c->excluded[i];
        double other_ms = one->iteration_ms / choice_unit(c, one->samples);
        if (one->kind == HABITAT_EXCLUDED_NO_PRICE && other_ms < ms) {
            best = one;
            ms = other_ms;
        }
    }
    if (!best || c->options.objective != HABITAT_OBJECTIVE_COST)
        return "";
    name_words(c, &best->key, name);
    bool plural = is_plural(c, &best->key);
    return choice_line(out, "No price is known of %s: below $%.2f an hour%s %s would be cheaper.",
                       name, hourly(c, ms), plural ? " for all" : "", plural ? "they" : "it");
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
