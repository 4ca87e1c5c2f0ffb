/* Work of operations: the golden table, the order of the rule table, constructors, bad input. */
#include "check.h"
#include "work_case.h"

#include <ctype.h>

#include "base/words.h"
#include "work/class.h"
#include "work/rule.h"

static const char *const pass_names[] = {"fwd", "bwd", "bwdi", "bwdw", "opt"};

static habitat_status status_of(const char *text) {
    if (!strncmp(text, "%E_UNSUPPORTED", 14))
        return HABITAT_E_UNSUPPORTED;
    if (!strncmp(text, "%E_RANGE", 8))
        return HABITAT_E_RANGE;
    return HABITAT_OK;
}

/* "?" wants NaN, else equal to a few ulp (1e-3 where the table writes an exponent). */
static void check_number(const char *what, double got, const char *want) {
    if (!strcmp(want, "?")) {
        if (!isnan(got))
            printf("# %s: %.17g, want none\n", what, got);
        CHECK(isnan(got));
    } else {
        double tolerance = strchr(want, 'e') ? 1e-3 : 1e-12, value = strtod(want, NULL);
        if (!(fabs(got - value) <= tolerance * fabs(value)))
            printf("# %s: %.17g, want %s\n", what, got, want);
        CHECK(fabs(got - value) <= tolerance * fabs(value));
    }
}

/* Every class has one name, which is read back as itself, and facts that do not contradict. */
static void classes(void) {
    for (int c = 0; c < HABITAT_CLASS_COUNT; c++) {
        const word *read = word_find(&habitat_classes, habitat_class_name((habitat_class)c));
        CHECK(read && read->value == c && !read->why_not);
        const class_facts *facts = class_of((habitat_class)c);
        CHECK(facts->product || !(facts->varying || facts->tf32_by_default));
        CHECK(facts->arithmetic_by_name == (facts->product || c == HABITAT_CLASS_OTHER));
        CHECK_INT(habitat_class_is_product((habitat_class)c), facts->product);
    }
    CHECK_INT(habitat_classes.count, HABITAT_CLASS_COUNT);
    CHECK_TEXT(habitat_class_name(HABITAT_CLASS_COUNT), "other");
    CHECK_TEXT(habitat_class_name((habitat_class)-1), "other");
    CHECK(class_of(HABITAT_CLASS_CONV)->tf32_by_default &&
          class_of(HABITAT_CLASS_RNN)->tf32_by_default &&
          !class_of(HABITAT_CLASS_GEMM)->tf32_by_default);
    CHECK(class_of((habitat_class)1000) == class_of(HABITAT_CLASS_OTHER));
}

static void check_golden(char *line) {
    static work_case c;
    char *expected = strchr(line, '|');
    expected = expected ? strchr(expected + 1, '|') : NULL;
    CHECK(expected && case_read(&c, line) == 0);
    if (!expected)
        return;
    habitat_work work = {0};
    habitat_status status = habitat_operation_work(&c.op, &work);
    char op_class[32], pass[8], flop[64], read[64], write[64];
    expected++;
    while (*expected == ' ')
        expected++;
    CHECK_INT(status, status_of(expected));
    if (*expected == '%')
        return;
    CHECK_INT(sscanf(expected, "%31s %7s %63s %63s %63s", op_class, pass, flop, read, write), 5);
    CHECK_TEXT(habitat_class_name(work.op_class), op_class);
    CHECK_TEXT(pass_names[work.pass], pass);
    check_number("flop", work.flop, flop);
    check_number("read", work.read_bytes, read);
    check_number("write", work.write_bytes, write);
    CHECK_INT(work.known, strcmp(flop, "?") && strcmp(read, "?") && strcmp(write, "?"));
}

static void golden(void) {
    FILE *file = fopen(HABITAT_SOURCE_DIR "/tests/golden/work.tbl", "r");
    CHECK(file != NULL);
    if (!file)
        return;
    char line[4096];
    int cases = 0;
    while (fgets(line, sizeof line, file)) {
        if (*line == '#' || isspace((unsigned char)*line))
            continue;
        check_golden(line);
        line[strcspn(line, "\n")] = 0;
        line[strcspn(line, "#") > 90 ? 90 : strlen(line)] = 0;
        check_case(line);
        cases++;
    }
    fclose(file);
    CHECK(cases > 100);
    check_case("the golden table has more than 100 cases");
}

