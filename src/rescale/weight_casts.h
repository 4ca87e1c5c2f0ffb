/* How often autocast casts weights: one that is read many times is cast the first time alone. */
#ifndef HABITAT_RESCALE_WEIGHT_CASTS_H
#define HABITAT_RESCALE_WEIGHT_CASTS_H

#include "workload/workload.h"

typedef struct weight_size weight_size;
typedef struct weight_run weight_run;

typedef struct weight_casts {
    weight_size *sizes; /* shape (count), by elements */
    size_t count;
    uint64_t *gradients; /* shape (gradient_count): when each was added to its parameter, sorted */
    size_t gradient_count, gradients_before;
    weight_run *runs; /* shape (run_count): reads of one size between two backward passes */
    size_t run_count, run_room;
} weight_casts;

/* Parameters that the recording lists, by their size. HABITAT_E_MEMORY. Free in every case. */
habitat_status weight_casts_of(const habitat_trace *trace, weight_casts *out, habitat_error *err);
void weight_casts_free(weight_casts *of);

/* One more operation, which begins at at_ns, reads a weight of that size in 16 bit. To be told of
 * all in the order of time before the first question. Returns false without memory. */
bool weight_casts_read(weight_casts *of, uint64_t at_ns, double elements);

/* Whether the next read of a weight of that size, in the same order, casts it. All do where reads
 * are no multiple of the parameters: some are of parts of parameters then, which autocast does not
 * keep. */
bool weight_casts_next(weight_casts *of, double elements);

/* Whether input i of a product is a weight, as its name tells; or the buffer of a recurrent layer
 * for all of its weights. */
bool weight_casts_is_weight(const habitat_operation *op, uint32_t i);
bool weight_casts_is_buffer(const habitat_operation *op, uint32_t i);

#endif
