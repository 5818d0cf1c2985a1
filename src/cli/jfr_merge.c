/*
 * jfr_merge.c - see jfr_merge.h.
 *
 * Every file is open at its next chunk, and of these the earliest is written: memory is that of one
 * chunk a file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_merge.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "cli/cmd.h"
#include "cli/jfr_input.h"
#include "cli/jfr_output.h"
#include "cli/say.h"
#include "jfr/jfr_jvm.h"
#include "jfr/jfr_renumber.h"

enum { TYPES_MAX = 1 << 22 }; /* numbers for the types of a JVM, whose own are far below it */

struct source {
    struct jfr_input in;
    bool has_chunk; /* one that is not yet written */
};

/* A JVM that has chunks in the files; of chunks that do not say whose they are, those of a file. */
struct jvm {
    bool is_known;
    struct jfr_jvm is;           /* if it is known */
    const struct source *source; /* else */
};

struct merging {
    struct source *sources;
    size_t count;     /* that are open */
    struct jvm *jvms; /* in the order in which they were met: the first has number 0 */
    size_t jvm_count;
    struct jfr_header clock; /* of the first chunk */
    uint64_t chunks;         /* that were written */
    uint64_t chunks_same;    /* that were not: they had been */
};

/* Chunks without types have nothing to be written; the file says what is lost. */
static int step(struct source *s)
{
    int r;

    while ((r = jfr_input_next(&s->in)) > 0 && !s->in.file.chunk.has_types)
        ;
    s->has_chunk = r > 0;
    return r < 0 ? r : 0;
}

static int open_all(struct merging *m, const char *const *paths, size_t count)
{
    int r = 0;

    m->sources = calloc(count + 1, sizeof(*m->sources));
    if (!m->sources)
        return -ENOMEM;
    while (r == 0 && m->count < count) {
        r = jfr_input_open(&m->sources[m->count].in, paths[m->count], true);
        if (r == 0)
            r = step(&m->sources[m->count++]);
    }
    return r;
}

static bool is_before(const struct jfr_chunk *a, const struct jfr_chunk *b)
{
    return a->header.start_ns < b->header.start_ns;
}

/* Of chunks that began at one time that of the file that was named first. NULL: none is left. */
static struct source *find_earliest(const struct merging *m)
{
    struct source *earliest = NULL;

    for (size_t i = 0; i < m->count; i++) {
        struct source *s = &m->sources[i];

        if (s->has_chunk && (!earliest || is_before(&s->in.file.chunk, &earliest->in.file.chunk)))
            earliest = s;
    }
    return earliest;
}

static bool is_same(const struct jfr_chunk *a, const struct jfr_chunk *b)
{
    return a->header.start_ns == b->header.start_ns && a->len == b->len &&
           memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* Passes over the chunks of other files that are the one which was written. */
static int pass_same(struct merging *m, const struct source *written)
{
    int r = 0;

    for (size_t i = 0; i < m->count && r == 0; i++) {
        struct source *s = &m->sources[i];

        if (s == written || !s->has_chunk || !is_same(&s->in.file.chunk, &written->in.file.chunk))
            continue;
        m->chunks_same++;
        r = step(s);
    }
    return r;
}

static bool is_jvm(const struct jvm *a, const struct jvm *b)
{
    if (a->is_known != b->is_known)
        return false;
    return a->is_known ? jfr_jvm_is(&a->is, &b->is) : a->source == b->source;
}

/* Returns the number of the JVM that a source is of, or -ENOMEM. */
static long find_jvm(struct merging *m, const struct source *s)
{
    struct jvm jvm = {.source = s};

    jvm.is_known = jfr_jvm_read(&s->in.file.chunk, &jvm.is);
    for (size_t i = 0; i < m->jvm_count; i++)
        if (is_jvm(&m->jvms[i], &jvm))
            return (long)i;
    struct jvm *jvms = realloc(m->jvms, (m->jvm_count + 1) * sizeof(*jvms));
    if (!jvms)
        return -ENOMEM;
    m->jvms = jvms;
    m->jvms[m->jvm_count] = jvm;
    return (long)m->jvm_count++;
}

static int put_chunk(struct merging *m, struct source *s, struct sink *to)
{
    long jvm = find_jvm(m, s);

    if (jvm < 0)
        return (int)jvm;
    if (m->chunks++ == 0)
        m->clock = s->in.file.chunk.header;
    const struct jfr_renumber renumber = {(uint64_t)jvm * TYPES_MAX, m->clock};
    return jfr_output_chunk(to, &s->in.file.chunk, jvm > 0 ? &renumber : NULL);
}

static int put_all(struct merging *m, struct sink *to)
{
    struct source *s;
    int r = 0;

    while (r == 0 && (s = find_earliest(m))) {
        r = pass_same(m, s);
        if (r == 0)
            r = put_chunk(m, s, to);
        if (r == 0)
            r = step(s);
    }
    return r;
}

static void print(const struct merging *m, const char *output, uint64_t bytes)
{
    printf("%s: %" PRIu64 " chunk%s of %zu files, of %zu JVM%s, %" PRIu64 " bytes", output,
           m->chunks, m->chunks == 1 ? "" : "s", m->count, m->jvm_count,
           m->jvm_count == 1 ? "" : "s", bytes);
    if (m->chunks_same > 0)
        printf("; left out were %" PRIu64 " that several files have", m->chunks_same);
    putchar('\n');
}

/* Returns whether all files were whole. */
static bool close_all(struct merging *m)
{
    bool is_whole = true;

    for (size_t i = 0; i < m->count; i++)
        is_whole &= jfr_input_close(&m->sources[i].in);
    free(m->sources);
    free(m->jvms);
    return is_whole;
}

static int merge(struct merging *m, const char *output)
{
    struct jfr_output out;
    int r = jfr_output_open(&out, output);

    if (r == 0)
        r = put_all(m, &out.sink);
    uint64_t bytes = sink_position(&out.sink);
    if (r == 0 && bytes == 0) {
        say("jfr: merge: no chunk of these files can be read");
        r = E_NOT_FOUND;
    }
    r = jfr_output_close(&out, r);
    if (r == 0 && out.file.fd != STDOUT_FILENO)
        print(m, output, bytes);
    return r;
}

int jfr_merge_files(const char *const *paths, size_t count, const char *output)
{
    struct merging m = {0};

    for (size_t i = 0; i < count; i++)
        if (jfr_output_takes(output, paths[i])) {
            say("jfr: merge: '%s' is one of the files that are read; name another --output",
                output);
            return CMD_USAGE;
        }
    int r = open_all(&m, paths, count);

    if (r == -ENOMEM)
        say("jfr: merge: %s", strerror(ENOMEM));
    if (r == 0)
        r = merge(&m, output);
    return close_all(&m) && r == 0 ? CMD_OK : CMD_FAILED;
}
