/* What a recording does not say, and how to record it. */
#include "report/trace_missing.h"

#include <math.h>

size_t trace_missing(const habitat_trace_info *t, bool gpu_known,
                     const habitat_memory_parts *memory, size_t module_count,
                     bool gradients_unsized, missing *out) {
    bool on_gpu = t->device_count > 0;
    const missing all[] = {
        {t->without_gpu ? "GPU kernels and times" : NULL,
         "predictions come from models of each operation alone; a recording on a GPU is nearer"},
        {!on_gpu && !t->without_gpu ? "GPU kernels" : NULL,
         "nothing can be predicted from it; record on a machine with a GPU, with GPU activities "
         "switched on"},
        {gpu_known || !on_gpu   ? NULL
         : t->device_facts.name ? "the GPU in the table"
                                : "the GPU's name",
         t->device_facts.name ? "add a file for it: --gpu-file, or see habitat-gpus(1)"
                              : "nothing can be predicted without it; say it with --from"},
        {t->iterations_by != HABITAT_ITERATIONS_WHOLE ? NULL : "marks of iterations",
         "the whole trace counts as one; where it holds several, say --nvtx-range NAME or "
         "--iterations N"},
        {t->has_operations ? NULL : "operations",
         "kernels are told apart by name alone; record a PyTorch script with `habitat record`"},
        {!t->has_operations || t->has_shapes ? NULL : "input shapes",
         "flop and bytes are unknown; record with record_shapes=True, as `habitat record` does"},
        {t->trace_unlinked_kernels == 0 ? NULL : "launch records of some kernels",
         "their operations are unknown; record CPU and GPU activities together"},
        {t->trace_dropped_records == 0 ? NULL : "records that the recorder lost",
         "the sum of kernels is too small; record fewer iterations"},
        {isfinite(t->iteration_ms) || isfinite(t->doubted_iteration_ms) || t->without_gpu
             ? NULL /* there, or told with the doubts */
             : "unprofiled iteration time",
         "the profiled one is slower; `habitat record` measures both"},
        {t->batch_size ? NULL : "batch size",
         "no throughput, no other batch sizes; say it with --recorded-batch N (`habitat record` "
         "notes it)"},
        {isfinite(t->peak_memory_bytes) || isfinite(t->doubted_peak_bytes) ||
                 isfinite(t->ungraphed_peak_bytes)
             ? NULL
             : "peak memory",
         isfinite(memory->peak_bytes)
             ? "it is estimated from shapes; `habitat record` notes it"
             : "whether it fits elsewhere is unknown; `habitat record` notes it"},
        {memory->twice_bytes > 0 ? "whether tables of words are weights of products, too" : NULL,
         "both are counted, and a model that shares them needs less; `habitat record` notes all "
         "weights"},
        {gradients_unsized ? "sizes of gradients" : NULL,
         "several GPUs that share them (--gpus N) have no answer; record with record_shapes=True"},
        {t->has_counters || !on_gpu ? NULL : "hardware counters",
         "arithmetic intensity comes from shapes; `habitat record --counters` measures it"},
        {!t->has_operations || module_count ? NULL : "modules",
         "--by module has one row; record with with_modules=True"},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && count < MISSING_MAX; i++)
        if (all[i].what)
            out[count++] = all[i];
    return count;
}
