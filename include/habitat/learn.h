/* Operator models: what a matrix product, a convolution, an attention, a row operation or an
 * element-wise operation costs on a GPU, from its shape and a few facts of the GPU. Trained from
 * measurements, judged on GPUs left out of training: docs/modelling.md and docs/accuracy.md. */
#ifndef HABITAT_LEARN_H
#define HABITAT_LEARN_H

#include <stdbool.h>
#include <stddef.h>

#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/csv.h>
#include <habitat/gpu.h>
#include <habitat/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Using models ------------------------------------------------------------------------------
 */

typedef struct habitat_models habitat_models;

/** The models that ship with the library.
 * @param out receives the models; free with habitat_models_free(). Untouched on error.
 * @param err where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_FORMAT, _VERSION (a damaged build); HABITAT_E_MEMORY.
 * @note  A const handle may be used from several threads. @since 0.1 */
HABITAT_API habitat_status habitat_models_load_default(habitat_models **out, habitat_error *err);

/** Read a model file as `habitat train` writes it (docs/model-format.md).
 * @return HABITAT_OK; HABITAT_E_IO; HABITAT_E_FORMAT (not a model file, truncated or corrupt: the
 *         checksum is verified); HABITAT_E_VERSION (another format version); HABITAT_E_MEMORY.
 * @since 0.1 */
HABITAT_API habitat_status habitat_models_load(const char *path, habitat_models **out,
                                               habitat_error *err);

/** The same from memory. @param name what messages call it. @since 0.1 */
HABITAT_API habitat_status habitat_models_parse(const void *data, size_t size, const char *name,
                                                habitat_models **out, habitat_error *err);

/** Write a model file; a temporary file is renamed, so that no reader sees half of it.
 * @return HABITAT_OK; HABITAT_E_IO; HABITAT_E_MEMORY. @since 0.1 */
HABITAT_API habitat_status habitat_models_save(const habitat_models *models, const char *path,
                                               habitat_error *err);

/** Free models; NULL is allowed. @since 0.1 */
HABITAT_API void habitat_models_free(habitat_models *models);

/* Which model answers. */
typedef enum habitat_model_use {
    HABITAT_MODEL_AUTO = 0, /* SEEN where the GPU was trained on, else TRANSFER */
    HABITAT_MODEL_SEEN,     /* may tell the training GPUs apart; unfit for other GPUs */
    HABITAT_MODEL_TRANSFER, /* knows GPUs only by their rates; comparable between any two GPUs */
    HABITAT_MODEL_PAPER,    /* the paper's perceptrons: method `mlp` */
} habitat_model_use;

/* Where a measurement comes from decides what it contains besides the kernels. */
typedef enum habitat_timing {
    HABITAT_TIMING_KERNEL = 0, /* kernels alone, as in a trace */
    HABITAT_TIMING_EAGER,      /* one eager call between two events: launch gaps inside */
    HABITAT_TIMING_GRAPH,      /* CUDA-graph replay, tensors reused: small ones are warm */
    HABITAT_TIMING_SERVING,    /* CUDA-graph replay in a serving framework: six copies of weights in
                                  turn, causal attention appends to a cache */
    HABITAT_TIMING_SESSION,    /* wall clock of a framework's session call: its overhead inside */
} habitat_timing;

/* Which library's kernel does an attention or matrix product; 0 = the usual one. */
typedef enum habitat_variant {
    HABITAT_VARIANT_DEFAULT = 0,
    HABITAT_VARIANT_SGLANG,
    HABITAT_VARIANT_TRTLLM,
    HABITAT_VARIANT_TRITON,
    HABITAT_VARIANT_BLOCK_SCALED, /* fp8 with 128 x 128 block scales */
} habitat_variant;

/* One question to the models. */
typedef struct habitat_model_query {
    const habitat_work *work; /* borrowed for the call */
    habitat_dtype arithmetic; /* what it computes in; UNKNOWN = the tensors' own number format */
    habitat_timing timing;
    habitat_variant variant;
} habitat_model_query;

typedef struct habitat_model_estimate {
    bool covered; /* false: no model for this operation or this GPU; the numbers are NaN */
    bool seen;    /* answered by a model trained on this GPU */
    double ms;
    double low_ms, high_ms; /* 80 % interval, calibrated on GPUs left out of training */
} habitat_model_estimate;

