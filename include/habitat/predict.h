/* Predicting an iteration on another GPU, kernel by kernel. Each number says which method made it,
 * and between which two times it will be in 8 of 10 cases (its 80 % interval).
 *
 * A habitat_workload is what one iteration of a trace does (workload.h); a habitat_predictor makes
 * a method ready for it and maps it onto destinations, which are the GPUs asked about.
 *
 * Half: stable, but for what is marked as experimental.
 * Units: predicted times in ms, as double. A number that is not known is NaN.
 * Ownership: the caller frees predictors and predictions. A predictor borrows its workload, which
 * must outlive it. A prediction borrows its destination.
 * Errors: a habitat_status; on failure outputs are untouched, and `err`, which may be NULL, says
 * why. A kernel that the method does not cover is no error: it is counted in `coverage`.
 * Threads: several threads may predict from one predictor, and read one prediction. */
#ifndef HABITAT_PREDICT_H
#define HABITAT_PREDICT_H

#include <stdbool.h>

#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/gpu.h>
#include <habitat/trace.h>
#include <habitat/work.h>
#include <habitat/method.h>
#include <habitat/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct habitat_models habitat_models; /* habitat/models.h */

/* What a kernel's time goes to on a GPU. */
typedef enum habitat_bound {
    HABITAT_BOUND_UNKNOWN = 0,
    HABITAT_BOUND_COMPUTE, /* arithmetic */
    HABITAT_BOUND_MEMORY,  /* moving data between the GPU and its memory */
    HABITAT_BOUND_LAUNCH,  /* starting it: the work is shorter than what a launch costs */
} habitat_bound;

/** Word for it: "compute", "memory", "launch", "unknown".
 * @param bound any value.
 * @return static string.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_bound_name(habitat_bound bound);

/* What an interval was made from. */
typedef enum habitat_interval_basis {
    HABITAT_INTERVAL_UNKNOWN = 0, /* there is no interval */
    HABITAT_INTERVAL_DEFAULT,     /* the documented default width of a method */
    HABITAT_INTERVAL_RECORDED,    /* the origin itself: how its iterations spread */
    HABITAT_INTERVAL_OPERATIONS,  /* operations on GPUs that were left out of training */
    HABITAT_INTERVAL_ITERATIONS,  /* whole iterations on GPUs and of models that were left out */
    HABITAT_INTERVAL_PAIRS,       /* the same steps recorded on two GPUs of one chip */
    HABITAT_INTERVAL_FLOOR,    /* the least width of an iteration, wider than what else is known */
    HABITAT_INTERVAL_CPU_SIDE, /* what is known of the CPU's side, wider than that of the kernels */
    HABITAT_INTERVAL_SCALED,   /* steps recorded at several batch sizes and precisions */
    HABITAT_INTERVAL_HELD, /* from the GPU's own time to all that it waited in a recording without
                              a CPU side: nothing checks it */
    HABITAT_INTERVAL_FIRST_USE, /* from the GPU's own time to the CPU's by rule, where most of what
                                   was recorded of it set a GPU or a library up: nothing checks it
                                 */
    HABITAT_INTERVAL_PASSING_WAIT, /* from the iteration without what the one recorded waited for
                                      outside, which may be of that one alone, or without what
                                      nothing recorded explains: nothing checks it */
    HABITAT_INTERVAL_SHAPES,       /* steps predicted from shapes alone that were recorded, too */
    HABITAT_INTERVAL_COUNT         /* how many there are: no basis */
} habitat_interval_basis;

/** How far an interval can be trusted: "calibrated", "default", "none".
 * @param basis any value.
 * @return static string.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API const char *habitat_interval_name(habitat_interval_basis basis);

/** What it was made from, in words.
 * @param basis any value.
 * @return static string; NULL where there is no interval.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API const char *habitat_interval_words(habitat_interval_basis basis);

/* A predicted time of one kernel or operation, with its 80 % interval and where it comes from. */
typedef struct habitat_estimate {
    double ms, low_ms, high_ms; /* the interval is from low_ms to high_ms */
    double origin_ms;           /* as measured on the origin; NaN where nothing was measured */
    habitat_method method;      /* what made it: WAVE, LEARNED, FALLBACK, ... */
    habitat_bound bound;        /* on the destination */
    habitat_interval_basis interval_basis;
    double busy_ms; /* of a kernel in a trace: the part of ms that adds to the busy time of its
                       iteration. Less than ms where another kernel runs at the same time */
} habitat_estimate;

