/*
 * engine_gc.c - event=gc: the pauses of garbage collections by cause, and the size of the heap
 * before and after each.
 *
 * The VM reports the begin and the end of a collection on a thread of its own, while all threads
 * are stopped. The handlers may not call the VM there. They only read clocks and memory, and keep
 * the pauses until beat() or a dump counts them. Work that a concurrent collector does while the
 * program runs is no pause. The time that the threads need to reach the safepoint is not part of a
 * pause. See docs/gc.md. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "heapwalk/heap_level.h"
#include "options/options_group.h"
#include "profile/sums.h"
#include "safe/clock.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"

extern const struct options_group options_gc;

extern const struct engine engine_gc;

enum { CAUSES_MAX = 32, PAUSES_MAX = 4096 };

/* The values of an event, in the order of its kind. */
enum { TIME, PAUSES, BEFORE, AFTER };

struct cause {
    char name[HEAP_LEVEL_CAUSE];
    uint64_t value[KIND_VALUES];
    uint64_t told[KIND_VALUES]; /* the part of `value` that is already in the model */
};

/* The pause of one collection. */
struct pause {
    int cause; /* index of its row in gc.causes */
    uint64_t end_ns;
    uint64_t value[KIND_VALUES];
};

/* The lock is held only for a few loads and stores, so that the VM's pause does not wait for
 * another thread. */
static struct {
    struct heap_level *heap;
    int depth; /* a full collection may begin within another one */
    uint64_t began_ns, used_before;
    pthread_mutex_t lock; /* guards the fields below */
    struct cause causes[CAUSES_MAX];
    int cause_count;
    /* Pauses that are not in the model yet. A pause that finds no room is added to the sums of its
     * cause. */
    struct pause pauses[PAUSES_MAX];
    uint32_t noted, read; /* how many pauses were put in and taken out since the start */
} gc = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The row of the cause `name`. If there is no room for it: the last row, which is called "other".
 * Needs the lock. */
static struct cause *row_of(const char *name)
{
    int at = 0;
    while (at < gc.cause_count && strcmp(gc.causes[at].name, name) != 0)
        at++;
    if (at == CAUSES_MAX)
        return &gc.causes[CAUSES_MAX - 1];
    if (at == gc.cause_count) {
        gc.cause_count++;
        snprintf(gc.causes[at].name, sizeof(gc.causes[at].name), "%s",
                 gc.cause_count == CAUSES_MAX ? "other" : name);
    }
    return &gc.causes[at];
}

/* Context: gc. */
static void on_start(void *data)
{
    if (gc.depth++ > 0)
        return;
    gc.began_ns = clock_monotonic_ns();
    gc.used_before = heap_level_used(gc.heap);
}

/* Context: gc. */
static void on_finish(void *data)
{
    char name[HEAP_LEVEL_CAUSE];
    if (gc.depth == 0 || --gc.depth > 0) /* the collection had begun before the engine listened */
        return;
    uint64_t end_ns = clock_monotonic_ns();
    const uint64_t value[KIND_VALUES] = {
        [TIME] = end_ns - gc.began_ns,
        [PAUSES] = 1,
        [BEFORE] = gc.used_before,
        [AFTER] = heap_level_used(gc.heap),
    };

    heap_level_cause(gc.heap, name);
    pthread_mutex_lock(&gc.lock);
    struct cause *row = row_of(name);

    if (gc.noted - gc.read < PAUSES_MAX) {
        struct pause *pause = &gc.pauses[gc.noted++ % PAUSES_MAX];
        *pause = (struct pause){.cause = (int)(row - gc.causes), .end_ns = end_ns};
        memcpy(pause->value, value, sizeof(value));
    } else {
        for (int i = 0; i < KIND_VALUES; i++)
            row->value[i] += value[i];
    }
    pthread_mutex_unlock(&gc.lock);
}

static struct vm_event_subscriber heard[] = {
    {.event = VM_EVENT_GC_START, .on.gc_start = on_start},
    {.event = VM_EVENT_GC_FINISH, .on.gc_finish = on_finish},
};

