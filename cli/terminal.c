/* Standard output: that it exists, that every byte got there, how wide it is, whether it takes
 * colour. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

/* A closed descriptor 0, 1 or 2 would be given to the next file opened, and results would be
 * written into it. /dev/null in its place, opened so that writing results still fails. */
static void fill_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            int opened = open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR);
            if (opened >= 0 && opened != fd) {
                dup2(opened, fd);
                close(opened);
            }
        }
}

void cli_start_output(void) {
    fill_descriptors();
    signal(SIGPIPE, SIG_IGN);
}

void cli_restore_signals(void) {
    signal(SIGPIPE, SIG_DFL);
}

/* Why the first write failed; stdio keeps that it did, not why. */
static int write_errno;

/* Whether nobody reads a pipe any more: `habitat ... | head` has seen enough. stdio does not keep
 * the reason of every failed write, poll() knows it still. */
static bool reader_is_gone(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return write_errno == EPIPE ||
           (write_errno == 0 && poll(&output, 1, 0) == 1 && (output.revents & POLLERR));
}

/* End as other tools do whose reader went away: silently, by SIGPIPE (a shell shows 141). */
static int end_by_pipe(void) {
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGPIPE);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(SIGPIPE);
    return 128 + SIGPIPE;
}

int cli_finish_output(int code) {
    int failed = ferror(stdout) || write_errno;
    if (fflush(stdout) != 0) {
        write_errno = write_errno ? write_errno : errno;
        failed = 1;
    }
    if (!failed)
        return code;
    if (reader_is_gone())
        return end_by_pipe();
    return cli_fail(CLI_FAILED, "standard output", "cannot write: %s; the output is not complete",
                    write_errno ? strerror(write_errno) : "an earlier write failed");
}

int cli_write_stdout(void *context, const char *data, size_t size) {
    (void)context;
    if (fwrite(data, 1, size, stdout) == size)
        return 0;
    write_errno = write_errno ? write_errno : errno;
    return 1;
}

void cli_spoil_output(int reason) {
    write_errno = write_errno ? write_errno : reason;
}

void cli_print(const char *format, ...) {
    char local[1024], *text = local;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = habitat_vformat(local, sizeof local, format, arguments);
    if (length >= (int)sizeof local && (text = malloc((size_t)length + 1)))
        habitat_vformat(text, (size_t)length + 1, format, again);
    if (text && length > 0)
        cli_write_stdout(NULL, text, (size_t)length);
    else if (!text)
        cli_spoil_output(ENOMEM);
    if (text != local)
        free(text);
    va_end(again);
    va_end(arguments);
}

unsigned cli_width(void) {
    const char *columns = getenv("COLUMNS");
    if (columns && *columns) {
        char *end;
        unsigned long width = strtoul(columns, &end, 10);
        if (*end == '\0' && width >= 40 && width <= 1000)
            return (unsigned)width;
    }
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col;
    return 80;
}

bool cli_colour(void) {
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_color && *no_color)
        return false;
    return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}
