/* GPUs: rates and memory that nobody measured, parts of one chip, and what `habitat gpus --check`
 * and recordings doubt. */
#ifndef HABITAT_BASE_CONSTANTS_GPUS_H
#define HABITAT_BASE_CONSTANTS_GPUS_H

#include "base/constant.h"

/* clang-format off */

/* ---- rates that nobody measured: tables in gpu/sustained.c ---- */
CONSTANT(hardware, width_of_energies, 512, "multiply-adds in 16 bit, a clock and SM", "matrix units that the table of energies is of; docs/gpus.md#the-rule-for-estimates")
CONSTANT(fitted, width_exponent, 0.38, "power", "wider matrix units load operands for more work: each doubling buys 1.3 times as much a joule; tools/fit_rates.py, docs/gpus.md#the-rule-for-estimates")
CONSTANT(fitted, matrix_clock_gain, 1.10, "of the peak", "as width_exponent: boards without ECC run above the boost clock that is printed; on others it is the highest")
CONSTANT(fitted, plain_clock_gain, 1.04, "of the peak", "as matrix_clock_gain, on lanes")
CONSTANT(fitted, matrix_power_exponent, 0.43, "power", "as width_exponent: lower clocks take lower voltage, so that a board of half the power is not half as fast")
CONSTANT(fitted, plain_power_exponent, 1.0, "power", "as width_exponent: lanes bind on low-power boards alone, which are at their lowest voltage")
CONSTANT(fitted, matrix_rate_share, 0.96, "of the peak", "as width_exponent: what large products reach where power does not bind")
CONSTANT(fitted, matrix_rate_share_rocm, 0.65, "of the peak", "as matrix_rate_share: rocBLAS and hipBLASLt")
CONSTANT(chosen, few_lanes_share, 0.95, "of the peak", "fp64 of one lane for 32 or 64 of fp32: assumed, nothing else binds; docs/gpus.md#the-rule-for-estimates")
CONSTANT(chosen, lanes_share_20_nm, 0.85, "of the peak", "as few_lanes_share: 20 nm and older, assumed")
CONSTANT(fitted, lanes_share_spare, 0.92, "of the peak", "as width_exponent: 64 lanes an SM leave half of the instruction slots to loads")
CONSTANT(fitted, lanes_share_two, 0.87, "of the peak", "as width_exponent: 128 lanes with two instructions a clock, before Volta")
CONSTANT(fitted, lanes_share_pairs, 0.89, "of the peak", "as width_exponent: compute capability 10.x, whose instructions do pairs")
CONSTANT(fitted, lanes_share_hbm, 0.77, "of the peak", "as width_exponent: 128 lanes with one instruction a clock")
CONSTANT(fitted, lanes_share_graphics, 0.67, "of the peak", "as lanes_share_hbm: what fills them by graphics memory has less of everything else an SM needs")

/* ---- usable memory ---- */
CONSTANT(fitted, usable_share, 0.99, "of the memory as sold", "what CUDA reports of 50 parts, all within 0.8 % but four of them; docs/gpus.md#usable-memory, docs/decisions/0123")
CONSTANT(fitted, usable_share_newer, 0.993, "of the memory as sold", "as usable_share: graphics memory from compute capability 7.5 on")
CONSTANT(fitted, usable_kept_newer_mib, 340, "MiB", "as usable_share_newer: what is kept back beside")
CONSTANT(fitted, usable_kept_amd_mib, 16, "MiB", "as usable_share: AMD")
CONSTANT(hardware, usable_checked_share, 0.9375, "of the memory", "15 of 16: check bits in graphics memory take a sixteenth; docs/gpus.md#usable-memory")

/* ---- parts of one chip ---- */
CONSTANT(chosen, kin_power, 0.05, "of the power", "boards of one chip are sold 5 to 10 W apart; docs/gpus.md#parts-of-one-chip")
CONSTANT(chosen, kin_clock, 0.001, "of the boost clock", "data sheets say 1328 and 1329 MHz of the same clock; docs/gpus.md#parts-of-one-chip")
CONSTANT(chosen, kin_power_end, 0.07, "of the power", "no kin from here on; docs/decisions/0612")
CONSTANT(chosen, kin_clock_end, 0.015, "of the boost clock", "as kin_power_end")

/* ---- the device of a recording ---- */
CONSTANT(chosen, told_memory_least, 0.865, "of the memory as sold", "drivers keep some back and inline ECC takes a sixteenth; the least seen of a whole GPU is 87.0 %, a MIG slice has at most half; docs/decisions/0123")
CONSTANT(chosen, told_memory_most, 1.03, "of the memory as sold", "as told_memory_least")

/* ---- what `habitat gpus --check` doubts ---- */
CONSTANT(chosen, doubt_peak_apart, 0.03, "of a peak", "SMs x lanes x clock, and ratios of formats, as data sheets round them")
CONSTANT(chosen, doubt_half_least, 0.97, "of twice the plain fp32 peak", "as doubt_peak_apart: matrix units in fp16 have that at least")
CONSTANT(chosen, doubt_memory_most, 1.03, "of the memory as sold", "as told_memory_most")
CONSTANT(chosen, doubt_memory_least, 0.85, "of the memory as sold", "as told_memory_least, a little wider: a file is doubted, a recording refused")
CONSTANT(chosen, doubt_sustained_least, 0.2, "of the nominal rate", "less is likelier a rate in another unit")
CONSTANT(chosen, doubt_l2_most, 0.01, "of the memory", "more is likelier a size in another unit")
CONSTANT(chosen, doubt_rate_most, 1.2, "of the peak", "boards without ECC run above the printed clock, measured up to 1.17 of the peak")
CONSTANT(chosen, doubt_rate_most_checked, 1.03, "of the peak", "server boards end at it, measured up to 1.00")
CONSTANT(chosen, doubt_lane_apart, 0.05, "of 1, 2, 4 or 8 GB/s", "a lane of PCIe generations 3 to 6 carries about so much each way")

/* clang-format on */

#endif
