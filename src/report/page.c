/* The frame of an HTML report; see page.h. */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "report/html.h"
#include "report/page_data.h"
#include "report/page_gpus.h"
#include "report/page_sources.h"
#include "report/page_split.h"
#include "report/page_words.h"
#include "trace/sha256.h"

/* Embedded pieces (base/embedded.h), in the order of CMakeLists.txt. */
enum { PIECE_FRAME = 0, PIECE_STYLE, PIECE_CHART, PIECE_SCRIPT };

/* ---- what the page may do: run its own script, and reach nothing ---- */

enum { DIGEST_BYTES = 32 };

static void write_base64(writer *w, const unsigned char *data, size_t size) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned long bits = (unsigned long)data[i] << 16;
        bits |= i + 1 < size ? (unsigned long)data[i + 1] << 8 : 0;
        bits |= i + 2 < size ? data[i + 2] : 0;
        char four[4] = {letters[bits >> 18], letters[bits >> 12 & 63],
                        i + 1 < size ? letters[bits >> 6 & 63] : '=',
                        i + 2 < size ? letters[bits & 63] : '='};
        writer_bytes(w, four, sizeof four);
    }
}

static unsigned nibble(char hex) {
    return (unsigned)(hex <= '9' ? hex - '0' : hex - 'a' + 10);
}

/* 'sha256-..': the element with this content may be used. */
static void write_hash(writer *w, const habitat_embedded_file *piece) {
    char hex[2 * DIGEST_BYTES + 1] = "";
    unsigned char digest[DIGEST_BYTES];
    sha256_sum *sum = sha256_begin();
    if (!sum) {
        writer_stop(w, HABITAT_E_MEMORY);
        return;
    }
    sha256_add(sum, piece->data, piece->size_bytes);
    sha256_end(sum, hex);
    sha256_free(sum);
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        digest[i] = (unsigned char)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
    writer_text(w, " 'sha256-");
    write_base64(w, digest, sizeof digest);
    writer_text(w, "'");
}

static void write_policy(page *p) {
    writer_text(&p->w, "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
                       "style-src");
    write_hash(&p->w, &habitat_embedded_page[PIECE_STYLE]);
    writer_text(&p->w, "; script-src");
    write_hash(&p->w, &habitat_embedded_page[PIECE_CHART]);
    write_hash(&p->w, &habitat_embedded_page[PIECE_SCRIPT]);
}

/* ---- places of the frame ---- */

static void write_piece(page *p, size_t at) {
    writer_bytes(&p->w, (const char *)habitat_embedded_page[at].data,
                 habitat_embedded_page[at].size_bytes);
}

static void write_style(page *p) {
    write_piece(p, PIECE_STYLE);
}

static void write_chart(page *p) {
    write_piece(p, PIECE_CHART);
}

static void write_script(page *p) {
    write_piece(p, PIECE_SCRIPT);
}

static void write_version(page *p) {
    html_text(&p->w, habitat_version());
}

/* What the bars of the first chart are of. */
static void write_bar(page *p) {
    writer_text(&p->w, p->by_sample && p->choice ? "a sample" : "an iteration");
}

static const struct {
    const char *name;
    void (*write)(page *p);
} places[] = {
    {"policy", write_policy},
    {"style", write_style},
    {"chart.js", write_chart},
    {"script", write_script},
    {"version", write_version},
    {"title", page_title},
    {"facts", page_facts},
    {"answer", page_answer},
    {"times", page_times},
    {"breakdown", page_breakdown},
    {"cost", page_cost},
    {"filter", page_filter},
    {"operations", page_operations},
    {"gpus", page_gpus},
    {"memory", page_memory},
    {"sources", page_sources},
    {"notes", page_notes},
    {"data", page_data},
    {"bar", write_bar},
};

static void write_place(page *p, const char *name, size_t length) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == length && memcmp(places[i].name, name, length) == 0) {
            places[i].write(p);
            return;
        }
    writer_stop(&p->w, HABITAT_E_ARG); /* the frame names a place that nobody fills */
}

static void write_frame(page *p) {
    const char *rest = (const char *)habitat_embedded_page[PIECE_FRAME].data, *open, *close;
    while (p->w.status == HABITAT_OK && (open = strstr(rest, "{{")) &&
           (close = strstr(open, "}}"))) {
        writer_bytes(&p->w, rest, (size_t)(open - rest));
        write_place(p, open + 2, (size_t)(close - open - 2));
        rest = close + 2;
    }
    writer_text(&p->w, rest);
}

/* ---- the three reports ---- */

static habitat_status write_page(page *p) {
    habitat_report_options plain = *p->options;
    plain.format = HABITAT_REPORT_TEXT; /* of HTML the writer itself knows nothing */
    habitat_status status = writer_start(&p->w, &plain, p->err);
    if (status != HABITAT_OK)
        return status;
    p->what = p->answers[0];
    p->origin = habitat_workload_get_info(p->what->workload)->origin;
    p->batches = p->what->row_count && p->what->rows[0].key.batch_size > 0;
    p->samples = p->what->trace && habitat_trace_get_info(p->what->trace)->batch_size > 0;
    status = page_rows_make(p);
    if (status == HABITAT_OK)
        write_frame(p);
    free(p->rows);
    habitat_status written = writer_finish(&p->w, p->err);
    return status != HABITAT_OK ? status : written;
}

bool page_asked(const habitat_report_options *options) {
    return options && options->format == HABITAT_REPORT_HTML;
}

habitat_status page_prediction(const habitat_answer *what, const habitat_report_options *options,
                               habitat_error *err) {
    page p = {.options = options, .answers = &what, .answer_count = 1, .err = err};
    return write_page(&p);
}

habitat_status page_explanation(const habitat_answer *what, const habitat_report_options *options,
                                habitat_error *err) {
    page p = {
        .options = options, .answers = &what, .answer_count = 1, .explains = true, .err = err};
    return write_page(&p);
}

habitat_status page_choice(const habitat_choice *choice, const habitat_report_options *options,
                           habitat_error *err) {
    page p = {.options = options,
              .answers = choice->answers,
              .weights = choice->weights,
              .answer_count = choice->answer_count,
              .choice = choice,
              .err = err};
    return write_page(&p);
}
