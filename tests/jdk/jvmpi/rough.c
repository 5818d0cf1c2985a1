/*
 * rough.c - a JVMPI agent that does what careful agents do not: it suspends threads wherever they
 * are, calls from threads that the VM does not know, ends threads in a DisableGC region, destroys
 * monitors early, waits in handlers. The option says what; it prints "rough: what: 1" for what
 * holds, ": 0" for what does not, and makes the file "done", for which the program Rough waits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { US = 10000, POLLS = 500, THREADS = 4096, ROUNDS = 400, GARBAGE = 100 };

static JVMPI_Interface *jvmpi;
static JavaVM *vm;
static const char *mode;
static _Atomic long seen[JVMPI_MAX_EVENT_TYPE_VAL + 1];

/* Threads by their JNIEnv; that of one that has ended stays until another thread gets it. */
static struct thread {
    JNIEnv *env;
    char name[32];
    _Atomic bool is_open;
} threads[THREADS];
static _Atomic int thread_count;

static void say(const char *what, bool holds)
{
    fprintf(stderr, "rough: %s: %d\n", what, holds);
}

static struct thread *thread_of(JNIEnv *env)
{
    for (int i = thread_count - 1; i >= 0; i--)
        if (threads[i].env == env)
            return &threads[i];
    return NULL;
}

static JNIEnv *named(const char *name)
{
    for (int i = 0; i < POLLS; i++) {
        for (int j = 0; j < thread_count; j++)
            if (threads[j].is_open && strcmp(threads[j].name, name) == 0)
                return threads[j].env;
        usleep(US);
    }
    return NULL;
}

static JNIEnv *own_env(void)
{
    JNIEnv *env = NULL;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    return env;
}

/* Objects with an id that nobody refers to. */
static void litter(void)
{
    JNIEnv *env = own_env();
    for (int i = 0; i < GARBAGE; i++) {
        jobject object = (*env)->NewStringUTF(env, "litter");
        jvmpi->jobject2jobjectID(object);
        (*env)->DeleteLocalRef(env, object);
    }
}

/* ---- suspend: nobody is suspended who has a lock of the bridge */

static _Atomic bool is_suspending;

static void switch_on_and_off(void *unused)
{
    while (is_suspending) {
        jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_WAIT, NULL);
        jvmpi->DisableEvent(JVMPI_EVENT_MONITOR_WAIT, NULL);
    }
}

static void give_ids(void *unused)
{
    while (is_suspending)
        litter();
}

static void try_suspending(void)
{
    const char *const names[] = {"one", "two", "switcher"};
    JVMPI_CallFrame frames[8];
    JNIEnv *all[3];
    jint results[3];
    is_suspending = true;
    jvmpi->CreateSystemThread((char *)"one", JVMPI_NORMAL_PRIORITY, give_ids);
    jvmpi->CreateSystemThread((char *)"two", JVMPI_NORMAL_PRIORITY, give_ids);
    jvmpi->CreateSystemThread((char *)"switcher", JVMPI_NORMAL_PRIORITY, switch_on_and_off);
    for (int i = 0; i < 3; i++)
        all[i] = named(names[i]);
    for (int i = 0; i < ROUNDS; i++) {
        JVMPI_CallTrace trace = {all[i % 2], 0, frames};
        jvmpi->SuspendThreadList(3, all, results);
        jvmpi->GetCallTrace(&trace, 8);
        litter();
        jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_MOVE, NULL);
        jvmpi->ResumeThreadList(3, all, results);
    }
    is_suspending = false;
    say("suspended", all[0] && all[1] && all[2]);
}

/* ---- unknown: a thread that the VM does not know */

static void *on_unknown_thread(void *unused)
{
    static const jint events[] = {JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_OBJECT_ALLOC,
                                  JVMPI_EVENT_JNI_GLOBALREF_ALLOC, JVMPI_EVENT_MONITOR_WAIT,
                                  JVMPI_EVENT_CLASS_LOAD};
    JVMPI_CallFrame frame;
    JVMPI_CallTrace trace = {named("main"), 1, &frame};
    bool holds = true;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        holds &= jvmpi->EnableEvent(events[i], NULL) == JVMPI_FAIL;
    holds &= jvmpi->DisableEvent(JVMPI_EVENT_THREAD_START, NULL) == JVMPI_SUCCESS;
    holds &= jvmpi->DisableEvent(JVMPI_EVENT_COMPILED_METHOD_LOAD, NULL) == JVMPI_FAIL;
    holds &= jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) == JVMPI_FAIL;
    jvmpi->GetCallTrace(&trace, 1);
    holds &= trace.num_frames == 0;
    jvmpi->SuspendThread(trace.env_id);
    jvmpi->ResumeThread(trace.env_id);
    jvmpi->RunGC();
    holds &= !jvmpi->GetThreadObject(trace.env_id);
    say("from a thread of no VM", holds);
    return NULL;
}