static void table_is_sorted(void) {
    size_t count;
    const work_rule *rules = work_rules(&count);
    bool in_place;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(rules[i - 1].name, rules[i].name) >= 0) {
            printf("# %s is not before %s\n", rules[i - 1].name, rules[i].name);
            CHECK(false);
        }
        CHECK(work_rule_find(rules[i].name, strlen(rules[i].name), &in_place) == &rules[i]);
    }
    check_case("rules are sorted by name and all found");
    CHECK(!work_rule_find("", 0, &in_place) && !work_rule_find("_", 1, &in_place));
    CHECK(!work_rule_find("zzz", 3, &in_place) && !work_rule_find("ad", 2, &in_place));
    check_case("names that are in no rule are not found");
}

/* A constructor must agree with the operation it describes. */
static void same_as(const char *line, habitat_status status, const habitat_work *made) {
    static work_case c;
    habitat_work read = {0};
    CHECK_INT(status, HABITAT_OK);
    CHECK_INT(case_read(&c, line), 0);
    CHECK_INT(habitat_operation_work(&c.op, &read), HABITAT_OK);
    CHECK(read.known && made->known);
    CHECK_INT(made->op_class, read.op_class);
    CHECK_INT(made->pass, read.pass);
    CHECK_INT(made->varying, read.varying);
    CHECK_INT(made->dtype, read.dtype);
    CHECK_NEAR(made->flop, read.flop, 1e-12);
    CHECK_NEAR(made->read_bytes, read.read_bytes, 1e-12);
    CHECK_NEAR(made->write_bytes, read.write_bytes, 1e-12);
    check_case(line);
}

/* Tensors of a list carry no format in a trace: what the kernel's name tells is taken. */
static void lists(void) {
    static work_case c;
    habitat_work w = {0};
    CHECK_INT(case_read(&c, "aten::cat | {[2,3];[4,3]} =0"), 0);
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_BF16, &w), HABITAT_OK);
    CHECK_INT(w.dtype, HABITAT_DTYPE_BF16);
    CHECK_NEAR(w.read_bytes, 18 * 2, 0); /* 6 and 12 elements */
    CHECK_NEAR(w.write_bytes, 18 * 2, 0);
    CHECK_INT(case_read(&c, "c10d::allreduce_ | {[2,3];[4,3]}"), 0);
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_BF16, &w), HABITAT_OK);
    CHECK_INT(w.op_class, HABITAT_CLASS_COLLECTIVE);
    CHECK_INT(w.dtype, HABITAT_DTYPE_BF16);
    CHECK_NEAR(w.read_bytes, 18 * 2, 0);
    check_case("a list of tensors has the format that is given for it");
}

static void recurrent_kinds(void) {
    static const struct {
        double gates;
        const char *kind;
    } rows[] = {{4, "lstm"}, {3, "gru"}, {1, "rnn"}};
    for (size_t i = 0; i < 3; i++) {
        habitat_rnn_shape r = {
            .gates = rows[i].gates, .batch = 2, .steps = 3, .input = 4, .hidden = 5, .layers = 1};
        habitat_work w = {0};
        CHECK_INT(habitat_work_rnn(&r, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &w), HABITAT_OK);
        CHECK_TEXT(w.kind, rows[i].kind);
    }
    check_case("the number of gates names a recurrent layer");
}

/* An LSTM's state of 5 numbers projected to 2: 4*5*(4+2) + 5*2 = 130 a step and sequence. */
static void recurrent_projections(void) {
    static const struct {
        double gates, projected;
        habitat_status status;
    } rows[] = {{4, 2, HABITAT_OK},      {4, 0, HABITAT_OK},      {4, 5, HABITAT_E_ARG},
                {4, -1, HABITAT_E_ARG},  {4, 1.5, HABITAT_E_ARG}, {4, NAN, HABITAT_E_ARG},
                {4, 0.5, HABITAT_E_ARG}, {3, 2, HABITAT_E_ARG}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        habitat_rnn_shape r = {.gates = rows[i].gates,
                               .batch = 2,
                               .steps = 3,
                               .input = 4,
                               .hidden = 5,
                               .layers = 1,
                               .projected = rows[i].projected};
        habitat_work w = {0};
        CHECK_INT(habitat_work_rnn(&r, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &w),
                  rows[i].status);
        if (i == 0)
            CHECK_NEAR(w.flop, 2.0 * 130 * 2 * 3, 0);
    }
    check_case("only an LSTM's state is projected, to fewer numbers");
}

/* 2 queries and 3 keys: 1 + 2 pairs top-left, 2 + 3 bottom-right; 3 and 2: 1 + 2 + 2, 0 + 1 + 2. A
 * pair is 2 (8 + 4) flop forward, 2 (24 + 8) backward. Forward q, k, v are read, out and a number a
 * row are written. */
