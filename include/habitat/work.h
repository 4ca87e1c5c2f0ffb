/* What an operation has to do: its class, the parameters of its shape, flop and bytes.
 *
 * Counted from shapes, number formats and arguments alone; nothing here knows about GPUs or times.
 * Flop counts follow the usual conventions (a fused multiply-add is 2; a matrix product is 2mnk);
 * bytes are the least a kernel must move through device memory: each input read once, each output
 * written once. docs/work.md has a table of all operations.
 *
 * Half: experimental, but for the classes and their names, which are stable.
 * Units: flop and bytes, as double: absurd sizes grow large and never wrap. NaN is not known.
 * Ownership: all pointers are borrowed for the call. Names are static texts.
 * Errors: a habitat_status; on failure the output is untouched.
 * Threads: pure functions; safe from several threads. */
#ifndef HABITAT_WORK_H
#define HABITAT_WORK_H

#include <stdbool.h>

#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/words.h>
#include <habitat/gpu.h>
#include <habitat/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Classes that reports group by and models are trained for. Names: habitat_class_name(). */
typedef enum habitat_class {
    HABITAT_CLASS_OTHER = 0,
    HABITAT_CLASS_GEMM,        /* mm, addmm, linear: "gemm" */
    HABITAT_CLASS_BMM,         /* batched: "bmm" */
    HABITAT_CLASS_CONV,        /* "conv" */
    HABITAT_CLASS_ATTENTION,   /* fused: "attention" */
    HABITAT_CLASS_RNN,         /* LSTM, GRU, RNN: "rnn" */
    HABITAT_CLASS_NORM,        /* batch, layer, group, RMS norm: "norm" */
    HABITAT_CLASS_SOFTMAX,     /* "softmax" */
    HABITAT_CLASS_ELEMENTWISE, /* "elementwise" */
    HABITAT_CLASS_REDUCE,      /* "reduce" */
    HABITAT_CLASS_POOL,        /* "pool" */
    HABITAT_CLASS_EMBEDDING,   /* gather, scatter, index: "embedding" */
    HABITAT_CLASS_LOSS,        /* "loss" */
    HABITAT_CLASS_OPTIMIZER,   /* foreach and fused optimisers: "optimizer" */
    HABITAT_CLASS_COPY,        /* copies, casts, layout changes, memcpy, memset: "copy" */
    HABITAT_CLASS_COLLECTIVE,  /* "collective" */
    HABITAT_CLASS_COUNT
} habitat_class;

/** Short name of a class as reports and JSON print it ("gemm", "conv").
 * @param op_class any value.
 * @return static string.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *habitat_class_name(habitat_class op_class);

/** Whether operations of a class are sums of products, which matrix units compute.
 * @param op_class any value.
 * @return true for matrix products, convolutions, attention, recurrent layers.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API bool habitat_class_is_product(habitat_class op_class);

#ifdef HABITAT_EXPERIMENTAL /* ---- experimental half ---- */

enum { HABITAT_CONV_DIMS_MAX = 3 };

/* Shape of a matrix product: (b, m, k) x (b, k, n) -> (b, m, n). Sizes of this and the next ones
 * are numbers of elements, steps, channels and so on: whole and >= 1, but for paddings, which begin
 * at 0. They are double, so that no product of them wraps. */
typedef struct habitat_gemm_shape {
    double b, m, n, k;
    bool bias;             /* n numbers are added to each row */
    bool trans_a, trans_b; /* operand is stored transposed (column-major) */
    bool copied;           /* added to a matrix, which is copied into the result before */
} habitat_gemm_shape;

/* Shape of a convolution: (batch, c_in, in..) -> (batch, c_out, out..). */
typedef struct habitat_conv_shape {
    uint32_t dims;                     /* 1, 2 or 3 spatial dimensions */
    double batch, c_in, c_out, groups; /* channels are multiples of the groups */
    /* Shape (dims) each: sides of the image, of the result and of the kernel. */
    double in[HABITAT_CONV_DIMS_MAX], out[HABITAT_CONV_DIMS_MAX], kernel[HABITAT_CONV_DIMS_MAX];
    double stride[HABITAT_CONV_DIMS_MAX],
        padding[HABITAT_CONV_DIMS_MAX]; /* padding: of each side */
    double dilation[HABITAT_CONV_DIMS_MAX];
    bool transposed, bias, channels_last; /* channels_last: NHWC in memory */
} habitat_conv_shape;

