/*
 * listen_words.c - see listen_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listen/listen_words.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "command/say.h"
#include "safe/clock.h"

enum { COMMAND_MAX = 128, VALUES_MAX = 5 };

enum flag { /* flags of the command for allocation sites, with the protocol's bits */
            FLAG_CHANGED = 1,
            FLAG_ALLOCATED = 2,
            FLAG_GC = 4,
};

/* The values of one command. */
struct values {
    const char *word;
    char *value[VALUES_MAX];
    int count;
};

/* Reads the values of its command into `w`. Returns NULL, or the text that says what is wanted
 * instead. */
typedef const char *value_reader(struct values *v, struct listen_words *w);

static const char *no_values(struct values *v, struct listen_words *w)
{
    (void)w;
    return v->count > 0 ? "has no values" : NULL;
}

/* Reads a fraction. Returns whether the text is a number from 0 to 1. */
static bool read_cutoff(const char *text, float *ret)
{
    char *end;
    double value = strtod(text, &end);
    *ret = (float)value;
    return end != text && *end == '\0' && value >= 0 && value <= 1;
}

static const char *cutoff_value(struct values *v, struct listen_words *w)
{
    if (v->count > 1 || (v->count == 1 && !read_cutoff(v->value[0], &w->command.cutoff)))
        return "wants nothing, or a cutoff from 0 to 1";
    return NULL;
}

static const char *sites_values(struct values *v, struct listen_words *w)
{
    for (int i = 0; i < v->count; i++) {
        if (strcmp(v->value[i], "changed") == 0)
            w->command.flags |= FLAG_CHANGED;
        else if (strcmp(v->value[i], "allocated") == 0)
            w->command.flags |= FLAG_ALLOCATED;
        else if (strcmp(v->value[i], "gc") == 0)
            w->command.flags |= FLAG_GC;
        else if (!read_cutoff(v->value[i], &w->command.cutoff))
            return "wants any of: changed, allocated, gc, a cutoff from 0 to 1";
    }
    return NULL;
}

/* Reads the id of a thread, which is hexadecimal as in files. */
static const char *thread_value(struct values *v, struct listen_words *w)
{
    char *end = NULL;
    uint64_t value;
    errno = 0;
    value = v->count == 1 ? strtoull(v->value[0], &end, 16) : 0;
    if (v->count > 1 || (v->count == 1 && (*end != '\0' || value == 0 || errno != 0)))
        return "wants nothing, for all threads, or a thread's obj= as in THREAD START";
    w->command.thread = value;
    return NULL;
}

static const char *clear_value(struct values *v, struct listen_words *w)
{
    bool sites = v->count == 1 && strcmp(v->value[0], "sites") == 0;
    if (v->count > 1 || (v->count == 1 && !sites && strcmp(v->value[0], "samples") != 0))
        return "wants nothing, samples, or sites";
    w->command.op = sites ? NET_COMMAND_CLEAR_SITES : NET_COMMAND_CLEAR_SAMPLES;
    return NULL;
}

static const char *depth_value(struct values *v, struct listen_words *w)
{
    char *end = NULL;
    unsigned long value = v->count == 1 ? strtoul(v->value[0], &end, 10) : 0;
    if (!end || *end != '\0' || end == v->value[0] || value > UINT16_MAX)
        return "wants a number of frames, as in depth 16";
    w->command.depth = (uint16_t)value;
    return NULL;
}

static const char *wait_value(struct values *v, struct listen_words *w)
{

    w->kind = LISTEN_WORDS_WAIT;
    if (v->count != 1 || units_parse_duration(v->value[0], NS_PER_MS, &w->wait_ns) < 0)
        return "wants a time, as in wait 500ms or wait 2s; a bare number is milliseconds";
    return NULL;
}

static const char *quit_value(struct values *v, struct listen_words *w)
{
    w->kind = LISTEN_WORDS_QUIT;
    return no_values(v, w);
}

static const char *help_value(struct values *v, struct listen_words *w)
{
    w->kind = LISTEN_WORDS_HELP;
    return no_values(v, w);
}