static void try_unknown(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, on_unknown_thread, NULL);
    pthread_join(thread, NULL);
    say("and from a known one",
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL) == JVMPI_SUCCESS &&
            jvmpi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL) == JVMPI_SUCCESS);
}

/* ---- hold: DisableGC */

static _Atomic int is_collected, disables_in_bracket;

static void collect(void *unused)
{
    jvmpi->RunGC();
    is_collected = 1;
}

/* A collection while the calling thread is in a region. Returns how many frees were told. */
static long collect_while_held(void)
{
    long before = seen[JVMPI_EVENT_OBJECT_FREE];
    litter();
    is_collected = 0;
    jvmpi->CreateSystemThread((char *)"collector", JVMPI_NORMAL_PRIORITY, collect);
    for (int i = 0; i < POLLS && !is_collected; i++)
        usleep(US);
    usleep(5 * US);
    return seen[JVMPI_EVENT_OBJECT_FREE] - before;
}

static _Atomic bool is_in_region;

static void end_in_region(void *unused)
{
    jvmpi->DisableGC();
    is_in_region = true;
}

/* Whether collections tell again what they freed: when the thread of end_in_region() has ended. */
static bool is_free_again(void)
{
    long frees = seen[JVMPI_EVENT_OBJECT_FREE];
    for (int i = 0; i < POLLS / 10 && seen[JVMPI_EVENT_OBJECT_FREE] - frees < GARBAGE; i++) {
        usleep(10 * US);
        litter();
        jvmpi->RunGC();
    }
    return seen[JVMPI_EVENT_OBJECT_FREE] - frees >= GARBAGE;
}

static void try_holding(void)
{
    long frees, starts;
    jvmpi->RunGC();
    jvmpi->DisableGC();
    frees = collect_while_held();
    starts = seen[JVMPI_EVENT_GC_START];
    usleep(50 * US);
    say("nothing is freed in a region", frees == 0);
    say("and no collection is made up", seen[JVMPI_EVENT_GC_START] - starts <= 1);
    frees = seen[JVMPI_EVENT_OBJECT_FREE];
    jvmpi->EnableGC();
    for (int i = 0; i < POLLS && seen[JVMPI_EVENT_OBJECT_FREE] - frees < GARBAGE; i++)
        usleep(US);
    say("but behind it", seen[JVMPI_EVENT_OBJECT_FREE] - frees >= GARBAGE);

    jvmpi->CreateSystemThread((char *)"leaver", JVMPI_NORMAL_PRIORITY, end_in_region);
    while (!is_in_region)
        usleep(US);
    say("a thread's region ends with it", is_free_again());

    disables_in_bracket = 1;
    jvmpi->RunGC();
    say("a region goes on behind GC_FINISH", collect_while_held() == 0);
    jvmpi->EnableGC();
    jvmpi->DisableGC();
    say("and the next one holds", collect_while_held() == 0);
    jvmpi->EnableGC();
}

/* ---- destroy: a monitor is gone before its exit has been told */

static JVMPI_RawMonitor shared;
static _Atomic bool is_destroyed;
static char told_name[32];

static void enter_and_destroy(void *unused)
{
    jvmpi->RawMonitorEnter(shared);
    jvmpi->RawMonitorExit(shared);
    jvmpi->RawMonitorDestroy(shared);
    for (size_t size = 64; size < 512; size += 8) {
        char *memory = malloc(size);
        memset(memory, 'x', size);
        asm volatile("" : : "r"(memory) : "memory"); /* not to be left out */
    }
    is_destroyed = true;
}

static void try_destroying(void)
{
    shared = jvmpi->RawMonitorCreate((char *)"to be destroyed");
    jvmpi->RawMonitorEnter(shared);
    jvmpi->CreateSystemThread((char *)"destroyer", JVMPI_NORMAL_PRIORITY, enter_and_destroy);
    while (!seen[JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER])
        usleep(US);
    usleep(10 * US);
    jvmpi->RawMonitorExit(shared); /* its handler waits for the end of the monitor */
    say("the exit of a destroyed monitor", strcmp(told_name, "to be destroyed") == 0);
}

static void on_raw_exit(const JVMPI_Event *e)
{
    for (int i = 0; i < POLLS && !is_destroyed; i++)
        usleep(US);
    snprintf(told_name, sizeof(told_name), "%s", e->u.raw_monitor.name);
}

/* ---- monitors: who gives a contended one back, and who stands in its lists */

static JNIEnv *exit_env, *holder;
static jobjectID lock_id;

