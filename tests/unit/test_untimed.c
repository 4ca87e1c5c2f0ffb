/* The iteration of a recording without a GPU, and operations of it that no model covers, worked by
 * hand. */
#include "predict/untimed.h"

#include "check.h"
#include "kernels/batch_norms.h"
#include "kernels/bias.h"
#include "kernels/conv_as_images.h"
#include "kernels/sums.h"
#include "kernels/unmodelled_times.h"
#include "made_gpu.h"
#include "work_case.h"
#include "workload/workload.h"

static habitat_prediction sum_of(double busy_ms) {
    return (habitat_prediction){.iteration_ms = busy_ms,
                                .busy_ms = busy_ms,
                                .low_ms = busy_ms / 1.25,
                                .high_ms = busy_ms * 1.25,
                                .cpu_ms = NAN,
                                .gpu_ms = NAN,
                                .batch_size = 8};
}

/* What an operation takes [us] on 100 SMs at 1 GHz, where any kernel takes 1 us. */
static double places_us(const char *kind, habitat_pass pass, double rows, double columns,
                        double flop, double written, double roof_us) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work work = {.op_class = HABITAT_CLASS_EMBEDDING,
                         .pass = pass,
                         .shape.rows = {rows, columns},
                         .flop = flop,
                         .write_bytes = written};
    snprintf(work.kind, sizeof work.kind, "%s", kind);
    return unmodelled_s(&work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
}

/* 50 us of roof are 100 at half of it, and past a start of 2.5 floors
 * (100 + sqrt(100 x (100 + 4 x 2.5))) / 2 = 102.44. */
static void places(void) {
    const habitat_pass fwd = HABITAT_PASS_FORWARD, bwd = HABITAT_PASS_BACKWARD;
    CHECK_NEAR(places_us("embedding", fwd, 1, 9e9, 0, 1, 100), 102.44, 1e-4);
    CHECK_NEAR(places_us("gather", fwd, 1, 15e6, 0, 1, 50), 102.44, 1e-4); /* 15e6 / 150: 100 */
    CHECK_NEAR(places_us("gather", fwd, 1, 30e6, 0, 1, 50), 200.0, 1e-9);  /* 30e6 / 150 */
    CHECK_NEAR(places_us("embedding_bag", fwd, 1, 9e9, 0, 1, 50), 102.44, 1e-4);
    check_case("look-ups take memory's time; gathers as many elements a cycle at most");
    CHECK_NEAR(places_us("embedding", bwd, 1000, 384, 64e3, 1, 55), 83.0, 1e-9); /* 1000 x 83 */
    CHECK_NEAR(places_us("embedding", bwd, 1000, 64, 64e3, 1, 55), 50.0, 1e-9);  /* 33 less each */
    CHECK_NEAR(places_us("embedding", bwd, 1000, 256, 64e3, 1, 55), 66.5, 1e-9); /* half of that */
    CHECK_NEAR(places_us("embedding", bwd, 4000, 64, 64e3, 1, 7), 123.0, 1e-9);  /* 73 + 7 / .14 */
    check_case("gradients of tables go row by row, or sort first");
    CHECK_NEAR(places_us("scatter_add", fwd, 1, 1, 10e6, 1e8, 50), 200.0, 1e-9); /* 10e6 / 50 */
    CHECK_NEAR(places_us("upsample", bwd, 1, 1, 20e6, 1e8, 50), 200.0, 1e-9);
    CHECK_NEAR(places_us("scatter_add", fwd, 1, 1, 3e6, 4096, 1), 2000.0, 1e-9); /* 3e6 / 1.5 */
    CHECK_NEAR(places_us("index_put", fwd, 1, 1, 10e6, 1e8, 10), 34.0, 1e-9);    /* 14 + 10 / .5 */
    check_case("additions at places are atomic, or sorted");
}

/* A clone [us], past a start of 2.5 floors of 1 us. */
static double clone_us(const char *line, double roof_us) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    return unmodelled_s(&work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
}

/* A million rows, each a block of 158 cycles on one of 100 SMs, two where it is more than 4 KB;
 * rows of 12 bytes, and what lies otherwise, go place by place, 150 a cycle. A roof of 1 us. */
