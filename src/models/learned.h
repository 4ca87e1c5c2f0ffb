/* Trained operator models in memory: boosted trees over the inputs of operator.h, perceptrons over
 * the paper's inputs, and the file that holds them. */
#ifndef HABITAT_MODELS_LEARNED_H
#define HABITAT_MODELS_LEARNED_H

#include <stdint.h>

#include <habitat/models.h>

#include "models/range.h"
#include "operator/operator.h"

/* ---- Boosted regression trees: complete binary trees of one depth ------------------------------
 */

enum { TREES_DEPTH_MAX = 8, TREES_COUNT_MAX = 4096, TREES_PASS = 255 /* no split: go left */ };

typedef struct trees {
    uint32_t depth, count, inputs; /* inputs: of a row; nodes ask for no others */
    float bias;
    uint8_t *feature; /* shape (count, 2^depth - 1) */
    float *threshold; /* the same; x > threshold goes right */
    float *leaf;      /* shape (count, 2^depth) */
} trees;

/* bias + sum of leaves of one row of inputs. */
double trees_predict(const trees *t, const float *inputs);
void trees_free(trees *t);

/* ---- Multilayer perceptrons ---------------------------------------------------------------------
 */

enum { PERCEPTRON_LAYERS_MAX = 32, PERCEPTRON_WIDTH_MAX = 4096 };
typedef enum perceptron_activation { PERCEPTRON_RELU = 0, PERCEPTRON_TANH } perceptron_activation;

typedef struct perceptron {
    uint32_t inputs, layers, width; /* `layers` hidden layers of `width` */
    perceptron_activation activation;
    float *mean, *scale; /* shape (inputs): z = (x - mean) * scale, clipped to +-clip */
    float clip;
    float *parameters; /* layer by layer: weights (in, out) row-major, then biases (out) */
} perceptron;

size_t perceptron_parameter_count(const perceptron *net);

/* What a layer's sums become, in place. values: shape (count). */
void perceptron_activate(perceptron_activation activation, float *values, size_t count);

/* Logs of the predicted values of n rows. inputs: shape (n, inputs), row-major; out: shape (n);
 * scratch: perceptron_scratch() floats. Rows go through the layers in blocks of PERCEPTRON_ROWS; a
 * row's result does not depend on the others of its block. */
enum { PERCEPTRON_ROWS = 16 };
size_t perceptron_scratch(const perceptron *net); /* floats that this net's rows need */
void perceptron_predict_rows(const perceptron *net, const float *inputs, size_t n, double *out,
                             float *scratch);
void perceptron_free(perceptron *net);

/* ---- Models and their file ----------------------------------------------------------------------
 */

/* How uncertain one answer is beside others of its class, learned from rows of GPUs that were left
 * out. Without trees (count 0) all answers of a class are alike. The interval is
 * exp(+-hypot(rows e^(power trees(x)), bias)). */
typedef struct learned_spread {
    float power;                          /* the trees count this much */
    float rows, bias;                     /* of single rows, of all rows of a GPU; logarithms */
    float rows_estimated, bias_estimated; /* the same where the GPU's rates are estimates */
    trees trees;
} learned_spread;

/* Answers to operations whose way (operator_way()) none of the model's GPUs ran: what its trees
 * learned of other ways counts by `shrink`, and the interval is exp(+-half). */
typedef struct learned_ways {
    uint32_t known; /* bit w: rows of way w; 0: not known, every way counts as one of them */
    float shrink;
    float half, half_estimated; /* logarithms */
} learned_ways;

typedef struct operator_model {
    uint8_t class_number; /* operator_class, or paper_class for PAPER */
    uint8_t use;          /* habitat_model_use: SEEN, TRANSFER or PAPER */
    float shrink;         /* TRANSFER: the trees count this much. SEEN: its share of an answer */
    float low, high;      /* log of the 80 % interval's ends over the prediction */
    float low_estimated, high_estimated; /* trees: the same where the GPU's rates are estimates;
                                            perceptrons: on a GPU that was not trained on */
    uint64_t training_rows;
    uint32_t gpu_count;
    char **gpus;
    learned_range range; /* of trees; networks know theirs by what they clip */
    trees trees;
    learned_spread spread; /* TRANSFER */
    learned_ways ways;     /* TRANSFER */
    perceptron net;
} operator_model;

struct habitat_models {
    uint32_t count;
    operator_model *models;
    float pass_factors[2]; /* convolution: gradient of the input, of the weight, over forward */
};

