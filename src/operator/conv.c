/* fp32 2-D convolutions. The library picks among three algorithms; the analytic time is the least
 * of theirs: implicit matrix product, fused Winograd F(2x2, 3x3), and Winograd F(4x4, 3x3) in
 * separate steps with its transformed tensors in memory. */
#include <math.h>

#include "operator/views.h"

/* clang-format off */
#define CONV_FEATURES(F) \
    F("implicit", RATES, operator_log(implicit / base, 0, 3)) \
    F("fused Winograd", RATES, winograd ? operator_log(fused / base, 0, 3) : 3) \
    F("separate Winograd", RATES, winograd ? operator_log(separate / base, 0, 3) : 3) \
    F("its product", RATES, operator_log(product / separate, -3, 0)) \
    F("compute/memory", RATES, operator_log(flop / rate / (bytes / bandwidth), -3, 6)) \
    F("log2 c_in", RATES, operator_log2(c_in, 0, 11)) \
    F("log2 c_out", RATES, operator_log2(c_out, 0, 11)) \
    F("log2 out", RATES, operator_log2(side, 0, 8)) \
    F("log2 batch", RATES, operator_log2(batch, 0, 7)) \
    F("multiples c_in", RATES, (fmod(c_in, 4) == 0) + (fmod(c_in, 32) == 0)) \
    F("multiples c_out", RATES, (fmod(c_out, 4) == 0) + (fmod(c_out, 32) == 0)) \
    F("use of 4", RATES, used(s->out[1], 4)) \
    F("use of 2", RATES, used(s->out[1], 2)) \
    F("c_out/32", RATES, used(c_out, 32)) \
    F("c_out/64", RATES, used(c_out, 64)) \
    F("c_out/128", RATES, used(c_out, 128)) \
    F("c_in/8", RATES, used(c_in, 8)) \
    F("waves 128x128", RATES, tile[0][0]) \
    F("filling 128x128", RATES, tile[0][1]) \
    F("waves 128x64", RATES, tile[1][0]) \
    F("filling 128x64", RATES, tile[1][1]) \
    F("waves 128x32", RATES, tile[2][0]) \
    F("filling 128x32", RATES, tile[2][1]) \
    F("waves separate", RATES, tile[SEPARATE][0]) \
    F("filling separate", RATES, tile[SEPARATE][1]) \
    F("waves fused", RATES, tile[FUSED][0]) \
    F("filling fused", RATES, tile[FUSED][1]) \
    F("use separate", RATES, tile[SEPARATE][2]) \
    F("bytes/L2", GPU, operator_log(bytes / gpu->l2_bytes, -5, 6)) \
    F("log2 units", GPU, log2(units)) \
    F("flop/byte rate", GPU, log(rate / bandwidth)) \
    F("kernel area", RATES, operator_log2(area, 0, 8))
/* clang-format on */
OPERATOR_FEATURES(operator_conv_features, CONV_FEATURES);

static const operator_tile implicit_tiles[] = {
    {128, 128, .75}, {128, 64, .70}, {128, 32, .62}, {64, 64, .55}};
static const operator_tile fused_tiles[] = {{32, 32, .62}, {64, 32, .65}};
static const operator_tile separate_tiles[] = {
    {128, 128, .9}, {128, 64, .85}, {64, 64, .75}, {128, 32, .7}};

static double best_time(const operator_tile *tiles, size_t count, double b, double m, double n,
                        double k, double units, double flop_per_s) {
    double best = INFINITY;
    for (size_t i = 0; i < count; i++)
        best = fmin(best, operator_tile_time(&tiles[i], b, m, n, k, units, flop_per_s, 1));
    return best;
}
#define BEST(tiles, ...) best_time(tiles, sizeof tiles / sizeof *tiles, __VA_ARGS__)

static float used(double value, double whole) {
    return (float)(value / (whole * ceil(value / whole)));
}

double operator_look_conv(const habitat_model_query *query, operator_class c,
                          const operator_gpu *gpu, float *inputs) {
    (void)c;
    const habitat_conv_shape *s = &query->work->shape.conv;
    double batch = s->batch, c_in = s->c_in, c_out = s->c_out;
    double out = s->out[0] * s->out[1], area = s->kernel[0] * s->kernel[1];
    double side = sqrt(out), units = gpu->sm_count * gpu->lanes_per_sm / 64;
    double rate = gpu->flop_per_s, bandwidth = gpu->bytes_per_s;
    double pixels = batch * out;
    double tensors = 4 * batch * (c_in * s->in[0] * s->in[1] + c_out * out);
    double bytes = tensors + 4 * c_in * c_out * area;
    double flop = 2 * pixels * c_out * c_in * area;
    double implicit =
        fmax(BEST(implicit_tiles, 1, pixels, c_out, c_in * area, units, rate), bytes / bandwidth);
    /* Winograd is for 3x3 kernels of stride 1. */
    bool winograd = s->kernel[0] == 3 && s->kernel[1] == 3 && s->stride[0] == 1 &&
                    s->stride[1] == 1 && s->dilation[0] <= 1 && s->dilation[1] <= 1;
    double twos = batch * ceil(s->out[0] / 2) * ceil(s->out[1] / 2);
    double fours = batch * ceil(s->out[0] / 4) * ceil(s->out[1] / 4);
    double fused =
        fmax(BEST(fused_tiles, 1, twos, c_out, c_in * 16, units, rate), bytes / bandwidth);
    double product = BEST(separate_tiles, 36, fours, c_out, c_in, units, rate);
    double transformed = 4 * 36 * (fours * (c_in + c_out) + c_in * c_out);
    double separate = product + (tensors + 2 * transformed + 4 * area * c_in * c_out) / bandwidth;
    double base = winograd ? fmin(fmin(implicit, fused), separate) : implicit;
    enum { IMPLICIT = 3, SEPARATE = IMPLICIT, FUSED, TILES };
    float tile[TILES][3];
    for (size_t i = 0; i < IMPLICIT; i++)
        operator_tile_inputs(&implicit_tiles[i], 1, pixels, c_out, units, -5, 5, tile[i]);
    operator_tile_inputs(&separate_tiles[1], 36, fours, c_out, units, -5, 5, tile[SEPARATE]);
    operator_tile_inputs(&fused_tiles[0], 1, twos, c_out, units, -5, 5, tile[FUSED]);
    float *x = inputs;
    CONV_FEATURES(OPERATOR_FEATURE_VALUE)
    return base;
}
