/* --timeline FILE and `habitat export --timeline`: the predicted iteration as a Chrome trace. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "timeline.h"

typedef struct sink {
    FILE *file;
    int reason; /* errno of the first write that failed */
} sink;

static int to_file(void *context, const char *data, size_t size) {
    sink *s = context;
    if (fwrite(data, 1, size, s->file) == size)
        return 0;
    s->reason = errno;
    return -1;
}

int cli_timeline_check(const cli_request *request) {
    if (request->to.count != 1 || strcmp(request->to.items[0], "all") == 0)
        return cli_fail(CLI_USAGE, "--timeline", "shows one GPU; name it with --to, once");
    habitat_assemble assemble = HABITAT_ASSEMBLE_USUAL;
    if (request->assemble)
        habitat_assemble_from_name(request->assemble, &assemble, NULL);
    if (assemble == HABITAT_ASSEMBLE_SUM)
        return cli_fail(CLI_USAGE, "--timeline", "needs --assemble replay: a sum has no times");
    return cli_output_check(request, "--timeline", request->timeline);
}

int cli_timeline_write(const cli_request *request, const cli_input *input) {
    habitat_error error = {0};
    bool out = strcmp(request->timeline, "-") == 0;
    if (input->answer->row_count != 1)
        return cli_fail(CLI_USAGE, "--timeline", "shows one GPU; name it with --to, once");
    if (!input->answer->replay)
        return cli_fail(CLI_USAGE, "--timeline",
                        "needs a recording on a GPU: without one no order of kernels is known");
    sink s = {.file = out ? NULL : fopen(request->timeline, "wb")};
    if (!out && !s.file)
        return cli_fail_write(request->timeline, errno);
    habitat_status status =
        habitat_export_timeline(input->answer->replay, input->answer->rows[0].prediction,
                                out ? cli_write_stdout : to_file, &s, &error);
    if (out) /* cli_finish_output() says what could not be written */
        return status == HABITAT_OK || status == HABITAT_E_IO
                   ? CLI_DONE
                   : cli_fail_error(&error, "standard output");
    if (fclose(s.file) != 0 && !s.reason)
        s.reason = errno;
    if (s.reason)
        return cli_fail_write(request->timeline, s.reason);
    return status == HABITAT_OK ? CLI_DONE : cli_fail_error(&error, request->timeline);
}
