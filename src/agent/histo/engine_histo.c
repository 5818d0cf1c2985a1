/*
 * engine_histo.c - heap=histo: how many objects and bytes of each class the heap has at one moment.
 *
 * The engine uses the frozen heap (agent/frozen/frozen.h). A child process counts the objects and
 * leaves the sums in shared memory, while the program goes on. The table is written when the child
 * has ended. See docs/heap-dump.md, "Histogram". SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include "agent/agent.h"
#include "agent/frozen/frozen.h"
#include "agent/frozen/frozen_classes.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "options/options_frozen.h"
#include "options/options_histo.h"
#include "safe/clock.h"
#include "vm/vm_heap.h"
#include "vm/vm_pause.h"

enum { PAUSE_NS = 100, STAND_NS = 30 }; /* docs/measurements/heap-dump.md */

/* The histogram that is being made. It has one row for each listed class, and one row for all other
 * classes. */
static struct histo {
    struct frozen frozen;
    struct heap_find_sum *counts; /* shared with the child */
    struct event *rows;
    uint32_t row_count;
    bool is_live;
    uint64_t pause_ns; /* length of the pause, if the last histogram was made inside the pause */
    bool is_in_pause, is_whole;
} histo;

static int prepare(const struct options *o)
{
    return 0;
}

/* ---- counted by JVM TI while the program is stopped */

/*
 * Only classes get tags, so the walk takes no memory: IterateThroughHeap gives the tag of the class
 * and the size of each object. It shows all objects that lie in the heap; with ZGC it shows the
 * objects that can be reached.
 */
struct counting {
    struct heap_find_sum *rows;
    jlong classes;
    uint64_t stopped_ns; /* when the first object came; 0: no object has come */
};

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag_ptr, jint length, void *arg)
{
    struct counting *c = arg;
    if (!c->stopped_ns)
        c->stopped_ns = clock_monotonic_ns();
    if (vm_heap_is_flat(tag_ptr)) /* its bytes count for the object that contains it, as in the VM's
                                     own histogram */
        return 0;
    bool is_listed = class_tag >= 1 && class_tag <= c->classes;
    struct heap_find_sum *row = &c->rows[is_listed ? class_tag - 1 : c->classes];

    row->objects++;
    row->bytes += (uint64_t)size;
    return 0;
}

/*
 * Count the objects of the listed classes into rows[0 ..], and all other objects into the row
 * behind them. With `is_live` the function first forces a collection and counts the objects that
 * are left. *ret_pause_ns is how long the counting stopped the program. Errors: 0, E_UNSUPPORTED.
 */
static int count_objects(jvmtiEnv *jvmti, const struct frozen_classes *classes, bool is_live,
                         struct heap_find_sum *rows, uint64_t *ret_pause_ns)
{
    jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
    struct counting counting = {rows, classes->count, 0};
    if (is_live && vm_pause_collect(jvmti) != JVMTI_ERROR_NONE)
        return E_UNSUPPORTED;
    for (jint i = 0; i < classes->count; i++)
        (*jvmti)->SetTag(jvmti, classes->list[i], i + 1);
    jvmtiError error = vm_heap_iterate(jvmti, 0, &callbacks, &counting);

    *ret_pause_ns = counting.stopped_ns ? clock_monotonic_ns() - counting.stopped_ns : 0;
    return error == JVMTI_ERROR_NONE ? 0 : E_UNSUPPORTED;
}

/* ---- a use of the frozen heap */

