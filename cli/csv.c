/* CSV tables; see csv.h. Quoted fields may hold commas, doubled quotes and line ends. */
#include "csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

enum { COLUMNS_MAX = 256, RECORD_MAX_BYTES = 1 << 20, BUFFER_BYTES = 1 << 17 };

struct cli_csv {
    gzFile file;
    const char *path;
    char *buffer; /* shape (BUFFER_BYTES): read and not yet taken */
    size_t buffered, taken;
    char *record; /* as it stands */
    char *cells;  /* the record again, cut into fields */
    char *names;  /* the header, cut into fields */
    size_t length, capacity;
    const char *line_end;
    unsigned long long line, next_line;
    size_t column_count, field_count;
    char *columns[COLUMNS_MAX];
    char *fields[COLUMNS_MAX];
};

/* Cut `text` in place at commas outside quotes and take the quotes off. Returns the number of
 * fields; those beyond COLUMNS_MAX are counted, not kept. */
static size_t cut_fields(char *text, char **fields) {
    size_t count = 0;
    for (char *in = text;; in++) {
        char *out = in;
        bool quoted = false;
        if (count < COLUMNS_MAX)
            fields[count] = out;
        count++;
        for (; *in && (quoted || *in != ','); in++) {
            if (*in != '"')
                *out++ = *in;
            else if (quoted && in[1] == '"')
                *out++ = *in++;
            else
                quoted = !quoted;
        }
        bool last = *in == '\0';
        *out = '\0';
        if (last)
            return count;
    }
}

/* Next byte of the file; -1 at its end, -2 after a message. */
static int next_byte(cli_csv *t) {
    if (t->taken == t->buffered) {
        int got = gzread(t->file, t->buffer, BUFFER_BYTES), code = Z_OK;
        const char *text = gzerror(t->file, &code);
        if (got < 0 || code == Z_BUF_ERROR) {
            cli_fail(CLI_INPUT, t->path, "line %llu: %s; the file is damaged or cut short",
                     t->next_line, code == Z_ERRNO ? strerror(errno) : text);
            return -2;
        }
        t->buffered = (size_t)got;
        t->taken = 0;
        if (got == 0)
            return -1;
    }
    return (unsigned char)t->buffer[t->taken++];
}

static bool grow(cli_csv *t) {
    size_t capacity = t->capacity ? t->capacity * 2 : 512;
    char *record = realloc(t->record, capacity);
    if (record)
        t->record = record;
    char *cells = realloc(t->cells, capacity);
    if (cells)
        t->cells = cells;
    t->capacity = record && cells ? capacity : t->capacity;
    return record && cells;
}

static void take_line_end(cli_csv *t) {
    t->line_end = "\n";
    if (t->length && t->record[t->length - 1] == '\r') {
        t->length--;
        t->line_end = "\r\n";
    }
}

/* The next record, empty ones too. *more is false at the end of the file. */
static int read_record(cli_csv *t, bool *more) {
    bool quoted = false;
    int byte;
    t->length = 0;
    t->line = t->next_line;
    t->line_end = "";
    while ((byte = next_byte(t)) >= 0) {
        t->next_line += byte == '\n';
        if (byte == '\n' && !quoted) {
            take_line_end(t);
            break;
        }
        quoted ^= byte == '"';
        if (byte == '\0')
            return cli_fail(CLI_INPUT, t->path, "line %llu: a zero byte; is this a CSV table?",
                            t->line);
        if (t->length + 2 > t->capacity && (t->length > RECORD_MAX_BYTES || !grow(t)))
            return cli_fail(CLI_INPUT, t->path,
                            "line %llu: longer than a megabyte; is a quote missing?", t->line);
        t->record[t->length++] = (char)byte;
    }
    if (byte == -2)
        return CLI_INPUT;
    if (quoted)
        return cli_fail(CLI_INPUT, t->path,
                        "line %llu: a quoted field never ends; the file is damaged or cut short",
                        t->line);
    *more = byte >= 0 || t->length > 0;
    if (!t->capacity && !grow(t))
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    t->record[t->length] = '\0';
    return CLI_DONE;
}

static int read_header(cli_csv *t) {
    bool more = false;
    int code = read_record(t, &more);
    if (code != CLI_DONE)
        return code;
    if (!more || !memchr(t->record, ',', t->length))
        return cli_fail(CLI_INPUT, t->path, "has no header line; a CSV table is needed");
    t->names = strdup(t->record);
    if (!t->names)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    t->column_count = cut_fields(t->names, t->columns);
    if (t->column_count > COLUMNS_MAX)
        return cli_fail(CLI_INPUT, t->path, "has more than %d columns", COLUMNS_MAX);
    return CLI_DONE;
}

int cli_csv_open(const char *path, cli_csv **out) {
    cli_csv *t = calloc(1, sizeof *t);
    if (!t || !(t->buffer = malloc(BUFFER_BYTES))) {
        free(t);
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    }
    t->path = path;
    t->next_line = 1;
    t->file = gzopen(path, "rb");
    int code = t->file ? read_header(t)
                       : cli_fail(CLI_INPUT, path, "cannot be opened: %s", strerror(errno));
    if (code == CLI_DONE)
        *out = t;
    else
        cli_csv_close(t);
    return code;
}

void cli_csv_close(cli_csv *t) {
    if (!t)
        return;
    if (t->file)
        gzclose(t->file);
    free(t->buffer);
    free(t->record);
    free(t->cells);
    free(t->names);
    free(t);
}

int cli_csv_next(cli_csv *t, bool *more) {
    int code;
    do {
        code = read_record(t, more);
    } while (code == CLI_DONE && *more && t->length == 0);
    if (code != CLI_DONE || !*more)
        return code;
    memcpy(t->cells, t->record, t->length + 1);
    t->field_count = cut_fields(t->cells, t->fields);
    if (t->field_count != t->column_count)
        return cli_fail(CLI_INPUT, t->path,
                        "line %llu: %zu fields where the header names %zu; the file is damaged or "
                        "cut short",
                        t->line, t->field_count, t->column_count);
    return CLI_DONE;
}

const char *cli_csv_record(const cli_csv *t, size_t *length) {
    *length = t->length;
    return t->record;
}

const char *cli_csv_line_end(const cli_csv *t) {
    return t->line_end;
}

const char *cli_csv_text(const cli_csv *t, const char *column) {
    for (size_t i = 0; i < t->column_count; i++)
        if (strcmp(t->columns[i], column) == 0)
            return i < t->field_count ? t->fields[i] : NULL;
    return NULL;
}

double cli_csv_number(const cli_csv *t, const char *column) {
    const char *text = cli_csv_text(t, column);
    char *end = NULL;
    double value = text && *text ? strtod(text, &end) : NAN;
    return end && *end == '\0' ? value : NAN;
}

unsigned long long cli_csv_line(const cli_csv *t) {
    return t->line;
}
