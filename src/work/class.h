/* The class table: what is true of every operation of a class, one row a class (class.c). Code that
 * asks for such a fact asks the table; it does not list classes. Facts of the operator models,
 * which have classes of their own, are in operator/class.c. */
#ifndef HABITAT_WORK_CLASS_H
#define HABITAT_WORK_CLASS_H

#include <habitat/work.h>

/* Which member of habitat_work.shape a class fills. */
typedef enum class_shape {
    CLASS_SHAPE_ROWS = 0, /* also of classes that have no shape: all zero */
    CLASS_SHAPE_GEMM,
    CLASS_SHAPE_CONV,
    CLASS_SHAPE_ATTENTION,
    CLASS_SHAPE_RNN,
} class_shape;

typedef struct class_facts {
    const char *heading; /* of a column of a report; NULL = the name */
    class_shape shape;
    /* The library picks its kernels by architecture, so that one GPU's kernel says little of
     * another's ("kernel-varying" in the paper). */
    bool varying;
    /* Sums of products, which matrix units compute, for long on few bytes. */
    bool product;
    /* Its kernels go through tensors of one shape element by element. A kernel of no known class is
     * taken for such a one. */
    bool by_element;
    /* Threads of its kernels do not wait for each other: while some wait for memory, others go on
     * with their instructions. (Sums, norms and soft-max hand numbers from thread to thread.) */
    bool overlaps;
    /* A kernel's name may say the number format that it computes in. True of products, and of
     * kernels of no known class: a name is all that is known of them. */
    bool arithmetic_by_name;
    /* Computed in floating point alone: libraries have no kernels of it for integers. */
    bool floating;
    /* PyTorch lets fp32 tensors of this class be computed in TF32 unless told otherwise
     * (torch.backends.cudnn.allow_tf32 is true, ...cuda.matmul.allow_tf32 is false). */
    bool tf32_by_default;
} class_facts;

/* Facts of a class; those of OTHER for a number that is no class. */
const class_facts *class_of(habitat_class op_class);

/* Names of classes; values: habitat_class. */
extern const struct vocabulary habitat_classes; /* base/words.h */

#endif
