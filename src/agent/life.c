/*
 * life.c - see life.h; the entry points of libhprof.so, and its life in the VM.
 *
 * Agent_OnLoad parses the options and creates the file; VM_INIT (or Agent_OnAttach) starts the
 * engines; a data dump request writes the tables and goes on; VM_DEATH stops, writes and closes.
 * After start-up nothing here ends the process.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/agent_dump.h"
#include "agent/agent_options.h"
#include "agent/begun.h"
#include "agent/budget.h"
#include "agent/engine/engine.h"
#include "agent/frame/frame_room.h"
#include "agent/lease.h"
#include "agent/log.h"
#include "agent/names.h"
#include "agent/net/net_listen.h"
#include "agent/recording.h"
#include "agent/threads.h"
#include "base/err.h"
#include "base/lock.h"
#include "options/options_help.h"
#include "safe/mem_self.h"
#include "vm/injector.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"
#include "vm/vm_program.h"

#define EXPORT __attribute__((visibility("default")))

enum {
    EXIT_FATAL = 9, /* the original's status with errorexit=y */
    LARGE_HEAP = 2000000000,
    SETTLE_MS = 1000,
};

static struct names the_names;
static struct recording the_recording;
static struct threads the_threads;
static struct agent the_agent = {.lock = LOCK_INIT(AGENT),
                                 .dumps = LOCK_INIT(DUMPS),
                                 .names = &the_names,
                                 .threads = &the_threads};
struct agent *life_agent(void)
{
    return &the_agent;
}

/* One beginning or end at a time: of a load, a command, a duration, the VM. Taken first. */
static struct lock life_lock = LOCK_INIT(LIFE);

/* ---- callbacks */

static void engines_thread_start(struct agent *a, struct thread *thread)
{
    const struct engine *e;

    for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
        if (e->thread_start)
            e->thread_start(a, thread);
    }
}

static void engines_thread_end(struct agent *a, struct thread *thread)
{
    const struct engine *e;

    for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
        if (e->thread_end)
            e->thread_end(a, thread);
    }
}

static void on_thread_start(void *data, JNIEnv *env, jthread thread)
{
    struct agent *a = data;
    struct thread *t;

    if (!agent_enter(a))
        return;
    if (a->started && !a->dying && !agent_owns_thread(a, env, thread)) {
        t = threads_enter(a, env, thread, 1);
        if (t)
            engines_thread_start(a, t);
    }
    agent_unlock(a);
}

static void on_thread_end(void *data, JNIEnv *env, jthread thread)
{
    struct agent *a = data;

    if (!agent_enter(a))
        return;
    if (a->started && !a->closed)
        threads_leave(a, env, thread, engines_thread_end);
    agent_unlock(a);
}

/* Of a file that has a record of each class. */
static void on_class_load(void *data, JNIEnv *env, jthread thread, jclass klass)
{
    struct agent *a = data;

    /* One that an engine loads while it starts is named when it is met. */
    if (agent_lock_is_mine(a) || !agent_enter(a))
        return;
    if (a->started && !a->closed)
        names_class(a, klass);
    agent_unlock(a);
}

static void on_data_dump(void *data)
{
    struct agent *a = data;

    if (a->recordings[0])
        agent_dump(a, a->recordings[0]);
}

static struct vm_event_subscriber on_threads[] = {
    {.event = VM_EVENT_THREAD_START, .on.thread_start = on_thread_start, .data = &the_agent},
    {.event = VM_EVENT_THREAD_END, .on.thread_end = on_thread_end, .data = &the_agent},
};
static struct vm_event_subscriber on_class = {
    .event = VM_EVENT_CLASS_LOAD, .on.class_load = on_class_load, .data = &the_agent};
static struct vm_event_subscriber on_dump = {
    .event = VM_EVENT_DATA_DUMP, .on.data_dump = on_data_dump, .data = &the_agent};

/* Version 1.0.2 of the binary file is for heaps that a 1.0.1 record could not hold. */
static int heap_is_large(JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass klass = vm_lookup_class(&l, "java/lang/Runtime");
    jobject runtime = vm_lookup_call_static_object(
        &l, klass, vm_lookup_static_method(&l, klass, "getRuntime", "()Ljava/lang/Runtime;"));
    jlong bytes = vm_lookup_call_long(&l, runtime, vm_lookup_method(&l, klass, "maxMemory", "()J"));

    return vm_lookup_end(&l) && bytes >= LARGE_HEAP;
}

static void load_all_classes(struct agent *a, JNIEnv *env)
{
    jclass *classes = NULL;
    jint count = 0;

    if ((*env)->PushLocalFrame(env, 16) != JNI_OK) /* as many references as there are classes */
        return;
    if ((*a->vm.main)->GetLoadedClasses(a->vm.main, &count, &classes) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++)
            names_class(a, classes[i]);
        (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)classes);
    }
    (*env)->PopLocalFrame(env, NULL);
}

static void set_program(struct agent *a)
{
    char *name = vm_program_name(&a->vm);

    profile_set_program(a->profile, name ? profile_cstring(a->profile, name) : 0);
    free(name);
}

