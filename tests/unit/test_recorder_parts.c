/* Parts of the CUDA recorder that can be called alone: numbers, launches seen. */
#include "check.h"
#include "decimal.h"
#include "redact.h"
#include "seen.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *written(double value) {
    static char text[DECIMAL_BYTES];
    decimal_text(value, text);
    return text;
}

static void test_decimal_text(void) {
    CHECK_TEXT(written(0), "0");
    CHECK_TEXT(written(4), "4");
    CHECK_TEXT(written(12.5), "12.5");
    CHECK_TEXT(written(99.5), "99.5");
    CHECK_TEXT(written(100), "100");
    CHECK_TEXT(written(0.000001), "0.000001");
    CHECK_TEXT(written(0.0000004), "0");
    CHECK_TEXT(written(2.9999999), "3"); /* the carry goes into the whole part */
    CHECK_TEXT(written(1024.0 / 3), "341.333333");
    CHECK_TEXT(written(9007199254740993e0), "9007199254740992"); /* 2^53 + 1 is no double */
    CHECK_TEXT(written(999999999999999872e0), "999999999999999872");
    check_case("numbers are written with a point and without needless zeros");
    CHECK_TEXT(written(1e18), "null");
    CHECK_TEXT(written(-1), "null");
    CHECK_TEXT(written((double)NAN), "null");
    CHECK_TEXT(written((double)INFINITY), "null");
    check_case("what is no count or share is null");
}

static void test_decimal_read(void) {
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"0", 0},
                {"0.001", 1},
                {"400.001}", 400001},
                {"12.5, ", 12500},
                {"7", 7000},
                {"1.2345678", 1234},
                {"18446744073709551.600", 18446744073709551600u}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t ns = 9;
        CHECK(decimal_read_ns(good[i].text, &ns));
        CHECK(ns == good[i].ns);
    }
    static const char *const bad[] = {
        "", "-1", ".5", "x", "99999999999999999999", "20000000000000000000.0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t ns = 9;
        CHECK(!decimal_read_ns(bad[i], &ns));
        CHECK(ns == 9);
    }
    check_case("microseconds are read as whole nanoseconds");
}

/* Sets the bytes of every slot that belong to no field: they hold whatever was there. */
static void scribble_between_fields(seen_launch *table) {
    size_t end = offsetof(seen_launch, shared_bytes) + sizeof table->shared_bytes;
    for (size_t i = 0; i < SEEN_SIZE; i++)
        memset((unsigned char *)&table[i] + end, 0xa5, sizeof *table - end);
}

static void test_seen(void) {
    seen_launch *table = calloc(SEEN_SIZE, sizeof *table);
    static const int functions[2];
    cuda_launch_config c = {.grid = {264, 2, 1}, .block = {128, 1, 1}, .dynamic_shared_bytes = 64};
    CHECK(table != NULL);
    CHECK(seen_first(table, &functions[0], &c));
    scribble_between_fields(table);
    CHECK(!seen_first(table, &functions[0], &c));
    check_case("a launch is known again, whatever lies between its fields");
    CHECK(seen_first(table, &functions[1], &c));
    c.grid[2] = 2;
    CHECK(seen_first(table, &functions[0], &c));
    c.block[0] = 64;
    CHECK(seen_first(table, &functions[0], &c));
    c.dynamic_shared_bytes = 0;
    CHECK(seen_first(table, &functions[0], &c));
    CHECK(!seen_first(table, &functions[0], &c));
    check_case("another function, grid, block or shared memory is another launch");
    memset(table, 1, SEEN_SIZE * sizeof *table);
    CHECK(!seen_first(table, &functions[0], &c));
    check_case("a full table takes nothing in");
    free(table);
}

/* Lines of tests/golden/commands_masked.txt: arguments between tabs, " => ", the line shown. */
static void check_masked(char *line) {
    char *argv[32] = {NULL}, *want = NULL;
    for (char *at = line; (at = strstr(at, " => ")); at++)
        want = at;
    CHECK(want != NULL);
    if (!want)
        return;
    *want = '\0';
    want += 4;
    size_t n = 0;
    for (char *at = line; at && n < 31; n++) {
        argv[n] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    char *got = redact_command(argv, "/home/ada/");
    CHECK_TEXT(got, want);
    free(got);
}

static void test_redact(void) {
    FILE *file = fopen(MASKED, "r");
    char line[1024];
    int lines = 0;
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#')
            continue;
        check_masked(line);
        lines++;
    }
    if (file)
        fclose(file);
    CHECK(lines > 25);
    check_case("secrets and the home folder are not shown");
    char *argv[] = {(char *)"/x", NULL}, *none[] = {NULL};
    static const char *const homes[] = {NULL, "", "/", "//"};
    for (size_t i = 0; i < 4; i++) {
        char *got = redact_command(argv, homes[i]);
        CHECK_TEXT(got, "/x");
        free(got);
    }
    char *got = redact_command(none, "/home/ada");
    CHECK_TEXT(got, "");
    free(got);
    got = redact_home("/home/ada/lib/libcupti.so", "/home/ada");
    CHECK_TEXT(got, "~/lib/libcupti.so");
    free(got);
    check_case("no home, no arguments, a path alone");
}

int main(void) {
    test_redact();
    test_decimal_text();
    test_decimal_read();
    test_seen();
    return check_done();
}
