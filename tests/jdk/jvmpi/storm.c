/*
 * storm.c - a JVMPI agent that has all events at once, but for INSTRUCTION_START, and doubts them.
 *
 * It works as profilers of the time did: one lock around all data, taken in GC_START and given back
 * in GC_FINISH, and held while GetCallTrace walks stacks. A thread of its own asks for dumps,
 * collections and references meanwhile. At the end it says how often each event came, what it has
 * counted of the class Storm$Junk and of the method step, and what it found wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    IDS = 1 << 24,
    THREADS = 1 << 16,
    DEPTH = 64,
    STEP = 16,
    LIVE = 1,
    CLASS = 2,
    JUNK = 4,
    WRONGS = 10,
    TRACE_EACH = 64,
    LOUD_EACH = 16,
    LOUD_US = 100,
    ROUND_MS = 500,
    DUMP_EACH = 8,
    COLLECTIONS_AT_THE_END = 3,
};

static JVMPI_Interface *jvmpi;
static JavaVM *vm;
static JVMPI_RawMonitor lock, loud;
static unsigned char state[IDS];
static struct {
    JNIEnv *env;
    bool is_open;
} threads[THREADS];
static _Atomic long seen[JVMPI_MAX_EVENT_TYPE_VAL + 1];
static _Atomic bool is_ending;
static jobjectID junk_class;
static jmethodID step_method, over_method;
static struct {
    long made, freed, steps, ends, traces, wrong;
    int in_gc;
} count;

static void wrong(const char *what, const JVMPI_Event *e)
{
    if (count.wrong++ < WRONGS)
        fprintf(stderr, "storm: wrong: %s, event %d\n", what, (int)e->event_type);
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

/* The place of a thread, or a free one for it; places are never given back, JNIEnvs come again. */
static int thread_of(JNIEnv *env)
{
    int at = (int)((uintptr_t)env / 64 % THREADS);
    while (threads[at].env && threads[at].env != env)
        at = (at + 1) % THREADS;
    return at;
}

static void walk(JNIEnv *env, const JVMPI_Event *e)
{
    JVMPI_CallFrame frames[DEPTH];
    JVMPI_CallTrace trace = {env, 0, frames};
    jvmpi->GetCallTrace(&trace, DEPTH);
    count.traces++;
    if (trace.num_frames < 0 || trace.num_frames > DEPTH)
        wrong("the depth of a trace", e);
}

static void on_class_load(JVMPI_Event *e)
{
    unsigned char *s = state_of(e->u.class_load.class_id, e);
    if (*s & CLASS)
        wrong("a class is loaded twice", e);
    *s |= CLASS;
    if (strcmp(e->u.class_load.class_name, "Storm$Junk") == 0)
        junk_class = e->u.class_load.class_id;
    if (strcmp(e->u.class_load.class_name, "Storm") != 0)
        return;
    for (jint i = 0; i < e->u.class_load.num_methods; i++) {
        const JVMPI_Method *m = &e->u.class_load.methods[i];
        if (strcmp(m->method_name, "step") == 0)
            step_method = m->method_id;
        if (strcmp(m->method_name, "over") == 0)
            over_method = m->method_id;
    }
}

static void on_alloc(JVMPI_Event *e)
{
    unsigned char *s = state_of(e->u.obj_alloc.obj_id, e);
    if (*s & LIVE)
        wrong("an object is allocated twice", e);
    *s |= LIVE;
    if (e->u.obj_alloc.class_id && !(*state_of(e->u.obj_alloc.class_id, e) & CLASS))
        wrong("the class of an object is not known", e);
    if (junk_class && e->u.obj_alloc.class_id == junk_class &&
        e->u.obj_alloc.is_array == JVMPI_NORMAL_OBJECT) {
        *s |= JUNK;
        count.made++;
    }
    if (seen[JVMPI_EVENT_OBJECT_ALLOC] % TRACE_EACH == 0)
        walk(e->env_id, e);
}

static void on_free(JVMPI_Event *e)
{
    unsigned char *s = state_of(e->u.obj_free.obj_id, e);
    if (!count.in_gc)
        wrong("freed outside of a collection", e);
    if (!(*s & LIVE))
        wrong("what is freed was not allocated", e);
    count.freed += (*s & JUNK) != 0;
    *s = 0;
}

static void on_method(JVMPI_Event *e)
{
    bool is_step = e->u.method.method_id == step_method;
    if (!threads[thread_of(e->env_id)].is_open)
        wrong("a method of a thread that has not begun, or has ended", e);
    if (e->event_type == JVMPI_EVENT_METHOD_ENTRY)
        count.steps += is_step;
    if (e->event_type == JVMPI_EVENT_METHOD_EXIT)
        count.ends += is_step;
    if (e->event_type == JVMPI_EVENT_METHOD_ENTRY2 && e->u.method_entry2.obj_id &&
        !(*state_of(e->u.method_entry2.obj_id, e) & LIVE))
        wrong("the object of a method was not allocated", e);
    if (seen[e->event_type] % TRACE_EACH == 0)
        walk(e->env_id, e);
}