/* The VM lives: header, threads, engines. */
static int start(struct agent *a, JNIEnv *env)
{
    struct recording *r = &the_recording;
    const struct engine *e;
    jthread self = NULL;
    int error = 0;

    agent_lock(a);
    set_program(a);
    a->recordings[0] = r;
    recording_open(a, r, heap_is_large(env));
    if (recording_has_kinds(r))
        frame_room_keep_kinds();
    threads_init(a, env);
    a->dying = a->closed = a->is_leaving = 0;
    a->started = 1;
    if ((*a->vm.main)->GetCurrentThread(a->vm.main, &self) == JVMTI_ERROR_NONE && !a->attached)
        threads_enter(a, env, self, 1); /* main, 200001 */
    if (a->options.format == 'b') {     /* a record of each class */
        vm_event_add(&on_class, NULL);
        load_all_classes(a, env);
    }
    for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
        if (e->start(a, env) != 0)
            error = E_UNSUPPORTED;
    }
    for (int at = 0; (e = engine_next(a, &at)) != NULL;)
        if (e->join)
            e->join(a, r);
    recording_begin(r);
    if (r->output.net)
        net_listen_start(a, env, r);
    vm_event_add_all(on_threads, sizeof(on_threads) / sizeof(on_threads[0]), NULL);
    vm_event_add(&on_dump, NULL);
    threads_enter_all(a, env, engines_thread_start);
    recording_flush(r);
    output_be_patient(&r->output, 0); /* the application runs */
    agent_unlock(a);
    for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
        if (e->ready)
            e->ready(a);
    }
    injector_apply(env);
    lease_begin(a, r, env, life_stop_number);
    return error;
}

static void on_vm_init(void *data, JNIEnv *env, jthread thread)
{
    lock_take(&life_lock);
    start(data, env);
    lock_give(&life_lock);
}

/* Measuring ends: the VM dies, or goes on without us. Returns whether it was this call's doing. */
static int end(struct agent *a, int is_leaving)
{
    const struct engine *e;
    JNIEnv *env;
    int was_dying;

    agent_lock(a);
    was_dying = a->dying || !a->started;
    if (!was_dying) {
        a->is_leaving = is_leaving;
        a->dying = 1;
        output_be_patient(&the_recording.output, 1);
    }
    agent_unlock(a);
    if (was_dying)
        return 0;
    lease_end();
    for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
        if (e->stop)
            e->stop(a);
    }
    env = vm_jni(&a->vm);
    if (a->is_leaving && env)
        injector_apply(env); /* the VM goes on, and gets its own code back */
    if (the_recording.options.doe)
        agent_dump(a, &the_recording);
    agent_dump_begin(a); /* one that somebody else asked for may be on its way */
    a->closed = 1;
    recording_close(&the_recording);
    agent_unlock(a);
    lock_give(&a->dumps);
    return 1;
}

static void on_vm_death(void *data, JNIEnv *env)
{
    lock_take(&life_lock);
    end(data, 0);
    lock_give(&life_lock);
}

/*
 * After the end, or where a start has failed: nothing of ours is left in the VM but classes that
 * call nobody. What an engine cannot give back stays with all that it may use, and nothing begins
 * any more. Errors: 0, or negative after a message.
 */
static int release(struct agent *a, JNIEnv *env)
{
    const struct engine *e;
    int error = net_listen_end();

    a->left_out = 0; /* an engine that was left out has taken memory, too */
    for (int at = 0; !error && (e = engine_next(a, &at)) != NULL;)
        error = e->release ? 0 : E_UNSUPPORTED;
    if (error)
        return error;
    vm_event_close();
    if (!vm_event_settle(SETTLE_MS)) { /* who is in a handler of ours may use all that there is */
        log_error("an event of the VM is still being handled");
        return -EBUSY;
    }
    for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
        int failed = e->release(a, env);

        error = error ? error : failed;
    }
    if (error)
        return error;
    agent_lock(a);
    a->started = 0;
    vm_close(&a->vm);
    a->left_out = 0;
    threads_release(env);
    agent_forget_threads(a, env);
    a->recordings[0] = NULL;
    the_recording.is_counting = false;
    recording_release(&the_recording);
    the_recording.tally = NULL;
    names_done(a->names);
    frame_room_done();
    profile_free(a->profile);
    a->profile = NULL;
    a->next_object = 0;
    a->last_dump = (struct agent_dump_state){.line = AGENT_DUMP_SAID};
    agent_unlock(a);
    mem_self_close(); /* the VM's faults are its own again */
    a->in_use = 0;
    return 0;
}

static struct vm_event_subscriber on_init = {
    .event = VM_EVENT_VM_INIT, .on.vm_init = on_vm_init, .data = &the_agent};
static struct vm_event_subscriber on_death = {
    .event = VM_EVENT_VM_DEATH, .on.vm_death = on_vm_death, .data = &the_agent};

/* ---- loading */

