/* The model file (docs/model-format.md): a header with version, size and checksum, then the models,
 * all little-endian. The reader trusts nothing that the checksum does not already refuse. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/error.h"
#include "models/learned.h"

enum { NAME_MAX_BYTES = 64, GPUS_MAX = 256 };

/* Classes keep their numbers in files: this one, of copies, is gone (docs/decisions/0642). */
enum { GONE = 9 };

unsigned learned_number_in_file(unsigned class_number, bool paper) {
    return !paper && class_number >= GONE ? class_number + 1 : class_number;
}

/* Checksum of a class's formula and of the names of its first inputs. The first formula is the sum
 * of nothing, as versions wrote it that knew no others. */
static uint32_t checksum_of(const operator_facts *of, size_t inputs) {
    uLong sum = crc32(0, NULL, 0);
    if (of->formula > 0)
        sum = crc32(sum, &of->formula, sizeof of->formula);
    for (size_t i = 0; i < inputs; i++) {
        const char *name = of->features->inputs[i].name;
        sum = crc32(sum, (const Bytef *)name, (uInt)strlen(name) + 1);
    }
    return (uint32_t)sum;
}

uint32_t learned_class_checksum(unsigned class_number, bool paper) {
    if (paper) {
        uint8_t count = (uint8_t)paper_input_count((paper_class)class_number);
        return (uint32_t)crc32(crc32(0, NULL, 0), &count, 1);
    }
    const operator_facts *of = operator_facts_of((operator_class)class_number);
    return checksum_of(of, of->features->count);
}

/* Whether a file's checksum is of this formula and these inputs or, since a version may put new
 * ones behind the old, of the first of them: its trees ask for no others. */
static bool known_class(unsigned class_number, bool paper, uint32_t checksum) {
    if (paper)
        return checksum == learned_class_checksum(class_number, true);
    const operator_facts *of = operator_facts_of((operator_class)class_number);
    bool known = false;
    for (size_t count = 1; count <= of->features->count; count++)
        known = known || checksum_of(of, count) == checksum;
    return known;
}

habitat_models *learned_create(uint32_t count) {
    habitat_models *models = calloc(1, sizeof *models);
    operator_model *list = calloc(count ? count : 1, sizeof *list);
    if (!models || !list) {
        free(models);
        free(list);
        return NULL;
    }
    models->models = list;
    models->count = count;
    models->pass_factors[0] = models->pass_factors[1] = 1;
    return models;
}

void learned_model_free(operator_model *model) {
    for (uint32_t i = 0; model->gpus && i < model->gpu_count; i++)
        free(model->gpus[i]);
    free(model->gpus);
    trees_free(&model->trees);
    trees_free(&model->spread.trees);
    perceptron_free(&model->net);
    *model = (operator_model){0};
}

void habitat_models_free(habitat_models *models) {
    if (!models)
        return;
    for (uint32_t i = 0; i < models->count; i++)
        learned_model_free(&models->models[i]);
    free(models->models);
    free(models);
}

/* ---- Reading
 * ------------------------------------------------------------------------------------ */

typedef struct reader {
    const uint8_t *data;
    size_t size, at;
    uint64_t version;
    bool failed; /* ran over the end, a value is not what it may be, or no memory */
    bool no_memory;
} reader;

static uint64_t get_number(reader *r, size_t bytes) {
    if (r->failed || r->size - r->at < bytes) {
        r->failed = true;
        return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)r->data[r->at + i] << (8 * i);
    r->at += bytes;
    return value;
}

