/* Another batch size or precision of a recorded iteration: what its operations do then. The times
 * are worked out by those who know models (predict/rescale.c, rescale_ask.c, rescale_times.c).
 *
 * docs/formulas.md#another-batch-size-or-precision */
#ifndef HABITAT_RESCALE_SCALE_H
#define HABITAT_RESCALE_SCALE_H

#include "workload/workload.h"

/* Where a group's new work comes from. */
typedef enum scale_source {
    SCALE_STAYS = 0,    /* it does not depend on what was asked */
    SCALE_BY_SHAPES,    /* its tensors carry the batch: told from shapes and layers */
    SCALE_BY_RECORDING, /* a second recording says which dimensions change */
    SCALE_ASSUMED,      /* nothing is known of its tensors: it grows as the batch does */
    SCALE_IN_A_ROW,     /* few tensors have the batch as a size: those that no parameter has grow */
    SCALE_BY_FORMAT,    /* its tensors or its arithmetic have another number format */
    SCALE_GONE,         /* not run any more: a cast to the format that all is in now */
} scale_source;

/* A group as it would be. */
typedef struct scale_group {
    habitat_work work;
    const habitat_operation *operation; /* with its new sizes; NULL: as it is */
    double ratio;                       /* elements of its tensors, new over recorded */
    scale_source source;
    habitat_dtype arithmetic; /* new one of its main kernels; UNKNOWN: as it is */
    bool matrix_unit;         /* with `arithmetic` */
    bool mixed;               /* element-wise, of tensors in two formats */
} scale_group;

/* What the name of an added operation ends in that works on a weight: no batch changes it. */
#define SCALE_OF_WEIGHT " of a weight"

/* An operation that is not in the recording. */
typedef struct scale_added {
    const char *name; /* static */
    habitat_work work;
    bool widens; /* a cast from 16 bit to fp32 */
} scale_added;

/* What every group does at batch size `batch`.
 * other: a recording of the same model at another batch size, or NULL.
 * out:   shape (group_count); untouched on error.
 * arena: receives the operations of `out`; NULL: they are not wanted.
 * parts: receives how many forward passes share the batch; NULL: it is not wanted.
 * HABITAT_E_ARG (the recording does not say its batch size; the other has the same),
 * HABITAT_E_MEMORY. */
habitat_status scale_batch(const habitat_workload *w, const habitat_workload *other, uint64_t batch,
                           habitat_arena *arena, scale_group *out, uint32_t *parts,
                           habitat_error *err);

/* Share of the time, without optimiser and messages, that a batch of another size changes: after,
 * shape (group_count). Samples in one row are not counted: any batch would change them. */
double scale_carried_share(const habitat_workload *w, const scale_group *after);

/* How many passes of the same operations a step gathers the gradients of; 1: it does not, or its
 * passes differ. HABITAT_E_MEMORY. */
habitat_status scale_passes(const habitat_workload *w, uint32_t *out, habitat_error *err);

/* HABITAT_E_ARG: the batch size is one that was said, and the recorded sizes hardly hold it.
 * HABITAT_E_MEMORY. */
habitat_status scale_check_said(const habitat_workload *w, habitat_error *err);

/* ---- precisions ---- */

/* What every group does in another precision, and what is done beside them (casts, the scaler).
 * out:   shape (group_count). added: receives an array, the caller's to free.
 * HABITAT_E_MEMORY. */
habitat_status scale_precision(const habitat_workload *w, habitat_precision precision,
                               habitat_arena *arena, scale_group *out, scale_added **added,
                               size_t *added_count, habitat_error *err);

/* Whether it is a convolution of a channel a group: a sum for each pixel and no product of
 * matrices, so that its kernels in fp32 are those of the plain units whether or not TF32 is allowed
 * (docs/decisions/0414). */
bool scale_is_depthwise(const habitat_work *work);

/* ---- another workload: scale_derive.c ---- */

/* A copy of `from` with other work and more operations, times still as they were. HABITAT_E_MEMORY.
 */
habitat_status scale_derive(const habitat_workload *from, const scale_group *groups,
                            size_t added_count, const scale_added *added, habitat_workload **out);

/* Times of all kernels, shape (kernel_count), rounded to whole ns; sums, busy time and iteration
 * follow. HABITAT_E_MEMORY. */
habitat_status scale_set_times(habitat_workload *w, const double *ns, habitat_error *err);

