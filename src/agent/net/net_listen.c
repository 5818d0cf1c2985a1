/*
 * net_listen.c - see net_listen.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/net/net_listen.h"
#include <errno.h>
#include "agent/agent.h"
#include "agent/agent_dump.h"
#include "agent/engine/engine.h"
#include "agent/exempt.h"
#include "agent/log.h"
#include "agent/output/net.h"
#include "agent/net/net_summary.h"
#include "agent/recording.h"
#include "agent/threads.h"
#include "base/err.h"
#include "format/net_command.h"
#include "safe/bell.h"
#include "vm/vm_lookup.h"

enum { CONTROL_ROWS = 16, LOCAL_REFERENCES = 64 };

/* What commands and controls mean to the engines. A control's number follows CONTROL_ROWS. */
static const struct row {
    const char *name;
    enum engine_ask ask;
    const char *needs; /* what the options must ask for; NULL nothing */
} rows[] = {
    [NET_COMMAND_HEAP_DUMP] = {"heap dump", ENGINE_HEAP_DUMP, "heap=dump"},
    [NET_COMMAND_SITES] = {"alloc sites", ENGINE_ALLOC_SITES, "heap=sites"},
    [NET_COMMAND_HEAP_SUMMARY] = {"heap summary", ENGINE_HEAP_SUMMARY, NULL},
    [NET_COMMAND_SAMPLES] = {"cpu samples", ENGINE_CPU_SAMPLES, "cpu=samples"},
    [CONTROL_ROWS + NET_COMMAND_ALLOC_ON] = {"alloc on", ENGINE_ALLOC_ON, "heap=sites"},
    [CONTROL_ROWS + NET_COMMAND_ALLOC_OFF] = {"alloc off", ENGINE_ALLOC_OFF, "heap=sites"},
    [CONTROL_ROWS + NET_COMMAND_SAMPLING_ON] = {"sampling on", ENGINE_SAMPLING_ON, "cpu=samples"},
    [CONTROL_ROWS +
        NET_COMMAND_SAMPLING_OFF] = {"sampling off", ENGINE_SAMPLING_OFF, "cpu=samples"},
    [CONTROL_ROWS +
        NET_COMMAND_CLEAR_SAMPLES] = {"clear samples", ENGINE_CLEAR_SAMPLES, "cpu=samples"},
    [CONTROL_ROWS + NET_COMMAND_CLEAR_SITES] = {"clear sites", ENGINE_CLEAR_SITES, "heap=sites"},
    [CONTROL_ROWS +
        NET_COMMAND_SET_DEPTH] = {"set depth", ENGINE_SET_DEPTH, "cpu=samples or heap=sites"},
};

enum { END_WAIT_MS = 2000 };

static struct recording *recording; /* NULL: nobody listens, and nothing is to be waited for */
static struct bell ended;
static uint64_t told; /* rows that nobody could answer: saying it once is enough */
static int told_unknown;

/* Errors: as agent_dump_request(). */
static int pass_on(struct agent *a, JNIEnv *env, const struct net_command *c)
{
    unsigned at = c->tag == NET_COMMAND_CONTROL ? CONTROL_ROWS + c->op : c->tag;
    const struct row *row = &rows[at];
    struct engine_request request = {.ask = row->ask,
                                     .flags = c->flags,
                                     .cutoff = (double)c->cutoff,
                                     .thread = c->thread,
                                     .depth = c->depth};

    int error = agent_dump_request(a, env, recording, &request);

    if (error == E_UNSUPPORTED && row->needs && !a->dying && !(told >> at & 1)) {
        told |= (uint64_t)1 << at;
        log_note("the command \"%s\" was passed over: it needs %s in the options", row->name,
                 row->needs);
    }
    return error;
}

/* No engine counts objects: what is there is known all the same, what was allocated is not. */
static void write_summary(struct agent *a)
{
    uint64_t total[EVENT_VALUES] = {0};

    if (net_summary_count(a, total) != 0) {
        log_error("no heap summary: this JVM does not let its heap be walked");
        return;
    }
    agent_lock(a);
    if (a->started && !a->closed) {
        output_catch_up(&recording->output);
        recording->output.out.ops->heap_summary(&recording->output.out, total);
        output_flush(&recording->output);
    }
    agent_unlock(a);
}

