/* CSV tables, plain or gzip: lines, quoted fields, columns by name. */
#include "model/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/error.h"

enum { LINE_MAX_BYTES = 1 << 20 };

struct habitat_csv_reader {
    gzFile file;
    const char *path;
    char *own_path;
    char *header; /* as it stands */
    char *line;   /* as it stands */
    char *cells;  /* the line again, cut into fields */
    char *names;  /* the header, cut into fields */
    size_t capacity;
    uint64_t number;      /* of the record's first line, 1-based */
    uint64_t inner_lines; /* line ends inside the record's quoted fields */
    size_t column_count, field_count;
    const char *columns[CSV_COLUMNS_MAX];
    const char *fields[CSV_COLUMNS_MAX];
};

/* Cut `text` in place; quotes are taken off. Returns the number of fields, at most `most`. */
static size_t cut_fields(char *text, const char **fields, size_t most) {
    size_t count = 0;
    char *in = text;
    for (;;) {
        char *out = in;
        if (count < most)
            fields[count] = out;
        bool quoted = false;
        for (; *in && (quoted || *in != ','); in++) {
            if (*in != '"')
                *out++ = *in;
            else if (quoted && in[1] == '"')
                *out++ = *in++;
            else
                quoted = !quoted;
        }
        bool last = *in == 0;
        *out = 0;
        count++;
        if (last)
            return count;
        in++;
    }
}

/* Whether a quoted field is still open after `text`, given whether one was before it. */
static bool open_quote(const char *text, bool quoted) {
    for (; (text = strchr(text, '"')); text++)
        quoted = !quoted;
    return quoted;
}

/* Read a record without its line end into reader->line; *end is set at the end of the file. A
 * quoted field may hold line ends. */
static habitat_status read_line(habitat_csv_reader *r, bool *end, habitat_error *err) {
    size_t used = 0;
    bool quoted = false;
    *end = false;
    r->number += r->inner_lines;
    r->inner_lines = 0;
    for (;;) {
        if (r->capacity - used < 4096) {
            size_t capacity = r->capacity * 2 + 8192;
            char *line = capacity <= LINE_MAX_BYTES * 2 ? realloc(r->line, capacity) : NULL;
            if (!line)
                return habitat_fail_at(err, HABITAT_E_PARSE, r->path, UINT64_MAX, r->number + 1,
                                       "line is longer than a megabyte; is this a CSV table?");
            r->line = line;
            r->capacity = capacity;
        }
        if (!gzgets(r->file, r->line + used, (int)(r->capacity - used))) {
            int code;
            const char *text = gzerror(r->file, &code);
            if (code != Z_OK && code != Z_STREAM_END)
                return habitat_fail_at(err, HABITAT_E_PARSE, r->path, UINT64_MAX, r->number + 1,
                                       "%s; the file is damaged or cut short", text);
            r->line[used] = 0;
            *end = used == 0;
            if (quoted)
                return habitat_fail_at(err, HABITAT_E_PARSE, r->path, UINT64_MAX, r->number + 1,
                                       "a quoted field never ends; the file is damaged or cut "
                                       "short");
            break;
        }
        quoted = open_quote(r->line + used, quoted);
        used += strlen(r->line + used);
        if (used && r->line[used - 1] == '\n' && !quoted)
            break;
        r->inner_lines += used && r->line[used - 1] == '\n';
    }
    while (used && (r->line[used - 1] == '\n' || r->line[used - 1] == '\r'))
        r->line[--used] = 0;
    r->number++;
    return HABITAT_OK;
}

