/*
 * threads_print.c - see threads_print.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/threads_print.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attach/threaddump.h"
#include "base/plural.h"
#include "base/sink.h"
#include "command/say.h"
#include "format/json_out.h"
#include "jvm/asking.h"
#include "jvm/threads_outside.h"

enum { NAMES_SHOWN = 8 };

static void put(struct threaddump_text t)
{
    asking_put(t.at, t.len);
}

static const struct threaddump *sorted; /* the dump whose threads compare_stacks() compares */

static int compare_stacks(const void *a, const void *b)
{
    const struct threaddump_thread *x = &sorted->threads[*(const uint32_t *)a];
    const struct threaddump_thread *y = &sorted->threads[*(const uint32_t *)b];
    return threaddump_compare_stacks(sorted, x, sorted, y);
}

struct group {
    uint32_t first, count; /* index and number of sorted threads */
};

static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : (x->first > y->first) - (x->first < y->first);
}

static void print_group(const struct threaddump *d, const uint32_t *threads, uint32_t count)
{
    const struct threaddump_thread *t = &d->threads[threads[0]];
    printf("%u thread%s ", count, plural_s(count));
    put(threaddump_state(t));
    putchar(':');
    for (uint32_t i = 0; i < count && i < NAMES_SHOWN; i++) {
        fputs(i > 0 ? ", \"" : " \"", stdout);
        put(d->threads[threads[i]].name);
        putchar('"');
    }
    puts(count > NAMES_SHOWN ? ", ..." : "");
    for (uint32_t i = 0; i < t->count; i++) {
        const struct threaddump_line *l = &d->lines[t->first + i];
        if (l->lock != THREADDUMP_NO_LOCK)
            continue;
        fputs("\tat ", stdout);
        put(l->text);
        putchar('\n');
    }
    putchar('\n');
}

int threads_print_groups(const struct threaddump *d)
{
    uint32_t *threads = malloc((d->count + 1) * sizeof(*threads)), count = 0, group_count = 0;
    struct group *groups = calloc(d->count + 1, sizeof(*groups));
    int error = threads && groups ? 0 : -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < d->count; i++)
        if (d->threads[i].state.len > 0)
            threads[count++] = i;
    sorted = d;
    if (error == 0 && count > 0)
        qsort(threads, count, sizeof(*threads), compare_stacks);
    for (uint32_t i = 0; error == 0 && i < count; i++) {
        if (i == 0 || compare_stacks(&threads[i - 1], &threads[i]) != 0)
            groups[group_count++].first = i;
        groups[group_count - 1].count++;
    }
    if (group_count > 0)
        qsort(groups, group_count, sizeof(*groups), compare_groups);
    for (uint32_t i = 0; i < group_count; i++)
        print_group(d, threads + groups[i].first, groups[i].count);
    free(groups);
    free(threads);
    return error;
}

static void print_states(const struct threaddump *d)
{
    static const char *const states[] = {"RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING", "NEW"};
    uint32_t others = d->count;
    fputs("threads:", stdout);
    for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++) {
        struct threaddump_text state = {states[s], strlen(states[s])};
        uint32_t count = 0;
        for (uint32_t i = 0; i < d->count; i++)
            count += threaddump_is_same(threaddump_state(&d->threads[i]), state);
        others -= count;
        if (count > 0)
            printf(" %u %s,", count, states[s]);
    }
    printf(" %u of the VM\n", others);
}

/* One lock, as the dump describes it. */
struct lock {
    const struct threaddump_line *wait; /* the line of a thread that waits for it */
    uint32_t waiting, waiter;           /* number of waiting threads; one of these threads */
    uint32_t holder;                    /* the owner in the dump; UINT32_MAX: not known */
    const char *outside;                /* the owner that is seen from outside; NULL: not known */
};

/* The owner of a lock has a line that says so. But a thread in Object.wait() has such a line too,
 * although it has released the lock. */
static struct lock read_lock(const struct threaddump_lock_line *lines, uint32_t count)
{
    struct lock lock = {.holder = UINT32_MAX};
    for (uint32_t i = 0, next; i < count; i = next) {
        bool holds = false, waits = false;
        for (next = i; next < count && lines[next].thread == lines[i].thread; next++) {
            enum threaddump_lock said = lines[next].line->lock;
            holds = holds || said == THREADDUMP_LOCKED || said == THREADDUMP_OWNED;
            waits = waits || said == THREADDUMP_WAITING || said == THREADDUMP_IN_WAIT;
            if (said == THREADDUMP_WAITING) { /* perhaps in several lines of one thread */
                lock.waiting += lock.waiting == 0 || lock.waiter != lines[next].thread;
                lock.wait = lines[next].line;
                lock.waiter = lines[next].thread;
            }
        }
        if (holds && !waits && lock.holder == UINT32_MAX)
            lock.holder = lines[i].thread;
    }
    return lock;
}