static void rows_that_are_picked(void) {
    CHECK_NEAR(clone_us("aten::index_select | f32[512,4] =0 i64[1000000]", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::index_select | f32[512,4] =-2 i64[1000000]", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::index_select | bf16[512,4096] =0 i64[1000000]", 1), 3160, 1e-6);
    CHECK_NEAR(clone_us("aten::index_select | f32[512,3] =0 i64[1000000]", 1), 20, 1e-6);
    CHECK_NEAR(clone_us("aten::index_select | f32[512,4]@1,512 =0 i64[1000000]", 1), 4e6 / 150e3,
               1e-6);
    CHECK_NEAR(clone_us("aten::index_select | f32[4,512] =1 i64[1000000]", 1), 4e6 / 150e3, 1e-6);
    CHECK_NEAR(clone_us("aten::embedding | f32[512,4] i64[1000,1000]", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::embedding | f32[512,1028] i64[1000,1000]", 1), 3160, 1e-6);
    CHECK_NEAR(clone_us("aten::index | f32[512,8] i64{[1000000]}", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::gather | f32[512,4] =0 i64[1000000,4]@1,0 =False", 1), 1580, 1e-6);
    CHECK_NEAR(clone_us("aten::gather | f32[512,4] =0 i64[1000000,4] =False", 1), 4e6 / 150e3,
               1e-6);
    check_case("rows are picked by a block each");

    /* 4e6 numbers: by themselves 1 / (1 / 1.2 + 1 / .27) a cycle and SM, four together more; where
     * nothing says how indices lie .5. A table of 32 MB, whose cache takes as many as are sent. */
    const double table = 1 / 1.2, alone = 1 / .27;
    CHECK_NEAR(
        clone_us("aten::scatter_add_ | f32[2000000,4]@4,1 =0 i64[1000000,4]@4,1 f32[1000000,4]", 1),
        40 * (table + alone), 1e-6);
    CHECK_NEAR(
        clone_us("aten::scatter_add_ | f32[2000000,4]@4,1 =0 i64[1000000,4]@1,0 f32[1000000,4]", 1),
        40 * (table + alone / 4), 1e-6);
    CHECK_NEAR(clone_us("aten::scatter_add_ | f32[2000000,4] =0 i64[1000000,4] f32[1000000,4]", 1),
               80, 1e-6);
    CHECK_NEAR(
        clone_us("aten::index_add_ | f32[2000000,4]@4,1 =0 i64[1000000]@1 f32[1000000,4]", 1), 80,
        1e-6);
    check_case("slices are added together");

    /* A million rows on 100 SMs: a warp each, 58 cycles, and 10 more where it goes round twice;
     * four rows of eight to a warp; eight rows of three, in twos. */
    CHECK_NEAR(clone_us("aten::sum | f32[1000000,32] =[-1] =False -", 1), 580, 1e-6);
    CHECK_NEAR(clone_us("aten::mean | f32[1000000,64] =[-1] =False -", 1), 680, 1e-6);
    CHECK_NEAR(clone_us("aten::sum | f32[1000000,8] =[-1] =False -", 1), 145, 1e-6);
    CHECK_NEAR(clone_us("aten::sum | f32[1000000,3] =[-1] =False -", 1), 42.5, 1e-6);
    CHECK(clone_us("aten::sum | f32[1000000,128] =[-1] =False -", 1) < 10);
    check_case("sums of short rows take a warp's time");
}

/* 100 us: as 102.44 above. */
static void clones(void) {
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6] -", 100), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@24,1,4 =1", 100), 102.44, 1e-4); /* preserved */
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@48,6,1 -", 100), 102.44, 1e-4);  /* pieces */
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@24,1,4 -", 60), 102.44, 1e-4);   /* turned: .6 */
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6]@24,1,4 =0", 60), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[8,4,6,1]@24,1,4,1 -", 60), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[2,4,6,5]@120,1,20,4 =2", 100), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[2,4,6,5]@120,30,5,1 =2", 60), 102.44, 1e-4);
    /* places: 24e6 / (1.6 x 100 SMs x 1 GHz) and 9.75e6 / 65e9, 150 us; memory 200: 250 */
    CHECK_NEAR(clone_us("aten::clone | f32[1000,4000,6]@48000,6,1 -", 200), 252.4755, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | bf16[1000,4000,6]@48000,6,1 -", 200), 252.4755, 1e-4);
    CHECK_NEAR(clone_us("aten::clone | f32[1000,1625,6]@9750,1,1625 -", 120), 252.4755, 1e-4);
    check_case("clones that turn the order of memory are slow");
}

