/* Numbers from text and text from numbers: hand-worked cases, and the C library's own answers in
 * the C locale, to the bit. */
#include "check.h"

#include <stdint.h>
#include <stdlib.h>

#include <habitat/text.h>

#include "base/shortest.h"
#include "base/letter.h"
#include "base/quantile.h"

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static bool same_bits(double a, double b) {
    return !memcmp(&a, &b, sizeof a);
}

static void check_read(const char *text, double want, size_t want_used) {
    double value = -7;
    size_t used = habitat_read_number(text, &value);
    CHECK_INT(used, want_used);
    if (!same_bits(value, want)) {
        printf("# \"%s\" is read as %a, not %a\n", text, value, want);
        check_case_failed = 1;
    }
}

static void test_hand_worked(void) {
    check_read("12.5", 12.5, 4);
    check_read("-0.1x", -0.1, 4);
    check_read(" \t+7.e2,", 700, 7);
    check_read(".25", 0.25, 3);
    check_read("1e", 1, 1);
    check_read("1e+", 1, 1);
    check_read("12,5", 12, 2);
    check_read("0x10", 0, 1);
    check_read("-0", -0.0, 2);
    check_read("Infinity", INFINITY, 8);
    check_read("-inf", -INFINITY, 4);
    const char *none[] = {"", "-", ".", "e5", ".e5", "+-1", "x", " "};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        check_read(none[i], -7, 0);
    double value = -7;
    CHECK(habitat_is_number("1.5", &value) && value == 1.5);
    CHECK(!habitat_is_number("1.5 ", &value) && !habitat_is_number("1,5", &value));
    CHECK(!habitat_is_number("", &value) && !habitat_is_number(NULL, &value) && value == 1.5);
    check_case("numbers are read up to what is no part of them; what is none is left alone");
}

static void test_rounding(void) {
    /* 2^53 + 1 lies halfway between two doubles: to the even one, unless anything follows */
    check_read("9007199254740993", 9007199254740992, 16);
    check_read("9007199254740993.00000000000000000000000000000000000000000000000000000000001",
               9007199254740994, 76);
    check_read("9007199254740995", 9007199254740996, 16);
    check_read("2.4703282292062327e-324", 0, 23);
    check_read("2.4703282292062328e-324", 0x1p-1074, 23);
    check_read("2.2250738585072011e-308", 0x0.fffffffffffffp-1022, 23);
    check_read("1.7976931348623158e308", 0x1.fffffffffffffp+1023, 22);
    check_read("1.7976931348623159e308", INFINITY, 22);
    check_read("1e400", INFINITY, 5);
    check_read("1e-400", 0, 6);
    check_read("1e999999999999", INFINITY, 14);
    check_read("0e999999999999", 0, 14);
    char text[2100] = "0.";
    memset(text + 2, '0', 1000);
    memcpy(text + 1002, "25e1000", 8);
    check_read(text, 0.25, 1009);
    memset(text, '1', 2000); /* 1.11...e1999 */
    memcpy(text + 2000, "e-1999", 7);
    check_read(text, 10.0 / 9.0, 2006);
    check_case("halfway cases go to the even neighbour; the ends of the range and long texts hold");
}

static void test_against_libc(void) {
    int different = 0;
    for (int i = 0; i < 30000 && different < 5; i++) {
        uint64_t bits = random_bits();
        double want;
        char text[900];
        memcpy(&want, &bits, sizeof want);
        if (i % 2)
            want = (double)(bits >> 40) / (double)(1 + random_bits() % 100000);
        if (!isfinite(want))
            continue;
        int length = i % 7 == 0
                         ? snprintf(text, sizeof text, "%.*e", (int)(random_bits() % 780), want)
                         : snprintf(text, sizeof text, "%.*g", (int)(random_bits() % 25), want);
        double got = -7;
        CHECK_INT(habitat_read_number(text, &got), length);
        if (!same_bits(got, strtod(text, NULL))) {
            printf("# %s is read as %a\n", text, got);
            different++;
        }
    }
    CHECK_INT(different, 0);
    check_case("texts of 30,000 numbers are read as strtod() reads them in the C locale");
}

static void test_format_against_libc(void) {
    static const char *const formats[] = {
        "%.15g", "%.17g",    "%.0f",  "%.1f",   "%.3f",  "%.4g", "%g",    "%e",       "%10.2f",
        "%f",    "%-12.3g|", "%+.1f", "%08.2f", "% .5e", "%.0e", "%.30g", "%3.0f %%", "%.25f"};
    enum { FORMATS = sizeof formats / sizeof *formats };
    for (int i = 0; i < 30000 && !check_case_failed; i++) {
        uint64_t bits = random_bits();
        double value;
        char want[512], got[512];
        memcpy(&value, &bits, sizeof value);
        if (i % 3)
            value = (double)(int64_t)(bits % 4001) / (i % 3 == 1 ? 8.0 : 1000.0);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        const char *format = formats[i % FORMATS];
        int length = snprintf(want, sizeof want, format, value);
        CHECK_INT(habitat_format(got, sizeof got, format, value), length);
#pragma GCC diagnostic pop
        CHECK_TEXT(got, want);
    }
    check_case("30,000 numbers are written as snprintf() writes them in the C locale");
}

