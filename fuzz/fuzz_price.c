/* Any bytes as a file of prices, alone and beside the built-in ones. What is read is a price of a
 * GPU of the table, and nothing is kept of a file that is refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <habitat/price.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_price(const habitat_prices *prices, const habitat_price *p) {
    double days = 0;
    if (!p->gpu || !(p->usd_per_hour > 0.0) || !p->min_gpus || !p->file || !p->line ||
        (p->date && !habitat_days_between(p->date, "2026-01-01", &days)) ||
        !habitat_prices_of(prices, p->gpu, p->spot))
        abort();
}

/* What was given stands before what a file says, and a file before the built-in list. */
static void check_order(habitat_prices *prices, const habitat_price *read) {
    const habitat_gpu *gpu = read->gpu;
    if (habitat_prices_of(prices, gpu, read->spot)->origin == HABITAT_PRICE_BUILTIN ||
        habitat_prices_set(prices, gpu, 2.5, NULL) != HABITAT_OK ||
        habitat_prices_of(prices, gpu, false)->usd_per_hour != 2.5)
        abort();
}

static void read_with(const habitat_gpu_table *table, const char *path, bool builtin) {
    habitat_prices *prices = NULL;
    habitat_error err = {0};
    size_t before = 0, count = 0, notes = 0;
    if (habitat_prices_create(table, builtin, &prices, NULL) != HABITAT_OK)
        abort();
    habitat_prices_list(prices, &before);
    habitat_status status = habitat_prices_read(prices, path, &err);
    const habitat_price *list = habitat_prices_list(prices, &count);
    if (status != HABITAT_OK && (count != before || !err.message[0]))
        abort();
    for (size_t i = before; i < count; i++)
        check_price(prices, &list[i]);
    for (size_t i = 0; habitat_prices_notes(prices, &notes) && i < notes; i++)
        if (!habitat_prices_notes(prices, &notes)[i][0])
            abort(); /* a note without a word */
    if (count > before) {
        habitat_price read = list[before]; /* the list moves when a price is added */
        check_order(prices, &read);
    }
    habitat_prices_free(prices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static habitat_gpu_table *table;
    if (!table && habitat_gpu_table_create(NULL, &table, NULL) != HABITAT_OK)
        abort();
    const char *path = fuzz_file(data, size);
    read_with(table, path, false);
    read_with(table, path, true);
    return 0;
}
