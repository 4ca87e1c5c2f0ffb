/* Runs a program under the CUDA recorder and brings home its trace: what `habitat record --
 * COMMAND` does, apart from reading options and printing. Sees no CUDA. */
#ifndef HABITAT_RECORDER_LAUNCH_H
#define HABITAT_RECORDER_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What to run and how; zero-initialised fields mean the defaults. */
typedef struct {
    char *const *argv;   /* NULL-terminated; argv[0] is looked up in PATH */
    const char *out;     /* the trace; compressed when the name ends in .gz */
    const char *library; /* libhabitat_cupti.so; NULL: see habitat_launch_find_library() */
    const char *cupti;   /* a libcupti.so to use; NULL: the recorder chooses */
    const char
        *nvtx_range; /* iterations are the NVTX ranges of this name; NULL: the whole run is one */
    bool no_command; /* leave the command line out of the trace */
    unsigned warmup; /* such ranges to leave out first */
    unsigned iterations;        /* such ranges to keep then; 0: all */
    size_t buffer_bytes;        /* one activity buffer [byte]; 0: 4 MiB */
    size_t memory_bytes;        /* what the recorder may hold in memory [byte]; 0: 1 GiB */
    bool counters;              /* run the program again for hardware counters and merge them */
    double counters_percentile; /* measure kernels whose time is at or above this percentile, 0 to
                                   100; < 0: 99.5 */
} habitat_launch_options;

typedef struct {
    int exit_code;      /* for the command line: 0 done, 1 the work failed, 2 usage; 128 + n when
                           this process was sent signal n and the program ended by it */
    int program_status; /* the program's exit status; 128 + n when signal n ended it; -1: it did not
                           start */
    uint64_t kernels, iterations, dropped_records;
    unsigned traces;   /* processes that put work on a GPU; the busiest one's trace is `out`, others
                          get their   process id into the name */
    uint64_t counted;  /* kernels that carry counters */
    char message[768]; /* one line; on success "" or a warning worth showing */
} habitat_launch_result;

/** Runs options->argv with the recorder injected, waits, and leaves a complete trace at
 * options->out or nothing. The trace of a program that fails is kept: exit_code is 1 and the
 * message says so.
 *
 * The program inherits stdin, stdout and stderr. SIGTERM and SIGHUP are handed on to it, SIGINT
 * and SIGQUIT unless the terminal sends them to it as well (program.h).
 *
 * @param options  borrowed for the call; argv and out must be set.
 * @param result   filled in always.
 * @return result->exit_code.
 * @note  Calls fork(); not for processes with other threads at work. */
int habitat_launch_run(const habitat_launch_options *options, habitat_launch_result *result);

/** Writes the path of libhabitat_cupti.so: $HABITAT_RECORDER, else beside the running executable,
 * in recorder/ beside it, or in ../lib/habitat of it. @return false when there is none. */
bool habitat_launch_find_library(char *path, size_t size);

#endif
