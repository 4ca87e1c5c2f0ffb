/* The table of hardware metrics, for counters.c. */
#ifndef HABITAT_RECORDER_COUNTER_METRICS_H
#define HABITAT_RECORDER_COUNTER_METRICS_H

/* What is written, in order, and the hardware metrics each is a sum of, with their weight. An FMA
 * instruction counts 2 operations; HFMA2 is counted twice by the hardware counter itself. The
 * tensor metrics count operations, not instructions. Metric names differ by chip: those a chip does
 * not have are left out of the sum; an output none of whose metrics exist is not written. */
static const struct {
    const char *output;
    const char *metric;
    double weight;
} metric_table[] = {
    {"dram read bytes", "dram__bytes_read", 1},
    {"dram write bytes", "dram__bytes_write", 1},
    {"flop fp32", "sm__sass_thread_inst_executed_op_fadd_pred_on", 1},
    {"flop fp32", "sm__sass_thread_inst_executed_op_fmul_pred_on", 1},
    {"flop fp32", "sm__sass_thread_inst_executed_op_ffma_pred_on", 2},
    {"flop fp32", "sm__sass_thread_inst_executed_op_fadd2_pred_on", 2},
    {"flop fp32", "sm__sass_thread_inst_executed_op_fmul2_pred_on", 2},
    {"flop fp32", "sm__sass_thread_inst_executed_op_ffma2_pred_on", 4},
    /* half instructions work on two numbers: known work on a GH100 gave half with weights 1, 1, 2
     */
    {"flop fp16", "sm__sass_thread_inst_executed_op_hadd_pred_on", 2},
    {"flop fp16", "sm__sass_thread_inst_executed_op_hmul_pred_on", 2},
    {"flop fp16", "sm__sass_thread_inst_executed_op_hfma_pred_on", 4},
    {"flop fp64", "sm__sass_thread_inst_executed_op_dadd_pred_on", 1},
    {"flop fp64", "sm__sass_thread_inst_executed_op_dmul_pred_on", 1},
    {"flop fp64", "sm__sass_thread_inst_executed_op_dfma_pred_on", 2},
    {"flop tensor fp16", "sm__ops_path_tensor_src_fp16", 1},
    {"flop tensor fp16", "sm__ops_path_tensor_src_fp16_dst_fp16", 1},
    {"flop tensor fp16", "sm__ops_path_tensor_src_fp16_dst_fp32", 1},
    {"flop tensor fp16", "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32", 1},
    {"flop tensor bf16", "sm__ops_path_tensor_src_bf16_dst_fp32", 1},
    {"flop tensor tf32", "sm__ops_path_tensor_src_tf32_dst_fp32", 1},
    {"flop tensor fp64", "sm__ops_path_tensor_src_fp64", 1},
    {"flop tensor fp8", "sm__ops_path_tensor_src_fp8", 1},
    {"flop tensor fp8", "sm__ops_path_tensor_src_fp8_dst_fp16", 1},
    {"flop tensor fp8", "sm__ops_path_tensor_src_fp8_dst_fp32", 1},
    {"flop tensor fp8", "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16", 1},
    {"flop tensor fp8", "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32", 1},
    {"op tensor int8", "sm__ops_path_tensor_src_int8", 1},
};

#endif
