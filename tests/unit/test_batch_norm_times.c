/* Batch norms without a recorded time, and how they grow with the batch, worked by hand. */
#include "check.h"
#include "made_gpu.h"
#include "kernels/batch_norms.h"
#include "unmodelled_case.h"

/* A batch norm past the start of its first kernel [us]. */
static double batch_us(const char *line, double l2_bytes, double roof_us) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work work = {0};
    double us = unmodelled_case_us(line, l2_bytes, roof_us, &work);
    CHECK(batch_norms_told(&work, &gpu));
    return us;
}

#define FIVE  " f32[64] f32[64] f32[64] f32[64]"
#define IMAGE "bf16[16,64,32,32]@65536,1,2048,64"

/* 16384 pixels of 64 channels: 2 x 64 blocks of 32 x 16 threads, 2 an SM, that go through 16 pixels
 * a thread in 4 rounds. 2 MiB. */
static void channels_last(void) {
    const char *forward = "aten::native_batch_norm | " IMAGE FIVE " =True =0.1 =1e-05";
    const char *back = "aten::native_batch_norm_backward | " IMAGE " " IMAGE
                       " f32[64] - - f32[64] f32[64] =True =1e-05 =[True,True,True]";
    double sums = 4 * 2 * 1.43 + 4.7, scaled = 4 * 2 * .69;
    CHECK_NEAR(batch_us(forward, 1e9, 10), 2 + sums + scaled, 1e-9);
    CHECK_NEAR(batch_us(forward, 2097152, 10), 2 + hypot(sums, 5) + hypot(scaled, 10),
               1e-9); /* a tensor, then two */
    double back_sums = 4 * 2 * .98 + 4.7, back_scaled = 4 * 2 * .83;
    CHECK_NEAR(batch_us(back, 1e9, 15), 1 + back_sums + back_scaled, 1e-9);
    CHECK_NEAR(batch_us(back, 2097152, 15), 1 + hypot(back_sums, 10) + hypot(back_scaled, 15),
               1e-9);
    CHECK_NEAR(batch_us("aten::native_batch_norm | " IMAGE FIVE " =False =0.1 =1e-05", 1e9, 10),
               1 + scaled, 1e-9);
    check_case("batch norms with channels last: rounds of four pixels, sums shared by blocks");
    /* 256 pixels: one block below the other would be too few to share */
    const char *few =
        "aten::native_batch_norm | bf16[8,64,8,4]@2048,1,256,64" FIVE " =True =0.1 =1";
    CHECK_NEAR(batch_us(few, 1e9, 10), 2 + 4 * 1.5 * (1.43 + .69), 1e-9);
    /* 1536 pixels: 6 blocks scale, of which one sums in 24 rounds */
    few = "aten::native_batch_norm | bf16[48,64,8,4]@2048,1,256,64" FIVE " =True =0.1 =1";
    CHECK_NEAR(batch_us(few, 1e9, 10), 2 + 24 * 1.5 * 1.43 + 4 * 1.5 * .69, 1e-9);
    /* single pixels: 4 of 64 channels are a block of 64 x 1 */
    few = "aten::native_batch_norm | bf16[4,64,1,1]@64,1,1,1" FIVE " =True =0.1 =1";
    CHECK_NEAR(batch_us(few, 1e9, 10), 2 + 1.5 * (1.43 + .69), 1e-9);
    /* of 51,200: 100 blocks, one an SM; 32 wide they would be 16 */
    few = "aten::native_batch_norm | bf16[4,51200,1,1]@51200,1,1,1 - - - - =True =0.1 =1";
    CHECK_NEAR(batch_us(few, 1e9, 10), 2 + 1.5 * (1.43 + .69), 1e-9);
    check_case("few pixels: one block sums, and is as wide as there are channels");
}

