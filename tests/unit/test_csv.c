/* The CSV reader: fields, lines and everything that a table may not be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/csv.h"

#include "check.h"

static char path[] = "/tmp/habitat-csv-XXXXXX";

static void put(const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    if (file)
        fclose(file);
}

static habitat_csv_reader *opened(const char *text) {
    habitat_csv_reader *reader = NULL;
    put(text, strlen(text));
    CHECK_INT(habitat_csv_open(path, &reader, NULL), HABITAT_OK);
    return reader;
}

static const char *next(habitat_csv_reader *reader) {
    const char *record = NULL;
    CHECK_INT(habitat_csv_next(reader, &record, NULL), HABITAT_OK);
    return record;
}

static void test_fields(void) {
    habitat_csv_reader *r = opened("a,\"b,\"\"c\",d\n1,\"x,\"\"y\n z\",\n\n2,,\"3\"\n");
    size_t count = 0, length = 0;
    const char *const *columns = habitat_csv_columns(r, &count);
    CHECK_INT(count, 3);
    CHECK_TEXT(columns[1], "b,\"c");
    const char *header = habitat_csv_raw(r, 1, &length); /* before the first record */
    CHECK(length == 7 && memcmp(header, "\"b,\"\"c\"", 7) == 0);
    CHECK_TEXT(next(r), "1,\"x,\"\"y\n z\",");
    CHECK_INT(habitat_csv_line(r), 2);
    CHECK_TEXT(csv_fields(r)[1], "x,\"y\n z");
    const char *raw = habitat_csv_raw(r, 1, &length);
    CHECK(length == 10 && memcmp(raw, "\"x,\"\"y\n z\"", 10) == 0);
    habitat_csv_raw(r, 2, &length);
    CHECK_INT(length, 0);
    CHECK_TEXT(habitat_csv_text(r, "d"), "");
    CHECK(habitat_csv_text(r, "D") == NULL);
    next(r);
    CHECK_INT(habitat_csv_line(r), 5); /* one line end inside a field, one empty line */
    CHECK_TEXT(habitat_csv_text(r, "d"), "3");
    raw = habitat_csv_raw(r, 2, &length);
    CHECK(length == 3 && memcmp(raw, "\"3\"", 3) == 0);
    CHECK(next(r) == NULL && next(r) == NULL);
    habitat_csv_close(r);
    check_case("fields, quotes, inner line ends, empty lines and line numbers");
}

static void test_files(void) {
    habitat_csv_reader *r = opened("\xef\xbb\xbf"
                                   "a,b\r\n1,\"2\r\n3\"\r\n4,5");
    size_t columns = 0;
    CHECK_TEXT(habitat_csv_columns(r, &columns)[0], "a"); /* no byte order mark */
    CHECK_TEXT(next(r), "1,\"2\r\n3\"");
    CHECK_TEXT(habitat_csv_text(r, "b"), "2\r\n3");
    CHECK_TEXT(next(r), "4,5"); /* the last line end may be missing */
    CHECK_NEAR(habitat_csv_number(r, "b"), 5, 0);
    CHECK(next(r) == NULL);
    habitat_csv_close(r);
    gzFile packed = gzopen(path, "wb");
    gzputs(packed, "a,b\n1,2\n");
    gzclose(packed);
    CHECK_INT(habitat_csv_open(path, &r, NULL), HABITAT_OK);
    CHECK_TEXT(next(r), "1,2");
    habitat_csv_close(r);
    habitat_csv_close(NULL);
    check_case("byte order mark, CRLF, no last line end, gzip");
}

static void test_numbers(void) {
    static const char *const bad[] = {"",    " 1",    "1 ",  "0x10", "nan",
                                      "inf", "1e999", "1,5", "--1",  "e"};
    double value = 7;
    CHECK(csv_decimal("-1.5e-3", &value) && value == -1.5e-3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        value = 7;
        CHECK(!csv_decimal(bad[i], &value) && value == 7);
    }
    check_case("numbers are decimal and finite, or none");
}

#define TEXT(text) text, sizeof text - 1

