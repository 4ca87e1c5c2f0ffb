/* Products whose sizes nobody recorded: as large as their kernel's name, grid and time say. */
#ifndef HABITAT_KERNELS_UNSIZED_PRODUCTS_H
#define HABITAT_KERNELS_UNSIZED_PRODUCTS_H

#include "workload/workload.h"

/* One operation, and all that launch the same kernel with the same grid. Sizes follow from the tile
 * in the kernel's name and the number of its blocks, but for one: that with which the models need
 * the measured time. docs/formulas.md#sizes-that-nobody-recorded */
typedef struct unsized_product {
    const habitat_workload_kernel *kernel; /* the first that computes */
    habitat_class op_class;
    habitat_pass pass;
    uint32_t question;        /* the asker's number */
    size_t count;             /* operations */
    double total_ms, main_ms; /* all their kernels; those that compute */
    double m, n, b, k;        /* rows, columns, batch and length of sums; 0: to be found */
    double size, least, most; /* what is to be found, and its limits */
    double power;             /* times grow about with size^power */
    double residual;          /* what such kernels usually take of the models' time */
    double odd;               /* columns are an odd multiple of it; 0: they fill whole loads */
    habitat_work work;        /* with the size as it is now */
} unsized_product;

/* What is known of a group of unknown work before its time is looked at. False: nothing is. */
bool unsized_product_begin(const habitat_workload *w, const habitat_workload_group *group,
                           unsized_product *out);

/* One more operation like it. */
void unsized_product_add(unsized_product *g, const habitat_workload *w,
                         const habitat_workload_group *group);

/* Sets the size so that the sums take the share of their time that they usually do
 * (usual_shares.h). */
void unsized_product_settle(unsized_product *g, const habitat_workload *w);

/* Moves the size: the models say that the operation takes `ms` with that it has. */
void unsized_product_improve(unsized_product *g, double ms);

#endif
