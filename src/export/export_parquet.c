/*
 * export_parquet.c - a folder of Parquet files: OUT/GROUP/day=D/service=S/type=T/RUN.parquet.
 *
 * A run gives its files names that no other run gives, so it only adds. A file has a hidden name
 * with the end ".tmp" until the run is over; then all files get their names, those that tell about
 * inputs last. Rows wait in memory, by file; when they are too many, the file that has most of them
 * gets a row group. Names of columns and files in the layout: docs/export.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/newfile.h"
#include "base/sink.h"
#include "export/export_options.h"
#include "export/export_stop.h"
#include "export/export_table.h"
#include "export/parquet_column.h"
#include "export/parquet_footer.h"
#include "gzip/zpack.h"
#include "profile/lookup.h"
#include "profile/table.h"

enum {
    ROWS_MAX = 1 << 17,      /* of a row group */
    WORDS_MAX = 16 << 20,    /* bytes of a column's dictionary */
    MEMORY = 128 << 20,      /* bytes of rows that wait, if nothing else is asked for */
    VALUE_MAX = 120,         /* bytes of a part of a folder's name, escaped */
    NAMES_BYTES = 256 << 20, /* of all paths and columns */
};

/* A file. */
struct part {
    const char *path; /* with its name; hidden_path() has the name that it has so far */
    const struct export_column *columns;
    uint32_t column_count;
    struct parquet_column *of; /* the rows that wait; NULL: none do */
    uint32_t rows;
    size_t waiting; /* bytes, about */
    uint64_t written;
    struct parquet_group *groups;
    uint32_t group_count, group_room;
    bool is_begun, is_of_inputs;
};

/* The file of the last row of a table. */
struct last {
    struct part *part;
    int64_t day;
    const char *service;
};

struct export_out {
    const struct export_options *options;
    struct arena arena;
    struct parquet_texts texts;
    struct lookup by_path;
    struct table parts;
    struct zpack pack;
    size_t waiting, memory;
    uint64_t run;
    char folder[PATH_MAX];
    int error;
};

/* ---- paths */

/* Appends a text so that it is one part of a path, and no two texts become the same. */
static size_t put_escaped(char *to, size_t at, size_t room, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t begin = at;
    for (; *text != '\0' && at + 4 < room && at - begin < VALUE_MAX; text++) {
        unsigned char c = (unsigned char)*text;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '$' ||
                        (c == '.' && at > begin);
        if (is_plain) {
            to[at++] = (char)c;
            continue;
        }
        to[at++] = '%';
        to[at++] = digits[c >> 4];
        to[at++] = digits[c & 15];
    }
    to[at] = '\0';
    if (*text == '\0')
        return at;
    /* What was cut off still tells the text from others. */
    uint64_t rest = 0;
    for (; *text != '\0'; text++)
        rest = (rest ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return at + (size_t)snprintf(to + at, room - at, "~%016" PRIx64, rest);
}

static size_t put_text(char *to, size_t at, size_t room, const char *text)
{
    int len = snprintf(to + at, room - at, "%s", text);
    return at + (size_t)len < room ? at + (size_t)len : room - 1;
}

/* The path of the file without number and end. */
static void name_path(const struct export_out *o, const struct export_table *t,
                      const struct export_place *place, char path[PATH_MAX])
{
    size_t at = put_text(path, 0, PATH_MAX, o->folder);
    at = put_text(path, at, PATH_MAX, "/");
    at = put_text(path, at, PATH_MAX, t->group);
    if (t->has_day) {
        time_t seconds = (time_t)(place->day * 86400);
        struct tm utc;
        char day[32];
        if (!gmtime_r(&seconds, &utc) || strftime(day, sizeof(day), "/day=%Y-%m-%d", &utc) == 0)
            snprintf(day, sizeof(day), "/day=1970-01-01");
        at = put_text(path, at, PATH_MAX, day);
    }
    at = put_text(path, at, PATH_MAX, "/service=");
    at = put_escaped(path, at, PATH_MAX, place->service);
    if (t->type) {
        at = put_text(path, at, PATH_MAX, "/type=");
        at = put_escaped(path, at, PATH_MAX, t->type);
    }
    snprintf(path + at, PATH_MAX - at, "/%016" PRIx64, o->run);
}

/* ".../run.parquet" is ".../.run.parquet.tmp" so far. */
static void hidden_path(const char *path, char hidden[PATH_MAX])
{
    const char *name = strrchr(path, '/') + 1;
    snprintf(hidden, PATH_MAX, "%.*s.%s.tmp", (int)(name - path), path, name);
}

static int make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        int error = mkdir(path, 0777) < 0 && errno != EEXIST ? -errno : 0;
        *at = '/';
        if (error < 0)
            return error;
    }
    return 0;
}

