/*
 * jfr_summary.c - `hprof jfr summary`: counts the events of each type in a JFR file, and their
 * bytes. The table is that of the JDK's `jfr summary`.
 *
 * Only the metadata of each chunk, and the sizes and types of its records, are read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/cmd.h"
#include "command/javatext.h"
#include "jfrtool/jfr_input.h"
#include "command/say.h"
#include "format/idmap.h"
#include "jfr/jfr_nanotime.h"
#include "safe/clock.h"

struct row {
    uint64_t type_id, count, bytes;
    char *name;
};

struct summary {
    struct row *rows;
    size_t count, room;
    struct idmap by_type; /* gives row + 1 */
    struct jfr_header first, last;
    uint64_t chunks;
    uint64_t duration_ns;
    bool no_memory;
    bool is_from_start; /* ticks are counted from the start of the JVM */
    bool last_is_from_start;
};

static struct row *find(struct summary *s, uint64_t type_id)
{
    uint32_t number = idmap_get(&s->by_type, type_id);
    return number > 0 ? &s->rows[number - 1] : NULL;
}

/* Finds or adds the row of a type. If there is no memory, the events are counted in the last
 * row. */
static struct row *add(struct summary *s, uint64_t type_id, const char *name)
{
    struct row *row = find(s, type_id);
    if (row)
        return row;
    if (!s->rows || s->count == s->room) {
        size_t room = s->room * 2 + 256;
        struct row *rows = realloc(s->rows, room * sizeof(*rows));
        s->no_memory |= !rows;
        if (!rows)
            return s->count > 0 ? &s->rows[s->count - 1] : NULL;
        s->rows = rows;
        s->room = room;
    }
    row = &s->rows[s->count++];
    *row = (struct row){.type_id = type_id};
    if (name)
        row->name = strdup(name);
    else if (asprintf(&row->name, "%" PRIu64 " (missing event metadata)", type_id) < 0)
        row->name = NULL;
    idmap_put(&s->by_type, type_id, (uint32_t)s->count);
    s->no_memory |= !row->name || idmap_error(&s->by_type) != 0;
    return row;
}

/* Each chunk has the wall time of its first tick. If two chunks disagree, a clock was set or the
 * machine slept. The chunks of the JDK's recorder and of async-profiler may be in one file
 * (jfrsync); they count ticks from different starts, so they are not compared. */
static void check_clock(const struct summary *s, const struct jfr_header *h, bool is_from_start,
                        const char *path)
{
    double jump_ns = s->chunks > 0 ? jfr_chunk_clock_moved_ns(h, &s->last) : 0;
    if (s->last_is_from_start == is_from_start && h->ticks_per_second == s->last.ticks_per_second &&
        (jump_ns > JFR_CHUNK_MOVED_NS || jump_ns < -JFR_CHUNK_MOVED_NS))
        say("%s: chunk %" PRIu64 ": the wall clock moved by %.3f s against the events' clock since "
            "the chunk before; times across it do not compare",
            path, s->chunks + 1, jump_ns / NS_PER_S);
}

static void add_chunk(struct summary *s, struct jfr_file *f, const char *path)
{
    const struct jfr_chunk *c = &f->chunk;
    struct jfr_record record;

    bool is_from_start = jfr_nanotime_is_from_start(c);

    check_clock(s, &c->header, is_from_start, path);
    if (s->chunks++ == 0) {
        s->first = c->header;
        s->is_from_start = is_from_start;
        add(s, JFR_LAYOUT_METADATA,
            c->header.major == 1 ? "com.oracle.jdk.Metadata" : "jdk.Metadata");
        add(s, JFR_LAYOUT_CHECKPOINT,
            c->header.major == 1 ? "com.oracle.jdk.Checkpoint" : "jdk.Checkpoint");
    }
    s->last = c->header;
    s->last_is_from_start = is_from_start;
    s->duration_ns += (uint64_t)c->header.duration_ns;
    for (uint32_t i = 0; i < c->metadata.type_count; i++)
        if (jfr_type_is_event(&c->metadata.types[i]))
            add(s, c->metadata.types[i].id, c->metadata.types[i].name);
    while (jfr_file_next_record(f, &record) > 0) {
        struct row *row = find(s, record.type_id);
        if (!row)
            row = add(s, record.type_id, NULL);
        if (!row)
            return;
        row->count++;
        row->bytes += record.size;
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->count != y->count)
        return (x->count < y->count) - (x->count > y->count);
    return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

static void print_clock(const struct summary *s)
{
    const struct jfr_header *h = &s->first;
    if (s->is_from_start)
        puts(" Clock: System.nanoTime, from the start of the JVM on");
    else if (h->ticks_per_second == NS_PER_S)
        puts(" Clock: System.nanoTime");
    else
        printf(" Clock: the processor's time stamp counter, %.3f MHz\n", h->ticks_per_second / 1e6);
}

static void print(struct summary *s)
{
    static const char title[] = " Event Type", head[] = "      Count  Size (bytes) ";
    struct javatext_clock start = javatext_clock_at(s->first.start_ns / NS_PER_S);
    int width = (int)sizeof(title) - 1;
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].name && (int)strlen(s->rows[i].name) > width &&
            !strchr(s->rows[i].name, '('))
            width = (int)strlen(s->rows[i].name);
    printf("\n Version: %u.%u\n Chunks: %" PRIu64 "\n", s->first.major, s->first.minor, s->chunks);
    printf(" Start: %04" PRId64 "-%02u-%02u %02u:%02u:%02u (UTC)\n", start.year, start.month,
           start.day, start.hour, start.minute, start.second);
    printf(" Duration: %" PRId64 " s\n", (int64_t)(s->duration_ns + NS_PER_S / 2) / NS_PER_S);
    print_clock(s);
    printf("\n%-*s%s\n", width, title, head);
    for (int i = 0; i < width + (int)sizeof(head) - 1; i++)
        putchar('=');
    putchar('\n');
    qsort(s->rows, s->count, sizeof(*s->rows), compare_rows);
    for (size_t i = 0; i < s->count; i++) {
        putchar(' ');
        say_clean(stdout, s->rows[i].name ? s->rows[i].name : "?");
        int rest = width - (s->rows[i].name ? (int)strlen(s->rows[i].name) : 1);
        printf("%*s%10" PRIu64 "  %12" PRIu64 "\n", rest > 0 ? rest : 0, "", s->rows[i].count,
               s->rows[i].bytes);
    }
}

int jfr_summary_print(const char *path)
{
    struct jfr_input in;
    struct summary *s;
    int r = jfr_input_open(&in, path, false);
    if (r < 0)
        return CMD_FAILED;
    s = calloc(1, sizeof(*s));
    if (s) {
        idmap_init(&s->by_type);
        while ((r = jfr_input_next(&in)) > 0)
            add_chunk(s, &in.file, path);
        if (r == 0)
            print(s);
    }
    if (!s || s->no_memory)
        say("%s: %s", path, strerror(ENOMEM));
    bool is_whole = jfr_input_close(&in) && s && !s->no_memory;
    for (size_t i = 0; s && i < s->count; i++)
        free(s->rows[i].name);
    if (s) {
        idmap_done(&s->by_type);
        free(s->rows);
    }
    free(s);
    return r == 0 && is_whole ? CMD_OK : CMD_FAILED;
}
