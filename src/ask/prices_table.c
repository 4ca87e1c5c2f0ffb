/* Prices as CSV: our own columns, or those of a SkyPilot catalogue as they are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <habitat/csv.h>
#include <habitat/text.h>

#include "ask/price_readers.h"
#include "ask/prices_list.h"
#include "base/csv.h"
#include "base/error.h"

enum { NAMES_TOLD = 6, NAME_BYTES = 40, MOST_GPUS = 1024 };

static habitat_status bad(const habitat_csv_reader *rows, habitat_status code, const char *what,
                          const char *value, const char *why, habitat_error *err) {
    return habitat_fail_at(err, code, csv_path(rows), UINT64_MAX, habitat_csv_line(rows),
                           "%s%s%.100s%s: %s", what, value ? " \"" : "", value ? value : "",
                           value ? "\"" : "", why);
}

static habitat_status no_number(const habitat_csv_reader *rows, const char *column,
                                const char *value, habitat_error *err) {
    return bad(rows, HABITAT_E_FORMAT, column, value, "must be a number; write it like 2.49", err);
}

/* The field of the first of these columns that is there and not empty; NULL without. */
static const char *field(const habitat_csv_reader *rows, const char *a, const char *b,
                         const char *c) {
    const char *const names[] = {a, b, c};
    for (size_t i = 0; i < 3; i++) {
        const char *text = names[i] ? habitat_csv_text(rows, names[i]) : NULL;
        if (text && *text)
            return text;
    }
    return NULL;
}

/* ---- our own columns ---- */

static habitat_status check_columns(const habitat_csv_reader *rows, habitat_error *err) {
    static const char *const known[] = {"gpu",      "gpu_type", "usd_per_gpu_hour", "provisioning",
                                        "provider", "region",   "min_gpus",         "product",
                                        "source",   "date",     "checked_at",       "as_of",
                                        "notes"};
    size_t count = 0;
    const char *const *columns = habitat_csv_columns(rows, &count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t k = 0; !found && k < sizeof known / sizeof *known; k++)
            found = strcmp(columns[i], known[k]) == 0;
        if (!found)
            return bad(rows, HABITAT_E_FORMAT, "column", columns[i],
                       "is none of a table of prices; see habitat-choose(1)", err);
    }
    return HABITAT_OK;
}

/* "2025", or "2020-01 to 2025" of a price that held so long: the later one is its date, as of
 * `date` and `since` in JSON. */
static bool read_dates(const char *text, const char **date) {
    static const char between[] = " to ";
    const char *to = strstr(text, between);
    char since[16];
    if (!to) {
        *date = text;
        return price_date(text);
    }
    size_t length = (size_t)(to - text);
    const char *later = to + strlen(between);
    if (length >= sizeof since)
        return false;
    memcpy(since, text, length);
    since[length] = '\0';
    *date = later;
    size_t both = strlen(later) < length ? strlen(later) : length; /* "2025-03 to 2025" */
    return price_date(since) && price_date(later) && strncmp(since, later, both) <= 0;
}

static habitat_status own_row(habitat_prices *prices, const habitat_csv_reader *rows,
                              habitat_error *err) {
    const char *gpu = field(rows, "gpu", "gpu_type", NULL);
    const char *usd = field(rows, "usd_per_gpu_hour", NULL, NULL);
    const char *kind = field(rows, "provisioning", NULL, NULL);
    const char *least = field(rows, "min_gpus", NULL, NULL);
    const char *dates = field(rows, "date", "checked_at", "as_of");
    double count = 1;
    habitat_error unknown = {0};
    habitat_price price = {.origin = HABITAT_PRICE_FILE,
                           .provider = field(rows, "provider", NULL, NULL),
                           .region = field(rows, "region", NULL, NULL),
                           .product = field(rows, "product", NULL, NULL),
                           .source = field(rows, "source", NULL, NULL),
                           .file = csv_path(rows),
                           .line = habitat_csv_line(rows)};
    if (!gpu || !usd)
        return bad(rows, HABITAT_E_FORMAT, "a price needs a gpu and usd_per_gpu_hour", NULL,
                   "one is empty", err);
    if (!habitat_is_number(usd, &price.usd_per_hour))
        return no_number(rows, "usd_per_gpu_hour", usd, err);
    if (kind && !price_kind(kind, &price.spot))
        return bad(rows, HABITAT_E_FORMAT, "provisioning", kind, "must be on-demand or spot", err);
    if (dates && !read_dates(dates, &price.date))
        return bad(rows, HABITAT_E_FORMAT, "date", dates,
                   "must be like 2026-09-25, or 2020-01 to 2025", err);
    if (least && !habitat_is_number(least, &count))
        return no_number(rows, "min_gpus", least, err);
    if (!(count >= 1 && count <= MOST_GPUS && count == floor(count)))
        return bad(rows, HABITAT_E_RANGE, "min_gpus", least, "must be from 1 to 1024", err);
    price.min_gpus = (uint32_t)count;
    price.gpu_alone = price.product && strcmp(price.product, "GPU alone") == 0;
    habitat_status status = habitat_gpu_find(prices->table, gpu, &price.gpu, NULL, &unknown);
    if (status != HABITAT_OK)
        return bad(rows, status, "gpu", gpu, unknown.message, err);
    price.shared_name = habitat_gpu_name_is_shared(price.gpu, gpu);
    return prices_add(prices, &price, err);
}

/* ---- a SkyPilot catalogue ---- */

/* Names that the GPU table does not have, or does not tell apart: told once each. */
typedef struct names {
    char list[NAMES_TOLD][NAME_BYTES];
    size_t count, more;
} names;

