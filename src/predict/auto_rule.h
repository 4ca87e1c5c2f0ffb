/* The rule of `auto` for kernels that no operator model answers for. */
#ifndef HABITAT_PREDICT_AUTO_RULE_H
#define HABITAT_PREDICT_AUTO_RULE_H

#include "predict/convolutions.h"
#include "predict/scaling.h"
#include "work/elements.h"

/* What the rule needs to know of every kernel of a workload, shape (kernel_count). */
typedef struct auto_rule {
    uint32_t *lead;               /* kernel whose flop and bytes stand for it */
    double rounds[KERNEL_WIDTHS]; /* elements that a thread of an element-wise kernel treats, by the
                                     width of its loads; 0: sizes were recorded, or none is there */
    double *flop; /* of a convolution whose size its kernels told; NaN: it is not told. NULL: sizes
                     were recorded */
} auto_rule;

/* HABITAT_E_MEMORY; free in every case. */
habitat_status auto_rule_prepare(const habitat_workload *w, const convolution_works *told,
                                 auto_rule *out);
void auto_rule_free(auto_rule *r);

/* Kernel i; not covered where its time is that of a connection. */
scaled auto_rule_kernel(const scaling *s, const auto_rule *r, size_t i);

#endif