/* 13000 x 2000 elements: 26e6 / (1.3 x 100 SMs x 1 GHz) = 200 us; rolled 17e6 / 85e9 = 200 us. */
static void element_by_element(void) {
    CHECK_NEAR(clone_us("aten::_to_copy | bf16[13000,2000] =6", 100), 200.0, 1e-9);
    CHECK_NEAR(clone_us("aten::_to_copy | bf16[13000,2000] =6", 250), 252.48, 1e-4); /* memory's */
    CHECK_NEAR(clone_us("aten::copy_ | f32[13000,2000] f16[13000,2000]", 100), 200.0, 1e-9);
    CHECK_NEAR(clone_us("aten::_to_copy | bf16[16,64] =6", 1e-3), 2.6, 1e-9);
    CHECK_NEAR(clone_us("aten::_to_copy | bf16[16,16] =6", 1e-3), 1.3, 1e-9); /* half a block */
    CHECK(clone_us("aten::_to_copy | f32[16,64] =15", 1e-3) < .1);
    CHECK_NEAR(clone_us("aten::_to_copy | f32[13000,2000] =15", 100), 102.44, 1e-4); /* narrower */
    CHECK_NEAR(clone_us("aten::clone | bf16[13000,2000] -", 100), 102.44, 1e-4);
    CHECK_NEAR(clone_us("aten::roll | f32[17000,1000]", 100), 200.0, 1e-9);
    check_case("casts to a wider format and rolls take each element by itself, and begin late");
}

/* A group norm [us], the cache given. */
static double group_us(const char *line, double l2_bytes, double roof_us) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    gpu.l2_bytes = l2_bytes;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    return unmodelled_s(&work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
}

/* 1.024e6 elements a group, 2 groups: .85 cycles each are 870.4 us; 4 floors, and
 * 2.048e6 places at 115e9 a second. Of 4000 groups the SMs' pace: 8e7 x .6 cycles on 100. */
static void group_norms(void) {
    const char *few =
        "aten::native_group_norm | f32[2,512,2000] f32[512] f32[512] =2 =512 =2000 =1";
    const char *many =
        "aten::native_group_norm | f32[40,200,10000] f32[200] f32[200] =40 =200 =10000 =100";
    double places = 2.048e6 / 115e9 * 1e6;
    CHECK_NEAR(group_us(few, 1e9, 50), 4 + 1.024e6 * .85e-3 + places, 1e-6);
    CHECK_NEAR(group_us(few, 1e6, 50), 4 + 1.024e6 * 1.5e-3 + places, 1e-6); /* from memory */
    CHECK_NEAR(group_us(many, 1e9, 50), 4 + 8e7 * .6e-5 + 8e7 / 115e9 * 1e6, 1e-6);
    check_case("few groups wait for each load, many for the SMs");
    const char *small = "aten::native_group_norm | f32[40,200,10] f32[200] f32[200] =40 =200 =10"
                        " =100";
    CHECK_NEAR(group_us(small, 1e9, 1), 4 + 4000 * (1348 + 20 * .44) * 1e-5 + 80e3 / 115e9 * 1e6,
               1e-6);
    check_case("small groups for their blocks");
    const char *back = "aten::native_group_norm_backward | f32[2,512,2000] f32[2,512,2000] f32[2,1]"
                       " f32[2,1] f32[512] =2 =512 =2000 =1 =[True,True,True]";
    CHECK_NEAR(group_us(back, 1e9, 90), 8 + 100 + places, 1e-6); /* 90 x 2/3 / .6 */
    check_case("gradients of group norms read two tensors, then go place by place");
}

