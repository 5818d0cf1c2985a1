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
#include "agent/admit.h"
#include "agent/agent.h"
#include "agent/agent_dump.h"
#include "agent/agent_options.h"
#include "agent/begun.h"
#include "agent/budget.h"
#include "agent/engine/crew.h"
#include "agent/frame/frame_room.h"
#include "agent/lease.h"
#include "agent/log.h"
#include "agent/names.h"
#include "agent/net/net_listen.h"
#include "agent/recording.h"
#include "agent/threads.h"
#include "base/err.h"
#include "base/lock.h"
#include "options/options_group.h"
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

static struct recording *first; /* of the command line, until the VM lives */

static void stop_by_number(struct agent *a, JNIEnv *env, uint32_t number);

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

/* SIGQUIT is for whom the command line, or a load with options, has begun. */
static void on_data_dump(void *data)
{
    struct agent *a = data;

    for (int i = 0; i < AGENT_RECORDINGS; i++) {
        struct recording *r = a->recordings[i];

        if (r && r->is_of_options)
            agent_dump(a, r);
    }
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

/* What a file begins with that comes late: the threads and classes that are known already. */
static void announce_known(struct agent *a, struct recording *r)
{
    for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
        if (t->id)
            r->output.out.ops->start_thread(&r->output.out, t->id);
    for (class_id id = 1; r->options.format == 'b' && id <= profile_class_count(a->profile); id++)
        recording_announce_class(a, r, id);
}

static engine_set starting; /* engines that are told of the threads that there are */

static void tell_starting(struct agent *a, struct thread *thread)
{
    const struct engine *e;

    for (int at = 0; (e = engine_next_of(starting, &at)) != NULL;)
        if (e->thread_start)
            e->thread_start(a, thread);
}

/* The VM lives: header, threads, engines; those of `fresh` work for nobody yet. Errors: 0, or
 * negative after a message: the recording is to be ended. */
static int start(struct agent *a, JNIEnv *env, struct recording *r, engine_set fresh)
{
    jthread self = NULL;
    int error;

    agent_lock(a);
    if (!a->started) {
        set_program(a);
        threads_init(a, env);
        a->dying = a->closed = a->is_leaving = 0;
    }
    a->recordings[r->place] = r;
    recording_open(a, r, heap_is_large(env));
    if (recording_has_kinds(r))
        frame_room_keep_kinds();
    announce_known(a, r);
    if (!a->started && !a->attached &&
        (*a->vm.main)->GetCurrentThread(a->vm.main, &self) == JVMTI_ERROR_NONE) {
        a->started = 1;
        threads_enter(a, env, self, 1); /* main, 200001 */
    }
    a->started = 1;
    if (r->options.format == 'b') { /* a record of each class */
        vm_event_add(&on_class, NULL);
        load_all_classes(a, env);
    }
    error = crew_start(a, env, fresh);
    a->engines |= fresh;
    if (!error)
        error = crew_join(a, r);
    if (!error)
        error = crew_retune(a);
    recording_begin(r);
    if (r->output.net)
        net_listen_start(a, env, r);
    vm_event_add_all(on_threads, sizeof(on_threads) / sizeof(on_threads[0]), NULL);
    vm_event_add(&on_dump, NULL);
    starting = fresh;
    threads_enter_all(a, env, tell_starting);
    recording_flush(r);
    output_be_patient(&r->output, 0); /* the application runs */
    agent_unlock(a);
    crew_ready(a, fresh);
    injector_apply(env);
    lease_begin(a, r, env, stop_by_number);
    return error;
}

static void on_vm_init(void *data, JNIEnv *env, jthread thread)
{
    struct agent *a = data;

    lock_take(&life_lock);
    start(a, env, first, first->engines);
    lock_give(&life_lock);
}

/* ---- the end */

/* What other recordings than `r` have. */
static engine_set engines_of_others(const struct agent *a, const struct recording *r)
{
    engine_set set = 0;

    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && a->recordings[i] != r)
            set |= a->recordings[i]->engines;
    return set;
}

static bool is_last(const struct agent *a, const struct recording *r)
{
    int count = 0;

    for (int i = 0; i < AGENT_RECORDINGS; i++)
        count += a->recordings[i] && a->recordings[i] != r;
    return count == 0;
}

/* From now on it has an end. Returns whether it was this call's doing. */
static bool mark_ending(struct agent *a, struct recording *r, bool is_leaving)
{
    bool is_ours;

    agent_lock(a);
    is_ours = a->started && !a->dying && !r->is_ending;
    if (is_ours) {
        r->is_ending = true;
        a->is_leaving = is_leaving;
        a->dying = !is_leaving || is_last(a, r);
        if (a->dying)
            output_be_patient(&r->output, 1);
    }
    agent_unlock(a);
    return is_ours;
}

/* Its last tables, and nothing is counted for it any more. Its file is waited for without the lock
 * while others go on; at the very end nobody minds. */
