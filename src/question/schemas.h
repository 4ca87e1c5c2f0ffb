/* From a row of a table to a measured operation: the parts of the schema readers. A reader takes
 * cells and sets out->work, or makes the row fail. */
#ifndef HABITAT_QUESTION_SCHEMAS_H
#define HABITAT_QUESTION_SCHEMAS_H

#include <habitat/question.h>

#include "question/row.h"

/* What a row says before its operation is read. */
typedef struct row_question {
    habitat_dtype dtype; /* of the tensors */
    habitat_pass pass;
    habitat_measurement *out; /* arithmetic, timing, variant and time are set; work is filled in */
} row_question;

/* `habitat collect`: `op` and sizes as "key=value" in `shape`. `class`: the project's own tables,
 * sizes in columns. (schema_operations.c) */
void schema_read_collected(row *r, const row_question *q);
void schema_read_own(row *r, const row_question *q);

/* The schemas of public bundles (schema_others.c): by a column that each of them alone has. `part`
 * is one of several times of a row. */
void schema_read_bundle(row *r, const row_question *q, unsigned part);
bool schema_is_bundle(const row *r);

/* Nodes of a model, and messages between GPUs (schema_nodes.c): tables that do not have the columns
 * which all others share. A message always fails: it has no answer alone. */
bool schema_is_nodes(const row *r);
void schema_read_nodes(row *r, habitat_measurement *made);
bool schema_is_messages(const row *r);
void schema_read_message(row *r);

/* ---- operations by their sizes, for both (schema_operations.c) ---- */

void schema_gemm(row *r, const habitat_gemm_shape *shape, bool batched, const row_question *q);
void schema_conv(row *r, uint32_t dims, bool transposed, const row_question *q);
void schema_attention(row *r, const habitat_attention_shape *shape, const row_question *q);
void schema_rnn(row *r, const habitat_rnn_shape *shape, const row_question *q);
void schema_rows(row *r, const char *kind, double rows, double columns, const row_question *q);

/* `inputs` tensors of `elements` read, one written; forward, or the kernel of one gradient. */
void schema_elementwise(row *r, const char *kind, double elements, double inputs,
                        const row_question *q);

#endif
