/* Different rows among the lookups of a table: src/work/distinct.c. */
#include <math.h>
#include <stdbool.h>

#include "check.h"
#include "work/distinct.h"

static bool near(double a, double b, double within) {
    return fabs(a - b) <= within * fabs(b);
}

int main(void) {
    /* 1000 (1 - e^-1), and of 100000: 100000 (1 - e^-.16384) */
    CHECK(near(distinct_expected(1000, 1000, 0), 632.121, 1e-6));
    CHECK(near(distinct_expected(100000, 16384, 0), 15112.1, 1e-5));
    check_case("rows that are asked for alike");
    CHECK(near(distinct_expected(2, 1e6, 1), 2.0, 1e-6));
    CHECK(distinct_expected(1000, 1000, 1) < distinct_expected(1000, 1000, 0.5));
    CHECK(distinct_expected(1000, 1000, 0.5) < distinct_expected(1000, 1000, 0));
    CHECK(distinct_expected(1000, 2000, 1.2) < 2 * distinct_expected(1000, 1000, 1.2));
    check_case("the more skewed, the fewer; twice the lookups find less than twice the rows");
    CHECK(near(distinct_skew(1000, 500, distinct_expected(1000, 500, 1.2)), 1.2, 1e-6));
    CHECK(near(distinct_skew(1e8, 4096, distinct_expected(1e8, 4096, 1.0)), 1.0, 1e-6));
    CHECK(distinct_skew(1000, 500, 500) == 0.0);
    CHECK(near(distinct_skew(1000, 1e9, 1), DISTINCT_SKEW_MOST, 1e-9));
    check_case("the skew that a number of rows tells");
    /* measured: 4012 of 4096 and 15135 of 16384 lookups of 100000 rows */
    CHECK(near(distinct_rows(100000, 4096, 4012, 16384), 15135, 0.005));
    CHECK(near(distinct_rows(100000, 16384, 15135, 4096), 4012, 0.005));
    CHECK(near(distinct_rows(3673, 4096, 682, 16384), 1331, 0.2)); /* words of a text */
    CHECK(distinct_rows(100, 50, 50, 1e6) == 100.0);
    CHECK(near(distinct_rows(100000, 4096, 4012, 4096), 4012, 1e-12));
    CHECK(distinct_rows(100, 50, 40, 1) == 1.0);
    CHECK(distinct_rows(1, 8, 1, 64) == 1.0);
    check_case("different rows among more and fewer lookups");
    return check_done();
}
