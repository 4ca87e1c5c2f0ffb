/* Runs that found no room: how much was free then, and in which pieces. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <habitat/csv.h>

#include "base/error.h"
#include "base/quantile.h"
#include "lab/memory.h"

/* The same step in the same format, predicted from a recording in that format: one batch size may
 * have been run in several. */
static const memory_case *case_of(const memory_set *set, const memory_failure *f) {
    habitat_memory_format format = memory_format_named(f->precision);
    for (size_t i = 0; i < set->count; i++) {
        const memory_case *c = &set->cases[i];
        if (c->truth == MEMORY_TRUTH_LIMITS && c->same_format && c->format == format &&
            c->batch == f->batch && !strcmp(c->script, f->script) && c->parts.largest_bytes > 0)
            return c;
    }
    return NULL;
}

static habitat_status add_row(const habitat_csv_reader *table, memory_set *set,
                              habitat_error *err) {
    const char *script = habitat_csv_text(table, "script"),
               *precision = habitat_csv_text(table, "precision");
    memory_failure f = {.batch = habitat_csv_number(table, "batch"),
                        .asked_bytes = habitat_csv_number(table, "asked_bytes"),
                        .allocated_bytes = habitat_csv_number(table, "allocated_bytes"),
                        .pieces_bytes = habitat_csv_number(table, "pieces_bytes"),
                        .outside_bytes = habitat_csv_number(table, "outside_bytes")};
    snprintf(f.script, sizeof f.script, "%s", script ? script : "");
    snprintf(f.precision, sizeof f.precision, "%s", precision ? precision : "");
    const memory_case *same = case_of(set, &f);
    if (!same)
        return HABITAT_OK;
    if (set->failure_count == MEMORY_FAILURES_MOST)
        return habitat_fail(err, HABITAT_E_RANGE, "more than %d failed runs", MEMORY_FAILURES_MOST);
    f.family = same->family;
    f.largest_bytes = same->parts.largest_bytes;
    set->failures[set->failure_count++] = f;
    return HABITAT_OK;
}

habitat_status memory_read_failures(const char *folder, memory_set *set, habitat_error *err) {
    habitat_csv_reader *table = NULL;
    const char *record = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/measured_failures_h100.csv", folder);
    habitat_status status = habitat_csv_open(path, &table, err);
    if (status == HABITAT_E_IO)
        return HABITAT_OK;
    while (status == HABITAT_OK && (status = habitat_csv_next(table, &record, err)) == HABITAT_OK &&
           record)
        status = add_row(table, set, err);
    habitat_csv_close(table);
    return status;
}

double memory_pieces_share(const memory_set *set, ptrdiff_t without) {
    double shares[MEMORY_FAILURES_MOST];
    size_t count = 0;
    for (size_t i = 0; i < set->failure_count; i++)
        if ((ptrdiff_t)set->failures[i].family != without)
            shares[count++] = set->failures[i].pieces_bytes / set->failures[i].largest_bytes;
    habitat_sort_numbers(shares, count);
    return count ? habitat_quantile(shares, count, 0.5) : (double)NAN;
}
