/* `habitat export --chakra`: one execution trace, or one for each of several GPUs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "chakra.h"
#include "output.h"

/* Where the trace of a rank is written; free() it. NULL without memory. */
static char *rank_path(const char *folder, size_t rank) {
    size_t size = strlen(folder) + 32;
    char *path = malloc(size);
    if (path)
        habitat_format(path, size, "%s/rank.%zu.et", folder, rank);
    return path;
}

int cli_chakra_check(const cli_request *request, const char *output) {
    if (request->to.count != 1 || strcmp(request->to.items[0], "all") == 0)
        return cli_fail(CLI_USAGE, "--chakra", "writes one kind of GPU; name it with --to, once");
    if (request->gpus > 1 && strcmp(output, "-") == 0)
        return cli_fail(CLI_USAGE, "--output",
                        "must name a folder for the traces of %zu GPUs: DIR/rank.0.et and so on",
                        request->gpus);
    if (request->gpus <= 1)
        return cli_output_check(request, "--output", output);
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < request->gpus; i++) {
        char *path = rank_path(output, i);
        code = path ? cli_output_check(request, "--output", path)
                    : cli_fail(CLI_FAILED, output, "out of memory");
        free(path);
    }
    return code;
}

/* A whole trace: that of every rank has the same bytes. */
typedef struct bytes {
    char *data;
    size_t size, capacity;
} bytes;

static int append(void *context, const char *data, size_t size) {
    bytes *b = context;
    if (b->capacity - b->size < size) {
        size_t larger = 2 * b->size + size;
        char *grown = realloc(b->data, larger);
        if (!grown)
            return -1;
        b->data = grown;
        b->capacity = larger;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

static int write_file(const char *path, const bytes *trace) {
    bool out = strcmp(path, "-") == 0;
    FILE *file = out ? stdout : fopen(path, "wb");
    if (!file)
        return cli_fail_write(path, errno);
    bool fine = fwrite(trace->data, 1, trace->size, file) == trace->size;
    if (out)
        return fine ? CLI_DONE : cli_fail(CLI_FAILED, "standard output", "%s", strerror(errno));
    if (fclose(file) != 0 || !fine)
        return cli_fail_write(path, errno);
    return CLI_DONE;
}

static int write_folder(const char *folder, size_t ranks, const bytes *trace) {
    int code = CLI_DONE;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        code = cli_fail_write(folder, errno);
    for (size_t i = 0; code == CLI_DONE && i < ranks; i++) {
        char *path = rank_path(folder, i);
        code = path ? write_file(path, trace) : cli_fail(CLI_FAILED, folder, "out of memory");
        free(path);
    }
    return code;
}

int cli_chakra_write(const cli_request *request, const cli_input *input, const char *output) {
    habitat_error error = {0};
    bytes trace = {0};
    if (input->answer->row_count != 1)
        return cli_fail(CLI_USAGE, "--chakra", "writes one kind of GPU; name it with --to, once");
    if (!input->answer->replay)
        return cli_fail(CLI_USAGE, "--chakra",
                        "needs the order of kernels; leave out --assemble sum");
    habitat_status status = habitat_export_chakra(
        input->answer->replay, input->answer->rows[0].prediction, append, &trace, &error);
    if (status == HABITAT_E_IO) /* nobody but append() refuses */
        error = (habitat_error){.code = HABITAT_E_MEMORY, .message = "out of memory"};
    int code = CLI_DONE;
    if (status != HABITAT_OK)
        code = cli_fail_error(&error, habitat_trace_get_info(input->trace)->file);
    else
        code = request->gpus > 1 ? write_folder(output, request->gpus, &trace)
                                 : write_file(output, &trace);
    free(trace.data);
    return code;
}