static void close_recording(struct agent *a, struct recording *r)
{
    bool goes_on = !a->dying;

    if (r->options.doe)
        agent_dump(a, r);
    agent_dump_begin(a); /* one that somebody else asked for may be on its way */
    crew_part(a, r);
    r->is_counting = false;
    recording_end(r);
    a->recordings[r->place] = NULL;
    a->closed = is_last(a, r);
    if (goes_on) {
        admit_fold(a, NULL);
        agent_unlock(a);
    }
    recording_close(r);
    if (!goes_on)
        agent_unlock(a);
    lock_give(&a->dumps);
}

/* Measuring ends, of all: the VM dies. */
static void end_all(struct agent *a)
{
    struct recording *open[AGENT_RECORDINGS];
    int count = 0;

    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && (count > 0 || mark_ending(a, a->recordings[i], false)))
            open[count++] = a->recordings[i];
    if (count == 0)
        return;
    lease_end();
    crew_stop(a, a->engines);
    for (int i = 0; i < count; i++) {
        output_be_patient(&open[i]->output, 1);
        close_recording(a, open[i]);
    }
}

static void on_vm_death(void *data, JNIEnv *env)
{
    lock_take(&life_lock);
    end_all(data);
    lock_give(&life_lock);
}

static void free_recording(struct agent *a, struct recording *r)
{
    recording_release(r);
    if (a->profile && r->tally != profile_tally(a->profile))
        tally_free(r->tally);
    options_done(&r->options);
    if (a->recordings[r->place] == r)
        a->recordings[r->place] = NULL;
    if (r == first)
        first = NULL;
    free(r);
}

static bool events_settle(void)
{
    bool is_settled = vm_event_settle(SETTLE_MS);

    if (!is_settled) /* who is in a handler of ours may use all that there is */
        log_error("an event of the VM is still being handled");
    return is_settled;
}

/*
 * After the end, or where a start has failed: nothing of ours is left in the VM but classes that
 * call nobody. What an engine cannot give back stays with all that it may use, and nothing begins
 * any more. Errors: 0, or negative after a message.
 */