/* Whether another thread owns the lock, or owned it just before: the lock is a monitor, or the
 * inner part (Sync) of a lock. A condition, a queue or a pool has no owner, and a thread that waits
 * there is idle. */
static bool is_owned(const struct lock *lock)
{
    static const char parked[] = "parking to wait for", part[] = "Sync";
    struct threaddump_text text = lock->wait->text, name = lock->wait->class_name;
    size_t len = sizeof(part) - 1;
    return lock->holder != UINT32_MAX || lock->outside || text.len < sizeof(parked) - 1 ||
           memcmp(text.at, parked, sizeof(parked) - 1) != 0 ||
           (name.len >= len && memcmp(name.at + name.len - len, part, len) == 0);
}

static void print_lock(const struct threaddump *d, const struct lock *lock)
{
    printf("%s: %u thread%s for <", is_owned(lock) ? "contended" : "parked", lock->waiting,
           lock->waiting == 1 ? " waits" : "s wait");
    put(lock->wait->object);
    fputs("> (a ", stdout);
    put(lock->wait->class_name);
    putchar(')');
    if (lock->holder != UINT32_MAX) {
        fputs(", held by \"", stdout);
        put(d->threads[lock->holder].name);
        putchar('"');
    } else if (lock->outside) {
        fputs(", held by \"", stdout);
        say_clean(stdout, lock->outside);
        putchar('"');
    }
    putchar('\n');
}

static void print_virtual_deadlock(const struct snapshot *s, const struct java_deadlock *circle)
{
    const char *parting = "deadlock: \"";
    for (uint32_t i = 0; i < circle->count; i++) {
        const struct java_thread *row = &s->java.rows[s->locks.rows[circle->locks[i]].thread];
        const char *name = row->virtual_object != 0 ? row->virtual_name : row->name;
        fputs(parting, stdout);
        say_clean(stdout, name ? name : "");
        printf("\" #%" PRId64, row->virtual_object != 0 ? row->virtual_id : row->id);
        parting = ", \"";
    }
    puts(" wait for each other");
}

static void print_deadlocks(const struct threaddump *d, const struct threads_outside *o)
{
    const struct java_locks *locks = &o->snapshot.locks;
    uint32_t virtual_count = o->is_known ? locks->deadlock_count : 0;
    for (uint32_t n = 1; n <= d->found; n++) {
        const char *parting = "deadlock: \"";
        for (uint32_t i = 0; i < d->dead_count; i++) {
            if (d->dead[i].deadlock != n)
                continue;
            fputs(parting, stdout);
            put(d->dead[i].name);
            putchar('"');
            parting = ", \"";
        }
        puts(" wait for each other");
    }
    for (uint32_t i = 0; i < virtual_count; i++)
        print_virtual_deadlock(&o->snapshot, &locks->deadlocks[i]);
    if (d->deadlocks + virtual_count > 0)
        printf("deadlocks: %u\n", d->deadlocks + virtual_count);
}

int threads_print_locks(const struct threaddump *d, const struct threads_outside *o)
{
    uint32_t count;
    struct threaddump_lock_line *lines = threaddump_lock_lines(d, &count);
    if (!lines)
        return -ENOMEM;
    for (uint32_t i = 0, next; i < count; i = next) {
        next = threaddump_lock_end(lines, count, i);
        struct lock lock = read_lock(lines + i, next - i);
        if (lock.waiting > 0 && lock.holder == UINT32_MAX)
            lock.outside = threads_outside_holder(o, &d->threads[lock.waiter]);
        /* If only one thread waits and no thread owns the blocker, the waiting thread is idle. */
        if (lock.waiting > 1 || (lock.waiting == 1 && (lock.holder != UINT32_MAX || lock.outside)))
            print_lock(d, &lock);
    }
    free(lines);
    return 0;
}

int threads_print_summary(const struct threaddump *d, const struct threads_outside *o)
{
    print_states(d);
    int error = threads_print_locks(d, o);
    if (error == 0)
        print_deadlocks(d, o);
    return error;
}

/* ---- JSON */

enum { FRAME_BYTES = 2048 };

static const char *const kinds[] = {
    [THREADDUMP_LOCKED] = "locked",   [THREADDUMP_WAITING] = "waiting",
    [THREADDUMP_IN_WAIT] = "in_wait", [THREADDUMP_OWNED] = "owned",
    [THREADDUMP_OTHER] = "other",
};

static void put_text(struct sink *s, const char *before, struct threaddump_text t)
{
    sink_text(s, before);
    json_out_text(s, t.at ? t.at : "", t.len);
}

static void put_string(struct sink *s, const char *before, const char *text)
{
    put_text(s, before, (struct threaddump_text){text, strlen(text)});
}

