/* The GPU table: what is in it, names, and the devices of recordings. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/gpu.h>

#include "check.h"
#include "gpu/gpu.h"

/* Files of data/gpus: the table grows, and no test should have to say by how much. */
static size_t gpu_files(void) {
    size_t count = 0;
    DIR *folder = opendir(HABITAT_SOURCE_DIR "/data/gpus");
    CHECK(folder != NULL);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += strstr(entry->d_name, ".json") != NULL;
    if (folder)
        closedir(folder);
    return count;
}

static habitat_gpu_table *table;

static const char *resolve(const char *name, bool *alias) {
    const habitat_gpu *gpu = NULL;
    return habitat_gpu_find(table, name, &gpu, alias, NULL) == HABITAT_OK ? gpu->name : "(unknown)";
}

static void check_canonical(void) {
    static const char *const names[] = {
        "P4", "P40", "P100-PCIE-16GB", "P100-SXM2-16GB", "P4000", "GTX1080Ti", "TitanXp",
        "V100-PCIE-16GB", "V100-PCIE-32GB", "V100-SXM2-16GB", "V100-SXM2-32GB", "TitanV", "T4",
        "RTX2070", "RTX2080Ti", "TitanRTX", "RTX5000-Turing", "RTX6000-Turing", "RTX8000",
        "A100-PCIE-40GB", "A100-PCIE-80GB", "A100-SXM4-40GB", "A100-SXM4-80GB", "A10", "A10G",
        "A30", "A40", "A2", "RTX3070", "RTX3080", "RTX3090", "A4000", "A4500", "A5000", "A5500",
        "A6000", "L4", "L40", "L40S", "RTX4000Ada", "RTX5000Ada", "RTX6000Ada", "RTX4070",
        "RTX4080", "RTX4090", "H100-PCIE-80GB", "H100-SXM5-80GB", "H100-NVL-94GB",
        "H200-SXM5-141GB", "H200-NVL-141GB", "GH200-96GB", "GH200-144GB", "B200-SXM-180GB",
        "B300-SXM-288GB", "GB200-186GB", "GB300-288GB", "RTX5070Ti", "RTX5080", "RTX5090",
        "RTXPRO6000-Server", "RTXPRO6000-Workstation", "MI100", "MI210", "MI250", "MI250X",
        "MI300X", "MI325X", "MI355X", "GTX1050Ti", "GTX1630", "RTX3050-6GB", "RTX4000SFFAda",
        "A400", "A1000", "T400-4GB", "T600", "T1000-4GB", "T1000-8GB", "QuadroGP100", "M4000",
        "M5000", "M6000-12GB", "M6000-24GB", "MI50-16GB", "MI50-32GB", "MI60", "RX6900XT",
        "RX7700XT", "RX9060XT-16GB", "W7900",
        /* older parts that public measurements name */
        "K40", "K80", "M40", "M60", "TitanX-Maxwell", "TitanXPascal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool alias = true;
        CHECK_TEXT(resolve(names[i], &alias), names[i]);
        CHECK(!alias);
    }
    check_case("every canonical name is in the table, under that name");
    CHECK_INT(habitat_gpu_count(table), gpu_files());
    check_case("the table holds every file of data/gpus");
}

