/* Writes the model file (docs/model-format.md), all little-endian; src/models/file.c reads it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/error.h"
#include "lab/lab.h"
#include "lab/model_file.h"
#include "models/learned.h"

typedef struct writer {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
} writer;

static void put(writer *w, const void *data, size_t size) {
    if (w->failed || size == 0)
        return;
    if (w->size + size > w->capacity) {
        size_t capacity = 2 * (w->size + size) + 4096;
        uint8_t *grown = realloc(w->data, capacity);
        if (!grown) {
            w->failed = true;
            return;
        }
        w->data = grown;
        w->capacity = capacity;
    }
    memcpy(w->data + w->size, data, size);
    w->size += size;
}

static void put_number(writer *w, uint64_t value, size_t bytes) {
    uint8_t out[8];
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
    put(w, out, bytes);
}

static void put_floats(writer *w, const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_number(w, bits, 4);
    }
}

/* Without trees one level deep, which says nothing: the reader knows no depth of 0. */
static void put_trees(writer *w, const trees *t) {
    uint32_t depth = t->depth ? t->depth : 1;
    size_t nodes = ((size_t)1 << depth) - 1;
    put_number(w, depth, 4);
    put_number(w, t->count, 4);
    put_floats(w, &t->bias, 1);
    put(w, t->feature, nodes * t->count);
    put_floats(w, t->threshold, nodes * t->count);
    put_floats(w, t->leaf, (nodes + 1) * t->count);
}

static void put_spread(writer *w, const learned_spread *s) {
    put_floats(w, (const float[]){s->power, s->rows, s->bias, s->rows_estimated, s->bias_estimated},
               5);
    put_trees(w, &s->trees);
}

static void put_model(writer *w, const operator_model *m) {
    bool paper = m->use == HABITAT_MODEL_PAPER;
    put_number(w, learned_number_in_file(m->class_number, paper), 1);
    put_number(w, m->use, 1);
    put_number(w, learned_class_checksum(m->class_number, paper), 4);
    put_floats(w, (const float[]){m->shrink, m->low, m->high, m->low_estimated, m->high_estimated},
               5);
    put_number(w, m->training_rows, 8);
    put_number(w, m->gpu_count, 4);
    for (uint32_t i = 0; i < m->gpu_count; i++) {
        size_t length = strlen(m->gpus[i]);
        put_number(w, length, 1);
        put(w, m->gpus[i], length);
    }
    if (paper) {
        const perceptron *n = &m->net;
        put_number(w, n->inputs, 4);
        put_number(w, n->layers, 4);
        put_number(w, n->width, 4);
        put_number(w, n->activation, 4);
        put_floats(w, &n->clip, 1);
        put_floats(w, n->mean, n->inputs);
        put_floats(w, n->scale, n->inputs);
        put_floats(w, n->parameters, perceptron_parameter_count(n));
        return;
    }
    put_trees(w, &m->trees);
    put_number(w, m->range.formats, 4);
    put_number(w, m->range.count, 4);
    put_floats(w, m->range.least, m->range.count);
    put_floats(w, m->range.most, m->range.count);
    put_spread(w, &m->spread);
    put_number(w, m->ways.known, 4);
    put_floats(w, (const float[]){m->ways.shrink, m->ways.half, m->ways.half_estimated}, 3);
}

habitat_status learned_encode(const habitat_models *models, uint8_t **out, size_t *size,
                              habitat_error *err) {
    writer w = {0};
    uint8_t header[LEARNED_HEADER_BYTES] = {0};
    put(&w, header, sizeof header);
    put_floats(&w, models->pass_factors, 2);
    put_number(&w, models->count, 4);
    for (uint32_t i = 0; i < models->count; i++)
        put_model(&w, &models->models[i]);
    if (w.failed) {
        free(w.data);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    size_t total = w.size, payload = total - LEARNED_HEADER_BYTES;
    uint32_t sum = (uint32_t)crc32(crc32(0, NULL, 0), w.data + LEARNED_HEADER_BYTES, (uInt)payload);
    w.size = 0;
    put(&w, LEARNED_MAGIC, LEARNED_MAGIC_BYTES);
    put_number(&w, LEARNED_FORMAT, 4);
    put_number(&w, sum, 4);
    put_number(&w, payload, 8);
    *out = w.data;
    *size = total;
    return HABITAT_OK;
}

habitat_status habitat_models_save(const habitat_models *models, const char *path,
                                   habitat_error *err) {
    if (!models || !path)
        return habitat_fail(err, HABITAT_E_ARG, "no models or no path given");
    uint8_t *data;
    size_t size;
    habitat_status status = learned_encode(models, &data, &size, err);
    if (status != HABITAT_OK)
        return status;
    size_t length = strlen(path);
    char *temporary = malloc(length + 8);
    if (!temporary) {
        free(data);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    memcpy(temporary, path, length);
    memcpy(temporary + length, ".XXXXXX", 8);
    int descriptor = mkstemp(temporary);
    if (descriptor >= 0)
        fchmod(descriptor, 0644); /* mkstemp's is for its owner alone */
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool written = file && fwrite(data, 1, size, file) == size;
    if (file)
        written = fclose(file) == 0 && written;
    else if (descriptor >= 0)
        close(descriptor);
    if (!written || rename(temporary, path) != 0) {
        status = habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                                 "cannot write: %s; choose another place", strerror(errno));
        if (descriptor >= 0)
            unlink(temporary);
    }
    free(temporary);
    free(data);
    return status;
}