/* 16384 rows of 64 columns, as the pixels above. */
static void rows_alone(void) {
    const char *forward = "aten::native_batch_norm | f32[16384,64]" FIVE " =True =0.1 =1e-05";
    const char *half = "aten::native_batch_norm | f16[16384,64]" FIVE " =True =0.1 =1e-05";
    const char *back = "aten::native_batch_norm_backward | f32[16384,64] f32[16384,64] f32[64] - - "
                       "f32[64] f32[64] =True =1e-05 =[True,True,True]";
    CHECK_NEAR(batch_us(forward, 1e9, 10), 2 + 4 * 2 * 1.09 + 4.7 + 4 * 2 * .69, 1e-9);
    CHECK_NEAR(batch_us(half, 1e9, 10), 2 + 4 * 2 * 1.43 + 4.7 + 4 * 2 * .69, 1e-9);
    CHECK_NEAR(batch_us(back, 1e9, 15), 1 + 4 * 2 * .98 + 4.7 + 4 * 2 * .83, 1e-9);
    CHECK_NEAR(
        batch_us("aten::native_batch_norm | f32[16384,64]" FIVE " =False =0.1 =1e-05", 1e9, 10),
        1 + 4 * 2 * .69, 1e-9);
    check_case("batch norms of rows go by channels in every format");
}

/* 16 x 64 blocks on 100 SMs, and 1048576 elements. */
static void given_statistics(void) {
    const char *half = "aten::native_batch_norm | f16[16,64,32,32]" FIVE " =False =0.1 =1e-05";
    const char *single = "aten::cudnn_batch_norm | f32[16,64,32,32]" FIVE " =False =0.1 =1e-05";
    double walk = 10485.76 * .51e-3;
    CHECK_NEAR(batch_us(half, 1e9, 10), 1.725 + 1 + walk, 1e-9);
    CHECK_NEAR(batch_us(single, 1e9, 10), 1.725 + walk, 1e-9);
    CHECK_NEAR(batch_us(half, 2097152, 10), 1.725 + 1 + hypot(walk, 18), 1e-9);
    CHECK_NEAR(batch_us("aten::native_batch_norm | f16[512,64,2,2]" FIVE " =False =0.1 =1", 1e9, 1),
               1.725 + 1 + 327.68 * .155, 1e-9);
    check_case("batch norms with given statistics: a block a channel and image, or the elements");
}

static habitat_work norm_of(const char *line) {
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    return work;
}

/* On 100 SMs at 1 GHz, and memory of 800 GB/s. */
static double growth(const char *before, const char *after, double l2_bytes) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work one = norm_of(before), two = norm_of(after);
    gpu.l2_bytes = l2_bytes;
    return batch_norms_growth(&one, &two, &gpu);
}

#define HUNDRED " f32[100] f32[100] f32[100] f32[100] =True =0.1 =1"
#define BACK    " f32[100] - - f32[100] f32[100] =True =1 =[True,True,True]"

/* 100 channels of 1024 pixels: a block an SM. Any kernel takes 2200 cycles. */
static void grown_in_order(void) {
    double two = 3110 + hypot(1.05 * 2048, .51 * 2048 + 1520) + 2200 + 1725 + 2200 + .51 * 2048;
    double four = 3110 + hypot(1.05 * 4096, .51 * 4096 + 1520) + 2200 + 1725 + 2200 + .51 * 4096;
    CHECK_NEAR(growth("aten::native_batch_norm | bf16[2,100,32,32]" HUNDRED,
                      "aten::native_batch_norm | bf16[4,100,32,32]" HUNDRED, 1e9),
               four / two, 1e-9);
    two = 3350 + hypot(2.31 * 2048, 1.32 * 2048 + 1030);
    four = 3350 + hypot(2.31 * 4096, 1.32 * 4096 + 1030);
    CHECK_NEAR(growth("aten::native_batch_norm_backward | bf16[2,100,32,32] bf16[2,100,32,32]" BACK,
                      "aten::native_batch_norm_backward | bf16[4,100,32,32] bf16[4,100,32,32]" BACK,
                      1e9),
               four / two, 1e-9);
    check_case("PyTorch's batch norms in order grow by cycles of a channel that is alone or not");
    double kept = 2450 + hypot(.122 * 8192, .138 * 8192 + 2480);
    double longer = hypot(.65 * 32768, .92 * 32768);
    const char *small = "aten::cudnn_batch_norm | f32[2,100,32,32]" HUNDRED;
    const char *large = "aten::cudnn_batch_norm | f32[32,100,32,32]" HUNDRED;
    CHECK_NEAR(growth(small, large, 1e9), longer / kept, 1e-9);
    CHECK_NEAR(growth(large, small, 1e9), kept / longer, 1e-9);
    /* two tensors of 13.1 MB fill the cache: half is missed, 13.1 MB x 1.03 at 800 GB/s */
    CHECK_NEAR(growth(small, large, 26214400), hypot(longer, 1.03 * 16384) / kept, 1e-9);
    /* in 16 bit 65,536 elements are kept, and 32,768 backward */
    double half = 2450 + hypot(.122 * 131072, .138 * 131072 + 2480);
    CHECK_NEAR(growth("aten::cudnn_batch_norm | f16[2,100,32,32]" HUNDRED,
                      "aten::cudnn_batch_norm | f16[64,100,32,32]" HUNDRED, 1e9),
               half / (2450 + hypot(.122 * 4096, .138 * 4096 + 2480)), 1e-9);
    check_case("cuDNN's keep a channel on the chip up to 128 KiB");
}

