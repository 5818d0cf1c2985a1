/*
 * net_listen.c - see net_listen.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/net/net_listen.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
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
#include "format/hprof_sites.h"
#include "format/net_command.h"
#include "options/options_group.h"
#include "safe/bell.h"
#include "vm/vm_lookup.h"

enum {
    LOCAL_REFERENCES = 64,
    NEEDED_TEXT = 128,
    CONTROL_BIT = 16, /* of `told`: of control 0 */
};

enum { END_WAIT_MS = 2000 };

static struct recording *recording; /* NULL: nobody listens, and nothing is to be waited for */
static struct bell ended;
static uint64_t told; /* commands that nobody could answer: saying it once is enough */
static int told_unknown;

/* "heap=sites or cpu=samples": what asks for the engines that answer the command. */
static const char *needed_for(const struct net_command *c, char text[NEEDED_TEXT])
{
    size_t n = 0;

    text[0] = '\0';
    for (int i = 0; engine_all[i]; i++) {
        const char *asked_by = engine_all[i]->options->asked_by;

        if (engine_command_of(engine_all[i], c) && !strstr(text, asked_by) && n < NEEDED_TEXT)
            n += (size_t)snprintf(text + n, NEEDED_TEXT - n, "%s%s", n ? " or " : "", asked_by);
    }
    return text;
}

static const char *name_of(const struct net_command *c)
{
    const struct engine_command *command = NULL;

    for (int i = 0; engine_all[i] && !command; i++)
        command = engine_command_of(engine_all[i], c);
    return command ? command->name : NULL;
}

/* Nobody could answer the command. */
static void tell_needed(const struct agent *a, const struct net_command *c)
{
    unsigned bit = c->tag == NET_COMMAND_CONTROL ? CONTROL_BIT + c->op : c->tag;
    const char *name = name_of(c);
    char needed[NEEDED_TEXT];

    if (!name || a->dying || told >> bit & 1)
        return;
    told |= (uint64_t)1 << bit;
    log_note("the command \"%s\" was passed over: it needs %s in the options", name,
             needed_for(c, needed));
}

static void pass_on(struct agent *a, const struct net_command *c)
{
    if (agent_dump_request(a, recording, c) == E_UNSUPPORTED)
        tell_needed(a, c);
}

/* No engine counts objects: what is there is known all the same, what was allocated is not. */
static void write_summary(struct agent *a)
{
    uint64_t total[EVENT_VALUES] = {0};

    if (net_summary_count(a, total) != 0) {
        log_error("no heap summary: this JVM does not let its heap be walked");
        return;
    }
    if (agent_dump_begin_of(a, recording)) {
        output_catch_up(&recording->output);
        recording->output.out.ops->heap_summary(&recording->output.out, total);
        output_flush(&recording->output);
    }
    agent_dump_end(a);
}

static void write_traces(struct agent *a)
{
    if (agent_dump_begin_of(a, recording)) {
        output_catch_up(&recording->output);
        recording->output.out.ops->traces(&recording->output.out);
        output_flush(&recording->output);
    }
    agent_dump_end(a);
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
        (*a->vm.main)->ForceGarbageCollection(a->vm.main);
        break;
    case NET_COMMAND_EXIT:
        exit_vm(a, env);
        break;
    case NET_COMMAND_TRACES:
        write_traces(a);
        break;
    case NET_COMMAND_HEAP_SUMMARY:
        if (agent_dump_request(a, recording, c) == E_UNSUPPORTED)
            write_summary(a);
        break;
    case NET_COMMAND_SITES:
        /* Not in the engine, which is called with the lock held. */
        if (c->flags & HPROF_SITES_COLLECTED)
            (*a->vm.main)->ForceGarbageCollection(a->vm.main);
        pass_on(a, c);
        break;
    default:
        pass_on(a, c);
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