enum { HEARD = sizeof(heard) / sizeof(heard[0]) };

static int prepare(const struct options *o)
{
    return 0;
}

static const struct engine_need need = {.what = VM_CAN_GENERATE_GARBAGE_COLLECTION_EVENTS,
                                        .refused = "event=gc: %s"};

static int start(struct agent *a, JNIEnv *env)
{
    gc.heap = heap_level_open();
    if (!gc.heap) {
        log_error("event=gc: no memory");
        return E_UNSUPPORTED;
    }
    if (heap_level_why_not(gc.heap))
        log_note("event=gc: the heap's size is not known: %s", heap_level_why_not(gc.heap));
    return vm_event_add_all(heard, HEARD, NULL);
}

static void count(struct agent *a, const char *cause, uint64_t time_ns, const uint64_t *value)
{
    struct event event = {.kind = KIND_GC,
                          .trace = profile_trace(a->profile, 0, NULL, 0),
                          .text = profile_cstring(a->profile, cause),
                          .time_ns = time_ns};
    struct recording *r;
    memcpy(event.value, value, sizeof(event.value));
    for (int at = 0; event.text && (r = engine_recording(a, &engine_gc, &at)) != NULL;)
        recording_count(a, r, &event);
}

/* Count the pauses since the last call, for all recordings that want them. Needs the agent's lock.
 */
static void tell(struct agent *a)
{
    struct cause causes[CAUSES_MAX];
    uint32_t noted;
    int cause_count;
    pthread_mutex_lock(&gc.lock);
    cause_count = gc.cause_count;
    memcpy(causes, gc.causes, sizeof(causes));
    noted = gc.noted;
    pthread_mutex_unlock(&gc.lock);
    for (uint32_t i = gc.read; i != noted; i++) {
        const struct pause *pause = &gc.pauses[i % PAUSES_MAX];
        count(a, causes[pause->cause].name, pause->end_ns, pause->value);
    }
    pthread_mutex_lock(&gc.lock);
    gc.read = noted;
    pthread_mutex_unlock(&gc.lock);
    for (int i = 0; i < cause_count; i++) {
        uint64_t more[KIND_VALUES];
        for (int v = 0; v < KIND_VALUES; v++)
            more[v] = causes[i].value[v] - causes[i].told[v];
        if (more[PAUSES])
            count(a, causes[i].name, 0, more);
        /* only this function uses `told` */
        memcpy(gc.causes[i].told, causes[i].value, sizeof(causes[i].value));
    }
}

/* A pause is in the recordings at most about one second after its end. */
static void beat(struct agent *a, JNIEnv *env)
{
    tell(a);
}

static int join(struct agent *a, struct recording *r)
{
    tell(a);
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    tell(a);
    recording_table(r, KIND_GC);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    tell(a);
    snprintf(ret, ENGINE_STATUS, "pauses=%llu",
             (unsigned long long)tally_sums(r->tally, KIND_GC)->total[PAUSES]);
}

static void stop(struct agent *a)
{
    vm_event_remove_all(heard, HEARD);
}

static int release(struct agent *a, JNIEnv *env)
{
    enum { WAIT_MS = 2000 };
    vm_event_remove_all(heard, HEARD);
    if (!vm_event_settle(WAIT_MS)) {
        log_error("event=gc: a collection does not end");
        return -EBUSY;
    }
    heap_level_close(gc.heap);
    gc.heap = NULL;
    gc.depth = 0;
    gc.cause_count = 0;
    gc.noted = gc.read = 0;
    memset(gc.causes, 0, sizeof(gc.causes));
    return 0;
}

const struct engine engine_gc = {
    .name = "gc",
    .help = "event=gc: pauses of collections by cause, and the heap before and after",
    .dumping = " gc pauses ...",
    .begun = "gc pauses",
    .options = &options_gc,
    .owns = {.needs = &need, .need_count = 1},
    .prepare = prepare,
    .start = start,
    .beat = beat,
    .sharing = {.join = join},
    .dump = dump,
    .stop = stop,
    .status = status,
    .release = release,
};