static int release_all(struct agent *a, JNIEnv *env, struct recording *r, engine_set set)
{
    int error = net_listen_end();

    if (error || a->stuck)
        return error ? error : E_UNSUPPORTED;
    vm_event_close();
    if (!events_settle())
        return -EBUSY;
    a->stuck = crew_release(a, env, set | a->engines);
    if (a->stuck)
        return E_UNSUPPORTED;
    agent_lock(a);
    a->started = 0;
    a->engines = 0;
    vm_close(&a->vm);
    threads_release(env);
    agent_forget_threads(a, env);
    free_recording(a, r);
    options_done(&a->options);
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

/* The same for one recording while others go on, whose engines in `gone` nobody else has. */
static void release_one(struct agent *a, JNIEnv *env, struct recording *r, engine_set gone)
{
    if (r->output.net)
        net_listen_end();
    agent_lock(a);
    a->engines &= ~gone;
    agent_unlock(a);
    if (gone)
        a->stuck |= events_settle() ? crew_release(a, env, gone) : gone;
    agent_lock(a);
    crew_retune(a);
    if (r->tally == profile_tally(a->profile))
        tally_clear(r->tally);
    free_recording(a, r);
    agent_unlock(a);
}

/* Errors: 0; E_VM_STATE: it has ended. */
static int end(struct agent *a, JNIEnv *env, struct recording *r)
{
    engine_set gone = r->engines & ~engines_of_others(a, r);

    if (!mark_ending(a, r, true))
        return E_VM_STATE;
    if (a->dying)
        lease_end();
    crew_stop(a, gone);
    injector_apply(env); /* the VM goes on, and gets its own code back */
    if (!a->dying)
        a->is_leaving = 0;
    close_recording(a, r);
    if (a->dying)
        release_all(a, env, r, r->engines);
    else
        release_one(a, env, r, gone);
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

static int open_model(struct agent *a)
{
    a->profile = profile_new(budget_bytes(a->options.mem_bytes, BUDGET_MODEL));
    if (!a->profile || names_init(a->names, a->options.mem_bytes) != 0) {
        log_error("no memory for the profile: lower mem=");
        return -1;
    }
    frame_room_init(a->options.mem_bytes);
    threads_prepare();
    return 0;
}

/* The engines of `r` that do not work yet are made ready. An engine to which the VM refuses what it
 * needs has said so and is left out; where that leaves nothing to measure, nothing starts. */
static int set_up(struct agent *a, JavaVM *vm, struct recording *r, engine_set fresh)
{
    engine_set loaded = fresh;
    int error = crew_prepare(&a->options, fresh);

    if (!error && !a->started)
        error = open_vm(a, vm);
    if (!error)
        error = crew_load(a, fresh, &loaded);
    r->engines = engine_wanted(&r->options) & ~(fresh & ~loaded);
    if (!error && !r->engines && loaded != fresh) {
        log_error("Unable to get necessary JVMTI capabilities.");
        error = E_UNSUPPORTED;
    }
    if (!error)
        error = admit_tally(a, r);
    return error ? error : recording_create(r);
}

static int set_up_first(struct agent *a, JavaVM *vm, struct recording *r)
{
    int error = agent_options_complete(&r->options);

    if (!error)
        error = admit_fold(a, r);
    if (!error)
        error = open_model(a);
    return error ? error : set_up(a, vm, r, engine_wanted(&r->options));
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
    struct recording *r = NULL;

    if (!is_first_load(a))
        return JNI_OK;
    a->in_use = 1;
    if (admit_new(a, line, getenv("_JAVA_HPROF_OPTIONS"), &r) != 0 ||
        (!r->options.help && set_up_first(a, vm, r) != 0)) {
        if (r && r->options.errorexit) {
            log_piece("HPROF TERMINATED PROCESS\n");
            _exit(EXIT_FATAL);
        }
        return JNI_ERR;
    }
    if (r->options.help) {
        options_help(stdout);
        fflush(stdout);
        _exit(0);
    }
    r->is_of_options = true;
    first = r;
    return vm_event_add(&on_init, NULL) == 0 ? JNI_OK : JNI_ERR;
}

/* Needs the lock of life. */
static int begin_first(struct agent *a, JavaVM *vm, JNIEnv *env, struct recording *r)
{
    int error;

    a->in_use = a->attached = 1;
    error = set_up_first(a, vm, r);
    if (error) {
        engine_set set = engine_wanted(&r->options);

        release_all(a, env, r, set); /* another try may have better options */
        return error;
    }
    output_be_patient(&r->output, 0); /* the application runs already */
    error = start(a, env, r, r->engines);
    if (error)
        end(a, env, r);
    return error ? E_UNSUPPORTED : 0;
}

/* Others run: what they have goes on whatever becomes of this one. Needs the lock of life. */
static int begin_another(struct agent *a, JavaVM *vm, JNIEnv *env, struct recording *r)
{
    engine_set fresh = engine_wanted(&r->options) & ~a->engines;
    int error = admit_check(a, r);

    if (!error)
        error = agent_options_complete(&r->options);
    if (error) {
        free_recording(a, r);
        return error;
    }
    a->attached = 1; /* what starts now comes late */
    agent_lock(a);
    error = admit_fold(a, r);
    agent_unlock(a);
    if (!error)
        error = set_up(a, vm, r, fresh);
    if (error) {
        agent_lock(a);
        admit_fold(a, NULL);
        agent_unlock(a);
        release_one(a, env, r, fresh);
        return error;
    }
    output_be_patient(&r->output, 0);
    error = start(a, env, r, r->engines & fresh);
    if (error)
        end(a, env, r);
    return error ? E_UNSUPPORTED : 0;
}

static int begin(struct agent *a, JavaVM *vm, JNIEnv *env, const struct life_start *how,
                 uint32_t *ret_number)
{
    struct recording *r = NULL;
    int error;

    if ((!a->started || a->dying || !how->is_command) && !is_first_load(a))
        return E_VM_STATE;
    error = admit_new(a, how->line, how->environment, &r);
    if (!error && r->options.help) {
        options_help(stdout);
        error = E_SYNTAX;
    }
    if (error) {
        if (r)
            free_recording(a, r);
        return error;
    }
    r->is_of_options = !how->is_command;
    r->lease_ns = how->lease_ns;
    if (how->name)
        snprintf(r->name, sizeof(r->name), "%s", how->name);
    error = a->in_use ? begin_another(a, vm, env, r) : begin_first(a, vm, env, r);
    if (!error && r->options.verbose)
        begun_say(r);
    if (!error)
        *ret_number = r->number;
    return error;
}

int life_begin(struct agent *a, JavaVM *vm, JNIEnv *env, const struct life_start *how,
               uint32_t *ret_number)
{
    int error;

    lock_take(&life_lock);
    error = begin(a, vm, env, how, ret_number);
    lock_give(&life_lock);
    return error;
}

/* Needs the lock of life, without which none comes or goes. */
static struct recording *numbered(const struct agent *a, uint32_t number)
{
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && a->recordings[i]->number == number)
            return a->recordings[i];
    return NULL;
}

static int stop(struct agent *a, JNIEnv *env, uint32_t number)
{
    struct recording *r;
    int error;

    lock_take(&life_lock);
    r = numbered(a, number);
    error = r ? end(a, env, r) : E_VM_STATE;
    lock_give(&life_lock);
    return error;
}

int life_stop(struct agent *a, JNIEnv *env, uint32_t number)
{
    int error = stop(a, env, number);

    if (error)
        log_error("nothing is measured in this JVM: there is nothing to stop");
    return error;
}

static void stop_by_number(struct agent *a, JNIEnv *env, uint32_t number)
{
    (void)stop(a, env, number); /* one that has ended meanwhile needs nobody */
}

EXPORT JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
}
