/* How many different rows of a table are among `lookups` of them: what a sparse gradient keeps
 * once equal rows are summed. Few rows are asked for often and many seldom, as words and products
 * are: row r with a probability in proportion to r^-skew. Uniform: skew 0.
 *
 * docs/formulas.md#another-batch-size-or-precision, "Rows of sparse gradients" */
#ifndef HABITAT_WORK_DISTINCT_H
#define HABITAT_WORK_DISTINCT_H

/* Expected number of different rows. rows, lookups >= 1; 0 <= skew <= DISTINCT_SKEW_MOST. */
double distinct_expected(double rows, double lookups, double skew);

/* The skew at which `lookups` give `seen` different rows; 0 where uniform ones give as few. */
double distinct_skew(double rows, double lookups, double seen);

/* Different rows among `wanted` lookups of a table where `seen` were among `lookups`; 1 or more,
 * and not more than there are rows or lookups. 1 <= seen. */
double distinct_rows(double rows, double lookups, double seen, double wanted);

#define DISTINCT_SKEW_MOST 4 /* a bound of the search */

#endif
