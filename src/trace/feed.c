/* Driving the readers of Chrome-trace JSON. */
#include "trace/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/groups.h"
#include "trace/reader.h"

enum {
    WINDOW_BYTES = 2 * SOURCE_PIECE_BYTES,
    WINDOW_SPARE_BYTES = 64, /* zeros: what stops scanning, and room for wide loads */
};

/* yajl stopped by itself: the text is not JSON. Its message's first line says why. */
static habitat_status not_json(reader *r) {
    char text[160] = "malformed", why[128];
    json_explain(&r->json, text, sizeof text);
    const char *from = strstr(text, ": ");
    from = from ? from + 2 : text;
    snprintf(why, sizeof why, "%.*s", (int)strcspn(from, "\n"), from);
    for (size_t end = strlen(why); end && why[end - 1] == ' ';)
        why[--end] = '\0';
    return habitat_fail_at(r->err, HABITAT_E_PARSE, r->b->trace->info.file, reader_position(r), 0,
                           "not valid JSON here (%s); copy or record it again", why);
}

static habitat_status cut_off(reader *r, uint64_t bytes) {
    if (r->at == AT_START)
        return habitat_fail_at(r->err, HABITAT_E_FORMAT, r->b->trace->info.file, bytes, 0,
                               "the file is empty; %s", reader_advice);
    if (r->seen_events)
        return habitat_fail_at(r->err, HABITAT_E_PARSE, r->b->trace->info.file, bytes, 0,
                               "cut off after %" PRIu64 " events; copy or record it again",
                               r->event_count);
    return habitat_fail_at(r->err, HABITAT_E_PARSE, r->b->trace->info.file, bytes, 0,
                           "cut off before the first event; copy or record it again");
}

/* yajl did not go on. */
static habitat_status stopped(reader *r, json_result result) {
    if (result == JSON_NO_MEMORY)
        return habitat_fail(r->err, HABITAT_E_MEMORY, "out of memory");
    return result == JSON_STOPPED ? r->status : not_json(r);
}

/* Give yajl `size` bytes. */
static habitat_status feed(reader *r, const unsigned char *data, size_t size) {
    r->progress = false;
    r->after_event = false; /* unless the last of these bytes closes one: a string may begin here */
    json_result result = json_parse(&r->json, data, size);
    if (result != JSON_OK)
        return stopped(r, result);
    r->piece_start += size;
    if (r->progress)
        r->idle_since = r->piece_start;
    else if (r->piece_start - r->idle_since > TOKEN_BYTES_MAX)
        return habitat_fail_at(r->err, HABITAT_E_RANGE, r->b->trace->info.file, r->idle_since, 0,
                               "a string or blank of more than 16 MiB; %s", reader_advice);
    return HABITAT_OK;
}

/* Bytes that were read and not yet used: text[start, end), and room behind them. */
typedef struct window {
    unsigned char *text;
    size_t start, end;
    bool ended; /* nothing more to read */
} window;

static habitat_status refill(reader *r, trace_source *source, window *w) {
    size_t got;
    memmove(w->text, w->text + w->start, w->end - w->start);
    w->end -= w->start;
    w->start = 0;
    habitat_status status =
        source_read(source, w->text + w->end, WINDOW_BYTES - w->end, &got, r->err);
    w->end += got;
    w->ended = got == 0;
    memset(w->text + w->end, 0, WINDOW_SPARE_BYTES);
    return status;
}

/* The next events by the fast way, if yajl stands right behind an event; true if that is all for
 * now and more text is needed. */
static bool scan(reader *r, window *w) {
    if (!r->after_event || r->slow_only)
        return false;
    bool more;
    const unsigned char *from = w->text + w->start;
    const unsigned char *to = scan_events(r, from, w->text + w->end, &more);
    w->start += (size_t)(to - from);
    r->piece_start += (size_t)(to - from);
    r->idle_since = r->piece_start;
    return more && !w->ended && w->end - w->start < WINDOW_BYTES;
}

/* One step of yajl: through the next '}', where an event may end and the fast way begin again. */
static habitat_status step(reader *r, window *w) {
    const unsigned char *from = w->text + w->start;
    size_t size = w->end - w->start;
    const unsigned char *brace = r->slow_only ? NULL : memchr(from, '}', size);
    if (brace)
        size = (size_t)(brace - from) + 1;
    w->start += size;
    return feed(r, from, size);
}

static habitat_status feed_all(reader *r, trace_source *source, window *w) {
    habitat_status status = refill(r, source, w);
    if (w->end >= 3 && !memcmp(w->text, "\xef\xbb\xbf", 3)) /* a byte order mark */
        r->piece_start = w->start = 3;
    while (status == HABITAT_OK && (w->start < w->end || !w->ended)) {
        bool wanting = scan(r, w);
        if (r->status == HABITAT_E_MEMORY) /* met in the fast way: not to be tried again */
            status = r->status;
        else if (wanting || w->start == w->end)
            status = refill(r, source, w);
        else if (w->start < w->end)
            status = step(r, w);
    }
    return status;
}

static habitat_status complete(reader *r) {
    json_result result = json_complete(&r->json);
    if (result == JSON_STOPPED || result == JSON_NO_MEMORY)
        return stopped(r, result);
    if (r->at != AT_END)
        return cut_off(r, r->piece_start);
    return result == JSON_OK ? HABITAT_OK : not_json(r);
}

static habitat_status take_times(reader *r) {
    habitat_trace *t = r->b->trace;
    t->info.json_bytes = r->piece_start;
    if (!r->time_count)
        return HABITAT_OK;
    t->info.iteration_ms_all = t->iteration_ms_all = r->times;
    t->info.iteration_ms_count = r->time_count;
    r->times = NULL;
    bool all = r->group_count <= TIME_GROUPS;
    return trace_take_groups(t, r->groups, all ? r->group_count : 0, r->err);
}

habitat_status events_read(trace_builder *builder, trace_source *source, bool slow_only,
                           habitat_error *err) {
    reader r = {.b = builder, .err = err, .at = AT_START, .slow_only = slow_only};
    window w = {.text = malloc(WINDOW_BYTES + WINDOW_SPARE_BYTES)};
    habitat_status status;
    json_result started = json_start_parser(&r.json, &reader_callbacks, &r);
    if (started != JSON_OK || !w.text) {
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    } else {
        yajl_config(r.json.handle, yajl_dont_validate_strings,
                    1); /* names are shown, not interpreted */
        status = feed_all(&r, source, &w);
        if (status == HABITAT_OK)
            status = complete(&r);
        if (status == HABITAT_OK)
            status = reader_finish_memory(&r);
        if (status == HABITAT_OK)
            status = take_times(&r);
    }
    free(r.times);
    free(r.parameters);
    free(r.name);
    free(w.text);
    json_free_parser(&r.json);
    return status;
}
