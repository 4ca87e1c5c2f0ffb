/* Device memory as a recording notes it: the "memory" object of "habitat", and the `[memory]`
 * events of a profile with memory in it, one for each time that memory was given out or back. */
#include "trace/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "trace/number.h"

enum { PARAMETERS_MAX = 1 << 22 };

static bool bytes_of(const char *text, size_t length, double *out) {
    return number_double(text, length, out) == NUMBER_OK && *out >= 0 &&
           *out <= (double)TRACE_BYTES_LIMIT;
}

int reader_memory_number(reader *r, const char *text, size_t length) {
    habitat_trace_memory *m = &r->b->trace->info.memory;
    double *field = r->key == KEY_PARAMETERS  ? &m->parameters_bytes
                    : r->key == KEY_BUFFERS   ? &m->buffers_bytes
                    : r->key == KEY_GRADIENTS ? &m->gradients_bytes
                    : r->key == KEY_OPTIMIZER ? &m->optimizer_bytes
                    : r->key == KEY_BETWEEN   ? &m->between_bytes
                                              : NULL;
    double value;
    if (!field)
        return 1;
    if (!bytes_of(text, length, &value))
        return reader_bad_habitat(r, known_key_of(AT_MEMORY, r->key)->text);
    *field = value;
    return 1;
}

int reader_parameter_number(reader *r, const char *text, size_t length) {
    uint64_t elements;
    if (number_whole(text, length, TRACE_BYTES_LIMIT, &elements) != NUMBER_OK)
        return reader_bad_habitat(r, "parameter_sizes");
    habitat_parameter *grown = list_grow(r->parameters, r->parameter_count, &r->parameter_capacity,
                                         256, PARAMETERS_MAX, sizeof *grown);
    if (!grown)
        return reader_stop_memory(r);
    r->parameters = grown;
    r->parameters[r->parameter_count++] = (habitat_parameter){r->parameter_dtype, elements};
    return 1;
}

habitat_status reader_finish_memory(reader *r) {
    habitat_trace *t = r->b->trace;
    habitat_trace_memory *m = &t->info.memory;
    if (r->parameter_count) {
        size_t size = r->parameter_count * sizeof *r->parameters;
        habitat_parameter *kept = habitat_arena_alloc(&t->arena, size);
        if (!kept)
            return habitat_fail(r->err, HABITAT_E_MEMORY, "out of memory");
        memcpy(kept, r->parameters, size);
        m->parameters = kept;
        m->parameter_count = r->parameter_count;
    }
    if (isnan(t->info.peak_memory_bytes) && r->memory_peak_bytes > 0) {
        t->info.peak_memory_bytes = r->memory_peak_bytes;
        m->peak_from_events = true;
        m->between_bytes = fmax(r->memory_first_bytes, 0);
        m->reserved_bytes = r->memory_reserved_bytes > 0 ? r->memory_reserved_bytes : NAN;
    }
    return HABITAT_OK;
}
