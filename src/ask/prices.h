/* A list of prices from inside: its readers add to it. */
#ifndef HABITAT_ASK_PRICES_H
#define HABITAT_ASK_PRICES_H

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

/* prices_json.c; text has a NUL after `size` bytes. skip_unknown: prices of GPUs that the table
 * does not have are left out. */
habitat_status prices_read_json(habitat_prices *prices, const char *text, size_t size,
                                const char *file, habitat_price_origin origin, bool skip_unknown,
                                habitat_error *err);

/* prices_table.c */
habitat_status prices_read_csv(habitat_prices *prices, const char *path, habitat_error *err);

#endif