static void causal_masks(void) {
    static const struct {
        double q, kv;
        bool bottom_right;
        double pairs;
    } cases[] = {{2, 3, false, 3}, {2, 3, true, 5}, {3, 2, false, 5}, {3, 2, true, 3}};
    static const habitat_dtype formats[] = {HABITAT_DTYPE_FP32, HABITAT_DTYPE_TF32,
                                            HABITAT_DTYPE_BF16, HABITAT_DTYPE_FP16};
    for (size_t i = 0; i < 16; i++) {
        double q = cases[i / 4].q, kv = cases[i / 4].kv, size = i % 4 < 2 ? 4 : 2;
        habitat_attention_shape a = {.batch = 1,
                                     .heads = 1,
                                     .kv_heads = 1,
                                     .q_len = q,
                                     .kv_len = kv,
                                     .head_dim = 8,
                                     .v_head_dim = 4,
                                     .causal = true,
                                     .bottom_right = cases[i / 4].bottom_right};
        habitat_work w;
        CHECK_INT(habitat_work_attention(&a, formats[i % 4], HABITAT_PASS_FORWARD, &w), HABITAT_OK);
        CHECK_NEAR(w.flop, 24 * cases[i / 4].pairs, 0);
        CHECK_NEAR(w.read_bytes, size * (8 * q + 12 * kv), 0);
        CHECK_NEAR(w.write_bytes, size * 4 * q + 4 * q, 0);
        CHECK_INT(habitat_work_attention(&a, formats[i % 4], HABITAT_PASS_BACKWARD, &w),
                  HABITAT_OK);
        CHECK_NEAR(w.flop, 64 * cases[i / 4].pairs, 0);
    }
    check_case("pairs under a causal mask, by hand, alike in every format");
}