static int prepare_histo(void *self, JNIEnv *env)
{
    struct histo *h = self;
    struct frozen *f = &h->frozen;
    uint32_t count = (uint32_t)f->classes.count + 1;
    void *shared = mmap(NULL, count * sizeof(*h->counts), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    h->counts = shared == MAP_FAILED ? NULL : shared;
    h->rows = calloc(count, sizeof(*h->rows));
    h->row_count = count;
    if (!h->counts || !h->rows)
        return -ENOMEM;
    for (jint i = 0; i < f->classes.count; i++)
        h->rows[i].klass = names_class(f->agent, f->classes.list[i]);
    frozen_threads_take_own(&f->threads, f->agent, &f->vm, env);
    return 0;
}

static int work(void *self, const char **ret_why)
{
    struct histo *h = self;
    struct heap_find found = {0};
    int error = frozen_find(&h->frozen, &found, ret_why);
    return error ? error : heap_find_count(&found, h->counts);
}

static int count_in_pause(void *self, JNIEnv *env, const char *why)
{
    struct histo *h = self;
    struct frozen *f = &h->frozen;
    struct agent *a = f->agent;
    if (a->options.verbose && options_frozen_of(&a->options)->fork)
        log_note("the heap histogram is made inside the pause: %s", why);
    agent_unlock(a);
    int error = count_objects(f->vm.jvmti, &f->classes, h->is_live, h->counts, &h->pause_ns);

    agent_lock(a);
    h->is_in_pause = true;
    h->is_whole = !error;
    return error;
}

static void ended(void *self, bool is_complete)
{
    struct histo *h = self;
    h->is_whole = is_complete;
}

static const struct frozen_use histo_use = {
    .what = "heap histogram",
    .is_lost = "there is no table, the program goes on",
    .pause_ns = PAUSE_NS,
    .stand_ns = STAND_NS,
    .prepare = prepare_histo,
    .work = work,
    .in_pause = count_in_pause,
    .ended = ended,
};

/* ---- the engine */

static int start(struct agent *a, JNIEnv *env)
{
    struct frozen *f = &histo.frozen;
    f->agent = a;
    f->use = &histo_use;
    f->self = &histo;
    int error = frozen_open(f, env);

    if (error)
        log_error("heap=histo: there will be no histogram (%s)", err_text(error));
    return error;
}

static void write_table(struct recording *r, struct histo *h)
{
    struct writer_table t = {
        .kind = h->is_live ? KIND_LIVE_HISTO : KIND_HISTO, .rows = h->rows, .count = h->row_count};
    for (uint32_t i = 0; i < t.count; i++) {
        t.rows[i].kind = t.kind;
        t.rows[i].value[0] = h->counts[i].bytes;
        t.rows[i].value[1] = h->counts[i].objects;
        t.total += h->counts[i].bytes;
    }
    recording_rows(r, &t);
}

static void forget(struct histo *h)
{
    if (h->counts)
        munmap(h->counts, h->row_count * sizeof(*h->counts));
    free(h->rows);
    h->counts = NULL;
    h->rows = NULL;
}

static void make(struct agent *a, struct recording *r, struct histo *h, JNIEnv *env)
{
    const char *why = h->frozen.status->why;
    h->is_in_pause = h->is_whole = false;
    /* With ZGC the heap is walked from its roots, so only reachable objects are seen. */
    h->is_live = options_histo_is_live(&r->options) || frozen_vm_is_copied(&h->frozen.vm);
    h->frozen.with_unreachable = !h->is_live;
    h->frozen.pause = frozen_pause_of(options_frozen_of(&r->options)->in_pause);
    h->frozen.fork_bytes = options_frozen_of(&r->options)->fork_bytes;
    int error = frozen_take(&h->frozen, env);

    agent_unlock(a); /* threads of the program may need the lock while the child counts */
    frozen_settle(&h->frozen);
    agent_lock(a);
    if (error && h->frozen.is_refused)
        log_error("there is no heap histogram, because it would stop the program for long (%s): "
                  "'jcmd %d GC.class_histogram' makes one, inpause=y this one all the same",
                  why, (int)getpid());
    else if (error)
        agent_missed(a, error)("there is no heap histogram (%s%s%s): the program goes on",
                               err_text(error), why[0] ? ", " : "", why);
    else if (h->is_whole)
        write_table(r, h);
    forget(h);
}

static void dump(struct agent *a, struct recording *r)
{
    JNIEnv *env = vm_jni(&a->vm);
    if (histo.frozen.vm.jvmti && env)
        make(a, r, &histo, env);
}

static void say(struct agent *a, struct recording *r)
{
    const struct frozen *f = &histo.frozen;
    char in_pause[FROZEN_PAUSE_TEXT];
    if (!f->vm.jvmti || !histo.is_whole)
        return;
    if (histo.is_in_pause)
        log_note("heap histogram: pause %.1f ms, all of it inside", (double)histo.pause_ns / 1e6);
    else
        log_note("heap histogram: pause %.1f ms%s, child %.2f s, copied on write %.1f MB",
                 (double)f->fork.pause_ns / 1e6, frozen_pause_text(f, in_pause),
                 (double)f->status->ns / 1e9, (double)f->watch.bytes / 1048576);
}

static void stop(struct agent *a)
{
    frozen_settle(&histo.frozen);
}

static int release(struct agent *a, JNIEnv *env)
{
    frozen_close(&histo.frozen, env);
    memset(&histo, 0, sizeof(histo));
    return 0;
}

const struct engine engine_histo = {
    .name = "histo",
    .help = "heap=histo: how many objects of each class the heap has, and their bytes",
    .begun = "heap histograms",
    .dumping = " heap histogram ...",
    .options = &options_histo,
    .prepare = prepare,
    .start = start,
    .dump = dump,
    .say = say,
    .stop = stop,
    .release = release,
};
