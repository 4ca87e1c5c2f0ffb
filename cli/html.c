/* --html FILE; see html.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "html.h"
#include "output.h"

bool cli_html_alone(const cli_request *request) {
    return request->html && strcmp(request->html, "-") == 0;
}

int cli_html_check(const cli_request *request) {
    if (cli_html_alone(request) && (request->json || request->csv))
        return cli_fail(CLI_USAGE, "--html", "- and %s both go to standard output; name a file",
                        request->json ? "--json" : "--csv");
    if (cli_html_alone(request) && request->by && strcmp(request->by, "class") == 0)
        return cli_fail(CLI_USAGE, "--by",
                        "class does not go with --html -, whose page always has the classes; take "
                        "kernel, op or module");
    if (cli_html_alone(request) && request->columns.count)
        return cli_fail(CLI_USAGE, "--columns",
                        "chooses those of the text table, which does not go with --html -; name a "
                        "file");
    if (request->html && request->timeline && cli_output_same(request->html, request->timeline))
        return cli_fail(CLI_USAGE, "--html", "%s is the file of --timeline, too; name another one",
                        request->html);
    return request->html ? cli_output_check(request, "--html", request->html) : CLI_DONE;
}

static int to_file(void *context, const char *data, size_t size) {
    return fwrite(data, 1, size, context) == size ? 0 : -1;
}

/* ---- a file that takes the place of another when it is done ---- */

typedef struct replacement {
    char *path;  /* the file itself, links followed */
    char *ready; /* what is written, beside it; NULL: a pipe or device, written as it is */
    FILE *file;
} replacement;

/* Rights of the file that is replaced, else those of any new file. */
static mode_t rights_of(const struct stat *old) {
    if (old)
        return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool open_beside(replacement *r, const struct stat *old) {
    size_t length = strlen(r->path);
    r->ready = malloc(length + sizeof ".XXXXXX");
    if (!r->ready) {
        errno = ENOMEM;
        return false;
    }
    memcpy(r->ready, r->path, length);
    memcpy(r->ready + length, ".XXXXXX", sizeof ".XXXXXX");
    int descriptor = mkstemp(r->ready);
    if (descriptor < 0)
        return false;
    fchmod(descriptor, rights_of(old));
    r->file = fdopen(descriptor, "wb");
    if (!r->file) {
        close(descriptor);
        unlink(r->ready);
    }
    return r->file != NULL;
}

static bool open_replacement(const char *path, replacement *r) {
    struct stat old;
    bool there = stat(path, &old) == 0;
    *r = (replacement){.path = there ? realpath(path, NULL) : strdup(path)};
    if (!r->path)
        return false;
    if (there && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (there && !S_ISREG(old.st_mode)) {
        r->file = fopen(path, "wb");
        return r->file != NULL;
    }
    return open_beside(r, there ? &old : NULL);
}

/* Puts it in place if all was written. @return 0, or the errno. */
static int close_replacement(replacement *r, bool whole) {
    int reason = 0;
    if (!r->file)
        reason = errno;
    else if (fclose(r->file) != 0 && whole)
        reason = errno;
    if (r->file && r->ready && whole && !reason && rename(r->ready, r->path) != 0)
        reason = errno;
    if (r->file && r->ready && (!whole || reason))
        unlink(r->ready);
    free(r->ready);
    free(r->path);
    return reason;
}

int cli_html_write(const cli_request *request, const cli_input *input, cli_page page,
                   const void *of) {
    habitat_report_options options = input->report;
    habitat_error error = {0};
    options.format = HABITAT_REPORT_HTML;
    if (cli_html_alone(request))
        return cli_report_result(page(of, &options, &error), &error);
    replacement r;
    if (!open_replacement(request->html, &r))
        return cli_fail_write(request->html, close_replacement(&r, false));
    options.write = to_file;
    options.context = r.file;
    errno = 0;
    habitat_status status = page(of, &options, &error);
    int reason = errno;
    int closed = close_replacement(&r, status == HABITAT_OK);
    if (status == HABITAT_E_IO || closed)
        return cli_fail_write(request->html, closed ? closed : reason);
    return status == HABITAT_OK ? CLI_DONE : cli_fail_error(&error, NULL);
}
