/*
 * life.c - see life.h; the entry points of libhprof.so, and its life in the VM.
 *
 * Agent_OnLoad parses the options and creates the file. VM_INIT (or Agent_OnAttach) starts the
 * engines. A data dump request writes the tables, and measuring goes on. VM_DEATH stops the
 * engines, writes the last tables and closes the file. After the start nothing here ends the
 * process.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/life.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/engine/beat.h"
#include "agent/engine/crew.h"
#include "agent/life/admit.h"
#include "agent/life/copy_kept.h"
#include "agent/life/lease.h"
#include "agent/life/life_own.h"
#include "agent/log.h"
#include "agent/names/frame_room.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "hotspot/hotspot.h"
#include "options/options_name.h"
#include "options/options_parse.h"
#include "options/options_testing.h"
#include "safe/clock.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"
#include "vm/vm_pause.h"
#include "vm/vm_program.h"

#define EXPORT __attribute__((visibility("default")))

enum { EXIT_FATAL = 9 }; /* exit status of the original hprof with errorexit=y */

static struct names the_names;
static struct threads the_threads;
struct agent life_agent = {.locks.life = LOCK_INIT(LIFE),
                           .locks.agent = LOCK_INIT(AGENT),
                           .locks.dumps = LOCK_INIT(DUMPS),
                           .names = &the_names,
                           .threads = &the_threads};
static struct recording *first; /* the recording of the command line, until VM_INIT */

static void time_is_over(struct agent *a, JNIEnv *env, uint32_t number);

/* Start the recording in a VM that runs. Errors: as life_run(). */
static int run(struct agent *a, JNIEnv *env, struct recording *r, engine_set fresh)
{
    int error = life_run(a, env, r, fresh);
    lease_begin(a, r, env, time_is_over);
    beat_begin(a, env);
    return error;
}

static void on_vm_init(void *data, JNIEnv *env, jthread thread)
{
    struct agent *a = data;
    agent_life_lock(a);
    run(a, env, first, first->engines);
    first = NULL;
    agent_life_unlock(a);
}

static void on_vm_death(void *data, JNIEnv *env)
{
    struct agent *a = data;
    a->vm_ends = 1;
    crew_dying(a, env);
    agent_life_lock(a);
    life_end_all(a);
    agent_life_unlock(a);
}

static struct vm_event_subscriber on_init = {
    .event = VM_EVENT_VM_INIT, .on.vm_init = on_vm_init, .data = &life_agent};
static struct vm_event_subscriber on_death = {
    .event = VM_EVENT_VM_DEATH, .on.vm_death = on_vm_death, .data = &life_agent};

/* ---- loading */

static int open_vm(struct agent *a, JavaVM *java)
{
    struct vm_env_refusal why;

    int error = a->vm.main ? 0 : vm_open(&a->vm, java);

    if (error) {
        log_error(error == E_LIMIT ? "no room for thread-local variables in this process (other "
                                     "libraries have taken it): start the JVM with -agentpath"
                                   : "this VM has no JVM TI 1.2: the agent cannot work here");
        return E_UNSUPPORTED;
    }
    vm_event_open(&a->vm);
    vm_pause_open(&a->vm);
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
    crew_reserve();
    return 0;
}

/*
 * Prepare the engines of `r` that are not at work yet. If the VM refuses a capability to an engine,
 * a message has said so and the engine is left out. If no engine is left, nothing starts.
 */
static int set_up(struct agent *a, JavaVM *vm, struct recording *r, engine_set fresh)
{
    engine_set loaded = fresh;
    int error;
    hotspot_refuse_own((unsigned)options_testing_of(&r->options)->noreader);
    threads_begin_late(options_testing_of(&r->options)->thread_late_ms);
    error = crew_prepare(&a->options, fresh);
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
    return error ? error : recording_create(a, r);
}

static int set_up_first(struct agent *a, JavaVM *vm, struct recording *r)
{
    int error = admit_complete(&r->options);
    a->coming = r;
    if (!error)
        error = admit_fold(a);
    if (!error)
        error = open_model(a);
    return error ? error : set_up(a, vm, r, engine_wanted(&r->options));
}

/* Allow one load at a time: a second copy of the agent would take the same signal. */
static bool is_first_load(struct agent *a)
{
    if (a->in_use && a->is_leaving)
        log_error("the agent has been told to stop: it cannot begin again in this JVM, start the "
                  "JVM anew");
    else if (a->in_use)
        log_error("Cannot load this JVM TI agent twice, check your java command line for duplicate "
                  "hprof options. The first one goes on. [hprof " HPROF_VERSION "]");
    return !a->in_use;
}

