/* Intervals of single operations on left-out GPUs: the table of `habitat eval ops`, by hand. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "lab/op_intervals.h"

static char text[8192];
static size_t length;

static int append(void *context, const char *more, size_t size) {
    (void)context;
    if (length + size >= sizeof text)
        return 1;
    memcpy(text + length, more, size);
    length += size;
    text[length] = '\0';
    return 0;
}

/* `count` rows of 1 ms, whose intervals are of this ratio and hold it or lie above it. */
static void add(op_cases *cases, operator_class c, const char *gpu, bool narrow, size_t count,
                double ratio, bool inside) {
    for (size_t i = 0; i < count; i++)
        op_cases_add(cases, (op_case){.c = c, .gpu = gpu, .narrow = narrow}, 1.0,
                     inside ? 1.0 : 1.5, ratio * (inside ? 1.0 : 1.5));
}

static void print(op_cases *cases) {
    report_text to = {append, NULL, false, false};
    length = 0;
    op_cases_print(cases, &to);
    CHECK(!to.failed && !to.no_memory);
}

static void test_table(void) {
    op_cases cases = {0};
    add(&cases, OPERATOR_GEMM, "T4", false, 6, 1.4, true);
    add(&cases, OPERATOR_GEMM, "T4", false, 2, 1.4, false);
    add(&cases, OPERATOR_GEMM, "P4", false, 1, 1.6, true);
    add(&cases, OPERATOR_GEMM, "P4", false, 1, 1.6, false);
    add(&cases, OPERATOR_BMM, "T4", false, 10, 2.0, true);
    add(&cases, OPERATOR_BMM, "T4", true, 3, 2.0, true); /* again, as a part of its class */
    /* of 1 ms: 2 % either way at least; of a batch norm, whose class has one width, 4 % */
    add(&cases, OPERATOR_ELEMENTWISE, "T4", false, 3, 1.0408, true);
    add(&cases, OPERATOR_ELEMENTWISE, "T4", false, 1, 1.0833, true);
    add(&cases, OPERATOR_NORM, "T4", false, 1, 1.0833, true);
    op_cases_add(&cases, (op_case){.c = OPERATOR_BATCH_NORM, .gpu = "T4"}, 1.0, NAN, NAN);
    CHECK_INT((long long)cases.count, 28);
    print(&cases);
    /* 7 of 10 rows; 75 and 50 % on the two GPUs */
    CHECK(strstr(text, "\n| gemm | 2 | 10 | 70.0 | 62.5 | 50.0 (P4, 2 rows) | 1.40 | 0 % |\n") !=
          NULL);
    CHECK(strstr(text, "\n| bmm | 1 | 10 | 100.0 | 100.0 | 100.0 (T4, 10 rows) | 2.00 |") != NULL);
    CHECK(strstr(text, "\n| bmm, 64-wide heads | 1 | 3 | 100.0 |") != NULL);
    CHECK(strstr(text, "| 1.04 | 75 % |") != NULL); /* element-wise: three at the least width */
    CHECK(strstr(text, "| 1.08 | 100 % |") != NULL);
    CHECK(strstr(text, "\n| copy |") == NULL); /* has no interval */
    /* 7 + 10 of 20 rows: those of narrow heads count once */
    CHECK(strstr(text, "\n| **products** | 2 | 20 | 85.0 |") != NULL);
    CHECK(strstr(text, "| **convolutions** |") == NULL);
    op_cases_free(&cases);
    check_case("intervals of left-out GPUs: all rows, mean over GPUs, least, width");
}

static void test_nothing(void) {
    op_cases cases = {0};
    print(&cases);
    CHECK(strstr(text, "\n## Intervals on left-out GPUs\n") == text);
    op_cases_free(&cases);
    check_case("no rows give a table without lines");
}

int main(void) {
    test_table();
    test_nothing();
    return check_done();
}