/* ---- files */

static struct part *part_at(const struct export_out *o, uint32_t number)
{
    return *(struct part **)table_at(&o->parts, number);
}

static bool is_alike(const struct part *p, const struct export_table *t)
{
    if (p->column_count != t->column_count)
        return false;
    for (uint32_t i = 0; i < t->column_count; i++)
        if (p->columns[i].type != t->columns[i].type ||
            strcmp(p->columns[i].name, t->columns[i].name) != 0)
            return false;
    return true;
}

static char *keep(struct export_out *o, const char *text)
{
    size_t len = strlen(text) + 1;
    char *kept = arena_alloc(&o->arena, len);
    return kept ? memcpy(kept, text, len) : NULL;
}

static struct part *add_part(struct export_out *o, const struct export_table *t, const char *path)
{
    struct part *p = arena_alloc(&o->arena, sizeof(*p));
    struct export_column *columns = arena_alloc(&o->arena, t->column_count * sizeof(*columns));
    if (!p || !columns || !lookup_reserve(&o->by_path, &o->arena))
        return NULL;
    for (uint32_t i = 0; i < t->column_count; i++) {
        columns[i] = t->columns[i];
        columns[i].name = keep(o, t->columns[i].name);
        if (!columns[i].name)
            return NULL;
    }
    *p = (struct part){.path = keep(o, path),
                       .columns = columns,
                       .column_count = t->column_count,
                       .is_of_inputs = strcmp(t->group, "inputs") == 0};
    struct part **row = p->path ? table_add(&o->parts, &o->arena) : NULL;
    if (!row)
        return NULL;
    *row = p;
    lookup_add(&o->by_path, lookup_hash(&o->texts.key, path, strlen(path)), o->parts.count);
    return p;
}

/* The file for rows of this table. Tables of one name with other columns have files of their own.
 * NULL: no memory. */
static struct part *find_part(struct export_out *o, const struct export_table *t,
                              const struct export_place *place)
{
    char stem[PATH_MAX], path[PATH_MAX];
    name_path(o, t, place, stem);
    for (unsigned number = 1; number < UINT16_MAX; number++) {
        int len = number == 1 ? snprintf(path, sizeof(path), "%s.parquet", stem)
                              : snprintf(path, sizeof(path), "%s-%u.parquet", stem, number);
        if (len >= (int)sizeof(path))
            break;
        uint32_t hash = lookup_hash(&o->texts.key, path, strlen(path)), at = hash, row;
        while ((row = lookup_next(&o->by_path, hash, &at)) != 0 &&
               strcmp(part_at(o, row)->path, path) != 0)
            ;
        if (!row)
            return add_part(o, t, path);
        if (is_alike(part_at(o, row), t))
            return part_at(o, row);
    }
    return NULL;
}

/* Appends bytes to the file under its hidden name. */
static int append(struct part *p, const struct textbuf *bytes)
{
    char hidden[PATH_MAX];
    int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, error = 0;
    if (bytes->is_bad)
        return -ENOMEM;
    hidden_path(p->path, hidden);
    if (!p->is_begun)
        flags |= O_CREAT | O_EXCL;
    int fd = open(hidden, flags, 0666);
    if (fd < 0 && errno == ENOENT && !p->is_begun) {
        error = make_folders(hidden);
        fd = error < 0 ? -1 : open(hidden, flags, 0666);
    }
    if (fd < 0)
        return error < 0 ? error : -errno;
    p->is_begun = true;
    struct sink sink;
    error = sink_init(&sink, fd);
    if (error == 0) {
        sink_bytes(&sink, bytes->bytes, bytes->len);
        error = sink_done(&sink);
    }
    if (close(fd) < 0 && error == 0)
        error = -errno;
    p->written += bytes->len;
    return error;
}