/*
 * Check the debugging agent now: it is loaded after this agent, and on bad options it would end the
 * JVM with a list of its options.
 */
static int check_debugger(JavaVM *vm, const struct recording *r)
{
    char why[LOG_LINE / 2];
    if (r->options.under.onjcmd == OPTIONS_ONJCMD_UNASKED ||
        vm_program_debugger_waits(vm, why, sizeof(why)))
        return 0;
    log_error("%s", why);
    return E_UNSUPPORTED;
}

/*
 * Whether nothing is to be measured in this JVM. Either the JVM was only looked at, or it is the
 * JVM of a build tool, which `tools=n` leaves alone and of which `hprof run` is told. Nothing has
 * begun: the agent can still be loaded, or a recording be started, while the JVM runs.
 */
static bool leave_alone(struct agent *a, JavaVM *vm, struct recording *r)
{
    bool is_asked = r->options.under.onjcmd == OPTIONS_ONJCMD_ONLY;
    const char *tool = is_asked ? "" : r->options.under.tools ? NULL : vm_program_build_tool(vm);
    char note[64];
    if (!tool)
        return false;
    snprintf(note, sizeof(note), "=%s", tool);
    if (*tool)
        output_note(&r->options, note);
    life_end_free(a, r);
    a->in_use = 0;
    return true;
}

EXPORT JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *line, void *reserved)
{
    struct agent *a = &life_agent;
    struct recording *r = NULL;
    copy_kept_take();
    if (!is_first_load(a))
        return JNI_OK;
    a->in_use = 1;
    int error = admit_new(a, line, getenv("_JAVA_HPROF_OPTIONS"), false, &r);
    if (!error)
        error = check_debugger(vm, r);
    if (!error && leave_alone(a, vm, r))
        return JNI_OK;
    if (error || (!r->options.said.help && set_up_first(a, vm, r) != 0)) {
        if (r && r->options.errorexit) {
            log_piece("HPROF TERMINATED PROCESS\n");
            _exit(EXIT_FATAL);
        }
        return JNI_ERR;
    }
    if (r->options.said.help) {
        options_help(stdout);
        fflush(stdout);
        _exit(0);
    }
    r->is_of_options = true;
    first = r;
    return vm_event_add(&on_init, NULL) == 0 ? JNI_OK : JNI_ERR;
}

/* Begin the first recording in a running VM. Needs the lock of life. */
static int begin_first(struct agent *a, JavaVM *vm, JNIEnv *env, struct recording *r)
{
    int error;
    a->in_use = a->attached = 1;
    error = set_up_first(a, vm, r);
    if (error) {
        engine_set set = engine_wanted(&r->options);
        life_end_release(a, env, r, set); /* another try may have better options */
        return error;
    }
    output_be_patient(&r->output, 0); /* the application runs already */
    error = run(a, env, r, r->engines);
    if (error)
        life_end(a, env, r);
    return error ? E_UNSUPPORTED : 0;
}

/*
 * Begin a recording while others run; the others go on even if this one fails. Needs the lock of
 * life.
 */
static int begin_another(struct agent *a, JavaVM *vm, JNIEnv *env, struct recording *r)
{
    engine_set fresh = engine_wanted(&r->options) & ~a->engines.at_work;
    int error;
    life_end_release_failed(a, env);
    error = admit_check(a, r);

    if (!error)
        error = admit_complete(&r->options);
    if (error) {
        life_end_free(a, r);
        return error;
    }
    a->attached = 1; /* engines that start from now on are attached to a running VM */
    agent_lock(a);
    a->coming = r;
    error = admit_fold(a);
    agent_unlock(a);
    if (!error)
        error = set_up(a, vm, r, fresh);
    if (error) {
        agent_lock(a);
        a->coming = NULL;
        admit_fold(a);
        agent_unlock(a);
        life_end_release_one(a, env, r, fresh);
        return error;
    }
    output_be_patient(&r->output, 0);
    error = run(a, env, r, r->engines & fresh);
    if (error)
        life_end(a, env, r);
    return error ? E_UNSUPPORTED : 0;
}

/* Tell the user of a running JVM what is measured from now on and where the profile goes. */
static void say_begun(const struct recording *r)
{
    char place[PATH_MAX], words[ENGINE_WORDS];
    engine_words(r->engines, words);
    output_place(&r->output, place);
    if (words[0])
        log_note("%s from now on, into %s", words, place);
}