/** Times of n operations on several GPUs in one call. Answers for a GPU with measured operations
 * (habitat_gpu.operations) are relative to them, except HABITAT_MODEL_PAPER's.
 * @param use     which model answers.
 * @param gpus    destinations, shape (gpu_count), borrowed.
 * @param queries shape (n).
 * @param out     shape (gpu_count, n), row-major; untouched on error.
 * @return HABITAT_OK, also when some or all operations are not covered; HABITAT_E_ARG;
 *         HABITAT_E_UNSUPPORTED (these models hold nothing for `use`); HABITAT_E_RANGE (sizes of a
 *         measured operation of a GPU that cannot be).
 * @note  Pure. @source docs/modelling.md @since 0.1 */
HABITAT_API habitat_status habitat_models_predict(const habitat_models *models,
                                                  habitat_model_use use, size_t gpu_count,
                                                  const habitat_gpu *const *gpus, size_t n,
                                                  const habitat_model_query *queries,
                                                  habitat_model_estimate *out, habitat_error *err);

/* What the operations that a calibration measured say of one class of operations. */
typedef struct habitat_class_offset {
    const char *name;  /* of the model: "gemm", "conv2d", ... */
    habitat_pass pass; /* forward, or the gradient where those are told apart */
    size_t operations; /* behind the offset */
    double ratio;      /* median of measured / predicted */
    double weight;     /* 0 to 1: answers are multiplied by ratio^weight */
} habitat_class_offset;

/** What the measured operations of a GPU say of the transfer models' answers for it: the offsets
 * that habitat_models_predict() applies with HABITAT_MODEL_TRANSFER.
 * @param out    caller's array of *count offsets; receives at most that many; may be NULL if 0.
 * @param count  in: capacity; out: number of classes that operations tell of.
 * @param unused receives the operations behind no offset: no model knows them, or they are too
 *               short, or ran from the cache; may be NULL.
 * @return HABITAT_OK; HABITAT_E_RANGE (sizes of an operation that cannot be; the GPU's file and
 *         line); HABITAT_E_MEMORY; HABITAT_E_ARG.
 * @source docs/modelling.md#calibrated-operations @tested tests/unit/test_calibrated.c @since 0.1
 */
HABITAT_API habitat_status habitat_models_offsets(const habitat_models *models,
                                                  const habitat_gpu *gpu, habitat_class_offset *out,
                                                  size_t *count, size_t *unused,
                                                  habitat_error *err);

/* What stands behind one model of a file, for reports. */
typedef struct habitat_model_info {
    const char *name; /* "gemm", "bmm", "conv2d", ... */
    habitat_model_use use;
    size_t training_rows;
    size_t gpu_count;
    const char *const *gpus; /* canonical names of the GPUs trained on */
    size_t parameters;
} habitat_model_info;

/** Number of models in the file, and facts of one. @since 0.1 */
HABITAT_API size_t habitat_models_count(const habitat_models *models);
HABITAT_API bool habitat_models_describe(const habitat_models *models, size_t i,
                                         habitat_model_info *out);

/* ---- Measurements ------------------------------------------------------------------------------
 */

/* One measured operation, as docs/dataset.md describes the files. */
typedef struct habitat_measurement {
    habitat_work work;
    habitat_dtype arithmetic; /* UNKNOWN = the tensors' own number format */
    habitat_timing timing;
    habitat_variant variant;
    const char *gpu;    /* canonical name, interned in the dataset */
    const char *source; /* "neusight", ...; interned */
    bool test;          /* the source's own test split (or ours: by shape) */
    bool suspect;       /* flagged by the source, or known to contradict its own test rows */
    double time_ms;
    uint64_t shape_hash; /* equal for equal operations, whatever the GPU */
} habitat_measurement;

typedef struct habitat_dataset habitat_dataset;

/** An empty dataset. @param gpus names are resolved through it; must outlive the dataset. */
HABITAT_API habitat_status habitat_dataset_create(const habitat_gpu_table *gpus,
                                                  habitat_dataset **out, habitat_error *err);