/* 64 columns are two blocks wide; 1024 rows are too few to share, 4096 are 16 blocks long. */
static void grown_rows(void) {
    double few = 3 * 2200 + 16 * 1.5 * 1090 + 4 * 1.5 * 690;
    double many = 3 * 2200 + 4 * 1.5 * 1090 + 4700 + 4 * 1.5 * 690;
    CHECK_NEAR(growth("aten::native_batch_norm | f32[1024,64]" FIVE " =True =0.1 =1",
                      "aten::native_batch_norm | f32[4096,64]" FIVE " =True =0.1 =1", 1e9),
               many / few, 1e-9);
    few = 3 * 2200 + 16 * 1.5 * 1430 + 4 * 1.5 * 690;
    many = 3 * 2200 + 4 * 1.5 * 1430 + 4700 + 4 * 1.5 * 690;
    CHECK_NEAR(growth("aten::native_batch_norm | bf16[1024,64]" FIVE " =True =0.1 =1",
                      "aten::native_batch_norm | bf16[4096,64]" FIVE " =True =0.1 =1", 1e9),
               many / few, 1e-9);
    check_case("norms of rows grow by rounds, and less where blocks come to share them");
}

static void not_grown(void) {
    static const char *const pairs[][2] = {
        {"aten::cudnn_batch_norm | f32[2,64,8,8]@4096,1,512,64" FIVE " =True =0.1 =1",
         "aten::cudnn_batch_norm | f32[4,64,8,8]@4096,1,512,64" FIVE " =True =0.1 =1"},
        {"aten::cudnn_batch_norm | f32[2,64,8,8]" FIVE " =False =0.1 =1",
         "aten::cudnn_batch_norm | f32[4,64,8,8]" FIVE " =False =0.1 =1"},
        {"aten::cudnn_batch_norm | f32[2,64,8,8]" FIVE " =True =0.1 =1",
         "aten::cudnn_batch_norm | f32[2,64,8,8]" FIVE " =True =0.1 =1"},
        {"aten::native_batch_norm | f32[2,64]" FIVE " =False =0.1 =1",
         "aten::native_batch_norm | f32[4,64]" FIVE " =False =0.1 =1"},
        {"aten::native_batch_norm | f64[2,64,8,8]" FIVE " =True =0.1 =1",
         "aten::native_batch_norm | f64[4,64,8,8]" FIVE " =True =0.1 =1"},
        {"aten::native_layer_norm | f32[2,64] =[64] f32[64] f32[64] =1",
         "aten::native_layer_norm | f32[4,64] =[64] f32[64] f32[64] =1"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK(isnan(growth(pairs[i][0], pairs[i][1], 1e9)));
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work one = norm_of("aten::cudnn_batch_norm | f32[2,100,32,32]" HUNDRED);
    habitat_work two = norm_of("aten::cudnn_batch_norm | f32[4,100,32,32]" HUNDRED);
    CHECK(batch_norms_growth(&one, &two, &gpu) > 1);
    gpu.compute_capability = 0; /* AMD */
    CHECK(isnan(batch_norms_growth(&one, &two, &gpu)));
    check_case("norms of other kernels grow as before");
}

/* An instance norm in fp32: 25 channels of 1e5 elements, a block each, leave three quarters of 100
 * SMs idle, so that 50 take no longer. Means 3110 cycles and 1.05 an element, 1 us, and 1725 and 1
 * to scale them; backward 3350 and 2.31. Blocks that share an SM are less than that. */
static void instance_norms(void) {
    static const char *const given = " - - - - =True =0.1 =1";
    char few[200], twice[200], back[200];
    snprintf(few, sizeof few, "aten::native_batch_norm | f32[1,25,100,1000]%s", given);
    snprintf(twice, sizeof twice, "aten::native_batch_norm | f32[1,50,100,1000]%s", given);
    snprintf(back, sizeof back,
             "aten::native_batch_norm_backward | f32[1,25,100,1000] f32[1,25,100,1000] - - - "
             "f32[25] f32[25] =True =1 =[True,False,False]");
    double means = 3.11 + hypot(105, 1.52 + 51), scales = 1.725 + hypot(100, .155 + 51);
    CHECK_NEAR(batch_us(few, 1e9, 1), means + 1 + scales, 1e-6);
    CHECK_NEAR(batch_us(back, 1e9, 1), 3.35 + hypot(231, 1.03 + 132), 1e-6);
    CHECK_NEAR(growth(few, twice, 1e9), 1, 1e-9);
    check_case("instance norms: a block a channel, in fp32 as well");
    CHECK(!norm_of("aten::native_batch_norm | f32[1,25,100,1000] f32[25] f32[25] - - =True =0.1 =1")
               .own_norm);
    CHECK(
        !norm_of("aten::native_batch_norm | f32[1,25,100,1000] - - f32[25] f32[25] =False =0.1 =1")
             .own_norm);
    check_case("not those with weights, nor with given statistics");

    /* Those with weights are cuDNN's: .65 cycles an element of a block alone, .92 of one that
     * shares an SM; 400 channels are four to each. */
    static const char *const affine[] = {
        "aten::cudnn_batch_norm | f32[1,25,100,1000] f32[25] f32[25] - - =True =0.1 =1",
        "aten::cudnn_batch_norm | f32[1,50,100,1000] f32[50] f32[50] - - =True =0.1 =1",
        "aten::cudnn_batch_norm | f32[1,400,100,1000] f32[400] f32[400] - - =True =0.1 =1"};
    CHECK_NEAR(growth(affine[0], affine[1], 1e9), 1, 1e-9);
    CHECK_NEAR(growth(affine[0], affine[2], 1e9), hypot(65, 4 * 92) / hypot(65, 92), 1e-9);
    check_case("samples of an instance norm are channels, with weights as well");
}

/* 1,048,576 elements: .66 and .49 cycles each of 100 SMs; three and five tensors of 5 us. */
static void cudnn_channels_last(void) {
    static const char *const images[] = {"f32[16,64,32,32]@65536,1,2048,64",
                                         "f16[16,64,32,32]@65536,1,2048,64"};
    for (size_t i = 0; i < 2; i++) {
        char forward[200], back[300];
        snprintf(forward, sizeof forward, "aten::cudnn_batch_norm | %s%s", images[i],
                 FIVE " =True =0.1 =1e-05");
        snprintf(back, sizeof back, "aten::cudnn_batch_norm_backward | %s %s%s", images[i],
                 images[i], " f32[64] - - f32[64] f32[64] =1e-05 u8[0]");
        CHECK_NEAR(batch_us(forward, 1e9, 10), 3 + hypot(6.9206016, 15), 1e-9);
        CHECK_NEAR(batch_us(back, 1e9, 15), 1 + hypot(5.1380224, 25), 1e-9);
    }
    check_case("cuDNN's batch norms with channels last read what they sum over once more");
}

static double change(const char *before, const char *after) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work one = norm_of(before), two = norm_of(after);
    gpu.l2_bytes = 1e9;
    return batch_norms_change(&one, &two, &gpu);
}

/* 64 channels of 16,384 pixels, 2^20 elements in fp32, at 800 GB/s 15.7 us for three tensors. In
 * bf16 blocks are 32 channels wide and 16 pixels high, 128 of them on 100 SMs: two after one
 * another, of four rounds. */
static void changed_with_channels_last(void) {
    const char *single =
        "aten::cudnn_batch_norm | f32[16,64,32,32]@65536,1,2048,64" FIVE " =True =0.1 =1e-05";
    const char *narrow =
        "aten::native_batch_norm | bf16[16,64,32,32]@65536,1,2048,64" FIVE " =True =0.1 =1e-05";
    double of_cudnn = 2.2 + 3 * 2.2 + hypot(6.9206016, 15.72864);
    double of_pytorch = 2.2 + 2 * 2.2 + 4 * 2 * 1.43 + 4.7 + 4 * 2 * .69;
    CHECK_NEAR(change(single, narrow), of_pytorch / of_cudnn, 1e-9);
    CHECK_NEAR(change(narrow, single), of_cudnn / of_pytorch, 1e-9);
    CHECK(isnan(change(single, single)));
    CHECK(isnan(change("aten::cudnn_batch_norm | f32[16,64,32,32]" FIVE " =True =0.1 =1e-05",
                       "aten::native_batch_norm | bf16[16,64,32,32]" FIVE " =True =0.1 =1e-05")));
    CHECK(isnan(change("aten::native_batch_norm | f32[1024,64]" FIVE " =True =0.1 =1",
                       "aten::native_batch_norm | bf16[1024,64]" FIVE " =True =0.1 =1")));
    check_case("batch norms with channels last change hands with their format");
}

/* What models learned: images in order, other formats, rows that do not lie in order. */
static void learned_norms(void) {
    static const char *const lines[] = {
        "aten::native_batch_norm | bf16[16,64,32,32]" FIVE " =True =0.1 =1e-05",
        "aten::native_batch_norm | bf16[16,64]@1,16" FIVE " =True =0.1 =1e-05",
        "aten::native_batch_norm | f64[16,64]" FIVE " =False =0.1 =1e-05",
        "aten::native_layer_norm | bf16[16,64] =[64] f32[64] f32[64] =1e-05"};
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        work_case read;
        habitat_work work;
        gpu.l2_bytes = 1e9;
        CHECK_INT(case_read(&read, lines[i]), 0);
        CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
        CHECK(!batch_norms_told(&work, &gpu));
        work.scaled_images = 16;
        gpu.l2_bytes = 0; /* a GPU of which little is known */
        CHECK(!batch_norms_told(&work, &gpu));
    }
    check_case("other norms are the models'");
}