static unsigned u4(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

static void *pointer(const char *at)
{
    void *p;
    memcpy(&p, at, sizeof(p));
    return p;
}

/* Whether `env` is in the list of threads at `at`; *ret_next is what follows the list. */
static int lists(const char *at, JNIEnv *env, const char **ret_next)
{
    unsigned count = u4(at);
    bool is_there = false;
    for (unsigned i = 0; i < count; i++)
        is_there |= pointer(at + 4 + i * sizeof(void *)) == env;
    *ret_next = at + 4 + count * sizeof(void *);
    return is_there;
}

/* While one thread waits in the monitor and others want to enter. */
static void on_dump(const JVMPI_Event *e)
{
    const char *at = e->u.monitor_dump.begin;
    JNIEnv *waiter = named("waiter");
    while (at < e->u.monitor_dump.end) {
        int is_raw = *at == JVMPI_MONITOR_RAW, enters, waits;
        void *id = pointer(at + 1 + (is_raw ? sizeof(void *) : 0));
        at += 1 + (is_raw ? 3 : 2) * sizeof(void *) + 4;
        enters = lists(at, waiter, &at);
        waits = lists(at, waiter, &at);
        if (id == lock_id)
            say("who waits does not want to enter", !enters && waits);
    }
}

static void on_contended(JVMPI_Event *e)
{
    static _Atomic int enters;
    lock_id = e->u.monitor.object;
    if (atomic_fetch_add(&enters, 1) == 1)
        jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
}

/* One after the other: the monitor is theirs. */
static void on_entered(const JVMPI_Event *e)
{
    if (!holder)
        holder = named("main");
    say("who had it before", exit_env == holder);
    holder = e->env_id;
    exit_env = NULL;
}

/* ---- ends: what comes of a thread outside of its life, or behind the end of the VM */

static _Atomic bool is_over;
static _Atomic long late, outside, own_references;

/* Events come to many threads at a time, so nobody waits here. */
static void doubt(const JVMPI_Event *e)
{
    const struct thread *t = thread_of(e->env_id);
    late += is_over;
    switch (e->event_type) {
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE:
        own_references += t && strcmp(t->name, "short") == 0;
        outside += !t || !t->is_open;
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_MONITOR_WAIT:
        outside += !t || !t->is_open;
        break;
    default:
        break;
    }
}

__attribute__((destructor)) static void at_exit(void)
{
    if (!mode || strcmp(mode, "ends") != 0)
        return;
    say("methods were told", seen[JVMPI_EVENT_METHOD_ENTRY] > 1000);
    say("threads were told", seen[JVMPI_EVENT_THREAD_END] >= 200);
    say("nothing behind JVM_SHUT_DOWN", is_over && late == 0);
    say("nothing outside of a thread's life", outside == 0);
    say("no references of the bridge", own_references == 0);
}

/* ---- unload: CLASS_UNLOAD alone */

static void on_end(void)
{
    if (strcmp(mode, "ends") == 0) {
        is_over = true;
        usleep(5 * US);
    }
    if (strcmp(mode, "unload") == 0) {
        jvmpi->RunGC();
        say("classes are unloaded", seen[JVMPI_EVENT_CLASS_UNLOAD] >= 9);
    }
}

/* ---- last: the thread that ends the VM is suspended while it does */

static JNIEnv *_Atomic ending;
static _Atomic bool is_stopped;

static void stop_the_last(void *unused)
{
    JNIEnv *env;
    jint result = JVMPI_FAIL;
    while (!ending)
        usleep(US);
    env = ending;
    jvmpi->SuspendThreadList(1, &env, &result);
    say("the last thread is suspended", result == JVMPI_SUCCESS);
    is_stopped = true;
    usleep(20 * US); /* it leaves its handler meanwhile */
    jvmpi->ResumeThread(ending);
}

static void try_last(void)
{
    jvmpi->CreateSystemThread((char *)"resumer", JVMPI_NORMAL_PRIORITY, stop_the_last);
}

static void end_suspended(JNIEnv *env)
{
    ending = env;
    for (int i = 0; i < POLLS && !is_stopped; i++)
        usleep(US);
}

/* ---- remade: a handler may wait for a walk of the heap, also where the VM makes an object that a
 * compiler kept in registers, because METHOD_ENTRY2 names it */

static jobjectID point_class;
static _Atomic long points, walks_asked, walks_made;
static _Atomic bool is_made, is_stuck;

static jmethodID over_method;

static void on_class_load(const JVMPI_Event *e)
{
    if (strcmp(e->u.class_load.class_name, "Rough$Point") == 0)
        point_class = e->u.class_load.class_id;
    if (strcmp(e->u.class_load.class_name, "Rough") != 0)
        return;
    for (jint i = 0; i < e->u.class_load.num_methods; i++)
        if (strcmp(e->u.class_load.methods[i].method_name, "over") == 0)
            over_method = e->u.class_load.methods[i].method_id;
}

static void on_point(void)
{
    enum { EACH = 500, PATIENCE = 6 * POLLS };
    long mine;
    if (atomic_fetch_add(&points, 1) % EACH != 0 || is_stuck)
        return;
    mine = atomic_fetch_add(&walks_asked, 1) + 1;
    for (int i = 0; i < PATIENCE && walks_made < mine; i++)
        usleep(US);
    is_stuck |= walks_made < mine;
}

static void try_walking(void)
{
    enum { WALKS = 20 };
    JVMPI_HeapDumpArg level = {JVMPI_DUMP_LEVEL_0};
    while (!is_made && !is_stuck) {
        long asked = walks_asked;
        if (asked > walks_made)
            jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level);
        walks_made = asked;
        usleep(US / 10);
    }
    say("a handler that waits for a walk of the heap", !is_stuck && walks_made >= WALKS);
}

