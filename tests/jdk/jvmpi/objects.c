/*
 * objects.c - a JVMPI agent that follows all objects, classes and threads, and doubts each event.
 *
 * It works as profilers of the time did: one lock around all data, taken in GC_START and given back
 * in GC_FINISH, and held while the collector is held off and GetCallTrace walks stacks. At the end
 * it says on standard error what it has counted of the class Thing, and what it found wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    IDS = 1 << 22,
    DEPTH = 32,
    STEP = 16,
    LIVE = 1,    /* OBJECT_ALLOC has been */
    CLASS = 2,   /* CLASS_LOAD has been */
    THING = 4,   /* an object of class Thing */
    WRONGS = 10, /* that are said */
    THREADS = 4096,
    FIRST_CLASSES = 2, /* java.lang.Class and that of the thread that tells them */
};

static JVMPI_Interface *jvmpi;
static JVMPI_RawMonitor lock;
static unsigned char state[IDS];
static JNIEnv *threads[THREADS];
static jobjectID thing_class, thread_class;
static jmethodID make_method;
static struct {
    long allocs, frees, traced, thread_starts, thread_ends, unloads, collections, classless, asked,
        early, wrong;
    int in_gc;
    long live;
} count;

static void wrong(const char *what, const JVMPI_Event *e)
{
    if (count.wrong++ < WRONGS)
        fprintf(stderr, "objects: wrong: %s, event %d\n", what, (int)e->event_type);
}

static unsigned char *state_of(jobjectID id, const JVMPI_Event *e)
{
    uintptr_t value = (uintptr_t)id;
    if (!value || value % STEP || value / STEP >= IDS) {
        wrong("an id that is none", e);
        return &state[0];
    }
    return &state[value / STEP];
}

static JNIEnv **thread_of(JNIEnv *env)
{
    JNIEnv **at = &threads[(uintptr_t)env / 64 % THREADS];
    while (*at && *at != env)
        at = at == &threads[THREADS - 1] ? threads : at + 1;
    return at;
}

/* Whether the innermost frames hold the method that makes Things. */
static bool is_traced(JNIEnv *env)
{
    JVMPI_CallFrame frames[DEPTH];
    JVMPI_CallTrace trace = {env, 0, frames};
    jvmpi->DisableGC();
    jvmpi->GetCallTrace(&trace, DEPTH);
    jvmpi->EnableGC();
    for (jint i = 0; i < trace.num_frames; i++)
        if (frames[i].method_id == make_method)
            return frames[i].lineno > 0;
    return false;
}

static void on_class_load(JVMPI_Event *e)
{
    unsigned char *s = state_of(e->u.class_load.class_id, e);
    if (*s & CLASS)
        wrong("a class is loaded twice", e);
    *s |= CLASS;
    if (strcmp(e->u.class_load.class_name, "Thing") == 0)
        thing_class = e->u.class_load.class_id;
    if (strcmp(e->u.class_load.class_name, "java.lang.Thread") == 0)
        thread_class = e->u.class_load.class_id;
    for (jint i = 0; i < e->u.class_load.num_methods; i++)
        if (strcmp(e->u.class_load.methods[i].method_name, "makeThing") == 0)
            make_method = e->u.class_load.methods[i].method_id;
    if (*s & LIVE)
        return;
    /* The first classes are told before java.lang.Class is. An agent may ask for their objects
     * then, as the HPROF agents of the time do. */
    if (jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, e->u.class_load.class_id) != JVMPI_SUCCESS ||
        !(*s & LIVE))
        wrong("the object of a class is not told", e);
    if (count.asked++ >= FIRST_CLASSES)
        wrong("a class is told before its object", e);
}

