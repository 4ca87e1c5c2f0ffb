/* See rank_rows.h. */
#include "report/rank_rows.h"

#include <math.h>
#include <stdio.h>

#include <habitat/text.h>

#include "report/shared_pieces.h"
#include "report/table.h"

/* A time of a rank, as JSON and CSV hold it. */
typedef struct rank_time {
    const char *key;
    double value;
} rank_time;

enum { TIMES = 7 };

static void list_times(const habitat_rank *r, rank_time out[TIMES]) {
    const rank_time all[TIMES] = {
        {"iteration_ms", r->iteration_ms},
        {"compute_ms", r->compute_ms},
        {"communication_ms", r->communication_ms},
        {"exposed_communication_ms", r->exposed_communication_ms},
        {"waiting_ms", r->waiting_ms},
        {"exposed_waiting_ms", r->exposed_waiting_ms},
        {"clock_offset_ms", r->clock_offset_ms},
    };
    for (size_t i = 0; i < TIMES; i++)
        out[i] = all[i];
}

static const char *file_of(const habitat_rank *r) {
    const char *file = habitat_trace_get_info(r->trace)->file;
    return file ? file : "";
}

static const char *source_of(const habitat_rank *r) {
    return r->iteration_recorded ? "recorded" : "trace";
}

void json_rank_rows(writer *w, const habitat_answer *what) {
    if (!what->rank_count)
        return;
    json_array(w, "ranks");
    for (size_t i = 0; i < what->rank_count; i++) {
        const habitat_rank *r = &what->ranks[i];
        rank_time times[TIMES];
        list_times(r, times);
        json_map(w, NULL);
        json_integer(w, "rank", i);
        json_text(w, "file", file_of(r));
        json_text(w, "iteration_source", source_of(r));
        for (size_t t = 0; t < TIMES; t++)
            json_number(w, times[t].key, times[t].value);
        json_integer(w, "last_to_messages", r->last_count);
        json_end_map(w);
    }
    json_end_array(w);
    json_integer(w, "messages", what->message_count);
    json_number(w, "slow_rank",
                what->slow_rank == HABITAT_NONE ? (double)NAN : (double)what->slow_rank);
}

static void csv_key(writer *w, size_t rank, const char *key) {
    char text[64];
    snprintf(text, sizeof text, "rank.%zu.%s", rank, key);
    csv_text(w, text);
}

void csv_rank_rows(writer *w, const habitat_answer *what) {
    for (size_t i = 0; i < what->rank_count; i++) {
        const habitat_rank *r = &what->ranks[i];
        rank_time times[TIMES];
        list_times(r, times);
        csv_key(w, i, "file");
        csv_text(w, file_of(r));
        csv_end_row(w);
        csv_key(w, i, "iteration_source");
        csv_text(w, source_of(r));
        csv_end_row(w);
        for (size_t t = 0; t < TIMES; t++) {
            csv_key(w, i, times[t].key);
            csv_number(w, times[t].value);
            csv_end_row(w);
        }
        csv_key(w, i, "last_to_messages");
        csv_integer(w, r->last_count);
        csv_end_row(w);
    }
    if (!what->rank_count)
        return;
    csv_text(w, "messages");
    csv_integer(w, what->message_count);
    csv_end_row(w);
    csv_text(w, "slow_rank");
    csv_number(w, what->slow_rank == HABITAT_NONE ? (double)NAN : (double)what->slow_rank);
    csv_end_row(w);
}

/* ---- text ---- */

static void say_slow(writer *w, const habitat_answer *what) {
    size_t slow = what->slow_rank;
    char text[320];
    if (slow == HABITAT_NONE) {
        wrapped_text(w, "Slow rank   ", 12,
                     "none: exposed waiting differs by less than 1 % of the iteration");
        return;
    }
    double others = 0.0;
    for (size_t i = 0; i < what->rank_count; i++)
        others +=
            i == slow ? 0.0 : what->ranks[i].exposed_waiting_ms / (double)(what->rank_count - 1);
    habitat_format(
        text, sizeof text,
        "%zu: the other GPUs do nothing but wait for %.3g ms of an iteration, its own for "
        "%.3g; it came last to %zu of %zu messages",
        slow, others, what->ranks[slow].exposed_waiting_ms, what->ranks[slow].last_count,
        what->message_count);
    wrapped_text(w, "Slow rank   ", 12, text);
}

void text_rank_rows(writer *w, const habitat_answer *what) {
    static const table_column columns[] = {
        {"rank", true, false},         {"iteration\nms", true, false}, {"compute\nms", true, false},
        {"messages\nms", true, false}, {"exposed\nms", true, false},   {"waiting\nms", true, false},
        {"exposed\nms", true, false},  {"clock\noff ms", true, false}, {"file", false, true},
    };
    text_table t;
    if (!what->rank_count)
        return;
    table_start(&t, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < what->rank_count; i++) {
        const habitat_rank *r = &what->ranks[i];
        int decimals = decimals_for(r->iteration_ms, 4);
        table_row(&t, i == what->slow_rank ? STYLE_BOLD : STYLE_PLAIN);
        table_cell(&t, 0, "%zu", i);
        table_ms(&t, 1, r->iteration_ms);
        table_number(&t, 2, r->compute_ms, decimals);
        table_number(&t, 3, r->communication_ms, decimals);
        table_number(&t, 4, r->exposed_communication_ms, decimals);
        table_number(&t, 5, r->waiting_ms, decimals);
        table_number(&t, 6, r->exposed_waiting_ms, decimals);
        table_number(&t, 7, r->clock_offset_ms, 3);
        table_cell(&t, 8, "%s", base_name(file_of(r)));
    }
    writer_text(w, "\n");
    table_write(&t, w);
    writer_text(w, "\n");
    say_slow(w, what);
}
