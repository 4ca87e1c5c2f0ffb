/* 80 % intervals of `auto`, calibrated on pairs of GPUs that its constants were not taken from. */
#ifndef HABITAT_PREDICT_INTERVAL_H
#define HABITAT_PREDICT_INTERVAL_H

#include "predict/scaling.h"

/* Which GPU's rate was estimated, and of what. */
enum { INTERVAL_PLAIN = 0, INTERVAL_MATRIX, INTERVAL_MEMORY, INTERVAL_RATES };

/* What answered: the rule, an operator model, or the rule with work that nobody counted. Of a
 * recording without sizes: the rule, or a model with guessed sizes; of convolutions, either with
 * the sizes that their kernels told. */
typedef enum interval_kind {
    INTERVAL_RULE = 0,
    INTERVAL_MODEL,
    INTERVAL_UNKNOWN,
    INTERVAL_UNSIZED,
    INTERVAL_GUESSED,
    INTERVAL_TOLD,
    INTERVAL_TOLD_MODEL,
    INTERVAL_KINDS
} interval_kind;

/* What an iteration's interval needs: predicted busy time [ns] by what errors it shares. */
typedef struct interval_sum {
    double total;
    double kernels; /* how many, without copies */
    double by_class[INTERVAL_KINDS][HABITAT_CLASS_COUNT];
    double by_rate[2][INTERVAL_RATES]; /* origin, destination; estimated rates only */
    double other_unit;                 /* computes on another unit than on the origin */
    double slower; /* what of that on plain units may take more: few kernels (conv_as_images.h) */
    double fallback;
} interval_sum;

/* Within which 80 % lie, in log(time). */
double interval_half_width(double variance);

/* Which of the GPU's rates binds a kernel; INTERVAL_RATES if that rate was measured. */
int interval_estimated_rate(const rate_table *table, const habitat_kernel_facts *facts);

/* Add a kernel of busy time ns and return the half width of its own 80 % interval in log(time). */
double interval_add(interval_sum *sum, const scaling *s, const habitat_workload_kernel *kernel,
                    const habitat_kernel_facts *lead, habitat_method method, double ns);

/* An end of what an iteration was recorded to take, in log(time), with what scaling adds to it, a
 * standard deviation in log(time). */
double interval_recorded(double end, double sigma);

/* Variances in log(time). Of whatever pair of GPUs: rates that nobody measured, other units, what
 * no method covers. */
double interval_pair_variance(const interval_sum *sum);

/* What classes of kernels are off between two architectures. */
double interval_across_variance(const interval_sum *sum);

/* How far an iteration's 80 % interval goes down and up, in log(time), and what that rests on. */
typedef struct interval_ends {
    double down, up;
    habitat_interval_basis basis;
} interval_ends;

/* Of an iteration whose kernels were all added. Of no busy time: 0 and 0. */
interval_ends interval_of(const interval_sum *sum, const scaling *s);

/* The factor by which its short kernels alone put off the upper end, of so many kernels an
 * iteration; 1: of an interval that is made otherwise. */
double interval_short_factor(const habitat_prediction *prediction, double kernels);

#endif