/* ---- all */

static const struct part {
    const char *mode;
    void (*try)(void); /* in a thread of the agent's; NULL: the program ends by itself */
    jint events[8];
} parts[] = {
    {"suspend", try_suspending, {0}},
    {"unknown", try_unknown, {JVMPI_EVENT_COMPILED_METHOD_LOAD}},
    {"hold", try_holding, {JVMPI_EVENT_GC_START, JVMPI_EVENT_OBJECT_FREE}},
    {"destroy",
     try_destroying,
     {JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT}},
    {"monitors",
     NULL,
     {JVMPI_EVENT_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
      JVMPI_EVENT_MONITOR_CONTENDED_ENTERED}},
    {"ends",
     NULL,
     {JVMPI_EVENT_JNI_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_GLOBALREF_FREE,
      JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE,
      JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_MONITOR_WAIT, JVMPI_EVENT_CLASS_LOAD,
      JVMPI_EVENT_OBJECT_ALLOC}},
    {"unload", NULL, {JVMPI_EVENT_CLASS_UNLOAD}},
    {"last", try_last, {0}},
    {"remade",
     try_walking,
     {JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_METHOD_ENTRY2}},
};
static const struct part *part;

static void run(void *unused)
{
    FILE *done;
    named("main");
    part->try();
    done = fopen("done", "w");
    if (done)
        fclose(done);
}

static void on_thread_start(const JVMPI_Event *e)
{
    struct thread *t = thread_of(e->u.thread_start.thread_env_id);
    int at;
    if (!t) {
        at = atomic_fetch_add(&thread_count, 1);
        if (at >= THREADS)
            abort();
        t = &threads[at];
    }
    t->env = e->u.thread_start.thread_env_id;
    snprintf(t->name, sizeof(t->name), "%s", e->u.thread_start.thread_name);
    t->is_open = true;
}

static void on_event(JVMPI_Event *e)
{
    if (e->event_type == (JVMPI_EVENT_MONITOR_DUMP | JVMPI_REQUESTED_EVENT))
        on_dump(e);
    if (e->event_type & JVMPI_REQUESTED_EVENT)
        return;
    switch (e->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        if (part->try)
            jvmpi->CreateSystemThread((char *)"trier", JVMPI_NORMAL_PRIORITY, run);
        break;
    case JVMPI_EVENT_THREAD_START:
        on_thread_start(e);
        break;
    case JVMPI_EVENT_THREAD_END:
        if (thread_of(e->env_id))
            thread_of(e->env_id)->is_open = false;
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        on_class_load(e);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (point_class && e->u.obj_alloc.class_id == point_class)
            on_point();
        break;
    case JVMPI_EVENT_METHOD_ENTRY2:
        is_made |= e->u.method_entry2.method_id == over_method;
        break;
    case JVMPI_EVENT_GC_START:
        if (atomic_exchange(&disables_in_bracket, 0))
            jvmpi->DisableGC();
        break;
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT:
        on_raw_exit(e);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
        on_contended(e);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
        exit_env = e->env_id;
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
        on_entered(e);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        on_end();
        if (strcmp(mode, "last") == 0)
            end_suspended(e->env_id);
        break;
    default:
        break;
    }
    seen[e->event_type]++;
    if (strcmp(mode, "ends") == 0 && e->event_type != JVMPI_EVENT_JVM_SHUT_DOWN)
        doubt(e);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java, char *options, void *reserved)
{
    static const jint events[] = {JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN};
    void *answer = NULL;
    vm = java;
    mode = options;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcmp(parts[i].mode, options) == 0)
            part = &parts[i];
    if (!part || (*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_2) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    for (size_t i = 0; i < sizeof(part->events) / sizeof(part->events[0]); i++)
        if (part->events[i] && jvmpi->EnableEvent(part->events[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (strcmp(mode, "unload") != 0 || events[i] == JVMPI_EVENT_JVM_SHUT_DOWN)
            jvmpi->EnableEvent(events[i], NULL);
    return JNI_OK;
}
