/* A choice in words: why this GPU. What would change it: choice_changes.c. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <habitat/text.h>

#include "ask/choice_words.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "workload/workload.h"

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

void choice_count_words(uint32_t count, char *text, size_t size) {
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
        choice_count_words(key->gpu_count, count, sizeof count);
    if (c->batches_differ)
        habitat_format(batch, sizeof batch, " at batch %llu", (unsigned long long)key->batch_size);
    habitat_format(text, CHOICE_NAME_BYTES, "%s%s%.64s%s", count, counts ? " " : "", key->gpu->name,
                   batch);
}

void choice_the_name(const habitat_choice *c, const habitat_answer_key *key,
                     char text[CHOICE_NAME_BYTES]) {
    char name[CHOICE_NAME_BYTES];
    choice_name(c, key, name);
    habitat_format(text, CHOICE_NAME_BYTES, "%s%s", choice_counts(c, key) ? "" : "the ", name);
}

bool choice_is_plural(const habitat_choice *c, const habitat_answer_key *key) {
    return choice_counts(c, key) && key->gpu_count > 1;
}

double choice_time_of(const habitat_choice *c, const habitat_choice_row *row) {
    return row->iteration_ms / choice_unit(c, row->samples);
}

double choice_usd_of(const habitat_choice *c, const habitat_choice_row *row) {
    return row->cost.usd_per_1000_iterations / choice_unit(c, row->samples);
}

void choice_ratio(double ratio, char *text, size_t size) {
    habitat_format(text, size, ratio < 10 ? "%.2gx" : "%.0fx", ratio);
}

static bool is_one(const char *ratio) {
    return strcmp(ratio, "1x") == 0;
}

/* A ratio near 1 with a third digit. */
static void near_ratio(double ratio, char *text, size_t size) {
    choice_ratio(ratio, text, size);
    if (is_one(text))
        habitat_format(text, size, "%.3gx", ratio);
}

/* b beside a: "the NAME"; of the same GPU "one of them", "the same GPU at batch 8". */
static void name_beside(const habitat_choice *c, const habitat_answer_key *a,
                        const habitat_answer_key *b, char text[CHOICE_NAME_BYTES]) {
    char count[24] = "", batch[48] = "";
    if (a->gpu != b->gpu) {
        choice_the_name(c, b, text);
        return;
    }
    if (a->batch_size != b->batch_size)
        habitat_format(batch, sizeof batch, " at batch %llu", (unsigned long long)b->batch_size);
    choice_count_words(b->gpu_count, count, sizeof count);
    if (a->gpu_count != b->gpu_count)
        habitat_format(text, CHOICE_NAME_BYTES, "%s of them%s", count, batch);
    else
        habitat_format(text, CHOICE_NAME_BYTES, "the same GPU%s%s", a->gpu_count > 1 ? "s" : "",
                       batch);
}

void choice_compare(const habitat_choice *c, const habitat_choice_row *a,
                    const habitat_choice_row *b, char *text, size_t size) {
    double price = a->cost.usd_per_hour / b->cost.usd_per_hour;
    double speed_ratio = choice_time_of(c, b) / choice_time_of(c, a);
    bool same = a->key.gpu == b->key.gpu && a->key.gpu_count == b->key.gpu_count;
    char fast[16], dear[16], name[CHOICE_NAME_BYTES];
    choice_ratio(speed_ratio, fast, sizeof fast);
    choice_ratio(price, dear, sizeof dear);
    if (is_one(fast) && (isnan(price) || is_one(dear))) { /* else nothing would be said */
        near_ratio(speed_ratio, fast, sizeof fast);
        near_ratio(price, dear, sizeof dear);
    }
    name_beside(c, &a->key, &b->key, name);
    if (is_one(fast) && (isnan(price) || is_one(dear))) {
        bool cost = c->options.objective == HABITAT_OBJECTIVE_COST;
        habitat_format(text, size, "hardly %s than %s", cost ? "cheaper" : "faster", name);
        return;
    }
    const char *speed = is_one(fast) ? "" : fast, *gap = *speed ? " " : "";
    if (isnan(price) || same)
        habitat_format(text, size, "%s%sas fast as %s", speed, gap, name);
    else if (is_one(dear))
        habitat_format(text, size, "%s%sas fast as %s at the same price", speed, gap, name);
    else
        habitat_format(text, size, "%s%sas fast as %s at %s the price", speed, gap, name, dear);
}

/* "it takes 0.9x the energy of the NAME and is 0.46x as fast" */
static void compare_energy(const habitat_choice *c, const habitat_choice_row *a,
                           const habitat_choice_row *b, char *text, size_t size) {
    double energy = a->cost.energy_j / choice_unit(c, a->samples);
    double other = b->cost.energy_j / choice_unit(c, b->samples);
    char less[16], fast[16], name[CHOICE_NAME_BYTES];
    near_ratio(energy / other, less, sizeof less);
    choice_ratio(choice_time_of(c, b) / choice_time_of(c, a), fast, sizeof fast);
    name_beside(c, &a->key, &b->key, name);
    bool plural = choice_is_plural(c, &a->key);
    bool same = is_one(less), as_fast = is_one(fast);
    habitat_format(text, size, "%s %s%s %s and %s %s%sas fast", plural ? "they take" : "it takes",
                   same ? "hardly less energy than" : less, same ? "" : " the energy of", name,
                   plural ? "are" : "is", as_fast ? "" : fast, as_fast ? "" : " ");
}

/* ---- the reason ---- */

