/* Kinds of operations that code asks for by name. The kind of a habitat_work is the name of its
 * rule (table.c), or one of what rules tell apart. One that is not of these words is only shown. */
#ifndef HABITAT_WORK_KINDS_H
#define HABITAT_WORK_KINDS_H

#include <stdbool.h>
#include <string.h>

#define WORK_BATCH_NORM    "batch_norm"
#define WORK_CLONE         "clone"
#define WORK_CLONE_STRIDED "clone strided"
#define WORK_CLONE_TURNED  "clone turned"
#define WORK_COPY          "copy"
#define WORK_CUMPROD       "cumprod"
#define WORK_CUMSUM        "cumsum"
#define WORK_DROPOUT       "dropout"
#define WORK_EMBEDDING     "embedding"
#define WORK_EMBEDDING_BAG "embedding_bag"
#define WORK_GROUP_NORM    "group_norm"
#define WORK_INDEX_PUT     "index_put"
#define WORK_LAYER_NORM    "layer_norm"
#define WORK_MAX_POOL      "max_pool"
#define WORK_MEAN          "mean"
#define WORK_RELU          "relu"
#define WORK_RMS_NORM      "rms_norm"
#define WORK_ROLL          "roll"
#define WORK_SUM           "sum"
#define WORK_UPSAMPLE      "upsample"

static inline bool work_kind_is(const char *kind, const char *wanted) {
    return strcmp(kind, wanted) == 0;
}

#endif
