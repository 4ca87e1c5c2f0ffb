/* Inside of a workload: what is worked out once per trace, so that a destination costs a few
 * multiplications a kernel. */
#ifndef HABITAT_WORKLOAD_WORKLOAD_H
#define HABITAT_WORKLOAD_WORKLOAD_H

#include <habitat/memory.h>
#include <habitat/workload.h>

#include "base/arena.h"

/* What a step was recorded in. */
typedef struct recorded_format {
    habitat_precision precision; /* RECORDED: none that has a name, or nothing tells */
    habitat_dtype half;          /* fp16 or bf16: everything is, weights too; else UNKNOWN */
} recorded_format;

/* A format of 16 bits that the recording notes, of autocast or of its parameters, and in which none
 * of its products is computed: that note is not believed. */
typedef struct format_doubt {
    bool autocast, parameters;  /* which is not */
    habitat_dtype noted, shown; /* the first of these, and what most products are computed in */
} format_doubt;

/* More than the GPUs of any host. */
enum { WORKLOAD_DEVICES_MAX = 64 };

/* What the recording's rank shares with others, the most of it last. */
typedef enum ranks_share {
    RANKS_SHARE_GRADIENTS, /* each has a batch of its own; or it trains alone */
    RANKS_SHARE_PARTS,     /* the same, and weights, states or tables are in parts */
    RANKS_SHARE_BATCH,     /* all work on one batch */
} ranks_share;

/* What the CPU needs for an operation that was recorded without a GPU: cpu_table.h. */
typedef struct cpu_need {
    double launch_s; /* until it launches its kernel */
    double after_s;  /* for the gradients that it adds to their parameters */
} cpu_need;

struct habitat_workload {
    const habitat_trace *trace;
    uint32_t device; /* whose kernels it holds, unless all_devices */
    const habitat_gpu *origin;
    habitat_workload_info info;
    habitat_workload_kernel *kernels; /* shape (kernel_count) */
    size_t kernel_count;
    habitat_workload_group *groups; /* shape (group_count) */
    size_t group_count;
    uint32_t *group_index;    /* shape (kernel_count): kernels in the order of their groups */
    habitat_launch *launches; /* shape (launch_count): distinct launch configurations */
    size_t launch_count;
    uint64_t *origin_waves; /* shape (launch_count): blocks resident on the whole GPU; 0 = none */
    uint64_t kernel_ns;     /* sum over kernels of all iterations: exact */
    uint64_t copy_ns;       /* the same over copies and sets */
    uint64_t busy_ns;       /* with overlapping kernels counted once */
    uint32_t *parts;        /* overlap.c: shape (part_count) */
    uint32_t *edges;        /* shape (2 part_count), in the order of time */
    size_t part_count;      /* 0: no two kernels run at the same time */
    size_t outside_count;   /* kernels of the main device outside every iteration */
    size_t earlier_count;   /* those launched before the recording began; not among the former */
    uint64_t earlier_ns;    /* their sum, copies and all */
    double low_share, high_share; /* 80 % interval of the origin's iteration, over its median */
    size_t collective_count;
    const uint64_t *taken_ns; /* shape (kernels of the trace), borrowed while the workload is made:
                                 of one of several ranks, see workload_create_rank() */
    bool is_rank;
    ranks_share share;
    bool lacks_arguments; /* of layers whose sizes are not told by their tensors alone */
    bool one_batch;       /* a rank, or devices, that work on one batch with the others */
    bool all_devices;     /* kernels of all of driven[], see workload_create_all() */
    uint32_t driven[WORKLOAD_DEVICES_MAX]; /* shape (driven_count) */
    size_t driven_count;    /* devices that one program drives together; 0: it is one alone */
    size_t unsized_count;   /* collectives of which nothing says what their message needs */
    uint64_t collective_ns; /* sum over collectives, waiting included */
    uint64_t waiting_ns;    /* of that, waiting for other GPUs */
    const habitat_workload *recorded; /* what it was scaled from; NULL: it is as recorded */
    uint64_t batch_size;              /* 0 = unknown */
    habitat_precision precision;
    recorded_format format; /* it was recorded in */
    format_doubt doubt;     /* about what is noted of that */
    double scale_sigma;     /* what scaling adds to errors, in log(time); 0 = as recorded */
    size_t left_out_count;  /* operations without a GPU whose work nobody knows: their time is
                               missing */
    const cpu_need *cpu;    /* shape (kernel_count): recorded without a GPU, of each operation; else
                               NULL. In the arena of the workload that it was scaled from */
    double scale_slow;   /* share by which all may take longer, where kernels that nobody measured
                            took the place of recorded ones */
    habitat_arena arena; /* warnings; operations and kernels that scaling made */
    const char **warnings;
    size_t warning_count;
    size_t doubt_count;     /* of the first of them: what is noted and not believed */
    habitat_memory *memory; /* NULL: without a trace */
};

