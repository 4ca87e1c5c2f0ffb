/* Prices: the library's own, files of three kinds, which one counts, what is refused and where. */
#include <stdlib.h>
#include <unistd.h>

#include <habitat/price.h>

#include "check.h"

static habitat_gpu_table *table;

static const habitat_gpu *gpu_named(const char *name) {
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    return gpu;
}

static habitat_prices *no_prices(void) {
    habitat_prices *prices = NULL;
    CHECK_INT(habitat_prices_create(table, false, &prices, NULL), HABITAT_OK);
    return prices;
}

/* A file of this text, read into `prices`. */
static habitat_status read_text(habitat_prices *prices, const char *text, habitat_error *err) {
    char path[] = "/tmp/habitat-test-price-XXXXXX";
    int descriptor = mkstemp(path);
    size_t size = strlen(text);
    CHECK(descriptor >= 0 && write(descriptor, text, size) == (ssize_t)size);
    close(descriptor);
    habitat_status status = habitat_prices_read(prices, path, err);
    unlink(path);
    return status;
}

static void check_days(const char *from, const char *to, double want) {
    double days = -1e9;
    CHECK(habitat_days_between(from, to, &days));
    CHECK(days == want);
}

static void test_days(void) {
    static const char *const bad[] = {"",           "26",         "2026-13",      "2026-00",
                                      "2026-1",     "2026-04-32", "2026-04-31",   "2026-09-25 ",
                                      "2026/09/25", "+026-09",    "2026-09-2500", "yesterday",
                                      "2025-02-29", "1900-02-29"};
    double days = 7;
    check_days("2024-02-28", "2024-03-01", 2); /* a leap year */
    check_days("2025-02-28", "2025-03-01", 1);
    check_days("2000-02-29", "2000-03-01", 1); /* a leap year, as every 400th is */
    check_days("2026", "2026-02", 31);
    check_days("2026-09-25", "2026-11-22", 58); /* 5 + 31 + 22 */
    check_days("2000-03-01", "2001-03-01", 365);
    check_days("2026-11-22", "2026-11-21", -1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!habitat_days_between(bad[i], "2026", &days));
    CHECK(!habitat_days_between(NULL, "2026", &days) && days == 7);
    check_case("days between dates; what is no date is none");
}

static void test_builtin(void) {
    habitat_prices *prices = NULL;
    size_t count = 0;
    double days = 0;
    CHECK_INT(habitat_prices_create(table, true, &prices, NULL), HABITAT_OK);
    const habitat_price *list = habitat_prices_list(prices, &count);
    CHECK_INT(count, 41);
    for (size_t i = 0; i < count; i++) {
        CHECK(list[i].gpu && list[i].source && list[i].provider && list[i].product);
        CHECK(list[i].date && habitat_days_between("2019", list[i].date, &days) && days > 0);
        CHECK_INT(list[i].origin, HABITAT_PRICE_BUILTIN);
        CHECK_INT(list[i].line, i + 4);
    }
    /* 0.34 by the community, 0.74 in a data centre: the lowest */
    CHECK_NEAR(habitat_prices_of(prices, gpu_named("RTX4090"), false)->usd_per_hour, 0.34, 1e-12);
    CHECK(habitat_prices_of(prices, gpu_named("RTX4090"), true) == NULL);
    /* 0.35 is the GPU alone, 0.526 the machine with it */
    CHECK_NEAR(habitat_prices_of(prices, gpu_named("T4"), false)->usd_per_hour, 0.526, 1e-12);
    CHECK(habitat_prices_of(prices, gpu_named("T4"), true)->gpu_alone);
    CHECK_NEAR(habitat_prices_of(prices, gpu_named("H100-SXM5-80GB"), true)->usd_per_hour, 6.571,
               1e-12);
    CHECK(habitat_prices_of(prices, gpu_named("MI300X"), false) == NULL);
    /* a user's price comes first, and a price of 8 together last */
    CHECK_INT(habitat_prices_set(prices, gpu_named("T4"), 0.9, NULL), HABITAT_OK);
    CHECK_INT(habitat_prices_set(prices, gpu_named("T4"), 0.8, NULL), HABITAT_OK);
    CHECK_NEAR(habitat_prices_of(prices, gpu_named("T4"), false)->usd_per_hour, 0.8, 1e-12);
    CHECK_NEAR(habitat_prices_of(prices, gpu_named("T4"), true)->usd_per_hour, 0.8, 1e-12);
    CHECK_INT(habitat_prices_set(prices, gpu_named("T4"), 0, NULL), HABITAT_E_RANGE);
    CHECK_INT(habitat_prices_set(prices, gpu_named("T4"), NAN, NULL), HABITAT_E_RANGE);
    habitat_prices_free(prices);
    check_case("every price of the library has source and date; which one counts");
}

