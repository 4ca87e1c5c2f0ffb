/* See attentions.h. In 16 bit the models know serving frameworks' forward kernels alone; a training
 * step's write the sums of rows as well, and go backward. In fp32 they know heads of 64 and 128. No
 * model knows dropout. Evidence: docs/decisions/0522, 0523. */
#include "kernels/attentions.h"

#include <math.h>

#include "formula/rates.h"
#include "gpu/gpu.h"
#include "work/attention.h"

/* PyTorch's mem_eff_attention: steps of sums along the head, and tiles of results. */
enum { HEAD_STEP = 32, HEAD_TILE = 64 };

static bool is_attention(const habitat_work *work) {
    return work->op_class == HABITAT_CLASS_ATTENTION && work->known;
}

static bool is_backward(const habitat_work *work) {
    return work->pass != HABITAT_PASS_FORWARD;
}

/* ---- fp32: PyTorch's memory-efficient kernel ---- */

/* Several queries of one head of keys are computed in separate kernels. */
static bool is_fused_single(const habitat_work *work) {
    const habitat_attention_shape *s = &work->shape.attention;
    return is_attention(work) && work->dtype == HABITAT_DTYPE_FP32 && s->heads == s->kv_heads;
}

static double whole(double size, double step) {
    return step * ceil(size / step);
}

/* Products that sum over the head go along it in steps, those whose result is as wide as the head
 * compute whole tiles: forward one of each, backward two and three. Forward the tiles of wide heads
 * are wider. */
static double computed_head(double head, bool backward) {
    double tile = backward || head <= HEAD_TILE ? HEAD_TILE : 2 * HEAD_TILE;
    double summed = whole(head, HEAD_STEP), made = whole(head, tile);
    return backward ? (2 * summed + 3 * made) / 5 : (summed + made) / 2;
}

bool attentions_padded(const habitat_work *work, habitat_work *out) {
    habitat_attention_shape shape = work->shape.attention;
    if (!is_fused_single(work) || shape.head_dim != shape.v_head_dim)
        return false;
    double head = computed_head(shape.head_dim, is_backward(work));
    if (!(head > shape.head_dim))
        return false;
    shape.head_dim = shape.v_head_dim = head;
    return habitat_work_attention(&shape, work->dtype, work->pass, out) == HABITAT_OK;
}

/* ---- 16 bit ---- */

/* Of either pass: cycles to begin; of the models' time, which backward is 2.5 times that forward,
 * where 1024 keys are seen; of that under a causal mask; exponent of the keys. The models' kernels
 * lose more than these where a query sees few. Fitted on 726 rows of `habitat collect` (10 and 5 %
 * off); 90 of another GPU were left out (8 and 6), and all recorded steps:
 * docs/decisions/0522. */
static const struct half_kernel {
    double begin_cycles, share, causal, keys_power;
} half_kernels[2] = {{8500, .9, .85, .129}, {8500, 1.11, .88, 0}};

/* Backward each head of queries has gradients of its keys and values by itself, which another
 * kernel adds up where heads share them: of such a beginning, and of the time that their bytes
 * take, written and read. As half_kernels. */
static const struct shared_kernel { double begin, traffic; } shared_kernel = {.7, 1.5};

enum { KEYS_FITTED = 1024, KEYS_LEAST = 64, KEYS_MOST = 16384 };

/* Few queries, as in decoding, have kernels of their own. */
static bool is_half(const habitat_work *work) {
    return is_attention(work) && habitat_dtype_bytes(work->dtype) == 2 &&
           work->shape.attention.q_len >= KEYS_LEAST;
}

static double shared_heads_s(const habitat_work *work, const habitat_gpu *gpu, double begin_s) {
    const habitat_attention_shape *s = &work->shape.attention;
    double keys = s->batch * s->heads * attention_keys_seen(s);
    double bytes =
        2 * keys * (s->head_dim + s->v_head_dim) * (double)habitat_dtype_bytes(work->dtype);
    return shared_kernel.begin * begin_s +
           shared_kernel.traffic * bytes / habitat_memory_rate(gpu, true);
}

static double half_s(const habitat_work *work, const habitat_gpu *gpu, double seconds,
                     double dropout) {
    const habitat_attention_shape *s = &work->shape.attention;
    const struct half_kernel *k = &half_kernels[is_backward(work)];
    double begin_s = k->begin_cycles / gpu->boost_clock_hz;
    double keys = fmin(fmax(attention_keys_seen(s), KEYS_LEAST), KEYS_MOST);
    double own_s = seconds * k->share * pow(keys / KEYS_FITTED, k->keys_power);
    if (s->causal)
        own_s *= k->causal;
    if (is_backward(work) && s->heads != s->kv_heads)
        own_s += shared_heads_s(work, gpu, begin_s);
    return begin_s + dropout * own_s;
}

/* ---- dropout ---- */

/* A random number for each query and key, however wide the head: of the time with heads of 64, in
 * 16 bit and in fp32, forward and backward. Fitted on ELECTRA, GPT-2 with checkpoints, a speech
 * model and others (31 attentions, 5 to 8 % off; 7 to 9 on larger models that were left out). */
static const double dropout_shares[2][2] = {{.9, .12}, {.275, .25}};

static double dropout_factor(const habitat_work *work) {
    const habitat_attention_shape *s = &work->shape.attention;
    double share = dropout_shares[work->dtype == HABITAT_DTYPE_FP32][is_backward(work)];
    return s->dropout ? 1 + share * HEAD_TILE / s->head_dim : 1;
}

double attentions_factor(const habitat_work *work, const habitat_gpu *gpu, double seconds) {
    bool known = gpu->compute_capability && gpu->boost_clock_hz > 0 &&
                 habitat_memory_rate(gpu, true) > 0 && seconds > 0;
    if (known && is_fused_single(work))
        return dropout_factor(work);
    return known && is_half(work) ? half_s(work, gpu, seconds, dropout_factor(work)) / seconds : 1;
}
