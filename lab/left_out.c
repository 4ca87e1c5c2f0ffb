/* Which GPUs are left out together: one chip under several names. */
#include "lab/left_out.h"

const leave_out leave_outs[LEAVE_OUTS] = {
    {"P4", {"P4"}, 1},
    {"P100-PCIE-16GB", {"P100-PCIE-16GB"}, 1},
    {"V100-PCIE-32GB", {"V100-PCIE-32GB"}, 1},
    {"T4", {"T4"}, 1},
    {"A100", {"A100-PCIE-40GB", "A100-PCIE-80GB", "A100-SXM4-80GB"}, 3},
    {"H200-SXM5-141GB", {"H200-SXM5-141GB"}, 1},
    {"L40S", {"L40S"}, 1},
    {"B200-SXM-180GB", {"B200-SXM-180GB"}, 1},
};
