/* One door to every prediction: a request says what is asked, an answer holds what is known.
 *
 * The command line and the Python package ask here and nowhere else. A request is a struct whose
 * zero value means "as usual" in every field: a new wish is a new field at its end. An answer is a
 * list of rows, one for each thing that can be compared (a GPU; later also a batch size, a number
 * format, a number of GPUs), and of warnings.
 *
 * Half: experimental.
 * New fields come before a release; what a later version may ask is zero by default.
 * Units: each name ends in its unit.
 * Ownership: a request borrows all that it points to, until its answer is freed. An answer is the
 * caller's: habitat_answer_free().
 * Errors: a habitat_status. On failure `out` is untouched, and `err`, which may be NULL, says why.
 * Threads: several threads may ask at once, with the same table, trace and models. */
#ifndef HABITAT_ASK_H
#define HABITAT_ASK_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/ask.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <stdbool.h>

#include <habitat/gpu.h>
#include <habitat/models.h>
#include <habitat/predict.h>
#include <habitat/price.h>
#include <habitat/question.h>
#include <habitat/replay.h>
#include <habitat/status.h>
#include <habitat/trace.h>
#include <habitat/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is asked. Everything is borrowed and must outlive the answer. Start with
 * habitat_request_init() or with all zeros: zero is the default that a line names. */
typedef struct habitat_request {
    size_t size_bytes; /* of this struct; 0: not checked. Others than this library's are refused. */

    /* What: one of these three. */
    const habitat_trace *trace;            /* an iteration, as recorded */
    const habitat_workload *workload;      /* an iteration that the caller prepared */
    const habitat_model_query *operations; /* shape (operation_count): operations by their shapes */
    size_t operation_count;

    const char *name,
        *shape; /* of the operations, for reports: "gemm", "m=8 n=8 k=8"; may be NULL */

    /* With a trace: the GPU of the recording; NULL: as the trace says. One that the recording
     * contradicts is refused, one that it names otherwise is warned of. */
    const habitat_gpu *origin;
    const char
        *origin_word; /* what messages call it ("--from"), errors in err->file; NULL: "origin" */

    /* Where to: shape (destination_count); 0: every GPU of the table, in its order. */
    const habitat_gpu *const *destinations;
    size_t destination_count;
    /* What is recorded, without any prediction. A GPU of the recording that the table does not have
     * is a warning then. */
    bool no_predictions;

    /* By what. */
    const habitat_gpu_table *gpus; /* looked up in; NULL: no trace, and destinations are given */
    habitat_method method;         /* 0: auto */
    const habitat_models
        *models;             /* what methods with operator models ask; NULL: the library's own */
    const char *models_name; /* what messages call them; NULL: built-in */
    habitat_model_use use;   /* which of them answer for operations, where the method is auto */
    bool models_only;        /* operations that no model knows have no answer */

    /* What the caller has to say itself: handed on as the answer's first warnings. */
    const char *const *notes; /* shape (note_count) */
    size_t note_count;

    /* An iteration: how it is put together from its kernels. */
    habitat_assemble assemble; /* 0: replayed, where it is a recording's */
    double cpu_scale; /* replay: multiplies the CPU's times, 1 the recorded host's; 0: nobody says,
                         times are the recorded host's, and another GPU's intervals are wider. Of a
                         recording without a GPU 1 is the middle of hosts */
    /* What it costs. */
    const habitat_prices *prices; /* NULL: no costs */
    bool spot;                    /* spot prices; else on-demand ones */
    const char *today;            /* "2026-11-22": old prices say their age; NULL: none does */
    /* How long the whole training is: one of these, or neither. */
    double steps;   /* iterations */
    double samples; /* needs a known batch size; N GPUs take N batches in an iteration */

    /* An iteration at other batch sizes, in another precision: a row each GPU and batch size. */
    const uint64_t *batch_sizes; /* shape (batch_size_count); 0: as recorded */
    size_t batch_size_count;
    const habitat_trace *batch_from; /* the same at another batch size, on the same GPU: it tells
                                        which sizes change; NULL: told from shapes and layers */
    habitat_precision precision;     /* 0: as recorded */
    uint32_t gpu_count; /* replay: GPUs that share the gradients, each with the recorded batch or
                           that of the row; 0: as recorded, which is refused beside a number where
                           that is several */
    /* Recordings of GPUs that trained together, one a rank, `trace` among them: replayed together,
     * and gpu_count GPUs send their messages; 0: as many as were recorded. NULL: `trace` alone. */
    const habitat_trace *const *ranks; /* shape (rank_count), 2 to 32, in any order */
    size_t rank_count;
    /* Several values of gpu_count: a row each GPU, batch size and number. NULL: gpu_count. */
    const uint32_t *gpu_counts; /* shape (gpu_counts_count), each 1 or more */
    size_t gpu_counts_count;
    bool sharded;       /* several GPUs keep weights, gradients and states in parts, as of
                           habitat_replay_apply_sharded(); refused of one, and beside ranks */
    bool totals;        /* an iteration: rows hold no times of single kernels (their predictions'
                           trace_kernels are NULL), so that memory does not grow with their number */
    bool fastest_first; /* an iteration: rows in the order of their times, as one wants them who
                           named no GPU; else in that of the destinations */
    double cpu_scale_doubt; /* a factor by which cpu_scale may be off, either way; 0: not at all */
    bool cpu_scale_of_middle; /* cpu_scale is beside the middle of hosts, as of
                                 habitat_host_compare(NULL): for recordings without a GPU alone */
} habitat_request;