/* Shape of an attention: queries (batch, heads, q_len, head_dim), keys (batch, kv_heads, kv_len,
 * head_dim), values (batch, kv_heads, kv_len, v_head_dim). */
typedef struct habitat_attention_shape {
    double batch, heads, kv_heads, q_len, kv_len, head_dim, v_head_dim;
    bool causal;       /* a query sees no key behind it */
    bool dropout;      /* of the probabilities */
    bool bottom_right; /* causal: the last query sees all keys; else query i sees keys 0 to i */
} habitat_attention_shape;

/* Shape of recurrent layers. */
typedef struct habitat_rnn_shape {
    double gates;         /* LSTM 4, GRU 3, RNN 1 */
    double batch, steps;  /* steps: length of the sequence */
    double input, hidden; /* numbers a step */
    double layers;        /* one on top of the other */
    bool bidirectional;
    bool packed;      /* sequences of several lengths, one after another; `steps` is their mean */
    double projected; /* numbers that an LSTM's state is projected to each step; 0: it is not */
} habitat_rnn_shape;

/* Shape of a softmax, norm or reduction: rows of `columns` elements. */
typedef struct habitat_rows_shape {
    double rows, columns;
} habitat_rows_shape;

/* Lists of tensors that one call goes through: kernels that it launches, elements of all tensors,
 * and the sum over launches of the elements that their busiest block takes. 1 and 0 where the
 * tensors are not known one by one. */
typedef struct habitat_list_shape {
    double launches, elements, longest;
} habitat_list_shape;

/* What one operation does. Numbers that cannot be told are NaN; `known` says whether flop and bytes
 * could be counted. */
typedef struct habitat_work {
    habitat_class op_class;
    habitat_pass pass;
    bool known;                  /* flop and bytes are numbers */
    bool varying;                /* kernel-varying: the library picks kernels per architecture */
    bool by_place;               /* element-wise: operands differ in order, size or format, so that
                                  * each element's places are worked out by themselves */
    bool by_column;              /* REDUCE, and CONV of its bias's gradient: neighbours in memory
                                  * belong to different sums */
    bool windowed;               /* POOL: of images, windows of one size */
    bool channels_last;          /* NORM: batch norm whose channels are neighbours */
    bool own_norm;               /* NORM: trained batch norm without weights, in order (an instance
                                  * norm): the framework's own kernels in every format */
    habitat_dtype dtype;         /* of the tensors; UNKNOWN not known */
    double scaled_images;        /* NORM: images or rows of a forward batch norm that is given
                                  * statistics; 0: of none */
    double images;               /* NORM: of a batch norm; 0: rows, an element a channel */
    double planes;               /* ELEMENTWISE, EMBEDDING: of a tensor in order that is resampled
                                  * by weights, images times channels: each pixel's thread goes
                                  * through them; 0 of all else */
    double flop;                 /* of all its kernels; NaN unknown */
    double read_bytes;           /* from device memory; NaN unknown */
    double write_bytes;          /* to it; NaN unknown */
    union {                      /* by op_class; all zero where the shape is not known */
        habitat_gemm_shape gemm; /* GEMM, BMM */
        habitat_conv_shape conv; /* CONV */
        habitat_attention_shape attention; /* ATTENTION */
        habitat_rnn_shape rnn;             /* RNN */
        habitat_rows_shape rows; /* SOFTMAX, NORM, REDUCE, ELEMENTWISE and COPY (rows = 1) */
        habitat_list_shape list; /* OPTIMIZER; its first two as rows and columns */
    } shape;
    habitat_host_memory host_memory; /* COPY: between it and the GPU; NONE of all else */
    char
        kind[24]; /* what exactly: "mm", "relu", "layer_norm", "sdpa_flash", "adam"; may be empty */
} habitat_work;