/* 0: no place is worked out. */
static double placed_us(const char *line) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    return unmodelled_places_s(&work, &gpu) * 1e6;
}

/* 23000 x 1000 elements: 23e6 / (1.15 x 100 SMs x 1 GHz) = 200 us, and
 * 1100 cycles before; of half a block's 512 elements half of these. */
static void places_of_elements(void) {
    CHECK_NEAR(placed_us("aten::mul | bf16[23000,1000] bf16[1000]"), 201.1, 1e-9);
    CHECK_NEAR(placed_us("aten::add | f32[23000,1000] bf16[23000,1000] =1"), 201.1, 1e-9);
    CHECK_NEAR(placed_us("aten::add | f32[23000,1000] f32[23000,1000]@1,23000 =1"), 201.1, 1e-9);
    CHECK_NEAR(placed_us("aten::gelu | f32[23000,1000]@2000,1 ="), 201.1, 1e-9); /* a half */
    CHECK_NEAR(placed_us("aten::mul | bf16[16,16] bf16[16]"), .55 + 256 / 115e3, 1e-9);
    CHECK(placed_us("aten::mul | bf16[23000,1000] bf16[23000,1000]") == 0);
    CHECK(placed_us("aten::mul | f32[23,1000,4]@4000,1,1000 f32[23,1000,4]@4000,1,1000") == 0);
    CHECK(placed_us("aten::mul | bf16[23000,1000] =2.5") == 0);
    CHECK(placed_us("aten::mul | bf16[23000,1000] f32[]") == 0);
    CHECK(placed_us("aten::mul | f32[1] f32[1,1]") == 0);
    CHECK_NEAR(placed_us("aten::_prelu_kernel | f32[23000,1000] f32[1,1]"), 201.1, 1e-9);
    CHECK(placed_us("aten::mul | f32[23,1,4]@4,7,1 f32[23,1,4]@4,4,1") == 0); /* of one place */
    check_case("operands that differ in order, size or format are worked out place by place");
}

/* What pooling takes [us] where the roof is 1 us. */
static double pooled_us(const char *line) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    CHECK(work.windowed);
    return unmodelled_s(&work, &gpu, 1e-6, 1e-6) * 1e6;
}

/* 1e6 elements are 10,000 an SM: 10 us a cycle of each. Images of 1000 x 1000 in windows of 2 x 2:
 * 250,000 means; gradients of 1e6, an element in one window; or, padded, in nine of 3 x 3. Maxima
 * are cleared before: 1 us to start, and 2 / (2 + .25 x (2 + 8)) of the roof. */
static void pools(void) {
    const char *halves =
        "aten::avg_pool2d | bf16[1,1,1000,1000] =[2,2] =[2,2] =[0,0] =False =True -";
    CHECK_NEAR(pooled_us(halves), 2.5 * (2.2 + 4 * .205), 1e-9);
    CHECK_NEAR(pooled_us("aten::max_pool2d_with_indices | f32[1,1,1000,1000] =[2,2] =[2,2] =[0,0]"
                         " =[1,1] =False"),
               2.5 * (2.2 + 4 * .205), 1e-9);
    CHECK_NEAR(pooled_us("aten::avg_pool2d_backward | bf16[1,1,500,500] bf16[1,1,1000,1000] =[2,2]"
                         " =[2,2] =[0,0] =False =True -"),
               10 * (4.56 + .338), 1e-9);
    CHECK_NEAR(pooled_us("aten::avg_pool2d_backward | bf16[1,1,1000,1000] bf16[1,1,1000,1000]"
                         " =[3,3] =[1,1] =[1,1] =False =True -"),
               10 * (4.56 + 9 * .338), 1e-9);
    CHECK_NEAR(
        pooled_us("aten::max_pool2d_with_indices_backward | bf16[1,1,500,500]"
                  " bf16[1,1,1000,1000] =[2,2] =[2,2] =[0,0] =[1,1] =False i64[1,1,500,500]"),
        10 * 2.8 + 1 + 2 / 4.5, 1e-9);
    CHECK_NEAR(pooled_us("aten::avg_pool2d | bf16[1,1,10,10] =[2,2] =[2,2] =[0,0] =False =True -"),
               1, 1e-9); /* memory's */
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, "aten::_adaptive_avg_pool2d | f32[1,1,1000,1000] =[7,7]"), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    CHECK(work.known && !work.windowed);
    check_case("pooling of images takes cycles of each element and window");
}

