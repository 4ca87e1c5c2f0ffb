/* CSV tables; see habitat/csv.h. Bytes are taken one by one from a buffer, so that a zero byte, a
 * quote that never ends and an endless line are all seen where they are. A record is kept as it
 * stands, and a second time cut into fields. */
#include "base/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include <habitat/text.h>

#include "base/error.h"

enum { BUFFER_BYTES = 1 << 17, END_OF_FILE = -1, READ_FAILED = -2 };

struct habitat_csv_reader {
    gzFile file;
    char *path;
    unsigned char *buffer; /* shape (BUFFER_BYTES): read and not yet taken */
    size_t buffered, taken;
    uint64_t bytes, most_bytes; /* read so far, unpacked; at most */
    char *record;               /* as it stands, shape (capacity) */
    char *cells;                /* the record again, cut into fields, shape (capacity) */
    char *names;                /* the header, cut into fields */
    size_t length, capacity;
    uint64_t line, next_line; /* of the record's first line; of the next byte */
    size_t column_count;
    const char *columns[HABITAT_CSV_COLUMNS_MAX];
    const char *fields[HABITAT_CSV_COLUMNS_MAX];
    size_t begins[HABITAT_CSV_COLUMNS_MAX + 1]; /* of each field in the record, and one beyond */
};

#define BAD(r, err, ...)                                                                           \
    habitat_fail_at(err, HABITAT_E_PARSE, (r)->path, UINT64_MAX, (r)->line, __VA_ARGS__)

/* ---- bytes ---- */

static habitat_status read_failure(habitat_csv_reader *r, habitat_error *err) {
    int code = Z_OK;
    if (r->bytes > r->most_bytes)
        return habitat_fail_at(err, HABITAT_E_PARSE, r->path, UINT64_MAX, r->next_line,
                               "the table is longer than %llu MiB; split it",
                               (unsigned long long)(r->most_bytes >> 20));
    const char *text = gzerror(r->file, &code);
    if (code == Z_MEM_ERROR)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (code == Z_ERRNO)
        return habitat_fail_at(err, HABITAT_E_IO, r->path, UINT64_MAX, 0,
                               "cannot be read: %s; check the file", strerror(errno));
    size_t named = strlen(r->path); /* zlib puts "PATH: " before some of its texts */
    if (strncmp(text, r->path, named) == 0 && strncmp(text + named, ": ", 2) == 0)
        text += named + 2;
    return habitat_fail_at(err, HABITAT_E_PARSE, r->path, UINT64_MAX, r->next_line,
                           "%s; the file is damaged or cut short", text);
}

/* More bytes into the buffer. END_OF_FILE, READ_FAILED, or 0. */
static int refill(habitat_csv_reader *r) {
    int got = gzread(r->file, r->buffer, BUFFER_BYTES), code = Z_OK;
    gzerror(r->file, &code);
    if (got < 0 || code == Z_BUF_ERROR) /* a gzip file that ends too early says the latter */
        return READ_FAILED;
    r->bytes += (uint64_t)got;
    if (r->bytes > r->most_bytes)
        return READ_FAILED;
    r->buffered = (size_t)got;
    r->taken = 0;
    return got == 0 ? END_OF_FILE : 0;
}

static int next_byte(habitat_csv_reader *r) {
    if (r->taken == r->buffered) {
        int state = refill(r);
        if (state != 0)
            return state;
    }
    return r->buffer[r->taken++];
}

/* The next byte without taking it. */
static int peek_byte(habitat_csv_reader *r) {
    int byte = next_byte(r);
    if (byte >= 0)
        r->taken--;
    return byte;
}

/* ---- records ---- */

static habitat_status grow(habitat_csv_reader *r, habitat_error *err) {
    size_t capacity = r->capacity ? r->capacity * 2 : 512;
    char *record = realloc(r->record, capacity);
    if (!record)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    r->record = record;
    char *cells = realloc(r->cells, capacity);
    if (!cells)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    r->cells = cells;
    r->capacity = capacity;
    return HABITAT_OK;
}

static habitat_status append(habitat_csv_reader *r, int byte, habitat_error *err) {
    if (byte == 0)
        return BAD(r, err, "a zero byte; is this a CSV table?");
    if (r->length == HABITAT_CSV_RECORD_MAX_BYTES)
        return BAD(r, err, "longer than a megabyte; is a quote missing, or is this no CSV table?");
    if (r->length + 2 > r->capacity) { /* a final 0 beside it */
        habitat_status status = grow(r, err);
        if (status != HABITAT_OK)
            return status;
    }
    r->record[r->length++] = (char)byte;
    return HABITAT_OK;
}

