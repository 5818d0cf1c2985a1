/*
 * doctor_threads.c - see doctor_threads.h.
 *
 * What is judged has to be there in all dumps: a lock that is wanted once is no trouble. One dump
 * alone shows deadlocks and how many threads wait for a lock; it cannot show that threads do not
 * move, so the other facts are not known then.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doctor/doctor_threads.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "doctor/doctor_fact.h"
#include "threaddump/dumpline.h"
#include "threaddump/dumpseries.h"

enum { SHOWN = 60 }; /* bytes of a name in a text */

#define SHORT(text)                                                                                \
    ((text).len < SHOWN ? (int)(text).len : SHOWN), ((text).len > 0 ? (text).at : "")

static void set(struct doctor_facts *f, enum doctor_fact_id id, double value)
{
    doctor_fact_set(f, id, value, true);
}

/* ---- deadlocks */

static void judge_deadlocks(const struct dumpset *s, struct doctor_facts *f)
{
    uint32_t least = UINT32_MAX;
    const struct threaddump *last = &s->dumps[s->count - 1].threads;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t count = s->dumps[i].threads.deadlocks;
        least = count < least ? count : least;
    }
    set(f, DOCTOR_DEADLOCKS, least);
    if (least > 0 && last->dead_count >= 2)
        doctor_fact_say(f, DOCTOR_DEADLOCKS, "\"%.*s\" and \"%.*s\" wait for each other",
                        SHORT(last->dead[0].name), SHORT(last->dead[1].name));
}

/* ---- locks */

static const struct dumplocks_lock *same_lock(const struct dumplocks *l, struct threaddump_text o)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (threaddump_is_same(l->locks[i].object, o))
            return &l->locks[i];
    return NULL;
}

/* The lock that most threads want in all dumps. Objects move between dumps, with the collector: so
 * a lock of another address counts if it has the same class. */
static void judge_locks(const struct dumpseries *s, struct doctor_facts *f)
{
    const struct dumplocks *last = &s->locks[s->set->count - 1];
    const struct threaddump *d = &s->set->dumps[s->set->count - 1].threads;
    double most = 0;
    for (uint32_t i = 0; i < last->count && i < 16; i++) {
        const struct dumplocks_lock *lock = &last->locks[i];
        double least = lock->is_owned ? lock->waiting : 0;
        for (uint32_t n = 0; n + 1 < s->set->count; n++) {
            const struct dumplocks_lock *other = same_lock(&s->locks[n], lock->object);
            for (uint32_t k = 0; !other && k < s->locks[n].count && k < 16; k++)
                if (threaddump_is_same(s->locks[n].locks[k].class_name, lock->class_name))
                    other = &s->locks[n].locks[k];
            double waiting = other && other->is_owned ? other->waiting : 0;
            least = waiting < least ? waiting : least;
        }
        if (least <= most)
            continue;
        most = least;
        if (lock->holder >= 0)
            doctor_fact_say(f, DOCTOR_LOCK_WAITING, "%.*s, held by \"%.*s\"",
                            SHORT(lock->class_name), SHORT(d->threads[lock->holder].name));
        else
            doctor_fact_say(f, DOCTOR_LOCK_WAITING, "%.*s", SHORT(lock->class_name));
    }
    set(f, DOCTOR_LOCK_WAITING, most);
}

/* ---- locks whose holder does not move */

static const struct dumpseries_thread *over_time(const struct dumpseries *s, uint32_t thread)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct dumpseries_place *p =
            &s->places[s->threads[i].first + s->threads[i].count - 1];
        if (p->dump + 1 == s->set->count && p->thread == thread)
            return &s->threads[i];
    }
    return NULL;
}

static uint32_t always_blocked_by(const struct dumpseries *s, int64_t holder)
{
    const struct dumplocks *l = &s->locks[s->set->count - 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct dumpseries_thread *t = &s->threads[i];
        if (t->is_blocked && t->is_same_stack &&
            dumplocks_blocker(l, s->places[t->first + t->count - 1].thread) == holder)
            count++;
    }
    return count;
}

