/* A library to preload: runs a program again and again, each time with another allocation failing.
 *
 * Before main() it forks: first a run that is left alone, then for n = 1, 2, ... one in which the
 * n-th allocation fails, and one in which all from the n-th on fail, until a run has no n-th. A run
 * may end as the first did, byte for byte, or with exit status 1, one line of error that speaks of
 * memory, and nothing on standard output that the first run did not say as well. Everything else is
 * reported: a crash, other output, another status. Allocations count from main() on.
 *
 * HABITAT_ALLOC_LOOP=all tries every n; =thin tries the first, then fewer and fewer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_alloc.h"

enum { OUTPUT_BYTES_MAX = 8 << 20, SECONDS_MAX = 120, REPORTED_MAX = 5, THIN_FIRST = 24 };

/* ---- one run ---- */

typedef int main_function(int argc, char **argv, char **environment);
static main_function *program;

typedef struct output {
    char *text;
    size_t size;
} output;

typedef struct run {
    int status; /* as waitpid() gives it */
    unsigned long allocations;
    output out, err;
} run;

static int stdout_file, stderr_file;

static void empty_file(int file) {
    if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0)
        abort();
}

static void read_back(int file, output *into) {
    ssize_t got = pread(file, into->text, OUTPUT_BYTES_MAX, 0);
    into->size = got < 0 ? 0 : (size_t)got;
}

/* @return in the parent true; in the child false: it goes on as the program. */
static bool run_one(unsigned long n, bool rest, run *result) {
    empty_file(stdout_file);
    empty_file(stderr_file);
    *failing_alloc.counted = 0;
    pid_t child = fork();
    if (child == 0) {
        dup2(stdout_file, STDOUT_FILENO);
        dup2(stderr_file, STDERR_FILENO);
        alarm(SECONDS_MAX);
        failing_alloc.fail_at = n;
        failing_alloc.fail_rest = rest;
        failing_alloc.armed = true;
        return false;
    }
    if (child < 0 || waitpid(child, &result->status, 0) != child)
        abort();
    result->allocations = *failing_alloc.counted;
    read_back(stdout_file, &result->out);
    read_back(stderr_file, &result->err);
    return true;
}

static bool begins_with(const output *whole, const output *part) {
    return part->size <= whole->size && !memcmp(whole->text, part->text, part->size);
}

static bool same(const run *a, const run *b) {
    return a->status == b->status && a->out.size == b->out.size && a->err.size == b->err.size &&
           begins_with(&a->out, &b->out) && begins_with(&a->err, &b->err);
}

/* Exit status 1, one error line behind what the untouched run said too, nothing new on stdout. */
static bool orderly(const run *untouched, const run *r) {
    if (!WIFEXITED(r->status) || WEXITSTATUS(r->status) != 1 ||
        !begins_with(&untouched->out, &r->out))
        return false;
    if (r->err.size == 0 || r->err.text[r->err.size - 1] != '\n')
        return false;
    const char *line = memrchr(r->err.text, '\n', r->err.size - 1);
    line = line ? line + 1 : r->err.text;
    size_t length = (size_t)(r->err.text + r->err.size - line);
    output before = {r->err.text, (size_t)(line - r->err.text)};
    return begins_with(&untouched->err, &before) && !strncmp(line, "habitat: ", 9) &&
           memmem(line, length, "memory", 6);
}

/* ---- the loop ---- */

#define say(...) dprintf(STDOUT_FILENO, __VA_ARGS__) /* a buffer of stdio would be forked along */

static const char *words_of(const run *r) {
    static char text[64];
    if (WIFSIGNALED(r->status))
        snprintf(text, sizeof text, "signal %d", WTERMSIG(r->status));
    else
        snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(r->status));
    return text;
}

static void complain(unsigned long n, bool rest, const run *r) {
    say("not ok - allocation %lu%s failing: %s; standard output of %zu bytes; standard error: "
        "%.*s\n",
        n, rest ? " and all after it" : "", words_of(r), r->out.size,
        (int)(r->err.size < 300 ? r->err.size : 300), r->err.text);
}

static unsigned long step_after(unsigned long n, bool thin) {
    return thin && n >= THIN_FIRST ? n + n / 6 : n + 1;
}

static run new_run(void) {
    run r = {.out = {.text = malloc(OUTPUT_BYTES_MAX)}, .err = {.text = malloc(OUTPUT_BYTES_MAX)}};
    if (!r.out.text || !r.err.text)
        abort();
    return r;
}

/* All n for one way of failing. @return in a child -1; else the number of bad runs. */
static int loop(const run *untouched, bool rest, bool thin) {
    run r = new_run();
    unsigned long tried = 0, errors = 0, unchanged = 0;
    int bad = 0;
    for (unsigned long n = 1;; n = step_after(n, thin)) {
        if (!run_one(n, rest, &r))
            return -1;
        if (r.allocations < n)
            break;
        tried++;
        if (same(untouched, &r))
            unchanged++;
        else if (orderly(untouched, &r))
            errors++;
        else if (++bad <= REPORTED_MAX)
            complain(n, rest, &r);
    }
    if (!same(untouched, &r)) {
        say("not ok - two untouched runs differ\n");
        bad++;
    }
    say("%s: %lu tried of %lu, %lu orderly errors, %lu unchanged, %d wrong\n",
        rest ? "all from the n-th" : "the n-th alone", tried, untouched->allocations, errors,
        unchanged, bad);
    return bad;
}

static int run_loop(int argc, char **argv, char **environment) {
    const char *mode = getenv("HABITAT_ALLOC_LOOP");
    bool thin = mode && !strcmp(mode, "thin");
    failing_alloc.counted = mmap(NULL, sizeof *failing_alloc.counted, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stdout_file = memfd_create("stdout", MFD_CLOEXEC);
    stderr_file = memfd_create("stderr", MFD_CLOEXEC);
    if (failing_alloc.counted == MAP_FAILED || stdout_file < 0 || stderr_file < 0)
        abort();
    run untouched = new_run();
    if (!run_one(0, false, &untouched))
        return program(argc, argv, environment);
    if (!WIFEXITED(untouched.status) || WEXITSTATUS(untouched.status) != 0) {
        say("not ok - the untouched run: %s: %.*s\n", words_of(&untouched), (int)untouched.err.size,
            untouched.err.text);
        return 1;
    }
    int bad = 0;
    for (int rest = 0; rest < 2; rest++) {
        int more = loop(&untouched, rest, thin);
        if (more < 0)
            return program(argc, argv, environment);
        bad += more;
    }
    return bad != 0;
}

typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    start_function *start;
    void *symbol = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&start, &symbol, sizeof start);
    program = main;
    return start(run_loop, argc, argv, init, fini, rtld_fini, stack_end);
}