/* A permuted line of PyTorch's is made contiguous. */
static void lines(void) {
    work_case read;
    habitat_work line, images, other;
    CHECK_INT(case_read(&read, "aten::convolution | f32[2,64,100]@6400,1,64 f32[64,1,5] - =[2] =[3]"
                               " =[4] =False =[0] =64"),
              0);
    CHECK_INT(habitat_operation_work(&read.op, &line), HABITAT_OK);
    CHECK(line.known && conv_as_images_1d(&line, &images));
    const habitat_conv_shape *s = &images.shape.conv, *from = &line.shape.conv;
    CHECK_INT((int)s->dims, 2);
    CHECK(s->in[0] == 1 && s->in[1] == 100 && s->out[0] == 1 && s->out[1] == from->out[0]);
    CHECK(s->kernel[0] == 1 && s->kernel[1] == 5 && s->stride[0] == 1 && s->stride[1] == 2);
    CHECK(s->padding[0] == 0 && s->padding[1] == 3 && s->dilation[0] == 1 && s->dilation[1] == 4);
    CHECK(!from->channels_last && !s->channels_last);
    CHECK(images.flop == line.flop && images.read_bytes == line.read_bytes);
    CHECK(!conv_as_images_1d(&images, &other));
    check_case("a convolution along a line is one of images a pixel high");
}

/* Each of 2 x 8 images of the result from 3 images of 64 channels; gradients of the input of a
 * transposed one from each of its 4. */
static void films(void) {
    work_case read;
    habitat_work film, images, other;
    CHECK_INT(case_read(&read, "aten::convolution | f32[2,64,16,56,40] f32[32,64,3,5,7] - =[2,1,3]"
                               " =[1,2,0] =[1,1,2] =False =[0,0,0] =1"),
              0);
    CHECK_INT(habitat_operation_work(&read.op, &film), HABITAT_OK);
    CHECK(film.known && conv_as_images_3d(&film, &images) && !conv_as_images_1d(&film, &other));
    const habitat_conv_shape *s = &images.shape.conv, *from = &film.shape.conv;
    CHECK(s->dims == 2 && from->out[0] == 8 && s->batch == 16 && s->c_in == 192 && s->c_out == 32);
    CHECK(s->in[0] == 56 && s->in[1] == 40 && s->out[0] == 56 && s->out[1] == from->out[2]);
    CHECK(s->kernel[0] == 5 && s->kernel[1] == 7 && s->stride[0] == 1 && s->stride[1] == 3);
    CHECK(s->padding[0] == 2 && s->padding[1] == 0 && s->dilation[0] == 1 && s->dilation[1] == 2);
    CHECK_NEAR(2 * s->batch * s->out[0] * s->out[1] * s->c_out * s->c_in * 35, film.flop, 1e-12);
    CHECK(images.flop == film.flop && !conv_as_images_3d(&images, &other));
    CHECK_INT(case_read(&read, "aten::convolution | f32[2,64,4,14,14] f32[64,32,2,2,2] - =[2,2,2]"
                               " =[0,0,0] =[1,1,1] =True =[0,0,0] =1"),
              0);
    CHECK_INT(habitat_operation_work(&read.op, &film), HABITAT_OK);
    CHECK(conv_as_images_3d(&film, &images));
    CHECK(s->batch == 8 && s->c_in == 64 && s->c_out == 64 && s->transposed);
    CHECK_INT(case_read(&read, "aten::convolution | f32[2,64,4,14,14] f32[64,1,3,3,3] - =[1,1,1]"
                               " =[1,1,1] =[1,1,1] =False =[0,0,0] =64"),
              0);
    CHECK_INT(habitat_operation_work(&read.op, &film), HABITAT_OK);
    CHECK(conv_as_images_3d(&film, &images));
    CHECK(s->batch == 24 && s->c_in == 64 && s->groups == 64); /* 3 for each of 2 x 4 */
    check_case("a convolution of films is one of images of as many channels as it is deep");
}

