/* Different rows among the lookups of a table; see distinct.h. Rows are taken in bins of like
 * probability, whose edges are as far apart in log(rank). */
#include "work/distinct.h"

#include <math.h>

#include "base/bisect.h"

enum { BINS = 64, HALVINGS = 50 };

/* Sum of r^-skew over ranks a <= r < b, as an integral. */
static double weight(double a, double b, double skew) {
    double rest = 1.0 - skew;
    return fabs(rest) < 1e-9 ? log(b / a) : (pow(b, rest) - pow(a, rest)) / rest;
}

double distinct_expected(double rows, double lookups, double skew) {
    double all = weight(1.0, rows + 1.0, skew), sum = 0.0, low = 1.0;
    for (int i = 1; i <= BINS; i++) {
        double high = exp(log(rows + 1.0) * i / BINS), count = high - low;
        double share = weight(low, high, skew) / all / count; /* of one row */
        sum -= count * expm1(-lookups * share);
        low = high;
    }
    return sum;
}

double distinct_skew(double rows, double lookups, double seen) {
    bisection b = {0.0, DISTINCT_SKEW_MOST, HALVINGS};
    if (distinct_expected(rows, lookups, b.low) <= seen)
        return 0.0;
    for (double middle; bisect_next(&b, &middle);)
        bisect_take(&b, middle, distinct_expected(rows, lookups, middle) > seen);
    return b.low;
}

double distinct_rows(double rows, double lookups, double seen, double wanted) {
    double skew = distinct_skew(rows, lookups, seen);
    double ratio = distinct_expected(rows, wanted, skew) / distinct_expected(rows, lookups, skew);
    return fmax(1.0, fmin(seen * ratio, fmin(rows, wanted)));
}
