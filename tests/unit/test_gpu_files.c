/* Reading GPU files: what is refused and with which words, user folders, calibrations, the schema.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yajl/yajl_tree.h>

#include <habitat/gpu.h>

#include "gpu/entry.h"

#include "check.h"
#include "gpu_text.h"

static size_t table_size; /* GPUs of the table without any file of the user's */

static habitat_gpu_table *fresh(void) {
    habitat_gpu_table *table = NULL;
    CHECK(habitat_gpu_table_create(NULL, &table, NULL) == HABITAT_OK);
    return table;
}

static void check_good(void) {
    habitat_gpu_table *table = fresh();
    const habitat_gpu *gpu = NULL, *found = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_add_text(table, gpu_text, strlen(gpu_text), "mine", &gpu, &err),
              HABITAT_OK);
    CHECK_INT(habitat_gpu_count(table), table_size + 1);
    CHECK(habitat_gpu_find(table, "test card one", &found, NULL, NULL) == HABITAT_OK &&
          found == gpu);
    CHECK_TEXT(gpu->file, "mine");
    CHECK_INT(gpu->limits.shared_memory_per_sm_bytes, 164 * 1024); /* from its capability */
    CHECK(gpu->sustained_bandwidth_estimated && gpu->sustained_plain_estimated[HABITAT_DTYPE_FP32]);
    size_t count = 0;
    CHECK(habitat_gpu_check(table, NULL, &count) == HABITAT_OK);
    CHECK_INT(count, 0);
    check_case("a complete file adds a GPU, with limits and estimates filled in");

    const char *text = gpu_text_with("\"sm_count\": 100", "\"sm_count\": 101, \"x_mine\": [{}]");
    const habitat_gpu *second = NULL;
    CHECK_INT(habitat_gpu_table_add_text(table, text, strlen(text), "mine2", &second, &err),
              HABITAT_OK);
    CHECK_INT(habitat_gpu_count(table), table_size + 1);
    CHECK(second->sm_count == 101 && gpu->sm_count == 100); /* the replaced entry stays readable */
    check_case("a later file of the same name replaces; keys that begin with x_ are left alone");

    text = gpu_text_with("\"tdp_w\": 200,",
                         "\"tdp_w\": 200, \"sm_limits\": {\"max_blocks_per_sm\": 7},");
    CHECK_INT(habitat_gpu_table_add_text(table, text, strlen(text), "mine3", &gpu, &err),
              HABITAT_OK);
    CHECK_INT(gpu->limits.blocks_per_sm, 7);
    CHECK_INT(gpu->limits.threads_per_sm, 2048);
    check_case("limits that a file gives are laid over those of the capability");
    habitat_gpu_table_free(table);
}