static void on_thread(JVMPI_Event *e)
{
    bool is_start = e->event_type == JVMPI_EVENT_THREAD_START;
    int at = thread_of(is_start ? e->u.thread_start.thread_env_id : e->env_id);
    if (threads[at].is_open == is_start)
        wrong(is_start ? "a thread starts twice" : "a thread ends that did not start", e);
    threads[at].env = is_start ? e->u.thread_start.thread_env_id : e->env_id;
    threads[at].is_open = is_start;
}

static void on_locked(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
        on_class_load(e);
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        if (!(*state_of(e->u.class_unload.class_id, e) & CLASS))
            wrong("what is unloaded is no class", e);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        on_alloc(e);
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        on_free(e);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_ENTRY2:
    case JVMPI_EVENT_METHOD_EXIT:
        on_method(e);
        break;
    case JVMPI_EVENT_THREAD_START:
    case JVMPI_EVENT_THREAD_END:
        on_thread(e);
        break;
    default:
        break;
    }
}

/* What a profiler's own thread asks for. References are made by JNI, so their events come. */
static void ask(void *unused)
{
    JNIEnv *env = NULL;
    JVMPI_HeapDumpArg level = {JVMPI_DUMP_LEVEL_1};
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2) < 0)
        return;
    for (int round = 0; !is_ending; round++) {
        jclass thread = (*env)->FindClass(env, "java/lang/Thread");
        (*env)->DeleteGlobalRef(env, (*env)->NewGlobalRef(env, thread));
        (*env)->DeleteWeakGlobalRef(env, (*env)->NewWeakGlobalRef(env, thread));
        (*env)->DeleteLocalRef(env, thread);
        jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
        if (round % DUMP_EACH == 1)
            jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level);
        if (round % DUMP_EACH == 3)
            jvmpi->RunGC();
        usleep(ROUND_MS * 1000);
    }
}

/* The program's threads have ended. What its frames still hold is freed by a later collection. */
static void on_over(void)
{
    for (int i = 0; i < COLLECTIONS_AT_THE_END && count.freed < count.made; i++)
        jvmpi->RunGC();
}

static void on_end(void)
{
    is_ending = true;
    for (int i = 1; i <= JVMPI_MAX_EVENT_TYPE_VAL; i++)
        if (seen[i])
            fprintf(stderr, "storm: event %d: %ld\n", i, seen[i]);
    fprintf(stderr, "storm: %ld made, %ld freed, %ld steps, %ld ends, %ld traces, %ld wrong\n",
            count.made, count.freed, count.steps, count.ends, count.traces, count.wrong);
}

static void on_event(JVMPI_Event *e)
{
    jint kind = e->event_type & ~JVMPI_REQUESTED_EVENT;
    long before = atomic_fetch_add(&seen[kind], 1);
    switch (kind) {
    case JVMPI_EVENT_GC_START:
        jvmpi->RawMonitorEnter(lock);
        count.in_gc++;
        return;
    case JVMPI_EVENT_GC_FINISH:
        count.in_gc--;
        jvmpi->RawMonitorExit(lock);
        return;
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread((char *)"asks", JVMPI_NORMAL_PRIORITY, ask);
        return;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        on_end();
        return;
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        e->u.class_load_hook.new_class_data = e->u.class_load_hook.class_data;
        e->u.class_load_hook.new_class_data_len = e->u.class_load_hook.class_data_len;
        return;
    default:
        jvmpi->RawMonitorEnter(lock);
        on_locked(e);
        jvmpi->RawMonitorExit(lock);
    }
    if (kind == JVMPI_EVENT_METHOD_ENTRY && e->u.method.method_id == over_method)
        on_over();
    if (kind == JVMPI_EVENT_METHOD_EXIT && before % LOUD_EACH == 0) {
        jvmpi->RawMonitorEnter(loud);
        usleep(LOUD_US);
        jvmpi->RawMonitorExit(loud);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java_vm, char *options, void *reserved)
{
    void *answer = NULL;
    vm = java_vm;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_2) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    lock = jvmpi->RawMonitorCreate((char *)"_data");
    loud = jvmpi->RawMonitorCreate((char *)"loud");
    for (jint kind = 1; kind <= JVMPI_MAX_EVENT_TYPE_VAL; kind++) {
        bool is_dump = kind == JVMPI_EVENT_HEAP_DUMP || kind == JVMPI_EVENT_MONITOR_DUMP ||
                       kind == JVMPI_EVENT_OBJECT_DUMP;
        bool is_event = kind <= JVMPI_EVENT_COMPILED_METHOD_UNLOAD ||
                        (kind >= JVMPI_EVENT_THREAD_START && kind != 36 && !is_dump);
        if (is_event && jvmpi->EnableEvent(kind, NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    }
    return JNI_OK;
}