static void add_name(names *all, const char *name) {
    for (size_t i = 0; i < all->count; i++)
        if (strncmp(all->list[i], name, NAME_BYTES - 1) == 0)
            return;
    if (all->count < NAMES_TOLD)
        snprintf(all->list[all->count++], NAME_BYTES, "%s", name);
    else
        all->more++;
}

static habitat_status tell(habitat_prices *prices, const char *file, const names *all,
                           const char *what, habitat_error *err) {
    char line[NAMES_TOLD * (NAME_BYTES + 2) + 512];
    size_t used = 0;
    if (!all->count)
        return HABITAT_OK;
    used += (size_t)snprintf(line, 256, "%.160s: %s: ", file, what);
    for (size_t i = 0; i < all->count; i++)
        used +=
            (size_t)snprintf(line + used, sizeof line - used, "%s%s", i ? ", " : "", all->list[i]);
    if (all->more)
        snprintf(line + used, sizeof line - used, " and others");
    return prices_note(prices, line, err);
}

/* Bytes of one GPU, from the catalogue's words on it: "{'Gpus': [{.. 'SizeInMiB': 16384}}]..".
 * 0: not said. */
static uint64_t memory_of(const char *info) {
    const char *at = info ? strstr(info, "SizeInMiB") : NULL;
    double mib = 0;
    at = at ? strchr(at, ':') : NULL;
    if (!at || !habitat_read_number(at + 1, &mib) || !(mib > 0 && mib < 1e7))
        return 0;
    return (uint64_t)mib * 1024 * 1024;
}

/* A field that is empty or 0 is no price. */
static habitat_status catalogue_price(habitat_prices *prices, const habitat_csv_reader *rows,
                                      const char *column, habitat_price *price, double gpus,
                                      habitat_error *err) {
    const char *text = field(rows, column, NULL, NULL);
    double usd = 0;
    if (!text)
        return HABITAT_OK;
    if (!habitat_is_number(text, &usd))
        return no_number(rows, column, text, err);
    price->usd_per_hour = usd / gpus;
    return usd == 0.0 ? HABITAT_OK : prices_add(prices, price, err);
}

static habitat_status catalogue_row(habitat_prices *prices, const habitat_csv_reader *rows,
                                    names *unknown, names *shared, habitat_error *err) {
    const char *name = field(rows, "AcceleratorName", NULL, NULL);
    const char *text = field(rows, "AcceleratorCount", NULL, NULL);
    double gpus = 0;
    if (!name)
        return HABITAT_OK; /* a machine without GPUs */
    if (!text || !habitat_is_number(text, &gpus))
        return no_number(rows, "AcceleratorCount", text ? text : "", err);
    if (!(gpus > 0))
        return bad(rows, HABITAT_E_RANGE, "AcceleratorCount", text, "must be above 0", err);
    if (!(gpus >= 1 && gpus <= MOST_GPUS && gpus == floor(gpus)))
        return HABITAT_OK; /* a part of a GPU */
    habitat_price price = {.origin = HABITAT_PRICE_FILE,
                           .min_gpus = (uint32_t)gpus,
                           .region = field(rows, "Region", NULL, NULL),
                           .product = field(rows, "InstanceType", NULL, NULL),
                           .file = csv_path(rows),
                           .line = habitat_csv_line(rows)};
    habitat_device_facts facts = {.name = name,
                                  .memory_bytes = memory_of(field(rows, "GpuInfo", NULL, NULL))};
    habitat_status status = habitat_gpu_match(prices->table, &facts, &price.gpu, NULL);
    if (status == HABITAT_E_UNKNOWN_GPU) {
        add_name(unknown, name);
        return HABITAT_OK;
    }
    if (status != HABITAT_OK)
        return bad(rows, status, "AcceleratorName", name, "cannot be looked up", err);
    price.shared_name = habitat_gpu_name_is_shared(price.gpu, name);
    if (price.shared_name) {
        char taken[NAME_BYTES];
        snprintf(taken, sizeof taken, "%.16s as %.18s", name, habitat_gpu_name(price.gpu));
        add_name(shared, taken);
    }
    status = catalogue_price(prices, rows, "Price", &price, gpus, err);
    price.spot = true;
    return status == HABITAT_OK ? catalogue_price(prices, rows, "SpotPrice", &price, gpus, err)
                                : status;
}

static bool has_column(const habitat_csv_reader *rows, const char *name) {
    size_t count = 0;
    const char *const *columns = habitat_csv_columns(rows, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i], name) == 0)
            return true;
    return false;
}

habitat_status prices_read_csv(habitat_prices *prices, int descriptor, const char *path,
                               habitat_error *err) {
    habitat_csv_reader *rows = NULL;
    const char *record = "";
    names unknown = {.count = 0}, shared = {.count = 0};
    if (lseek(descriptor, 0, SEEK_SET) != 0)
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "cannot be read; check the file");
    habitat_status status = habitat_csv_open_descriptor(descriptor, path, &rows, err);
    if (status != HABITAT_OK)
        return status;
    bool catalogue = has_column(rows, "AcceleratorName");
    if (!catalogue)
        status = check_columns(rows, err);
    while (status == HABITAT_OK) {
        status = habitat_csv_next(rows, &record, err);
        if (status != HABITAT_OK || !record)
            break;
        status = catalogue ? catalogue_row(prices, rows, &unknown, &shared, err)
                           : own_row(prices, rows, err);
    }
    if (status == HABITAT_OK)
        status = tell(prices, path, &unknown, "not in the GPU table, left out", err);
    if (status == HABITAT_OK)
        status = tell(prices, path, &shared, "names of several cards, taken", err);
    habitat_csv_close(rows);
    return status;
}
