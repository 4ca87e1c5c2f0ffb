/* Inside of the memory of an iteration: the steps of its passes, and lines made of them. */
#ifndef HABITAT_MEMORY_MODEL_H
#define HABITAT_MEMORY_MODEL_H

#ifndef HABITAT_EXPERIMENTAL
#define HABITAT_EXPERIMENTAL
#endif
#include <habitat/memory.h>

enum { MEMORY_FORMATS = HABITAT_MEMORY_TF32 + 1 };

/* In which formats the recorded iteration keeps its tensors. */
typedef enum memory_kind {
    MEMORY_KIND_SINGLE,   /* fp32 (or fp64) throughout */
    MEMORY_KIND_AUTOCAST, /* fp32 weights, half-precision products */
    MEMORY_KIND_HALF,     /* weights in half precision */
} memory_kind;

/* Memory of a library's own, as long as an operation runs [byte]. */
typedef struct memory_space {
    double growing, fixed;
    double shrinking; /* fixed, and less for smaller batches */
    double bounded;   /* of a buffer for pieces of a batch: as shrinking is, or as growing */
} memory_space;

/* An operation of the forward pass [byte]. */
typedef struct memory_step {
    uint64_t forward_ns, backward_ns; /* backward_ns UINT64_MAX: none, nothing is kept */
    bool view;                        /* its forward operation makes nothing */
    uint64_t again_ns;                /* in which the backward pass computes it again; 0: never */
    double kept;                      /* for the backward pass; grows with the batch */
    double kept_again;                /* of that, what a checkpoint lets go of until again_ns */
    double casts;                     /* copies of weights, kept too; do not grow */
    double moved;                     /* tensors in and out: in the backward pass their gradients;
                                         without one, only what it makes and gives back */
    double weights;                   /* elements of weights, whose gradients it makes */
    double summed;                    /* elements of weights whose gradient it adds to one that is
                                         there: a second use of them */
    double rows;                      /* bytes of the gradient that it makes of rows of a table */
    double made;                      /* of `moved`, its result */
    double passing; /* what its backward operation makes beside gradients and gives back */
    memory_space forward, backward;           /* what a library works in meanwhile */
    memory_space most_forward, most_backward; /* what it might, by another algorithm */
} memory_step;

/* The gradient of a tensor that several operations took: made by the first of their backward
 * operations, it waits for the others. */
typedef struct memory_wait {
    uint64_t from_ns, to_ns; /* neither moment is in it: these count their gradients themselves */
    double bytes;            /* grows with the batch */
} memory_wait;

/* A tensor of a forward pass that keeps nothing for a backward one: there from the operation that
 * makes it until its last use. */
typedef struct memory_life {
    uint64_t from_ns, to_ns; /* both moments are in it */
    double growing, fixed;   /* bytes: with the batch; of copies of weights */
} memory_life;

typedef struct memory_steps {
    memory_step *steps;
    size_t count, capacity;
    memory_wait *waits;
    size_t wait_count;
    memory_life *lives; /* none where there is a backward pass */
    size_t life_count, life_capacity;
    double largest_bytes; /* of one tensor */
    double loss_elements; /* of the last softmax before a loss: its input often outlives the step */
    double loss_bytes;    /* of the tensor given to it, or of what that is a cast of */
    double batch_bytes;   /* what the script gives to the first operation: there all the time */
    double weights;       /* elements of all weights met, those that are known to be one once */
    double trained;       /* elements of those that get a gradient, as far as that is shown */
    double tables;        /* elements of those weights whose gradients are rows */
    double maybe_again;   /* elements of them that may have been met twice */
    bool blas;            /* products that cuBLAS makes */
    bool convolutions, tf32; /* there are some; they run in TF32 where their tensors are fp32 */
    size_t product_count;    /* matrix products, convolutions and the like */
} memory_steps;

/* What the optimiser and the passes leave in memory, as the names of operations tell. */
typedef struct memory_facts {
    memory_kind kind;
    bool has_backward; /* backward operations that are linked to their forward ones */
    bool unlinked;     /* a backward pass of which nothing says what it belongs to, or kernels of a
                          compiler: what is kept is not known */
    double foreign_share; /* of the kernels, those of compilers */
    bool gradients_stay;  /* from one iteration to the next */
    uint64_t zeroed_ns;   /* until then those of the iteration before are there; 0: none are */
    bool recomputes;      /* some operations run again in the backward pass: what they keep is not
                             there before that */
    double rows_bytes;    /* of gradients that are rows of tables; grow with the batch */
    double step_lists;   /* that the optimiser's step makes, each as large as the other gradients */
    double weights;      /* elements of those that an optimiser steps; 0 unknown */
    double state_factor; /* state of the optimiser over weights; NaN unknown */
} memory_facts;

/* A moment of the iteration: (growing + space) * batch factor + fixed + shrinking * (batch factor,
 * at most 1) bytes beyond weights and state. */
typedef struct memory_line {
    double growing; /* tensors: a recorded peak may correct them */
    double space;   /* that grows and is known: workspace, rows of gradients */
    double fixed, shrinking;
} memory_line;

typedef struct memory_lines {
    memory_line *lines; /* none is below another everywhere; growing rises */
    size_t count;
    double loss_bytes, batch_bytes, largest_bytes;
} memory_lines;