static int open_vm(struct agent *a, JavaVM *java)
{
    struct vm_env_refusal why;

    if (!a->vm.main && vm_open(&a->vm, java) != 0) {
        log_error("this VM has no JVM TI 1.2: the agent cannot work here");
        return E_UNSUPPORTED;
    }
    vm_event_open(&a->vm);
    if (names_open(a, &why) != 0) {
        log_error("Unable to get necessary JVMTI capabilities.");
        return E_UNSUPPORTED;
    }
    return vm_event_add(&on_death, NULL);
}

/*
 * An engine to which the VM refuses what it needs has said so and is left out; where that leaves
 * nothing to measure, the agent does not start. Errors: 0, or negative after a message.
 */
static int load_engines(struct agent *a)
{
    const struct engine *e;
    int error = 0, at = 0, refused = 0;

    while (!error && (e = engine_next(a, &at)) != NULL) {
        error = engine_get_needs(a, e);
        if (!error && e->load)
            error = e->load(a);
        if (error == E_UNSUPPORTED) {
            engine_leave_out(a, e);
            refused = 1;
            error = 0;
        }
    }
    at = 0;
    if (!error && refused && !engine_next(a, &at)) {
        log_error("Unable to get necessary JVMTI capabilities.");
        error = E_UNSUPPORTED;
    }
    return error;
}

static int parse(struct agent *a, const char *line, const char *environment)
{
    int error = agent_options_parse(line, environment, &the_recording.options);

    return error ? error : agent_options_parse(line, environment, &a->options);
}

static int set_up(struct agent *a, JavaVM *vm)
{
    const struct engine *e;
    int error = agent_options_complete(&a->options);

    if (error)
        return error;
    the_recording.options.mem_bytes = a->options.mem_bytes;
    a->profile = profile_new(budget_bytes(a->options.mem_bytes, BUDGET_MODEL));
    if (!a->profile || names_init(a->names, a->options.mem_bytes) != 0) {
        log_error("no memory for the profile: lower mem=");
        return -1;
    }
    frame_room_init(a->options.mem_bytes);
    threads_prepare();
    for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
        error = e->prepare(&a->options);
        if (error)
            return error;
    }
    error = open_vm(a, vm);
    if (!error)
        error = load_engines(a);
    the_recording.tally = profile_tally(a->profile);
    return error ? error : recording_create(&the_recording);
}

/* Once at a time: a second copy of us would take the same signal. */
static int is_first_load(struct agent *a)
{
    if (a->in_use && a->is_leaving)
        log_error("the agent has been told to stop: it cannot begin again in this JVM, start the "
                  "JVM anew");
    else if (a->in_use)
        log_error("Cannot load this JVM TI agent twice, check your java command line for duplicate "
                  "hprof options. The first one goes on. [hprof " HPROF_VERSION "]");
    return !a->in_use;
}

EXPORT JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *line, void *reserved)
{
    struct agent *a = &the_agent;

    if (!is_first_load(a))
        return JNI_OK;
    a->in_use = 1;
    if (parse(a, line, getenv("_JAVA_HPROF_OPTIONS")) != 0 ||
        (!a->options.help && set_up(a, vm) != 0)) {
        if (a->options.errorexit) {
            log_piece("HPROF TERMINATED PROCESS\n");
            _exit(EXIT_FATAL);
        }
        return JNI_ERR;
    }
    if (a->options.help) {
        options_help(stdout);
        fflush(stdout);
        _exit(0);
    }
    return vm_event_add(&on_init, NULL) == 0 ? JNI_OK : JNI_ERR;
}

static int stop(struct agent *a, JNIEnv *env)
{
    if (!end(a, 1)) {
        log_error("nothing is measured in this JVM: there is nothing to stop");
        return E_VM_STATE;
    }
    release(a, env);
    return 0;
}

/* Needs the lock of life. */
static int begin(struct agent *a, JavaVM *vm, JNIEnv *env, const char *line,
                 const char *environment)
{
    int error = is_first_load(a) ? parse(a, line, environment) : E_VM_STATE;

    if (error)
        return error;
    if (a->options.help) {
        options_help(stdout);
        return E_SYNTAX;
    }
    a->in_use = a->attached = 1;
    error = set_up(a, vm);
    if (error) {
        release(a, env); /* another try may have better options */
        return error;
    }
    output_be_patient(&the_recording.output, 0); /* the application runs already */
    if (start(a, env) != 0) {
        stop(a, env);
        return E_UNSUPPORTED;
    }
    if (a->options.verbose)
        begun_say(&the_recording);
    return 0;
}

int life_begin(struct agent *a, JavaVM *vm, JNIEnv *env, const char *line, const char *environment)
{
    int error;

    lock_take(&life_lock);
    error = begin(a, vm, env, line, environment);
    lock_give(&life_lock);
    return error;
}

int life_stop(struct agent *a, JNIEnv *env)
{
    int error;

    lock_take(&life_lock);
    error = stop(a, env);
    lock_give(&life_lock);
    return error;
}

void life_stop_number(struct agent *a, JNIEnv *env, uint32_t number)
{
    lock_take(&life_lock);
    if (the_recording.number == number && end(a, 1))
        release(a, env);
    lock_give(&life_lock);
}

EXPORT JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
}