/* Sentences that are put together part by part; what does not fit is cut. */
typedef struct sentence {
    char text[768];
    size_t used;
} sentence;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(sentence *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = habitat_vformat(to->text + to->used, sizeof to->text - to->used, format, args);
    va_end(args);
    to->used += length > 0 ? (size_t)length : 0;
    if (to->used >= sizeof to->text)
        to->used = sizeof to->text - 1;
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

size_t choice_equals(const habitat_choice *c) {
    size_t count = 1;
    while (count < c->row_count && !choice_is_less(c->rows[0].value, c->rows[count].value))
        count++;
    return c->row_count ? count - 1 : 0;
}

/* Why the first of equal ones stands first: the order of habitat_choice::rows. */
static const char *first_of_equals(const habitat_choice *c) {
    const habitat_choice_row *first = &c->rows[0], *next = &c->rows[1];
    double usd = choice_usd_of(c, first), other = choice_usd_of(c, next);
    if (choice_is_less(choice_time_of(c, first), choice_time_of(c, next)))
        return "the fastest of these";
    if (!isnan(usd) && isnan(other))
        return "the only one of these with a price";
    if (choice_is_less(usd, other))
        return "the cheapest of these";
    return first->calibrated && !next->calibrated ? "its interval alone is calibrated"
                                                  : "nothing tells them apart";
}

static void say_equals(sentence *to, const habitat_choice *c, size_t equals, size_t ties) {
    char name[CHOICE_NAME_BYTES];
    choice_the_name(c, &c->rows[1].key, name);
    if (equals == 1)
        say(to, ", the least, the same as %s; ", name);
    else
        say(to, ", the least, the same as %zu others; ", equals);
    say(to, "%s.", first_of_equals(c));
    if (ties > equals)
        say(to, " %zu more %s too close to tell apart.", ties - equals,
            ties - equals > 1 ? "are" : "is");
}

/* Of few GPUs beside more of the same: what more of them are worth. */
static void say_more_of_them(sentence *to, const habitat_choice *c) {
    const habitat_choice_row *first = &c->rows[0], *next = &c->rows[1];
    char fast[16], dear[16], name[CHOICE_NAME_BYTES];
    near_ratio(choice_time_of(c, first) / choice_time_of(c, next), fast, sizeof fast);
    choice_ratio(next->cost.usd_per_hour / first->cost.usd_per_hour, dear, sizeof dear);
    name_beside(c, &first->key, &next->key, name);
    bool as_fast = is_one(fast);
    say(to, ": %s are %s%sas fast", name, as_fast ? "" : fast, as_fast ? "" : " ");
    if (!isnan(next->cost.usd_per_hour / first->cost.usd_per_hour))
        say(to, " at %s the price", dear);
    say(to, ".");
}

static void say_least(sentence *to, const habitat_choice *c, size_t ties) {
    char other[CHOICE_WORDS];
    const habitat_choice_row *first = &c->rows[0], *next = &c->rows[1];
    bool energy = c->options.objective == HABITAT_OBJECTIVE_ENERGY;
    say(to, ", the least");
    if (ties)
        say(to, ", but %zu other%s too close to tell apart", ties, ties > 1 ? "s are" : " is");
    if (energy) {
        compare_energy(c, first, next, other, sizeof other);
        say(to, ": %s.", other);
    } else if (next->key.gpu == first->key.gpu && next->key.gpu_count > first->key.gpu_count) {
        say_more_of_them(to, c);
    } else {
        choice_compare(c, first, next, other, sizeof other);
        say(to, ": %s %s.", choice_is_plural(c, &first->key) ? "they are" : "it is", other);
    }
}

/* Whether some recording, made without a GPU, holds operations whose work nobody knows. */
static bool lacks_work(const habitat_choice *c) {
    for (size_t i = 0; i < c->answer_count; i++)
        if (c->answers[i]->workload->left_out_count)
            return true;
    return false;
}

const char *choice_at_least_words(const habitat_choice *c) {
    if (!c->at_least)
        return "";
    if (lacks_work(c))
        return "the work of some operations is not known (`habitat predict` names them) and left "
               "out: times, hours and dollars are at least these";
    return habitat_workload_get_info(c->answers[0]->workload)->origin
               ? "the recorded GPU waited for its CPU; times are the GPU's busy time, and times, "
                 "hours and dollars are at least these"
               : "recorded without a GPU: where a GPU is done before its CPU, times, hours and "
                 "dollars are at least these";
}

/* What hardly anybody would guess of the GPU that is recommended. */
static void say_caution(sentence *to, const habitat_choice *c) {
    const habitat_choice_row *first = &c->rows[0];
    if (lacks_work(c))
        say(to, " Not all of its work is known: another GPU may be better.");
    if (first->cpu_sets)
        say(to, " The CPU sets the time, not the GPU.");
    if (first->other_vendor)
        say(to, " No measurement checks it: another vendor's.");
    if (first->fits < 0)
        say(to, " Whether it fits is not known.");
}

static const char *reason_of(made_choice *out) {
    const habitat_choice *c = &out->open;
    sentence s = {.used = 0};
    char value[CHOICE_WORDS], name[CHOICE_NAME_BYTES];
    if (!c->recommended)
        return choice_line(out, "No GPU can be taken: each is left out for a reason.");
    size_t equals = choice_equals(c), ties = count_ties(c);
    value_words(c, c->rows[0].value, value, sizeof value);
    choice_name(c, &c->rows[0].key, name);
    say(&s, "%s: %s%s", name, c->rows[0].cost.at_least ? "at least " : "", value);
    if (c->row_count == 1)
        say(&s, "; no other GPU can be taken.");
    else if (equals)
        say_equals(&s, c, equals, ties);
    else
        say_least(&s, c, ties);
    say_caution(&s, c);
    return habitat_arena_string(&out->arena, s.text, s.used);
}

habitat_status choice_words(made_choice *out, habitat_error *err) {
    out->open.reason = reason_of(out);
    return out->open.reason ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