static void test_own(void) {
    habitat_prices *prices = no_prices();
    const char *csv = "gpu,usd_per_gpu_hour,provisioning,min_gpus,date,source\n"
                      "L40S,0.9,on-demand,,2026-09,https://example.org\n"
                      "H100,1.5,spot,8,,\n"
                      "H100,1.9,spot,1,,\n";
    const char *json = "{\"schema\": 1, \"prices\": [\n"
                       "{\"gpu\": \"L40S\", \"usd_per_gpu_hour\": 0.8},\n"
                       "{\"gpu\": \"T4\", \"usd_per_gpu_hour\": 0.3, \"gpu_alone\": true}]}";
    CHECK_INT(read_text(prices, csv, NULL), HABITAT_OK);
    const habitat_price *p = habitat_prices_of(prices, gpu_named("L40S"), false);
    CHECK(p && p->usd_per_hour == 0.9 && p->line == 2 && !p->spot);
    CHECK_TEXT(p->date, "2026-09");
    p = habitat_prices_of(prices, gpu_named("H100-SXM5-80GB"), true);
    CHECK(p && p->usd_per_hour == 1.9 && p->min_gpus == 1); /* 8 at once are not asked for */
    CHECK_INT(read_text(prices, json, NULL), HABITAT_OK);
    p = habitat_prices_of(prices, gpu_named("L40S"), false);
    CHECK(p && p->usd_per_hour == 0.8 && p->line == 2 && !p->date);
    CHECK(habitat_prices_of(prices, gpu_named("T4"), false)->gpu_alone);
    habitat_prices_free(prices);
    check_case("a user's prices as CSV and as JSON");
}

/* "A100" is several parts: their own row counts, whatever the other says, in either order. */
static void test_names(void) {
    const char *json =
        "{\"schema\": 1, \"prices\": [{\"gpu\": \"A100\", \"usd_per_gpu_hour\": 1},\n"
        "{\"gpu\": \"A100-SXM4-80GB\", \"usd_per_gpu_hour\": 3}]}";
    const char *lists[] = {"gpu,usd_per_gpu_hour\nA100,1.00\nA100-SXM4-80GB,3\n",
                           "gpu,usd_per_gpu_hour\nA100-SXM4-80GB,3\nA100,1.00\n", json};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        habitat_prices *prices = no_prices();
        CHECK_INT(read_text(prices, lists[i], NULL), HABITAT_OK);
        const habitat_price *p = habitat_prices_of(prices, gpu_named("A100-SXM4-80GB"), false);
        CHECK(p && p->usd_per_hour == 3);
        habitat_prices_free(prices);
    }
    check_case("a row of the very part counts before one of a shared name");
}

static void test_skypilot(void) {
    habitat_prices *prices = no_prices();
    size_t count = 0;
    const char *csv =
        "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,"
        "Region\n"
        "p3.2xlarge,8,61,V100,1.0,\"{'Gpus': [{'Name': 'V100', 'MemoryInfo': {'SizeInMiB': "
        "16384}}]}\",3.06,0.918,us-east-1\n"
        "p3.8xlarge,32,244,V100,4.0,\"{'Gpus': [{'Name': 'V100', 'MemoryInfo': {'SizeInMiB': "
        "16384}}]}\",12.0,,us-east-1\n"
        "p3dn.24xlarge,96,768,V100-32GB,8.0,,32.0,16.0,us-east-1\n"
        "m5.large,2,8,,,,0.096,0.04,us-east-1\n"
        "nv6,6,55,A10,0.5,,0.45,,eastus\n"
        "trn1.2xlarge,8,32,Trainium,1.0,Trainium,1.34,,us-east-1\n";
    CHECK_INT(read_text(prices, csv, NULL), HABITAT_OK);
    const habitat_price *p = habitat_prices_of(prices, gpu_named("V100-SXM2-16GB"), false);
    CHECK(p && p->usd_per_hour == 3.06 && p->min_gpus == 1); /* not 3.00, the fourth of a machine */
    CHECK_TEXT(p->product, "p3.2xlarge");
    CHECK_TEXT(p->region, "us-east-1");
    p = habitat_prices_of(prices, gpu_named("V100-SXM2-16GB"), true);
    CHECK(p && p->usd_per_hour == 0.918);
    habitat_prices_list(prices, &count);
    CHECK_INT(count, 5); /* 2 + 1 of V100, 2 of V100-32GB */
    CHECK(habitat_prices_of(prices, gpu_named("A10"), false) == NULL); /* half a GPU */
    const char *const *notes = habitat_prices_notes(prices, &count);
    CHECK(count >= 1 && strstr(notes[0], "not in the GPU table, left out: Trainium"));
    CHECK(count >= 2 && strstr(notes[1], "V100 as V100-SXM2-16GB"));
    habitat_prices_free(prices);
    check_case("a SkyPilot catalogue as it is");
}

static void refused(const char *text, habitat_status want, uint64_t line, const char *why) {
    habitat_prices *prices = no_prices();
    habitat_error err = {0};
    size_t count = 9;
    CHECK_INT(read_text(prices, text, &err), want);
    CHECK_INT(err.line, line);
    if (!strstr(err.message, why))
        CHECK_TEXT(err.message, why);
    habitat_prices_list(prices, &count);
    CHECK_INT(count, 0);
    habitat_prices_free(prices);
}