/* A block for each of 64 channels of 512 images, 155 cycles each over 100 SMs: 50.7904 us, of which
 * the elements' own .51 cycles are known, .668 us. */
static void small_images(void) {
    habitat_gpu g = made_gpu("a", 100, 1, 1000, 10);
    habitat_work work = {.kind = "batch_norm",
                         .known = true,
                         .dtype = HABITAT_DTYPE_BF16,
                         .pass = HABITAT_PASS_FORWARD,
                         .images = 512,
                         .shape.rows = {.rows = 64, .columns = 2048}};
    g.l2_bytes = 1e9;
    CHECK_NEAR(batch_norms_factor(&work, &g, 100e-6), 1 + (50.7904 - .6684672) / 100, 1e-9);
    work.images = 1; /* large ones: their elements take longer than 64 blocks */
    work.shape.rows.columns = 2e6;
    CHECK_NEAR(batch_norms_factor(&work, &g, 100e-6), 1, 0);
    work.images = 512;
    work.shape.rows.columns = 2048;
    work.pass = HABITAT_PASS_BACKWARD;
    CHECK_NEAR(batch_norms_factor(&work, &g, 100e-6), 1, 0);
    work.pass = HABITAT_PASS_FORWARD;
    work.dtype = HABITAT_DTYPE_FP32; /* cuDNN's */
    CHECK_NEAR(batch_norms_factor(&work, &g, 100e-6), 1, 0);
    work.dtype = HABITAT_DTYPE_BF16;
    work.channels_last = true; /* a rule of their own */
    CHECK_NEAR(batch_norms_factor(&work, &g, 100e-6), 1, 0);
    check_case("batch norms of many small images take their blocks, too");
}

int main(void) {
    small_images();
    channels_last();
    rows_alone();
    given_statistics();
    grown_in_order();
    grown_rows();
    not_grown();
    cudnn_channels_last();
    changed_with_channels_last();
    learned_norms();
    instance_norms();
    return check_done();
}