static void constructors(void) {
    habitat_work w = {0};
    habitat_status s;
    const habitat_pass fwd = HABITAT_PASS_FORWARD, bwd = HABITAT_PASS_BACKWARD;
    const habitat_dtype f32 = HABITAT_DTYPE_FP32, bf16 = HABITAT_DTYPE_BF16;
    habitat_gemm_shape g = {.b = 1, .m = 32, .n = 1000, .k = 2048, .bias = true};
    s = habitat_work_gemm(&g, f32, &w);
    same_as("aten::addmm | f32[1000] f32[32,2048] f32[2048,1000] =1 =1", s, &w);
    g = (habitat_gemm_shape){.b = 12, .m = 3, .n = 5, .k = 4};
    s = habitat_work_gemm(&g, bf16, &w);
    same_as("aten::bmm | bf16[12,3,4] bf16[12,4,5]", s, &w);
    habitat_conv_shape c = {.dims = 2,
                            .batch = 2,
                            .c_in = 8,
                            .c_out = 16,
                            .groups = 2,
                            .in = {10, 12},
                            .out = {5, 6},
                            .kernel = {3, 3},
                            .stride = {2, 2},
                            .padding = {1, 1},
                            .dilation = {1, 1},
                            .bias = true};
    s = habitat_work_conv(&c, f32, fwd, &w);
    same_as("aten::conv2d | f32[2,8,10,12] f32[16,4,3,3] f32[16] =[2,2] =[1,1] =[1,1] =2", s, &w);
    s = habitat_work_conv(&c, f32, bwd, &w);
    same_as("aten::convolution_backward | f32[2,16,5,6] f32[2,8,10,12] f32[16,4,3,3] =[16] =[2,2] "
            "=[1,1] =[1,1] =False =[0,0] =2 =[True,True,True]",
            s, &w);
    s = habitat_work_conv(&c, f32, HABITAT_PASS_BACKWARD_WEIGHT, &w);
    same_as("aten::convolution_backward | f32[2,16,5,6] f32[2,8,10,12] f32[16,4,3,3] =[0] =[2,2] "
            "=[1,1] =[1,1] =False =[0,0] =2 =[False,True,False]",
            s, &w);
    habitat_attention_shape a = {.batch = 2,
                                 .heads = 4,
                                 .kv_heads = 1,
                                 .q_len = 16,
                                 .kv_len = 16,
                                 .head_dim = 8,
                                 .v_head_dim = 8,
                                 .causal = true};
    s = habitat_work_attention(&a, bf16, fwd, &w);
    same_as("aten::_scaled_dot_product_flash_attention | bf16[2,4,16,8] bf16[2,1,16,8] "
            "bf16[2,1,16,8] =0.0 =True =False -",
            s, &w);
    s = habitat_work_attention(&a, bf16, bwd, &w);
    same_as("aten::_scaled_dot_product_flash_attention_backward | bf16[2,4,16,8] bf16[2,4,16,8] "
            "bf16[2,1,16,8] bf16[2,1,16,8] bf16[2,4,16,8] f32[2,4,16] - - =16 =16 =0.0 =True "
            "i64[] i64[] -",
            s, &w);
    habitat_rnn_shape r = {.gates = 3,
                           .batch = 4,
                           .steps = 10,
                           .input = 16,
                           .hidden = 32,
                           .layers = 2,
                           .bidirectional = true};
    s = habitat_work_rnn(&r, f32, fwd, &w);
    CHECK_TEXT(w.kind, "gru");
    CHECK_TEXT(w.kind, "gru");
    same_as("aten::_cudnn_rnn | f32[10,4,16] {} =4 - f32[4,4,32] - =3 =32 =0 =2 =False =0.0 =True "
            "=True =[] -",
            s, &w);
    habitat_rows_shape rows = {8, 16};
    s = habitat_work_rows("softmax", &rows, f32, fwd, &w);
    same_as("aten::_softmax | f32[8,16] =1 =False", s, &w);
    s = habitat_work_rows("softmax", &rows, f32, bwd, &w);
    same_as("aten::_softmax_backward_data | f32[8,16] f32[8,16] =1 =6", s, &w);
    s = habitat_work_rows("layer_norm", &rows, bf16, fwd, &w);
    same_as("aten::native_layer_norm | bf16[8,16] =[16] bf16[16] bf16[16] =1e-05", s, &w);
    s = habitat_work_rows("layer_norm", &rows, f32, bwd, &w);
    same_as("aten::native_layer_norm_backward | f32[8,16] f32[8,16] =[16] f32[8,1] f32[8,1] "
            "f32[16] f32[16] =[True,True,True]",
            s, &w);
    s = habitat_work_rows("rms_norm", &rows, f32, fwd, &w);
    same_as("aten::_fused_rms_norm | f32[8,16] =[16] f32[16] -", s, &w);
    rows = (habitat_rows_shape){3, 32};
    s = habitat_work_rows("batch_norm", &rows, f32, fwd, &w);
    same_as("aten::cudnn_batch_norm | f32[2,3,4,4] f32[3] f32[3] - - =True =0.1 =1e-05", s, &w);
    s = habitat_work_rows("batch_norm", &rows, f32, bwd, &w);
    same_as("aten::cudnn_batch_norm_backward | f32[2,3,4,4] f32[2,3,4,4] f32[3] - - f32[3] f32[3] "
            "=1e-05 i8[0]",
            s, &w);
    s = habitat_work_rows("sum", &rows, f32, fwd, &w);
    same_as("aten::sum | f32[3,32] =[1] =False -", s, &w);
    s = habitat_work_rows("mean", &rows, f32, fwd, &w);
    same_as("aten::mean | f32[3,32] =[1] =False -", s, &w);
    rows = (habitat_rows_shape){1, 100};
    s = habitat_work_rows("add", &rows, f32, fwd, &w);
    same_as("aten::add | f32[100] f32[100] =1", s, &w);
    s = habitat_work_rows("gelu", &rows, f32, fwd, &w);
    same_as("aten::gelu | f32[100] -", s, &w);
    s = habitat_work_rows("gelu", &rows, f32, bwd, &w);
    same_as("aten::gelu_backward | f32[100] f32[100] -", s, &w);
    s = habitat_work_rows("addcmul", &rows, f32, fwd, &w);
    same_as("aten::addcmul | f32[100] f32[100] f32[100] =1", s, &w);
}

static void constructors_refuse(void) {
    habitat_work w = {.flop = 7};
    habitat_gemm_shape g = {.b = 1, .m = 0, .n = 2, .k = 3};
    CHECK_INT(habitat_work_gemm(&g, HABITAT_DTYPE_FP32, &w), HABITAT_E_ARG);
    g.m = NAN;
    CHECK_INT(habitat_work_gemm(&g, HABITAT_DTYPE_FP32, &w), HABITAT_E_ARG);
    g.m = INFINITY;
    CHECK_INT(habitat_work_gemm(&g, HABITAT_DTYPE_FP32, &w), HABITAT_E_ARG);
    g.m = 1;
    CHECK_INT(habitat_work_gemm(&g, HABITAT_DTYPE_UNKNOWN, &w), HABITAT_E_ARG);
    CHECK_INT(habitat_work_gemm(NULL, HABITAT_DTYPE_FP32, &w), HABITAT_E_ARG);
    habitat_conv_shape c = {.dims = 4};
    CHECK_INT(habitat_work_conv(&c, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &w), HABITAT_E_ARG);
    habitat_attention_shape a = {0};
    CHECK_INT(habitat_work_attention(&a, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &w),
              HABITAT_E_ARG);
    a = (habitat_attention_shape){.batch = 1.1e18,
                                  .heads = 1,
                                  .kv_heads = 1,
                                  .q_len = 1,
                                  .kv_len = 1,
                                  .head_dim = 1,
                                  .v_head_dim = 1};
    CHECK_INT(habitat_work_attention(&a, HABITAT_DTYPE_FP16, HABITAT_PASS_FORWARD, &w),
              HABITAT_E_ARG);
    a.batch = 0.9e18; /* the largest sizes are below 1e18 */
    habitat_work large;
    CHECK_INT(habitat_work_attention(&a, HABITAT_DTYPE_FP16, HABITAT_PASS_FORWARD, &large),
              HABITAT_OK);
    habitat_rnn_shape r = {0};
    CHECK_INT(habitat_work_rnn(&r, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &w), HABITAT_E_ARG);
    habitat_rows_shape rows = {1, -1};
    CHECK_INT(habitat_work_rows("add", &rows, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &w),
              HABITAT_E_ARG);
    rows.columns = 5;
    CHECK_INT(habitat_work_rows("frobnicate", &rows, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &w),
              HABITAT_E_UNSUPPORTED);
    CHECK_INT(habitat_work_rows("add", &rows, HABITAT_DTYPE_FP32, HABITAT_PASS_OPTIMIZER, &w),
              HABITAT_E_ARG);
    CHECK(w.flop == 7);
    check_case("constructors refuse impossible sizes and leave the result untouched");
}