/* PyTorch copies a matrix that it adds a product to. */
static void copies(void) {
    static const struct {
        const char *line;
        bool copied;
    } products[] = {{"aten::addmm | bf16[4,6] bf16[4,8] bf16[8,6] =1 =2", true},
                    {"aten::addmm | bf16[1,6] bf16[4,8] bf16[8,6] =0.5 =1", true},
                    {"aten::addmm | bf16[6] bf16[4,8] bf16[8,6] =1 =1", false},
                    {"aten::addmm | bf16[4,6] bf16[4,8] bf16[8,6] =0 =1", false},
                    {"aten::addmm_ | bf16[4,6] bf16[4,8] bf16[8,6] =1 =1", false},
                    {"aten::linear | bf16[4,8] bf16[6,8] bf16[6]", false},
                    {"aten::mm | bf16[4,8] bf16[8,6]", false},
                    {"aten::baddbmm | bf16[2,4,6] bf16[2,4,8] bf16[2,8,6] =1 =1", false}};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        work_case read;
        habitat_work product, copy = {0};
        CHECK_INT(case_read(&read, products[i].line), 0);
        CHECK_INT(habitat_operation_work(&read.op, &product), HABITAT_OK);
        CHECK_INT(bias_beside(&product, &copy), products[i].copied);
        if (!products[i].copied)
            continue;
        CHECK(copy.op_class == HABITAT_CLASS_COPY && strcmp(copy.kind, "copy") == 0);
        CHECK(copy.read_bytes == 48 && copy.write_bytes == 48 && copy.shape.rows.columns == 24);
    }
    check_case("a matrix that a product is added to is copied first");
}

/* cuDNN adds no bias; PyTorch's own depthwise kernels do, which take images in order alone. The
 * strides of the gradient, not those of the image, tell how it is summed. */
static void beside_convolutions(void) {
    const char *const arguments = " =[1,1] =[1,1] =[1,1] =False =[0,0]";
    static const struct {
        const char *line, *groups;
        bool added, by_column;
    } layers[] = {
        {"aten::convolution | bf16[2,8,4,4] bf16[8,8,3,3] bf16[8]", "=1", true, false},
        {"aten::convolution | bf16[2,8,4,4] bf16[8,8,3,3] -", "=1", false, false},
        {"aten::convolution | bf16[2,8,4,4] bf16[8,1,3,3] bf16[8]", "=8", false, false},
        {"aten::convolution | bf16[2,8,4,4]@128,1,32,8 bf16[8,1,3,3] bf16[8]", "=8", true, false},
        {"aten::convolution_backward | bf16[2,8,4,4] bf16[2,8,4,4] bf16[8,8,3,3] =[8]",
         "=1 =[True,True,True]", true, false},
        {"aten::convolution_backward | bf16[2,8,4,4]@128,1,32,8 bf16[2,8,4,4] bf16[8,8,3,3] =[8]",
         "=1 =[True,True,True]", true, true},
        {"aten::convolution_backward | bf16[2,8,4,4]@128,1,32,8 bf16[2,8,4,4]@128,1,32,8"
         " bf16[8,1,3,3] =[8]",
         "=8 =[True,True,True]", true, true},
        {"aten::convolution_backward | bf16[2,8,4,4]@128,1,32,8 bf16[2,8,4,4] bf16[8,8,3,3] =[8]",
         "=1 =[True,True,False]", false, false}};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        char line[400];
        work_case read;
        habitat_work layer, beside = {0};
        snprintf(line, sizeof line, "%s%s %s", layers[i].line, arguments, layers[i].groups);
        CHECK_INT(case_read(&read, line), 0);
        CHECK_INT(habitat_operation_work(&read.op, &layer), HABITAT_OK);
        CHECK_INT(bias_beside(&layer, &beside), layers[i].added);
        CHECK_INT(beside.by_column, layers[i].by_column);
        CHECK_INT(beside.by_place, layers[i].added && layer.pass == HABITAT_PASS_FORWARD);
        CHECK(!beside.by_column ||
              (beside.shape.rows.rows == 8 && beside.shape.rows.columns == 32));
    }
    check_case("a bias is added beside a convolution, its gradient summed as it lies");
}

