/* A host program under another locale: the same numbers to the last byte. German writes a comma
 * into numbers, Turkish has another small letter for I. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <habitat/json.h>
#include <habitat/habitat.h>

#include "check.h"
#include "gpu/gpu.h"

static char folder[] = "/tmp/habitat-locale-XXXXXX";

/* Takes the locale, made by localedef(1) where the system lacks it. The folder is named only then:
 * glibc remembers where it found nothing. */
static bool use(const char *name) {
    char command[256];
    unsetenv("LOCPATH");
    if (setlocale(LC_ALL, name))
        return true;
    snprintf(command, sizeof command, "localedef -i %.5s -f UTF-8 %s/%s >/dev/null 2>&1", name,
             folder, name);
    if (system(command) != 0)
        return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, name) != NULL;
}

static char *answer_gpus(const habitat_gpu_table *gpus) {
    char *text = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_json_gpus(gpus, NULL, &text, &err), HABITAT_OK);
    return text;
}

/* A file's GPU and an alias of it in capitals. */
static char *answer_gpu_file(void) {
    static const char path[] = HABITAT_SOURCE_DIR "/data/gpus/TitanV.json";
    habitat_gpu_table *gpus = NULL;
    const habitat_gpu *gpu = NULL;
    char *text = NULL, changed[16384] = "";
    habitat_error err = {0};
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(changed, 1, sizeof changed - 1, file) : 0;
    if (file)
        fclose(file);
    char *bandwidth = strstr(changed, "\"memory_bandwidth_gb_per_s\": ");
    CHECK(size > 0 && bandwidth != NULL);
    if (bandwidth)
        memcpy(bandwidth + strlen("\"memory_bandwidth_gb_per_s\": "), "616.9", 5);
    for (char *at; (at = strstr(changed, "TITAN")) || (at = strstr(changed, "Titan"));)
        memcpy(at, "XITAN", 5); /* a name that is not taken */
    CHECK_INT(habitat_gpu_table_create(NULL, &gpus, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_table_add_text(gpus, changed, size, "changed", &gpu, &err), HABITAT_OK);
    CHECK_TEXT(err.message, "");
    CHECK(gpu && gpu->memory_bandwidth_bytes_per_s == 616.9e9);
    CHECK_INT(habitat_gpu_find(gpus, "XITAN V", &gpu, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(gpus, "xitan v", &gpu, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_json_gpus(gpus, gpu, &text, &err), HABITAT_OK);
    habitat_gpu_table_free(gpus);
    return text;
}

static char *answer_prediction(const habitat_gpu_table *gpus, const char *path, const char *from) {
    habitat_trace *trace = NULL;
    const habitat_gpu *to[2] = {NULL, NULL}, *origin = NULL;
    char *text = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_find(gpus, "V100-PCIE-32GB", &to[0], NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(gpus, "T4", &to[1], NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_gpu_find(gpus, from, &origin, NULL, &err), HABITAT_OK);
    CHECK_INT(habitat_trace_read(path, &trace, &err), HABITAT_OK);
    CHECK_TEXT(err.message, "");
    if (trace) {
        habitat_request request = {.trace = trace,
                                   .gpus = gpus,
                                   .origin = origin,
                                   .destination_count = 2,
                                   .destinations = to};
        CHECK_INT(habitat_json_answer(&request, "kernel", false, &text, &err), HABITAT_OK);
    }
    habitat_trace_free(trace);
    return text;
}

/* The table of the models' measurements, read as a number each. */
static double sum_of_measurements(void) {
    static const char path[] = HABITAT_SOURCE_DIR "/data/measurements/collected_h200.csv.gz";
    habitat_csv_reader *reader = NULL;
    habitat_error err = {0};
    double sum = 0;
    CHECK_INT(habitat_csv_open(path, &reader, &err), HABITAT_OK);
    for (const char *line = ""; reader && line;) {
        habitat_measurement row;
        const char *gpu = NULL;
        CHECK_INT(habitat_csv_next(reader, &line, &err), HABITAT_OK);
        if (line && habitat_csv_measurement(reader, &row, &gpu, &err) == HABITAT_OK)
            sum += row.time_ms + row.work.flop * 1e-12;
    }
    habitat_csv_close(reader);
    return sum;
}

enum { ANSWERS = 4 };

static void answer_all(char *out[ANSWERS], double *sum) {
    habitat_gpu_table *gpus = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_create(NULL, &gpus, &err), HABITAT_OK);
    out[0] = answer_gpus(gpus);
    out[1] = answer_gpu_file();
    out[2] = answer_prediction(
        gpus, HABITAT_SOURCE_DIR "/tests/golden/traces/two_steps_forward_backward_modules.json",
        "H200-SXM5-141GB");
    out[3] = answer_prediction(
        gpus, HABITAT_SOURCE_DIR "/data/recordings/dcgan_b64_fp32_h200.json.gz", "H200-SXM5-141GB");
    *sum = sum_of_measurements();
    habitat_gpu_table_free(gpus);
}

static void compare(const char *name, char *const want[ANSWERS], double want_sum) {
    char *got[ANSWERS], text[64];
    double sum = 0;
    snprintf(text, sizeof text, "%s: %.1f reads otherwise, the library the same", name, 1.5);
    answer_all(got, &sum);
    CHECK(sum == want_sum);
    for (int i = 0; i < ANSWERS; i++) {
        CHECK(got[i] && want[i] && strcmp(got[i], want[i]) == 0);
        habitat_json_free(got[i]);
    }
    check_case(text);
}

int main(void) {
    static const char *const locales[] = {"de_DE.UTF-8", "tr_TR.UTF-8"};
    char *want[ANSWERS];
    double sum = 0;
    int used = 0;
    answer_all(want, &sum);
    CHECK(sum > 0);
    check_case("answers in the C locale");
    if (!mkdtemp(folder))
        return 1;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!use(locales[i]))
            continue;
        char comma[8];
        used++;
        snprintf(comma, sizeof comma, "%.1f", 1.5);
        CHECK_TEXT(comma, "1,5");
        compare(locales[i], want, sum);
        setlocale(LC_ALL, "C");
    }
    for (int i = 0; i < ANSWERS; i++)
        habitat_json_free(want[i]);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        return 1;
    if (used == 0)
        printf("# no comma locale and no localedef (package locales): skipped\n");
    return check_done() ? 1 : used ? 0 : 77;
}
