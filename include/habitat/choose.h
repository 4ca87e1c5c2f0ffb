/* Which GPU to take: answers of one or several iterations, ranked by cost, time or energy.
 *
 * The rows of an answer (ask.h) are ranked by one objective. GPUs that cannot be taken are listed
 * apart, each with the reason. Where 80 % intervals overlap, the ranking says so: a tie. Rows of
 * several batch sizes or numbers of GPUs are compared by the sample.
 *
 * Half: experimental.
 * Units: each name ends in its unit; NaN is not known.
 * Ownership: the caller frees a choice. It borrows the answers, which must outlive it.
 * Errors: a habitat_status; on failure outputs are untouched, and `err`, which may be NULL, says
 * why. That no GPU can be taken is no error.
 * Threads: pure functions; safe from several threads. */
#ifndef HABITAT_CHOOSE_H
#define HABITAT_CHOOSE_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/choose.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <stdbool.h>

#include <habitat/ask.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is to be small. */
typedef enum habitat_objective {
    HABITAT_OBJECTIVE_COST = 0, /* dollars for an iteration */
    HABITAT_OBJECTIVE_TIME,     /* of an iteration */
    HABITAT_OBJECTIVE_ENERGY,   /* joules for an iteration, an estimate: habitat_cost */
    HABITAT_OBJECTIVE_COUNT,
} habitat_objective;

/** "cost", "time", "energy".
 * @param objective any value.
 * @return static string; NULL for no objective.
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API const char *habitat_objective_name(habitat_objective objective);

/** Objective from its name.
 * @param name NUL-terminated, borrowed for the call.
 * @param out  receives the result; untouched on failure.
 * @param err  where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG (err names the choices).
 * @note   Safe from several threads.
 * @since 0.2 */
HABITAT_API habitat_status habitat_objective_from_name(const char *name, habitat_objective *out,
                                                       habitat_error *err);

/* Which GPUs can be taken. Zero is the default that a line names. */
typedef struct habitat_choice_options {
    habitat_objective objective;
    double max_usd_per_hour; /* 0: any price, or none */
    double deadline_hours;   /* for the whole training, whose length the answers know; 0: none */
    bool must_fit;           /* also those whose memory is not known to be enough are left out */
    bool other_vendors; /* take those of another vendor than the recording's too: no measurement of
                           them checks predictions */
    const char *vendor; /* take those of this vendor alone, in any case of letters; NULL: not asked.
                           Borrowed; a vendor of no GPU of the answers is refused */
} habitat_choice_options;

/* One GPU that can be taken, or one at a batch size, or some of them together. Times and costs are
 * of the mean iteration: each answer's by its weight. */
typedef struct habitat_choice_row {
    habitat_answer_key key;
    double iteration_ms, low_ms, high_ms;
    habitat_cost cost;
    double value, low, high; /* of the objective: US dollars for 1,000 iterations, ms or J; of a
                                choice by the sample: US dollars for 1,000,000 samples, ms or J
                                of one */
    bool tie;                /* its interval overlaps that of the first row: no telling which */
    bool pareto;     /* no other row is as fast and costs less, or costs as little and is faster */
    bool calibrated; /* the intervals of all its predictions are */
    int fits;        /* all of them: 1 yes, 0 no, -1 unknown */
    double headroom_bytes; /* habitat_prediction's of the one that leaves least; NaN: unknown */
    uint64_t batch_size;   /* of one GPU; 0: unknown, or not that of all recordings */
    double samples;        /* of the mean iteration, of all its GPUs; NaN: unknown */
    double samples_per_s;  /* habitat_prediction's; of several recordings, of the mean iteration:
                              NaN where that of one is not known */
    habitat_bound_by bound_by; /* BY_CPU: some of its predictions; BY_GPU: all of them */
    bool cpu_sets; /* of some replay the CPU sets the time: a faster GPU would be no faster there */
    bool other_vendor; /* than some recording's GPU */
} habitat_choice_row;

/* Why a GPU cannot be taken: the first of these that holds. */
typedef enum habitat_exclusion_kind {
    HABITAT_EXCLUDED_VENDOR = 0, /* another vendor's */
    HABITAT_EXCLUDED_SMALL,      /* less memory than is in use */
    HABITAT_EXCLUDED_NEAR,     /* may not fit: a part of the memory that is kept free is missing */
    HABITAT_EXCLUDED_FIT,      /* nothing is known of the memory that is needed */
    HABITAT_EXCLUDED_DEADLINE, /* not ready in time */
    HABITAT_EXCLUDED_NO_PRICE,
    HABITAT_EXCLUDED_PRICE,   /* costs too much an hour */
    HABITAT_EXCLUDED_UNKNOWN, /* its time or energy is not known */
    HABITAT_EXCLUDED_COUNT,
} habitat_exclusion_kind;

/* One GPU that cannot be taken. */
typedef struct habitat_exclusion {
    habitat_answer_key key;
    habitat_exclusion_kind kind;
    const char *reason;  /* one line */
    double iteration_ms; /* NaN: not predicted */
    uint64_t batch_size; /* as of habitat_choice_row, like: */
    double samples, usd_per_hour, hours, headroom_bytes;
    double bill_per_hour; /* usd_per_hour with the GPUs that are rented together [USD] */
} habitat_exclusion;

typedef struct habitat_choice habitat_choice;

struct habitat_choice {
    const habitat_answer *const *answers; /* shape (answer_count) */
    const double *weights;                /* the same shape; they sum to 1 */
    size_t answer_count;
    habitat_choice_options options;
    double steps;             /* iterations of the whole training, by the sample those of the first
                                 row of the first answer: habitat_cost::steps; NaN: not known */
    habitat_choice_row *rows; /* shape (row_count), best first */
    size_t row_count;
    const habitat_exclusion *excluded; /* shape (excluded_count), in the order of the answer */
    size_t excluded_count;
    const habitat_choice_row *recommended; /* rows[0]; NULL: no GPU can be taken */
    const char *reason;                    /* one or two sentences */
    const char *const *changes; /* what would change the answer: shape (change_count). Where no GPU
                                   can be taken: what comes nearest, for each limit */
    size_t change_count;
    bool at_least; /* some row of an answer takes longer than its time: habitat_cost::at_least */
    /* Where rows differ in either of these, all is compared by the sample: value, ties, pareto,
     * reason and changes. */
    bool batches_differ, gpus_differ;
    bool per_sample;
    double samples;           /* of the whole training; NaN: its length was not asked in samples */
    const char *const *notes; /* what to know before taking it: shape (note_count), a line each */
    size_t note_count;
};

/** Choose among the rows of answers.
 * @param answers shape (count), each of an iteration; the same GPUs asked of each. A GPU that one
 *                of them has no row of is left out.
 * @param weights shape (count), how often each iteration is run, > 0; NULL: equally often.
 * @param count   receives the number.
 * @param options NULL: the defaults.
 * @param out     receives the choice; free with habitat_choice_free(). Untouched on error.
 * @param err     where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG (no answer, one that is not of an iteration, a weight that is
 *         none, a deadline without a length, a vendor of no GPU; of a choice by the sample, a batch
 *         size that is not known, and a length in steps); HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @tested tests/unit/test_choose.c @since 0.2 */
HABITAT_API habitat_status habitat_choose(const habitat_answer *const *answers,
                                          const double *weights, size_t count,
                                          const habitat_choice_options *options,
                                          habitat_choice **out, habitat_error *err);

/** Free a choice.
 * @param choice freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.2 */
HABITAT_API void habitat_choice_free(habitat_choice *choice);

#ifdef __cplusplus
}
#endif
#endif
