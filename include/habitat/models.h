/* Operator models: what a matrix product, a convolution, an attention, a row operation or an
 * element-wise operation costs on a GPU, from its shape and a few facts of the GPU. They were
 * trained from measurements and judged on GPUs left out of training: docs/modelling.md,
 * docs/accuracy.md.
 *
 * Half: experimental.
 * Units: times in ms.
 * Ownership: the caller frees models. Texts and arrays belong to them. Arguments are borrowed.
 * Errors: a habitat_status; on failure outputs are untouched, and `err`, which may be NULL, says
 * why. An operation that no model covers is no error: its answer says so.
 * Threads: several threads may ask the same models. */
#ifndef HABITAT_MODELS_H
#define HABITAT_MODELS_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/models.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <stdbool.h>
#include <stddef.h>

#include <habitat/gpu.h>
#include <habitat/question.h>
#include <habitat/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The operator models of a file. */
typedef struct habitat_models habitat_models;

/** The models that ship with the library.
 * @param out receives the models; free with habitat_models_free(). Untouched on error.
 * @param err where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_FORMAT, _VERSION (a damaged build); HABITAT_E_MEMORY.
 * @note   A const handle may be used from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_models_load_default(habitat_models **out, habitat_error *err);

/** Read a model file as `habitat train` writes it (docs/model-format.md).
 * @param path a file.
 * @param out  receives the models; free with habitat_models_free(). Untouched on error.
 * @param err  where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_IO; HABITAT_E_FORMAT (not a model file, truncated or corrupt: the
 *         checksum is verified); HABITAT_E_VERSION (another format version); HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_models_load(const char *path, habitat_models **out,
                                               habitat_error *err);

/** The same from memory.
 * @param data borrowed for the call.
 * @param size its length in bytes.
 * @param name what messages call it.
 * @param out  receives the models; free with habitat_models_free(). Untouched on error.
 * @param err  where and why on failure; may be NULL.
 * @return as habitat_models_load(), without HABITAT_E_IO.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_models_parse(const void *data, size_t size, const char *name,
                                                habitat_models **out, habitat_error *err);

/** Free models.
 * @param models freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.1 */
HABITAT_API void habitat_models_free(habitat_models *models);

/* Which model answers. A model may know the GPUs that it was trained on one by one, or every GPU
 * by its rates alone. */
typedef enum habitat_model_use {
    HABITAT_MODEL_AUTO = 0, /* SEEN where the GPU was trained on, else TRANSFER */
    HABITAT_MODEL_SEEN,     /* may tell the training GPUs apart; unfit for other GPUs */
    HABITAT_MODEL_TRANSFER, /* knows GPUs only by their rates; comparable between any two GPUs */
    HABITAT_MODEL_PAPER,    /* the paper's perceptrons: method `mlp` */
} habitat_model_use;

/** Word for a use: "auto", "seen", "transfer"; "mlp" for the paper's perceptrons.
 * @param use any value.
 * @return static string; "unknown" for what is none.
 * @note   Pure; safe from several threads.
 * @tested tests/unit/test_methods.c @since 0.3 */
HABITAT_API const char *habitat_model_use_name(habitat_model_use use);

/* The size of an operation that is farthest from all that a model was trained on. */
typedef struct habitat_outside {
    const char *size;   /* "k", "bytes read"; a number format of a kind that no row was of, the
                           value NaN then; NULL: nothing is outside. A static text */
    double value, edge; /* of the operation, and the nearest one trained on */
    double distance;    /* |log(value / edge)| less a margin; 0 inside */
} habitat_outside;

/* What a model answers for one operation on one GPU. */
typedef struct habitat_model_estimate {
    bool covered; /* false: no model for this operation or this GPU; the numbers are NaN */
    bool seen;    /* answered by a model trained on this GPU */
    bool guessed; /* the interval is no more than a guess: too few kinds of GPU were measured to
                     tell how far one that was not may be off, or no GPU ran such an operation the
                     library's way */
    double ms;
    double model_ms;         /* `ms` as learned, also outside: for ratios of two answers of one GPU,
                                from which a correction that faded in one of them would not go */
    double low_ms, high_ms;  /* 80 % interval, calibrated on GPUs left out of training; wider where
                                a size is outside: nobody measured there. No end is below what the
                                GPU's peak rates allow */
    habitat_outside outside; /* of what the model was trained on: the answer is the analytic time
                                then, with what is left of the correction that was learned */
} habitat_model_estimate;

/** Times of n operations on several GPUs in one call. Answers for a GPU with measured operations
 * (habitat_gpu.operations) are relative to them, except HABITAT_MODEL_PAPER's.
 * @param models    borrowed for the call.
 * @param use       which model answers.
 * @param gpu_count number of destinations.
 * @param gpus      destinations, shape (gpu_count), borrowed.
 * @param n         number of operations.
 * @param queries   the operations, shape (n).
 * @param out       shape (gpu_count, n), row-major; untouched on error.
 * @param err       where and why on failure; may be NULL.
 * @return HABITAT_OK, also when some or all operations are not covered; HABITAT_E_ARG;
 *         HABITAT_E_UNSUPPORTED (these models hold nothing for `use`); HABITAT_E_RANGE (sizes of a
 *         measured operation of a GPU that cannot be).
 * @note   Pure.
 * @source docs/modelling.md @since 0.1 */
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
 * @param models borrowed for the call.
 * @param gpu    borrowed for the call.
 * @param out    caller's array of *count offsets; receives at most that many; may be NULL if 0.
 * @param count  in: capacity; out: number of classes that operations tell of.
 * @param unused receives the operations behind no offset: no model knows them, or they are too
 *               short, or ran from the cache; may be NULL.
 * @param err    where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_RANGE (sizes of an operation that cannot be; the GPU's file and
 *         line); HABITAT_E_MEMORY; HABITAT_E_ARG.
 * @note   Safe from several threads.
 * @source docs/modelling.md, "Calibrated operations" @tested tests/unit/test_calibrated.c @since
 * 0.1 */
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

/** How many models the file holds.
 * @param models borrowed for the call.
 * @return their number.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API size_t habitat_models_count(const habitat_models *models);

/** Facts of one model.
 * @param models borrowed for the call.
 * @param i      0 to habitat_models_count() - 1.
 * @param out    receives the facts, whose texts belong to `models`; untouched if false.
 * @return false if there is no such model.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API bool habitat_models_describe(const habitat_models *models, size_t i,
                                         habitat_model_info *out);

#ifdef __cplusplus
}
#endif
#endif
