/*
 * verify_table.c - see verify_table.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_table.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EXAMPLES = 64,
    UNCONFIRMED_MAX = 8,
    ASGCT_CODES = 16,
    LINE_SIZE = 2048,
};

static const struct {
    const char *layer, *word, *text;
} counts[VERIFY_COUNT_COUNT] = {
#define COUNT(name, layer, word, text) {layer, word, text},
#include "agent/verify/verify_count.def"
#undef COUNT
};

static const struct {
    const char *word, *text;
} kinds[VERIFY_KIND_COUNT] = {
    [VERIFY_SAME] = {"same", "the same"},
    [VERIFY_TOP_BCI] = {"top_bci", "the innermost bci differs"},
    [VERIFY_BCI] = {"bci", "another bci differs"},
    [VERIFY_CUT] = {"cut", "AsyncGetCallTrace lacks outermost frames"},
    [VERIFY_SKIPS] = {"skips", "AsyncGetCallTrace skips frames"},
    [VERIFY_WALK_CUT] = {"walk_cut", "the walk lacks outermost frames"},
    [VERIFY_WALK_SKIPS] = {"walk_skips", "the walk skips frames"},
    [VERIFY_METHODS] = {"methods", "the methods differ"},
};

static const struct {
    const char *word, *text;
} blames[VERIFY_BLAME_COUNT] = {
    [VERIFY_THEIRS] = {"asgct", "AsyncGetCallTrace is wrong"},
    [VERIFY_OURS] = {"walk", "the walk is wrong"},
    [VERIFY_UNDECIDED] = {"undecided", "not decided whose error"},
};

static _Atomic uint64_t values[VERIFY_COUNT_COUNT], asgct_codes[ASGCT_CODES];
static _Atomic uint64_t failures[2][WALK_CAUSE_COUNT];
static _Atomic uint64_t differences[VERIFY_KIND_COUNT][VERIFY_BLAME_COUNT];

static struct place {
    const char *layer, *word, *blame; /* static texts; layer NULL: the place is free */
    _Atomic int shown;
    struct verify_example example;
} places[EXAMPLES];
static _Atomic uint32_t place_count;
/* a handler that finds this set goes on without a place, because no handler may wait */
static _Atomic int taking;

void verify_table_add(enum verify_count count, uint64_t n)
{
    atomic_fetch_add_explicit(&values[count], n, memory_order_relaxed);
}

uint64_t verify_table_get(enum verify_count count)
{
    return atomic_load(&values[count]);
}

void verify_table_add_failure(enum walk_cause cause, int at_safepoint)
{
    atomic_fetch_add_explicit(&failures[at_safepoint != 0][cause], 1, memory_order_relaxed);
}

void verify_table_add_asgct_failure(uint32_t code)
{
    code = code < ASGCT_CODES ? code : ASGCT_CODES - 1;
    atomic_fetch_add_explicit(&asgct_codes[code], 1, memory_order_relaxed);
}

void verify_table_add_difference(enum verify_kind kind, enum verify_blame blame)
{
    atomic_fetch_add_explicit(&differences[kind][blame], 1, memory_order_relaxed);
}

static struct verify_example *take_place(const char *layer, const char *word, const char *blame,
                                         int shown)
{
    struct verify_example *e = NULL;
    uint32_t used, unconfirmed = 0;
    if (atomic_exchange(&taking, 1))
        return NULL;
    used = atomic_load(&place_count);
    for (uint32_t i = 0; i < used; i++) {
        if (places[i].layer != layer || places[i].word != word || places[i].blame != blame)
            continue;
        /* An unconfirmed example may turn out to be no disagreement, so a few more are kept. */
        if (atomic_load(&places[i].shown) || ++unconfirmed == UNCONFIRMED_MAX)
            goto out;
    }
    if (used < EXAMPLES) {
        struct place *p = &places[used];
        p->layer = layer;
        p->word = word;
        p->blame = blame;
        atomic_store(&p->shown, shown);
        e = &p->example;
        atomic_store(&place_count, used + 1);
    }
out:
    atomic_store(&taking, 0);
    return e;
}

struct verify_example *verify_table_example(const char *layer, const char *word, int confirmed)
{
    return take_place(layer, word, NULL, confirmed);
}

struct verify_example *verify_table_difference_example(enum verify_kind kind,
                                                       enum verify_blame blame)
{
    return take_place("asgct", kinds[kind].word, blames[blame].word, 1);
}

void verify_table_confirm(struct verify_example *e)
{
    struct place *p = (struct place *)((char *)e - offsetof(struct place, example));
    atomic_store(&p->shown, 1);
}

/* ---- the report */

static void write_count(FILE *out, const char *layer, const char *word, uint64_t value,
                        const char *text)
{
    fprintf(out, "count\t%d\t%s\t%s\t%llu\t%s\n", (int)getpid(), layer, word,
            (unsigned long long)value, text);
}

