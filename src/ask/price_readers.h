/* The readers of prices. */
#ifndef HABITAT_ASK_PRICE_READERS_H
#define HABITAT_ASK_PRICE_READERS_H

#include <habitat/price.h>

/* prices_json.c; text has a NUL after `size` bytes. skip_unknown: prices of GPUs that the table
 * does not have are left out. */
habitat_status prices_read_json(habitat_prices *prices, const char *text, size_t size,
                                const char *file, habitat_price_origin origin, bool skip_unknown,
                                habitat_error *err);

/* prices_table.c; `descriptor` can go back to its first byte, `path` is its name. */
habitat_status prices_read_csv(habitat_prices *prices, int descriptor, const char *path,
                               habitat_error *err);

#endif