static void check_bad(void) {
    static const struct {
        const char *from, *to; /* change to gpu_text */
        habitat_status status;
        unsigned line;
        const char *says;
    } rows[] = {
        {"\"tdp_w\"", "\"tpd_w\"", HABITAT_E_FORMAT, 10, "tpd_w: unknown key; did you mean tdp_w?"},
        {"\"tdp_w\": 200,", "", HABITAT_E_FORMAT, 0, "missing: tdp_w; `habitat gpus --template`"},
        {"\"tdp_w\": 200", "\"tdp_w\": -200", HABITAT_E_RANGE, 10, "outside 5 to 5000"},
        {"\"tdp_w\": 200", "\"tdp_w\": 1e999", HABITAT_E_RANGE, 10, "outside"},
        {"\"tdp_w\": 200", "\"tdp_w\": \"200\"", HABITAT_E_FORMAT, 10, "must be a number"},
        {"\"tdp_w\": 200", "\"tdp_w\": null", HABITAT_E_FORMAT, 0, "missing: tdp_w;"},
        {"\"tdp_w\": 200", "\"tdp_w\": 200, \"chip\": null", HABITAT_E_FORMAT, 0, "missing: chip;"},
        {"\"tdp_w\": 200", "\"tdp_w\": 200, \"tdp_w\": 200", HABITAT_E_FORMAT, 10, "occurs twice"},
        {"\"sm_count\": 100", "\"sm_count\": 100.5", HABITAT_E_RANGE, 11, "whole number"},
        {"\"sm_count\": 100", "\"sm_count\": 0", HABITAT_E_RANGE, 11, "outside"},
        {"\"boost_clock_mhz\": 1000", "\"boost_clock_mhz\": 1.0", HABITAT_E_RANGE, 13,
         "check the unit in the key"},
        {"\"Test-1\"", "\"\"", HABITAT_E_FORMAT, 3, "not empty"},
        {"\"Test-1\"", "\"--\"", HABITAT_E_FORMAT, 3, "letters or digits"},
        {"\"Test-1\"", "\"a\\u0007b\"", HABITAT_E_FORMAT, 3, "control characters"},
        {"\"Test-1\"", "\"A100\"", HABITAT_E_FORMAT, 0, "already means A100-SXM4-80GB"},
        {"\"Test Card One\"", "\"Tesla T4\"", HABITAT_E_FORMAT, 0, "already means T4"},
        {"[\"Test Card One\"]", "\"Test Card One\"", HABITAT_E_FORMAT, 4, "list of texts"},
        {"[\"Test Card One\"]", "[1]", HABITAT_E_FORMAT, 4, "must be a text"},
        {"\"8.0\"", "8.0", HABITAT_E_FORMAT, 7, "such as \"9.0\""},
        {"\"8.0\"", "\"8\"", HABITAT_E_FORMAT, 7, "such as \"9.0\""},
        {"\"2024-05-06\"", "\"6 May 2024\"", HABITAT_E_FORMAT, 8, "YYYY-MM"},
        {"\"2024-05-06\"", "\"2024-13-06\"", HABITAT_E_FORMAT, 8, "YYYY-MM"},
        {"\"2024-05-06\"", "\"2024-04-31\"", HABITAT_E_FORMAT, 8, "YYYY-MM"},
        {"\"2024-05-06\"", "\"2023-02-29\"", HABITAT_E_FORMAT, 8, "YYYY-MM"},
        {"\"tf32\"", "\"tf23\"", HABITAT_E_FORMAT, 21, "unknown number format in matrix"},
        {"\"matrix\"", "\"tensor\"", HABITAT_E_FORMAT, 21, "peaks are under plain and matrix"},
        {"\"fp32\": 12.8", "\"fp32\": 0", HABITAT_E_RANGE, 20, "outside"},
        {"\"title\": \"Sheet\",", "", HABITAT_E_FORMAT, 23, "a source needs"},
        {"\"title\"", "\"tilte\"", HABITAT_E_FORMAT, 23, "unknown key in sources"},
        {"\"2024-05\"", "\"May\"", HABITAT_E_FORMAT, 23, "date must be"},
        {"\"title\": \"Sheet\"", "\"kind\": \"guess\", \"title\": \"Sheet\"", HABITAT_E_FORMAT, 23,
         "kind: must be one of: data sheet, device properties, catalogue, derived, measured"},
        {"\"tdp_w\"", "\"\"", HABITAT_E_FORMAT, 0, "unknown key"},
        {"\"tdp_w\": 200", "\"operations\": [], \"tdp_w\": 200", HABITAT_E_FORMAT, 10,
         "only in a calibration"},
        {"\"tdp_w\": 200", "\"operations\": 1, \"tdp_w\": 200", HABITAT_E_FORMAT, 10,
         "must be a list of measured operations"},
        {"\"tdp_w\": 200",
         "\"host\": {\"launch_ns\": 4, \"launch_spread\": 0, \"forward_ns\": 9, "
         "\"forward_spread\": 0, "
         "\"backward_ns\": 9, \"backward_spread\": 0}, \"tdp_w\": 200",
         HABITAT_E_FORMAT, 10, "host: has a place only in a calibration"},
        {"\"schema\": 1", "\"schema\": 2", HABITAT_E_VERSION, 2, "not a version"},
        {"\"tdp_w\": 200", "\"sustained\": {\"gemm\": 1}, \"tdp_w\": 200", HABITAT_E_FORMAT, 10,
         "unknown key in sustained"},
        {"\"tdp_w\": 200", "\"sm_limits\": {\"max_blocks\": 1}, \"tdp_w\": 200", HABITAT_E_FORMAT,
         10, "did you mean max_blocks_per_sm?"},
        {"\"vendor\"", "vendor", HABITAT_E_PARSE, 5, "not JSON"},
        {"\n}\n", "", HABITAT_E_PARSE, 23, "ends too early"},
        {"\n}\n", "}}", HABITAT_E_PARSE, 23, "not JSON"},
    };
    habitat_gpu_table *table = fresh();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char title[200];
        habitat_error err = {0};
        const habitat_gpu *gpu = NULL;
        const char *text = gpu_text_with(rows[i].from, rows[i].to);
        CHECK(text != NULL);
        CHECK_INT(habitat_gpu_table_add_text(table, text, strlen(text), "bad.json", &gpu, &err),
                  rows[i].status);
        CHECK(gpu == NULL);
        CHECK_INT(habitat_gpu_count(table), table_size);
        CHECK_TEXT(err.file, "bad.json");
        CHECK_INT(err.line, rows[i].line);
        if (!strstr(err.message, rows[i].says)) {
            printf("# %s\n", err.message);
            check_case_failed = 1;
        }
        snprintf(title, sizeof title, "refused: %.60s -> %.60s", rows[i].from, rows[i].to);
        for (char *c = title; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        check_case(title);
    }
    habitat_gpu_table_free(table);
}

