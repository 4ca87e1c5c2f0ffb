/* Base: arena, string table, errors, number formats. */
#include "check.h"

#include <stdlib.h>

#include <habitat/habitat.h>

#include "base/apart.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/list.h"
#include "base/table.h"

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

static void test_apart(void) {
    char a[32], b[32];
    apart_decimals(0.5, 0.25, 2, a, b, sizeof a);
    CHECK_TEXT(a, "0.50");
    CHECK_TEXT(b, "0.25");
    apart_decimals(0.3401, 0.3404, 2, a, b, sizeof a);
    CHECK_TEXT(a, "0.3401");
    CHECK_TEXT(b, "0.3404");
    apart_digits(24.0004e0, 23.9996e0, 4, a, b, sizeof a);
    CHECK_TEXT(a, "24.0004");
    CHECK_TEXT(b, "23.9996");
    apart_limit(24, 24.003, a, b, sizeof a);
    CHECK_TEXT(a, "24");
    CHECK_TEXT(b, "24.003");
    apart_limit(720.5, 1388.9, a, b, sizeof a);
    CHECK_TEXT(a, "720.5");
    CHECK_TEXT(b, "1389");
    apart_limit(10, 30.04, a, b, sizeof a);
    CHECK_TEXT(b, "30");
    apart_digits(2, 2, 4, a, b, sizeof a); /* equal: no digit tells them apart */
    CHECK_TEXT(a, b);
    check_case("two numbers are rounded so that they differ as texts");
}

static void test_list(void) {
    const int all[] = {1, 3, 3, 7};
    static const struct {
        int key;
        size_t place;
    } cases[] = {{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 3}, {7, 3}, {8, 4}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t low = 0, none = 2;
        LIST_FIRST_NOT(low, 4, all[middle] < cases[c].key);
        CHECK_INT(low, cases[c].place);
        LIST_FIRST_NOT(none, 2, all[middle] < cases[c].key); /* no places: it stays */
        CHECK_INT(none, 2);
    }
    size_t room = 0, count = 0;
    int *list = NULL;
    for (int i = 0; i < 12; i++) {
        int *grown = list_grow(list, count, &room, 3, 12, sizeof *list);
        CHECK(grown != NULL);
        list = grown;
        list[count++] = i;
    }
    CHECK_INT(room, 12); /* 3, 6, 12 */
    CHECK(list[0] == 0 && list[11] == 11);
    CHECK(!list_grow(list, count, &room, 3, 12, sizeof *list));
    CHECK_INT(room, 12);
    CHECK(!list_grow(NULL, 0, &(size_t){0}, SIZE_MAX / 2, SIZE_MAX, sizeof *list));
    free(list);
    check_case(
        "a list grows to twice its length, and no further than it may; places in a sorted one");
}

static void test_longer_lists(void) {
    size_t room = 0;
    int *list = list_grow_by_half(NULL, 0, &room, 4, 9, sizeof *list), *grown = NULL;
    CHECK_INT(room, 4);
    CHECK(list && list_grow_by_half(list, 3, &room, 4, 9, sizeof *list) == list);
    grown = list_grow_by_half(list, 4, &room, 4, 9, sizeof *list);
    CHECK_INT(room, 6);
    list = grown ? grown : list;
    grown = list_grow_by_half(list, 6, &room, 4, 9, sizeof *list);
    CHECK_INT(room, 9);
    list = grown ? grown : list;
    CHECK(!list_grow_by_half(list, 9, &room, 4, 9, sizeof *list));
    CHECK_INT(room, 9);
    free(list);
    check_case("a long list grows by a half");
    room = 0;
    list = list_reserve(NULL, 0, &room, 4, 40, sizeof *list);
    CHECK(list && room == 4);
    CHECK(list_reserve(list, 4, &room, 4, 40, sizeof *list) == list);
    grown = list_reserve(list, 9, &room, 4, 40, sizeof *list);
    CHECK_INT(room, 16); /* 4, 8, 16 */
    list = grown ? grown : list;
    grown = list_reserve(list, 40, &room, 4, 40, sizeof *list);
    CHECK_INT(room, 40); /* 32 are too few, 64 too many */
    list = grown ? grown : list;
    CHECK(!list_reserve(list, 41, &room, 4, 40, sizeof *list));
    CHECK(!list_reserve(NULL, SIZE_MAX / 2, &(size_t){0}, 1, SIZE_MAX, sizeof *list));
    CHECK_INT(room, 40);
    free(list);
    check_case("a list has room for as many as are wanted, and no more than it may");
}

typedef struct pair {
    int key, value;
} pair;

static bool has_key(const void *elements, uint32_t index, const void *key) {
    return ((const pair *)elements)[index].key == *(const int *)key;
}

/* `same_hash`: all keys have one hash, so that the comparison alone tells them apart. */
static void fill_table(bool same_hash) {
    enum { PAIRS = 500 };
    habitat_table table = {0};
    pair pairs[PAIRS] = {{0, 0}};
    int absent = -1;
    CHECK_INT(habitat_table_find(&table, 7, has_key, pairs, &absent), HABITAT_NONE);
    for (int i = 0; i < PAIRS; i++) {
        int key = i * 64; /* equal in their low bits */
        uint64_t hash = same_hash ? 7 : (uint64_t)key;
        CHECK_INT(habitat_table_find(&table, hash, has_key, pairs, &key), HABITAT_NONE);
        CHECK(habitat_table_put(&table, hash, (uint32_t)i));
        pairs[i] = (pair){key, i};
    }
    CHECK_INT(table.count, PAIRS);
    CHECK(table.capacity >= 2 * PAIRS && !(table.capacity & (table.capacity - 1)));
    for (int i = 0; i < PAIRS; i++) {
        uint64_t hash = same_hash ? 7 : (uint64_t)pairs[i].key;
        CHECK_INT(habitat_table_find(&table, hash, has_key, pairs, &pairs[i].key), i);
    }
    CHECK_INT(habitat_table_find(&table, 7, has_key, pairs, &absent), HABITAT_NONE);
    habitat_table_free(&table);
    CHECK(!table.slots && !table.capacity);
}

static void test_table(void) {
    fill_table(false);
    check_case("a table finds every element while it grows, and no other");
    fill_table(true);
    check_case("elements of one hash are told apart by comparison");
    habitat_table table = {0};
    CHECK(habitat_table_reserve(&table, 1000));
    habitat_table_slot *slots = table.slots;
    for (uint32_t i = 0; i < 1000; i++)
        CHECK(habitat_table_put(&table, i, i));
    CHECK(table.slots == slots);
    CHECK(!habitat_table_reserve(&table, HABITAT_NONE));
    habitat_table_free(&table);
    check_case("room that was reserved is enough; more than indices can name is refused");
    CHECK(habitat_hash_bytes("abcdefgh1", 9) != habitat_hash_bytes("abcdefgh2", 9));
    CHECK(habitat_hash_bytes("", 0) != habitat_hash_bytes("\0", 1));
    check_case("every byte and the length go into a hash");
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
    test_list();
    test_longer_lists();
    test_apart();
    test_table();
    test_errors();
    test_dtypes();
    return check_done();
}