static void test_refusals(void) {
    static const struct {
        const char *bytes;
        size_t size;
        habitat_status status;
        unsigned line;
        const char *says;
    } cases[] = {
        {TEXT(""), HABITAT_E_FORMAT, 1,
         "no header line of a CSV table; its first line names the columns, two or more"},
        {TEXT("nonsense\n"), HABITAT_E_FORMAT, 1,
         "no header line of a CSV table; its first line names the columns, two or more"},
        {TEXT("a,b,a\n"), HABITAT_E_FORMAT, 1, "two columns are named \"a\"; rename one"},
        {TEXT("a\0,b\n"), HABITAT_E_PARSE, 1, "a zero byte; is this a CSV table?"},
        {TEXT("\xff\xfe"
              "a\0,\0b\0"),
         HABITAT_E_PARSE, 1, "a zero byte; is this a CSV table?"},
        {TEXT("a,b\n1,2\n3,\0\n5,6\n"), HABITAT_E_PARSE, 3, "a zero byte; is this a CSV table?"},
        {TEXT("a,b\n1,\"2\0\"\n"), HABITAT_E_PARSE, 2, "a zero byte; is this a CSV table?"},
        {TEXT("a,b\n1,2\n3,\"4\n5,6\n"), HABITAT_E_PARSE, 3,
         "a quoted field never ends; the file is damaged or cut short"},
        {TEXT("a,b\n1,2,3\n"), HABITAT_E_PARSE, 2,
         "3 fields where the header names 2; the file is damaged or cut short"},
        {TEXT("a,b\n1\n"), HABITAT_E_PARSE, 2,
         "1 fields where the header names 2; the file is damaged or cut short"},
        {TEXT("a,b\r1,2\r"), HABITAT_E_PARSE, 1,
         "a carriage return inside a line; lines end in LF or CRLF"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        habitat_csv_reader *r = NULL;
        habitat_error err = {0};
        const char *record = "";
        put(cases[i].bytes, cases[i].size);
        habitat_status status = habitat_csv_open(path, &r, &err);
        while (status == HABITAT_OK && record)
            status = habitat_csv_next(r, &record, &err);
        CHECK_INT(status, cases[i].status);
        CHECK_INT(err.line, cases[i].line);
        CHECK_TEXT(err.message, cases[i].says);
        CHECK_TEXT(err.file, path);
        habitat_csv_close(r);
    }
    check_case("a damaged table is refused with its line");
}

static void test_limits(void) {
    enum { LONG = HABITAT_CSV_RECORD_MAX_BYTES + 4096 };
    habitat_error err = {0};
    habitat_csv_reader *r = NULL;
    const char *record = NULL;
    char *text = malloc(LONG);
    if (!text)
        return;
    memset(text, 'x', LONG);
    memcpy(text, "a,b\n1,2\n", 8);
    put(text, LONG);
    CHECK_INT(habitat_csv_open(path, &r, NULL), HABITAT_OK);
    CHECK_TEXT(next(r), "1,2");
    CHECK_INT(habitat_csv_next(r, &record, &err), HABITAT_E_PARSE);
    CHECK_INT(err.line, 3);
    CHECK_TEXT(err.message, "longer than a megabyte; is a quote missing, or is this no CSV table?");
    habitat_csv_close(r);
    memset(text, '\n', LONG); /* lines without end, all of them empty */
    memcpy(text, "a,b\n", 4);
    put(text, LONG);
    r = NULL;
    CHECK_INT(csv_open(path, 1 << 20, &r, NULL), HABITAT_OK);
    CHECK_INT(habitat_csv_next(r, &record, &err), HABITAT_E_PARSE);
    CHECK_TEXT(err.message, "the table is longer than 1 MiB; split it");
    habitat_csv_close(r);
    memset(text, ',', 300);
    put(text, 300);
    CHECK_INT(habitat_csv_open(path, &r, &err), HABITAT_E_FORMAT);
    CHECK_TEXT(err.message, "more than 256 columns");
    free(text);
    check_case("records, tables and columns have a limit");
}

static void test_unreadable(void) {
    habitat_error err = {0};
    habitat_csv_reader *r = NULL;
    CHECK_INT(habitat_csv_open("/nonexistent/a.csv", &r, &err), HABITAT_E_IO);
    CHECK_TEXT(err.message, "cannot open: No such file or directory; check the path");
    CHECK_INT(habitat_csv_open("/tmp", &r, &err), HABITAT_E_IO);
    CHECK_TEXT(err.message, "cannot be read: Is a directory; check the file");
    gzFile packed = gzopen(path, "wb");
    gzputs(packed, "a,b\n1,2\n");
    gzclose(packed);
    CHECK_INT(truncate(path, 20), 0);
    habitat_status status = habitat_csv_open(path, &r, &err);
    CHECK_INT(status, HABITAT_E_PARSE);
    CHECK_TEXT(err.message, "unexpected end of file; the file is damaged or cut short");
    CHECK(r == NULL);
    check_case("what cannot be read says why");
}

int main(void) {
    int descriptor = mkstemp(path);
    if (descriptor >= 0)
        close(descriptor);
    test_fields();
    test_files();
    test_numbers();
    test_refusals();
    test_limits();
    test_unreadable();
    unlink(path);
    return check_done();
}