static void put_frames(struct sink *s, const struct threaddump *d,
                       const struct threaddump_thread *t)
{
    const char *parting = "";
    for (uint32_t i = 0; i < t->count; i++) {
        const struct threaddump_line *l = &d->lines[t->first + i];
        if (l->lock != THREADDUMP_NO_LOCK)
            continue;
        put_text(s, parting, l->text);
        parting = ",";
    }
}

static void put_locks(struct sink *s, const struct threaddump *d, const struct threads_outside *o,
                      const struct threaddump_thread *t)
{
    const char *holder = NULL;

    const char *parting = "";
    int frame = -1;

    for (uint32_t i = 0; i < t->count; i++) {
        const struct threaddump_line *l = &d->lines[t->first + i];
        if (l->lock == THREADDUMP_NO_LOCK) {
            frame++;
            continue;
        }
        sink_printf(s, "%s{\"kind\":\"%s\",\"frame\":%d", parting, kinds[l->lock],
                    l->lock == THREADDUMP_OWNED ? -1 : frame);
        put_text(s, ",\"object\":", l->object);
        put_text(s, ",\"class\":", l->class_name);
        put_text(s, ",\"text\":", l->text);
        holder = l->lock == THREADDUMP_WAITING ? threads_outside_holder(o, t) : NULL;
        if (holder)
            put_string(s, ",\"holder\":", holder);
        sink_text(s, "}");
        parting = ",";
    }
}

/* Writes a virtual thread that is not mounted, which the JVM's dump does not have. */
static void put_virtual(struct sink *s, const struct snapshot_thread *thread)
{
    const char *parting = "";
    put_string(s, ",\n{\"name\":", thread->java->name ? thread->java->name : "");
    sink_printf(s, ",\"id\":%" PRId64 ",\"virtual\":true", thread->java->id);
    put_string(s, ",\"state\":", java_threads_state(thread->java->status));
    sink_text(s, ",\"frames\":[");
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        const struct snapshot_frame *f = &thread->frames[i];
        char text[FRAME_BYTES];
        if (!f->method)
            continue;
        snprintf(text, sizeof(text), f->line >= 0 ? "%s.%s(%s:%d)" : "%s.%s(%s)",
                 f->method->class_name, f->method->name,
                 f->method->source_file ? f->method->source_file : "Unknown Source", f->line);
        put_string(s, parting, text);
        parting = ",";
    }
    sink_text(s, "],\"locks\":[]}");
}

static const char *name_of(const struct java_thread *row)
{
    const char *name = row->virtual_object != 0 ? row->virtual_name : row->name;
    return name ? name : "";
}

/* Writes the threads of each deadlock: first those that the JVM found, then those with virtual
 * threads. */
static void put_deadlocks(struct sink *s, const struct threaddump *d,
                          const struct snapshot *outside)
{
    const char *parting = "";
    sink_text(s, "],\n\"deadlock_threads\":[");
    for (uint32_t i = 0; i < d->dead_count; i++) {
        bool is_first = i == 0 || d->dead[i - 1].deadlock != d->dead[i].deadlock;
        put_text(s, !is_first ? "," : i == 0 ? "[" : "],[", d->dead[i].name);
        parting = ",";
    }
    sink_text(s, d->dead_count > 0 ? "]" : "");
    for (uint32_t i = 0; i < outside->locks.deadlock_count; i++) {
        const struct java_deadlock *circle = &outside->locks.deadlocks[i];
        sink_text(s, parting);
        for (uint32_t n = 0; n < circle->count; n++)
            put_string(s, n > 0 ? "," : "[",
                       name_of(&outside->java.rows[outside->locks.rows[circle->locks[n]].thread]));
        sink_text(s, "]");
        parting = ",";
    }
    sink_text(s, "]");
}

void threads_print_json(struct sink *s, const struct threaddump *d, const struct threads_outside *o)
{
    const struct snapshot *outside = &o->snapshot;
    sink_printf(s, "\"deadlocks\":%u,\"threads\":[", d->deadlocks + outside->locks.deadlock_count);
    for (uint32_t i = 0; i < d->count; i++) {
        const struct threaddump_thread *t = &d->threads[i];
        put_text(s, i > 0 ? ",\n{\"name\":" : "\n{\"name\":", t->name);
        if (t->id >= 0)
            sink_printf(s, ",\"id\":%" PRId64, t->id);
        if (t->state.len > 0)
            put_text(s, ",\"state\":", t->state);
        put_text(s, ",\"head\":", t->head);
        sink_text(s, ",\"frames\":[");
        put_frames(s, d, t);
        sink_text(s, "],\"locks\":[");
        put_locks(s, d, o, t);
        sink_text(s, "]}");
    }
    for (uint32_t i = outside->java.platform_count; i < outside->java.count; i++)
        put_virtual(s, &outside->threads[i]);
    put_deadlocks(s, d, outside);
    sink_printf(s, ",\"virtual_unlisted\":%s}\n", o->has_unlisted ? "true" : "false");
}
