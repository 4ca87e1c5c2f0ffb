/* A program run to its end, with the signals that would end this process handed on to it. */
#ifndef HABITAT_RECORDER_PROGRAM_H
#define HABITAT_RECORDER_PROGRAM_H

#include <signal.h>

/* What was in force before program_hold_signals(). */
typedef struct {
    sigset_t mask;
    struct sigaction child;
} program_signals;

typedef struct {
    int error;    /* errno where no process was made or the program cannot be run; 0: it ran */
    int status;   /* its exit status; -1 when it did not run or a signal ended it */
    int signal;   /* the signal that ended it; 0: none */
    int received; /* the last signal this process was sent while the program ran; 0: none */
} program_end;

/** Holds SIGTERM, SIGHUP, SIGINT and SIGQUIT back: what begins is finished or cleaned up, and a
 * signal that nobody was handed takes effect at program_release_signals(). */
void program_hold_signals(program_signals *before);
void program_release_signals(const program_signals *before);

/** Runs argv and waits for it. SIGTERM and SIGHUP go to it; so do SIGINT and SIGQUIT, unless they
 * come from the terminal, which sends them to the program as well.
 *  @param prepare  called in the new process, before the program starts.
 *  @param held     of program_hold_signals(), which must be in force. */
program_end program_run(char *const *argv, void (*prepare)(const void *), const void *context,
                        const program_signals *held);

#endif
