/* Fused attention of training steps beside what models say, worked by hand. */
#include "kernels/attentions.h"

#include "check.h"
#include "made_gpu.h"

static habitat_work attention(habitat_attention_shape shape, habitat_dtype dtype,
                              habitat_pass pass) {
    habitat_work work = {0};
    CHECK_INT(habitat_work_attention(&shape, dtype, pass, &work), HABITAT_OK);
    return work;
}

static habitat_attention_shape heads_of(double head) {
    return (habitat_attention_shape){.batch = 1,
                                     .heads = 32,
                                     .kv_heads = 32,
                                     .q_len = 1024,
                                     .kv_len = 1024,
                                     .head_dim = head,
                                     .v_head_dim = head};
}

/* 0: computed as they are. */
static double computed(double head, habitat_dtype dtype, habitat_pass pass) {
    habitat_work asked = attention(heads_of(head), dtype, pass), wide;
    return attentions_padded(&asked, &wide) ? wide.shape.attention.head_dim : 0;
}

static void heads(void) {
    const habitat_pass forward = HABITAT_PASS_FORWARD, backward = HABITAT_PASS_BACKWARD;
    const habitat_dtype single = HABITAT_DTYPE_FP32;
    CHECK_NEAR(computed(40, single, forward), 64, 1e-12);
    CHECK_NEAR(computed(32, single, forward), 48, 1e-12);  /* sums of 32, results of 64 */
    CHECK_NEAR(computed(80, single, forward), 112, 1e-12); /* 96 and 128 */
    CHECK_NEAR(computed(160, single, forward), 208, 1e-12);
    CHECK_NEAR(computed(40, single, backward), 64, 1e-12);
    CHECK_NEAR(computed(80, single, backward), 115.2, 1e-12); /* (2 x 96 + 3 x 128) / 5 */
    CHECK_NEAR(computed(160, single, backward), 179.2, 1e-12);
    CHECK_NEAR(computed(64, single, forward), 0, 0);
    CHECK_NEAR(computed(128, single, backward), 0, 0);
    CHECK_NEAR(computed(40, HABITAT_DTYPE_BF16, forward), 0, 0);
    habitat_attention_shape shared = heads_of(40);
    shared.kv_heads = 8; /* in separate kernels */
    habitat_work asked = attention(shared, single, forward), wide;
    CHECK(!attentions_padded(&asked, &wide));
    check_case("heads in fp32 are computed in steps of 32 and tiles of 64");
}

/* Of 100 us on 1 GHz, 0.8 TB/s. */
static double took_us(habitat_attention_shape shape, habitat_dtype dtype, habitat_pass pass) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work work = attention(shape, dtype, pass);
    return 100 * attentions_factor(&work, &gpu, 100e-6);
}

static void half(void) {
    const habitat_pass forward = HABITAT_PASS_FORWARD, backward = HABITAT_PASS_BACKWARD;
    const habitat_dtype narrow = HABITAT_DTYPE_BF16;
    habitat_attention_shape s = heads_of(64);
    CHECK_NEAR(took_us(s, narrow, forward), 8.5 + 90, 1e-9);
    CHECK_NEAR(took_us(s, narrow, backward), 8.5 + 111, 1e-9);
    s.causal = true;
    CHECK_NEAR(took_us(s, narrow, forward), 8.5 + 76.5, 1e-9);
    CHECK_NEAR(took_us(s, narrow, backward), 8.5 + 97.68, 1e-9);
    s.kv_len = 4096; /* the first queries see 1024 of them */
    CHECK_NEAR(took_us(s, narrow, forward), 8.5 + 76.5, 1e-9);
    s.causal = false;
    CHECK_NEAR(took_us(s, narrow, forward), 8.5 + 90 * 1.195816, 1e-3); /* 4 to the .129 */
    s = heads_of(64);
    s.kv_heads = 8; /* 32 x 1024 x 128 gradients of 2 byte, written and read: 20.97 us */
    CHECK_NEAR(took_us(s, narrow, forward), 98.5, 1e-9);
    CHECK_NEAR(took_us(s, narrow, backward), 119.5 + .7 * 8.5 + 1.5 * 20.97152, 1e-9);
    s.q_len = 1;
    CHECK_NEAR(took_us(s, narrow, forward), 100, 1e-9);
    check_case("attention in 16 bit begins, and goes backward, as training frameworks' does");
}

static void dropout(void) {
    const habitat_pass forward = HABITAT_PASS_FORWARD, backward = HABITAT_PASS_BACKWARD;
    habitat_attention_shape s = heads_of(64), wide = heads_of(128);
    s.dropout = wide.dropout = true;
    CHECK_NEAR(took_us(s, HABITAT_DTYPE_FP16, forward), 8.5 + 90 * 1.9, 1e-9);
    CHECK_NEAR(took_us(s, HABITAT_DTYPE_FP16, backward), 8.5 + 111 * 1.12, 1e-9);
    CHECK_NEAR(took_us(wide, HABITAT_DTYPE_FP16, forward), 8.5 + 90 * 1.45, 1e-9);
    CHECK_NEAR(took_us(s, HABITAT_DTYPE_FP32, forward), 127.5, 1e-9);
    CHECK_NEAR(took_us(wide, HABITAT_DTYPE_FP32, backward), 112.5, 1e-9);
    s.dropout = false;
    CHECK_NEAR(took_us(s, HABITAT_DTYPE_FP32, forward), 100, 1e-9);
    check_case("dropout draws a number for each query and key");
}

static void others(void) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work work = attention(heads_of(64), HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD), product;
    habitat_gemm_shape shape = {.b = 1, .m = 1024, .n = 1024, .k = 1024};
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_BF16, &product), HABITAT_OK);
    CHECK_NEAR(attentions_factor(&product, &gpu, 100e-6), 1, 0);
    gpu.compute_capability = 0; /* AMD */
    CHECK_NEAR(attentions_factor(&work, &gpu, 100e-6), 1, 0);
    check_case("products, and another vendor's GPU: as the models say");
}

int main(void) {
    heads();
    half();
    dropout();
    others();
    return check_done();
}
