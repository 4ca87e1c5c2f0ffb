/* The laboratory: measurements as data sets, training of operator models, judging them. A library
 * of its own (libhabitat_lab.a) that `habitat train` and `habitat eval` link; it is not installed,
 * and nothing in src/ knows it. */
#ifndef HABITAT_LAB_LAB_H
#define HABITAT_LAB_LAB_H

#include <stdbool.h>
#include <stddef.h>

#include <habitat/gpu.h>
#include <habitat/models.h>
#include <habitat/question.h>
#include <habitat/status.h>

typedef struct habitat_dataset habitat_dataset;

/** An empty dataset. @param gpus names are resolved through it; must outlive the dataset. */
habitat_status habitat_dataset_create(const habitat_gpu_table *gpus, habitat_dataset **out,
                                      habitat_error *err);

/** Add the rows of one CSV file, plain or gzip, in any of the schemas of docs/dataset.md.
 * Rows of operations that no model is trained for are left out.
 * @return HABITAT_OK; HABITAT_E_IO, _PARSE, _FORMAT, _RANGE with file and line;
 *         HABITAT_E_UNKNOWN_GPU; HABITAT_E_MEMORY. @since 0.1 */
habitat_status habitat_dataset_add(habitat_dataset *data, const char *path, habitat_error *err);

/** Check the whole set: contradicting rows of one shape, rates above the GPU's peak, one source
 * whose splits disagree (docs/dataset.md#consistency). Rows that are known to contradict are marked
 * suspect and never trained on; a set that is wrong as a whole is refused.
 * @return HABITAT_OK; HABITAT_E_RANGE with the first contradiction. @since 0.1 */
habitat_status habitat_dataset_check(habitat_dataset *data, habitat_error *err);

/** Rows. @return borrowed, shape (*count). @since 0.1 */
const habitat_measurement *habitat_dataset_rows(const habitat_dataset *data, size_t *count);

/** Free a dataset; NULL is allowed. @since 0.1 */
void habitat_dataset_free(habitat_dataset *data);

/** A GPU as a method under judgement is to know it: a copy with other measured operations and, if
 * asked, without measured rates. The copy belongs to no table: it has no sources, notes or aliases.
 * @param gpu        borrowed; its strings are shared, so its table must outlive the copy.
 * @param unmeasured true: its sustained rates are estimated by rule, as if nobody had measured it.
 * @param operations the only measured operations it has, borrowed like `gpu`; shape (count).
 * @param out        receives the copy; free with habitat_gpu_variant_free(). Untouched on error.
 * @return HABITAT_OK; HABITAT_E_MEMORY. @since 0.2 */
habitat_status habitat_gpu_variant_create(const habitat_gpu *gpu, bool unmeasured,
                                          const habitat_gpu_operation *operations, size_t count,
                                          habitat_gpu **out, habitat_error *err);

/** Free a copy; NULL is allowed. @since 0.2 */
void habitat_gpu_variant_free(habitat_gpu *variant);

/** Write a model file; a temporary file is renamed, so that no reader sees half of it.
 * @return HABITAT_OK; HABITAT_E_IO; HABITAT_E_MEMORY. @since 0.1 */
habitat_status habitat_models_save(const habitat_models *models, const char *path,
                                   habitat_error *err);

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
habitat_status habitat_train(const habitat_dataset *data, const habitat_gpu_table *gpus,
                             const habitat_train_options *options, habitat_models **out,
                             habitat_error *err);

typedef int (*habitat_text_sink)(void *context, const char *text, size_t size);

/** Judge: seen, left out, left out with calibration, all methods side by side, as Markdown tables.
 * @param folder   of measurements (e2e_ops/ and published_*.csv are used where present).
 * @param csv      instead of the tables: each judged row with every method's answer.
 * @return HABITAT_OK; what the steps return. @since 0.1 */
habitat_status habitat_evaluate(const habitat_dataset *data, const habitat_gpu_table *gpus,
                                const char *folder, const habitat_train_options *options, bool csv,
                                habitat_text_sink sink, void *context, habitat_error *err);

