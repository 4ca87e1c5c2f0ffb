/* Kernels within a convolution that turn a tensor's layout for the matrix units:
 * docs/decisions/0532. */
#ifndef HABITAT_KERNELS_LAYOUTS_H
#define HABITAT_KERNELS_LAYOUTS_H

#include "workload/workload.h"

typedef enum layout_of {
    LAYOUT_NOT,     /* another kernel */
    LAYOUT_IMAGES,  /* the images, the result or a gradient of these */
    LAYOUT_WEIGHTS, /* the weights or their gradient: no batch changes them */
} layout_of;

/* Which of a convolution's tensors a kernel of its group turns. */
layout_of layouts_of(const habitat_workload *w, const habitat_workload_group *group,
                     const habitat_workload_kernel *kernel);

/* Whether any kernel of the group does so, on matrix units, and only its images are others then:
 * not where samples have weights of their own. */
bool layouts_are_turned(const habitat_workload *w, const habitat_workload_group *group,
                        const habitat_work *after);

/* Times [ns] of such a group's kernels for `ratio` times the images: of weights it stays, of images
 * it is in proportion. Products take `modelled` times as long; NaN: no model knows them.
 * ns: shape (kernels of w). */
void layouts_scale(const habitat_workload *w, const habitat_workload_group *group, double ratio,
                   double modelled, double *ns);

#endif