/* What a call over lists takes [us]; a cycle is a nanosecond. */
static double list_us(const char *line, double roof_us) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work_typed(&read.op, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    return unmodelled_s(&work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
}

static void lists(void) {
    /* 32 rounds of 400 and of 870 cycles; 9 us of roof are 10 at .9 of it */
    CHECK_NEAR(list_us("aten::_foreach_add_ | {[65536]} =1", 9), hypot(12.8, 10), 1e-9);
    CHECK_NEAR(list_us("aten::_foreach_sqrt | {[65536]}", 9), hypot(27.84, 10), 1e-9);
    /* 321 pieces and a small tensor: a launch of 320, and one of a whole piece and a small one */
    CHECK_NEAR(list_us("aten::_foreach_sqrt | {[65536,321];[10]}", 900), 1 + hypot(55.68, 1000),
               1e-9);
    check_case("a list takes launches, the rounds of their longest pieces, and memory's time");
}

/* On 100 SMs at 1 GHz, 16 blocks each. */
static double sum_us(const char *line, double l2_bytes, double roof_us) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    gpu.l2_bytes = l2_bytes;
    gpu.limits.threads_per_sm = 2048;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    return unmodelled_s(&work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
}

/* 1024 x 1024: 8 blocks of 128 columns, 16 parts of 16 rows a thread: 4 rounds of 5.12 warps an SM;
 * 5.59 us to start, 6.39 + 4 x .56 to gather. Of a cache of 4 MiB / .6 all is missed, of ten of
 * these a tenth. */
static void sums_by_column(void) {
    const char *square = "aten::sum | f32[1024,1024] =[0] =True -";
    double all = 4194304 / .6, gathered = 5.59 + 6.39 + 4 * .56;
    CHECK_NEAR(sum_us(square, all, .93), gathered + hypot(hypot(4.12, .4096), .93), 1e-9);
    CHECK_NEAR(sum_us(square, 10 * all, .93), gathered + hypot(hypot(1.402, .4096), .093), 1e-9);
    CHECK_NEAR(sum_us(square, all, 93), gathered + hypot(hypot(4.12, .4096), 93), 1e-9);
    CHECK_NEAR(sum_us("aten::sum | f32[512,4] =[0] =True -", 8192 / .06, .01),
               5.59 + hypot(hypot(.3505, .02), .001), 1e-9); /* one block of 128 rows of threads */
    check_case("sums by column: rounds, parts and their gathering, or memory's time");
}

/* 2 x 16384 rows of 512 values, one step after the other: of 67 MB in a cache of .6 of that all is
 * missed, 1030 cycles a step, of ten of these a tenth. 1,024,000 rows are five times as many as
 * threads of the GPU. */
static void scans(void) {
    const char *outer = "aten::cumsum | f32[2,512,1024,16] =1 -";
    double all = 67108864 / .6;
    CHECK_NEAR(sum_us(outer, all, 93), hypot(512 * 1.03, 93), 1e-9);
    CHECK_NEAR(sum_us(outer, 10 * all, 93), hypot(512 * .3505, 93), 1e-9);
    CHECK_NEAR(sum_us("aten::cumsum | f32[10,1024000] =0 -", 1, 93), hypot(10 * 5 * 1.03, 93),
               1e-9);
    CHECK(sum_us("aten::cumsum | f32[2,16384,512] =-1 -", all, 93) < 200); /* along memory */
    check_case("scans across memory wait for each value");
}

static double bias_us(double channels, double pixels) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    habitat_work work = {.op_class = HABITAT_CLASS_REDUCE, .shape.rows = {channels, pixels}};
    snprintf(work.kind, sizeof work.kind, "%s", USUAL_BIAS);
    return unmodelled_s(&work, &gpu, .01e-6, 1e-6) * 1e6;
}

