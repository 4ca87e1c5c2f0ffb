/* Convolutions along a line and of films, asked as those of images; what goes beside products
 * and convolutions. Worked by hand. */
#include "check.h"
#include "kernels/bias.h"
#include "kernels/conv_as_images.h"
#include "work_case.h"

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

int main(void) {
    lines();
    films();
    copies();
    beside_convolutions();
    return check_done();
}