static void judge_held(const struct dumpseries *s, struct doctor_facts *f)
{
    const struct dumplocks *l = &s->locks[s->set->count - 1];
    const struct threaddump *d = &s->set->dumps[s->set->count - 1].threads;
    uint32_t most = 0;
    for (uint32_t i = 0; i < l->count && i < 16; i++) {
        int64_t holder = l->locks[i].holder;
        const struct dumpseries_thread *t = holder >= 0 ? over_time(s, (uint32_t)holder) : NULL;
        if (!t || !t->is_same_stack || t->is_blocked)
            continue;
        uint32_t count = always_blocked_by(s, holder);
        if (count <= most)
            continue;
        most = count;
        const struct threaddump_thread *row = &d->threads[holder];
        struct threaddump_text at = {0};
        if (row->count > 0)
            at = d->lines[row->first].text;
        doctor_fact_say(f, DOCTOR_LOCK_HELD, "%.*s, held by \"%.*s\" at %.*s",
                        SHORT(l->locks[i].class_name), SHORT(row->name), SHORT(at));
    }
    set(f, DOCTOR_LOCK_HELD, most);
}

/* ---- pools */

/* Threads of a pool have one name, but for its numbers. */
static int compare_pools(struct threaddump_text a, struct threaddump_text b)
{
    size_t i = 0, j = 0;
    while (true) {
        while (i < a.len && isdigit((unsigned char)a.at[i]))
            i++;
        while (j < b.len && isdigit((unsigned char)b.at[j]))
            j++;
        if (i == a.len || j == b.len)
            return (i < a.len) - (j < b.len);
        if (a.at[i] != b.at[j])
            return (unsigned char)a.at[i] < (unsigned char)b.at[j] ? -1 : 1;
        i++;
        j++;
    }
}

static const struct dumpseries *ordered;

static const struct threaddump_thread *last_of(const struct dumpseries *s, uint32_t i)
{
    return dumpseries_at(s, &s->threads[i], s->threads[i].count - 1);
}

static int by_pool(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = compare_pools(last_of(ordered, x)->name, last_of(ordered, y)->name);
    return order != 0 ? order : (x > y) - (x < y);
}

static bool has_frame(const struct threaddump *d, const struct threaddump_thread *t,
                      const char *const *places, size_t count)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct threaddump_line *l = &d->lines[t->first + i];
        for (size_t n = 0; l->lock == THREADDUMP_NO_LOCK && n < count; n++)
            if (dumpline_find(l->text, places[n]))
                return true;
    }
    return false;
}

/* Where threads wait that have no work, or that do not wait for others. */
static bool is_idle(const struct threaddump *d, const struct threaddump_thread *t)
{
    static const char *const places[] = {
        "ThreadPoolExecutor.getTask(",
        "ForkJoinPool.awaitWork(",
        "DelayedWorkQueue.take(",
        "Queue.take(",
        "Queue.poll(",
        "Deque.take",
        "Deque.poll",
        "Exchanger.exchange(",
        "TimerThread.mainLoop(",
        "ReferenceQueue.remove(",
        "Selector.select(",
        "EPoll.wait(",
        "EPollArrayWrapper.poll(",
        "Net.accept(",
        "socketAccept(",
        "Unix.poll(",
        "java.lang.Thread.sleep",
    };
    return has_frame(d, t, places, sizeof(places) / sizeof(places[0]));
}

/* Whether an executor's thread is in a task. */
static bool runs_task(const struct threaddump *d, const struct threaddump_thread *t)
{
    static const char *const places[] = {"ThreadPoolExecutor.runWorker(",
                                         "ForkJoinWorkerThread.run(", "ForkJoinPool.runWorker(",
                                         "QueuedThreadPool.runJob("};
    return has_frame(d, t, places, sizeof(places) / sizeof(places[0])) && !is_idle(d, t);
}

/* The first frame that is not of the JDK; if there is none, the first one. */
static struct threaddump_text place_of(const struct threaddump *d,
                                       const struct threaddump_thread *t)
{
    static const char *const jdk[] = {"java.", "jdk.", "sun.", "java.base", "app//java."};
    struct threaddump_text first = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const struct threaddump_line *l = &d->lines[t->first + i];
        bool is_jdk = false;
        if (l->lock != THREADDUMP_NO_LOCK)
            continue;
        first = first.len > 0 ? first : l->text;
        for (size_t n = 0; n < sizeof(jdk) / sizeof(jdk[0]); n++)
            is_jdk = is_jdk || dumpline_begins(l->text, jdk[n]);
        if (!is_jdk)
            return l->text;
    }
    return first;
}

static bool is_waiting(const struct threaddump_thread *t)
{
    struct threaddump_text state = threaddump_state(t);
    return state.len > 0 && (*state.at == 'B' || *state.at == 'W' || *state.at == 'T');
}

