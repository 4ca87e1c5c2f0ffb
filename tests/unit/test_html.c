/* HTML reports: what a text may hold without becoming markup, and where a page stops. */
#include <math.h>
#include <stdlib.h>

#include <habitat/report.h>

#include "check.h"
#include "report/html.h"
#include "text_sink.h"

static void start(writer *w, text_sink *b) {
    habitat_report_options options = {.write = append, .context = b};
    text_sink_clear(b);
    CHECK_INT(writer_start(w, &options, NULL), HABITAT_OK);
}

static void escaped(const char *text, const char *want) {
    writer w;
    text_sink b = {0};
    start(&w, &b);
    html_text(&w, text);
    CHECK_INT(writer_finish(&w, NULL), HABITAT_OK);
    CHECK_TEXT(b.data ? b.data : "", want);
    text_sink_clear(&b);
}

static void texts(void) {
    escaped(NULL, "");
    escaped("", "");
    escaped("void f<128, 2>(float*)", "void f&lt;128, 2&gt;(float*)");
    escaped("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
    escaped("\" onload='x' &lt;", "&quot; onload=&#39;x&#39; &amp;lt;");
    check_case("no character of markup is left in a text");
    escaped("na\xc3\xafve \xe2\x82\xac", "na\xc3\xafve \xe2\x82\xac");
    escaped("\xff<\xc0\xaf>", "\xef\xbf\xbd&lt;\xef\xbf\xbd\xef\xbf\xbd&gt;");
    escaped("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"); /* cut within a character */
    escaped("a\033[31m\x7f\xc2\x9b"
            "b\n",
            "a\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd"
            "b\xef\xbf\xbd");
    check_case("bad UTF-8 and control characters become U+FFFD, the rest stays");
}

static void json_of(const char *text, const char *want) {
    writer w, json;
    text_sink b = {0};
    start(&w, &b);
    html_json(&json, &w);
    json_array(&json, NULL);
    json_text(&json, NULL, text);
    json_end_array(&json);
    html_json_end(&json, &w);
    CHECK_INT(writer_finish(&w, NULL), HABITAT_OK);
    CHECK_TEXT(b.data ? b.data : "", want);
    text_sink_clear(&b);
}

static void json(void) {
    json_of("plain \"q\"", "[\"plain \\\"q\\\"\"]");
    json_of("</script><!--<script>", "[\"\\u003c/script\\u003e\\u003c!--\\u003cscript\\u003e\"]");
    json_of("a&b\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa7", "[\"a\\u0026b\\u2028\\u2029\xe2\x80\xa7\"]");
    json_of("\xff\x7f", "[\"\xef\xbf\xbd\\u007f\"]");
    check_case("JSON in a script element holds no markup and no line separator");
}

static void cells(void) {
    writer w;
    text_sink b = {0};
    start(&w, &b);
    html_number_cell(&w, 2.0 / 3, 1);
    html_number_cell(&w, NAN, 1);
    html_ms_cell(&w, 12.3456);
    html_cell(&w, "<");
    html_cell(&w, NULL);
    html_element(&w, "p class=\"x\"", "a>b");
    CHECK_INT(writer_finish(&w, NULL), HABITAT_OK);
    CHECK_TEXT(b.data, "<td data-v=\"0.6666666666666666\">0.7</td>\n"
                       "<td class=\"none\">\xe2\x80\x93</td>\n"
                       "<td data-v=\"12.3456\">12.35</td>\n"
                       "<td>&lt;</td>\n<td>\xe2\x80\x93</td>\n<p class=\"x\">a&gt;b</p>\n");
    check_case("a number carries its whole value; what is not known is a dash");

    static const struct {
        double usd;
        const char *text;
    } dollars[] = {{1234.5, "$1234.50"},
                   {2.49, "$2.49"},
                   {0.34, "$0.340"},
                   {0.0236, "$0.0236"},
                   {0.0000999, "$0.000100"}};
    for (size_t i = 0; i < sizeof dollars / sizeof *dollars; i++) {
        char text[32];
        dollars_text(dollars[i].usd, text, sizeof text);
        CHECK_TEXT(text, dollars[i].text);
    }
    check_case("small dollars have three digits, large ones cents");
    text_sink_clear(&b);
}

static void refusals(void) {
    writer w;
    text_sink b = {0};
    habitat_error error = {0};
    habitat_gpu_table *table = NULL;
    start(&w, &b);
    b.refuse_from = 2;
    html_element(&w, "p", "long");
    CHECK_INT(writer_finish(&w, NULL), HABITAT_E_IO);
    CHECK_TEXT(b.data, "<p>");
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    habitat_report_options options = {
        .format = HABITAT_REPORT_HTML, .write = append, .context = &b};
    b.size = 0;
    CHECK_INT(habitat_report_gpus(table, &options, &error), HABITAT_E_ARG);
    CHECK_TEXT(error.message, "this report has no HTML form");
    CHECK_INT((int)b.size, 0);
    CHECK_INT(habitat_report_prediction(NULL, &options, &error), HABITAT_E_ARG);
    CHECK_INT(habitat_report_choice(NULL, &options, &error), HABITAT_E_ARG);
    habitat_gpu_table_free(table);
    check_case("a refused write stops the page; reports without a page say so");
    text_sink_clear(&b);
}

int main(void) {
    texts();
    json();
    cells();
    refusals();
    return check_done();
}