/* Texts that are not near a GPU file at all. */
static void check_hostile(void) {
    habitat_gpu_table *table = fresh();
    habitat_error err = {0};
    char *deep = malloc(2 << 20);
    memset(deep, '[', 2 << 20);
    static const struct {
        const char *text;
        size_t size;
        habitat_status status;
    } rows[] = {
        {"", 0, HABITAT_E_PARSE},           {" ", 1, HABITAT_E_PARSE},
        {"[]", 2, HABITAT_E_FORMAT},        {"1", 1, HABITAT_E_FORMAT},
        {"null", 4, HABITAT_E_FORMAT},      {"{}", 2, HABITAT_E_FORMAT},
        {"{}{}", 4, HABITAT_E_PARSE},       {"{\"schema\": 1}\0 rest", 18, HABITAT_E_PARSE},
        {"\xff\xfe{}", 4, HABITAT_E_PARSE}, {"{\"schema\"", 9, HABITAT_E_PARSE},
        {"\"\\", 2, HABITAT_E_PARSE},       {"\x1f\x8b\x08", 3, HABITAT_E_PARSE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_INT(habitat_gpu_table_add_text(table, rows[i].text, rows[i].size, "bad", NULL, &err),
                  rows[i].status);
    CHECK_INT(habitat_gpu_table_add_text(table, deep, 100000, "deep", NULL, &err),
              HABITAT_E_FORMAT);
    CHECK_INT(habitat_gpu_table_add_text(table, deep, 2 << 20, "long", NULL, &err),
              HABITAT_E_RANGE);
    CHECK(habitat_gpu_table_add_text(NULL, "{}", 2, "x", NULL, &err) == HABITAT_E_ARG);
    CHECK(habitat_gpu_table_add_text(table, NULL, 2, "x", NULL, &err) == HABITAT_E_ARG);
    CHECK_INT(habitat_gpu_count(table), table_size);
    free(deep);
    habitat_gpu_table_free(table);
    check_case("empty, binary, deep and endless texts are refused");
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

/* `folder` holds a good a.json of "Test-1". */
static void check_skipped(const char *folder) {
    char broken[512], copy[512], waiting[512];
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    const habitat_gpu *gpu = NULL;
    size_t count = 0;
    snprintf(broken, sizeof broken, "%s/b.json", folder);
    snprintf(copy, sizeof copy, "%s/t4.json", folder);
    snprintf(waiting, sizeof waiting, "%s/waiting.json", folder);
    write_text(broken, "{\n\"title\": \"name\", \"name\" : \"My-1\", \"tpd_w\": 200}");
    write_text(copy, "{\"calibration_of\": \"T4\"");
    CHECK(mkfifo(waiting, 0600) == 0);
    CHECK_INT(habitat_gpu_table_create(folder, &table, &err), HABITAT_OK);
    const habitat_gpu_skipped *skipped = habitat_gpu_skipped_files(table, &count);
    CHECK_INT(count, 3);
    CHECK_TEXT(skipped[0].file, broken);
    CHECK_TEXT(skipped[0].gpu, "My-1");
    CHECK_TEXT(skipped[0].message, "line 2: title: unknown key; did you mean name? (keys of your "
                                   "own begin with x_)");
    CHECK_TEXT(skipped[1].gpu, "T4");
    CHECK_TEXT(skipped[2].gpu, "waiting");
    CHECK_TEXT(skipped[2].message,
               "cannot open the GPU file or calibration: a pipe or device, not a file; remove it");
    CHECK_INT(habitat_gpu_count(table), table_size + 1);
    check_case("bad files and pipes of the folder are skipped, with file and reason");

    CHECK_INT(habitat_gpu_find(table, "my 1", &gpu, NULL, &err), HABITAT_E_FORMAT);
    CHECK_TEXT(err.file, broken);
    CHECK(strstr(err.message, "describes My-1 and was skipped: line 2: title") != NULL);
    CHECK_INT(habitat_gpu_find(table, "Tesla T4", &gpu, NULL, &err), HABITAT_E_PARSE);
    CHECK_INT(habitat_gpu_find(table, "waiting", &gpu, NULL, &err), HABITAT_E_IO);
    CHECK_INT(habitat_gpu_find(table, "L4", &gpu, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "My-2", &gpu, NULL, &err), HABITAT_E_UNKNOWN_GPU);
    check_case("asking for the GPU of a skipped file says so; others are found");

    const char *text = gpu_text_with("\"Test-1\",\n  \"aliases\": [\"Test Card One\"]",
                                     "\"My-1\", \"aliases\": [\"My card\"]");
    CHECK_INT(habitat_gpu_table_add_text(table, text, strlen(text), "mine", NULL, &err),
              HABITAT_OK);
    CHECK_INT(habitat_gpu_find(table, "My-1", &gpu, NULL, &err), HABITAT_OK);
    check_case("a later file of that GPU stands in for the skipped one");
    habitat_gpu_table_free(table);
    unlink(broken);
    unlink(copy);
    unlink(waiting);
}

static void check_folder(void) {
    char folder[] = "/tmp/habitat-test-XXXXXX", path[512], want[600], got[600];
    habitat_gpu_table *table = NULL;
    habitat_error err = {0};
    const habitat_gpu *gpu = NULL;
    CHECK(mkdtemp(folder) != NULL);
    CHECK(habitat_gpu_table_create("/nonexistent/habitat", &table, &err) == HABITAT_OK);
    CHECK_INT(habitat_gpu_table_add_file(table, "/nonexistent/x.json", NULL, &err), HABITAT_E_IO);
    CHECK_INT(habitat_gpu_table_add_file(table, folder, NULL, &err), HABITAT_E_IO);
    CHECK_TEXT(err.file, folder);
    habitat_gpu_table_free(table);
    check_case("a folder that does not exist is no error; a file that does not is one");

    snprintf(path, sizeof path, "%s/a.json", folder);
    write_text(path, gpu_text);
    snprintf(path, sizeof path, "%s/readme.txt", folder);
    write_text(path, "not JSON");
    CHECK_INT(habitat_gpu_table_create(folder, &table, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_count(table), table_size + 1);
    CHECK(habitat_gpu_find(table, "Test-1", &gpu, NULL, NULL) == HABITAT_OK);
    snprintf(path, sizeof path, "%s/a.json", folder);
    CHECK_TEXT(gpu->file, path);
    habitat_gpu_table_free(table);
    check_case("*.json of a folder are added, other files are not read");

    check_skipped(folder);

    setenv("XDG_CONFIG_HOME", folder, 1);
    snprintf(want, sizeof want, "%s/habitat/gpus", folder);
    CHECK(habitat_gpu_user_dir(got, sizeof got) == HABITAT_OK);
    CHECK_TEXT(got, want);
    CHECK(habitat_gpu_user_dir(got, 5) == HABITAT_E_ARG);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    setenv("HOME", "/home/someone", 1);
    CHECK(habitat_gpu_user_dir(got, sizeof got) == HABITAT_OK);
    CHECK_TEXT(got, "/home/someone/.config/habitat/gpus");
    check_case("the user's folder follows XDG_CONFIG_HOME, then HOME");

    snprintf(path, sizeof path, "%s/a.json", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/readme.txt", folder);
    unlink(path);
    rmdir(folder);
}

static void check_calibration(void) {
    static const char text[] =
        "{\"schema\": 1, \"calibration_of\": \"rtx 4090\", \"launch_floor_ns\": 2500,\n"
        " \"sustained\": {\"matrix_tflop_per_s\": {\"bf16\": 150}, \"dram_gb_per_s\": 930},\n"
        " \"sources\": {\"mine\": {\"covers\": [\"sustained\", \"launch_floor_ns\"], \"title\": "
        "\"calibrate\", \"publisher\": \"me\", \"date\": \"2026-01-02\"}}}";
    habitat_gpu_table *table = fresh();
    const habitat_gpu *before = NULL, *gpu = NULL;
    habitat_error err = {0};
    CHECK(habitat_gpu_find(table, "RTX4090", &before, NULL, NULL) == HABITAT_OK);
    CHECK_INT(habitat_gpu_table_add_text(table, text, strlen(text), "cal.json", &gpu, &err),
              HABITAT_OK);
    CHECK_INT(habitat_gpu_count(table), table_size);
    CHECK_TEXT(gpu->name, "RTX4090");
    CHECK_INT(gpu->sm_count, 128);
    CHECK_NEAR(gpu->sustained.matrix_flop_per_s[HABITAT_DTYPE_BF16], 150e12, 1e-12);
    CHECK(!gpu->sustained_matrix_estimated[HABITAT_DTYPE_BF16]);
    /* Formats that were not measured follow the one that was. By the rule bf16 reaches 0.96 x 1.10
     * x 165.2, which needs 174.5 / (0.54 x 0.5^0.38) = 420.4 of 450 W; fp8 0.96 x 1.10 x 330.3,
     * at 1.8 times the work a joule 466.98 W, so it is (450/466.98)^0.43 = 0.98420 of that. */
    CHECK(gpu->sustained_matrix_estimated[HABITAT_DTYPE_FP8]);
    CHECK_NEAR(gpu->sustained.matrix_flop_per_s[HABITAT_DTYPE_FP8],
               330.3 / 165.2 * 0.98420 * 150e12, 1e-5);
    CHECK_NEAR(gpu->sustained_bandwidth_bytes_per_s, 930e9, 1e-12);
    CHECK(!gpu->sustained_bandwidth_estimated && before->sustained_bandwidth_estimated);
    CHECK_NEAR(gpu->launch_floor_ns, 2500, 1e-12);
    CHECK_TEXT(habitat_gpu_source_of(gpu, "sustained.dram_gb_per_s")->id, "mine");
    size_t count = 0;
    CHECK(habitat_gpu_check(table, NULL, &count) == HABITAT_OK && count == 0);
    check_case("a calibration lays measured rates over a known GPU");

    static const char ours[] = HABITAT_SOURCE_DIR "/data/calibrations/H200-SXM5-141GB.json";
    CHECK_INT(habitat_gpu_table_add_file(table, ours, &gpu, &err), HABITAT_OK);
    CHECK(!gpu->sustained_plain_estimated[HABITAT_DTYPE_FP32] && gpu->launch_floor_ns > 100);
    CHECK_TEXT(habitat_gpu_source_of(gpu, "sustained.plain_tflop_per_s.fp32")->id, "calibration");
    CHECK(habitat_gpu_check(table, NULL, &count) == HABITAT_OK && count == 0);
    check_case("the calibration that `habitat calibrate` wrote on an H200 is read");

    static const char unknown[] =
        "{\"schema\": 1, \"calibration_of\": \"RTX4099\", \"sources\": {}}";
    CHECK_INT(habitat_gpu_table_add_text(table, unknown, strlen(unknown), "c", NULL, &err),
              HABITAT_E_UNKNOWN_GPU);
    CHECK(strstr(err.message, "RTX4090") != NULL);
    static const char extra[] =
        "{\"schema\": 1, \"calibration_of\": \"RTX4090\", \"tdp_w\": 300, \"sources\": {}}";
    CHECK_INT(habitat_gpu_table_add_text(table, extra, strlen(extra), "c", NULL, &err),
              HABITAT_E_FORMAT);
    CHECK(strstr(err.message, "tdp_w: has no place in a calibration") != NULL);
    habitat_gpu_table_free(table);
    check_case("a calibration of an unknown GPU, or one that changes the GPU, is refused");
}

/* Whether the list `list` of `object` holds this key. */
static bool names_key(yajl_val object, const char *list, const char *key) {
    const char *path[] = {list, NULL};
    yajl_val keys = yajl_tree_get(object, path, yajl_t_array);
    for (size_t i = 0; keys && i < keys->u.array.len; i++) {
        const char *text = YAJL_GET_STRING(keys->u.array.values[i]);
        if (text && strcmp(text, key) == 0)
            return true;
    }
    return false;
}

/* Whether the schema asks for this key only where nothing else gives it. */
static bool may_follow(yajl_val gpu, const char *key) {
    const char *all[] = {"allOf", NULL}, *any[] = {"anyOf", NULL};
    yajl_val groups = yajl_tree_get(gpu, all, yajl_t_array);
    for (size_t i = 0; groups && i < groups->u.array.len; i++) {
        yajl_val ways = yajl_tree_get(groups->u.array.values[i], any, yajl_t_array);
        for (size_t k = 0; ways && k < ways->u.array.len; k++)
            if (names_key(ways->u.array.values[k], "required", key))
                return true;
    }
    return false;
}

/* The schema for other programs names the same keys, and the same ones as required. */
static void check_schema(void) {
    static char text[1 << 16];
    const char *path[] = {"properties", NULL};
    const char *limits[] = {"properties", "sm_limits", "properties", NULL};
    FILE *file = fopen(HABITAT_SOURCE_DIR "/data/schema/gpu.schema.json", "r");
    CHECK(file != NULL);
    if (!file)
        return;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    yajl_val root = yajl_tree_parse(text, NULL, 0);
    yajl_val keys = yajl_tree_get(root, path, yajl_t_object);
    yajl_val limit_keys = yajl_tree_get(root, limits, yajl_t_object);
    CHECK(keys && limit_keys);
    if (!keys || !limit_keys)
        return;
    CHECK_INT(keys->u.object.len, gpu_field_count);
    CHECK_INT(limit_keys->u.object.len, gpu_limit_field_count);
    for (size_t i = 0; i < gpu_field_count; i++) {
        const char *one[] = {gpu_fields[i].key, NULL};
        if (!yajl_tree_get(keys, one, yajl_t_any)) {
            printf("# the schema lacks %s\n", one[0]);
            check_case_failed = 1;
        }
    }
    for (size_t i = 0; i < gpu_limit_field_count; i++) {
        const char *one[] = {gpu_limit_fields[i].key, NULL};
        CHECK(yajl_tree_get(limit_keys, one, yajl_t_any) != NULL);
    }
    const char *choice[] = {"oneOf", NULL};
    yajl_val one_of = yajl_tree_get(root, choice, yajl_t_array);
    yajl_val gpu = one_of ? one_of->u.array.values[0] : NULL;
    size_t always = 0, named = 0;
    for (size_t i = 0; gpu && i < gpu_field_count; i++) {
        bool alone = names_key(gpu, "required", gpu_fields[i].key);
        always += alone;
        named += alone && gpu_fields[i].required;
        if (gpu_fields[i].required && !alone)
            CHECK(may_follow(gpu, gpu_fields[i].key));
    }
    CHECK_INT(always, 8);
    CHECK_INT(named, always);
    yajl_tree_free(root);
    check_case("the published schema has the keys that the library reads");
}

static void same_text(const char *a, const char *b) {
    CHECK((a == NULL) == (b == NULL));
    if (a && b)
        CHECK_TEXT(a, b);
}

/* What is left of an entry when its texts are taken out. */
static habitat_gpu numbers_of(const habitat_gpu *gpu) {
    habitat_gpu numbers;
    memcpy(&numbers, gpu, sizeof numbers); /* the padding too: both began as zeros */
    const char **texts[] = {&numbers.name,       &numbers.vendor,       &numbers.architecture,
                            &numbers.chip,       &numbers.llvm_target,  &numbers.memory_type,
                            &numbers.memory_ecc, &numbers.release_date, &numbers.file};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = NULL;
    numbers.built_in = false;
    numbers.reference = NULL;
    return numbers;
}

static void same_entry(const gpu_entry *a, const gpu_entry *b) {
    habitat_gpu x = numbers_of(&a->gpu), y = numbers_of(&b->gpu);
    CHECK(memcmp(&x, &y, sizeof x) == 0);
    same_text(a->gpu.name, b->gpu.name);
    same_text(a->gpu.vendor, b->gpu.vendor);
    same_text(a->gpu.architecture, b->gpu.architecture);
    same_text(a->gpu.chip, b->gpu.chip);
    same_text(a->gpu.llvm_target, b->gpu.llvm_target);
    same_text(a->gpu.memory_type, b->gpu.memory_type);
    same_text(a->gpu.memory_ecc, b->gpu.memory_ecc);
    same_text(a->gpu.release_date, b->gpu.release_date);
    same_text(a->peak_note, b->peak_note);
    CHECK(a->present == b->present);
    CHECK_INT(a->family_start, b->family_start);
    CHECK_INT(a->alias_count, b->alias_count);
    CHECK_INT(a->note_count, b->note_count);
    CHECK_INT(a->source_count, b->source_count);
    for (size_t i = 0; i < a->alias_count; i++)
        same_text(a->aliases[i], b->aliases[i]);
    for (size_t i = 0; i < a->note_count; i++)
        same_text(a->notes[i], b->notes[i]);
    for (size_t i = 0; i < a->source_count; i++) {
        same_text(a->sources[i].field, b->sources[i].field);
        same_text(a->sources[i].id, b->sources[i].id);
        same_text(a->sources[i].title, b->sources[i].title);
        same_text(a->sources[i].publisher, b->sources[i].publisher);
        same_text(a->sources[i].kind, b->sources[i].kind);
        same_text(a->sources[i].date, b->sources[i].date);
        same_text(a->sources[i].note, b->sources[i].note);
    }
}

/* What the build made of the files (tools/gpu_builtin.c) is what reading them gives. */
static void check_built_in(void) {
    static const char folder[] = HABITAT_SOURCE_DIR "/data/gpus";
    DIR *directory = opendir(folder);
    habitat_gpu_table *table = fresh();
    size_t count = 0;
    CHECK(directory != NULL);
    for (struct dirent *file; directory && (file = readdir(directory));) {
        char path[1024];
        const habitat_gpu *built_in = NULL, *read = NULL;
        if (file->d_name[0] == '.' || !strstr(file->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, file->d_name);
        habitat_gpu_table *own = fresh();
        CHECK(habitat_gpu_table_add_file(own, path, &read, NULL) == HABITAT_OK);
        CHECK(habitat_gpu_find(table, read->name, &built_in, NULL, NULL) == HABITAT_OK);
        CHECK_TEXT(built_in->file, "built-in");
        CHECK(built_in->built_in && !built_in->reference);
        CHECK(!read->built_in && read->reference == built_in);
        same_entry(gpu_entry_of(built_in), gpu_entry_of(read));
        habitat_gpu_table_free(own);
        count++;
    }
    if (directory)
        closedir(directory);
    CHECK_INT(count, habitat_gpu_count(table));
    table_size = count;
    habitat_gpu_table_free(table);
    check_case("every built-in GPU is what its file says, to the last bit");
}

/* Which built-in GPU the models are asked about in place of a file's. */
static void check_reference(void) {
    static const struct {
        const char *changes[6][2];
        const char *expected;
    } cases[] = {
        {{{NULL}},
         "A100-SXM4-40GB"}, /* 100 SMs: nearest are the 108 of four A100s, this one the oldest */
        {{{"\"sm_count\": 100", "\"sm_count\": 60"}}, "A30"},
        {{{"\"8.0\"", "\"8.6\""}, {"\"sm_count\": 100", "\"sm_count\": 46"}}, "RTX3070"},
        {{{"\"8.0\"", "\"8.6\", \"chip\": \"GA102\""}, {"\"sm_count\": 100", "\"sm_count\": 46"}},
         "A4500"},
        {{{"\"8.0\"", "\"7.5\""},
          {"Ampere", "Turing"},
          {"\"sm_count\": 100", "\"sm_count\": 26"},
          {"{\"tf32\": 102.4, \"fp16\": 204.8, \"bf16\": 204.8}", "{}"}},
         "GTX1660Ti"}, /* without matrix units; the RTX2060's 30 SMs have them */
        /* two that differ in rates alone: a copy of either is told by the day */
        {{{"\"8.0\"", "\"12.0\", \"chip\": \"GB202\""},
          {"Ampere", "Blackwell"},
          {"\"sm_count\": 100", "\"sm_count\": 188"},
          {"\"memory_gib\": 32", "\"memory_gib\": 96"},
          {"\"tdp_w\": 200", "\"tdp_w\": 600"},
          {"2024-05-06", "2025-05-19"}},
         "RTXPRO6000-Server"},
        {{{"\"8.0\"", "\"12.0\", \"chip\": \"GB202\""},
          {"Ampere", "Blackwell"},
          {"\"sm_count\": 100", "\"sm_count\": 188"},
          {"\"memory_gib\": 32", "\"memory_gib\": 96"},
          {"\"tdp_w\": 200", "\"tdp_w\": 600"}},
         "RTXPRO6000-Workstation"},
        {{{"Ampere", "Nothing else"}}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[8192];
        snprintf(text, sizeof text, "%s", gpu_text);
        for (size_t c = 0; c < 6 && cases[i].changes[c][0]; c++) {
            char rest[8192];
            char *at = strstr(text, cases[i].changes[c][0]);
            CHECK(at != NULL);
            if (!at)
                return;
            snprintf(rest, sizeof rest, "%s", at + strlen(cases[i].changes[c][0]));
            snprintf(at, sizeof text - (size_t)(at - text), "%s%s", cases[i].changes[c][1], rest);
        }
        habitat_gpu_table *table = fresh();
        const habitat_gpu *gpu = NULL;
        CHECK_INT(habitat_gpu_table_add_text(table, text, strlen(text), "mine", &gpu, NULL),
                  HABITAT_OK);
        if (gpu && cases[i].expected)
            CHECK_TEXT(gpu->reference ? gpu->reference->name : "none", cases[i].expected);
        else
            CHECK(gpu && !gpu->reference);
        habitat_gpu_table_free(table);
    }
    check_case("the models are asked about the built-in GPU that is most like a file's");
}

int main(void) {
    check_built_in();
    check_reference();
    check_good();
    check_bad();
    check_hostile();
    check_folder();
    check_calibration();
    check_schema();
    return check_done();
}