/* The next record, empty ones too; *more is false at the end of the file. */
static habitat_status read_record(habitat_csv_reader *r, bool *more, habitat_error *err) {
    bool quoted = false;
    int byte;
    r->length = 0;
    r->line = r->next_line;
    while ((byte = next_byte(r)) >= 0) {
        r->next_line += byte == '\n';
        if (byte == '\n' && !quoted)
            break;
        if (byte == '\r' && !quoted) {
            int next = peek_byte(r);
            if (next == '\n' || next == END_OF_FILE)
                continue;
            if (next != READ_FAILED)
                return BAD(r, err, "a carriage return inside a line; lines end in LF or CRLF");
        }
        quoted ^= byte == '"';
        habitat_status status = append(r, byte, err);
        if (status != HABITAT_OK)
            return status;
    }
    if (byte == READ_FAILED)
        return read_failure(r, err);
    if (quoted)
        return BAD(r, err, "a quoted field never ends; the file is damaged or cut short");
    *more = byte >= 0 || r->length > 0;
    habitat_status status = r->capacity ? HABITAT_OK : grow(r, err);
    if (status == HABITAT_OK)
        r->record[r->length] = '\0';
    return status;
}

/* Cut `text` in place at commas outside quotes and take the quotes off. Returns the number of
 * fields; those beyond the limit are counted, not kept. begins: of each field in `text` as it
 * stood, shape (limit + 1). */
static size_t cut_fields(char *text, const char **fields, size_t *begins) {
    size_t count = 0;
    for (char *in = text;; in++) {
        char *out = in;
        bool quoted = false;
        if (count < HABITAT_CSV_COLUMNS_MAX) {
            fields[count] = out;
            begins[count] = (size_t)(in - text);
        }
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
        if (count <= HABITAT_CSV_COLUMNS_MAX) /* where a next field begins: behind a comma */
            begins[count] = (size_t)(in - text) + 1;
        if (last)
            return count;
    }
}

/* ---- the header ---- */

static habitat_status refuse_twice(const habitat_csv_reader *r, habitat_error *err) {
    for (size_t i = 0; i < r->column_count; i++)
        for (size_t j = 0; j < i && r->columns[i][0]; j++)
            if (strcmp(r->columns[i], r->columns[j]) == 0)
                return habitat_fail_at(err, HABITAT_E_FORMAT, r->path, UINT64_MAX, r->line,
                                       "two columns are named \"%.80s\"; rename one",
                                       r->columns[i]);
    return HABITAT_OK;
}

static void skip_byte_order_mark(habitat_csv_reader *r) {
    static const char mark[] = "\xef\xbb\xbf";
    if (r->length >= 3 && memcmp(r->record, mark, 3) == 0) {
        r->length -= 3;
        memmove(r->record, r->record + 3, r->length + 1);
    }
}

static habitat_status read_header(habitat_csv_reader *r, habitat_error *err) {
    bool more = false;
    habitat_status status = read_record(r, &more, err);
    if (status != HABITAT_OK)
        return status;
    skip_byte_order_mark(r);
    if (!more || !memchr(r->record, ',', r->length))
        return habitat_fail_at(
            err, HABITAT_E_FORMAT, r->path, UINT64_MAX, 1,
            "no header line of a CSV table; its first line names the columns, two or more");
    r->names = malloc(r->length + 1);
    if (!r->names)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    memcpy(r->names, r->record, r->length + 1);
    r->column_count = cut_fields(r->names, r->columns, r->begins);
    if (r->column_count > HABITAT_CSV_COLUMNS_MAX)
        return habitat_fail_at(err, HABITAT_E_FORMAT, r->path, UINT64_MAX, 1,
                               "more than %d columns", HABITAT_CSV_COLUMNS_MAX);
    return refuse_twice(r, err);
}

/* The reader of no file yet; NULL without memory. */
static habitat_csv_reader *new_reader(const char *name, uint64_t most_bytes) {
    habitat_csv_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->path = strdup(name);
    r->buffer = malloc(BUFFER_BYTES);
    r->next_line = 1;
    r->most_bytes = most_bytes;
    if (r->path && r->buffer)
        return r;
    habitat_csv_close(r);
    return NULL;
}

