/*
 * jfr_merge.c - `hprof jfr merge`: writes recordings of several JVMs, or of several parts of a run,
 * into one file.
 *
 * Chunks are written in the order in which they began. A writer is a recorder with its own numbers
 * of types and its own clock; a JVM has two writers if its own recorder and an agent have both
 * recorded. The chunks of the writer that made the first chunk stay unchanged. In the chunks of
 * each other writer, the numbers of types and the clock are changed, so that no reader takes a type
 * or a time of one writer for that of another (jfr/jfr_renumber.h).
 *
 * Each file is open at its next chunk, and the earliest of these chunks is written. Memory: one
 * chunk for each file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
#include "command/cmd.h"
#include "jfrtool/jfr_input.h"
#include "jfrtool/jfr_output.h"
#include "command/say.h"
#include "jfr/jfr_jvm.h"
#include "jfr/jfr_renumber.h"

/* Numbers reserved for the types of a writer, whose own numbers are far smaller. */
enum { TYPES_MAX = 1 << 22 };

enum { ROOM_MIN = 256 };

struct source {
    struct jfr_input in;
    bool has_chunk; /* a chunk that is not written yet */
};

/* How a writer numbers types and counts time. A writer always keeps its numbering, and two writers
 * of one JVM have different ones. */
struct numbering {
    uint64_t types[3];
    double ticks_per_second;
};

/* A writer of chunks. If chunks do not name their JVM, each file counts as one writer. */
struct writer {
    bool is_known;
    struct jfr_jvm jvm;          /* if is_known */
    struct numbering numbering;  /* if is_known */
    const struct source *source; /* if not is_known */
};

struct shared_type {
    char *name;
    uint64_t id; /* the number in the merged file */
};

/* Event types of several writers that have the same name get one number. Then a tool that counts by
 * numbers, such as the JDK's jfr summary, has one row for them. Their fields may differ, because
 * each chunk describes its own fields. */
struct shared_types {
    struct shared_type *rows; /* sorted by name */
    uint32_t count, room;
    uint64_t instead[JFR_METADATA_NEAR]; /* for the chunk that was added last: see jfr_renumber.h */
};

struct merging {
    struct source *sources;
    size_t count;           /* number of open sources */
    struct writer *writers; /* in the order in which they were found; the first has number 0 */
    size_t writer_count, jvm_count;
    struct shared_types types;
    struct jfr_header clock; /* the header of the first chunk */
    struct jfr_secret *secret;
    uint64_t chunks;      /* number of chunks that were written */
    uint64_t chunks_same; /* number of chunks that were already written from another file */
};

/* Skips chunks without types, which have nothing to write. The input reports their loss. */
static int step(struct source *s)
{
    int r;
    while ((r = jfr_input_next(&s->in)) > 0 && !s->in.file.chunk.has_types)
        ;
    s->has_chunk = r > 0;
    return r < 0 ? r : 0;
}

static int open_all(struct merging *m, const char *const *paths, const char *const *names,
                    size_t count)
{
    int r = 0;
    m->sources = calloc(count + 1, sizeof(*m->sources));
    if (!m->sources)
        return -ENOMEM;
    while (r == 0 && m->count < count) {
        r = jfr_input_open_as(&m->sources[m->count].in, paths[m->count], names[m->count], true);
        if (r == 0)
            r = step(&m->sources[m->count++]);
    }
    return r;
}

static bool is_before(const struct jfr_chunk *a, const struct jfr_chunk *b)
{
    return a->header.start_ns < b->header.start_ns;
}

/* The source whose next chunk began first; of equal ones, the file that was named first. NULL: no
 * chunk is left. */
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

/* Skips the chunks of other files that are the same as the chunk that is written. */
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

static struct numbering numbering_of(const struct jfr_chunk *c)
{
    static const char *const names[] = {"java.lang.Thread", "java.lang.Class",
                                        "jdk.JVMInformation"};
    struct numbering n = {.ticks_per_second = c->header.ticks_per_second};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct jfr_type *type = jfr_metadata_named(&c->metadata, names[i]);
        n.types[i] = type ? type->id : 0;
    }
    return n;
}

