/* What an answer holds beside its public part, and the steps that fill it. */
#ifndef HABITAT_ASK_ANSWER_H
#define HABITAT_ASK_ANSWER_H

#include <habitat/ask.h>

#include "base/arena.h"
#include "replay/ranks.h"
#include "workload/ranks.h"

typedef struct made_answer {
    habitat_answer open;            /* first: a public pointer is a pointer to its made_answer */
    habitat_workload *own_workload; /* NULL where the caller gave one */
    habitat_replay *own_replay;     /* NULL: the rows are sums */
    habitat_workload **scaled;      /* shape (scaled_count): what rows of another batch size or
                                       precision are of; NULL where no GPU needs it */
    size_t scaled_count;
    const habitat_workload **row_workloads; /* what each row is predicted from */
    const habitat_trace **rank_traces;      /* shape (rank_count): in the order of the ranks */
    habitat_workload **rank_workloads;      /* shape (rank_count) */
    size_t rank_count;
    replay_ranks ranks;
    habitat_workload **device_workloads; /* shape (device_count): of several devices, each alone */
    size_t device_count;
    habitat_workload *other;   /* that of request->batch_from */
    habitat_warning *warnings; /* shape (capacity) */
    size_t capacity;
    habitat_arena arena; /* texts, arrays of rows */
} made_answer;

/* iteration.c: workload and predictions of a recording or workload. rows: room for
 * answer_rows_each() a destination. */
habitat_status answer_iteration(const habitat_request *request, size_t count,
                                const habitat_gpu *const *destinations, made_answer *out,
                                habitat_error *err);

/* ranks.c: the recordings in the order of their ranks; their workloads; their replay; a prediction
 * of all on one GPU. */
habitat_status ranks_sort(const habitat_request *request, made_answer *out, habitat_error *err);
habitat_status ranks_take(const habitat_request *request, const habitat_gpu *origin,
                          made_answer *out, habitat_error *err);
habitat_status ranks_replay(const habitat_request *request, made_answer *out, habitat_error *err);
habitat_status ranks_predict(const habitat_request *request, const habitat_predictor *first,
                             const habitat_gpu *gpu, const made_answer *out,
                             habitat_prediction **made, habitat_error *err);
void ranks_free_all(made_answer *out);

/* recorded_gpu.c: the GPU that a recording notes; HABITAT_E_UNKNOWN_GPU, with the recording's file,
 * where it notes none or one that the table does not have. */
habitat_status recorded_gpu(const habitat_request *request, const habitat_trace *trace,
                            const habitat_gpu **out, habitat_error *err);

/* devices.c: the workload of a recording's main device, or of all of them where one program drives
 * several; each alone; what each does in a prediction of all. */
habitat_status devices_take(const habitat_request *request, const habitat_gpu *origin,
                            made_answer *out, habitat_error *err);
habitat_status devices_finish(made_answer *out, habitat_prediction *p, habitat_answer_row *row,
                              habitat_error *err);
void devices_free(made_answer *out);

/* rank_times.c: what each rank did as it was recorded, in out->open.ranks. m: of these ranks. */
habitat_status ranks_measure(const rank_messages *m, made_answer *out, habitat_error *err);

/* GPUs that run the iteration together, as asked: of recorded ranks as many as they are. */
uint32_t answer_gpus(const habitat_request *request);

/* Rows for each destination: one a batch size and number of GPUs that is asked. */
size_t answer_rows_each(const habitat_request *request);

/* operations.c: estimates of operations. */
habitat_status answer_operations(const habitat_request *request, size_t count,
                                 const habitat_gpu *const *destinations, made_answer *out,
                                 habitat_error *err);

/* cost.c: how many iterations a training is by the first row, in out->steps; HABITAT_E_ARG where
 * that cannot be said. */
habitat_status cost_steps(const habitat_request *request, habitat_answer *out, habitat_error *err);

/* cost.c: what each row costs. */
void cost_rows(const habitat_request *request, habitat_answer *out);

/* cost.c: samples of an iteration of all GPUs of a row; NaN: the batch size is not known. */
double cost_samples(const habitat_answer *what, const habitat_answer_row *row);

/* cost.c: whether the price has a date that is yet to come. A day ahead is today elsewhere. */
bool cost_is_of_future(const habitat_cost *cost);

/* Whether the price is of more GPUs, rented together, than are reckoned with. */
bool cost_is_of_machines(const habitat_cost *cost);

/* What an hour takes from a purse [USD]: GPUs rented together are paid together. NaN: no price. */
double cost_bill(const habitat_cost *cost);

/* Whether the recording is of one of several GPUs that trained together, and rows are of one: how
 * many they are, in words. */
enum { RANKS_BYTES = 24 };
bool cost_is_of_one_rank(const habitat_answer *answer, char of[RANKS_BYTES]);

/* cost.c: warnings of prices of a future date, of GPUs rented together, and of samples of one rank.
 * HABITAT_E_MEMORY. */
habitat_status cost_warn(made_answer *out, habitat_error *err);

/* cost.c: of cost->usd_per_hour, for a training of cost->steps iterations of these times; what else
 * there is to it stays as it is. */
void cost_of_times(double iteration_ms, double low_ms, double high_ms, habitat_cost *cost);

#endif