/* Hundreds of thousands of them: what is left of the file is asked once. */
static void get_floats(reader *r, float *out, size_t count) {
    if (r->failed || (r->size - r->at) / 4 < count) {
        memset(out, 0, count * sizeof *out);
        r->failed = true;
        return;
    }
    bool finite = true;
    for (size_t i = 0; i < count; i++, r->at += 4) {
        const uint8_t *from = r->data + r->at;
        uint32_t bits = (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
                        (uint32_t)from[3] << 24;
        memcpy(&out[i], &bits, sizeof bits);
        finite &= isfinite(out[i]) != 0;
    }
    r->failed |= !finite;
}

/* Memory for `count` things that take `bytes` each in the file: never more than the file holds. */
static void *get_space(reader *r, size_t count, size_t bytes, size_t item) {
    if (r->failed || count > (r->size - r->at) / bytes) {
        r->failed = true;
        return NULL;
    }
    void *space = calloc(count ? count : 1, item);
    r->failed = r->no_memory = !space;
    return space;
}

static void get_gpus(reader *r, operator_model *m) {
    uint32_t count = (uint32_t)get_number(r, 4);
    if (count > GPUS_MAX)
        r->failed = true;
    m->gpus = get_space(r, count, 1, sizeof *m->gpus);
    for (uint32_t i = 0; m->gpus && !r->failed && i < count; i++) {
        size_t length = (size_t)get_number(r, 1);
        char *name = length <= NAME_MAX_BYTES ? get_space(r, length, 1, 2) : NULL;
        if (!name) {
            r->failed = true;
            return;
        }
        memcpy(name, r->data + r->at, length);
        r->at += length;
        m->gpus[m->gpu_count++] = name;
    }
}

static void get_perceptron(reader *r, operator_model *m, size_t inputs) {
    perceptron *n = &m->net;
    n->inputs = (uint32_t)get_number(r, 4);
    n->layers = (uint32_t)get_number(r, 4);
    n->width = (uint32_t)get_number(r, 4);
    uint64_t activation = get_number(r, 4);
    if (n->inputs != inputs || n->layers == 0 || n->layers > PERCEPTRON_LAYERS_MAX ||
        n->width == 0 || n->width > PERCEPTRON_WIDTH_MAX || activation > PERCEPTRON_TANH)
        r->failed = true;
    n->activation = (perceptron_activation)activation;
    get_floats(r, &n->clip, 1);
    if (r->failed)
        return;
    size_t count = perceptron_parameter_count(n);
    n->mean = get_space(r, n->inputs, 4, sizeof *n->mean);
    if (n->mean)
        get_floats(r, n->mean, n->inputs);
    n->scale = get_space(r, n->inputs, 4, sizeof *n->scale);
    if (n->scale)
        get_floats(r, n->scale, n->inputs);
    n->parameters = get_space(r, count, 4, sizeof *n->parameters);
    if (n->parameters)
        get_floats(r, n->parameters, count);
}

static void get_trees(reader *r, trees *t, size_t inputs) {
    uint64_t depth = get_number(r, 4), count = get_number(r, 4);
    get_floats(r, &t->bias, 1);
    if (depth == 0 || depth > TREES_DEPTH_MAX || count > TREES_COUNT_MAX)
        r->failed = true;
    if (r->failed)
        return;
    t->depth = (uint32_t)depth;
    t->inputs = (uint32_t)inputs;
    size_t nodes = ((size_t)1 << depth) - 1;
    t->feature = get_space(r, nodes * count, 1, 1);
    if (t->feature) {
        memcpy(t->feature, r->data + r->at, nodes * count);
        r->at += nodes * count;
        for (size_t i = 0; i < nodes * count; i++)
            if (t->feature[i] != TREES_PASS && t->feature[i] >= inputs)
                r->failed = true;
    }
    t->threshold = get_space(r, nodes * count, 4, sizeof *t->threshold);
    if (t->threshold)
        get_floats(r, t->threshold, nodes * count);
    t->leaf = get_space(r, (nodes + 1) * count, 4, sizeof *t->leaf);
    if (t->leaf)
        get_floats(r, t->leaf, (nodes + 1) * count);
    t->count = (uint32_t)count;
}

static void get_range(reader *r, learned_range *range) {
    range->formats = (uint32_t)get_number(r, 4);
    uint64_t count = get_number(r, 4);
    if (count > OPERATOR_EXTENTS_MAX || range->formats >> HABITAT_DTYPE_COUNT)
        r->failed = true;
    if (r->failed)
        return;
    range->count = (uint32_t)count;
    get_floats(r, range->least, count);
    get_floats(r, range->most, count);
    for (size_t i = 0; i < count; i++)
        if (!(range->least[i] <= range->most[i]))
            r->failed = true;
}

static void get_spread(reader *r, learned_spread *s, size_t inputs) {
    float numbers[5];
    get_floats(r, numbers, 5);
    s->power = numbers[0];
    s->rows = numbers[1];
    s->bias = numbers[2];
    s->rows_estimated = numbers[3];
    s->bias_estimated = numbers[4];
    for (size_t i = 0; i < 5; i++)
        if (!(numbers[i] >= 0))
            r->failed = true;
    get_trees(r, &s->trees, inputs);
}

static void get_ways(reader *r, learned_ways *w) {
    float numbers[3];
    w->known = (uint32_t)get_number(r, 4);
    get_floats(r, numbers, 3);
    w->shrink = numbers[0];
    w->half = numbers[1];
    w->half_estimated = numbers[2];
    for (size_t i = 0; i < 3; i++)
        if (!(numbers[i] >= 0))
            r->failed = true;
}

/* @param foreign  receives the name of a class whose models belong to another version's formula. */
static void get_model(reader *r, operator_model *m, const char **foreign) {
    unsigned in_file = (unsigned)get_number(r, 1);
    m->use = (uint8_t)get_number(r, 1);
    bool paper = m->use == HABITAT_MODEL_PAPER;
    if (!paper && in_file == GONE) {
        *foreign = "copy";
        r->failed = true;
        return;
    }
    m->class_number = (uint8_t)(!paper && in_file > GONE ? in_file - 1 : in_file);
    unsigned classes = paper ? (unsigned)PAPER_CLASSES : (unsigned)OPERATOR_CLASSES;
    if (m->class_number >= classes || m->use < HABITAT_MODEL_SEEN || m->use > HABITAT_MODEL_PAPER)
        r->failed = true;
    uint32_t sum = (uint32_t)get_number(r, 4);
    if (r->failed)
        return;
    if (!known_class(m->class_number, paper, sum)) {
        *foreign = paper ? paper_class_name((paper_class)m->class_number)
                         : operator_facts_of((operator_class)m->class_number)->name;
        r->failed = true;
        return;
    }
    float numbers[5];
    get_floats(r, numbers, 5);
    m->shrink = numbers[0];
    m->low = numbers[1];
    m->high = numbers[2];
    m->low_estimated = numbers[3];
    m->high_estimated = numbers[4];
    m->training_rows = get_number(r, 8);
    get_gpus(r, m);
    size_t inputs = paper ? paper_input_count((paper_class)m->class_number)
                          : operator_facts_of((operator_class)m->class_number)->features->count;
    if (r->failed)
        return;
    if (paper)
        get_perceptron(r, m, inputs);
    else
        get_trees(r, &m->trees, inputs);
    if (!paper && r->version >= LEARNED_FORMAT_RANGES)
        get_range(r, &m->range);
    if (!paper && r->version >= LEARNED_FORMAT_SPREADS)
        get_spread(r, &m->spread, inputs);
    if (!paper && r->version > LEARNED_FORMAT_SPREADS)
        get_ways(r, &m->ways);
}

static habitat_status damaged(const char *name, habitat_error *err) {
    return habitat_fail_at(err, HABITAT_E_FORMAT, name, UINT64_MAX, 0,
                           "model file is damaged; fetch or train it again");
}

static habitat_status read_models(reader *r, const char *name, habitat_models **out,
                                  habitat_error *err) {
    float factors[2];
    get_floats(r, factors, 2);
    uint32_t count = (uint32_t)get_number(r, 4);
    if (r->failed || count > LEARNED_MODELS_MAX)
        return damaged(name, err);
    habitat_models *models = learned_create(count);
    if (!models)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    memcpy(models->pass_factors, factors, sizeof factors);
    const char *foreign = NULL;
    for (uint32_t i = 0; i < count && !r->failed; i++)
        get_model(r, &models->models[i], &foreign);
    if (!r->failed && r->at == r->size) {
        *out = models;
        return HABITAT_OK;
    }
    habitat_models_free(models);
    if (r->no_memory)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (foreign)
        return habitat_fail_at(err, HABITAT_E_VERSION, name, UINT64_MAX, 0,
                               "its models of %s correct another formula or look at other inputs "
                               "than this version's; train it again with `habitat train`",
                               foreign);
    return damaged(name, err);
}

habitat_status habitat_models_parse(const void *data, size_t size, const char *name,
                                    habitat_models **out, habitat_error *err) {
    if (!data || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no model data given");
    reader r = {.data = data, .size = size};
    if (size < LEARNED_HEADER_BYTES || memcmp(data, LEARNED_MAGIC, LEARNED_MAGIC_BYTES) != 0)
        return habitat_fail_at(err, HABITAT_E_FORMAT, name, 0, 0,
                               "not a model file; `habitat train` writes them");
    r.at = LEARNED_MAGIC_BYTES;
    r.version = get_number(&r, 4);
    uint64_t sum = get_number(&r, 4), payload = get_number(&r, 8);
    if (r.version < LEARNED_FORMAT_LEAST || r.version > LEARNED_FORMAT)
        return habitat_fail_at(err, HABITAT_E_VERSION, name, 8, 0,
                               "model format %llu, and this version reads %d to %d; train it again "
                               "with `habitat train`",
                               (unsigned long long)r.version, LEARNED_FORMAT_LEAST, LEARNED_FORMAT);
    if (payload != size - LEARNED_HEADER_BYTES)
        return habitat_fail_at(err, HABITAT_E_FORMAT, name, size, 0,
                               "model file is %s: it announces %llu bytes and has %llu; fetch or "
                               "train it again",
                               payload > size - LEARNED_HEADER_BYTES ? "truncated" : "too long",
                               (unsigned long long)payload,
                               (unsigned long long)(size - LEARNED_HEADER_BYTES));
    if (payload > UINT32_MAX ||
        crc32(crc32(0, NULL, 0), r.data + LEARNED_HEADER_BYTES, (uInt)payload) != sum)
        return habitat_fail_at(err, HABITAT_E_FORMAT, name, LEARNED_HEADER_BYTES, 0,
                               "model file is corrupt: its checksum does not match; fetch or train "
                               "it again");
    return read_models(&r, name, out, err);
}

/* All bytes of a file, up to a limit that no model file comes near. *data is the caller's to free,
 * also after a failure; never NULL after success. */
static habitat_status read_whole(FILE *file, const char *path, uint8_t **data, size_t *size,
                                 habitat_error *err) {
    const size_t most = (size_t)256 << 20;
    size_t capacity = 0, got = 1;
    while (got > 0 && *size < most) {
        if (capacity - *size < 65536) {
            capacity = 2 * capacity + 131072;
            uint8_t *grown = realloc(*data, capacity);
            if (!grown)
                return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
            *data = grown;
        }
        got = fread(*data + *size, 1, capacity - *size, file);
        *size += got;
    }
    if (ferror(file))
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "cannot be read; check the file");
    return HABITAT_OK;
}

habitat_status habitat_models_load(const char *path, habitat_models **out, habitat_error *err) {
    if (!path || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no path given");
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOMEM)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (!file)
        return habitat_fail_at(err, HABITAT_E_IO, path, UINT64_MAX, 0,
                               "cannot open: %s; check the path", strerror(errno));
    uint8_t *data = NULL;
    size_t size = 0;
    habitat_status status = read_whole(file, path, &data, &size, err);
    fclose(file);
    if (status == HABITAT_OK)
        status = habitat_models_parse(data, size, path, out, err);
    free(data);
    return status;
}
