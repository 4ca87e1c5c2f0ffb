/* A list of prices from inside: its readers add to it. */
#ifndef HABITAT_ASK_PRICES_LIST_H
#define HABITAT_ASK_PRICES_LIST_H

#include <habitat/price.h>

#include "base/arena.h"

struct habitat_prices {
    const habitat_gpu_table *table;
    habitat_price *list; /* shape (count) */
    size_t count, capacity;
    const char **notes; /* shape (note_count) */
    size_t note_count;
    habitat_arena arena; /* texts */
};

/* Adds a price; its texts are copied. HABITAT_E_RANGE for a price that is none, E_MEMORY. */
habitat_status prices_add(habitat_prices *prices, const habitat_price *price, habitat_error *err);
habitat_status prices_note(habitat_prices *prices, const char *text, habitat_error *err);

/* "2026", "2026-09", "2026-09-25". */
bool price_date(const char *text);

/* Whether a price was asked on demand or spot, from "on-demand" or "spot"; false for other words.
 */
bool price_kind(const char *word, bool *spot);

#endif
