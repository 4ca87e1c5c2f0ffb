/* Any bytes as a file of prices. What is read is a price of a GPU of the table, and nothing is kept
 * of a file that is refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <habitat/price.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static habitat_gpu_table *table;
    habitat_prices *prices = NULL;
    habitat_error err = {0};
    size_t count = 0;
    double days = 0;
    if (!table && habitat_gpu_table_create(NULL, &table, NULL) != HABITAT_OK)
        abort();
    if (habitat_prices_create(table, false, &prices, NULL) != HABITAT_OK)
        abort();
    habitat_status status = habitat_prices_read(prices, fuzz_file(data, size), &err);
    const habitat_price *list = habitat_prices_list(prices, &count);
    if (status != HABITAT_OK && (count || !err.message[0]))
        abort();
    for (size_t i = 0; i < count; i++) {
        const habitat_price *p = &list[i];
        if (!p->gpu || !(p->usd_per_hour > 0.0) || !p->min_gpus || !p->file || !p->line ||
            (p->date && !habitat_days_between(p->date, "2026-01-01", &days)) ||
            !habitat_prices_of(prices, p->gpu, p->spot))
            abort();
    }
    habitat_prices_free(prices);
    return 0;
}
