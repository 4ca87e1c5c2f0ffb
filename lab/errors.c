/* Errors of several predictions. */
#include "lab/errors.h"

#include <math.h>
#include <stdlib.h>

#include "base/quantile.h"

static bool has_room(error_list *errors) {
    if (errors->count < errors->capacity)
        return true;
    size_t larger = errors->capacity ? 2 * errors->capacity : 64;
    double *grown = realloc(errors->sizes, larger * sizeof *grown);
    if (grown) {
        errors->sizes = grown;
        errors->capacity = larger;
    }
    errors->no_memory |= !grown;
    return grown != NULL;
}

void errors_add(error_list *errors, double predicted, double measured) {
    double error = predicted / measured - 1.0;
    if (!isfinite(error) || !has_room(errors))
        return;
    errors->sizes[errors->count++] = fabs(error);
    errors->sum += fabs(error);
    errors->bias += error;
}

error_summary errors_summarise(error_list *errors) {
    if (errors->count == 0)
        return (error_summary){0};
    double n = (double)errors->count;
    habitat_sort_numbers(errors->sizes, errors->count);
    return (error_summary){errors->count, errors->sum / n,
                           habitat_quantile(errors->sizes, errors->count, 0.5),
                           errors->sizes[errors->count - 1], errors->bias / n};
}

void errors_free(error_list *errors) {
    free(errors->sizes);
    *errors = (error_list){0};
}