static int begin(struct agent *a, JavaVM *vm, JNIEnv *env, const struct life_start *how,
                 struct recording **ret)
{
    struct recording *r = NULL;
    int error;
    if ((!a->started || a->dying || !how->is_command) && !is_first_load(a))
        return E_VM_STATE;
    error = admit_new(a, how->line, how->environment, how->is_begun, &r);
    if (!error && r->options.said.help) {
        options_help(stdout);
        error = E_SYNTAX;
    }
    if (error) {
        if (r)
            life_end_free(a, r);
        return error;
    }
    r->is_of_options = !how->is_command;
    r->lease_ns = how->lease_ns;
    r->output.held.is_wanted = how->is_held;
    r->options.ends.turn = how->turn;
    r->number = how->number;
    if (how->name)
        snprintf(r->name, sizeof(r->name), "%s", how->name);
    error = a->in_use ? begin_another(a, vm, env, r) : begin_first(a, vm, env, r);
    if (!error && r->options.verbose && how->turn == 0)
        say_begun(r);
    *ret = r;
    return error;
}

int life_begin(struct agent *a, JavaVM *vm, JNIEnv *env, const struct life_start *how,
               uint32_t *ret_number)
{
    struct recording *r = NULL;
    int error;
    agent_life_lock(a);
    error = begin(a, vm, env, how, &r);
    if (!error)
        *ret_number = r->number;
    agent_life_unlock(a);
    return error;
}

/* The recording with this number. Needs the lock of life, under which recordings come and go. */
static struct recording *numbered(const struct agent *a, uint32_t number)
{
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && a->recordings[i]->number == number)
            return a->recordings[i];
    return NULL;
}

int life_stop(struct agent *a, JNIEnv *env, uint32_t number)
{
    struct recording *r;
    int error;
    agent_life_lock(a);
    r = numbered(a, number);
    error = r ? life_end(a, env, r) : E_VM_STATE;
    agent_life_unlock(a);
    if (error)
        log_error("nothing is measured in this JVM: there is nothing to stop");
    return error;
}

/* Finish the file of `old`, and remove the files that keep= does not keep. */
static void turn_over(struct agent *a, JNIEnv *env, struct recording *old, struct recording *r)
{
    uint32_t keep = (uint32_t)r->options.ends.keep;
    r->loop = old->loop;
    old->loop = NULL;
    r->is_of_options = old->is_of_options;
    agent_lock(a);
    r->lease_end_ns = old->lease_end_ns; /* a new file is no question about the recording */
    agent_unlock(a);
    (void)life_loop_add(&r->loop, old);
    (void)life_end(a, env, old);
    if (keep)
        life_loop_keep(r->loop, keep);
}

/*
 * Begin a recording with the same options and a new file, then end `old`. In this order no event is
 * lost, and no engine stops. Needs the lock of life.
 */
static void turn(struct agent *a, JNIEnv *env, struct recording *old)
{
    const struct life_start how = {.line = old->line,
                                   .name = old->name,
                                   .lease_ns = old->lease_ns,
                                   .is_command = true,
                                   .number = old->number,
                                   .turn = old->options.ends.turn + 1};
    uint32_t cycle = options_name_cycle(old->options.file);
    struct recording *r = NULL;
    JavaVM *vm = NULL;
    if (cycle) /* the next file gets the name of the oldest file */
        life_loop_keep(old->loop, cycle - 2);
    if ((*env)->GetJavaVM(env, &vm) == JNI_OK && begin(a, vm, env, &how, &r) == 0) {
        turn_over(a, env, old, r);
        return;
    }
    log_error("loop=: no new file was begun (see above): %s goes on", old->output.path);
    agent_lock(a);
    old->turn_ns += old->options.ends.loop_ns;
    agent_unlock(a);
}

/*
 * The time of a recording is over: end it, or begin its next file. Do nothing if the recording has
 * ended meanwhile or if its lease was renewed.
 */
static void time_is_over(struct agent *a, JNIEnv *env, uint32_t number)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct recording *r;
    agent_life_lock(a);
    r = numbered(a, number);
    if (r && !lease_is_over(a, r))
        r = NULL;
    if (r && r->turn_ns && r->turn_ns <= now_ns && (!r->lease_ns || r->lease_end_ns > now_ns))
        turn(a, env, r);
    else if (r)
        (void)life_end(a, env, r);
    agent_life_unlock(a);
}

EXPORT JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    copy_kept_give();
}
