/* A list of prices: what is added to it, and the one to reckon with; dates. */
#include "ask/prices_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/error.h"
#include "base/list.h"

enum { HIGHEST_USD = 1000 };

/* ---- dates ---- */

bool price_date(const char *text) {
    int year, month, day;
    return date_read(text, &year, &month, &day);
}

/* Days since 1 March of the year 0: a leap day is the last day of its year then. */
static long day_number(int year, int month, int day) {
    long y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day;
}

bool habitat_days_between(const char *from, const char *to, double *days) {
    int year, month, day;
    if (!days || !date_read(from, &year, &month, &day))
        return false;
    long start = day_number(year, month, day);
    if (!date_read(to, &year, &month, &day))
        return false;
    *days = (double)(day_number(year, month, day) - start);
    return true;
}

bool price_kind(const char *word, bool *spot) {
    bool is_spot = strcmp(word, "spot") == 0;
    if (!is_spot && strcmp(word, "on-demand") != 0)
        return false;
    *spot = is_spot;
    return true;
}

/* ---- the list ---- */

static bool keep(habitat_prices *prices, const char **text) {
    if (*text)
        *text = habitat_arena_string(&prices->arena, *text, strlen(*text));
    return *text != NULL;
}

habitat_status prices_add(habitat_prices *prices, const habitat_price *price, habitat_error *err) {
    habitat_price kept = *price;
    const char **texts[] = {&kept.provider, &kept.region, &kept.product,
                            &kept.source,   &kept.date,   &kept.file};
    if (!(price->usd_per_hour > 0.0 && price->usd_per_hour <= HIGHEST_USD))
        return habitat_fail_at(err, HABITAT_E_RANGE, price->file, UINT64_MAX, price->line,
                               "%s: the price of a GPU-hour must be more than 0 and at most %d US "
                               "dollars",
                               habitat_gpu_name(price->gpu), HIGHEST_USD);
    habitat_price *list =
        list_grow(prices->list, prices->count, &prices->capacity, 64, SIZE_MAX, sizeof *list);
    if (!list)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    prices->list = list;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (*texts[i] && !keep(prices, texts[i]))
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    prices->list[prices->count++] = kept;
    return HABITAT_OK;
}

habitat_status prices_note(habitat_prices *prices, const char *text, habitat_error *err) {
    const char **grown = realloc(prices->notes, (prices->note_count + 1) * sizeof *grown);
    if (grown)
        prices->notes = grown;
    if (!grown || !keep(prices, &text))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    prices->notes[prices->note_count++] = text;
    return HABITAT_OK;
}

habitat_status habitat_prices_set(habitat_prices *prices, const habitat_gpu *gpu,
                                  double usd_per_hour, habitat_error *err) {
    if (!prices || !gpu)
        return habitat_fail(err, HABITAT_E_ARG, "no prices or no GPU given");
    habitat_price price = {
        .gpu = gpu, .usd_per_hour = usd_per_hour, .origin = HABITAT_PRICE_GIVEN, .min_gpus = 1};
    return prices_add(prices, &price, err);
}

/* Of two prices of one GPU and kind: whether `a` is the one to reckon with. */
static bool comes_before(const habitat_price *a, const habitat_price *b) {
    if (a->origin != b->origin)
        return a->origin > b->origin;
    if (a->origin == HABITAT_PRICE_GIVEN)
        return true; /* the last one given */
    if (a->shared_name != b->shared_name)
        return b->shared_name; /* a row of this very part is meant for it */
    if (a->gpu_alone != b->gpu_alone)
        return b->gpu_alone;
    if (a->min_gpus != b->min_gpus)
        return a->min_gpus < b->min_gpus;
    return a->usd_per_hour < b->usd_per_hour;
}

const habitat_price *habitat_prices_of(const habitat_prices *prices, const habitat_gpu *gpu,
                                       bool spot) {
    const habitat_price *best = NULL;
    for (size_t i = 0; prices && i < prices->count; i++) {
        const habitat_price *p = &prices->list[i];
        bool asked = p->gpu == gpu && (p->spot == spot || p->origin == HABITAT_PRICE_GIVEN);
        if (asked && (!best || comes_before(p, best)))
            best = p;
    }
    return best;
}

const habitat_price *habitat_prices_list(const habitat_prices *prices, size_t *count) {
    *count = prices->count;
    return prices->list;
}

const char *const *habitat_prices_notes(const habitat_prices *prices, size_t *count) {
    *count = prices->note_count;
    return prices->notes;
}

void habitat_prices_free(habitat_prices *prices) {
    if (!prices)
        return;
    free(prices->list);
    free(prices->notes);
    habitat_arena_free(&prices->arena);
    free(prices);
}