static void on_alloc(JVMPI_Event *e)
{
    unsigned char *s = state_of(e->u.obj_alloc.obj_id, e);
    if (*s & LIVE)
        wrong("an object is allocated twice", e);
    *s |= LIVE;
    count.live++;
    /* The object of java.lang.Class is of a class that is itself. */
    if (!e->u.obj_alloc.class_id && !count.classless++)
        return;
    if (!(*state_of(e->u.obj_alloc.class_id, e) & CLASS))
        wrong("the class of an object is not known", e);
    if (e->u.obj_alloc.arena_id != 1 || e->u.obj_alloc.size <= 0)
        wrong("an arena or a size", e);
    /* The object of a thread that attaches itself is there before the thread starts, and so are
     * those of the first classes. */
    if (!*thread_of(e->env_id) && e->event_type == JVMPI_EVENT_OBJECT_ALLOC &&
        e->u.obj_alloc.class_id != thread_class && count.early++ >= FIRST_CLASSES)
        wrong("the thread is not known", e);
    if (e->u.obj_alloc.class_id == thing_class && e->u.obj_alloc.is_array == JVMPI_NORMAL_OBJECT) {
        *s |= THING;
        count.allocs++;
        count.traced += is_traced(e->env_id);
    }
}

static void on_free(JVMPI_Event *e)
{
    unsigned char *s = state_of(e->u.obj_free.obj_id, e);
    if (!count.in_gc)
        wrong("freed outside of a collection", e);
    if (!(*s & LIVE))
        wrong("what is freed was not allocated", e);
    else
        count.live--;
    if (*s & THING)
        count.frees++;
    *s = 0;
}

static void on_locked(JVMPI_Event *e)
{
    JNIEnv **at;
    switch (e->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
        on_class_load(e);
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        count.unloads++;
        if (!(*state_of(e->u.class_unload.class_id, e) & CLASS))
            wrong("what is unloaded is no class", e);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
    case JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT:
        on_alloc(e);
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        on_free(e);
        break;
    case JVMPI_EVENT_THREAD_START:
        at = thread_of(e->u.thread_start.thread_env_id);
        if (*at)
            wrong("a thread starts twice", e);
        *at = e->u.thread_start.thread_env_id;
        if (!(*state_of(e->u.thread_start.thread_id, e) & LIVE))
            wrong("the object of a thread was not allocated", e);
        if (jvmpi->GetThreadObject(*at) != e->u.thread_start.thread_id)
            wrong("another object of the thread", e);
        count.thread_starts++;
        break;
    case JVMPI_EVENT_THREAD_END:
        at = thread_of(e->env_id);
        if (!*at)
            wrong("a thread ends that did not start", e);
        *at = (JNIEnv *)-1;
        count.thread_ends++;
        break;
    default:
        wrong("not enabled", e);
    }
}

static void on_end(void)
{
    jvmpi->RunGC();
    fprintf(stderr,
            "objects: %ld allocs, %ld frees, %ld traced, %ld starts, %ld ends, %ld unloads, %d "
            "collections, %ld wrong\n",
            count.allocs, count.frees, count.traced, count.thread_starts, count.thread_ends,
            count.unloads, count.collections > 0, count.wrong);
}

static void on_event(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_GC_START:
        jvmpi->RawMonitorEnter(lock);
        if (!*thread_of(e->env_id))
            wrong("a collection is told of by a thread that is not known", e);
        count.in_gc++;
        return;
    case JVMPI_EVENT_GC_FINISH:
        if (e->u.gc_info.used_objects < 1000 || e->u.gc_info.used_object_space <= 0 ||
            e->u.gc_info.total_object_space < e->u.gc_info.used_object_space)
            wrong("the numbers of the heap", e);
        count.in_gc--;
        count.collections++;
        jvmpi->RawMonitorExit(lock);
        return;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        if (!*thread_of(e->env_id))
            wrong("the VM is ended by a thread that is not known", e);
        on_end();
        return;
    default:
        jvmpi->RawMonitorEnter(lock);
        on_locked(e);
        jvmpi->RawMonitorExit(lock);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint events[] = {JVMPI_EVENT_CLASS_LOAD,   JVMPI_EVENT_CLASS_UNLOAD,
                                  JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE,
                                  JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_OBJECT_MOVE,  JVMPI_EVENT_GC_START,
                                  JVMPI_EVENT_GC_FINISH,    JVMPI_EVENT_JVM_SHUT_DOWN};
    void *answer = NULL;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    lock = jvmpi->RawMonitorCreate((char *)"_data");
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (jvmpi->EnableEvent(events[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    return JNI_OK;
}