/* The workload of one of several recorded ranks. taken_ns: shape (kernels of the trace), what each
 * takes of its recorded time, its last part. Collectives are the messages, without the waiting for
 * other ranks before them: whoever puts the ranks together knows when a message can begin. */
habitat_status workload_create_rank(const habitat_trace *trace, const habitat_gpu *origin,
                                    const uint64_t *taken_ns, habitat_workload **out,
                                    habitat_error *err);

/* The workload of the devices of a recording that one program drives: kernels of the first device,
 * then of the second. busy_ms is that of the busiest; memory, which is of one GPU, is not known. */
habitat_status workload_create_all(const habitat_trace *trace, const habitat_gpu *origin,
                                   habitat_workload **out, habitat_error *err);

/* The workload of device `device`. */
habitat_status workload_create_device(const habitat_trace *trace, const habitat_gpu *origin,
                                      uint32_t device, habitat_workload **out, habitat_error *err);

/* Copies and sets: on the GPU's time, but no kernels. */
static inline bool habitat_is_copy(const habitat_kernel *kernel) {
    return kernel->form->kind == HABITAT_KERNEL_MEMCPY ||
           kernel->form->kind == HABITAT_KERNEL_MEMSET;
}

/* The kernel of an operation that multiplies matrices, not one that helps it. */
static inline bool workload_is_product(const habitat_workload_kernel *kernel) {
    return kernel->main && habitat_class_is_product(kernel->op_class);
}

/* Whether the kernel's device is one of those that one program drives. */
static inline bool workload_drives(const habitat_workload *w, const habitat_kernel *kernel) {
    for (size_t i = 0; i < w->driven_count; i++)
        if (w->driven[i] == kernel->form->device)
            return true;
    return false;
}

/* Whether kernels of that device are the workload's. */
static inline bool workload_holds(const habitat_workload *w, const habitat_kernel *kernel) {
    return w->all_devices ? workload_drives(w, kernel) : kernel->form->device == w->device;
}

/* Whether not one operation's sizes were recorded, as torch.profiler does unless asked, or those of
 * convolutions and recurrent layers cannot be told without their arguments: what names, grids and
 * times say of them counts. Where some were, the others have none for a reason. */
static inline bool workload_lacks_shapes(const habitat_workload *w) {
    return w && w->trace && w->origin &&
           (w->lacks_arguments || !habitat_trace_get_info(w->trace)->has_shapes);
}

/* Of a trace that was recorded without a GPU: operations with shapes, each with one kernel that
 * stands for all of its own and that nobody timed. */
static inline bool workload_is_untimed(const habitat_workload *w) {
    return w->trace && !w->origin;
}

/* What the recording says, whatever became of its kernels since. */
static inline const habitat_workload_info *workload_recorded_info(const habitat_workload *w) {
    return w->recorded ? &w->recorded->info : &w->info;
}

/* Of another batch size or precision than recorded. */
static inline bool workload_is_scaled(const habitat_workload *w) {
    return w->recorded && (w->batch_size != w->recorded->batch_size || w->precision);
}

#endif