/* An operation by its shape, without a measurement. */
typedef struct habitat_operation_estimate {
    habitat_status status;     /* HABITAT_OK, or why there is no estimate */
    const char *reason;        /* the same for people, one line; NULL with an estimate */
    habitat_estimate estimate; /* origin_ms NaN; without an estimate all times are NaN */
    /* What to know of the estimate, a line each; NULL: nothing, or no estimate. */
    const char *outside_note; /* a size is far beyond what was measured, or was padded */
    const char *memory_note;  /* its tensors do not fit the GPU's memory */
} habitat_operation_estimate;

/* How an iteration is put together from its kernels. */
typedef enum habitat_assemble {
    HABITAT_ASSEMBLE_USUAL = 0, /* of requests: replay */
    HABITAT_ASSEMBLE_SUM,       /* the GPU's busy time */
    HABITAT_ASSEMBLE_REPLAY,    /* replayed: habitat/replay.h */
} habitat_assemble;

/** Name of a way to put an iteration together: "sum", "replay".
 * @param assemble any value.
 * @return static string.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API const char *habitat_assemble_name(habitat_assemble assemble);

/** A way to put an iteration together by its name: "sum", "replay".
 * @param name NUL-terminated, borrowed for the call.
 * @param out  receives it; untouched on failure.
 * @param err  what is wrong; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG for any other word.
 * @note   Safe from several threads.
 * @tested tests/unit/test_predict.c @since 0.3 */
HABITAT_API habitat_status habitat_assemble_from_name(const char *name, habitat_assemble *out,
                                                      habitat_error *err);

/* Where the length of the CPU's side comes from: the profiler stretches what it records. */
typedef enum habitat_cpu_basis {
    HABITAT_CPU_UNKNOWN = 0, /* not replayed; or the trace holds no calls: there is no CPU side */
    HABITAT_CPU_RECORDED,    /* the recorded iteration without the profiler, which the CPU bound */
    HABITAT_CPU_GIVEN,       /* habitat_replay_options::cpu_ms */
    HABITAT_CPU_RULE,        /* the stated rule of docs/iteration.md, from the profiled times */
    HABITAT_CPU_CLOCK,       /* the recorder's clock beside the rule: docs/decisions/0447 */
} habitat_cpu_basis;

/* Kernels of one class, in one iteration. */
typedef struct habitat_class_total {
    habitat_class op_class;
    double origin_ms, ms; /* sums, measured on the origin and predicted */
} habitat_class_total;

/* What is predicted for one destination. A time or size is that of one iteration, unless its name
 * begins with trace_: such a field covers all iterations of the trace. Three iterations of 100
 * kernels and copies each make trace_kernel_count 300; the sum of trace_kernels[i].ms divided by
 * iteration_count, which is 3, is kernel_ms + copy_ms. The library fills it in; do not copy it. */