/** Add the rows of one CSV file, plain or gzip, in any of the schemas of docs/dataset.md.
 * Rows of operations that no model is trained for are counted and left out.
 * @return HABITAT_OK; HABITAT_E_IO, _PARSE, _FORMAT, _RANGE with file and line;
 *         HABITAT_E_UNKNOWN_GPU; HABITAT_E_MEMORY. @since 0.1 */
HABITAT_API habitat_status habitat_dataset_add(habitat_dataset *data, const char *path,
                                               habitat_error *err);

/** Check the whole set: contradicting rows of one shape, rates above the GPU's peak, one source
 * whose splits disagree (docs/dataset.md#consistency). Rows that are known to contradict are marked
 * suspect and never trained on; a set that is wrong as a whole is refused.
 * @return HABITAT_OK; HABITAT_E_RANGE with the first contradiction. @since 0.1 */
HABITAT_API habitat_status habitat_dataset_check(habitat_dataset *data, habitat_error *err);

/** Rows. @return borrowed, shape (*count). @since 0.1 */
HABITAT_API const habitat_measurement *habitat_dataset_rows(const habitat_dataset *data,
                                                            size_t *count);

/** Rows left out because no model covers their operation. @since 0.1 */
HABITAT_API size_t habitat_dataset_skipped(const habitat_dataset *data);

/** Free a dataset; NULL is allowed. @since 0.1 */
HABITAT_API void habitat_dataset_free(habitat_dataset *data);

/** The current row of a table of operations (docs/dataset.md) as a measurement.
 * @param gpu receives the row's GPU name as written, borrowed; empty without one. `out->time_ms` is
 *            NaN without a measured time.
 * @return HABITAT_OK; HABITAT_E_UNSUPPORTED (known words that nobody can predict: the message is
 *         the reason); HABITAT_E_PARSE (an unknown word), _RANGE (a size or time that cannot be),
 *         _FORMAT (columns of no known schema), each with the line. */
HABITAT_API habitat_status habitat_csv_measurement(const habitat_csv_reader *reader,
                                                   habitat_measurement *out, const char **gpu,
                                                   habitat_error *err);

/* ---- Training and judging ----------------------------------------------------------------------
 */

typedef struct habitat_train_options {
    uint64_t seed;
    bool paper;                 /* the paper's perceptrons too (needs a build with a BLAS) */
    unsigned paper_layers;      /* 0 = 8 */
    unsigned paper_width;       /* 0 = the shipped width */
    unsigned paper_epochs;      /* 0 = the shipped number */
    bool all_rows;              /* train on test rows too: for shipping, never for judging */
    const char *const *without; /* names of GPUs whose rows are not used; shape (without_count) */
    size_t without_count;
    const char *const
        *without_tests; /* names of GPUs whose test rows are not used, with `all_rows` */
    size_t without_tests_count;
    const char *const *classes; /* names of the only classes to train; shape (class_count) */
    size_t class_count;         /* 0 = all */
    void (*progress)(void *context, const char *what, double share);
    void *context;
} habitat_train_options;

/** Train operator models. Equal inputs give equal bytes (single-threaded, seeded).
 * @param options NULL = defaults.
 * @return HABITAT_OK; HABITAT_E_ARG (nothing to train on, no such class); HABITAT_E_UNSUPPORTED
 * (`paper` in a build without a BLAS); HABITAT_E_MEMORY. @since 0.1 */
HABITAT_API habitat_status habitat_train(const habitat_dataset *data, const habitat_gpu_table *gpus,
                                         const habitat_train_options *options, habitat_models **out,
                                         habitat_error *err);

typedef int (*habitat_text_sink)(void *context, const char *text, size_t size);

/** Judge: seen, left out, left out with calibration, all methods side by side, as Markdown tables.
 * @param folder   of measurements (e2e_ops/ and published_*.csv are used where present).
 * @return HABITAT_OK; what the steps return. @since 0.1 */
HABITAT_API habitat_status habitat_evaluate(const habitat_dataset *data,
                                            const habitat_gpu_table *gpus, const char *folder,
                                            const habitat_train_options *options,
                                            habitat_text_sink sink, void *context,
                                            habitat_error *err);

#ifdef __cplusplus
}
#endif
#endif
