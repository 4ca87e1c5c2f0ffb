/* Several GPUs: docs/iteration.md#several-gpus. */
#ifndef HABITAT_BASE_CONSTANTS_PARALLEL_H
#define HABITAT_BASE_CONSTANTS_PARALLEL_H

#include "base/constant.h"

/* clang-format off */

/* ---- links, roughly ---- */
CONSTANT(fitted, link_efficiency, 0.70, "of one direction of the link",
         "bus bandwidth of NCCL with large messages: A100 over NVLink 0.64 to 0.74, H200 0.71 (2 GPUs), "
         "L40S over PCIe 0.63 (2 GPUs), GTX 1080 Ti 0.76 (2) to 0.55 (8)")
CONSTANT(fitted, collective_latency_ns_per_gpu, 2000.0, "ns a GPU",
         "smallest all-reduce: 6, 9 and 15 us on 2, 4 and 8 H200, 10, 14 and 21 us on A100")

/* ---- rings, networks, buckets and ranks ---- */
CONSTANT(fitted, ring_efficiency, 0.86, "of one direction of NVLink",
         "all-reduces of collectives.csv.gz (nccl, fp16, A100 and H200 on NVSwitch), together with ring_fill_root_ns")
CONSTANT(fitted, ring_fill_root_ns, 145.5, "ns a root of ns",
         "as ring_efficiency: 4.6 us a root of us; what a message costs beside its bytes grows with their root")
CONSTANT(fitted, ring_efficiency_pcie, 0.66, "of one direction of PCIe",
         "two L40S, 1080 Ti and Titan Xp of collectives.csv.gz: 0.64 to 0.78; four to eight reach 0.05 to 0.7 by host")
CONSTANT(chosen, host_gpus, 8.0, "GPUs of a host",
         "the boards of DGX and HGX; more do not share one host, and the link between them is unknown")
CONSTANT(chosen, network_bytes_per_s, 12.5e9, "byte/s a host",
         "100 Gbit/s; the clusters of collectives.csv.gz reach 5 to 22e9; a recording cannot say")
CONSTANT(chosen, network_latency_ns, 20000.0, "ns a doubling of the hosts",
         "small all-reduces between hosts of collectives.csv.gz take 40 to 90 us longer than within one")
CONSTANT(fitted, beside_collective, 0.25, "of the time shared",
         "kernels beside NCCL's in the traces of two H200s take 0.13 to 0.37 longer, median 0.25, beside messages that outlast them; docs/decisions/0156")
CONSTANT(fitted, beside_quick_collective, 0.7, "of the time shared",
         "what two H200s add to 20 steps that the GPU binds (0.65 to 0.75 alike), full-size steps left out; docs/decisions/0536")
CONSTANT(chosen, parallel_doubt, 0.75, "of what several GPUs add", "over PCIe and networks, of which no steps were measured: twice that of NVLink")
CONSTANT(fitted, quick_parallel_doubt, 0.35, "of what several GPUs add",
         "24 GPU-bound steps of two and four H200s: what they add is 0.87 to 1.31 times as long as predicted (10 and 90 %); docs/decisions/0536")
CONSTANT(chosen, message_end_spread_ns, 1e6, "ns",
         "all-reduces of ten steps of two H200s end 0.1 ms apart at most on the two; of different steps, several ms")
CONSTANT(chosen, slow_rank_share, 0.01, "of the iteration",
         "a rank is called slow from here on: what other GPUs do nothing but wait, less what its own does")
CONSTANT(chosen, waited_share, 0.02, "of a kernel's time", "a message waited beside it from here on: ranks never come to a message at once; workload/ranks_beside.c, docs/decisions/0455")
CONSTANT(chosen, device_least_share, 0.01, "of the busiest device's kernel time",
         "a device of one program counts as one that it drives from here on; below it a stray fill or check would be a GPU to pay for")
CONSTANT(chosen, parts_doubt, 0.05, "of the iteration, either way",
         "weights in parts: six steps of two H200s that the GPU bound, 1.5 to 4.6 % off; docs/decisions/0556")
CONSTANT(chosen, parts_passes_share, 1.15, "of weights, gradients and states",
         "weights in parts: a larger peak is of the forward and backward pass, a smaller one may be of the optimiser's step, when autocast's copies are gone")
CONSTANT(chosen, parts_memory_doubt, 0.05, "of the peak", "weights in parts: 18 peaks of two H200s, 2 % too small to 9 % too large; docs/decisions/0556")
CONSTANT(hardware, bucket_first_bytes, 1048576.0, "byte", "torch.nn.parallel.DistributedDataParallel, first bucket")
CONSTANT(hardware, bucket_bytes, 26214400.0, "byte", "torch.nn.parallel.DistributedDataParallel, bucket_cap_mb=25")
CONSTANT(hardware, bucket_fill_steps, 5.0, "usual steps of the CPU a gradient",
         "DistributedDataParallel's hook, its product and the launch: six recorded ranks of three models, 6.7 to 9.3 profiled steps, of which 0.6 stay without the profiler; docs/decisions/0340")
CONSTANT(hardware, bucket_return_steps, 3.0, "usual steps of the CPU a gradient or buffer", "as bucket_fill_steps, its copy back: 4.6 to 5.3")
CONSTANT(fitted, part_parameter_ns, 100000.0, "ns of the CPU a parameter and time that it is gathered or summed",
         "fully_shard's Python; twelve steps on two hosts of two H200s that it bound: 0.2 to 0.44 ms a parameter and iteration, three times; docs/decisions/0556")
CONSTANT(hardware, message_steps, 30.0, "usual steps of the CPU a message", "as bucket_fill_steps, of NCCL's own call, events and streams: 46 to 57")

/* clang-format on */

#endif
