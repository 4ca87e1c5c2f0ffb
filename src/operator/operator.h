/* What operator models look at: the class an operation falls in, the analytic time its work takes
 * on a GPU's sustained rates, and dimensionless inputs for what the analysis leaves open. */
#ifndef HABITAT_OPERATOR_OPERATOR_H
#define HABITAT_OPERATOR_OPERATOR_H

#include <habitat/question.h>

/* Numbers are part of the model file format. */
typedef enum operator_class {
    OPERATOR_GEMM = 0,    /* fp32 on plain units */
    OPERATOR_BMM,         /* fp32, batched */
    OPERATOR_CONV,        /* fp32, 2-D */
    OPERATOR_ELEMENTWISE, /* any number format */
    OPERATOR_SOFTMAX,     /* forward, eager calls of PyTorch 2.1 */
    OPERATOR_NORM,        /* layer norm, the same */
    OPERATOR_GEMM_MATRIX, /* tf32, fp16, bf16 on matrix units, batched or not */
    OPERATOR_GEMM_FP8,
    OPERATOR_ATTENTION,       /* fused, 16-bit */
    OPERATOR_WARM_SOFTMAX,    /* both passes, repeated under a graph: PyTorch 2.11 */
    OPERATOR_WARM_NORM,       /* layer norm, the same */
    OPERATOR_BATCH_NORM,      /* training, both passes */
    OPERATOR_ATTENTION_PLAIN, /* fp32, fused or not, both passes */
    OPERATOR_CONV_OTHER,      /* fp32, 2-D: gradients, transposed, known forward */
    OPERATOR_CONV_MATRIX,     /* tf32, fp16, bf16, 2-D, every pass */
    OPERATOR_RNN,             /* LSTM, GRU and plain, both passes, any number format */
    OPERATOR_CONV_GROUPS,     /* in groups of channels, 2-D, every pass and format */
    OPERATOR_CLASSES,
    OPERATOR_NONE = OPERATOR_CLASSES
} operator_class;

enum { OPERATOR_INPUTS_MAX = 40, OPERATOR_WAYS_MAX = 32 };

/* One input of a class: its name, and whether it may tell GPUs apart beyond their rates: such
 * inputs are left out of models meant for GPUs that nobody measured. */
typedef struct operator_input {
    const char *name;
    bool device;
} operator_input;

typedef struct operator_features {
    const operator_input *inputs;
    size_t count;
} operator_features;

/* Class of a question; OPERATOR_NONE when no model is trained for it. */
operator_class operator_class_of(const habitat_model_query *query);

/* The class that answers the same question better on GPUs it was trained on; OPERATOR_NONE: there
 * is none. */
operator_class operator_class_if_seen(const habitat_model_query *query);

/* The class that answers the same question better on every GPU of this compute capability (10 *
 * major + minor), measured or not; OPERATOR_NONE: there is none. Class conv2d knows GPUs whose
 * library has Winograd's tiles for a forward pass. */
operator_class operator_class_on(const habitat_model_query *query, uint32_t compute_capability);

/* Whether a class trains on such a row: its own; those that it answers where it knows the GPU; and
 * of row operations eager calls so long that their launch hides. */
bool operator_trains_on(operator_class c, const habitat_model_query *query, double time_ms);

/* Facts of one GPU as one class needs them. */
typedef struct operator_gpu {
    double flop_per_s, bytes_per_s; /* sustained */
    double peak_flop_per_s;         /* of the unit that the class runs on, as printed */
    double units_flop_per_s; /* what its tiles run at: above the peak where a card clocks higher */
    double sm_count, lanes_per_sm, threads_per_sm, clock_hz, l2_bytes;
    uint32_t compute_capability; /* 10 * major + minor; 0 for AMD */
} operator_gpu;

/* false: the GPU lists no rate or size that the class needs. */
bool operator_gpu_facts(const habitat_gpu *gpu, operator_class c, habitat_dtype arithmetic,
                        operator_gpu *out);

/* The least time [ms] that an operation can take whatever the library: sums at `flop_per_s`, the
 * most that their unit does (0: not counted), bytes that no cache holds at the bandwidth of the
 * data sheet. */
double operator_least_ms(const habitat_work *work, const habitat_gpu *gpu, habitat_dtype arithmetic,
                         double flop_per_s);

/* The bytes' part of it. */
double operator_least_memory_ms(const habitat_work *work, const habitat_gpu *gpu);

/* Arithmetic a query computes in: its own, or that of its tensors. */
habitat_dtype operator_arithmetic(const habitat_model_query *query);

/* What memory and units need of a product in fp8, over what they need of it in bf16. NaN: the GPU
 * lists no rate for one of them. */
double operator_fp8_share(const habitat_model_query *query, const habitat_gpu *gpu);

/* What a product in fp8 takes of a time that contains the conversion of its operand, as all
 * measured ones do. 1: another operation, or the GPU lists no rate for it. */
double operator_converted_share(const habitat_model_query *query, const habitat_gpu *gpu);

