/* --timeline FILE and `habitat export --timeline`: the predicted iteration as a Chrome trace. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "timeline.h"

static int to_file(void *context, const char *data, size_t size) {
    return fwrite(data, 1, size, context) == size ? 0 : -1;
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
    FILE *file = out ? stdout : fopen(request->timeline, "wb");
    if (!file)
        return cli_fail(CLI_FAILED, request->timeline, "%s", strerror(errno));
    habitat_status status = habitat_export_timeline(
        input->answer->replay, input->answer->rows[0].prediction, to_file, file, &error);
    if (out)
        return status == HABITAT_OK ? CLI_DONE : cli_fail_error(&error, "standard output");
    bool closed = fclose(file) == 0;
    if (status == HABITAT_OK && !closed)
        return cli_fail(CLI_FAILED, request->timeline, "%s", strerror(errno));
    return status == HABITAT_OK ? CLI_DONE : cli_fail_error(&error, request->timeline);
}