/* Lists take the format that a kernel's name tells. */
static void listed_tensors(void) {
    static work_case c;
    habitat_work w = {0};
    case_read(&c, "aten::cat | {[2,3];[2,5]} =1");
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_BF16, &w), HABITAT_OK);
    CHECK(w.known && w.read_bytes == 32 && w.write_bytes == 32 && w.dtype == HABITAT_DTYPE_BF16);
    case_read(&c, "aten::_foreach_addcdiv_ | {[4];[6]} {[4];[6]} {[4];[6]} -");
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_FP32, &w), HABITAT_OK);
    CHECK(w.known && w.flop == 30 && w.read_bytes == 120 && w.write_bytes == 40);
    CHECK_TEXT(w.kind, "addcdiv");
    case_read(&c, "aten::_fused_adam_ | {[10]} {[10]} {[10]} {[10]} {} {[1]} =0.1");
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_FP32, &w), HABITAT_OK);
    CHECK(w.known && w.flop == 130 && w.read_bytes == 160 && w.write_bytes == 120);
    check_case("lists of tensors with their format given");
    char line[1024] = "aten::_foreach_add_ | {[2]";
    for (size_t i = 1; i < 111; i++)
        strcat(line, ";[2]");
    strcat(line, "} =1");
    case_read(&c, line); /* 110 tensors of one list a launch */
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_FP32, &w), HABITAT_OK);
    CHECK(w.shape.list.launches == 2 && w.shape.list.longest == 4 && w.shape.list.elements == 222);
    case_read(&c, "aten::_foreach_sqrt | {[65536,321];[10]}");
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_FP32, &w), HABITAT_OK);
    CHECK(w.shape.list.launches == 2 && w.shape.list.longest == 131072);
    case_read(&c, "aten::_foreach_sqrt_ | {[10];[20971520];[41943030];[7]}"); /* 10, 320 and 640 */
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_FP32, &w), HABITAT_OK);
    CHECK(w.shape.list.launches == 4 && w.shape.list.longest == 3 * 65536 + 65526);
    case_read(&c, "aten::_foreach_sqrt_ | {[1048576,1048576]}");
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_FP32, &w), HABITAT_OK);
    CHECK(w.shape.list.launches == 52429 && w.shape.list.longest == 52429.0 * 65536);
    case_read(&c, "aten::_foreach_sqrt_ | {[576460752303423488,576460752303423488]}"); /* at once */
    CHECK_INT(habitat_operation_work_typed(&c.op, HABITAT_DTYPE_FP32, &w), HABITAT_OK);
    CHECK(w.shape.list.launches > 1e28 && w.shape.list.longest > 1e33);
    check_case("a launch takes 320 pieces of 65,536 elements, or as many tensors as lists allow");
    static const struct {
        const char *line;
        bool by_column;
    } sums[] = {{"aten::sum | f32[3,32] =[1] =False -", false},
                {"aten::sum | f32[3,32] =[0] =True -", true},
                {"aten::sum | f32[3,32]@1,3 =[0] =True -", false},
                {"aten::sum | f32[2,3,4,4] =[0,2,3] =False -", false},
                {"aten::sum | f32[2,3,4,4]@48,1,12,3 =[0,2,3] =False -", true},
                {"aten::sum | f32[3,32] -", false},
                {"aten::mean | f32[8,4,16] =[-2] =False -", true},
                {"aten::cumsum | f32[8,4,16] =1 -", true},
                {"aten::cumsum | f32[8,4,16] =-1 -", false},
                {"aten::cumsum | f32[8,4,16]@64,1,4 =1 -", true},
                {"aten::cumsum | f32[8,4,16] =-3 -", true},
                {"aten::cumsum | f32[1,4,1] =1 -", false},
                {"aten::cumsum | f32[8] =0 -", false}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        case_read(&c, sums[i].line);
        CHECK_INT(habitat_operation_work(&c.op, &w), HABITAT_OK);
        CHECK_INT(w.by_column, sums[i].by_column);
    }
    check_case("a sum or scan goes by column where the innermost dimension stays");