static bool is_numbered_alike(const struct numbering *a, const struct numbering *b)
{
    return memcmp(a->types, b->types, sizeof(a->types)) == 0 &&
           a->ticks_per_second == b->ticks_per_second;
}

static bool is_of_jvm(const struct writer *a, const struct writer *b)
{
    if (a->is_known != b->is_known)
        return false;
    return a->is_known ? jfr_jvm_is(&a->jvm, &b->jvm) : a->source == b->source;
}

static bool is_writer(const struct writer *a, const struct writer *b)
{
    return is_of_jvm(a, b) && (!a->is_known || is_numbered_alike(&a->numbering, &b->numbering));
}

/* Returns the number of the writer of the source's chunk, or -ENOMEM. */
static long find_writer(struct merging *m, const struct source *s)
{
    struct writer writer = {.source = s, .numbering = numbering_of(&s->in.file.chunk)};
    bool is_new_jvm = true;
    writer.is_known = jfr_jvm_read(&s->in.file.chunk, &writer.jvm);
    for (size_t i = 0; i < m->writer_count; i++) {
        if (is_writer(&m->writers[i], &writer))
            return (long)i;
        is_new_jvm &= !is_of_jvm(&m->writers[i], &writer);
    }
    struct writer *writers = realloc(m->writers, (m->writer_count + 1) * sizeof(*writers));
    if (!writers)
        return -ENOMEM;
    m->writers = writers;
    m->writers[m->writer_count] = writer;
    m->jvm_count += is_new_jvm;
    return (long)m->writer_count++;
}

/* ---- types of one name */