static void check_aliases(void) {
    static const struct {
        const char *name, *gpu;
        bool shared;
    } rows[] = {
        /* short names: the most common part */
        {"V100", "V100-SXM2-16GB", true},
        {"A100", "A100-SXM4-80GB", true},
        {"H100", "H100-SXM5-80GB", true},
        {"H200", "H200-SXM5-141GB", true},
        {"B200", "B200-SXM-180GB", true},
        {"B300", "B300-SXM-288GB", true},
        {"GB200", "GB200-186GB", true},
        {"GB300", "GB300-288GB", true},
        {"GH200", "GH200-96GB", true},
        {"RTX6000", "RTX6000Ada", true},
        {"RTXPRO6000-Blackwell", "RTXPRO6000-Server", true},
        {"P100", "P100-PCIE-16GB", true},
        {"RTX 4000 SFF", "RTX4000SFFAda", true},
        {"NVIDIA RTX A400", "A400", false},
        {"NVIDIA GeForce RTX 3050", "RTX3050-8GB", true},
        {"NVIDIA T1000 8GB", "T1000-8GB", false},
        {"Quadro M6000", "M6000-12GB", false},
        {"Radeon RX 7700 XT", "RX7700XT", false},
        {"PRO 6000 Max-Q", "RTXPRO6000-MaxQ", true},
        {"PRO 6000", "RTXPRO6000-Server", true},
        {"PRO 6000 WS", "RTXPRO6000-Workstation", true},
        {"PRO 5000", "RTXPRO5000-48GB", true},
        {"PRO 4500", "RTXPRO4500", true},
        {"PRO 4000", "RTXPRO4000", true},
        {"NVIDIA GeForce RTX 3050", "RTX3050-8GB", true},
        /* as CUDA and nvidia-smi print them */
        {"NVIDIA H100 80GB HBM3", "H100-SXM5-80GB", false},
        {"NVIDIA H100 PCIe", "H100-PCIE-80GB", false},
        {"NVIDIA A100 80GB PCIe", "A100-PCIE-80GB", false},
        {"NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB", false},
        {"Tesla V100-SXM2-16GB", "V100-SXM2-16GB", false},
        {"Tesla T4", "T4", false},
        {"Quadro RTX 6000", "RTX6000-Turing", false},
        {"NVIDIA RTX 6000 Ada Generation", "RTX6000Ada", false},
        {"NVIDIA GeForce RTX 4090", "RTX4090", false},
        {"NVIDIA GH200 480GB", "GH200-96GB", false},
        {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTXPRO6000-Workstation", false},
        {"AMD Instinct MI300X", "MI300X", false},
        {"AMD Instinct MI300X VF", "MI300X", false}, /* as a virtual machine sees it */
        /* names of the public data */
        {"A100-80GB-unspecified", "A100-SXM4-80GB", true},
        {"A100-SXM4-40GB x4", "A100-SXM4-40GB", false},
        {"H100-SXM5-80GB x4", "H100-SXM5-80GB", false},
        {"P100-unspecified", "P100-PCIE-16GB", true},
        {"V100-unspecified", "V100-SXM2-16GB", true},
        {"TitanXPascal", "TitanXPascal", false},
        {"TitanX-Maxwell", "TitanX-Maxwell", false},
        {"M40", "M40", false},
        {"M60", "M60", false},
        {"K40", "K40", false},
        {"K80", "K80", false},
        {"GB200", "GB200-186GB", true},
        /* however it is typed */
        {"h200-sxm5-141gb", "H200-SXM5-141GB", false},
        {"  nvidia   h200 ", "H200-SXM5-141GB", true},
        {"rtx 4090", "RTX4090", false},
        {"a100_sxm4_80gb", "A100-SXM4-80GB", false},
        /* by its number alone, where only one part has it */
        {"4090", "RTX4090", false}, /* the 4090 D is another part */
        {"3070", "RTX3070", false},
        {"5070-Ti", "RTX5070Ti", false},
        {"A100 40GB", "A100-SXM4-40GB", true},
        /* of cloud and rental sites */
        {"nvidia-tesla-a100", "A100-SXM4-40GB", true},
        {"Tesla P100 16GB", "P100-PCIE-16GB", true},
        {"Tesla K80 (1 GPU)", "K80", true},
        {"nvidia-a100-80gb", "A100-SXM4-80GB", true},
        {"nvidia-tesla-t4", "T4", false},
        {"nvidia-h100-mega-80gb", "H100-SXM5-80GB", true},
        {"H100-SXM-80GB", "H100-SXM5-80GB", true},
        {"RTX PRO 6000 WS", "RTXPRO6000-Workstation", true},
        {"RTX4060Ti", "RTX4060Ti-8GB", true},
        {"4080 super", "RTX4080SUPER", false},
        {"NVIDIA H20", "H20-96GB", false},
        {"V100S", "V100S-PCIE-32GB", true},
        {"NVIDIA GB10", "GB10", false},
        {"AMD Radeon RX 7900 XTX", "RX7900XTX", false},
        {"V100 32GB", "V100-SXM2-32GB", true},
        {"Tesla P100 12GB", "P100-PCIE-12GB", false},
        {"Instinct MI50 32GB", "MI50-32GB", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const habitat_gpu *gpu = NULL;
        CHECK_TEXT(resolve(rows[i].name, NULL), rows[i].gpu);
        if (habitat_gpu_find(table, rows[i].name, &gpu, NULL, NULL) == HABITAT_OK &&
            habitat_gpu_name_is_shared(gpu, rows[i].name) != rows[i].shared) {
            printf("# %s: shared is not %d\n", rows[i].name, rows[i].shared);
            check_case_failed = 1;
        }
    }
    check_case("short, marketing and device names resolve, and say whether others share them");
}

static void check_unknown(void) {
    static const struct {
        const char *name, *nearest;
    } rows[] = {
        {"V1000", "V100-SXM2-16GB"},
        {"RTX4055", "RTX40"},
        {"A100-SXM5", "A100-"},
        {"", NULL}, /* nothing is near */
        {"NVIDIA", NULL},
        {"!!", NULL},
        {"XYZ", NULL},
        {"nothing", NULL},
        {"Tesla K20", "K40"},
        {"MI300", "MI300X"},
        {"2000", "P2000"},
        {"6000", "A6000"}, /* several parts with that number */
        {"100", "nearest: "},
        {"5090 super", "nearest: RTX5090"},
        {"5080 Ti", "nearest: RTX5080"},
        {"DGX H100", "nearest: H100-"},
        {"H10", "nearest: H100-"}, /* how a name begins comes before a name one letter away: A10 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        habitat_error err = {0};
        const habitat_gpu *gpu = NULL;
        bool alias = true;
        CHECK_INT(habitat_gpu_find(table, rows[i].name, &gpu, &alias, &err), HABITAT_E_UNKNOWN_GPU);
        CHECK(gpu == NULL && alias);
        CHECK_INT(err.code, HABITAT_E_UNKNOWN_GPU);
        const char *nearest = strstr(err.message, "nearest: ");
        if (rows[i].nearest ? !nearest || !strstr(err.message, rows[i].nearest) : nearest != NULL) {
            printf("# %s\n", err.message);
            check_case_failed = 1;
        }
    }
    char endless[5000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    CHECK_TEXT(resolve(endless, NULL), "(unknown)");
    check_case("unknown names are refused and the nearest ones named");
}

static void check_values(void) {
    const habitat_gpu *gpu = NULL;
    CHECK(habitat_gpu_find(table, "H200", &gpu, NULL, NULL) == HABITAT_OK);
    CHECK_INT(gpu->sm_count, 132);
    CHECK_INT(gpu->compute_capability, 90);
    CHECK_NEAR(gpu->boost_clock_hz, 1.98e9, 1e-12);
    CHECK_NEAR(gpu->memory_bandwidth_bytes_per_s, 4.8e12, 1e-12);
    CHECK_NEAR(gpu->memory_bytes, 150109880320.0, 1e-12); /* what the driver reports */
    CHECK_NEAR(gpu->memory_sold_bytes, 141 * HABITAT_GIB, 1e-12);
    CHECK_NEAR(gpu->l2_bytes, 60 * 1048576.0, 1e-12);
    CHECK_NEAR(gpu->peak.plain_flop_per_s[HABITAT_DTYPE_FP32], 66.9e12,
               1e-3); /* 132x128x2x1.98e9 */
    CHECK_NEAR(gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_BF16], 989.4e12, 1e-3);
    CHECK_NEAR(gpu->nvlink_bytes_per_s, 900e9, 1e-12); /* both directions */
    CHECK_NEAR(gpu->pcie_bytes_per_s, 64e9, 1e-12);    /* one direction */
    CHECK_TEXT(gpu->file, "built-in");
    check_case("units: MHz, GB, GiB, MiB, TFLOP/s and directions are converted");

    CHECK(habitat_gpu_find(table, "V100-PCIE-32GB", &gpu, NULL, NULL) == HABITAT_OK);
    CHECK(isnan(gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_BF16]));
    CHECK(isnan(gpu->peak.matrix_flop_per_s[HABITAT_DTYPE_TF32]));
    CHECK(isnan(gpu->sustained.matrix_flop_per_s[HABITAT_DTYPE_BF16]));
    CHECK(!gpu->sustained_matrix_estimated[HABITAT_DTYPE_BF16]);
    CHECK(isnan(gpu->nvlink_bytes_per_s) && isnan(gpu->launch_floor_ns));
    check_case("what a GPU lacks is NaN, never 0");

    size_t count = 0;
    const habitat_gpu_source *source =
        habitat_gpu_source_of(gpu, "sustained.plain_tflop_per_s.fp32");
    CHECK(source && strstr(source->title, "NeuSight") && source->date && source->publisher);
    CHECK(habitat_gpu_source_of(gpu, "memory_bandwidth_gb_per_s") != NULL);
    CHECK(habitat_gpu_source_of(gpu, "peak_dense_tflop_per_s.plain.fp32") != NULL);
    CHECK(habitat_gpu_source_of(gpu, "no_such_key") == NULL);
    CHECK(habitat_gpu_sources(table, gpu, &count) != NULL && count > 20);
    CHECK(habitat_gpu_notes(gpu, &count) != NULL && count > 0);
    CHECK(habitat_gpu_aliases(table, gpu, &count) != NULL && count > 0);
    check_case("every value leads to its source");
}

static void check_order(void) {
    for (size_t i = 1; i < habitat_gpu_count(table); i++) {
        const habitat_gpu *a = habitat_gpu_at(table, i - 1), *b = habitat_gpu_at(table, i);
        CHECK(strcmp(a->vendor, b->vendor) >= 0);
        if (strcmp(a->vendor, b->vendor) == 0)
            CHECK(a->compute_capability <= b->compute_capability);
    }
    CHECK(habitat_gpu_at(table, habitat_gpu_count(table)) == NULL);
    CHECK(habitat_gpu_at(NULL, 0) == NULL && habitat_gpu_count(NULL) == 0);
    check_case("order: vendor, then compute capability");
}

static void check_match(void) {
    static const struct {
        habitat_device_facts facts;
        const char *gpu;  /* NULL: refused */
        const char *says; /* part of the message then */
    } rows[] = {
        {{"NVIDIA H200", 150109880320u, 132, 90, 2048, 65536, 233472, 232448},
         "H200-SXM5-141GB",
         ""},
        {{"Tesla V100-SXM2-16GB", 16914055168u, 80, 70, 0, 0, 0, 0}, "V100-SXM2-16GB", ""},
        {{"NVIDIA A100 80GB PCIe", 84987740160u, 108, 80, 0, 0, 0, 0}, "A100-PCIE-80GB", ""},
        {{"NVIDIA A100-SXM4-40GB", 42298834944u, 108, 80, 0, 0, 0, 0}, "A100-SXM4-40GB", ""},
        {{"Tesla T4", 15843721216u, 40, 75, 0, 0, 0, 0}, "T4", ""},
        {{"NVIDIA GeForce RTX 3090", 0, 0, 0, 0, 0, 0, 0}, "RTX3090", ""},
        /* a name that parts share: told apart by the facts */
        {{"Tesla V100", 34089730048u, 80, 70, 0, 0, 0, 0}, "V100-PCIE-32GB", ""},
        {{"A100", 42298834944u, 108, 80, 0, 0, 0, 0}, "A100-SXM4-40GB", ""},
        {{"NVIDIA GeForce RTX 3080", 12884901888u, 70, 86, 0, 0, 0, 0}, "RTX3080-12GB", ""},
        {{"NVIDIA GeForce RTX 3080", 10503585792u, 68, 86, 0, 0, 0, 0}, "RTX3080", ""},
        {{"NVIDIA GeForce RTX 4060 Ti", 16718495744u, 34, 89, 0, 0, 0, 0}, "RTX4060Ti-16GB", ""},
        {{"NVIDIA GeForce RTX 5060 Ti", 8220835840u, 36, 120, 0, 0, 0, 0}, "RTX5060Ti-8GB", ""},
        {{"NVIDIA GeForce RTX 2060", 0, 34, 75, 0, 0, 0, 0}, "RTX2060-12GB", ""},
        {{"NVIDIA GeForce RTX 3050", 6010044416u, 18, 86, 0, 0, 0, 0}, "RTX3050-6GB", ""},
        {{"NVIDIA GeForce RTX 3050", 8225095680u, 20, 86, 0, 0, 0, 0}, "RTX3050-8GB", ""},
        {{"NVIDIA GeForce GTX 1050", 2091712512u, 5, 61, 0, 0, 0, 0}, "GTX1050-2GB", ""},
        {{"NVIDIA GeForce GTX 1050", 3150381056u, 6, 61, 0, 0, 0, 0}, "GTX1050-3GB", ""},
        {{"AMD Radeon RX 9060 XT", 8573157376u, 32, 0, 0, 0, 0, 0}, "RX9060XT-8GB", ""},
        {{"AMD Radeon RX 9060 XT", 17163091968u, 32, 0, 0, 0, 0, 0}, "RX9060XT-16GB", ""},
        {{"AMD Instinct MI50", 34342961152u, 60, 0, 0, 0, 0, 0}, "MI50-32GB", ""},
        {{"Tesla P100-PCIE-12GB", 12785221632u, 56, 60, 0, 0, 0, 0}, "P100-PCIE-12GB", ""},
        {{"NVIDIA A100-PG509-200", 42297524224u, 108, 80, 0, 0, 0, 0}, "A100-SXM4-40GB", ""},
        {{"NVIDIA A100-PG509-200", 85029158912u, 108, 80, 0, 0, 0, 0}, "A100-SXM4-80GB", ""},
        {{"AMD Instinct MI250X/MI250", 68702699520u, 104, 0, 0, 0, 0, 0}, "MI250", ""},
        {{"AMD Instinct MI250X/MI250", 68702699520u, 110, 0, 0, 0, 0, 0}, "MI250X", ""},
        {{"AMD Instinct MI300X VF", 205571227648u, 304, 0, 0, 0, 0, 0}, "MI300X", ""},
        {{"NVIDIA GB300", 269187006464u, 152, 103, 0, 0, 0, 0}, "GB300-288GB", ""},
        {{"NVIDIA GB300", 297963355136u, 152, 103, 0, 0, 0, 0}, "GB300-288GB", ""},
        /* contradictions */
        {{"NVIDIA H100 80GB HBM3", 0, 16, 90, 0, 0, 0, 0}, NULL, "16 SMs"},
        {{"NVIDIA GeForce RTX 3080", 12884901888u, 69, 86, 0, 0, 0, 0}, NULL, "69 SMs"},
        {{"NVIDIA GeForce RTX 3080", 21474836480u, 68, 86, 0, 0, 0, 0}, NULL, "20.0 GiB"},
        {{"NVIDIA H200", 20000000000u, 132, 90, 0, 0, 0, 0}, NULL, "GiB"},
        /* 16 GiB are 17.18e9 bytes: between 13.5 % less and 3 % more is the same part */
        {{"Tesla T4", 15289923000u, 40, 75, 0, 0, 0, 0}, "T4", ""},
        {{"Tesla T4", 17523465000u, 40, 75, 0, 0, 0, 0}, "T4", ""},
        {{"Tesla T4", 14850000000u, 40, 75, 0, 0, 0, 0}, NULL, "13.8 GiB"},
        {{"Tesla T4", 17867063000u, 40, 75, 0, 0, 0, 0}, NULL, "16.6 GiB"},
        {{"NVIDIA H200", 0, 132, 80, 0, 0, 0, 0}, NULL, "compute capability 8.0"},
        {{"NVIDIA A100-SXM4-80GB MIG 1g.10gb", 0, 14, 80, 0, 0, 0, 0}, NULL, "slice"},
        {{"NVIDIA H300", 0, 0, 0, 0, 0, 0, 0}, NULL, "nearest: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const habitat_gpu *gpu = NULL;
        habitat_error err = {0};
        habitat_status status = habitat_gpu_match(table, &rows[i].facts, &gpu, &err);
        CHECK_INT(status, rows[i].gpu ? HABITAT_OK : HABITAT_E_UNKNOWN_GPU);
        CHECK_TEXT(gpu ? gpu->name : "(refused)", rows[i].gpu ? rows[i].gpu : "(refused)");
        if (!strstr(err.message, rows[i].says)) {
            printf("# %s: %s\n", rows[i].facts.name, err.message);
            check_case_failed = 1;
        }
    }
    check_case("devices of recordings are matched, contradictions refused");
    const habitat_gpu *gpu = NULL;
    habitat_device_facts nameless = {0};
    CHECK(habitat_gpu_match(table, &nameless, &gpu, NULL) == HABITAT_E_UNKNOWN_GPU);
    CHECK(habitat_gpu_match(table, NULL, &gpu, NULL) == HABITAT_E_ARG);
    CHECK(habitat_gpu_find(table, NULL, &gpu, NULL, NULL) == HABITAT_E_ARG);
    CHECK(gpu == NULL);
    check_case("a device without a name is refused");
}

static void check_origin(void) {
    static const struct {
        const char *gpu; /* as a person says */
        habitat_device_facts facts;
        habitat_status status;
        const char *says; /* the note, or part of the message */
    } rows[] = {
        {"H200", {"NVIDIA H200", 150109880320u, 132, 90, 0, 0, 0, 0}, HABITAT_OK, ""},
        {"H200", {NULL, 0, 0, 0, 0, 0, 0, 0}, HABITAT_OK, ""},
        {"H200", {"Some Card", 0, 132, 90, 0, 0, 0, 0}, HABITAT_OK, ""},
        {"A100-PCIE-40GB", {"A100", 42298834944u, 108, 80, 0, 0, 0, 0}, HABITAT_OK, ""},
        {"A100-PCIE-40GB",
         {"NVIDIA A100-SXM4-40GB", 42298834944u, 108, 80, 0, 0, 0, 0},
         HABITAT_OK,
         "the recording names A100-SXM4-40GB (\"NVIDIA A100-SXM4-40GB\"), not A100-PCIE-40GB; "
         "taken "
         "as recorded on A100-PCIE-40GB, as asked"},
        {"T4",
         {"NVIDIA L4", 0, 0, 0, 0, 0, 0, 0},
         HABITAT_OK,
         "the recording names L4 (\"NVIDIA L4\"), not T4; taken as recorded on T4, as asked"},
        {"T4", {"NVIDIA H200", 0, 132, 0, 0, 0, 0, 0}, HABITAT_E_ARG, "132 SMs where T4 has 40"},
        {"T4", {NULL, 0, 40, 90, 0, 0, 0, 0}, HABITAT_E_ARG, "compute capability 9.0"},
        {"T4", {"Tesla T4", 150109880320u, 40, 75, 0, 0, 0, 0}, HABITAT_E_ARG, "139.8 GiB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char note[512] = "untouched";
        habitat_error err = {0};
        const habitat_gpu *gpu = NULL;
        CHECK(habitat_gpu_find(table, rows[i].gpu, &gpu, NULL, NULL) == HABITAT_OK);
        CHECK_INT(habitat_gpu_check_origin(table, gpu, &rows[i].facts, note, sizeof note, &err),
                  rows[i].status);
        if (rows[i].status == HABITAT_OK)
            CHECK_TEXT(note, rows[i].says);
        else
            CHECK(strstr(err.message, rows[i].says) && strcmp(note, "untouched") == 0);
    }
    check_case("a named origin: another name is noted, other properties are refused");
}

static void check_exact_names(void) {
    static const struct {
        const char *name;
        bool exact;
    } rows[] = {
        {"H100-SXM5-80GB", true}, {"h100 sxm5 80gb", true}, {"NVIDIA H100 80GB HBM3", true},
        {"Tesla T4", true},       {"NVIDIA H200", true},    {"H200", false},
        {"A100", false},          {"4090", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const habitat_gpu *gpu = NULL;
        CHECK(habitat_gpu_find(table, rows[i].name, &gpu, NULL, NULL) == HABITAT_OK);
        CHECK_INT(habitat_gpu_name_is_exact(gpu, rows[i].name), rows[i].exact);
    }
    CHECK(!habitat_gpu_name_is_exact(NULL, "T4"));
    check_case("names of exactly one part, and those for which one was chosen");
}

static void check_unmeasured(void) {
    const habitat_gpu *t4 = NULL;
    habitat_gpu bare;
    CHECK_INT(habitat_gpu_find(table, "T4", &t4, NULL, NULL), HABITAT_OK);
    habitat_gpu_unmeasured(t4, &bare);
    CHECK(!t4->sustained_plain_estimated[HABITAT_DTYPE_FP32]);
    CHECK(bare.sustained_plain_estimated[HABITAT_DTYPE_FP32]);
    CHECK(bare.sustained_bandwidth_estimated);
    /* 70 W x 0.060 TFLOP/J = 4.2 TFLOP/s, below 0.92 of the 8.1 of the data sheet; GDDR6 on
     * 12 nm: 0.76 x 320 GB/s. */
    CHECK_NEAR(bare.sustained.plain_flop_per_s[HABITAT_DTYPE_FP32], 4.2e12, 1e-9);
    CHECK_NEAR(bare.sustained_bandwidth_bytes_per_s, 0.76 * 320e9, 1e-2);
    CHECK(bare.peak.plain_flop_per_s[HABITAT_DTYPE_FP32] ==
          t4->peak.plain_flop_per_s[HABITAT_DTYPE_FP32]);
    check_case("a GPU as if nobody had measured it has estimated rates");
}

int main(void) {
    habitat_error err = {0};
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK) {
        printf("# %s: %s\n", err.file, err.message);
        return 1;
    }
    check_canonical();
    check_aliases();
    check_unknown();
    check_values();
    check_order();
    check_match();
    check_origin();
    check_exact_names();
    check_unmeasured();
    habitat_gpu_table_free(table);
    habitat_gpu_table_free(NULL);
    return check_done();
}