#define FOUR " f32[3] f32[3] f32[3] f32[3] "
    static const struct {
        const char *line;
        bool channels_last;
        double scaled_images, images;
    } norms[] = {
        {"aten::batch_norm | f32[2,3,4,5]" FOUR "=True =0.1 =1 =True", false, 0, 2},
        {"aten::batch_norm | f32[2,3,4,5]@60,1,15,3" FOUR "=True =0.1 =1 =True", true, 0, 2},
        {"aten::batch_norm | f32[2,3,4,5]@80,1,20,3" FOUR "=True =0.1 =1 =True", false, 0, 2},
        {"aten::batch_norm | f32[2,3,1,5]@15,1,9,3" FOUR "=True =0.1 =1 =True", true, 0, 2},
        {"aten::batch_norm | f32[2,3,1,1]@3,1,1,1" FOUR "=True =0.1 =1 =True", true, 0, 2},
        {"aten::batch_norm | f32[2,1,4,5]@20,1,5,1 f32[1] f32[1] f32[1] f32[1] =True =0.1 =1 =True",
         false, 0, 2},
        {"aten::batch_norm | f32[2,3,2,4,5]@120,1,60,15,3" FOUR "=True =0.1 =1 =True", false, 0, 2},
        {"aten::batch_norm | f32[2,3,4,5,1]@60,1,15,3,3" FOUR "=True =0.1 =1 =True", false, 0, 2},
        {"aten::batch_norm | f32[2,3,5]@15,1,3" FOUR "=False =0.1 =1 =True", false, 2, 2},
        {"aten::batch_norm | f32[7,3]" FOUR "=False =0.1 =1 =True", true, 7, 0},
        {"aten::batch_norm | f32[7,3]@3,1" FOUR "=True =0.1 =1 =True", true, 0, 0},
        {"aten::batch_norm | f32[7,3]@6,1" FOUR "=True =0.1 =1 =True", false, 0, 0},
        {"aten::batch_norm | f32[7,3]@1,7" FOUR "=True =0.1 =1 =True", false, 0, 0},
        {"aten::batch_norm | f32[7,1] f32[1] f32[1] f32[1] f32[1] =True =0.1 =1 =True", false, 0,
         0},
        {"aten::batch_norm | f32[7,3,2,2]" FOUR "? =0.1 =1 =True", false, 0, 7},
        {"aten::_native_batch_norm_legit_no_training | f32[7,3,2,2]" FOUR "=0.1 =1", false, 7, 7},
        {"aten::native_layer_norm | f32[2,3,4,5]@60,1,15,3 =[3] - - =1", false, 0, 0},
        {"aten::native_batch_norm_backward | f32[2,3,4,5]@60,1,15,3 f32[2,3,4,5]@60,1,15,3 f32[3] "
         "- - f32[3] f32[3] =True =1 =[True,True,True]",
         true, 0, 2},
        {"aten::native_batch_norm_backward | f32[2,3,4,5] f32[2,3,4,5]@60,1,15,3 f32[3] - - f32[3] "
         "f32[3] =True =1 =[True,True,True]",
         false, 0, 2},
        {"aten::native_batch_norm_backward | f32[2,3,4,5]@60,1,15,3 f32[2,3,4,5] f32[3] - - f32[3] "
         "f32[3] =False =1 =[True,True,True]",
         false, 0, 2}};
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
        case_read(&c, norms[i].line);
        CHECK_INT(habitat_operation_work(&c.op, &w), HABITAT_OK);
        CHECK_INT(w.channels_last, norms[i].channels_last);
        CHECK_NEAR(w.scaled_images, norms[i].scaled_images, 0);
        CHECK_NEAR(w.images, norms[i].images, 0);
    }
    check_case("a batch norm says how its images lie, and which are scaled alone");
}