static void write_traces(struct agent *a)
{
    agent_lock(a);
    if (a->started && !a->closed) {
        output_catch_up(&recording->output);
        recording->output.out.ops->traces(&recording->output.out);
        output_flush(&recording->output);
    }
    agent_unlock(a);
}

/* As if the program had called it: hooks run, VM_DEATH comes and writes and closes. */
static void exit_vm(struct agent *a, JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass klass = vm_lookup_class(&l, "java/lang/System");
    jmethodID method = vm_lookup_static_method(&l, klass, "exit", "(I)V");

    log_note("received exit event, exiting ...");
    if (!recording->options.doe)
        agent_dump(a, recording);
    vm_lookup_call_static(&l, klass, method, (jint)0);
    if (!vm_lookup_end(&l))
        log_error("the program's security manager forbids System.exit: the program goes on");
}

static void obey(struct agent *a, JNIEnv *env, const struct net_command *c)
{
    switch (c->tag) {
    case NET_COMMAND_GC:
        (*a->jvmti)->ForceGarbageCollection(a->jvmti);
        break;
    case NET_COMMAND_EXIT:
        exit_vm(a, env);
        break;
    case NET_COMMAND_TRACES:
        write_traces(a);
        break;
    case NET_COMMAND_HEAP_SUMMARY:
        if (pass_on(a, env, c) == E_UNSUPPORTED)
            write_summary(a);
        break;
    case NET_COMMAND_SITES:
        /* Not in the engine, which is called with the lock held. */
        if (c->flags & ENGINE_GC_FIRST)
            (*a->jvmti)->ForceGarbageCollection(a->jvmti);
        pass_on(a, env, c);
        break;
    default:
        pass_on(a, env, c);
        break;
    }
}

static void tell_unknown(const struct net_command *c, enum net_command_result result)
{
    if (told_unknown)
        return;
    told_unknown = 1;
    log_note(
        "a command of the peer was passed over: %s %d%s; more of them are passed over silently",
        c->tag == NET_COMMAND_CONTROL && c->op ? "control" : "tag",
        c->tag == NET_COMMAND_CONTROL && c->op ? c->op : c->tag,
        result == NET_COMMAND_SHORT ? " is too short" : " is not known");
}

static void act(struct agent *a, JNIEnv *env, const struct net_command *c,
                enum net_command_result result)
{
    switch (result) {
    case NET_COMMAND_WHOLE:
        if ((*env)->PushLocalFrame(env, LOCAL_REFERENCES) == JNI_OK) {
            obey(a, env, c);
            (*env)->PopLocalFrame(env, NULL);
        }
        break;
    case NET_COMMAND_UNKNOWN:
    case NET_COMMAND_SHORT:
        tell_unknown(c, result);
        break;
    case NET_COMMAND_GARBAGE:
        log_note("what the peer sends are no commands: it is not listened to any more");
        break;
    default:
        break;
    }
}

/* Also behind the last command bytes are read, and passed over: to close with unread bytes would
 * reset the connection, and the peer would lose the end of the profile. */
static void JNICALL listen_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct agent *a = argument;
    struct net_command_reader reader = {.used = 0};
    unsigned char bytes[4096];
    jthread self = NULL;
    size_t len;

    exempt_begin();
    if ((*jvmti)->GetCurrentThread(jvmti, &self) == JVMTI_ERROR_NONE) {
        agent_lock(a);
        threads_enter_agent(a, self);
        agent_unlock(a);
    }
    while ((len = net_receive(recording->output.net, bytes, sizeof(bytes))) > 0) {
        for (size_t at = 0; at < len;) {
            struct net_command command;
            enum net_command_result result;

            at += net_command_read(&reader, bytes + at, len - at, &command, &result);
            act(a, env, &command, result);
        }
    }
    exempt_end();
    net_receive_done(recording->output.net);
    bell_ring(&ended);
}

int net_listen_start(struct agent *a, JNIEnv *env, struct recording *r)
{
    int error;

    recording = r;
    told = 0;
    told_unknown = 0;
    error = agent_run_thread(a, env, "HPROF listener thread", listen_loop, a);
    if (error) {
        net_receive_done(recording->output.net);
        recording = NULL;
    }
    return error;
}

int net_listen_end(void)
{
    int has_ended = !recording || bell_wait(&ended, END_WAIT_MS);

    if (has_ended)
        recording = NULL;
    return has_ended ? 0 : -ETIMEDOUT;
}