/** Judge predictions between recordings of one step on two GPUs, as Markdown tables or CSV.
 * @param folder of recordings named alike but for the last part: resnet50_b16_fp32_h200.json.gz.
 * @return HABITAT_OK; HABITAT_E_IO (no such folder); HABITAT_E_ARG (no pair in it); what reading
 * and predicting return. @since 0.2 */
habitat_status habitat_evaluate_pairs(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                      habitat_text_sink sink, void *context, habitat_error *err);

/** Judge predictions of whole iterations that others measured, from recordings of the same step.
 * @param networks     convolutional networks; else language models.
 * @param measurements folder with e2e_models.csv and, where present, e2e_calibration.csv.
 * @param recordings   folder of recordings named model_mode_sLENGTH_bBATCH_dtype_gpu.json.gz.
 * @return HABITAT_OK; HABITAT_E_IO, _FORMAT with the file; what reading and predicting return.
 * @since 0.2 */
habitat_status habitat_evaluate_iterations(const habitat_gpu_table *gpus, bool networks,
                                           const char *measurements, const char *recordings,
                                           bool csv, habitat_text_sink sink, void *context,
                                           habitat_error *err);

/** Judge replay on recordings that hold their time without the profiler: on the origin, with that
 * time withheld, at another batch size, on another GPU; as Markdown tables or CSV.
 * @return HABITAT_OK; HABITAT_E_IO (no such folder); HABITAT_E_ARG (no such recording in it); what
 * reading, predicting and replaying return. @since 0.3 */
habitat_status habitat_evaluate_replay(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                       habitat_text_sink sink, void *context, habitat_error *err);

/** Judge the memory of iterations: each recording predicts the peaks of the others of its model and
 * GPU (other batch sizes, other number formats), and those of measured_steps_*.csv and
 * measured_limits_*.csv beside them; and what fits by constants chosen without each model; as
 * Markdown tables or CSV. Tables also of measured workspaces of convolutions, where there are any.
 * @param measurements folder of convolution_algorithms_h200.csv.
 * @return HABITAT_OK; HABITAT_E_IO (no such folder); what reading returns. @since 0.2 */
habitat_status habitat_evaluate_memory(const habitat_gpu_table *gpus, const char *measurements,
                                       const char *folder, bool csv, habitat_text_sink sink,
                                       void *context, habitat_error *err);

/** Judge recordings without sizes of operations: each is read with them and without, and both are
 * predicted onto every GPU of NVIDIA; and the cases of pairs and iterations both ways. A Markdown
 * page, or CSV of the answers.
 * @param measurements folder with e2e_models.csv.
 * @param folder       of recordings, named as for the other judgements.
 * @return HABITAT_OK; HABITAT_E_IO, _FORMAT, _ARG with the file; what reading and predicting
 * return.
 * @since 0.3 */
habitat_status habitat_evaluate_shapes(const habitat_gpu_table *gpus, const char *measurements,
                                       const char *folder, bool csv, habitat_text_sink sink,
                                       void *context, habitat_error *err);

/** Judge choices: how often the GPU that is predicted best for an iteration is the measured best,
 * or within 5 % of it, beside the picks by peak FLOP/s, bandwidth and price. A Markdown page.
 * @param measurements, recordings as of habitat_evaluate_iterations().
 * @return as habitat_evaluate_iterations(). @since 0.2 */
habitat_status habitat_evaluate_choice(const habitat_gpu_table *gpus, const char *measurements,
                                       const char *recordings, habitat_text_sink sink,
                                       void *context, habitat_error *err);

/* Other batch sizes and precisions of a folder of recordings, against each other on the same GPU:
 * Markdown, or with `csv` one line a case. */
habitat_status habitat_evaluate_scale(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                      habitat_text_sink sink, void *context, habitat_error *err);

/** Judge iterations of several GPUs, predicted from one of them, against measurements.
 * @param folder of recordings: its two_gpus/ holds measured_ddp.csv and recordings on one GPU.
 * @return HABITAT_OK; HABITAT_E_IO (no such file); what reading, predicting and replaying return.
 * @since 0.3 */
habitat_status habitat_evaluate_ddp(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                    habitat_text_sink sink, void *context, habitat_error *err);

#endif