/* The place of the row with this name, or the place where such a row belongs. */
static uint32_t place_of(const struct shared_types *s, const char *name, bool *ret_is_there)
{
    uint32_t low = 0, high = s->count;
    *ret_is_there = false;
    while (low < high && !*ret_is_there) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(name, s->rows[middle].name);
        if (order == 0) {
            low = middle;
            *ret_is_there = true;
        } else if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static int insert(struct shared_types *s, uint32_t at, const char *name, uint64_t id)
{
    char *copy;
    if (s->count == s->room) {
        uint32_t room = s->room ? 2 * s->room : ROOM_MIN;
        struct shared_type *rows = realloc(s->rows, room * sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        s->rows = rows;
        s->room = room;
    }
    copy = strdup(name);
    if (!copy)
        return -ENOMEM;
    memmove(&s->rows[at + 1], &s->rows[at], (s->count++ - at) * sizeof(*s->rows));
    s->rows[at] = (struct shared_type){copy, id};
    return 0;
}

/* Whether a number is used in this chunk already. Two types of one chunk may have the same name,
 * for example from two class loaders. Only one of them gets the shared number. */
static bool is_taken(const struct shared_types *s, uint64_t id)
{
    for (uint32_t i = 0; i < JFR_METADATA_NEAR; i++)
        if (s->instead[i] == id)
            return true;
    return false;
}

static int add_type(struct shared_types *s, const struct jfr_type *type,
                    const struct jfr_renumber *n)
{
    bool is_there;
    uint32_t at = place_of(s, type->name, &is_there);
    uint64_t id = n ? jfr_renumber_type(n, type->id) : type->id;
    if (!is_there)
        return insert(s, at, type->name, id);
    if (n && type->id < JFR_METADATA_NEAR && s->rows[at].id != id && !is_taken(s, s->rows[at].id))
        s->instead[type->id] = s->rows[at].id;
    return 0;
}

/* Adds the chunk that is written next, renumbered by `n`, or unchanged if `n` is NULL. *s is zero
 * before the first call. n->instead is valid until the next call. Errors: 0; -ENOMEM. */
static int share_types(struct shared_types *s, const struct jfr_chunk *c, struct jfr_renumber *n)
{
    int error = 0;
    memset(s->instead, 0, sizeof(s->instead));
    if (n)
        n->instead = NULL;
    for (uint32_t i = 0; i < c->metadata.type_count && error == 0; i++)
        if (jfr_type_is_event(&c->metadata.types[i]))
            error = add_type(s, &c->metadata.types[i], n);
    if (n)
        n->instead = s->instead;
    return error;
}

static void forget_types(struct shared_types *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        free(s->rows[i].name);
    free(s->rows);
}

/* ---- the output */

static int put_chunk(struct merging *m, struct source *s, struct sink *to)
{
    long writer = find_writer(m, s);
    if (writer < 0)
        return (int)writer;
    if (m->chunks++ == 0)
        m->clock = s->in.file.chunk.header;
    struct jfr_renumber other = {(uint64_t)writer * TYPES_MAX, m->clock, NULL},
                        *renumber = writer > 0 ? &other : NULL;
    int r = share_types(&m->types, &s->in.file.chunk, renumber);
    return r == 0 ? jfr_output_chunk(to, &s->in.file.chunk, renumber, m->secret) : r;
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
    say_out("%s: %" PRIu64 " chunk%s of %zu files, of %zu JVM%s, %" PRIu64 " bytes", output,
            m->chunks, plural_s(m->chunks), m->count, m->jvm_count, plural_s(m->jvm_count), bytes);
    if (m->chunks_same > 0)
        printf("; left out were %" PRIu64 " that several files have", m->chunks_same);
    putchar('\n');
}

/* Closes the files. Returns whether all files were complete. */
static bool close_all(struct merging *m)
{
    bool is_whole = true;
    for (size_t i = 0; i < m->count; i++)
        is_whole &= jfr_input_close(&m->sources[i].in);
    free(m->sources);
    free(m->writers);
    forget_types(&m->types);
    return is_whole;
}

/* *ret_bytes is the size of the output; -1: the output is standard output. */
static int merge(struct merging *m, const struct jfrtool_merge *what, int64_t *ret_bytes)
{
    struct jfr_output out;
    int r = jfr_output_open(&out, what->output);
    out.command = what->command;
    if (r == 0)
        r = put_all(m, &out.sink);
    *ret_bytes = (int64_t)sink_position(&out.sink);
    if (r == 0 && *ret_bytes == 0) {
        say("%s: merge: no chunk of these files can be read", what->command);
        r = E_NOT_FOUND;
    }
    r = jfr_output_close(&out, r);
    if (out.file.file.fd == STDOUT_FILENO)
        *ret_bytes = -1;
    return r;
}

static int merge_all(struct merging *m, const struct jfrtool_merge *what, int64_t *ret_bytes)
{
    int r = open_all(m, what->paths, what->names, what->count);
    if (r == -ENOMEM)
        say("%s: merge: %s", what->command, strerror(ENOMEM));
    return r == 0 ? merge(m, what, ret_bytes) : r;
}

int jfr_merge_write(const struct jfrtool_merge *what)
{
    struct merging m = {.secret = what->secret};
    int64_t bytes = 0;
    int r = merge_all(&m, what, &bytes);
    bool is_whole = close_all(&m);
    return r == 0 && !is_whole ? E_TRUNCATED : r;
}

int jfr_merge_files(const char *const *paths, size_t count, const char *output)
{
    const struct jfrtool_merge what = {"jfr", paths, paths, count, output, NULL};
    struct merging m = {0};
    int64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (jfr_output_takes(output, paths[i])) {
            say("jfr: merge: '%s' is one of the files that are read; name another --output",
                output);
            return CMD_USAGE;
        }
    int r = merge_all(&m, &what, &bytes);

    if (r == 0 && bytes >= 0)
        print(&m, output, (uint64_t)bytes);
    return close_all(&m) && r == 0 ? CMD_OK : CMD_FAILED;
}
