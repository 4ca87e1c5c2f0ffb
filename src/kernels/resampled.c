/* PyTorch's kernels for tensors in order (aten/src/ATen/native/cuda/UpSampleBilinear2d.cu and its
 * UpSampleLinear1d.cu) have a thread for each pixel of the picture that is made. It works out once
 * where its neighbours are and then goes through all images and channels, one after the other:
 * small pictures of many channels leave most of a GPU idle. */
#include "kernels/resampled.h"

#include <math.h>

#include "base/constants_kernels.h"
#include "gpu/gpu.h"

bool resampled_told(const habitat_work *work, const habitat_gpu *gpu) {
    return work->planes > 0 && work->known && gpu->sm_count > 0 && gpu->l2_bytes > 0 &&
           gpu->limits.threads_per_sm > 0 && gpu->boost_clock_hz > 0;
}

double resampled_s(const habitat_work *work, const habitat_gpu *gpu, double roof_s) {
    bool backward = work->pass == HABITAT_PASS_BACKWARD;
    double element = (double)habitat_dtype_bytes(work->dtype);
    double given =
        backward ? work->write_bytes : work->read_bytes; /* of the picture sampled from */
    double made = backward ? work->read_bytes : work->write_bytes;
    double pixels = made / element / work->planes, picture = given / work->planes;
    double blocks = ceil(pixels / hardware_resampled_block);
    double resident = fmax(floor(gpu->limits.threads_per_sm / hardware_resampled_block), 1);
    double turns = ceil(blocks / gpu->sm_count), waves = ceil(turns / resident);
    double missed = fmin(made / gpu->l2_bytes, 1);
    double step = picture < hardware_sector_bytes
                      ? fitted_resampled_near_cycles
                      : fitted_resampled_cycles + fitted_resampled_missed_cycles * missed;
    double cycles = turns * fitted_resampled_block_cycles + waves * work->planes * step;
    return fmax(cycles / gpu->boost_clock_hz, roof_s);
}
