/* Usual shares of kernels that are known by their name. */
#ifndef HABITAT_KERNELS_SHARE_BY_NAME_H
#define HABITAT_KERNELS_SHARE_BY_NAME_H

/* The share of its time, 0..1, that a kernel of this name needs by the memory's roof; NaN where no
 * such kernel was counted. docs/formulas.md#unknown-work */
double share_by_name(const char *name);

#endif