/* A sparse matrix is recorded with the sizes of a whole one, and without strides. */
static void sparse(void) {
    static const struct {
        const char *text;
        bool known;
    } cases[] = {
        {"aten::addmm | f32[4,8]@8,1 f32[4,16] f32[16,8]@8,1 =1 =1", false},
        {"aten::mm | f32[4,16] f32[16,8]@8,1", false},
        {"aten::addmm | f32[4,8]@8,1 f32[4,16]@16,1 f32[16,8]@8,1 =1 =1", true},
        {"aten::addmm | f32[8]@1 f32[4,16]@16,1 f32[16,8]@8,1 =1 =1", true},
        {"aten::addmm | f32[4,8] f32[4,16] f32[16,8] =1 =1", true}, /* nobody noted strides */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static work_case c;
        habitat_work work;
        CHECK_INT(case_read(&c, cases[i].text), 0);
        CHECK_INT(habitat_operation_work(&c.op, &work), HABITAT_OK);
        CHECK_INT(work.known, cases[i].known);
    }
    check_case("how many numbers a sparse matrix has is not known");
}

/* 20 steps of 4 samples, then 10 of 2. A profiler leaves out lists of more than 30. */
static void packed(void) {
    static const char *const texts[] = {
        "aten::_cudnn_rnn | f32[100,16] {} =4 - f32[1,4,32] f32[1,4,32] =2 =32 =0 =1 =False =0.0 "
        "=True =False =[4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,2,2,2,2,2,2,2,2,2,2] -",
        "aten::_cudnn_rnn | f32[100,16] {} =4 - f32[1,4,32] f32[1,4,32] =2 =32 =0 =1 =False =0.0 "
        "=True =False - -",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        static work_case c;
        habitat_work work;
        CHECK_INT(case_read(&c, texts[i]), 0);
        CHECK_INT(habitat_operation_work(&c.op, &work), HABITAT_OK);
        CHECK(work.known && work.shape.rnn.packed);
        CHECK(work.shape.rnn.batch == 4 && work.shape.rnn.steps == 25);
    }
    check_case(
        "sequences of several lengths have the batch of their first step, or of their states");
}

static void kinds(void) {
    static const char *const pairs[][2] = {
        {"aten::mm | f32[1,1] f32[1,1]", "mm"},
        {"aten::native_layer_norm_backward | -", "layer_norm"},
        {"aten::cudnn_batch_norm | -", "batch_norm"},
        {"aten::_log_softmax_backward_data | -", "log_softmax"},
        {"aten::relu_ | f32[1]", "relu"},
        {"aten::gelu_backward | f32[1] f32[1] -", "gelu"},
        {"aten::_fused_adamw_ | {}", "adamw"},
        {"aten::_scaled_dot_product_flash_attention | -", "sdpa_flash"},
        {"aten::nll_loss_forward | -", "nll_loss"},
    };
    static work_case c;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        habitat_work w = {0};
        case_read(&c, pairs[i][0]);
        CHECK_INT(habitat_operation_work(&c.op, &w), HABITAT_OK);
        CHECK_TEXT(w.kind, pairs[i][1]);
    }
    check_case("kinds are plain names");
}

