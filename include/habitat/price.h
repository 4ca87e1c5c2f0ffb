/* Prices: what an hour of a GPU costs, who asks it, and since when.
 *
 * The library carries a list of prices (data/prices.json), each with its source and its day. A user
 * adds files and single prices; these come before the list. A GPU without a price has no cost:
 * nothing is estimated.
 *
 * Half: experimental.
 * Units: US dollars for an hour of one GPU.
 * Ownership: the caller frees a list of prices. It borrows the GPU table that it was made with.
 * Prices and texts belong to their list, until something is added to it.
 * Errors: a habitat_status with file and line in `err`, which may be NULL. A list is unchanged on
 * failure.
 * Threads: several threads may read one list. Adding to it needs it alone. */
#ifndef HABITAT_PRICE_H
#define HABITAT_PRICE_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/price.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <stdbool.h>

#include <habitat/gpu.h>
#include <habitat/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who said a price: a later kind comes before an earlier one. */
typedef enum habitat_price_origin {
    HABITAT_PRICE_BUILTIN = 0, /* data/prices.json */
    HABITAT_PRICE_FILE,        /* a file of the user's */
    HABITAT_PRICE_GIVEN,       /* by the user, for this GPU */
} habitat_price_origin;

/* One price. */
typedef struct habitat_price {
    const habitat_gpu *gpu;
    double usd_per_hour; /* of one GPU */
    habitat_price_origin origin;
    bool spot;         /* can be taken away at any time; else on demand */
    bool gpu_alone;    /* the machine around the GPU is charged apart */
    bool shared_name;  /* of a file that says a name which several parts share ("A100") */
    uint32_t min_gpus; /* that are rented together at this price */
    const char *provider, *region; /* NULL: not said */
    const char *product, *source;  /* NULL: not said */
    const char *date;              /* "2026-09-25", "2026-09" or "2026"; NULL: not said */
    const char *file;              /* "built-in", or where it was read; NULL: given by the user */
    uint64_t line;                 /* of it; 0 without one */
} habitat_price;

/* A list of prices. */
typedef struct habitat_prices habitat_prices;

/** A list of prices.
 * @param table   GPUs that prices are for, borrowed, not NULL; must outlive the list.
 * @param builtin whether it begins with the library's own.
 * @param out     receives the list; free with habitat_prices_free(). Untouched on error.
 * @param err     where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_MEMORY. A built-in price of a GPU that the table
 *         does not have is left out.
 * @note   Safe from several threads.
 * @tested tests/unit/test_price.c @since 0.2 */
HABITAT_API habitat_status habitat_prices_create(const habitat_gpu_table *table, bool builtin,
                                                 habitat_prices **out, habitat_error *err);

/** Add the prices of a file: JSON like data/prices.json; CSV with the columns gpu and
 * usd_per_gpu_hour; CSV with the columns of a SkyPilot catalogue (docs/prices.md).
 * @param prices gains the prices of the file; unchanged on error.
 * @param path   file; CSV may be packed with gzip.
 * @param err    where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_IO; HABITAT_E_PARSE, _FORMAT, _RANGE, _VERSION for a bad file;
 *         HABITAT_E_UNKNOWN_GPU (not for catalogues, which also list other devices: a note names
 *         those); HABITAT_E_MEMORY.
 * @note   One thread at a time; nobody else may use the list meanwhile.
 * @tested tests/unit/test_price.c, fuzz/fuzz_price.c @since 0.2 */
HABITAT_API habitat_status habitat_prices_read(habitat_prices *prices, const char *path,
                                               habitat_error *err);

/** Set the price of a GPU, before all others, on demand and spot.
 * @param prices       gains the price; unchanged on error.
 * @param gpu          borrowed; must outlive the list.
 * @param usd_per_hour finite, > 0.
 * @param err          where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_RANGE; HABITAT_E_MEMORY.
 * @note   One thread at a time; nobody else may use the list meanwhile.
 * @since 0.2 */
HABITAT_API habitat_status habitat_prices_set(habitat_prices *prices, const habitat_gpu *gpu,
                                              double usd_per_hour, habitat_error *err);

/** The price to reckon with: the user's own before the library's; a whole machine's before that of
 * a GPU alone; one that is asked for the fewest GPUs; then the lowest.
 * @param prices borrowed for the call.
 * @param gpu    borrowed for the call.
 * @param spot   spot prices; else on-demand ones.
 * @return borrowed, until something is added to the list; NULL if none is known.
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API const habitat_price *habitat_prices_of(const habitat_prices *prices,
                                                   const habitat_gpu *gpu, bool spot);

/** All prices, in the order in which they came.
 * @param prices borrowed for the call.
 * @param count  receives the number.
 * @return borrowed, shape (count), until something is added to the list.
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API const habitat_price *habitat_prices_list(const habitat_prices *prices, size_t *count);

/** What a user should be told of the files that were read: lines of text.
 * @param prices borrowed for the call.
 * @param count  receives the number.
 * @return borrowed, shape (count), until something is added to the list.
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API const char *const *habitat_prices_notes(const habitat_prices *prices, size_t *count);

/** Free a list.
 * @param prices freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.2 */
HABITAT_API void habitat_prices_free(habitat_prices *prices);

/** Days from a date to another. A month or day that a date leaves out counts as the first.
 * @param from, to "2026", "2026-09" or "2026-09-25".
 * @param days receives them; negative where `to` is earlier.
 * @return false, `days` left alone, where one of them is no date.
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API bool habitat_days_between(const char *from, const char *to, double *days);

#ifdef __cplusplus
}
#endif
#endif