/** Set a request to its defaults: its size, and every other field zero.
 * @param request not NULL.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API void habitat_request_init(habitat_request *request);

/* What a warning is about. */
typedef enum habitat_warning_about {
    HABITAT_ABOUT_NOTE = 0,     /* of the caller: habitat_request::notes */
    HABITAT_ABOUT_REQUEST,      /* something that was asked has no answer, or another one */
    HABITAT_ABOUT_RECORDING,    /* the recording: holds for every row */
    HABITAT_ABOUT_DESTINATIONS, /* what some destinations give reason to say */
} habitat_warning_about;

/* What a warning says, where several say the same of other GPUs or rows. */
typedef enum habitat_warning_kind {
    HABITAT_WARNING_SINGLE = 0, /* none of those below */
    HABITAT_WARNING_DOUBT, /* what the recording notes and its events contradict, or no GPU does */
    HABITAT_WARNING_LEFT_OUT,    /* a destination without a row */
    HABITAT_WARNING_NO_FP16,     /* destinations without matrix units for a format */
    HABITAT_WARNING_NO_BF16,     /* */
    HABITAT_WARNING_NO_FP8,      /* */
    HABITAT_WARNING_NO_INT8,     /* */
    HABITAT_WARNING_PRECISION,   /* destinations that compute the precision asked as another one */
    HABITAT_WARNING_VENDOR,      /* destinations of another vendor than the origin's */
    HABITAT_WARNING_CALIBRATION, /* measured operations moved what models say */
    HABITAT_WARNING_OUTSIDE,     /* operations far beyond what models were trained on */
    HABITAT_WARNING_WIDTH,       /* intervals of default width */
} habitat_warning_kind;

/* One thing to know before an answer is used. */
typedef struct habitat_warning {
    habitat_warning_about about;
    habitat_warning_kind kind;
    const char *text; /* one line */
} habitat_warning;

/* One device of a recording in which one program drives several: times are of one iteration. */
typedef struct habitat_device_time {
    uint32_t device;  /* as recorded (CUDA ordinal) */
    double kernel_ms; /* sum over its kernels */
    double busy_ms;   /* kernels and copies, overlapping ones counted once */
} habitat_device_time;

/* What makes a row another one: together unlike any other row's. */
typedef struct habitat_answer_key {
    const habitat_gpu *gpu;
    uint64_t batch_size; /* 0: as recorded, or none */
    habitat_precision precision;
    uint32_t gpu_count; /* GPUs that run the iteration together */
} habitat_answer_key;

/* What an iteration costs on a GPU, and a training of many. NaN: not known; without a length of the
 * training, its fields are. Low and high are the ends of the 80 % interval of the time. */
typedef struct habitat_cost {
    const habitat_price *price; /* NULL: none is known */
    double price_age_days;      /* NaN: the price has no date, or the request no today */
    double usd_per_hour;
    double usd_per_1000_iterations, low_usd_per_1000_iterations, high_usd_per_1000_iterations;
    double samples_per_usd;
    double hours, low_hours, high_hours; /* of the whole training */
    double usd, low_usd, high_usd;
    /* An estimate: the GPU's TDP while it is busy, nothing while it waits. */
    double energy_j;  /* of an iteration */
    double total_kwh; /* of the whole training */
    /* It may take longer than its time here: hours and dollars are at least these, and
     * samples_per_usd is not known. So where the iteration is not replayed, and the origin waited
     * for its CPU, or this GPU would by the rule for recordings without a GPU: the time is the
     * GPU's busy time. Or where, without a GPU, the work of some operations is not known. */
    bool at_least;
    double steps; /* iterations of the whole training, at the batch size and number of GPUs of this
                     row */
} habitat_cost;

/* One row: a prediction of an iteration, or estimates of operations. */
typedef struct habitat_answer_row {
    habitat_answer_key key;
    habitat_error error; /* code HABITAT_OK, or why nothing of this row is known */

    const habitat_prediction *prediction; /* of an iteration; NULL: operations were asked */

    /* Of operations. */
    const habitat_operation_estimate *operations; /* shape (operation_count); NULL without any */
    habitat_operation_estimate whole;             /* all of them, one after the other */

    /* What this row alone gives reason to say. */
    const char *const *warnings;               /* shape (warning_count) */
    const habitat_warning_kind *warning_kinds; /* shape (warning_count) */
    size_t warning_count;

    habitat_cost cost; /* of an iteration; all unknown where operations were asked */

    /* What each device does, where the iteration is that of several in one recording. */
    const habitat_device_time *devices; /* shape (device_count); NULL: one device */
    size_t device_count;
} habitat_answer_row;