enum { OPERATOR_ATTENTION_PRODUCTS_MAX = 4 };

/* The products of an attention in fp32 that no fused kernel takes: keys have fewer heads than
 * queries. They follow the permission of TF32, as products alone do; the softmax between them does
 * not.
 * @return how many; 0: another operation, or one kernel computes it all. */
size_t operator_attention_products(const habitat_model_query *query,
                                   habitat_work out[OPERATOR_ATTENTION_PRODUCTS_MAX]);

/* Analytic time [ms] and inputs, shape (features->count). docs/modelling.md has the formulas.
 * The time includes the constant of the way it is measured; `floor_ms` is the least such a
 * measurement ever shows. */
typedef struct operator_view {
    double base_ms;
    double floor_ms;
    double far_ms;   /* analytic time of sizes far from all that were measured: base_ms, but for
                        classes whose base counts on tiles that such sizes do not fill */
    double empty_ms; /* what far_ms is of an operation with nothing to do */
    unsigned way;    /* operator_way() */
    float inputs[OPERATOR_INPUTS_MAX];
} operator_view;

void operator_look(const habitat_model_query *query, operator_class c, const operator_gpu *gpu,
                   operator_view *out);

/* Seconds the work takes by analysis; fills the inputs of the class. */
typedef double operator_look_function(const habitat_model_query *query, operator_class c,
                                      const operator_gpu *gpu, float *inputs);

/* The library's way with an operation: a number below OPERATOR_WAYS_MAX. Operations of one way run
 * kernels of one make; rows of one way say little of another. Part of the model file format. */
typedef unsigned operator_way_function(const habitat_model_query *query);

/* 0 in classes that know of one way only. */
unsigned operator_way(const habitat_model_query *query, operator_class c);

/* ---- The table of classes (class.c) ------------------------------------------------------------
 */

/* The units whose rate bounds a class; BY_ARITHMETIC: matrix units unless it computes in fp32. */
typedef enum operator_unit {
    OPERATOR_UNIT_PLAIN = 0,
    OPERATOR_UNIT_MATRIX,
    OPERATOR_UNIT_BY_ARITHMETIC,
} operator_unit;

/* What a measurement contains besides the kernels: `constant_ms` is added to the analytic time,
 * `floor_ms` is the least it shows. */
typedef struct operator_timing_cost {
    double constant_ms, floor_ms;
} operator_timing_cost;

/* Everything that is true of a whole class. Code asks the table; it does not list classes. */
typedef struct operator_facts {
    const char *name; /* in reports and of `habitat train --class` */
    const operator_features *features;
    operator_look_function *look;
    operator_way_function *way; /* NULL: one way */

    uint8_t formula; /* counts the changes of the analytic time after 0.2.0: trees that correct one
                        formula are wrong for another. In model files' checksums */
    operator_unit unit;           /* whose rates the analytic time takes */
    operator_unit estimated_unit; /* whose rates say that an answer rests on estimates: not `unit`
                                     in one class, see class.c */
    bool zero_inputs;             /* measured on all-zero inputs, which draw little power */
    bool memory_bound;            /* on any GPU */
    bool far_by_roofline; /* products: beyond what was measured libraries cut long sums into parts
                             and have kernels for thin matrices, which base_ms knows nothing of */

    bool knows_passes;  /* its look knows the passes apart: all rows are trained on and judged. Of
                           the other classes the forward rows are. */
    bool two_gradients; /* both gradients are two calls, one after the other */
    double backward_factor; /* of the forward time, where only forward was measured; 1: none */

    bool judged_by_kind;     /* few and related GPUs: those of one compute capability are left out
                                together, and two kinds suffice to tell how far trees carry */
    bool uneven_widths;      /* left out: an answer's interval is as wide as its inputs say, not as
                                wide as all others of the class: docs/decisions/0320 */
    bool widest_interval;    /* seen intervals: the widest of its GPUs' instead of all together */
    bool small_costs_launch; /* under a graph, small ones cost little but their launch */
    bool offset_by_pass;     /* measured operations give an offset for each pass */
    double doubt, doubt_estimated; /* measured operations count n / (n + doubt): models/offset.c */

    operator_timing_cost timings[HABITAT_TIMING_SESSION + 1];
} operator_facts;

/* OPERATOR_NONE has a row too, of the name "none" and zeros. */
const operator_facts *operator_facts_of(operator_class c);

/* Whether rows of this pass are trained on as they are. */
bool operator_pass_trained(operator_class c, habitat_pass pass);

/* Whether a norm is answered by the model of another: RMS norm by layer norm's. */
bool operator_norm_is_guessed(const habitat_work *work);

/* Whether an element-wise operation works out a function (GELU, tanh, a power), not a sum. */
bool operator_is_function(const habitat_work *work);

/* Whether a class computes on matrix units, by column `unit` or `estimated_unit`. */
bool operator_on_matrix_units(operator_unit unit, habitat_dtype arithmetic);

#endif
