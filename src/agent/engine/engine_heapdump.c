/*
 * engine_heapdump.c - heap=dump: the objects of the heap, their contents, and what holds them.
 *
 * Prepares what the pause needs, and forks (heapdump_fork.c) or writes inside the pause
 * (heapdump_pause.c). While a child writes (heapdump_watch.c), the agent's own records wait in
 * memory; a second dump waits for the first. docs/heap-dump.md SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/heapdump/heapdump.h"
#include "agent/log.h"
#include "agent/traces.h"
#include "base/err.h"
#include "base/pages.h"
#include "safe/clock.h"

enum {
    ROOTS_MAX = 16 << 20, /* memory that is only touched where it is used; */
    ROOTS_MIN = 1 << 16,  /* where the process may not have so much, less */
    REFERENCES = 60000,   /* local ones, mostly of classes: -Xcheck:jni counts; */
    REFERENCES_MIN = 64,  /* where -XX:MaxJNILocalCapacity does not allow so many */
};

static const uint64_t arena_budget = (uint64_t)64 << 30; /* bounded by the classes there are */
static const uint64_t first_string = 0xa8000000u;        /* where the model's numbers never come */
static const uint32_t first_serial = 0x40000000u;        /* of classes that only the child met */

static struct heapdump dump_state;

static int wanted(const struct options *o)
{
    return o->heap_dump;
}

static void capabilities(jvmtiCapabilities *needed)
{
}

static int prepare(const struct options *o)
{
    return 0;
}

/* An Object[1] with something in it, whose contents nobody else looks at. */
static jobject make_sentinel(JNIEnv *env)
{
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    jobject made = object ? (*env)->AllocObject(env, object) : NULL;
    jobjectArray array = made ? (*env)->NewObjectArray(env, 1, object, made) : NULL;
    jobject kept = array ? (*env)->NewGlobalRef(env, array) : NULL;

    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    return kept;
}

