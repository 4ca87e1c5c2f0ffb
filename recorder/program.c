/* Signals are waited for, not caught: no handler, and nothing it would have to find its child by.
 */
#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static void held_signals(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGQUIT);
}

void program_hold_signals(program_signals *before) {
    sigset_t set;
    held_signals(&set);
    sigaddset(&set, SIGCHLD);
    /* Ignored, as some parents leave it, the program's status would be lost. */
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &usual, &before->child);
    sigprocmask(SIG_BLOCK, &set, &before->mask);
}

void program_release_signals(const program_signals *before) {
    sigaction(SIGCHLD, &before->child, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

static bool is_for_program(const siginfo_t *info) {
    bool sent_by_process = info->si_code <= 0; /* kill(2), not the terminal's keys */
    return info->si_signo == SIGTERM || info->si_signo == SIGHUP || sent_by_process;
}

/* Waits for the program; false when its status is lost. */
static bool wait_for(pid_t child, int *status, int *received) {
    sigset_t set;
    held_signals(&set);
    sigaddset(&set, SIGCHLD);
    pid_t ended;
    while ((ended = waitpid(child, status, WNOHANG)) == 0) {
        siginfo_t info;
        if (sigwaitinfo(&set, &info) < 0 || info.si_signo == SIGCHLD)
            continue;
        *received = info.si_signo;
        if (is_for_program(&info))
            kill(child, info.si_signo);
    }
    return ended == child;
}

static void start(char *const *argv, int report, const program_signals *held) {
    program_release_signals(held);
    execvp(argv[0], argv);
    int error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

program_end program_run(char *const *argv, void (*prepare)(const void *), const void *context,
                        const program_signals *held) {
    program_end end = {.status = -1};
    int ends[2], status = 0; /* the pipe tells a failed exec from a program that returns the same */
    if (pipe2(ends, O_CLOEXEC) != 0) {
        end.error = errno;
        return end;
    }
    pid_t child = fork();
    if (child == 0) {
        prepare(context);
        start(argv, ends[1], held);
    }
    int fork_error = errno;
    close(ends[1]);
    if (child < 0) {
        end.error = fork_error;
    } else {
        if (read(ends[0], &end.error, sizeof end.error) < 0)
            end.error = 0;
        if (!wait_for(child, &status, &end.received) && !end.error)
            end.error = ECHILD;
    }
    close(ends[0]);
    if (end.error)
        return end;
    if (WIFSIGNALED(status))
        end.signal = WTERMSIG(status);
    else
        end.status = WEXITSTATUS(status);
    return end;
}