typedef struct habitat_prediction {
    const habitat_gpu *gpu;
    habitat_method method;                /* as asked for */
    double iteration_ms, low_ms, high_ms; /* assembled SUM: busy_ms; REPLAY: replayed */
    double busy_ms; /* kernels and copies, overlapping ones counted once; REPLAY: of iteration_ms,
                       which is busy_ms + idle_ms for one GPU */
    double samples_per_s;      /* batch size divided by iteration_ms, on the origin by the recorded
                                  time. NaN: no batch size is known, or the origin waited for its CPU */
    double kernel_ms;          /* sum over kernels, without copies and sets */
    double copy_ms;            /* sum over copies and sets */
    habitat_bound_by bound_by; /* what the iteration waits for: its GPU or its CPU; SUM: a real one,
                                  iteration_ms itself leaves the CPU out */
    double memory_bytes;       /* that the recorded step needs; NaN = unknown */
    int fits;                  /* into the destination's memory: 1 yes, 0 no, -1 unknown */
    double coverage[HABITAT_METHOD_COUNT]; /* share of kernel_ms by the method that made it */
    size_t class_count;                    /* of by_class */
    habitat_class_total by_class[HABITAT_CLASS_COUNT]; /* sums to kernel_ms; largest first */
    uint64_t batch_size;                               /* of one iteration; 0 = unknown */
    size_t iteration_count;                            /* of the trace */
    size_t trace_kernel_count;                         /* kernels, copies and sets */
    habitat_estimate *trace_kernels;                   /* shape (trace_kernel_count), order of
                                                          habitat_workload_kernels(); NULL: habitat_request::totals */
    habitat_interval_basis interval_basis;             /* of low_ms and high_ms */
    size_t calibrated_operations; /* measured on the destination, that moved the models' answers */
    size_t outside_operations;    /* in trace_kernels, that have a size far beyond what the models
                                     were trained on: their times are analytic */
    char outside_note[200];       /* which size, of the first of them; empty: none */
    habitat_assemble assembled;   /* SUM or REPLAY */
    double origin_iteration_ms;   /* the origin's, put together alike: NaN unknown */
    double idle_ms, cpu_ms, gpu_ms; /* of habitat_replay_result, or without a GPU by the table of
                                       the CPU and the sum of kernels; NaN in a SUM */
    habitat_cpu_basis cpu_basis;
    /* Usable memory of the destination = memory_bytes + context_bytes (CUDA's own) + margin_bytes
     * (kept free) + headroom_bytes. Below 0: it may not fit, and does not where the margin is
     * missing as a whole. NaN unknown. */
    double context_bytes, margin_bytes, headroom_bytes;
    double largest_batch;    /* that fits, samples; 0: not even one; NaN unknown */
    uint32_t gpu_count;      /* that run the iteration together; 1 as predicted */
    bool sharded;            /* each of them keeps a part of weights, gradients and states; */
    uint32_t layer_count;    /* then: layers whose weights are gathered one by one */
    double communication_ms; /* of gpu_count GPUs: messages between them; 0 of one; this and the
                                next two are NaN where one rank of several is known alone */
    double exposed_ms;       /* by how much messages make the iteration longer */
    double waiting_ms;       /* of recorded ranks: what each waits for others, their mean; 0 else */
    size_t rank_count;       /* recordings that were put together, one a rank; 0: one alone */
    double *rank_waiting_ms; /* shape (rank_count) */
    /* Of iteration_ms, what lies on the critical path: the CPU (its waits for something outside
     * included), kernels, pauses. They add up. NaN where one GPU's iteration was not replayed. */
    double path_cpu_ms, path_kernel_ms, path_gap_ms;
    double cpu_doubt;        /* factor either way on what is known of the CPU's side: another
                                precision has other operations; 1 in the recorded one */
    bool another_run;        /* of another batch size or precision than recorded: another process,
                                to which the CPU's side of the recorded one is known no better than
                                processes of one host differ */
    double calls_more;       /* of CUDA that the CPU makes beyond those of the trace, all iterations
                                together, casts not counted: where a library runs an operation with
                                more kernels than in the recording; fewer below 0 */
    double rnn_calls_more;   /* of these, in a row within recurrent layers and within convolutions
                                whose   groups are run apart: the CPU is quicker with them */
    double *trace_kernel_ms; /* the library's own: what is not yet put together; NULL */
    double passes_bytes; /* of memory_bytes, tensors of the passes that grow with the batch, most
                            that are there at once; NaN unknown */
    bool scaler_waits;   /* fp16 autocast of a step recorded in another precision: its CPU waits for
                            the gradients before the optimiser */
} habitat_prediction;

/* A method made ready for a workload: it keeps what is the same for all destinations. */
typedef struct habitat_predictor habitat_predictor;

/** Make a method ready for a workload. `auto`, `mlp` and `habitat` ask their operator models about
 * the origin here; the other methods read no models.
 * @param workload borrowed; must outlive the predictor.
 * @param method   one that can be asked for.
 * @param models   what `auto`, `mlp` and `habitat` ask, borrowed, must outlive the predictor; NULL:
 *                 those that the library carries.
 * @param out      receives the predictor; free with habitat_predictor_free().
 * @param err      where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_MEMORY; what is wrong with the operations that a
 *         calibration measured on the origin.
 * @note   Safe from several threads.
 * @tested tests/unit/test_predict.c @since 0.1 */
