/* The table that says how each operation is counted, and what its handlers share. */
#ifndef HABITAT_WORK_RULE_H
#define HABITAT_WORK_RULE_H

#include "work/args.h"

typedef struct work_rule work_rule;

/* What a handler works on. */
typedef struct work_call {
    const work_rule *rule;
    const habitat_operation *op;
    uint32_t count;           /* inputs without a trailing out argument */
    bool in_place;            /* the name ends in "_": the first input is written too */
    habitat_dtype list_dtype; /* of tensors in lists, whose format traces do not record */
} work_call;

/* Fills flop, bytes and shape of `out`, whose class, pass and kind are set and whose numbers are
 * NaN. What stays NaN makes the work unknown. */
typedef void work_handler(const work_call *call, habitat_work *out);

/* One row of the table, sorted by name (strcmp). */
struct work_rule {
    const char *name; /* without "aten::"; other namespaces in full */
    habitat_class op_class;
    habitat_pass pass;
    work_handler *handler; /* NULL: the class is all there is to say */
    uint8_t arity;         /* inputs of the functional form: one tensor more is an out argument */
    uint8_t variant;       /* which signature, in the handler's own numbering */
    float flop;            /* per element, for handlers that go by elements */
    const char *kind;      /* NULL: derived from the name */
};

/* All rows, for the look-up and the test of their order. */
const work_rule *work_rules(size_t *count);

/* The row for a name, or NULL. Tries the name, then without overload (".Tensor"), then the name
 * without a final "_"; `*in_place` says that the name ends in "_". */
const work_rule *work_rule_find(const char *name, size_t length, bool *in_place);

/* kind.c: sets `kind`, cut to its length. */
void work_set_kind(habitat_work *work, const char *kind);
void work_copy_kind(char kind[24], const char *text, size_t length);

/* Statistics of half precision inputs are kept in fp32. */
habitat_dtype work_statistics_dtype(habitat_dtype dtype);

/* 1 for real numbers, `factor` for complex ones, 0 for integers and truth values. */
double work_flop_factor(habitat_dtype dtype, double factor);

/* Tensors that an elementwise operation reads when nothing is broadcast. */
double work_operands(const work_rule *rule);

/* Handlers, by file. The variants are listed where the handlers are. */
work_handler work_do_gemm, work_do_conv, work_do_conv_backward;
work_handler work_do_attention, work_do_rnn, work_do_rnn_cell;
work_handler work_do_norm, work_do_norm_backward, work_do_softmax, work_do_reduce;
work_handler work_do_weight_norm, work_do_shared_norm, work_do_unfold, work_do_pairs;
work_handler work_do_pool, work_do_pool_backward, work_do_resample;
work_handler work_do_elementwise, work_do_gated, work_do_fill, work_do_dropout;
work_handler work_do_index, work_do_copy, work_do_list, work_do_loss, work_do_view;
work_handler work_do_collective, work_do_fft;

/* Whether it is a pass with its sizes, shape (count), and a format of a made operation. */
bool work_can_be_made(habitat_dtype dtype, habitat_pass pass, const double *sizes, size_t count);

/* Foreach operations: `rule` is the row of the operation applied to each element. */
void work_foreach(const work_call *call, const work_rule *element, habitat_work *out);

/* Signatures of work_do_gemm: where the operands are. */
enum work_gemm_variant {
    WORK_GEMM_MM,      /* a, b */
    WORK_GEMM_ADDMM,   /* c, a, b, beta, alpha */
    WORK_GEMM_LINEAR,  /* a, b transposed, bias */
    WORK_GEMM_SCALED,  /* a, b, scale_a, scale_b, bias, scale_result, out_dtype, fast */
    WORK_GEMM_OUTER,   /* vectors a, b */
    WORK_GEMM_ADDR,    /* c, vectors a, b */
    WORK_GEMM_SUMMED,  /* c, a, b: the products of a batch are added up (addbmm) */
    WORK_GEMM_GROUPED, /* rows of a are dealt out among the matrices of b */
};

/* Signatures of work_do_conv and work_do_conv_backward: see the table in conv.c. */
enum work_conv_variant {
    WORK_CONV_GENERIC,
    WORK_CONV_CUDNN,
    WORK_CONV_CUDNN_TRANSPOSE,
    WORK_CONV_CUDNN_RELU,
    WORK_CONV_CUDNN_ADD_RELU,
    WORK_CONV_MIOPEN,
    WORK_CONV_MIOPEN_TRANSPOSE,
    WORK_CONV_FUNCTIONAL,
    WORK_CONV_FUNCTIONAL_TRANSPOSE,
    WORK_CONV_DEPTHWISE,
    WORK_CONV_SLOW,
    WORK_CONV_SLOW_DILATED,
    WORK_CONV_SLOW_TRANSPOSE,
    WORK_CONV_BACKWARD,
    WORK_CONV_BACKWARD_OVERRIDEABLE,
    WORK_CONV_BACKWARD_SLOW,
};

