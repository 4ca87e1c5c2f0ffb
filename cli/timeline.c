/* --timeline FILE and `habitat export --timeline`: the predicted iteration as a Chrome trace,
 * compressed where the name of the file ends in .gz. */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "output.h"
#include "timeline.h"

typedef struct sink {
    gzFile file; /* of a name without .gz, a plain file */
    int reason;  /* errno of the first write that failed */
} sink;

/* zlib sets none where its memory runs out. */
static int reason_now(void) {
    return errno ? errno : ENOMEM;
}

static int to_file(void *context, const char *data, size_t size) {
    sink *s = context;
    errno = 0;
    if (size == 0 || gzwrite(s->file, data, (unsigned)size) > 0)
        return 0;
    s->reason = reason_now();
    return -1;
}

static gzFile open_file(const char *path) {
    size_t length = strlen(path);
    bool packed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    errno = 0;
    return gzopen(path, packed ? "wb" : "wbT"); /* T: as it is */
}

static void close_file(sink *s) {
    errno = 0;
    if (gzclose(s->file) != Z_OK && !s->reason)
        s->reason = reason_now();
}

static int check_gpu(const cli_request *request) {
    if (request->to.count != 1 || strcmp(request->to.items[0], "all") == 0)
        return cli_fail(CLI_USAGE, "--timeline", "shows one GPU; name it with --to, once");
    return CLI_DONE;
}

static int check_file(const cli_request *request) {
    habitat_assemble assemble = HABITAT_ASSEMBLE_USUAL;
    if (request->assemble)
        habitat_assemble_from_name(request->assemble, &assemble, NULL);
    if (assemble == HABITAT_ASSEMBLE_SUM)
        return cli_fail(CLI_USAGE, "--timeline", "needs --assemble replay: a sum has no times");
    return cli_output_check(request, "--timeline", request->timeline);
}

int cli_timeline_check(const cli_request *request) {
    int code = check_gpu(request);
    return code == CLI_DONE ? check_file(request) : code;
}

int cli_timeline_check_beside(const cli_request *request, bool one_gpu) {
    if (!request->timeline)
        return CLI_DONE;
    if (strcmp(request->timeline, "-") == 0)
        return cli_fail(CLI_USAGE, "--timeline",
                        "needs a file: standard output has the report; `habitat export "
                        "--timeline` writes there");
    return one_gpu ? cli_timeline_check(request) : check_file(request);
}

int cli_timeline_write(const cli_request *request, const cli_input *input) {
    habitat_error error = {0};
    const habitat_answer *answer = input->shown ? input->shown : input->answer;
    bool out = strcmp(request->timeline, "-") == 0;
    if (answer->row_count != 1)
        return cli_fail(CLI_USAGE, "--timeline", "shows one GPU; name it with --to, once");
    if (!answer->replay)
        return cli_fail(CLI_USAGE, "--timeline",
                        "needs the order of kernels; leave out --assemble sum");
    sink s = {.file = out ? NULL : open_file(request->timeline)};
    if (!out && !s.file)
        return cli_fail_write(request->timeline, reason_now());
    habitat_status status = habitat_export_timeline(answer->replay, answer->rows[0].prediction,
                                                    out ? cli_write_stdout : to_file, &s, &error);
    if (out) /* cli_finish_output() says what could not be written */
        return status == HABITAT_OK || status == HABITAT_E_IO
                   ? CLI_DONE
                   : cli_fail_error(&error, "standard output");
    close_file(&s);
    if (s.reason)
        return cli_fail_write(request->timeline, s.reason);
    return status == HABITAT_OK ? CLI_DONE : cli_fail_error(&error, request->timeline);
}