static void test_format(void) {
    char text[64] = "", small[6];
    CHECK_INT(habitat_format(text, sizeof text, "%s|%-4d|%4u|%zu|%5.1f%%|%c|%.*s|%llx", "a", -1, 2u,
                             (size_t)3, 4.25, 'x', 2, "yz!", 255ull),
              28);
    CHECK_TEXT(text, "a|-1  |   2|3|  4.2%|x|yz|ff");
    CHECK_INT(habitat_format(small, sizeof small, "%.3f and more", 12.5), 15);
    CHECK_TEXT(small, "12.50");
    CHECK_INT(habitat_format(NULL, 0, "%d %.2f", 5, 1.0), 6);
    CHECK_INT(habitat_format(text, sizeof text, "%*.*f", -8, 1, 2.5), 8);
    CHECK_TEXT(text, "2.5     ");
    habitat_format(text, sizeof text, "%g %g %g %.1f", (double)NAN, (double)INFINITY,
                   (double)-INFINITY, -0.04);
    CHECK_TEXT(text, strstr(text, "-nan") ? "-nan inf -inf -0.0" : "nan inf -inf -0.0");
    check_case("texts, whole numbers and doubles in one format; cut, counted, never overrun");
}

static void test_shortest(void) {
    char text[32];
    const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {616.9, "616.9"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "4.94065645841247e-324"},
                 {1e23, "1e+23"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {-0.0, "-0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        habitat_shortest(cases[i].value, text);
        CHECK_TEXT(text, cases[i].text);
    }
    check_case("shortest text of 15 to 17 digits that is read back as the same number");
}

static void test_letters(void) {
    CHECK(letter_lower('I') == 'i' && letter_lower('Z') == 'z' && letter_lower('@') == '@');
    CHECK(letter_lower('[') == '[' && letter_lower('i') == 'i' && letter_lower('\xc9') == '\xc9');
    CHECK(letter_is_alnum('q') && letter_is_alnum('Q') && letter_is_alnum('7'));
    CHECK(!letter_is_alnum('_') && !letter_is_alnum('\xe9') && !letter_is_digit('/'));
    check_case("letters are those of ASCII");
}

static void test_words(void) {
    char a[300], b[300];
    CHECK_INT(habitat_edit_distance("", ""), 0);
    CHECK_INT(habitat_edit_distance("gemm", "gemm"), 0);
    CHECK_INT(habitat_edit_distance("gemm", "gem"), 1);
    CHECK_INT(habitat_edit_distance("gemm", "geemm"), 1);
    CHECK_INT(habitat_edit_distance("gemm", "germ"), 1);
    CHECK_INT(habitat_edit_distance("gemm", "gmem"), 1); /* neighbours swapped */
    CHECK_INT(habitat_edit_distance("kitten", "sitting"), 3);
    CHECK_INT(habitat_edit_distance("", "abc"), 3);
    CHECK_INT(habitat_edit_distance("abc", ""), 3);
    CHECK_INT(habitat_edit_distance("h100", "a100"), habitat_edit_distance("a100", "h100"));
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    a[sizeof a - 1] = b[sizeof b - 1] = '\0';
    b[200] = 'y'; /* behind the 127 bytes that count */
    CHECK_INT(habitat_edit_distance(a, b), 0);
    CHECK_INT(habitat_edit_distance(a, ""), 127);
    check_case("edit distance: put in, left out, changed, swapped; long words are cut");
}

static void test_quantiles(void) {
    double values[] = {4, 1, 2}, one[] = {7};
    habitat_sort_numbers(values, 3);
    CHECK(values[0] == 1 && values[1] == 2 && values[2] == 4);
    CHECK(habitat_quantile(values, 3, 0) == 1 && habitat_quantile(values, 3, 1) == 4);
    CHECK(habitat_quantile(values, 3, 0.5) == 2 && habitat_quantile(values, 3, 0.75) == 3);
    CHECK(habitat_quantile(values, 2, 0.5) == 1.5 && habitat_quantile(one, 1, 0.9) == 7);
    habitat_sort_numbers(NULL, 0);
    check_case("quantiles lie between neighbours");
}

int main(void) {
    test_hand_worked();
    test_rounding();
    test_against_libc();
    test_format_against_libc();
    test_format();
    test_shortest();
    test_letters();
    test_words();
    test_quantiles();
    return check_done();
}