/* Why only a recorded peak is known. */
typedef enum memory_gap {
    MEMORY_GAP_NONE = 0,
    MEMORY_GAP_COMPILED,
    MEMORY_GAP_UNLINKED,
    MEMORY_GAP_PARTS,
    MEMORY_GAP_NO_PRODUCTS,
} memory_gap;

struct memory_workspaces;

struct habitat_memory {
    memory_facts facts;
    memory_gap gap;
    memory_lines lines[MEMORY_FORMATS]; /* by habitat_memory_format */
    memory_lines most[MEMORY_FORMATS];  /* the same if cuDNN takes the algorithms that need most */
    bool convolutions, tf32;            /* recorded: there are some; they run in TF32 */
    double parameters_bytes, buffers_bytes, gradients_bytes, optimizer_bytes; /* NaN unknown */
    double rows_bytes;           /* of the gradients, those that grow: rows of tables */
    double single_over_recorded; /* bytes of weights in fp32 over recorded */
    double peak_bytes;           /* recorded; NaN unknown */
    bool of_tensors;             /* that peak was counted, without a GPU: docs/decisions/0391 */
    double workspace_bytes;
    bool outputs_gone;        /* the last outputs are not kept between iterations */
    double outlive_bytes;     /* kept between iterations, growing with the batch */
    double temporary_bytes;   /* of the optimiser's step */
    double correction;        /* of growing bytes, so that the recorded peak comes out */
    double unexplained_bytes; /* what of the recorded peak is left then; taken not to grow */
    bool blas;                /* products that cuBLAS makes */
    bool from_shapes;         /* weights were estimated */
    double twice_bytes;       /* of them: as in habitat_memory_parts */
};

/* steps.c: what the operations of the first iteration keep, in these formats. spaces: of the
 * trace's convolutions (workspace.h). */
habitat_status memory_steps_of(const habitat_trace *trace, const habitat_trace_memory *noted,
                               const memory_facts *facts, habitat_memory_format format,
                               const struct memory_workspaces *spaces, memory_steps *out);
/* peak_lines.c: a copy of a step, a life at the end; false when out of memory. */
bool memory_steps_add(memory_steps *steps, const memory_step *step);
bool memory_steps_add_life(memory_steps *steps, const memory_life *life);
void memory_steps_free(memory_steps *steps);

/* fit.c: whether so many samples fit, and the most that are known to; 0: not even one, NaN: not
 * known. */
typedef habitat_memory_fit (*memory_fit_at)(const void *context, const habitat_gpu *gpu,
                                            double samples);
double memory_largest(memory_fit_at fit_at_batch, const void *context, const habitat_gpu *gpu);

/* memory.c: habitat_memory_create() with other notes than the trace's: to judge what shapes tell
 * without any. */
habitat_status memory_create(const habitat_trace *trace, const habitat_trace_info *info,
                             const habitat_gpu *origin, habitat_memory **out, habitat_error *err);

/* Whether a format is the recorded one, so that nothing has to be told of it. */
bool memory_is_recorded(const habitat_memory *m, habitat_memory_format format);

/* Of the passes' tensors, those that grow with the batch: most that are there at once, without
 * weights, their casts and gradients; NaN unknown. */
double memory_growing_bytes(const habitat_memory *m, double batch_factor,
                            habitat_memory_format format);

/* Anew with another bound on the correction of a training step, for judging that bound. */
void memory_correct(habitat_memory *m, double training_most);

/* What is kept free beside a peak and CUDA's context, as shares. */
typedef struct memory_margin {
    double gaps, scaled, shapes; /* of the peak; scaled, shapes, tensors: what such is short of */
    double largest;              /* of the largest tensor */
    double tensors;              /* of the peak: workspaces */
} memory_margin;

/* fit.c: 1: it fits; 0: not even without the margin; -1: that cannot be told. */
int memory_fits(double headroom_bytes, double margin_bytes);

/* fit.c: habitat_memory_fit_on() with another margin. */
habitat_memory_fit memory_fit_with(const habitat_memory_parts *parts, const habitat_gpu *gpu,
                                   const memory_margin *margin);

/* unknown_reason.c: why nothing is told of another batch size or format, as a sentence; false: it
 * is told. */
bool memory_explain_gap(const habitat_memory *m, char *out, size_t size);

/* rules.c */
memory_facts memory_facts_of(const habitat_trace *trace, const habitat_trace_memory *noted);

/* Gradients when all are made [byte]. */
typedef struct memory_gradients {
    double fixed, rows; /* of weights; of rows of tables, which grow with the batch */
    double each;        /* of one element's gradient */
} memory_gradients;

/* peak_lines.c: the moments of the passes. most: with the algorithms that need most. */
habitat_status memory_lines_of(const memory_steps *steps, const memory_facts *facts,
                               const memory_gradients *all, bool most, memory_lines *out);
void memory_lines_free(memory_lines *lines);
/* Bytes of the highest at a batch factor, what grows being corrected; 0 without lines. */
double memory_lines_at(const memory_lines *lines, double batch_factor, double correction);
/* Of the moment that most grows at, what grows, corrected; 0 without lines. */
double memory_lines_growing(const memory_lines *lines, double batch_factor, double correction);
/* The correction with which the highest is `bytes` at the recorded batch; infinite if none grows.
 */
double memory_lines_factor(const memory_lines *lines, double bytes);

#endif