/* Files of format 1 hold no ranges, of format 2 no spreads, of format 3 no ways. */
enum {
    LEARNED_FORMAT = 4,
    LEARNED_FORMAT_SPREADS = 3,
    LEARNED_FORMAT_RANGES = 2,
    LEARNED_FORMAT_LEAST = 1
};
enum { LEARNED_MODELS_MAX = 64 };

/* What begins a model file. */
#define LEARNED_MAGIC "HABMODEL"
enum { LEARNED_MAGIC_BYTES = 8, LEARNED_HEADER_BYTES = LEARNED_MAGIC_BYTES + 4 + 4 + 8 };

/* Checksum of a class's formula and inputs: models that correct another formula or look at other
 * inputs must not be mistaken for ours. class_number: a paper_class if `paper`, else an
 * operator_class. */
uint32_t learned_class_checksum(unsigned class_number, bool paper);

/* The number of a class in a file of models. */
unsigned learned_number_in_file(unsigned class_number, bool paper);

/* Zeroed models of this number; NULL when out of memory. */
habitat_models *learned_create(uint32_t count);
void learned_model_free(operator_model *model);

/* The models that the library carries, read on first use, shared by all threads, never freed; NULL
 * for a build without any. A failure is this call's alone: the next one reads again. */
habitat_status learned_builtin(const habitat_models **out, habitat_error *err);

/* Model of a class and use; NULL when there is none. */
const operator_model *learned_find(const habitat_models *models, unsigned class_number,
                                   habitat_model_use use);

/* Whether a GPU, or a kind of GPU (below), is among those that a model was trained on. */
bool learned_knows(const operator_model *model, const char *gpu);

/* The kind of a GPU is its compute capability, "sm_90". Kinds stand among the names of a model's
 * GPUs, after them: the model answers for others of that kind too. */
enum { LEARNED_KIND_BYTES = 16 };
void learned_kind_name(const habitat_gpu *gpu, char out[LEARNED_KIND_BYTES]);

/* Whether a name in a model's list is a kind's, not a GPU's. */
bool learned_names_kind(const char *name);

/* Kinds that a model was trained on; its GPUs, where it names none. */
size_t learned_kinds(const operator_model *model);

/* Whether rows of this way stand behind the model, or it does not tell. */
bool learned_knows_way(const operator_model *model, unsigned way);

/* One answer of a tree model from a look at the operation; [ms]. */
double learned_tree_ms(const operator_model *model, const operator_view *view);

/* Ends of the 80 % interval of one answer, as logarithms of their ratio to it. estimated: the GPU's
 * rates are. */
typedef struct learned_ends {
    double low, high;
} learned_ends;
learned_ends learned_ends_of(const operator_model *model, const operator_view *view,
                             bool estimated);

/* The answers for this class depend on rates that nobody measured. */
bool learned_on_estimates(const habitat_gpu *gpu, operator_class c, habitat_dtype arithmetic);

/* ---- The paper's inputs -------------------------------------------------------------------------
 */

typedef enum paper_class {
    PAPER_CONV2D = 0,
    PAPER_LINEAR,
    PAPER_BMM,
    PAPER_LSTM,
    PAPER_CLASSES
} paper_class;
enum { PAPER_INPUTS_MAX = 20, PAPER_GPU_INPUTS = 4 };

const char *paper_class_name(paper_class c);                  /* "conv2d"; static text */
paper_class paper_class_of(const habitat_model_query *query); /* PAPER_CLASSES: none */
size_t paper_input_count(paper_class c);                      /* with the GPU's own */

/* Inputs of `work` as if its pass were `pass` (never BACKWARD for a convolution, which is two
 * rows). x: shape (paper_input_count). false: the GPU lists not all of the four facts,
 * or runs other libraries than those measured. */
bool paper_inputs(const habitat_work *work, habitat_pass pass, paper_class c,
                  const habitat_gpu *gpu, float *x);

/* What habitat_models_predict() is asked: each query of each GPU. */
typedef struct model_questions {
    size_t gpu_count;
    const habitat_gpu *const *gpus; /* shape (gpu_count) */
    size_t n;
    const habitat_model_query *queries; /* shape (n) */
    const size_t *first; /* shape (n): the first query that is equal; only those are computed */
} model_questions;

/* habitat_models_predict() for HABITAT_MODEL_PAPER. out: shape (gpu_count, n). */
habitat_status paper_predict(const habitat_models *models, const model_questions *asked,
                             habitat_model_estimate *out, habitat_error *err);

#endif