HABITAT_API habitat_status habitat_predictor_create(const habitat_workload *workload,
                                                    habitat_method method,
                                                    const habitat_models *models,
                                                    habitat_predictor **out, habitat_error *err);

/** Free a predictor.
 * @param predictor freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.1 */
HABITAT_API void habitat_predictor_free(habitat_predictor *predictor);

/** Predict the predictor's workload on a destination.
 * @param predictor borrowed for the call.
 * @param dest      destination, borrowed; the origin itself gives the measurement back.
 * @param out       receives the prediction; free with habitat_prediction_free().
 * @param err       where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_NO_SPEC (not even a bandwidth is known of the
 *         destination); HABITAT_E_UNSUPPORTED (the method needs operator models that this build has
 *         not; it scales measured times and the workload has none); HABITAT_E_MEMORY. A single
 *         kernel no method covers is no error: it goes through the fallback and is counted in
 *         coverage[HABITAT_METHOD_FALLBACK].
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_predictor_predict(const habitat_predictor *predictor,
                                                     const habitat_gpu *dest,
                                                     habitat_prediction **out, habitat_error *err);

/** The same for one destination: prepares, predicts and forgets. For several destinations a
 * predictor is quicker.
 * @param workload borrowed for the call.
 * @param dest     destination, borrowed.
 * @param method   what to predict with.
 * @param out      receives the prediction; free with habitat_prediction_free(). Untouched on error.
 * @param err      where and why on failure; may be NULL.
 * @return as habitat_predictor_create() and habitat_predictor_predict().
 * @note   As recorded: a step in amp-bf16 is first given to habitat_workload_scale() where `dest`
 *         has no bf16 units, as habitat_ask() does.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_predict(const habitat_workload *workload,
                                           const habitat_gpu *dest, habitat_method method,
                                           habitat_prediction **out, habitat_error *err);

/** Free a prediction.
 * @param prediction freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.1 */
HABITAT_API void habitat_prediction_free(habitat_prediction *prediction);

#ifdef HABITAT_EXPERIMENTAL /* ---- experimental half ---- */

/* Another batch size or precision than the recorded one. Zero: as recorded. */
typedef struct habitat_scale {
    uint64_t batch_size;                /* 0: as recorded */
    const habitat_workload *batch_from; /* of the same model, script and GPU at another batch size:
                                           it tells which sizes change. NULL: told from shapes */
    habitat_precision precision;
    const habitat_gpu *on; /* the GPU that it is to be predicted for: where that computes two
                              precisions alike, the step is the same in both; without bf16 units one
                              recorded in amp-bf16 is amp-fp16, with its scaler, though no precision
                              is given. NULL: none is alike */
} habitat_scale;

/** A recorded iteration at another batch size or precision, on the GPU of the recording. What does
 * not depend on it (the optimiser, casts of weights) keeps its time. Everything else has T(new) =
 * T(recorded) M(new) / M(recorded), M a model's time for the same operation.
 * @param workload recorded or scaled in batch size alone; with its recording it must outlive `out`.
 * @param scale    what is wanted; what is as recorded gives the recording back, bit for bit.
 * @param models   borrowed for the call; NULL: those that the library carries.
 * @param out      receives the workload; free with habitat_workload_free(). Its warnings are what
 *                 scaling gives reason to say.
 * @param err      where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG (the recording does not say its batch size);
 *         HABITAT_E_UNSUPPORTED (no times were recorded; of another batch size: it was scaled in
 *         precision already); HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @source docs/formulas.md, "Another batch size or precision" @tested tests/unit/test_scale.c
 * @since 0.1 */
HABITAT_API habitat_status habitat_workload_scale(const habitat_workload *workload,
                                                  const habitat_scale *scale,
                                                  const habitat_models *models,
                                                  habitat_workload **out, habitat_error *err);

#endif /* ---- end of the experimental half ---- */

#ifdef __cplusplus
}
#endif
#endif