/* A warp, a block and 7 blocks a channel: 128, 16 and 32, and 74 pixels a thread. */
static void biases(void) {
    CHECK_NEAR(bias_us(64, 4096), 2.76 + hypot(32 * 1.046, 32 * .05), 1e-9);
    CHECK_NEAR(bias_us(64, 8192), 2.76 + hypot(4 * 1.046, 4 * 10.24 * .05), 1e-9);
    CHECK_NEAR(bias_us(256, 16384), 2.76 + hypot(8 * 1.046, 8 * 40.96 * .05), 1e-9);
    CHECK_NEAR(bias_us(64, 262144), 2.76 + 6.39 + .56 + hypot(19 * 1.046, 19 * 71.68 * .05), 1e-9);
    check_case("gradients of a convolution's bias: a warp, a block or some a channel");
}

/* A batch norm past the start of its first kernel [us]. */
static double batch_us(const char *line, double l2_bytes, double roof_us) {
    habitat_gpu gpu = made_gpu("a", 100, 1, 1000, 10);
    work_case read;
    habitat_work work;
    gpu.l2_bytes = l2_bytes;
    CHECK_INT(case_read(&read, line), 0);
    CHECK_INT(habitat_operation_work(&read.op, &work), HABITAT_OK);
    CHECK(batch_norms_told(&work, &gpu));
    return unmodelled_s(&work, &gpu, roof_us * 1e-6, 1e-6) * 1e6;
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
    copies();
    beside_convolutions();
    lists();
    sums_by_column();
    scans();
    biases();
    lines();
    films();
    places();
    rows_that_are_picked();
    clones();
    element_by_element();
    group_norms();
    instance_norms();
    places_of_elements();
    habitat_workload w = {.batch_size = 8};
    pools();
    habitat_prediction p = sum_of(20.0);
    untimed_assemble(&w, 52.0, 1.35, &p);
    CHECK_NEAR(p.iteration_ms, 52.0, 0.0);
    CHECK_NEAR(p.busy_ms, 20.0, 0.0);
    CHECK_NEAR(p.idle_ms, 32.0, 1e-12);
    CHECK_NEAR(p.cpu_ms, 52.0, 0.0);
    CHECK_NEAR(p.gpu_ms, 20.0, 0.0);
    CHECK_NEAR(p.path_cpu_ms, 52.0, 0.0);
    CHECK(p.path_kernel_ms == 0.0 && p.path_gap_ms == 0.0);
    CHECK_NEAR(p.low_ms, 52.0 / 1.35, 1e-12);
    CHECK_NEAR(p.high_ms, 70.2, 1e-12);
    CHECK_NEAR(p.samples_per_s, 8.0 / 0.052, 1e-12);
    CHECK_INT(p.assembled, HABITAT_ASSEMBLE_REPLAY);
    check_case("the CPU's table is the iteration where the GPU is done sooner");
    p = sum_of(50.0);
    untimed_assemble(&w, 42.0, 1.35, &p);
    CHECK_NEAR(p.iteration_ms, 50.0, 0.0);
    CHECK_NEAR(p.path_kernel_ms, 50.0, 0.0);
    CHECK(p.path_cpu_ms == 0.0);
    CHECK_NEAR(p.low_ms, 40.0, 1e-12);  /* 50 / 1.25, above 42 / 1.4 */
    CHECK_NEAR(p.high_ms, 62.5, 1e-12); /* above 42 x 1.4 */
    check_case("else the GPU's time, and the interval covers both");
    p = sum_of(50.0);
    untimed_assemble(&w, NAN, 1.35, &p);
    CHECK_NEAR(p.iteration_ms, 50.0, 0.0);
    CHECK_INT((int)p.assembled, 0); /* as it was */
    check_case("shapes without a recording have no CPU side");
    p = sum_of(20.0);
    w.left_out_count = 1;
    untimed_assemble(&w, 52.0, 1.35, &p);
    CHECK_NEAR(p.iteration_ms, 52.0, 0.0);
    CHECK(isnan(p.samples_per_s));
    check_case("a rate is not known where not all of the work is");
    return check_done();
}
