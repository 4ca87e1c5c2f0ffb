/* Pieces of reports: numbers that read back, UTF-8 that cannot harm a terminal, CSV quoting, tables
 * that fit, and a writer that stops at the first refusal. */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "report/table.h"
#include "base/shortest.h"
#include "report/screen.h"
#include "report/writer.h"
#include "text_sink.h"

static habitat_report_options options(text_sink *b, unsigned width) {
    return (habitat_report_options){.write = append, .context = b, .width = width};
}

static void numbers(void) {
    static const double values[] = {0.0,    0.1,     1.0 / 3, 16.948123,  1e22,
                                    5e-324, 1.7e308, 725,     2.0 / 3e-9, 4800e9};
    char text[32];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        habitat_shortest(values[i], text);
        CHECK(strtod(text, NULL) == values[i]);
    }
    habitat_shortest(0.1, text);
    CHECK_TEXT(text, "0.1");
    habitat_shortest(725, text);
    CHECK_TEXT(text, "725");
    check_case("a number is written with the digits that read back as itself, and no more");
}

static void utf8(void) {
    char out[64];
    clean_text(out, sizeof out, "na\xc3\xafve \xff\xc0\xaf \x1b[31m\n\xc2\x9b");
    CHECK_TEXT(out, "na\xc3\xafve \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd ?[31m??");
    clean_text(out, 4, "ab\xe2\x82\xac"); /* no room for three bytes: left out whole */
    CHECK_TEXT(out, "ab");
    clean_text(out, sizeof out, "\xed\xa0\x80"); /* a surrogate is no character */
    CHECK_TEXT(out, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    CHECK_INT(display_width("na\xc3\xafve"), 5);
    CHECK_INT(display_width("\xe6\xbc\xa2\xe5\xad\x97"), 4); /* two wide characters */
    CHECK_INT(display_width("e\xcc\x81"), 1);                /* e with a combining accent */
    check_case("text for a terminal is valid UTF-8 without control characters");
}

static void json(void) {
    text_sink b = {0};
    writer w;
    habitat_report_options o = options(&b, 80);
    CHECK_INT(writer_start(&w, &o, NULL), HABITAT_OK);
    json_start(&w);
    json_map(&w, NULL);
    json_number(&w, "nan", strtod("nan", NULL));
    json_number(&w, "inf", strtod("inf", NULL));
    json_known_integer(&w, "zero", 0);
    json_integer(&w, "big", UINT64_MAX);
    json_tristate(&w, "fits", -1);
    json_text(&w, "bad", "a\xff\"\n");
    json_end_map(&w);
    CHECK_INT(writer_finish(&w, NULL), HABITAT_OK);
    CHECK_TEXT(b.data, "{\n  \"nan\": null,\n  \"inf\": null,\n  \"zero\": null,\n"
                       "  \"big\": 18446744073709551615,\n  \"fits\": null,\n"
                       "  \"bad\": \"a\xef\xbf\xbd\\\"\\n\"\n}\n");
    check_case("JSON: unknown is null, integers whole, bad bytes replaced");

    b.size = 0;
    CHECK_INT(writer_start(&w, &o, NULL), HABITAT_OK);
    json_start(&w);
    json_text(&w, NULL, "\033[1m\x7f\xc2\x9bz\xc3\x9b\xe2\x82\xac");
    CHECK_INT(writer_finish(&w, NULL), HABITAT_OK);
    CHECK_TEXT(b.data, "\"\\u001B[1m\\u007f\\u009bz\xc3\x9b\xe2\x82\xac\"\n");
    check_case("JSON: every control character is an escape, other characters stay");
    text_sink_clear(&b);
}

static void csv(void) {
    text_sink b = {0};
    writer w;
    habitat_report_options o = options(&b, 80);
    writer_start(&w, &o, NULL);
    csv_text(&w, "plain");
    csv_text(&w, NULL);
    csv_text(&w, "a,b");
    csv_text(&w, "say \"x\"");
    csv_text(&w, "two\nlines");
    csv_number(&w, strtod("nan", NULL));
    csv_number(&w, 1.5);
    csv_end_row(&w);
    csv_text(&w, "");
    csv_end_row(&w);
    writer_finish(&w, NULL);
    CHECK_TEXT(b.data, "plain,,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",,1.5\n\n");
    check_case("CSV is quoted where it must be; unknown is an empty cell");

    writer_start(&w, &o, NULL);
    b.size = 0;
    csv_text(&w, "\033[31mred\a");
    csv_text(&w, "a\tb\rc\x7f");
    csv_text(&w, "\xc2\x9b"
                 "2J\xc3\xa9\xff");
    csv_end_row(&w);
    writer_finish(&w, NULL);
    CHECK_TEXT(b.data, "\\x1b[31mred\\x07,\"a\tb\\x0dc\\x7f\",\\x9b2J\xc3\xa9\xef\xbf\xbd\n");
    check_case("CSV: control characters but line feed and tab are spelled out");
    text_sink_clear(&b);
}

static void fill(text_table *t, const table_column *columns) {
    table_start(t, columns, 3);
    table_row(t, STYLE_BAD);
    table_cell(t, 0, "a_name_that_is_much_too_long_for_it");
    table_number(t, 1, 1.25, 2);
    table_cell(t, 2, "x");
    table_row(t, STYLE_PLAIN);
    table_cell(t, 0, "short");
    table_number(t, 1, strtod("nan", NULL), 2);
    table_note(t, "a note that is longer than the forty columns of this terminal");
}

static void tables(void) {
    static const table_column columns[] = {
        {"name", false, true}, {"time\nms", true, false}, {"mark", false, false}};
    text_sink b = {0};
    writer w;
    text_table t;
    habitat_report_options o = options(&b, 40);
    writer_start(&w, &o, NULL);
    fill(&t, columns);
    table_write(&t, &w);
    writer_finish(&w, NULL);
    CHECK_TEXT(b.data, "                               time\n"
                       "name                             ms mark\n"
                       "a_name_that_is_much_too_long.. 1.25 x\n"
                       "short                             -\n"
                       "  a note that is longer than the forty..\n");
    check_case("a table shrinks what may shrink, cuts notes, and leaves no blanks at line ends");

    o.colour = true;
    text_sink_clear(&b);
    writer_start(&w, &o, NULL);
    fill(&t, columns);
    table_write(&t, &w);
    writer_finish(&w, NULL);
    CHECK(strstr(b.data, "\033[31ma_name") && strstr(b.data, "x\033[0m\n"));
    o.format = HABITAT_REPORT_CSV;
    writer_start(&w, &o, NULL);
    CHECK(!w.colour);
    writer_finish(&w, NULL);
    check_case("colour is for text alone");
    text_sink_clear(&b);
}

/* Two columns that can be spared, the second one first; the name of the module goes on below. */
static void fill_yielding(text_table *t, const table_column *columns, const table_yield *yields) {
    table_start(t, columns, 4);
    t->yields = yields;
    table_row(t, STYLE_PLAIN);
    table_cell(t, 0, "net.blocks.0-21.attention.query");
    table_number(t, 1, 12.5, 1);
    table_number(t, 2, 1.75, 2);
    table_number(t, 3, 400, 0);
    table_note(t, "a note");
}

static void written_at(unsigned width, const table_column *columns, const table_yield *yields,
                       const char *wanted) {
    text_sink b = {0};
    writer w;
    text_table t;
    habitat_report_options o = options(&b, width);
    writer_start(&w, &o, NULL);
    fill_yielding(&t, columns, yields);
    table_write(&t, &w);
    writer_finish(&w, NULL);
    CHECK_TEXT(b.data, wanted);
    text_sink_clear(&b);
}

static void yielding(void) {
    static const table_column columns[] = {{"module", false, true},
                                           {"ms", true, false},
                                           {"ratio", true, false},
                                           {"rate", true, false}};
    static const table_yield spare[] = {{0}, {0}, {.spare = 2}, {.spare = 1}};
    static const table_yield wraps[] = {{.wrap = true}, {0}, {0}, {0}};
    written_at(52, columns, spare,
               "module                             ms  ratio  rate\n"
               "net.blocks.0-21.attention.query  12.5   1.75   400\n  a note\n");
    written_at(47, columns, spare,
               "module                            ms ratio rate\n"
               "net.blocks.0-21.attention.query 12.5  1.75  400\n  a note\n");
    written_at(46, columns, spare,
               "module                            ms rate\n"
               "net.blocks.0-21.attention.query 12.5  400\n  a note\n");
    written_at(36, columns, spare,
               "module                            ms\n"
               "net.blocks.0-21.attention.query 12.5\n  a note\n");
    written_at(30, columns, spare,
               "module                      ms\n"
               "net.blocks.0-21.attenti.. 12.5\n  a note\n");
    check_case("a table gives up the columns it can spare before it cuts a name");
    written_at(40, columns, wraps,
               "module                     ms ratio rate\n"
               "net.blocks.0-21.         12.5  1.75  400\n  attention.query\n  a note\n");
    check_case("what a wrapped name has no room for stands in the next line");
}

static void amounts(void) {
    static const table_column columns[] = {{"usd", true, false}};
    text_sink b = {0};
    writer w;
    text_table t;
    habitat_report_options o = options(&b, 40);
    writer_start(&w, &o, NULL);
    table_start(&t, columns, 1);
    table_row(&t, STYLE_PLAIN);
    table_amount(&t, 0, 9999999.0, 2);
    table_row(&t, STYLE_PLAIN);
    table_amount(&t, 0, 12345678.0, 2);
    table_row(&t, STYLE_PLAIN);
    table_amount(&t, 0, strtod("nan", NULL), 2);
    table_write(&t, &w);
    writer_finish(&w, NULL);
    CHECK_TEXT(b.data, "       usd\n9999999.00\n  1.23e+07\n         -\n");
    check_case("an amount of any size takes few characters");
    text_sink_clear(&b);
}

static void lines(void) {
    text_sink b = {0};
    writer w;
    screen s;
    habitat_report_options o = options(&b, 10);
    writer_start(&w, &o, NULL);
    writer counting = screen_writer(&w, &s);
    writer_text(&counting, "ten bytes!\n"); /* as wide as the screen */
    CHECK_INT(s.lines, 1);
    writer_text(&counting, "eleven of them\n\n");
    CHECK_INT(s.lines, 4);
    writer_text(&counting, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 1234\n");
    CHECK_INT(s.lines, 5);
    CHECK(!b.data); /* nothing is written */
    check_case("lines are counted as a terminal of that width shows them");
    writer_finish(&w, NULL);
}

static void room(void) {
    static const table_column columns[] = {{"GB\nleft", true, false}};
    static const double gb[] = {12.6, 0.4, -0.04, -0.3, -4.6};
    text_sink b = {0};
    writer w;
    text_table t;
    habitat_report_options o = options(&b, 40);
    writer_start(&w, &o, NULL);
    table_start(&t, columns, 1);
    for (size_t i = 0; i < sizeof gb / sizeof *gb; i++) {
        table_row(&t, STYLE_PLAIN);
        table_room(&t, 0, gb[i]);
    }
    table_write(&t, &w);
    writer_finish(&w, NULL);
    CHECK_TEXT(b.data, "    GB\n  left\n    13\n     0\n-0.040\n  -0.3\n    -5\n");
    check_case("room that is missing is never -0");
    text_sink_clear(&b);
}

static void times(void) {
    char text[32];
    ms_text(0.01234, text, sizeof text);
    CHECK_TEXT(text, "0.0123");
    ms_text(1234.5, text, sizeof text);
    CHECK_TEXT(text, "1234");
    ms_text(strtod("nan", NULL), text, sizeof text);
    CHECK_TEXT(text, "-");
    ratio_text(0.314, text, sizeof text);
    CHECK_TEXT(text, "0.31x");
    ratio_text(123.4, text, sizeof text);
    CHECK_TEXT(text, "123x");
    CHECK_INT(decimals_for(185.5, 5), 2); /* 185.50 */
    CHECK_INT(decimals_for(0.154, 3), 3);
    CHECK_INT(decimals_for(12345, 3), 0);
    CHECK_INT(decimals_for(0, 3), 3);
    check_case("times and ratios keep their digits");
}

static void refusal(void) {
    text_sink b = {0};
    writer w;
    habitat_error error = {0};
    habitat_report_options o = options(&b, 80);
    b.refuse_from = 2;
    writer_start(&w, &o, NULL);
    writer_text(&w, "abc");
    writer_text(&w, "defg");
    writer_text(&w, "h");
    CHECK_INT(b.pieces, 2); /* nothing is tried after the refusal */
    CHECK_INT(writer_finish(&w, &error), HABITAT_E_IO);
    CHECK_INT(error.code, HABITAT_E_IO);
    CHECK_TEXT(b.data, "abc");
    o.write = NULL;
    CHECK_INT(writer_start(&w, &o, &error), HABITAT_E_ARG);
    check_case("a refused write ends the report with HABITAT_E_IO");
    text_sink_clear(&b);
}

int main(void) {
    numbers();
    utf8();
    json();
    csv();
    tables();
    yielding();
    amounts();
    lines();
    room();
    times();
    refusal();
    return check_done();
}