static struct parquet_group *add_group(struct part *p)
{
    if (p->group_count == p->group_room) {
        uint32_t room = p->group_room ? p->group_room * 2 : 1;
        struct parquet_group *more = realloc(p->groups, room * sizeof(*more));
        if (!more)
            return NULL;
        p->groups = more;
        p->group_room = room;
    }
    struct parquet_group *g = &p->groups[p->group_count];
    *g = (struct parquet_group){.rows = p->rows,
                                .chunks = calloc(p->column_count, sizeof(*g->chunks))};
    p->group_count += g->chunks != NULL;
    return g->chunks ? g : NULL;
}

static void drop_rows(struct export_out *o, struct part *p)
{
    for (uint32_t i = 0; p->of && i < p->column_count; i++)
        parquet_column_clear(&p->of[i]);
    free(p->of);
    p->of = NULL;
    o->waiting -= p->waiting;
    p->waiting = 0;
    p->rows = 0;
}

/* Writes the rows that wait as a row group. */
static int put_group(struct export_out *o, struct part *p)
{
    struct textbuf bytes = {0};
    struct parquet_group *g = add_group(p);
    int error = g ? 0 : -ENOMEM;
    if (!p->is_begun)
        textbuf_text(&bytes, PARQUET_MAGIC);
    for (uint32_t i = 0; error == 0 && i < p->column_count; i++)
        error = parquet_column_put(&p->of[i], &o->pack, p->written, &bytes, &g->chunks[i]);
    if (error == 0)
        error = append(p, &bytes);
    textbuf_done(&bytes);
    drop_rows(o, p);
    return error;
}

static int put_largest(struct export_out *o)
{
    struct part *largest = NULL;
    for (uint32_t i = 1; i <= o->parts.count; i++) {
        struct part *p = part_at(o, i);
        if (p->rows > 0 && (!largest || p->waiting > largest->waiting))
            largest = p;
    }
    return largest ? put_group(o, largest) : 0;
}

/* ---- the slots */

static int open_folder(const struct export_options *options, struct export_out **ret_out)
{
    struct export_out *o = calloc(1, sizeof(*o));
    int error = o ? 0 : -ENOMEM;
    if (o && (size_t)snprintf(o->folder, sizeof(o->folder), "%s", options->output) >=
                 sizeof(o->folder) / 2)
        error = -ENAMETOOLONG;
    if (error == 0 && mkdir(options->output, 0777) < 0 && errno != EEXIST)
        error = -errno;
    struct stat st;
    if (error == 0 && stat(options->output, &st) == 0 && !S_ISDIR(st.st_mode))
        error = -ENOTDIR;
    if (error == 0 && getrandom(&o->run, sizeof(o->run), 0) != sizeof(o->run))
        error = -EIO;
    if (error < 0) {
        diag_tell(options->diag, error, options->output, "%s", err_text(error));
        free(o);
        return error;
    }
    o->options = options;
    o->memory = options->memory_bytes > 0 ? (size_t)options->memory_bytes : MEMORY;
    arena_init(&o->arena, NAMES_BYTES);
    lookup_key_init(&o->texts.key);
    table_init(&o->parts, sizeof(struct part *));
    *ret_out = o;
    return 0;
}

/* The numbers are below 2^52, so they are exact in engines that have no integers. */
static int64_t first_input(struct export_out *o)
{
    return (int64_t)((o->run & 0xffffffff) << 20) + 1;
}

static bool begin_rows(struct part *p)
{
    p->of = calloc(p->column_count, sizeof(*p->of));
    for (uint32_t i = 0; p->of && i < p->column_count; i++)
        p->of[i].type = p->columns[i].type;
    return p->of != NULL;
}