/* Signatures of work_do_attention: see the table in attention.c. */
enum work_attention_variant {
    WORK_ATTENTION_SDPA,
    WORK_ATTENTION_SDPA_FLASH,
    WORK_ATTENTION_SDPA_FLASH_BACKWARD,
    WORK_ATTENTION_SDPA_EFFICIENT,
    WORK_ATTENTION_SDPA_EFFICIENT_BACKWARD,
    WORK_ATTENTION_SDPA_CUDNN,
    WORK_ATTENTION_SDPA_CUDNN_BACKWARD,
    WORK_ATTENTION_SDPA_OVERRIDEABLE,
    WORK_ATTENTION_SDPA_OVERRIDEABLE_BACKWARD,
    WORK_ATTENTION_SDPA_CPU,
    WORK_ATTENTION_SDPA_CPU_BACKWARD,
    WORK_ATTENTION_CUDNN,
    WORK_ATTENTION_FLASH,
    WORK_ATTENTION_FLASH_BACKWARD,
    WORK_ATTENTION_EFFICIENT,
    WORK_ATTENTION_EFFICIENT_BACKWARD,
    WORK_ATTENTION_LIBRARY,
    WORK_ATTENTION_LIBRARY_BACKWARD,
    WORK_ATTENTION_NATIVE_MHA,
};

enum work_rnn_variant {
    WORK_RNN_CUDNN,
    WORK_RNN_CUDNN_BACKWARD,
    WORK_RNN_MIOPEN,
    WORK_RNN_LSTM, /* aten::lstm: hidden state in a list */
    WORK_RNN_GRU,  /* aten::gru, rnn_tanh, rnn_relu: gates in `flop` */
};

/* How an elementwise operation's output relates to its inputs. */
enum work_elementwise_variant {
    WORK_OUT_PROMOTED, /* PyTorch's type promotion */
    WORK_OUT_FLOAT,    /* integers become the default floating point format */
    WORK_OUT_BOOL,     /* comparisons */
    WORK_OUT_FIRST,    /* format and shape of the first input */
    WORK_OUT_COMPLEX,  /* two real inputs make a complex one */
    WORK_OUT_WHERE,    /* a condition, then the values */
};

enum work_fill_variant {
    WORK_FILL_FIRST,  /* fill_, zero_, normal_: the first tensor is written */
    WORK_FILL_LIKE,   /* ones_like(self, dtype): dtype in argument 1 */
    WORK_FULL_LIKE,   /* full_like(self, value, dtype): dtype in argument 2 */
    WORK_FILL_SIZE,   /* zeros(size, dtype) */
    WORK_FULL_SIZE,   /* full(size, value, dtype) */
    WORK_FILL_ARANGE, /* arange(start, end, step, dtype or out) */
};

enum work_reduce_variant {
    WORK_REDUCE_SAME,      /* amax, prod of floats: format of the input; dims in argument 1 */
    WORK_REDUCE_SUM,       /* integers become int64; argument 1 is a format if there are just two */
    WORK_REDUCE_BOOL,      /* any, all */
    WORK_REDUCE_INDEX,     /* argmax: int64 */
    WORK_REDUCE_BOTH,      /* max with a dimension: values and int64 indices */
    WORK_REDUCE_NORM,      /* dims in argument 2 */
    WORK_REDUCE_SPREAD,    /* var, std: argument 1 is a flag if there are just two */
    WORK_REDUCE_PAIR,      /* var_mean: two outputs */
    WORK_REDUCE_HISTOGRAM, /* histc: as many numbers as argument 1 says */
    WORK_REDUCE_COUNT,     /* bincount: at least as many whole numbers as argument 2 says */
    WORK_REDUCE_SCAN,      /* cumsum: as many outputs as inputs */
    WORK_REDUCE_SCAN_BOTH, /* cummax: values and indices */
    WORK_REDUCE_TOPK,
    WORK_REDUCE_SORT,
    WORK_REDUCE_UNKNOWN, /* sizes depend on the data: unique */
    WORK_REDUCE_PLACES,  /* nonzero: the same, unless what it wrote is given */
};

enum work_norm_variant {
    WORK_NORM_BATCH,          /* input, weight, bias, mean, var, training */
    WORK_NORM_BATCH_TRAINING, /* the same, always training */
    WORK_NORM_BATCH_FIXED,    /* the same, never training */
    WORK_NORM_LAYER,          /* input, normalized shape, weight, bias */
    WORK_NORM_GROUP,          /* input, weight, bias, N, C, HxW, group */
    WORK_NORM_GROUP_API,      /* input, groups, weight, bias */
    WORK_NORM_RMS,            /* input, normalized shape, weight */
    WORK_NORM_BATCH_BACKWARD, /* grad, input, weight, mean, var, saved x2, train, eps, mask */
    WORK_NORM_CUDNN_BACKWARD, /* input, grad, weight, mean, var, saved x2, eps, reserve */
    WORK_NORM_LAYER_BACKWARD, /* grad, input, shape, mean, rstd, weight, bias, mask */
    WORK_NORM_GROUP_BACKWARD, /* grad, input, mean, rstd, weight, N, C, HxW, group, mask */
    WORK_NORM_RMS_BACKWARD,   /* grad, input, shape, rstd, weight, mask */
};

