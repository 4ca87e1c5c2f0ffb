#define _GNU_SOURCE
#include "redact.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mask[] = "***";

/* Characters by ASCII, not by the locale of the program this may run in. */
static bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool in_name(char c) {
    return is_alnum(c) || (c && strchr("_.-", c));
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The name in small letters, without what separates its words; *last is where its last word begins,
 * numbers left out. */
static size_t plain_name(const char *name, size_t length, char *plain, size_t size, size_t *last) {
    size_t n = 0;
    bool inside = false;
    *last = 0;
    for (size_t i = 0; i < length && n + 1 < size; i++) {
        if (!is_alnum(name[i])) {
            inside = false;
            continue;
        }
        if (!inside && (name[i] < '0' || name[i] > '9'))
            *last = n;
        inside = true;
        plain[n++] = lower(name[i]);
    }
    while (n && plain[n - 1] >= '0' && plain[n - 1] <= '9')
        n--;
    plain[n] = '\0';
    return n;
}

/* Whether a name (of an option, a variable, a header) is that of a secret. */
static bool names_secret(const char *name, size_t length) {
    static const char *const anywhere[] = {
        "password",   "passwd",     "passphrase",  "secret",    "apikey",     "accesskey",
        "privatekey", "credential", "accesstoken", "authtoken", "signingkey", "encryptionkey"};
    static const char *const at_end[] = {"key",  "auth", "authorization", "pwd",
                                         "pass", "pat",  "cookie"};
    char plain[128];
    size_t last, n = plain_name(name, length, plain, sizeof plain, &last);
    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        if (strstr(plain, anywhere[i]))
            return true;
    for (size_t i = 0; i < sizeof at_end / sizeof *at_end; i++)
        if (last < n && strcmp(plain + last, at_end[i]) == 0)
            return true;
    return n >= 5 && strcmp(plain + n - 5, "token") == 0;
}

/* Whether a word looks like a key of a well-known service. */
static bool is_key(const char *word, size_t length) {
    static const char *const begins[] = {"hf_", "ghp_",  "gho_",  "ghs_", "github_pat_", "glpat-",
                                         "sk-", "xoxb-", "xoxp-", "AKIA", "AIza",        "eyJ"};
    if (length < 20)
        return false;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(word, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* Where the value that begins at `p` ends: at its closing quote, or before one of `ends`. */
static const char *value_end(const char *p, const char *ends) {
    if (*p == '"' || *p == '\'') {
        const char *close = strchr(p + 1, *p);
        return close ? close + 1 : p + strlen(p);
    }
    return p + strcspn(p, ends);
}

/* "user:password@" after "://"; returns where to go on. */
static const char *mask_login(FILE *out, const char *p) {
    size_t host = strcspn(p, "/ \t\n\"'?#");
    const char *at = memrchr(p, '@', host);
    if (!at)
        return p;
    fputs(mask, out);
    return at;
}

/* What follows a name of a secret in a text; returns where to go on. */
static const char *mask_value(FILE *out, const char *name, const char *p) {
    const char *end = p;
    if ((*p == '"' || *p == '\'') && (p[1] == ':' || p[1] == '=')) { /* JSON and the like */
        fwrite(p, 1, 2, out);
        p += 2 + strspn(p + 2, " \t\n\r\f\v");
        end = value_end(p, " \t\n\"'&;,}");
    } else if (*p == '=') {
        end = value_end(++p, " \t\n\"'&;,");
        putc('=', out);
    } else if (*p == ':' && strncmp(p, "://", 3) != 0) {
        end = p + 1 + strcspn(p + 1, "\"'\n"); /* a header: its value has several words */
        p++;
        putc(':', out);
    } else if (*p == ' ' && *name == '-') {
        end = value_end(++p, " \t\n\"'");
        putc(' ', out);
    }
    if (end > p)
        fputs(mask, out);
    return end;
}

/* Masks what is inside a longer text: assignments, headers, logins in addresses, keys. */
static void mask_text(FILE *out, const char *p) {
    while (*p) {
        if (strncmp(p, "://", 3) == 0) {
            fputs("://", out);
            p = mask_login(out, p + 3);
            continue;
        }
        const char *name = p;
        while (in_name(*p))
            p++;
        size_t length = (size_t)(p - name);
        if (length == 0) {
            putc(*p++, out);
        } else if (is_key(name, length)) {
            fputs(mask, out);
        } else {
            fwrite(name, 1, length, out);
            if (names_secret(name, length))
                p = mask_value(out, name, p);
            else if (length == 6 && strncasecmp(name, "bearer", 6) == 0 && *p == ' ')
                p = mask_value(out, "-", p);
        }
    }
}

/* One argument; *hide_next is set when its value is the next one. */
static void mask_argument(FILE *out, const char *argument, bool *hide_next) {
    bool hide = *hide_next && argument[0] != '-';
    const char *name = argument + strspn(argument, "-+~");
    size_t length =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    bool secret = names_secret(name, length);
    *hide_next = secret && argument[0] == '-' && !name[length];
    if (hide)
        fputs(mask, out);
    else if (secret && name[length] == '=' && name[length + 1])
        fprintf(out, "%.*s=%s", (int)(name - argument + (long)length), argument, mask);
    else
        mask_text(out, argument);
}

/* Whether the home folder that begins at `p` is a path of its own, and not the end of a longer one:
 * at the start, after an option's letter (-I), after what no name holds. */
static bool starts_path(const char *text, const char *p) {
    if (p - text >= 3 && strncmp(p - 3, "://", 3) == 0)
        return true;
    if (p > text && p[-1] == '/')
        return false;
    const char *run = p;
    while (run > text && in_name(run[-1]))
        run--;
    return run == p || (*run == '-' && (run == text || run[-1] != '/'));
}

static void write_home(FILE *out, const char *text, const char *home) {
    size_t length = home ? strlen(home) : 0;
    while (length && home[length - 1] == '/')
        length--;
    for (const char *p = text; *p;) {
        if (length && strncmp(p, home, length) == 0 && !in_name(p[length]) &&
            starts_path(text, p)) {
            putc('~', out);
            p += length;
        } else {
            putc(*p++, out);
        }
    }
}

char *redact_home(const char *text, const char *home) {
    char *done = NULL;
    size_t size;
    FILE *out = open_memstream(&done, &size);
    if (!out)
        return NULL;
    write_home(out, text, home);
    if (fclose(out) == 0)
        return done;
    free(done);
    return NULL;
}

static void write_quoted(FILE *out, const char *text) {
    static const char safe[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./~*-";
    if (*text && !text[strspn(text, safe)]) {
        fputs(text, out);
        return;
    }
    putc('\'', out);
    for (const char *p = text; *p; p++)
        if (*p == '\'')
            fputs("'\"'\"'", out);
        else
            putc(*p, out);
    putc('\'', out);
}

/* One argument of the line; false when memory is used up. */
static bool write_argument(FILE *line, const char *argument, const char *home, bool *hide_next) {
    char *masked = NULL;
    size_t size;
    FILE *out = open_memstream(&masked, &size);
    if (!out)
        return false;
    mask_argument(out, argument, hide_next);
    char *shown = fclose(out) == 0 ? redact_home(masked, home) : NULL;
    if (shown)
        write_quoted(line, shown);
    free(shown);
    free(masked);
    return shown != NULL;
}

char *redact_command(char *const *argv, const char *home) {
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    bool ok = out != NULL, hide_next = false;
    for (size_t i = 0; ok && argv[i]; i++) {
        if (i)
            putc(' ', out);
        ok = write_argument(out, argv[i], home, &hide_next);
    }
    ok = out && fclose(out) == 0 && ok;
    if (ok)
        return line;
    free(line);
    return NULL;
}