/* One recorded rank, as it was profiled: times are of one iteration. A collective first waits for
 * the other ranks, then sends its message; where nothing else runs on the GPU beside it, it is
 * exposed. */
typedef struct habitat_rank {
    const habitat_trace *trace;
    double iteration_ms;     /* without the profiler; where that was not recorded, as profiled */
    bool iteration_recorded; /* true: without the profiler */
    double compute_ms;       /* all but collectives; what overlaps counts once */
    double communication_ms; /* messages */
    double waiting_ms;       /* of collectives for other ranks, before their messages */
    double exposed_communication_ms, exposed_waiting_ms; /* of the two */
    size_t last_count;      /* messages that began when this rank alone had come to them, of
                               habitat_answer::message_count */
    double clock_offset_ms; /* its host's clock less that of the first rank: the median of how
                               far apart the ends of one message are; NaN unknown */
} habitat_rank;

/* What is known. Belongs to the caller as a whole: habitat_answer_free(). */
typedef struct habitat_answer {
    const habitat_trace *trace;       /* of the request or its workload; NULL without one */
    const habitat_workload *workload; /* NULL where operations were asked, or the recording's GPU is
                                         not known */
    const habitat_replay *replay;     /* what put the rows together; NULL: sum */
    habitat_method method;            /* as asked for */
    const habitat_model_query *operations; /* as asked, shape (operation_count) */
    size_t operation_count;
    habitat_work work; /* of all of them; class, pass, formats and shape are those of the first */
    const char *name, *shape;
    habitat_answer_row *rows; /* shape (row_count), in the order of the destinations, or the fastest
                                 first (habitat_request::fastest_first); of several
                                 batch sizes all rows of the first come first, of several numbers
                                 of GPUs all of the first of these */
    size_t row_count;
    const habitat_warning
        *warnings; /* shape (warning_count), in the order in which they are told */
    size_t warning_count;
    double steps; /* iterations of the whole training, as in the first row: other batch sizes need
                     others, habitat_cost::steps; NaN: not asked */
    const habitat_prices *prices; /* of the request */
    const habitat_rank *ranks;    /* shape (rank_count), in their order; NULL: no ranks asked */
    size_t rank_count;
    size_t message_count;               /* of all recorded iterations, the same on every rank */
    const habitat_device_time *devices; /* shape (device_count): each device as recorded; NULL where
                                           there are none or the GPU is not known */
    size_t device_count;
    uint32_t slow_rank; /* the one that the others wait for; HABITAT_NONE: none much */
    double samples;     /* of the whole training; NaN: its length was not asked in samples */
    bool spot;          /* as asked: prices are spot ones */
    const char *gradients_source; /* several GPUs share them: "noted", or "shapes" of the backward
                                     pass; NULL: not asked, or recorded ranks */
} habitat_answer;

/** Answer a request.
 *
 * An iteration: a destination whose specification has a gap is left out with a warning, unless it
 * is the only one. Operations: a destination without an estimate keeps its row, with the reason.
 * @param request not NULL.
 * @param out     receives the answer; free with habitat_answer_free(). Untouched on error.
 * @param err     where and why on failure; may be NULL. err->index is the destination that failed;
 *                SIZE_MAX where the request, the recording or the method is to blame.
 * @return HABITAT_OK; HABITAT_E_ARG (nothing, or several things asked; an origin that the recording
 *         contradicts); HABITAT_E_UNKNOWN_GPU (of the recording); HABITAT_E_NO_GPU; as
 *         habitat_predictor_create() and habitat_predictor_predict(); HABITAT_E_MEMORY.
 * @note   Several threads may ask at once.
 * @tested tests/unit/test_ask.c @since 0.1 */
HABITAT_API habitat_status habitat_ask(const habitat_request *request, habitat_answer **out,
                                       habitat_error *err);

/** What put the rows together: for callers that cannot see into the structure, as Python.
 * @param answer borrowed for the call.
 * @return borrowed, lives as long as the answer; NULL: sum.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API const habitat_replay *habitat_answer_replay(const habitat_answer *answer);

/** The prediction of one row, likewise.
 * @param answer borrowed for the call.
 * @param row    less than the number of rows.
 * @return borrowed, lives as long as the answer; NULL where there is none.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API const habitat_prediction *habitat_answer_prediction(const habitat_answer *answer,
                                                                size_t row);

/** Free an answer.
 * @param answer freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.1 */
HABITAT_API void habitat_answer_free(habitat_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