/* Whether all threads of a pool are in tasks that wait at one place, in all dumps. */
static bool is_starved(const struct dumpseries *s, const uint32_t *pool, uint32_t count)
{
    const struct threaddump *d = &s->set->dumps[s->set->count - 1].threads;
    struct threaddump_text place = place_of(d, last_of(s, pool[0]));
    for (uint32_t i = 0; i < count; i++) {
        const struct threaddump_thread *t = last_of(s, pool[i]);
        if (!s->threads[pool[i]].is_same_stack || !is_waiting(t) || !runs_task(d, t) ||
            !threaddump_is_same(place_of(d, t), place))
            return false;
    }
    return place.len > 0;
}

static int judge_pools(const struct dumpseries *s, struct doctor_facts *f)
{
    const struct threaddump *d = &s->set->dumps[s->set->count - 1].threads;
    uint32_t *threads = calloc((size_t)s->count + 1, sizeof(*threads)), count = 0, most = 0;
    if (!threads)
        return -ENOMEM;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct dumpseries_place *p =
            &s->places[s->threads[i].first + s->threads[i].count - 1];
        if (p->dump + 1 == s->set->count && last_of(s, i)->state.len > 0)
            threads[count++] = i;
    }
    ordered = s;
    if (count > 0)
        qsort(threads, count, sizeof(*threads), by_pool);
    for (uint32_t i = 0, next; i < count; i = next) {
        struct threaddump_text name = last_of(s, threads[i])->name;
        for (next = i + 1; next < count; next++)
            if (compare_pools(name, last_of(s, threads[next])->name) != 0)
                break;
        if (next - i <= most || !is_starved(s, threads + i, next - i))
            continue;
        most = next - i;
        doctor_fact_say(f, DOCTOR_POOL_STARVED, "\"%.*s\" and those like it, at %.*s", SHORT(name),
                        SHORT(place_of(d, last_of(s, threads[i]))));
    }
    free(threads);
    set(f, DOCTOR_POOL_STARVED, most);
    return 0;
}

/* ---- finalizers and cleaners */

static bool has_name(const struct threaddump_thread *t, const char *name)
{
    return t->name.len == strlen(name) && memcmp(t->name.at, name, t->name.len) == 0;
}

static void judge_finalizer(const struct dumpseries *s, struct doctor_facts *f)
{
    static const char *const names[] = {"Finalizer", "Reference Handler", "Common-Cleaner"};
    static const char *const waits[] = {"ReferenceQueue.remove(", "waitForReferencePendingList(",
                                        "tryHandlePending("};
    const struct threaddump *d = &s->set->dumps[s->set->count - 1].threads;
    set(f, DOCTOR_FINALIZER_STUCK, 0);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct threaddump_thread *t = last_of(s, i);
        bool is_one = false;
        for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
            is_one = is_one || has_name(t, names[n]);
        if (!is_one || !s->threads[i].is_same_stack ||
            has_frame(d, t, waits, sizeof(waits) / sizeof(waits[0])))
            continue;
        struct threaddump_text place = place_of(d, t);
        if (dumpline_begins(place, "java.") || dumpline_begins(place, "jdk."))
            continue; /* the frames of the JDK alone: it waits for work */
        set(f, DOCTOR_FINALIZER_STUCK, 1);
        doctor_fact_say(f, DOCTOR_FINALIZER_STUCK, "\"%.*s\" at %.*s", SHORT(t->name),
                        SHORT(place));
    }
}

int doctor_threads_judge(const struct dumpset *set_of, struct doctor_facts *f)
{
    struct dumpseries s;
    int error = dumpseries_make(set_of, &s);
    if (error == 0 && s.is_mixed)
        error = E_RANGE;
    if (error == 0) {
        uint32_t java = 0;
        const struct threaddump *last = &set_of->dumps[set_of->count - 1].threads;
        for (uint32_t i = 0; i < last->count; i++)
            java += last->threads[i].state.len > 0;
        set(f, DOCTOR_JAVA_THREADS, java);
        judge_deadlocks(set_of, f);
        judge_locks(&s, f);
    }
    if (error == 0 && set_of->count > 1) {
        judge_held(&s, f);
        judge_finalizer(&s, f);
        error = judge_pools(&s, f);
    }
    dumpseries_done(&s);
    return error;
}
