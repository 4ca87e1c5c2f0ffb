/* The rule of `auto` for kernels that no operator model answers for. */
#ifndef HABITAT_PREDICT_AUTO_RULE_H
#define HABITAT_PREDICT_AUTO_RULE_H

#include "kernels/unsized_convolutions.h"
#include "predict/scaling.h"
#include "work/elements.h"

/* What a kernel is on the origin, whatever the destination. */
typedef struct auto_rule_origin {
    double roof_ns;       /* roofline time of its counted work; NaN: not known */
    double usual;         /* where that is not known: the flop of a product, else the bytes, that it
                             usually does in its time */
    double usual_roof_ns; /* roofline time of those; NaN: they were not asked */
    double instructions;  /* that it issues for each byte; 0: none that count (instructions.h) */
    bool overlaps;        /* its threads compute while others of them wait for memory */
} auto_rule_origin;

/* What the rule needs to know of every kernel of a workload, shape (kernel_count). */
typedef struct auto_rule {
    auto_rule_origin *origin;     /* by the first form of the rule: the others work it out */
    uint32_t *lead;               /* kernel whose flop and bytes stand for it */
    double rounds[KERNEL_WIDTHS]; /* elements that a thread of an element-wise kernel treats, by the
                                     width of its loads; 0: sizes were recorded, or none is there */
    habitat_kernel_facts *facts;  /* with flop and bytes of convolutions whose sizes the kernels of
                                     their layer told; NULL: sizes were recorded */
} auto_rule;

/* HABITAT_E_MEMORY; free in every case. */
habitat_status auto_rule_prepare(const habitat_workload *w, const unsized_convolutions *told,
                                 auto_rule *out);
void auto_rule_free(auto_rule *r);

/* What is known of kernel i before its time is looked at. */
const habitat_kernel_facts *auto_rule_facts(const habitat_workload *w, const auto_rule *r,
                                            size_t i);

/* Kernel i; not covered where its time is that of a connection. */
scaled auto_rule_kernel(const scaling *s, const auto_rule *r, size_t i);

#endif
