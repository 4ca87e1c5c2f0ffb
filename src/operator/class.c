/* The table of classes that have models: all that is true of a whole class, one row a class.
 *
 * Numbers in it were fitted, but for `formula`:
 *   timings          [ms] read off the smallest times of each source of measurements, in the order
 *                    kernel, eager, graph, serving, session: docs/modelling.md#the-form
 *   backward_factor  of attention: five products for forward's two
 *   formula          raise it wherever the class's analytic time moves; 1: moved after 0.2.0
 *   doubt            chosen on training rows alone, GPUs left out in turn, by tools/few_shot.py:
 *                    models/offset.c, docs/modelling.md#few-shot
 *
 * `unit` and `estimated_unit` differ in classes of convolutions: in fp32 those with groups
 * (conv2d-groups) take the plain units' rate, and whether that rate is an estimate is asked of
 * matrix units in fp32, which GPUs of AMD alone have. */
#include "operator/views.h"

static const operator_facts classes[OPERATOR_CLASSES + 1] = {
    [OPERATOR_GEMM] =
        {.name = "gemm",
         .features = &operator_gemm_features,
         .look = operator_look_gemm,
         .formula = 1,
         .far_by_roofline = true,
         .uneven_widths = true,
         .backward_factor = 1,
         .small_costs_launch = true,
         .doubt = 8,
         .doubt_estimated = 2,
         .timings = {{.002, .002}, {.020, .050}, {.0025, .0024}, {.0025, .0024}, {.150, .100}}},
    [OPERATOR_BMM] =
        {.name = "bmm",
         .features = &operator_gemm_features,
         .look = operator_look_gemm,
         .formula = 2,
         .far_by_roofline = true,
         .backward_factor = 1,
         .small_costs_launch = true,
         .doubt = 2,
         .doubt_estimated = 2,
         .timings = {{.002, .002}, {.022, .031}, {.0025, .0024}, {.0025, .0024}, {.150, .100}}},
    [OPERATOR_CONV] =
        {.name = "conv2d",
         .features = &operator_conv_features,
         .look = operator_look_conv,
         .far_by_roofline = true,
         .zero_inputs = true,
         .backward_factor = 1,
         .small_costs_launch = true,
         .offset_by_pass =
             true,
         .doubt = 8,
         .doubt_estimated = 8,
         .timings = {{.003, .002}, {.030, .080}, {.0030, .0024}, {.0030, .0024}, {.200, .100}}},
    [OPERATOR_ELEMENTWISE] =
        {.name = "elementwise",
         .features = &operator_elementwise_features,
         .look = operator_look_elementwise,
         .memory_bound = true,
         .knows_passes = true,
         .uneven_widths = true,
         .backward_factor = 1,
         .doubt = 1,
         .doubt_estimated = 2,
         .timings = {{.0014, .001}, {.017, .026}, {.0014, .0010}, {.0014, .0010}, {.150, .100}}},
    [OPERATOR_SOFTMAX] =
        {.name = "softmax",
         .features = &operator_row_kernel_features,
         .look = operator_look_softmax,
         .formula = 1,
         .memory_bound = true,
         .backward_factor = 1,
         .doubt = 1,
         .doubt_estimated = 2,
         .timings = {{.0015, .001}, {.020, .033}, {.0020, .0020}, {.0020, .0020}, {.150, .100}}},
    [OPERATOR_NORM] =
        {.name = "norm",
         .features = &operator_row_kernel_features,
         .look = operator_look_layer_norm,
         .formula = 1,
         .memory_bound = true,
         .backward_factor = 1,
         .doubt = 2,
         .doubt_estimated = 2,
         .timings = {{.0015, .001}, {.030, .046}, {.0020, .0020}, {.0020, .0020}, {.150, .100}}},
    [OPERATOR_GEMM_MATRIX] =
        {.name = "gemm-matrix",
         .features = &operator_matrix_features,
         .look = operator_look_matrix,
         .formula = 3,
         .far_by_roofline = true,
         .unit = OPERATOR_UNIT_MATRIX,
         .estimated_unit = OPERATOR_UNIT_MATRIX,
         .uneven_widths = true,
         .backward_factor = 1,
         .doubt = 8,
         .doubt_estimated = 2,
         .timings = {{.0020, .002}, {.010, .020}, {.0025, .0017}, {.0025, .0017}, {.150, .100}}},
    [OPERATOR_GEMM_FP8] =
        {.name = "gemm-fp8",
         .features = &operator_fp8_features,
         .look = operator_look_fp8,
         .formula = 3,
         .far_by_roofline = true,
         .unit = OPERATOR_UNIT_MATRIX,
         .estimated_unit = OPERATOR_UNIT_MATRIX,
         .uneven_widths = true,
         .backward_factor = 1,
         .doubt = 8,
         .doubt_estimated = 2,
         .timings = {{.0040, .003}, {.012, .020}, {.0050, .0033}, {.0050, .0033}, {.150, .100}}},
    [OPERATOR_ATTENTION] =
        {.name = "attention",
         .features = &operator_attention_features,
         .look = operator_look_attention,
         .formula = 2,
         .unit = OPERATOR_UNIT_MATRIX,
         .estimated_unit = OPERATOR_UNIT_MATRIX,
         .uneven_widths = true,
         .backward_factor = 2.5,
         .offset_by_pass = true,
         .doubt = 8,
         .doubt_estimated = 2,
         .timings = {{.0030, .003}, {.015, .025}, {.0030, .0030}, {.0125, .0040}, {.150, .100}}},
    [OPERATOR_WARM_SOFTMAX] =
        {.name = "warm-softmax",
         .features = &operator_row_kernel_features,
         .look = operator_look_softmax,
         .formula = 1,
         .memory_bound = true,
         .knows_passes = true,
         .backward_factor = 1,
         .offset_by_pass = true,
         .doubt = 2,
         .doubt_estimated = 2,
         .timings = {{.0014, .001}, {.020, .040}, {.0014, .0010}, {.0014, .0010}, {.150, .100}}},
    [OPERATOR_WARM_NORM] =
        {.name = "warm-norm",
         .features = &operator_row_kernel_features,
         .look = operator_look_layer_norm,
         .formula = 1,
         .memory_bound = true,
         .knows_passes = true,
         .backward_factor = 1,
         .offset_by_pass = true,
         .doubt = 2,
         .doubt_estimated = 2,
         .timings = {{.0014, .001}, {.030, .050}, {.0014, .0010}, {.0014, .0010}, {.150, .100}}},
    [OPERATOR_BATCH_NORM] =
        {.name = "batch-norm",
         .features = &operator_warm_rows_features,
         .look = operator_look_batch_norm,
         .formula = 1,
         .memory_bound = true,
         .knows_passes = true,
         .backward_factor = 1,
         .offset_by_pass = true,
         .doubt = 2,
         .doubt_estimated = 2,
         .timings = {{.0014, .001}, {.030, .050}, {.0014, .0010}, {.0014, .0010}, {.150, .100}}},
    [OPERATOR_ATTENTION_PLAIN] =
        {.name = "attention-fp32",
         .features = &operator_attention_plain_features,
         .look = operator_look_attention_plain,
         .formula = 2,
         .knows_passes = true,
         .backward_factor = 1,
         .offset_by_pass = true,
         .doubt = 8,
         .doubt_estimated = 2,
         .timings = {{.0014, .001}, {.030, .050}, {.0014, .0010}, {.0014, .0010}, {.150, .100}}},
    [OPERATOR_CONV_OTHER] =
        {.name = "conv2d-other",
         .features = &operator_convolution_features,
         .look = operator_look_convolution,
         .way = operator_convolution_way,
         .formula = 4,
         .far_by_roofline = true,
         .knows_passes = true,
         .two_gradients = true,
         .backward_factor = 1,
         .judged_by_kind = true,
         .widest_interval = true,
         .offset_by_pass = true,
         .doubt = 8,
         .doubt_estimated = 2,
         .timings = {{.0040, .002}, {.030, .080}, {.0040, .0012}, {.0040, .0012}, {.200, .100}}},
    [OPERATOR_CONV_MATRIX] =
        {.name = "conv2d-matrix",
         .features = &operator_convolution_features,
         .look = operator_look_convolution,
         .way = operator_convolution_way,
         .formula = 5,
         .far_by_roofline = true,
         .unit = OPERATOR_UNIT_BY_ARITHMETIC,
         .estimated_unit = OPERATOR_UNIT_MATRIX,
         .knows_passes = true,
         .two_gradients = true,
         .backward_factor = 1,
         .judged_by_kind = true,
         .widest_interval = true,
         .offset_by_pass = true,
         .doubt = 8,
         .doubt_estimated = 2,
         .timings = {{.0031, .002}, {.030, .080}, {.0031, .0008}, {.0031, .0008}, {.200, .100}}},
    [OPERATOR_RNN] =
        {.name = "rnn",
         .features = &operator_rnn_features,
         .look = operator_look_rnn,
         .formula = 3,
         .unit = OPERATOR_UNIT_BY_ARITHMETIC,
         .estimated_unit = OPERATOR_UNIT_BY_ARITHMETIC,
         .knows_passes = true,
         .backward_factor = 1,
         .judged_by_kind = true,
         .offset_by_pass = true,
         .doubt = 8,
         .doubt_estimated = 2,
         .timings = {{.0050, .002}, {.050, .080}, {.0050, .0020}, {.0050, .0020}, {.200, .100}}},
    [OPERATOR_CONV_GROUPS] =
        {.name = "conv2d-groups",
         .features = &operator_convolution_features,
         .look = operator_look_convolution,
         .way = operator_convolution_way,
         .formula = 1,
         .far_by_roofline = true,
         .unit = OPERATOR_UNIT_BY_ARITHMETIC,
         .estimated_unit = OPERATOR_UNIT_MATRIX,
         .knows_passes = true,
         .two_gradients = true,
         .backward_factor = 1,
         .judged_by_kind = true,
         .widest_interval = true,
         .offset_by_pass = true,
         .doubt = 8,
         .doubt_estimated = 2,
         .timings = {{.0031, .002}, {.030, .080}, {.0031, .0008}, {.0031, .0008}, {.200, .100}}},
    [OPERATOR_NONE] = {.name = "none"},
};

const operator_facts *operator_facts_of(operator_class c) {
    return &classes[(unsigned)c < OPERATOR_CLASSES ? c : OPERATOR_NONE];
}

unsigned operator_way(const habitat_model_query *query, operator_class c) {
    const operator_facts *facts = operator_facts_of(c);
    return facts->way ? facts->way(query) : 0;
}

bool operator_on_matrix_units(operator_unit unit, habitat_dtype arithmetic) {
    return unit == OPERATOR_UNIT_MATRIX ||
           (unit == OPERATOR_UNIT_BY_ARITHMETIC && arithmetic != HABITAT_DTYPE_FP32);
}

bool operator_pass_trained(operator_class c, habitat_pass pass) {
    const operator_facts *facts = operator_facts_of(c);
    return facts->two_gradients ? pass != HABITAT_PASS_BACKWARD
                                : pass == HABITAT_PASS_FORWARD || facts->knows_passes;
}