/* Copies of one piece, and those between parts of tensors. */
static void copies(void) {
    static const char *const pairs[][2] = {
        {"aten::copy_ | f32[4,8] f32[4,8] =False", "copy"}, /* strides not recorded: in order */
        {"aten::copy_ | f32[4,8]@8,1 f32[4,8]@8,1 =False", "copy"},
        {"aten::copy_ | f32[4,8]@1,4 f32[4,8]@1,4 =False", "copy"}, /* turned alike */
        {"aten::copy_ | f32[4,8]@16,1 f32[4,8]@8,1 =False", "clone strided"},
        {"aten::copy_ | f32[4,8]@8,1 f32[4,8]@16,1 =False", "clone strided"},
        {"aten::copy_ | f32[4,8]@16,1 f32[4,8]@16,1 =False", "clone strided"}, /* alike, in parts */
        {"aten::copy_ | f32[4,8]@8,1 f32[4,8]@1,4 =False", "clone turned"},
        {"aten::copy_ | f32[4,1]@8,1 f32[4,1]@1,4 =False", "clone turned"},
        {"aten::copy_ | f32[4,8]@16,1 f16[4,8]@8,1 =False", "copy"}, /* a cast is no copy */
        {"aten::clone | f32[4,8]@8,1 -", "clone"},
        {"aten::clone | f32[4,8]@16,1 -", "clone strided"},
        {"aten::clone | f32[4,8]@1,4 -", "clone turned"},
        {"aten::clone | f32[4,8]@1,4 =1", "clone"}, /* preserved */
    };
    static work_case c;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        habitat_work w = {0};
        CHECK_INT(case_read(&c, pairs[i][0]), 0);
        CHECK_INT(habitat_operation_work(&c.op, &w), HABITAT_OK);
        CHECK_TEXT(w.kind, pairs[i][1]);
    }
    check_case("copies say whether they are of one piece, of parts, or turned");
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_number(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Any inputs to any operation: a status, and never a known number that is no number. */
static void nonsense(void) {
    static const int64_t sizes[] = {0, 1, 1, 2, 3, 7, 64, INT64_MAX, -1, INT64_MIN};
    static const char *const values[] = {"",      "True", "[1, 1]", "[]",  "-1",   "1e308",
                                         "1e999", "[",    "[1,",    "nan", "same", "1.5",
                                         "[-9]",  "0",    "[0]",    NULL};
    size_t count;
    const work_rule *rules = work_rules(&count);
    int64_t dims[16][40];
    habitat_input inputs[16];
    for (size_t i = 0; i < 40 * count; i++) {
        uint32_t n = (uint32_t)(random_number() % 16);
        memset(inputs, 0, sizeof inputs);
        for (uint32_t j = 0; j < n; j++) {
            habitat_input *in = &inputs[j];
            in->value = values[random_number() % 16];
            in->type = random_number() % 2 ? "Scalar" : "";
            in->dtype = (habitat_dtype)(random_number() % HABITAT_DTYPE_COUNT);
            in->is_tensor = random_number() % 2;
            in->is_list = !in->is_tensor && random_number() % 3 == 0;
            in->rank = (uint8_t)(in->is_list ? 0 : random_number() % 7);
            for (int k = 0; k < 40; k++)
                dims[j][k] = sizes[random_number() % (random_number() % 8 ? 7 : 10)];
            in->dims = dims[j];
            in->strides = random_number() % 2 ? dims[j] : NULL;
            if (in->is_list) {
                in->list_count = (uint32_t)(random_number() % 3);
                dims[j][0] = dims[j][3] = 2;
            }
        }
        char name[96];
        snprintf(name, sizeof name, "aten::%s", rules[i % count].name);
        habitat_op_form form = {.name = name, .inputs = inputs, .input_count = n};
        habitat_operation op = {.form = &form};
        habitat_work w = {0};
        habitat_status status = habitat_operation_work(&op, &w);
        CHECK(status == HABITAT_OK || status == HABITAT_E_RANGE);
        if (w.known)
            CHECK(isfinite(w.flop) && w.flop >= 0 && isfinite(w.read_bytes) && w.read_bytes >= 0 &&
                  isfinite(w.write_bytes) && w.write_bytes >= 0);
    }
    check_case("nonsense never gives a number that is none");
    habitat_op_form form = {.name = NULL};
    habitat_operation op = {.form = &form};
    habitat_work w = {.flop = 7};
    CHECK_INT(habitat_operation_work(&op, &w), HABITAT_E_ARG);
    CHECK_INT(habitat_operation_work(NULL, &w), HABITAT_E_ARG);
    CHECK_INT(habitat_operation_work(&(habitat_operation){.form = NULL}, &w), HABITAT_E_ARG);
    form.name = "aten::mm";
    CHECK_INT(habitat_operation_work(&op, NULL), HABITAT_E_ARG);
    form.input_count = 2;
    CHECK_INT(habitat_operation_work(&op, &w), HABITAT_E_ARG);
    CHECK(w.flop == 7);
    static const char *const odd[] = {"",
                                      "aten::",
                                      "_",
                                      "aten::_",
                                      ".",
                                      "aten::.",
                                      "aten::_foreach_",
                                      "aten::_foreach__",
                                      "triton_",
                                      "aten::add.",
                                      "aten::__"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        form = (habitat_op_form){.name = odd[i]};
        habitat_operation_work(&op, &w);
    }
    check_case("missing pieces and odd names");
}

/* A name says its pass: gradients have "backward" in it, but for these two. */
static void passes(void) {
    static const char *const unnamed[] = {"_masked_scale",
                                          "masked_scale"}; /* gradient of dropout */
    size_t count, wrong = 0;
    const work_rule *rules = work_rules(&count);
    for (size_t i = 0; i < count; i++) {
        bool named = strstr(rules[i].name, "backward") || strstr(rules[i].name, "Backward");
        for (size_t j = 0; j < sizeof unnamed / sizeof *unnamed; j++)
            named |= !strcmp(rules[i].name, unnamed[j]);
        if (named == (rules[i].pass == HABITAT_PASS_BACKWARD))
            continue;
        printf("# %s\n", rules[i].name);
        wrong++;
    }
    CHECK_INT(wrong, 0);
    check_case("operations named backward, and no others, are marked backward");
}

int main(void) {
    table_is_sorted();
    classes();
    passes();
    golden();
    constructors();
    causal_masks();
    recurrent_kinds();
    recurrent_projections();
    lists();
    constructors_refuse();
    listed_tensors();
    sparse();
    packed();
    kinds();
    copies();
    nonsense();
    return check_done();
}