static int put_row(struct export_out *o, struct export_table *t, const struct export_place *place,
                   const struct query_value *values)
{
    struct last *last = t->state;
    if (!last)
        t->state = last = calloc(1, sizeof(*last));
    if (!last)
        return o->error = -ENOMEM;
    if (!last->part || last->day != place->day || last->service != place->service)
        *last = (struct last){find_part(o, t, place), place->day, place->service};
    struct part *p = last->part;
    if (!p || (!p->of && !begin_rows(p)))
        return o->error = -ENOMEM;
    bool is_full = ++p->rows >= ROWS_MAX;
    size_t more = parquet_column_add_row(p->of, p->column_count, &o->texts, values);
    for (uint32_t i = 0; i < p->column_count; i++) {
        is_full |= p->of[i].words.len > WORDS_MAX;
        if (parquet_column_is_bad(&p->of[i]))
            return o->error = -ENOMEM;
    }
    p->waiting += more;
    o->waiting += more;
    int error = is_full ? put_group(o, p) : o->waiting > o->memory ? put_largest(o) : 0;
    if (error < 0)
        o->error = error;
    return error;
}

static void forget(struct export_out *o, struct export_table *t)
{
    o->texts.input++;
    free(t->state);
    t->state = NULL;
}

/* Writes what waits, and the footer. */
static int finish(struct export_out *o, struct part *p)
{
    const struct parquet_footer footer = {.columns = p->columns,
                                          .column_count = p->column_count,
                                          .group_count = p->group_count + (p->rows > 0),
                                          .is_packed = zpack_packs()};
    struct parquet_footer f = footer;
    struct textbuf bytes = {0};
    int error = p->rows > 0 ? put_group(o, p) : 0;
    f.groups = p->groups;
    if (error == 0) {
        parquet_footer_put(&f, &bytes);
        error = append(p, &bytes);
    }
    textbuf_done(&bytes);
    return error;
}

static int finish_all(struct export_out *o)
{
    int error = 0;
    for (uint32_t i = 1; i <= o->parts.count && error == 0; i++)
        error = export_stop_is_asked() ? -EINTR : finish(o, part_at(o, i));
    int fd = error == 0 ? open(o->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        if (syncfs(fd) < 0)
            error = -errno;
        close(fd);
    }
    return error;
}

/* Gives the files their names; those that tell about inputs last. */
static int name_all(struct export_out *o)
{
    char hidden[PATH_MAX];
    int error = 0;
    for (int of_inputs = 0; of_inputs < 2; of_inputs++)
        for (uint32_t i = 1; i <= o->parts.count && error == 0; i++) {
            const struct part *p = part_at(o, i);
            if (p->is_of_inputs != of_inputs)
                continue;
            hidden_path(p->path, hidden);
            error = newfile_rename(hidden, p->path);
        }
    return error;
}

static void remove_all(struct export_out *o)
{
    char hidden[PATH_MAX];
    for (uint32_t i = 1; i <= o->parts.count; i++) {
        const struct part *p = part_at(o, i);
        if (!p->is_begun)
            continue;
        hidden_path(p->path, hidden);
        if (unlink(hidden) < 0)
            unlink(p->path); /* it had its name already */
    }
}

static int close_folder(struct export_out *o, int error, uint64_t *ret_files)
{
    int own = error == 0 ? finish_all(o) : o->error;
    if (error == 0 && own == 0)
        own = name_all(o);
    if (own < 0)
        diag_tell(o->options->diag, own, o->folder, "%s",
                  own == -EINTR ? "interrupted; nothing was exported" : err_text(own));
    if (own < 0 || error < 0)
        remove_all(o);
    *ret_files = own < 0 || error < 0 ? 0 : o->parts.count;
    for (uint32_t i = 1; i <= o->parts.count; i++) {
        struct part *p = part_at(o, i);
        drop_rows(o, p);
        for (uint32_t k = 0; k < p->group_count; k++)
            free(p->groups[k].chunks);
        free(p->groups);
    }
    zpack_done(&o->pack);
    arena_done(&o->arena);
    free(o);
    return error < 0 ? error : own;
}

const struct export_writer export_parquet_writer = {
    .word = "parquet",
    .open = open_folder,
    .first_input = first_input,
    .row = put_row,
    .forget = forget,
    .close = close_folder,
};
