/* Smallest test harness: CHECK() counts, prints a TAP-like line for each case, main returns
 * check_done(). A failing check names file, line and the values. A program fails too when a check
 * failed after its last case, and when it has no case at all (tests/check_selftest.sh). */
#ifndef HABITAT_TESTS_CHECK_H
#define HABITAT_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int check_cases, check_failed, check_case_failed;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            check_case_failed = 1;                                                                 \
            printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                     \
        }                                                                                          \
    } while (0)

#define CHECK_NEAR(got, want, relative)                                                            \
    do {                                                                                           \
        double check_got = (got), check_want = (want);                                             \
        if (!(fabs(check_got - check_want) <= (relative)*fabs(check_want))) {                      \
            check_case_failed = 1;                                                                 \
            printf("# %s:%d: %s = %.10g, want %.10g\n", __FILE__, __LINE__, #got, check_got,       \
                   check_want);                                                                    \
        }                                                                                          \
    } while (0)

#define CHECK_INT(got, want)                                                                       \
    do {                                                                                           \
        long long check_got = (long long)(got), check_want = (long long)(want);                    \
        if (check_got != check_want) {                                                             \
            check_case_failed = 1;                                                                 \
            printf("# %s:%d: %s = %lld, want %lld\n", __FILE__, __LINE__, #got, check_got,         \
                   check_want);                                                                    \
        }                                                                                          \
    } while (0)

#define CHECK_TEXT(got, want)                                                                      \
    do {                                                                                           \
        const char *check_got = (got), *check_want = (want);                                       \
        if (!check_got || strcmp(check_got, check_want) != 0) {                                    \
            check_case_failed = 1;                                                                 \
            printf("# %s:%d: %s = \"%s\", want \"%s\"\n", __FILE__, __LINE__, #got,                \
                   check_got ? check_got : "(null)", check_want);                                  \
        }                                                                                          \
    } while (0)

/* Ends one case: `name` says what holds when it passes. */
static inline void check_case(const char *name) {
    check_cases++;
    check_failed += check_case_failed;
    printf("%s %d - %s\n", check_case_failed ? "not ok" : "ok", check_cases, name);
    check_case_failed = 0;
}

/* The exit status of the program: 0 only if there were cases and no check failed, in them or after
 * them. */
static inline int check_done(void) {
    if (check_case_failed)
        check_case("a check after the last case holds");
    if (check_cases == 0)
        printf("# no case: nothing was tested\n");
    printf("1..%d\n", check_cases);
    return check_failed || check_cases == 0 ? 1 : 0;
}

#endif
