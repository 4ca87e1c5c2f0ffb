/* Work of operations: the golden table, the order of the rule table, constructors, bad input. */
#include "check.h"
#include "work_case.h"

#include <ctype.h>

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

int main(void) {
    table_is_sorted();
    golden();
    return check_done();
}
