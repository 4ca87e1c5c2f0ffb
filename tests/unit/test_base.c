/* Base: arena, string table, errors, number formats. */
#include "check.h"

#include <stdlib.h>

#include <habitat/habitat.h>

#include "base/arena.h"
#include "base/error.h"

static void test_arena(void) {
    habitat_arena arena = {0};
    char *small = habitat_arena_alloc(&arena, 3);
    char *large = habitat_arena_alloc(&arena, 3u << 20);
    CHECK(small && large);
    CHECK_INT((uintptr_t)small % 16, 0);
    CHECK_INT((uintptr_t)large % 16, 0);
    memset(large, 1, 3u << 20);
    CHECK(!habitat_arena_alloc(&arena, SIZE_MAX - 8));
    CHECK_TEXT(habitat_arena_string(&arena, "abcdef", 3), "abc");
    habitat_arena_free(&arena);
    CHECK(!arena.head);
    check_case("arena hands out aligned memory, large blocks too, and refuses absurd sizes");
}

static void test_strings(void) {
    habitat_strings strings = {0};
    const char *first = habitat_strings_intern(&strings, "aten::mm", 8);
    char name[32];
    for (int i = 0; i < 5000; i++) {
        int length = snprintf(name, sizeof name, "kernel_%d", i % 2500);
        CHECK(habitat_strings_intern(&strings, name, (size_t)length) != NULL);
    }
    CHECK_INT(strings.count, 2501);
    CHECK(habitat_strings_intern(&strings, "aten::mm", 8) == first);
    CHECK(habitat_strings_intern(&strings, "aten::m", 7) != first);
    CHECK_TEXT(habitat_strings_intern(&strings, "", 0), "");
    habitat_strings_free(&strings);
    check_case("equal strings are stored once and keep their address while the table grows");
}

static void test_errors(void) {
    habitat_error err = {0};
    CHECK_INT(habitat_fail(NULL, HABITAT_E_IO, "x"), HABITAT_E_IO);
    CHECK_INT(habitat_fail_at(&err, HABITAT_E_PARSE, "t.json", 12, 3, "bad %s", "comma"),
              HABITAT_E_PARSE);
    CHECK_TEXT(err.message, "bad comma");
    CHECK_TEXT(err.file, "t.json");
    CHECK_INT(err.byte, 12);
    CHECK_INT(err.line, 3);
    char big[2000];
    memset(big, 'a', sizeof big);
    big[sizeof big - 1] = '\0';
    habitat_fail(&err, HABITAT_E_ARG, "%s", big);
    CHECK_INT(strlen(err.message), sizeof err.message - 1);
    CHECK_TEXT(habitat_status_name(HABITAT_E_UNKNOWN_GPU), "HABITAT_E_UNKNOWN_GPU");
    CHECK_TEXT(habitat_status_name((habitat_status)999), "HABITAT_E_?");
    check_case("errors carry code, place and a message cut to size");
}

static void test_dtypes(void) {
    CHECK_INT(habitat_dtype_from_name("c10::BFloat16"), HABITAT_DTYPE_BF16);
    CHECK_INT(habitat_dtype_from_name("torch.float16"), HABITAT_DTYPE_FP16);
    CHECK_INT(habitat_dtype_from_name("long int"), HABITAT_DTYPE_INT64);
    CHECK_INT(habitat_dtype_from_name("ScalarList"), HABITAT_DTYPE_UNKNOWN);
    CHECK_INT(habitat_dtype_from_name(NULL), HABITAT_DTYPE_UNKNOWN);
    CHECK_INT(habitat_dtype_bytes(HABITAT_DTYPE_COMPLEX128), 16);
    CHECK_INT(habitat_dtype_bytes((habitat_dtype)-1), 0);
    CHECK_TEXT(habitat_dtype_name(HABITAT_DTYPE_FP8), "fp8");
    check_case("number formats are found by our, PyTorch's and C++'s names");
}

int main(void) {
    test_arena();
    test_strings();
    test_errors();
    test_dtypes();
    return check_done();
}