static void write_counts(FILE *out)
{
    char word[64], text[160];
    for (int i = 0; i < VERIFY_COUNT_COUNT; i++)
        write_count(out, counts[i].layer, counts[i].word, values[i], counts[i].text);
    for (int i = 0; i < 2 * WALK_CAUSE_COUNT; i++) {
        enum walk_cause cause = (enum walk_cause)(i % WALK_CAUSE_COUNT);
        if (failures[i / WALK_CAUSE_COUNT][cause])
            write_count(out, i < WALK_CAUSE_COUNT ? "walk_cause" : "safepoint_cause",
                        walk_cause_word(cause), failures[i / WALK_CAUSE_COUNT][cause],
                        walk_cause_text(cause));
    }
    for (int i = 0; i < ASGCT_CODES; i++) {
        if (!asgct_codes[i])
            continue;
        snprintf(word, sizeof(word), "%s", i <= 10 ? walk_cause_word((enum walk_cause)i) : "other");
        write_count(out, "asgct_cause", word, asgct_codes[i],
                    i <= 10 ? walk_cause_text((enum walk_cause)i) : "another code");
    }
    for (int i = 0; i < VERIFY_KIND_COUNT * VERIFY_BLAME_COUNT; i++) {
        int kind = i / VERIFY_BLAME_COUNT, blame = i % VERIFY_BLAME_COUNT;
        if (!differences[kind][blame])
            continue;
        snprintf(word, sizeof(word), "%s.%s", kinds[kind].word, blames[blame].word);
        snprintf(text, sizeof(text), "%s: %s", kinds[kind].text, blames[blame].text);
        write_count(out, "difference", word, differences[kind][blame], text);
    }
}

static void write_stack(FILE *out, const char *side, uint32_t from, uint32_t kept, uint32_t total,
                        const struct verify_frame *frames, verify_table_name *name, void *context)
{
    char text[LINE_SIZE];
    for (uint32_t i = 0; i < kept; i++) {
        name(context, &frames[i], text, sizeof(text));
        fprintf(out, "frame\t%d\t%s\t%u\t%s\n", (int)getpid(), side, from + i, text);
    }
    if (from + kept < total)
        fprintf(out, "more\t%d\t%s\t%u\n", (int)getpid(), side, total - from - kept);
}

static void write_place(FILE *out, const struct verify_place *p)
{
    Dl_info info;
    if (p->pc == 0) {
        fputs("safepoint", out);
        return;
    }
    fprintf(out, "%#llx", (unsigned long long)p->pc);
    if (p->is_code) {
        fprintf(out, " in %s+%#x, frame of %d words from +%#x on, bytes", p->name, p->offset,
                p->frame_size, (unsigned)p->frame_complete);
        for (size_t i = 0; i < sizeof(p->bytes); i++)
            fprintf(out, "%s%02x", i == 8 ? " | " : " ", p->bytes[i]);
    } else if (dladdr((void *)(uintptr_t)p->pc, &info) && info.dli_fname) {
        fprintf(out, " in %s+%#llx %s", info.dli_fname,
                (unsigned long long)(p->pc - (uint64_t)(uintptr_t)info.dli_fbase),
                info.dli_sname ? info.dli_sname : "");
    }
}

static void write_examples(FILE *out, verify_table_name *name, void *context)
{
    for (uint32_t i = 0; i < place_count; i++) {
        const struct place *p = &places[i];
        const struct verify_example *e = &p->example;
        if (!p->shown)
            continue;
        fprintf(out, "example\t%d\t%s\t%s%s%s\t%u\t", (int)getpid(), p->layer, p->word,
                p->blame ? "." : "", p->blame ? p->blame : "", e->state);
        write_place(out, &e->place);
        fprintf(out, "\t%u\t%s\n", e->at,
                e->cause >= 0 ? walk_cause_word((enum walk_cause)e->cause) : "-");
        write_stack(out, "walk", e->from, e->our_count, e->our_total, e->ours, name, context);
        write_stack(out, "other", e->other_from, e->count, e->total, e->theirs, name, context);
    }
}

/* Append the text by one write, so that several JVMs can share a file. */
static int append(const char *path, const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644), error = 0;
    if (fd < 0)
        return -errno;
    if (write(fd, text, len) != (ssize_t)len)
        error = errno ? -errno : -EIO;
    close(fd);
    return error;
}

int verify_table_begin(const char *path)
{
    char line[64];
    int n = snprintf(line, sizeof(line), "begin\t%d\n", (int)getpid());
    return append(path, line, (size_t)n);
}

int verify_table_write(const char *path, uint32_t jdk, verify_table_name *name, void *context)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int error;
    if (!out)
        return -errno;
    fprintf(out, "jdk\t%d\t%u\n", (int)getpid(), jdk);
    write_counts(out);
    write_examples(out, name, context);
    fprintf(out, "end\t%d\n", (int)getpid());
    error = fclose(out) == 0 ? append(path, text, len) : -errno;
    free(text);
    return error;
}
