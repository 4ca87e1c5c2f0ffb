/* From a row of a table to a measured operation: the schemas of docs/dataset.md, and the columns
 * that all of them share. */
#include "question/measurement.h"

#include <string.h>

#include "base/error.h"
#include "base/vocabulary.h"
#include "question/known.h"
#include "question/query.h"
#include "question/schemas.h"
#include "question/sources.h"
#include "work/class.h"

static bool is(const char *a, const char *b) {
    return a && strcmp(a, b) == 0;
}

/* How tables that do not say it were timed: by who measured. */
static habitat_timing timing_of_source(row *r) {
    const char *source = row_text(r, "source", NULL);
    if (is(row_text(r, "framework", NULL), "vllm") && is(row_text(r, "dtype", NULL), "fp8_block"))
        return HABITAT_TIMING_EAGER; /* the one table of its source timed without a graph */
    for (size_t i = 0; source && i < sizeof timed_sources / sizeof *timed_sources; i++)
        if (is(source, timed_sources[i].name))
            return (habitat_timing)timed_sources[i].value;
    return HABITAT_TIMING_KERNEL;
}

/* `framework` stands for `variant` in the tables of serving frameworks alone; elsewhere it is free
 * text. */
static habitat_variant variant_of(row *r) {
    bool own = row_has(r, "variant"), serving = !row_has(r, "shape") && !row_has(r, "class");
    int variant = HABITAT_VARIANT_DEFAULT;
    if (own || serving)
        variant = row_word(r, own ? "variant" : "framework", &habitat_variants, variant);
    return is(row_text(r, "dtype", NULL), "fp8_block") ? HABITAT_VARIANT_BLOCK_SCALED
                                                       : (habitat_variant)variant;
}

/* A convolution whose library was made to try all of its algorithms, where the table has no word
 * for it. */
static bool tried_all(row *r, const habitat_measurement *made) {
    if (made->work.op_class != HABITAT_CLASS_CONV || made->variant != HABITAT_VARIANT_DEFAULT)
        return false;
    const char *source = row_text(r, "source", NULL);
    for (size_t i = 0; i < sizeof tried_sources / sizeof *tried_sources; i++)
        if (is(source, tried_sources[i]))
            return true;
    return false;
}

/* "tf32" is what fp32 tensors are computed in. Synonyms go as everywhere ("float16"). */
static habitat_dtype dtype_of(row *r, habitat_dtype *arithmetic) {
    const char *text = row_text(r, "dtype", NULL);
    habitat_dtype dtype = habitat_dtype_from_name(text);
    if (!text)
        row_missing(r, "dtype");
    if (dtype == HABITAT_DTYPE_UNKNOWN)
        dtype = (habitat_dtype)row_word(r, "dtype", &habitat_dtypes, HABITAT_DTYPE_UNKNOWN);
    if (dtype == HABITAT_DTYPE_TF32) {
        *arithmetic = dtype;
        return HABITAT_DTYPE_FP32;
    }
    return dtype;
}

/* Cells that mean the same in every schema. */
static row_question read_common(row *r, habitat_measurement *made) {
    row_question q = {.out = made};
    made->timing =
        (habitat_timing)row_word(r, "timing", &habitat_timings, (int)timing_of_source(r));
    made->variant = variant_of(r);
    made->time_ms = row_time(r, row_has(r, "time_ms") ? "time_ms" : "latency_ms");
    q.dtype = dtype_of(r, &made->arithmetic);
    q.pass = (habitat_pass)row_word(r, "pass", &habitat_passes, HABITAT_PASS_FORWARD);
    return q;
}

/* Which reader a table's columns ask for. */
typedef enum schema { NO_SCHEMA, OPERATIONS, NODES, MESSAGES } schema;

static schema schema_of(const row *r) {
    if (row_has(r, "shape") || row_has(r, "class") || schema_is_bundle(r))
        return OPERATIONS;
    return schema_is_nodes(r) ? NODES : schema_is_messages(r) ? MESSAGES : NO_SCHEMA;
}

static void read_operation(row *r, const row_question *q, unsigned part) {
    if (row_has(r, "shape"))
        schema_read_collected(r, q);
    else if (row_has(r, "class"))
        schema_read_own(r, q);
    else
        schema_read_bundle(r, q, part);
}

/* Sizes that are fine one by one and make tensors that no machine addresses. */
static void refuse_absurd(row *r, const habitat_work *work) {
    double bytes = work->read_bytes + work->write_bytes;
    if (r->status == HABITAT_OK && work->known && !(bytes < 0x1p63))
        row_fail(r, HABITAT_E_RANGE,
                 "its tensors would take %.3g bytes; 64-bit addresses end at 9.22e18", bytes);
}