static int start(struct agent *a, JNIEnv *env)
{
    struct heapdump *d = &dump_state;
    jvmtiCapabilities needed = {.can_tag_objects = 1};
    jclass thread;

    d->agent = a;
    d->next_string = first_string;
    d->next_serial = first_serial;
    if ((*a->vm)->GetEnv(a->vm, (void **)&d->jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*d->jvmti)->AddCapabilities(d->jvmti, &needed) != JVMTI_ERROR_NONE ||
        !(d->sentinel = make_sentinel(env)) ||
        (*d->jvmti)->SetTag(d->jvmti, d->sentinel, HEAPDUMP_SENTINEL) != JVMTI_ERROR_NONE) {
        log_error("heap=dump: this VM lets nobody tag objects: there will be no heap dump");
        d->jvmti = NULL;
        return E_UNSUPPORTED;
    }
    d->status =
        mmap(NULL, sizeof(*d->status), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    d->buffer =
        mmap(NULL, HPROF_HEAP_SEGMENT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (d->status == MAP_FAILED || d->buffer == MAP_FAILED) {
        log_error("heap=dump: no memory: there will be no heap dump");
        d->jvmti = NULL;
        return -ENOMEM;
    }
    thread = (*env)->FindClass(env, "java/lang/Thread");
    d->thread_id = thread ? (*env)->GetFieldID(env, thread, "tid", "J") : NULL;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    if (a->options.fork)
        heapdump_fork_open(d);
    else
        snprintf(d->why_not, sizeof(d->why_not), "fork=n");
    return 0;
}

/* ---- what is known before the pause */

/* The thread's stack as a trace, and its methods, to tell whether it ran on. */
static void take_stack(struct heapdump *d, struct heapdump_thread *t, thread_id id, jthread thread)
{
    struct traces_stack stack;
    trace_id trace;

    t->trace = PROFILE_TRACE_SYSTEM;
    if (traces_take(d->agent, thread, 0, TRACES_DEPTH_MAX, &stack) != 0)
        return;
    trace = traces_of(d->agent, id, &stack);
    if (!trace)
        return;
    t->trace = profile_trace_at(d->agent->profile, trace)->serial;
    t->methods = malloc((size_t)(stack.count + 1) * sizeof(jmethodID));
    if (!t->methods)
        return;
    t->depth = stack.count;
    t->own_frames = stack.own;
    for (jint i = 0; i < stack.count; i++)
        t->methods[i] = stack.frames[i].method;
}

/* NULL: a thread that cannot be named. */
static struct heapdump_thread *take_thread(struct heapdump *d, JNIEnv *env, jthread thread)
{
    struct agent *a = d->agent;
    struct heapdump_thread *t = &d->threads[d->thread_count];
    struct thread *known = threads_find(a, thread);

    if (!known)
        known = threads_enter(a, env, thread, 0);
    *t = (struct heapdump_thread){.serial = PROFILE_THREAD_UNKNOWN, .ref = thread};
    if (known) {
        t->serial = known->id ? known->serial : PROFILE_THREAD_UNKNOWN;
        t->ref = known->ref;
        t->own_globals = known->ref != NULL;
    } else if (threads_ended_serial(a, thread)) { /* it ends the VM, and the file has it */
        t->serial = threads_ended_serial(a, thread);
    } else {
        return NULL;
    }
    if ((*d->jvmti)->SetTag(d->jvmti, thread, (jlong)d->thread_count + 1) != JVMTI_ERROR_NONE)
        return NULL;
    d->thread_count++;
    t->id = d->thread_id ? (*env)->GetLongField(env, thread, d->thread_id) : 0;
    take_stack(d, t, known ? known->id : 0, thread);
    return t;
}

/* The calling thread comes first: at the VM's end it is among the others no more. The reference to
 * it stays as long as the dump needs it. */
static void take_threads(struct heapdump *d, JNIEnv *env)
{
    struct agent *a = d->agent;
    jthread *threads = NULL, self = NULL;
    jint count = 0;

    d->thread_count = 0;
    d->own_thread = NULL;
    (*a->jvmti)->GetCurrentThread(a->jvmti, &self);
    if ((*a->jvmti)->GetAllThreads(a->jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    d->threads = calloc((size_t)count + 2, sizeof(*d->threads));
    if (d->threads && self)
        d->own_thread = take_thread(d, env, self);
    if (d->own_thread)
        d->own_thread->own_locals = 1;
    for (jint i = 0; i < count; i++) {
        if (d->threads && !(*env)->IsSameObject(env, threads[i], self))
            take_thread(d, env, threads[i]);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)threads);
}

static int wants_sites(const struct heapdump *d)
{
    return d->can_fork && alloc_env() && d->agent->options.sites;
}

/* The sites of objects are the tags of the environment that watches allocations. Where their table
 * cannot be read that environment walks, whose walk shows them. It is the slower one for the roots,
 * too: it looks for the tag of each of them among many. */
static void take_sites(struct heapdump *d)
{
    uint64_t bytes = (d->heap.high - d->heap.low) / 8 * sizeof(*d->sites);

    d->walker = d->jvmti;
    d->sites = NULL;
    if (!wants_sites(d))
        return;
    d->sites = pages_map(bytes);
    if (!d->sites)
        log_note("heap dump: no %llu MB for the sites of objects: it has none of them",
                 (unsigned long long)(bytes >> 20));
    else if ((*alloc_env())->SetTag(alloc_env(), d->sentinel, HEAPDUMP_SENTINEL) ==
                 JVMTI_ERROR_NONE &&
             !heapdump_sites_expect(d) &&
             d->heap.collector != HEAP_ZGC) /* whose walk moves things */
        d->walker = alloc_env();
}

static void take_roots(struct heapdump *d)
{
    d->root_max = 2 * ROOTS_MAX;
    do {
        d->root_max /= 2;
        d->roots = pages_map((size_t)d->root_max * sizeof(*d->roots));
    } while (!d->roots && d->root_max > ROOTS_MIN);
}

static int take_memory(struct heapdump *d)
{
    take_sites(d);
    memset(d->status, 0, sizeof(*d->status));
    arena_init(&d->arena, arena_budget);
    take_roots(d);
    return d->roots ? 0 : -ENOMEM;
}

static void forget(struct heapdump *d)
{
    for (uint32_t i = 0; i < d->thread_count; i++)
        free(d->threads[i].methods);
    free(d->threads);
    pages_unmap(d->roots, (size_t)d->root_max * sizeof(*d->roots));
    pages_unmap(d->sites, (d->heap.high - d->heap.low) / 8 * sizeof(*d->sites));
    d->sites = NULL;
    if (d->classes)
        (*d->agent->jvmti)->Deallocate(d->agent->jvmti, (unsigned char *)d->classes);
    arena_done(&d->arena);
    d->threads = NULL;
    d->thread_count = 0;
    d->roots = NULL;
    d->classes = NULL;
    d->known = NULL;
}

/* ---- a dump */

static int write_by_child(struct heapdump *d)
{
    int error;

    heapdump_file_set_aside(d);
    d->parent = getpid();
    d->child_bytes = d->child_seen = 0;
    d->memory_next_ns = d->is_told_to_end = 0;
    d->child_seen_ns = clock_monotonic_ns();
    error = heapdump_fork_start(d);
    if (error) {
        output_bring_back(&d->agent->output);
        return error;
    }
    heapdump_names_announce(d);
    heapdump_file_lend(d);
    d->is_in_pause = 0;
    heapdump_watch_start(d);
    return 0;
}

/* Whoever dumps or ends waits for `dumps`, and nobody else for the file: the lock is free. */
static int wait_for_turn(struct heapdump *d, JNIEnv *env)
{
    struct agent *a = d->agent;
    int error;

    agent_unlock(a);
    error = output_wait_for_turn(&a->output);
    agent_lock(a);
    if (!error)
        error = heapdump_names_take(d, env); /* classes have been loaded meanwhile */
    return error ? error : heapdump_names_note_stacks(d);
}

static int write_in_pause(struct heapdump *d, JNIEnv *env)
{
    const char *why = d->status->why[0] ? d->status->why : d->why_not;
    struct agent *a = d->agent;
    int error;

    if (a->options.verbose && a->options.fork)
        log_note("the heap dump is made inside the pause: %s", why);
    if (!a->options.live)
        log_error("live=n: inside the pause only objects that can be reached are seen: only they "
                  "are in the dump");
    d->status->has_turn = 0;
    d->status->position = 0;
    /* The whole VM would wait until somebody reads. */
    error = d->own_file < 0 && heapdump_file_is_pipe(d) ? heapdump_file_own(d) : 0;
    if (error)
        return error;
    heapdump_names_announce(d);
    heapdump_file_set_aside(d);
    heapdump_file_lend(d);
    if (d->own_file < 0)
        error = wait_for_turn(d, env);
    if (!error) {
        d->sink.written = d->status->position;
        agent_unlock(a);
        error = heapdump_pause_write(d, env);
        agent_lock(a);
    }
    if (!error)
        heapdump_names_note_written(d);
    heapdump_file_settle(d);
    d->is_in_pause = 1;
    d->is_told = 0;
    return error;
}

/* What may take a second while the program runs. */
static void shorten_pause(struct heapdump *d)
{
    const struct agent *a = d->agent;
    int is_copied = d->can_fork && d->heap.collector == HEAP_ZGC;

    if (wants_sites(d) && !a->dying) /* at the end nobody minds a pause */
        heapdump_large_pages(d);
    if (is_copied && !a->options.live)
        d->copy.why = "a copy of the heap is not searched for what nobody can reach";
    else if (is_copied)
        heapdump_copy_prepare(&d->copy, &d->heap, d->ranges, d->range_max, &d->headroom);
}

static void write_dump(struct heapdump *d, JNIEnv *env)
{
    struct agent *a = d->agent;
    int error;

    headroom_open(&d->headroom, "/proc");
    agent_unlock(a);
    shorten_pause(d);
    agent_lock(a);
    error = take_memory(d);
    if (!error)
        error = heapdump_names_take(d, env);
    if (!error && a->options.selftest && d->can_fork && d->heap.collector != HEAP_ZGC)
        heapdump_selftest_run(d);
    if (!error) {
        take_threads(d, env);
        error = heapdump_names_note_stacks(d);
    }
    if (!error)
        error = heapdump_file_open(d);
    if (!error) {
        error = d->can_fork ? write_by_child(d) : E_UNSUPPORTED;
        if (error)
            error = write_in_pause(d, env);
    }
    d->sink.error = -EBADF; /* the child has it, or nobody */
    free(d->sink.buffer);
    d->sink.buffer = NULL;
    if (error)
        log_error("there is no heap dump in %s (%s%s%s): the program goes on", a->output.path,
                  err_text(error), d->status->why[0] ? ", " : "", d->status->why);
    heapdump_copy_done(&d->copy);
    if (!d->child)
        headroom_close(&d->headroom);
    forget(d);
}

static void dump(struct agent *a)
{
    struct heapdump *d = &dump_state;
    JNIEnv *env;

    if (!d->jvmti || (*a->vm)->GetEnv(a->vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return;
    if ((*env)->PushLocalFrame(env, REFERENCES) != JNI_OK) {
        (*env)->ExceptionClear(env);
        if ((*env)->PushLocalFrame(env, REFERENCES_MIN) != JNI_OK)
            return;
    }
    write_dump(d, env);
    (*env)->PopLocalFrame(env, NULL);
}

static int request(struct agent *a, JNIEnv *env, const struct engine_request *r)
{
    if (r->ask != ENGINE_HEAP_DUMP)
        return E_UNSUPPORTED;
    dump(a);
    return 0;
}

static void settle(struct agent *a)
{
    heapdump_watch_settle(&dump_state);
}

static int is_pending(struct agent *a)
{
    return dump_state.child > 0;
}

static void say(struct agent *a)
{
    heapdump_watch_say(&dump_state);
}

const struct engine engine_heapdump = {
    .name = "heapdump",
    .help = "heap=dump: the objects of the heap and what holds them",
    .begun = "heap dumps",
    .dumping = " Java heap ...",
    .wanted = wanted,
    .capabilities = capabilities,
    .prepare = prepare,
    .start = start,
    .settle = settle,
    .dump = dump,
    .request = request,
    .is_pending = is_pending,
    .say = say,
    .stop = settle, /* the file is closed behind it */
};