static const struct row {
    const char *word, *values, *help;
    value_reader *read;
    uint8_t tag;
    uint16_t op;
} rows[] = {
    {"gc", "", "collect garbage", no_values, NET_COMMAND_GC, 0},
    {"heap", "", "write a heap dump", no_values, NET_COMMAND_HEAP_DUMP, 0},
    {"sites", "[changed] [allocated] [gc] [CUTOFF]", "write the allocation sites", sites_values,
     NET_COMMAND_SITES, 0},
    {"summary", "", "write a heap summary", no_values, NET_COMMAND_HEAP_SUMMARY, 0},
    {"traces", "", "write all stack traces that are not written yet", no_values, NET_COMMAND_TRACES,
     0},
    {"samples", "[CUTOFF]", "write the CPU samples so far", cutoff_value, NET_COMMAND_SAMPLES, 0},
    {"on", "[OBJ]", "sample the CPU time of a thread, or of all, again", thread_value,
     NET_COMMAND_CONTROL, NET_COMMAND_SAMPLING_ON},
    {"off", "[OBJ]", "sample it no more", thread_value, NET_COMMAND_CONTROL,
     NET_COMMAND_SAMPLING_OFF},
    {"alloc-on", "", "count allocations again", no_values, NET_COMMAND_CONTROL,
     NET_COMMAND_ALLOC_ON},
    {"alloc-off", "", "count them no more", no_values, NET_COMMAND_CONTROL, NET_COMMAND_ALLOC_OFF},
    {"clear", "[samples | sites]", "forget the CPU samples, or the sites, so far", clear_value,
     NET_COMMAND_CONTROL, NET_COMMAND_CLEAR_SAMPLES},
    {"depth", "N", "frames of the stacks to come", depth_value, NET_COMMAND_CONTROL,
     NET_COMMAND_SET_DEPTH},
    {"end", "", "take no more commands; the profile goes on", no_values, NET_COMMAND_END, 0},
    {"exit", "", "end the JVM, as System.exit(0) does", no_values, NET_COMMAND_EXIT, 0},
    {"wait", "TIME", "do nothing for a while", wait_value, 0, 0},
    {"quit", "", "close the connection and end; the JVM goes on", quit_value, 0, 0},
    {"help", "", "this list", help_value, 0, 0},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

void listen_words_help(FILE *out)
{
    for (int i = 0; i < ROWS; i++) {
        char left[64];
        snprintf(left, sizeof(left), "%s %s", rows[i].word, rows[i].values);
        fprintf(out, "  %-44s%s\n", left, rows[i].help);
    }
}

static int parse(char *text, struct listen_words *ret)
{
    static const char dividers[] = " \t\r:";
    char *rest = NULL;
    struct values v = {.word = strtok_r(text, dividers, &rest)};
    *ret = (struct listen_words){.kind = LISTEN_WORDS_NOTHING};
    if (!v.word)
        return 0;
    for (char *value; (value = strtok_r(NULL, dividers, &rest)) != NULL;) {
        if (v.count == VALUES_MAX) {
            say("listen: command '%s': too many values", v.word);
            return -EINVAL;
        }
        v.value[v.count++] = value;
    }
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].word, v.word) == 0) {
            ret->kind = LISTEN_WORDS_SEND;
            ret->command.tag = rows[i].tag;
            ret->command.op = rows[i].op;
            const char *complaint = rows[i].read(&v, ret);
            if (complaint)
                say("listen: command '%s' %s", v.word, complaint);
            return complaint ? -EINVAL : 0;
        }
    }
    say("listen: unknown command '%s'; the command 'help' lists them", v.word);
    return -EINVAL;
}

int listen_words_next(const char **text, struct listen_words *ret)
{
    size_t len = strcspn(*text, ",\n");
    char copy[COMMAND_MAX];
    const char *at = *text;
    *text += len + (at[len] != '\0');
    if (len >= sizeof(copy)) {
        say("listen: a command of %zu characters; the command 'help' lists what there is", len);
        return -EINVAL;
    }
    memcpy(copy, at, len);
    copy[len] = '\0';
    return parse(copy, ret);
}