static habitat_status measurement_of(row *r, unsigned part, habitat_measurement *out,
                                     const char **gpu) {
    habitat_measurement made = {.timing = HABITAT_TIMING_KERNEL};
    schema kind = schema_of(r);
    if (kind == NO_SCHEMA)
        return habitat_fail_at(r->err, HABITAT_E_FORMAT, r->path, UINT64_MAX, 1,
                               "columns of no known schema; docs/dataset.md lists them");
    static const word splits[] = {{"train", 0, NULL}, {"test", 1, NULL}};
    static const vocabulary split_words = VOCABULARY("split", splits);
    if (kind == OPERATIONS) {
        row_question q = read_common(r, &made);
        read_operation(r, &q, part);
    } else if (kind == NODES) {
        schema_read_nodes(r, &made);
    } else {
        schema_read_message(r);
    }
    refuse_absurd(r, &made.work);
    int split = row_word(r, "split", &split_words, -1);
    const char *flag = row_text(r, "flag", NULL), *name = row_text(r, "gpu", NULL);
    *gpu = name ? name : "";
    if (r->status != HABITAT_OK)
        return r->status;
    habitat_model_query query = {.work = &made.work,
                                 .arithmetic = made.arithmetic,
                                 .timing = made.timing,
                                 .variant = made.variant};
    made.shape_hash = question_hash(&query);
    made.test = split >= 0 ? split == 1 : made.shape_hash % 5 == 0;
    made.suspect = flag && !is(flag, "over_direct_conv_peak");
    if (tried_all(r, &made)) /* after the hash, which says what is judged */
        made.variant = HABITAT_VARIANT_FASTEST;
    *out = made;
    return HABITAT_OK;
}

unsigned measurement_parts(const habitat_csv_reader *reader) {
    row r = row_of(reader, NULL);
    return row_has(&r, "fwd_ms") ? 3 : 1;
}

habitat_status measurement_read(const habitat_csv_reader *reader, unsigned part,
                                habitat_measurement *out, const char **gpu, habitat_error *err) {
    row r = row_of(reader, err);
    return measurement_of(&r, part, out, gpu);
}

/* Tables count one flop an element, from which their split by shape is drawn. Where a time is
 * predicted the rules of recordings count: no model looks at it, but what a GPU without fp64 units
 * takes for a function of fp64 goes by it. */
static void count_flop(const char *op, habitat_work *work) {
    habitat_work counted;
    if (class_of(work->op_class)->by_element &&
        habitat_work_rows(is(op, "elementwise") ? "add" : op, &work->shape.rows, work->dtype,
                          work->pass, &counted) == HABITAT_OK)
        work->flop = counted.flop;
}

habitat_status habitat_csv_measurement(const habitat_csv_reader *reader, habitat_measurement *out,
                                       const char **gpu, habitat_error *err) {
    if (!reader || !out || !gpu)
        return habitat_fail(err, HABITAT_E_ARG, "no row given");
    row r = row_of(reader, err);
    habitat_status status = measurement_of(&r, 0, out, gpu);
    if (status == HABITAT_OK)
        count_flop(row_has(&r, "shape") ? row_text(&r, "op", NULL) : out->work.kind, &out->work);
    return status;
}

habitat_status measurement_of_fields(const char *path, uint64_t line, size_t count,
                                     const char *const *columns, const char *const *fields,
                                     habitat_measurement *out, habitat_error *err) {
    row r = {.path = path,
             .line = line,
             .count = count,
             .columns = columns,
             .fields = fields,
             .err = err};
    const char *gpu = NULL;
    if (count > HABITAT_CSV_COLUMNS_MAX)
        return habitat_fail(err, HABITAT_E_ARG, "more than %d columns", HABITAT_CSV_COLUMNS_MAX);
    return measurement_of(&r, 0, out, &gpu);
}

static habitat_status read_words(const char *op, const char *shape, const char *dtype,
                                 const char *pass, habitat_measurement *out, habitat_error *err) {
    static const char *const columns[] = {"op", "shape", "dtype", "pass"};
    const char *const words[] = {op, shape, dtype, pass};
    return measurement_of_fields(NULL, 0, 4, columns, words, out, err);
}

habitat_status habitat_operation_from_words(const char *op, const char *shape, const char *dtype,
                                            const char *pass, habitat_measurement *parts,
                                            size_t *count, habitat_error *err) {
    habitat_measurement made[HABITAT_OPERATION_PARTS_MAX];
    habitat_pass asked = HABITAT_PASS_FORWARD;
    if (!op || !shape || !dtype || !pass || !parts || !count)
        return habitat_fail(err, HABITAT_E_ARG,
                            "an operation has a name, a shape, a dtype and a pass");
    bool both = question_is_product(op) &&
                habitat_pass_from_name(pass, &asked, NULL) == HABITAT_OK &&
                asked == HABITAT_PASS_BACKWARD;
    habitat_status status =
        read_words(op, shape, dtype, both ? "backward-input" : pass, &made[0], err);
    if (status == HABITAT_OK && both)
        status = read_words(op, shape, dtype, "backward-weight", &made[1], err);
    if (status != HABITAT_OK)
        return status;
    *count = both ? 2 : 1;
    for (size_t i = 0; i < *count; i++) {
        parts[i] = made[i];
        count_flop(op, &parts[i].work);
        if (both)
            parts[i].work.pass = HABITAT_PASS_BACKWARD;
    }
    return HABITAT_OK;
}

habitat_model_query habitat_strict_query(const habitat_measurement *part) {
    habitat_model_query question = question_of(part);
    if (question.arithmetic == HABITAT_DTYPE_UNKNOWN)
        question.arithmetic = part->work.dtype;
    return question;
}
