/* Where prices come from: the library's own list and files. */
#include "ask/price_readers.h"
#include "ask/prices_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/error.h"

enum { LARGEST_JSON_BYTES = 16 << 20, LARGEST_PIPE_BYTES = 256 << 20 };

habitat_status habitat_prices_create(const habitat_gpu_table *table, bool builtin,
                                     habitat_prices **out, habitat_error *err) {
    if (!table || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no GPU table or no place for the prices given");
    habitat_prices *made = calloc(1, sizeof *made);
    if (!made)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    made->table = table;
    const habitat_embedded_file *file = &habitat_embedded_prices[0];
    habitat_status status = HABITAT_OK;
    if (builtin)
        status = prices_read_json(made, (const char *)file->data, file->size_bytes, "built-in",
                                  HABITAT_PRICE_BUILTIN, true, err);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_prices_free(made);
    return status;
}

/* What a pipe gives, as a file that can be read twice; the caller's to close. NULL: it cannot be
 * kept, or is too long. */
static FILE *keep_pipe(FILE *pipe) {
    char part[1 << 14];
    size_t got, all = 0;
    FILE *kept = tmpfile();
    while (kept && (got = fread(part, 1, sizeof part, pipe)) > 0) {
        all += got;
        if (all > LARGEST_PIPE_BYTES || fwrite(part, 1, got, kept) != got) {
            fclose(kept);
            return NULL;
        }
    }
    if (kept)
        rewind(kept);
    return kept;
}

/* The file, at its first byte and able to go back there: its kind shows only as it is read. */
static habitat_status open_prices(const char *path, FILE **out, habitat_error *err) {
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOMEM)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (!file)
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "cannot be read: %s; check the path", strerror(errno));
    if (fseek(file, 0, SEEK_SET) != 0) {
        FILE *kept = keep_pipe(file);
        fclose(file);
        if (!kept)
            return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                                   "a pipe whose bytes cannot be kept; write them to a file");
        file = kept;
    }
    *out = file;
    return HABITAT_OK;
}

/* *text: the file and a NUL, the caller's to free; NULL where it is not JSON, as its first byte
 * says. */
static habitat_status read_if_json(FILE *file, const char *path, char **text, size_t *size,
                                   habitat_error *err) {
    habitat_status status = HABITAT_OK;
    int first = ' ';
    *text = NULL;
    while (first == ' ' || first == '\t' || first == '\n' || first == '\r')
        first = fgetc(file);
    if (first == '{') {
        rewind(file);
        *text = malloc(LARGEST_JSON_BYTES + 1);
        *size = *text ? fread(*text, 1, LARGEST_JSON_BYTES + 1, file) : 0;
        if (!*text)
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        else if (*size > LARGEST_JSON_BYTES)
            status = habitat_fail_at(err, HABITAT_E_RANGE, path, UINT64_MAX, 0,
                                     "is larger than 16 MiB: a list of prices is not");
        else
            (*text)[*size] = '\0';
    }
    if (status == HABITAT_OK && ferror(file))
        status = habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                                 "cannot be read; check the file");
    return status;
}

habitat_status habitat_prices_read(habitat_prices *prices, const char *path, habitat_error *err) {
    char *text = NULL;
    size_t size = 0;
    if (!prices || !path)
        return habitat_fail(err, HABITAT_E_ARG, "no prices or no file given");
    size_t before = prices->count, notes = prices->note_count;
    FILE *file = NULL;
    habitat_status status = open_prices(path, &file, err);
    if (status == HABITAT_OK)
        status = read_if_json(file, path, &text, &size, err);
    if (status == HABITAT_OK && text)
        status = prices_read_json(prices, text, size, path, HABITAT_PRICE_FILE, false, err);
    else if (status == HABITAT_OK)
        status = prices_read_csv(prices, fileno(file), path, err);
    free(text);
    if (file)
        fclose(file);
    if (status != HABITAT_OK) {
        prices->count = before;
        prices->note_count = notes;
    }
    return status;
}