/** Work of one recorded operation from its own name, inputs and arguments.
 * @param op  operation with its inputs; borrowed.
 * @param out receives the work; untouched on error.
 * @return HABITAT_OK (known = false when the operation is recognised but shapes are missing);
 *         HABITAT_E_UNSUPPORTED (nothing is known of an operation of this name); HABITAT_E_RANGE
 *         for negative sizes; HABITAT_E_ARG.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_operation_work(const habitat_operation *op, habitat_work *out);

/** The same for operations on lists of tensors, whose number format traces do not record.
 * @param op         operation with its inputs; borrowed.
 * @param list_dtype format of listed tensors, for example from habitat_kernel_tensor_dtype() of a
 *                   kernel the operation launched; UNKNOWN leaves such work uncounted.
 * @param out        receives the result; untouched on failure.
 * @return as habitat_operation_work(); HABITAT_E_RANGE for negative sizes.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_operation_work_typed(const habitat_operation *op,
                                                        habitat_dtype list_dtype,
                                                        habitat_work *out);

/** Work of a kernel that has no operation (or whose operation is unknown), from its name, kind,
 * copied bytes and counters only: class, and bytes for copies and sets.
 * @param kernel borrowed.
 * @param out    receives the work; untouched on error.
 * @return HABITAT_OK; HABITAT_E_ARG (NULL).
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_kernel_work(const habitat_kernel *kernel, habitat_work *out);

/* What is known of one kernel, and the timing formulas need. */
typedef struct habitat_kernel_facts {
    double time_ns;          /* measured on the origin, >= 0 */
    uint64_t blocks;         /* grid size; 0 = unknown */
    double flop;             /* NaN = unknown */
    double bytes;            /* DRAM bytes, read + write; NaN = unknown */
    habitat_dtype dtype : 8; /* arithmetic */
    bool matrix_unit;        /* runs on matrix units */
} habitat_kernel_facts;

/** The arithmetic a kernel really computes in, told from its name and its operation's tensors: a
 * matrix kernel whose name says tf32/s1688/hmma on fp32 tensors gives TF32, on bf16 BF16, a
 * sgemm/ffma kernel FP32.
 * @param kernel_name borrowed; as recorded.
 * @param work        of its operation, borrowed; may be NULL.
 * @param matrix_unit receives true if it runs on matrix units.
 * @return plain fp32 where neither tells.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_dtype habitat_kernel_arithmetic(const char *kernel_name,
                                                    const habitat_work *work, bool *matrix_unit);

/** Number format of the tensors a kernel works on, from the types in its name.
 * @param kernel_name as recorded.
 * @return UNKNOWN if the name holds none; for copies a format of the right size.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_dtype habitat_kernel_tensor_dtype(const char *kernel_name);

/** Work of a matrix product given by its parameters, without a trace (for models and tests;
 * questions in words: habitat_operation_from_words()): flop, bytes, class and shape. Gradients of
 * products are products of their own.
 * @param shape borrowed; its sizes are not checked against each other.
 * @param dtype number format of the tensors.
 * @param out   receives the work; untouched on error.
 * @return HABITAT_OK; HABITAT_E_ARG for NULL, a format or pass that is none, sizes that are not
 *         positive and finite.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_work_gemm(const habitat_gemm_shape *shape, habitat_dtype dtype,
                                             habitat_work *out);

/** The same of a convolution.
 * @param shape sizes.
 * @param dtype number format of the tensors.
 * @param pass  part of the training step.
 * @param out   receives the result; untouched on failure.
 * @return as habitat_work_gemm().
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_work_conv(const habitat_conv_shape *shape, habitat_dtype dtype,
                                             habitat_pass pass, habitat_work *out);

/** The same of an attention.
 * @param shape sizes.
 * @param dtype number format of the tensors.
 * @param pass  part of the training step.
 * @param out   receives the result; untouched on failure.
 * @return as habitat_work_gemm().
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_work_attention(const habitat_attention_shape *shape,
                                                  habitat_dtype dtype, habitat_pass pass,
                                                  habitat_work *out);

/** The same of a recurrent layer.
 * @param shape sizes.
 * @param dtype number format of the tensors.
 * @param pass  part of the training step.
 * @param out   receives the result; untouched on failure.
 * @return as habitat_work_gemm().
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_work_rnn(const habitat_rnn_shape *shape, habitat_dtype dtype,
                                            habitat_pass pass, habitat_work *out);

/** The same of an operation on rows or on single elements.
 * @param kind  "softmax", "layer_norm", "batch_norm", "sum", ... (rows); "add", "relu", "gelu", ...
 *              (elementwise: columns elements, rows = 1), "dropout", "copy" (contiguous, same
 *              format).
 * @param shape sizes.
 * @param dtype number format of the tensors.
 * @param pass  part of the training step.
 * @param out   receives the result; untouched on failure.
 * @return as habitat_work_gemm(); HABITAT_E_UNSUPPORTED for an unknown kind.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_work_rows(const char *kind, const habitat_rows_shape *shape,
                                             habitat_dtype dtype, habitat_pass pass,
                                             habitat_work *out);

#endif /* ---- end of the experimental half ---- */

#ifdef __cplusplus
}
#endif
#endif
