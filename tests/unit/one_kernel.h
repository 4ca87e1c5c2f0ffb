/* The timing formulas of src/formula/formula.h for one kernel: from a measured time on the origin
 * and facts about both GPUs to a time on the destination, with hand-worked values in test_wave.c
 * and test_roofline.c. Predictions use the same formulas in src/predict. */
#ifndef HABITAT_TESTS_ONE_KERNEL_H
#define HABITAT_TESTS_ONE_KERNEL_H

#include <stdbool.h>

#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/gpu.h>
#include <habitat/work.h>
#include <habitat/workload.h>

/* habitat_kernel_facts of a kernel, and its launch. */
typedef struct one_kernel {
    double time_ns;
    uint64_t blocks;       /* 0 = unknown */
    habitat_launch launch; /* threads_per_block 0 = unknown */
    double flop, bytes;    /* NaN = unknown */
    habitat_dtype dtype;
    bool matrix_unit;
} one_kernel;

/* How a kernel of a trace is launched. */
static inline habitat_launch one_kernel_launch(const habitat_kernel *kernel) {
    const habitat_kernel_form *form = kernel->form;
    return (habitat_launch){form->block[0] * form->block[1] * form->block[2],
                            form->registers_per_thread, form->shared_memory_bytes};
}

/** Exponent of memory-boundedness g of wave scaling on the destination:
 *      g = 1 - x / (2 R)  for x < R,   g = R / (2 x)  otherwise;
 *  x = flop / bytes, R = destination's peak flop/s over its bandwidth.
 * @param kernel flop, bytes, dtype, matrix_unit are used.
 * @param dest   destination, borrowed; peak rates.
 * @param out    receives g in (0, 1]; 1 when x is unknown.
 * @return HABITAT_OK; HABITAT_E_NO_SPEC (no peak for the kernel's arithmetic, and x known).
 * @source the paper, section 4.2 (its "gamma"). @since 0.1 */
habitat_status habitat_wave_exponent(const one_kernel *kernel, const habitat_gpu *dest,
                                     double *out);

/** Wave scaling, equation 1:
 *      T_d = ceil(B/W_d) (D_o/D_d W_d/W_o)^g (C_o/C_d)^(1-g) / ceil(B/W_o) T_o.
 * @param kernel the kernel as measured on `origin`; blocks and launch must be known.
 * @param g      exponent, 0..1.
 * @param out_ns T_d [ns]; untouched on error.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_UNSUPPORTED (blocks unknown);
 *         HABITAT_E_NOT_RESIDENT (a block does not fit on one of the GPUs);
 *         HABITAT_E_NO_SPEC. @source the paper, equation 1. @since 0.1 */
habitat_status habitat_wave_time(const one_kernel *kernel, const habitat_gpu *origin,
                                 const habitat_gpu *dest, double g, double *out_ns);

/** Wave scaling for many waves, equation 2:
 *      T_d = (D_o/D_d)^g (W_o/W_d)^(1-g) (C_o/C_d)^(1-g) T_o.
 * @return as habitat_wave_time(). @source the paper, equation 2. @since 0.1 */
habitat_status habitat_wave_large_time(const one_kernel *kernel, const habitat_gpu *origin,
                                       const habitat_gpu *dest, double g, double *out_ns);

/** Peak-FLOP heuristic: T_d = F_o/F_d T_o, F the peak of the kernel's arithmetic (matrix or plain).
 * Where the destination lacks that arithmetic (tf32 on a V100), the rate such an operation falls
 * back to is used; see docs/formulas.md#flops.
 * @return HABITAT_OK; HABITAT_E_NO_SPEC. @since 0.1 */
habitat_status habitat_flops_time(const one_kernel *kernel, const habitat_gpu *origin,
                                  const habitat_gpu *dest, double *out_ns);

/** Bandwidth heuristic: T_d = D_o/D_d T_o. @return HABITAT_OK; HABITAT_E_NO_SPEC. @since 0.1 */
habitat_status habitat_bandwidth_time(const one_kernel *kernel, const habitat_gpu *origin,
                                      const habitat_gpu *dest, double *out_ns);

/** Roofline heuristic: T_d = r_d/r_o T_o with r = max(flop / F, bytes / D). With unknown flop and
 * bytes: the bandwidth heuristic.
 * @param sustained use sustained rates in place of spec-sheet peaks.
 * @return HABITAT_OK; HABITAT_E_NO_SPEC. @source Williams et al., CACM 52(4), 2009. @since 0.1 */
habitat_status habitat_roofline_time(const one_kernel *kernel, const habitat_gpu *origin,
                                     const habitat_gpu *dest, bool sustained, double *out_ns);

#endif