/* The parts of a batch norm whose statistics several GPUs share. */
enum work_shared_norm_variant {
    WORK_SHARED_STATISTICS,     /* input: mean and 1/deviation of each channel */
    WORK_SHARED_GATHER,         /* input, means and deviations of all GPUs, running ones */
    WORK_SHARED_APPLY,          /* input, weight, bias, mean, 1/deviation */
    WORK_SHARED_REDUCE,         /* grad, input, mean, 1/deviation, weight: four sums a channel */
    WORK_SHARED_APPLY_BACKWARD, /* grad, input, mean, 1/deviation, weight, two sums */
};

enum work_pool_variant {
    WORK_POOL_AVERAGE,
    WORK_POOL_MAX,          /* max_pool2d: output only */
    WORK_POOL_MAX_INDICES,  /* output and int64 indices */
    WORK_POOL_ADAPTIVE,     /* output size in argument 1 */
    WORK_POOL_ADAPTIVE_MAX, /* and int64 indices */
};

enum work_resample_variant {
    WORK_RESAMPLE_ELEMENTS, /* a thread an element */
    WORK_RESAMPLE_PLANES,   /* a thread a pixel, of tensors in order */
};

enum work_index_variant {
    WORK_INDEX_EMBEDDING,          /* table, indices */
    WORK_INDEX_EMBEDDING_BACKWARD, /* grad, indices, rows */
    WORK_INDEX_BAG_BACKWARD,       /* grad, indices, (offsets,) bags of indices, .., rows */
    WORK_INDEX_SELECT,             /* self, dim, index */
    WORK_INDEX_GATHER,             /* self, dim, index */
    WORK_INDEX_SCATTER,            /* self, dim, index, src */
    WORK_INDEX_SCATTER_ADD,        /* self, dim, index, src: read what is added to */
    WORK_INDEX_ADD,                /* self, dim, index, source slices */
    WORK_INDEX_LIST,               /* self, [indices] */
    WORK_INDEX_PUT,                /* self, [indices], values, accumulate */
    WORK_INDEX_EMBEDDING_BAG,      /* table, indices, offsets */
    WORK_INDEX_SAMPLE,             /* input, grid of points, interpolation */
    WORK_INDEX_SAMPLE_BACKWARD,    /* grad, input, grid of points, interpolation */
    WORK_INDEX_MASKED,             /* self, mask, source: its elements in order where the mask is */
};

enum work_copy_variant {
    WORK_COPY_INTO,         /* copy_(self, src) */
    WORK_COPY_OF,           /* clone: as many bytes written as the shape says */
    WORK_COPY_TO,           /* _to_copy(self, dtype) */
    WORK_COPY_CONTIGUOUS,   /* nothing if it already is contiguous */
    WORK_COPY_MAYBE,        /* to, reshape: only children know */
    WORK_COPY_CAT,          /* list in, one tensor out */
    WORK_COPY_PAD,          /* constant_pad_nd(self, pad) */
    WORK_COPY_PAD_BACKWARD, /* grad, self, pad: what was repeated is added up */
    WORK_COPY_REPEAT,       /* repeat(self, repeats) */
    WORK_COPY_ITEM,         /* one element to the host */
};

enum work_list_variant {
    WORK_LIST_ADAM,
    WORK_LIST_SGD,
    WORK_LIST_ADAGRAD,
    WORK_LIST_UNSCALE, /* gradients checked for infinities and scaled in place */
};

/* self, dims, normalization, last size or onesided */
enum work_fft_variant { WORK_FFT_C2C, WORK_FFT_R2C, WORK_FFT_C2R };

enum work_loss_variant {
    WORK_LOSS_ELEMENTS,          /* self, target, ... reduction at `arity` - 1 */
    WORK_LOSS_BCE,               /* self, target, weight, reduction */
    WORK_LOSS_BCE_LOGITS,        /* self, target, weight, pos_weight, reduction */
    WORK_LOSS_ELEMENTS_BACKWARD, /* grad, self, target, ... */
    WORK_LOSS_NLL,               /* self, target, weight, reduction, ignore */
    WORK_LOSS_NLL_BACKWARD,      /* grad, self, target, weight, reduction, ignore, total */
    WORK_LOSS_CROSS_ENTROPY,     /* self, target, weight, reduction */
};

#endif