/* NULL, and errno: zlib sets it for the system's failures alone. zlib closes what it is given. */
static gzFile open_copy(int descriptor) {
    int copy = dup(descriptor);
    if (copy < 0)
        return NULL;
    errno = ENOMEM;
    gzFile file = gzdopen(copy, "rb");
    if (!file)
        close(copy);
    return file;
}

/* path: NULL where there is a descriptor. */
static habitat_status open_reader(const char *path, int descriptor, const char *name,
                                  uint64_t most_bytes, habitat_csv_reader **out,
                                  habitat_error *err) {
    habitat_csv_reader *r = new_reader(name, most_bytes);
    if (!r)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    errno = ENOMEM;
    r->file = path ? gzopen(path, "rb") : open_copy(descriptor);
    habitat_status status =
        r->file
            ? read_header(r, err)
            : habitat_fail_at(err, errno == ENOMEM ? HABITAT_E_MEMORY : HABITAT_E_IO, name,
                              UINT64_MAX, 0, "cannot open: %s; check the path", strerror(errno));
    if (status == HABITAT_OK)
        *out = r;
    else
        habitat_csv_close(r);
    return status;
}

habitat_status csv_open(const char *path, uint64_t most_bytes, habitat_csv_reader **out,
                        habitat_error *err) {
    if (!path || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no path given");
    return open_reader(path, -1, path, most_bytes, out, err);
}

habitat_status habitat_csv_open(const char *path, habitat_csv_reader **out, habitat_error *err) {
    return csv_open(path, HABITAT_CSV_FILE_MAX_BYTES, out, err);
}

habitat_status habitat_csv_open_descriptor(int descriptor, const char *name,
                                           habitat_csv_reader **out, habitat_error *err) {
    if (!name || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no name given");
    return open_reader(NULL, descriptor, name, HABITAT_CSV_FILE_MAX_BYTES, out, err);
}

void habitat_csv_close(habitat_csv_reader *r) {
    if (!r)
        return;
    if (r->file)
        gzclose(r->file);
    free(r->path);
    free(r->buffer);
    free(r->names);
    free(r->record);
    free(r->cells);
    free(r);
}

const char *const *habitat_csv_columns(const habitat_csv_reader *reader, size_t *count) {
    *count = reader->column_count;
    return reader->columns;
}

/* ---- rows ---- */

habitat_status habitat_csv_next(habitat_csv_reader *r, const char **record, habitat_error *err) {
    bool more = false;
    do {
        habitat_status status = read_record(r, &more, err);
        if (status != HABITAT_OK)
            return status;
    } while (more && r->length == 0);
    if (!more) {
        *record = NULL;
        return HABITAT_OK;
    }
    memcpy(r->cells, r->record, r->length + 1);
    size_t count = cut_fields(r->cells, r->fields, r->begins);
    if (count != r->column_count)
        return BAD(r, err,
                   "%zu fields where the header names %zu; the file is damaged or cut short", count,
                   r->column_count);
    *record = r->record;
    return HABITAT_OK;
}

const char *const *csv_fields(const habitat_csv_reader *reader) {
    return reader->fields;
}

const char *habitat_csv_raw(const habitat_csv_reader *r, size_t i, size_t *length) {
    *length = r->begins[i + 1] - r->begins[i] - 1;
    return r->record + r->begins[i];
}

const char *habitat_csv_text(const habitat_csv_reader *r, const char *column) {
    for (size_t i = 0; i < r->column_count; i++)
        if (strcmp(r->columns[i], column) == 0)
            return r->fields[i];
    return NULL;
}

bool csv_decimal(const char *text, double *out) {
    double value;
    if (text[strspn(text, "0123456789+-.eE")] || !habitat_is_number(text, &value) ||
        !isfinite(value))
        return false;
    *out = value;
    return true;
}

double habitat_csv_number(const habitat_csv_reader *reader, const char *column) {
    const char *text = habitat_csv_text(reader, column);
    double value = NAN;
    return text && csv_decimal(text, &value) ? value : NAN;
}

uint64_t habitat_csv_line(const habitat_csv_reader *reader) {
    return reader->line;
}

const char *csv_path(const habitat_csv_reader *reader) {
    return reader->path;
}