habitat_status habitat_csv_open(const char *path, habitat_csv_reader **out, habitat_error *err) {
    if (!path || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no path given");
    habitat_csv_reader *r = calloc(1, sizeof *r);
    size_t length = strlen(path);
    if (r)
        r->path = r->own_path = malloc(length + 1);
    if (!r || !r->own_path) {
        free(r);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    memcpy(r->own_path, path, length + 1);
    r->file = gzopen(path, "rb");
    bool end = false;
    habitat_status status = r->file ? read_line(r, &end, err)
                                    : habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                                                      "cannot open: %s", strerror(errno));
    if (status == HABITAT_OK && (end || !r->line || !strchr(r->line, ',')))
        status = habitat_fail_at(err, HABITAT_E_FORMAT, path, UINT64_MAX, 1,
                                 "no header line of a CSV table");
    if (status == HABITAT_OK && r->line) {
        size_t bytes = strlen(r->line) + 1;
        r->header = malloc(bytes);
        r->names = malloc(bytes);
        if (r->header && r->names) {
            memcpy(r->header, r->line, bytes);
            memcpy(r->names, r->line, bytes);
            r->column_count = cut_fields(r->names, r->columns, CSV_COLUMNS_MAX);
            if (r->column_count > CSV_COLUMNS_MAX)
                status = habitat_fail_at(err, HABITAT_E_FORMAT, path, UINT64_MAX, 1,
                                         "more than %d columns", CSV_COLUMNS_MAX);
        } else {
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        }
    }
    if (status == HABITAT_OK)
        *out = r;
    else
        habitat_csv_close(r);
    return status;
}

void habitat_csv_close(habitat_csv_reader *r) {
    if (!r)
        return;
    if (r->file)
        gzclose(r->file);
    free(r->own_path);
    free(r->header);
    free(r->names);
    free(r->line);
    free(r->cells);
    free(r);
}

const char *habitat_csv_header(const habitat_csv_reader *reader) {
    return reader->header;
}

habitat_status habitat_csv_next(habitat_csv_reader *r, const char **line, habitat_error *err) {
    bool end = false;
    do {
        habitat_status status = read_line(r, &end, err);
        if (status != HABITAT_OK)
            return status;
    } while (!end && r->line[0] == 0);
    if (end) {
        *line = NULL;
        return HABITAT_OK;
    }
    size_t bytes = strlen(r->line) + 1;
    char *cells = realloc(r->cells, bytes);
    if (!cells)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    r->cells = cells;
    memcpy(cells, r->line, bytes);
    r->field_count = cut_fields(cells, r->fields, CSV_COLUMNS_MAX);
    if (r->field_count != r->column_count)
        return habitat_fail_at(err, HABITAT_E_PARSE, r->path, UINT64_MAX, r->number,
                               "%zu fields where the header names %zu; the file is damaged or cut "
                               "short",
                               r->field_count, r->column_count);
    *line = r->line;
    return HABITAT_OK;
}

static size_t find(const habitat_csv_reader *r, const char *column) {
    for (size_t i = 0; i < r->column_count; i++)
        if (strcmp(r->columns[i], column) == 0)
            return i;
    return SIZE_MAX;
}

bool csv_has(const habitat_csv_reader *reader, const char *column) {
    return find(reader, column) != SIZE_MAX;
}

const char *cell_text(const habitat_csv_reader *reader, const char *column) {
    size_t i = find(reader, column);
    return i < reader->field_count ? reader->fields[i] : NULL;
}

double cell_number(const habitat_csv_reader *reader, const char *column) {
    const char *text = cell_text(reader, column);
    if (!text || !*text)
        return NAN;
    char *end;
    double value = strtod(text, &end);
    return *end == 0 ? value : NAN;
}

uint64_t csv_line(const habitat_csv_reader *reader) {
    return reader->number;
}
const char *csv_path(const habitat_csv_reader *reader) {
    return reader->path;
}

habitat_status habitat_csv_measurement(const habitat_csv_reader *reader, habitat_measurement *out,
                                       const char **gpu, habitat_error *err) {
    if (!reader || !out || !gpu)
        return habitat_fail(err, HABITAT_E_ARG, "no row given");
    return csv_measurement(reader, 0, out, gpu, err);
}

habitat_status csv_measurement_of(const char *path, uint64_t line, size_t count,
                                  const char *const *columns, const char *const *fields,
                                  habitat_measurement *out, habitat_error *err) {
    habitat_csv_reader row = {
        .path = path, .number = line, .column_count = count, .field_count = count};
    const char *gpu = NULL;
    if (count > CSV_COLUMNS_MAX)
        return habitat_fail(err, HABITAT_E_ARG, "more than %d columns", CSV_COLUMNS_MAX);
    memcpy(row.columns, columns, count * sizeof *columns);
    memcpy(row.fields, fields, count * sizeof *fields);
    return csv_measurement(&row, 0, out, &gpu, err);
}
