/*
 * threaddump.c - see threaddump.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/threaddump.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The part of the dump to which a line belongs. */
enum section { SECTION_NONE, SECTION_THREAD, SECTION_DEADLOCK };

static bool begins(struct threaddump_text t, const char *prefix)
{
    size_t len = strlen(prefix);
    return t.len >= len && memcmp(t.at, prefix, len) == 0;
}

static struct threaddump_text behind(struct threaddump_text t, size_t len)
{
    return (struct threaddump_text){t.at + len, t.len - len};
}

bool threaddump_is_same(struct threaddump_text a, struct threaddump_text b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

int threaddump_compare(struct threaddump_text a, struct threaddump_text b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len == 0 ? 0 : memcmp(a.at, b.at, len);
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

struct threaddump_text threaddump_state(const struct threaddump_thread *t)
{
    const char *blank = t->state.len > 0 ? memchr(t->state.at, ' ', t->state.len) : NULL;
    return (struct threaddump_text){t->state.at,
                                    blank ? (size_t)(blank - t->state.at) : t->state.len};
}

/* The next line of the thread that is a frame; NULL: there is none. */
static const struct threaddump_line *next_frame(const struct threaddump *d,
                                                const struct threaddump_thread *t, uint32_t *at)
{
    while (*at < t->count) {
        const struct threaddump_line *line = &d->lines[t->first + (*at)++];
        if (line->lock == THREADDUMP_NO_LOCK)
            return line;
    }
    return NULL;
}

int threaddump_compare_stacks(const struct threaddump *d, const struct threaddump_thread *a,
                              const struct threaddump *e, const struct threaddump_thread *b)
{
    int order = threaddump_compare(threaddump_state(a), threaddump_state(b));
    uint32_t i = 0, j = 0;
    while (order == 0) {
        const struct threaddump_line *x = next_frame(d, a, &i), *y = next_frame(e, b, &j);
        if (!x || !y)
            return (x != NULL) - (y != NULL);
        order = threaddump_compare(x->text, y->text);
    }
    return order;
}

static int by_lock(const void *a, const void *b)
{
    const struct threaddump_lock_line *x = a, *y = b;
    int order = threaddump_compare(x->line->object, y->line->object);
    if (order == 0)
        order = (x->thread > y->thread) - (x->thread < y->thread);
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

struct threaddump_lock_line *threaddump_lock_lines(const struct threaddump *d, uint32_t *ret_count)
{
    struct threaddump_lock_line *lines = calloc((size_t)d->line_count + 1, sizeof(*lines));
    uint32_t count = 0;
    for (uint32_t i = 0; lines && i < d->count; i++)
        for (uint32_t n = 0; n < d->threads[i].count; n++) {
            const struct threaddump_line *line = &d->lines[d->threads[i].first + n];
            if (line->object.len > 0)
                lines[count++] = (struct threaddump_lock_line){line, i};
        }
    if (count > 0)
        qsort(lines, count, sizeof(*lines), by_lock);
    *ret_count = count;
    return lines;
}

uint32_t threaddump_lock_end(const struct threaddump_lock_line *lines, uint32_t count,
                             uint32_t first)
{
    uint32_t next = first + 1;
    while (next < count &&
           threaddump_compare(lines[next].line->object, lines[first].line->object) == 0)
        next++;
    return next;
}

/* The number at the front of a text; -1: there is none. */
static int64_t number(struct threaddump_text t)
{
    int64_t value = -1;
    for (size_t i = 0; i < t.len && isdigit((unsigned char)t.at[i]) && value < INT64_MAX / 16; i++)
        value = (value < 0 ? 0 : value) * 10 + (t.at[i] - '0');
    return value;
}

/* Read the head of a thread: "NAME" #ID rest. A name may contain quotation marks. So the end of the
 * name is the first quotation mark that is followed by one of the texts that can follow a name. */
static bool read_head(struct threaddump_text line, struct threaddump_thread *ret)
{
    static const char *const nexts[] = {"\" #", "\" os_prio=", "\" prio=", "\" daemon "};
    const char *end = NULL;
    for (size_t i = 0; i < sizeof(nexts) / sizeof(nexts[0]) && !end; i++)
        end = memmem(line.at + 1, line.len - 1, nexts[i], strlen(nexts[i]));
    if (!end)
        return false;
    *ret = (struct threaddump_thread){.name = {line.at + 1, (size_t)(end - line.at) - 1}, .id = -1};
    ret->head = behind(line, ret->name.len + 2);
    if (begins(ret->head, " "))
        ret->head = behind(ret->head, 1);
    if (begins(ret->head, "#"))
        ret->id = number(behind(ret->head, 1));
    return true;
}

/* Read a line about a lock, for example "waiting to lock <0x...> (a java.lang.Object)". JDK 9 to 12
 * say "waiting to re-lock" of each thread in Object.wait(), later ones only if another thread has
 * the lock: then the state begins with BLOCKED. */
static void read_lock(struct threaddump_line *l, struct threaddump_text state)
{
    bool is_blocked = begins(state, "BLOCKED");
    const char *open = memchr(l->text.at, '<', l->text.len);
    const char *end = l->text.at + l->text.len;
    const char *close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
    l->lock = begins(l->text, "locked")                ? THREADDUMP_LOCKED
              : begins(l->text, "waiting to lock")     ? THREADDUMP_WAITING
              : begins(l->text, "parking to wait for") ? THREADDUMP_WAITING
              : begins(l->text, "waiting to re-lock")
                  ? (is_blocked ? THREADDUMP_WAITING : THREADDUMP_IN_WAIT)
              : begins(l->text, "waiting on") ? THREADDUMP_IN_WAIT
              : begins(l->text, "<")          ? THREADDUMP_OWNED
                                              : THREADDUMP_OTHER;
    if (!close)
        return;
    l->object = (struct threaddump_text){open + 1, (size_t)(close - open) - 1};
    const char *class_name = memmem(close, (size_t)(end - close), "(a ", 3);
    const char *bracket = class_name ? memrchr(class_name, ')', (size_t)(end - class_name)) : NULL;
    if (bracket)
        l->class_name =
            (struct threaddump_text){class_name + 3, (size_t)(bracket - class_name) - 3};
}

static int add_line(struct threaddump *d, struct threaddump_text text, bool is_lock)
{
    if (d->line_count == d->line_room) {
        uint32_t room = d->line_room == 0 ? 1024 : d->line_room * 2;
        struct threaddump_line *lines = realloc(d->lines, room * sizeof(*lines));
        if (!lines)
            return -ENOMEM;
        d->lines = lines;
        d->line_room = room;
    }
    struct threaddump_line *l = &d->lines[d->line_count++];
    *l = (struct threaddump_line){.text = text};
    if (is_lock)
        read_lock(l, d->threads[d->count - 1].state);
    d->threads[d->count - 1].count++;
    return 0;
}

static int add_thread(struct threaddump *d, const struct threaddump_thread *t)
{
    if (d->count == d->room) {
        uint32_t room = d->room == 0 ? 64 : d->room * 2;
        struct threaddump_thread *threads = realloc(d->threads, room * sizeof(*threads));
        if (!threads)
            return -ENOMEM;
        d->threads = threads;
        d->room = room;
    }
    d->threads[d->count] = *t;
    d->threads[d->count++].first = d->line_count;
    return 0;
}

static int add_dead(struct threaddump *d, struct threaddump_text name)
{
    struct threaddump_dead *dead = reallocarray(d->dead, d->dead_count + 1, sizeof(*dead));
    if (!dead)
        return -ENOMEM;
    d->dead = dead;
    dead[d->dead_count++] = (struct threaddump_dead){name, d->found};
    return 0;
}

static int read_line(struct threaddump *d, struct threaddump_text line, enum section *in)
{
    static const char state[] = "   java.lang.Thread.State: ";
    static const char owned[] = "   Locked ownable synchronizers:";
    struct threaddump_thread head;
    if (*in == SECTION_DEADLOCK && begins(line, "\"") && line.len > 3 &&
        memcmp(line.at + line.len - 2, "\":", 2) == 0)
        return add_dead(d, (struct threaddump_text){line.at + 1, line.len - 3});
    if (begins(line, "\"") && read_head(line, &head)) {
        *in = SECTION_THREAD;
        return add_thread(d, &head);
    }
    if (begins(line, owned) && d->count > 0) {
        *in = SECTION_THREAD; /* this part follows an empty line and still belongs to the thread */
    } else if (*in == SECTION_THREAD && begins(line, state)) {
        d->threads[d->count - 1].state = behind(line, sizeof(state) - 1);
    } else if (*in == SECTION_THREAD && begins(line, "\tat ")) {
        return add_line(d, behind(line, 4), false);
    } else if (*in == SECTION_THREAD && begins(line, "\t- None")) {
        return 0; /* the thread owns no synchronizers */
    } else if (*in == SECTION_THREAD && begins(line, "\t- ")) {
        return add_line(d, behind(line, 3), true);
    } else if ((line.len == 0 && *in == SECTION_THREAD) ||
               begins(line, "Java stack information for")) {
        *in = SECTION_NONE;
    } else if (begins(line, "Found one Java-level deadlock:")) {
        *in = SECTION_DEADLOCK;
        d->found++;
        d->deadlocks += d->deadlocks == 0;
    } else if (begins(line, "Found ") && memmem(line.at, line.len, " deadlock", 9)) {
        int64_t count = number(behind(line, 6));
        d->deadlocks = count > 0 && count < INT32_MAX ? (uint32_t)count : d->deadlocks;
    }
    return 0;
}

int threaddump_parse(struct threaddump *d, const char *text, size_t len)
{
    enum section in = SECTION_NONE;
    int error = 0;
    for (const char *at = text, *all = text + len; at < all && error == 0;) {
        const char *end = memchr(at, '\n', (size_t)(all - at));
        const char *next = end ? end + 1 : all;
        end = end ? end : all;
        error = read_line(d, (struct threaddump_text){at, (size_t)(end - at)}, &in);
        at = next;
    }
    return error;
}

void threaddump_done(struct threaddump *d)
{
    free(d->threads);
    free(d->lines);
    free(d->dead);
    *d = (struct threaddump){0};
}