/* Adds a line to the workload's warnings. HABITAT_E_MEMORY. */
habitat_status scale_warn(habitat_workload *w, const char *text, habitat_error *err);

/* ---- inside: an operation whose sizes change ---- */

/* Room for the sizes of one operation, rewritten. Input i of `op` is inputs[i]. */
enum { SCALE_INPUTS_MAX = 64, SCALE_DIMS_MAX = 512 };

typedef struct scale_operation {
    habitat_operation op; /* its form is the one below */
    habitat_op_form form;
    habitat_input inputs[SCALE_INPUTS_MAX];
    int64_t dims[SCALE_DIMS_MAX], strides[SCALE_DIMS_MAX];
    size_t used;
    bool changed;
    bool in_a_row; /* a size grew of samples in one row */
} scale_operation;

/* A copy in `arena`; NULL when out of memory. */
const habitat_operation *scale_keep_operation(habitat_arena *arena, const habitat_operation *op);

/* A copy whose sizes can be changed; false where it has more of them than fit. */
bool scale_copy_operation(const habitat_operation *op, scale_operation *out);

/* Dimension d of input i becomes `size`; strides of dimensions around it grow with it. */
void scale_set_dim(scale_operation *out, uint32_t i, uint32_t d, int64_t size);

/* What a group does when its operation has these sizes: its work, and the ratio of its elements. */
void scale_group_work(const habitat_workload *w, const habitat_workload_group *group,
                      const scale_operation *op, scale_group *out);

/* Whether an operation belongs to the optimiser or the sum of gradients, which see parameters only.
 */
bool scale_sees_parameters(const habitat_workload *w, const habitat_workload_group *group);

/* Whether an operation is as before at any batch size and number format: those, and messages. */
bool scale_leaves(const habitat_workload *w, const habitat_workload_group *group);

/* ---- scale_dims.c: one recording ---- */

typedef struct scale_sizes scale_sizes;

/* Collects what the recording says of its sizes. parts: forward passes that share the batch, each
 * with as many samples (gradient accumulation). HABITAT_E_MEMORY; free in every case. */
habitat_status scale_sizes_create(const habitat_workload *w, uint64_t batch, uint32_t parts,
                                  scale_sizes **out);
void scale_sizes_free(scale_sizes *s);

/* From here on sizes carry the batch, too, that tensors begin with and no parameter has; more: some
 * do that did not. Where no tensor has the batch as a size they do from the start.
 * HABITAT_E_MEMORY. */
habitat_status scale_sizes_look_in_rows(scale_sizes *s, const habitat_workload *w, bool *more);

/* Gives the batch dimensions of `out`, a copy of group's operation, the new batch size. */
void scale_by_shapes(const scale_sizes *s, uint64_t batch, scale_operation *out);

/* ---- scale_sparse.c: rows of sparse gradients ---- */

typedef struct scale_sparse scale_sparse;

/* Tables whose gradients are sparse, and the rows of these as recorded and at `batch`. out: stays
 * where the recording makes no sparse gradient. HABITAT_E_MEMORY; free in every case. */
habitat_status scale_sparse_create(const habitat_workload *w, const scale_sizes *sizes,
                                   uint64_t batch, scale_operation *room, scale_sparse **out);
void scale_sparse_free(scale_sparse *s);

/* Gives `out`, a copy of op, as many rows as gradients have then. */
void scale_sparse_resize(const scale_sparse *s, scale_operation *out, const habitat_operation *op);

/* Rows over those recorded, of an operation inside a sparse one; 1: it is not of them. */
double scale_sparse_ratio(const scale_sparse *s, const habitat_operation *op);

/* ---- scale_match.c: two recordings ---- */

/* Groups that have an operation, in the order in which those begin. out: shape (group_count).
 * @return false without memory. */
bool scale_order(const habitat_workload *w, uint32_t *out, size_t *count);

/* Group of `other` that each group of w stands for, shape (group_count of w); HABITAT_NONE: none.
 * HABITAT_E_MEMORY. */
habitat_status scale_match(const habitat_workload *w, const habitat_workload *other, uint32_t *out);

/* Operations of a recording that see the batch, and those that another one has too. */
typedef struct scale_twins {
    size_t operations, found;
} scale_twins;

/* Both as recorded, of two batch sizes. HABITAT_E_ARG: they are of other models, precisions or
 * steps.
 * HABITAT_E_MEMORY. */
habitat_status scale_check_twins(const habitat_workload *w, const habitat_workload *other,
                                 scale_twins *out, habitat_error *err);

#endif