/* A price that held from one date to another is as old as the later. */
static void test_spans(void) {
    static const char *const spans[][2] = {{"2020-01 to 2025", "2025"},
                                           {"2025-03 to 2025", "2025"},
                                           {"2020 to 2020-11-16", "2020-11-16"}};
    static const char *const wrong[] = {"2025 to 2020-01",    "2020-01 to ",  " to 2025",
                                        "2020-01 to 2025 to", "soon to 2025", "2020-01  to 2025"};
    char text[128];
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        habitat_prices *prices = no_prices();
        snprintf(text, sizeof text, "gpu_type,usd_per_gpu_hour,as_of\nT4,0.35,%s\n", spans[i][0]);
        CHECK_INT(read_text(prices, text, NULL), HABITAT_OK);
        const habitat_price *p = habitat_prices_of(prices, gpu_named("T4"), false);
        CHECK_TEXT(p ? p->date : "no price", spans[i][1]);
        habitat_prices_free(prices);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "gpu_type,usd_per_gpu_hour,as_of\nT4,0.35,%s\n", wrong[i]);
        refused(text, HABITAT_E_FORMAT, 2, "2020-01 to 2025");
    }
    check_case("dates from one to another");
}

static void test_refusals(void) {
    refused("gpu,usd_per_gpu_hour\nL40S,0.9\nL40S,free\n", HABITAT_E_FORMAT, 3, "must be a number");
    refused("gpu,usd_per_gpu_hour\nL40S,-1\n", HABITAT_E_RANGE, 2, "more than 0");
    refused("gpu,usd_per_gpu_hour\nL40S,1e400\n", HABITAT_E_RANGE, 2, "more than 0");
    refused("gpu,usd_per_gpu_hour\n,1\n", HABITAT_E_FORMAT, 2, "one is empty");
    refused("gpu,usd_per_gpu_hour\nL41S,1\n", HABITAT_E_UNKNOWN_GPU, 2, "L4");
    refused("gpu,usd_per_hour\nL40S,1\n", HABITAT_E_FORMAT, 1, "\"usd_per_hour\": is none");
    refused("gpu,usd_per_gpu_hour,provisioning\nL40S,1,maybe\n", HABITAT_E_FORMAT, 2,
            "must be on-demand or spot");
    refused("gpu,usd_per_gpu_hour,date\nL40S,1,25.9.2026\n", HABITAT_E_FORMAT, 2, "2026-09-25");
    refused("gpu,usd_per_gpu_hour,min_gpus\nL40S,1,0\n", HABITAT_E_RANGE, 2, "from 1 to 1024");
    refused("AcceleratorName,AcceleratorCount,Price\nL40S,1,cheap\n", HABITAT_E_FORMAT, 2, "Price");
    refused("AcceleratorName,AcceleratorCount,Price\nL40S,,1\n", HABITAT_E_FORMAT, 2,
            "AcceleratorCount");
    refused("AcceleratorName,AcceleratorCount,Price\nL40S,-2,1\n", HABITAT_E_RANGE, 2, "above 0");
    refused("AcceleratorName,AcceleratorCount,Price\nL40S,0,1\n", HABITAT_E_RANGE, 2, "above 0");
    refused("{\"schema\": 2, \"prices\": []}", HABITAT_E_VERSION, 0, "must be 1");
    refused("{\"schema\": 1}", HABITAT_E_FORMAT, 0, "has no");
    refused("{\"schema\": 1, \"prices\": [\n{\"gpu\": \"L40S\"}]}", HABITAT_E_FORMAT, 2, "needs");
    refused(
        "{\"schema\": 1, \"prices\": [\n{\"gpu\": \"L40S\", \"usd_per_gpu_hour\": 1},\n{\"gpu\": "
        "\"L40S\", \"price\": 1}]}",
        HABITAT_E_FORMAT, 3, "\"price\" is no key");
    refused("{\"schema\": 1, \"prices\": [\n\n{\"gpu\": \"L40S\", \"usd_per_gpu_hour\": \"1\"}]}",
            HABITAT_E_FORMAT, 3, "must be a number");
    refused("{\"schema\": 1,\n \"prices\": [}", HABITAT_E_PARSE, 2, "not JSON");
    refused("{\"schema\": 1, \"prices\": [[[[[[[[[[[", HABITAT_E_FORMAT, 0, "deeper");
    habitat_prices *prices = no_prices();
    CHECK_INT(habitat_prices_read(prices, "/nowhere/prices.csv", NULL), HABITAT_E_IO);
    habitat_prices_free(prices);
    check_case("bad files are refused with their line, and nothing of them is kept");
}

int main(void) {
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    test_days();
    test_builtin();
    test_own();
    test_names();
    test_skypilot();
    test_refusals();
    test_spans();
    habitat_gpu_table_free(table);
    return check_done();
}
