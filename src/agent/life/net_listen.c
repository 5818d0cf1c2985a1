/*
 * net_listen.c - see net_listen.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/net_listen.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/engine/crew.h"
#include "agent/engine/crew_dump.h"
#include "agent/engine/engine.h"
#include "agent/life/admit.h"
#include "agent/log.h"
#include "agent/names/threads.h"
#include "agent/output/net.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "format/net_command.h"
#include "format/writer_sites.h"
#include "options/options_group.h"
#include "safe/bell.h"
#include "vm/vm_env.h"
#include "vm/vm_heap.h"
#include "vm/vm_lookup.h"
#include "vm/vm_pause.h"

enum {
    LOCAL_REFERENCES = 64,
    NEEDED_TEXT = 128,
    CONTROL_BIT = 16, /* bit of control 0 in `told` */
};

enum { END_WAIT_MS = 2000 };

/* Listens to the peer of one recording. */
struct listener {
    struct listener *next;
    struct agent *agent;
    struct recording *recording;
    struct bell ended;
    /* a bit for each command that no engine could answer, so that one message is enough */
    uint64_t told;
    bool told_unknown;
};

/* listeners whose end was not awaited yet; needs the lock of life */
static struct listener *listeners;

/*
 * The options that ask for the engines that answer the command, for example "heap=sites or
 * cpu=samples".
 */
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

/* No engine could answer the command: say once which options it needs. */
static void tell_needed(struct listener *l, const struct net_command *c)
{
    unsigned bit = c->tag == NET_COMMAND_CONTROL ? CONTROL_BIT + c->op : c->tag;
    const char *name = name_of(c);
    char needed[NEEDED_TEXT];
    if (!name || l->agent->dying || l->told >> bit & 1)
        return;
    l->told |= (uint64_t)1 << bit;
    log_note("the command \"%s\" was passed over: it needs %s in the options", name,
             needed_for(c, needed));
}

static int pass_on(struct listener *l, const struct net_command *c)
{
    int error = crew_dump_request(l->agent, l->recording, c);
    if (error == E_UNSUPPORTED)
        tell_needed(l, c);
    return error;
}

/*
 * Take the lock of life, unless the recording ends: the thread that ends it has this lock, and
 * waits for the listener. Returns whether the lock was taken.
 */
static bool take_life(struct listener *l)
{
    enum { WAIT_US = 5000 };
    while (!agent_life_try_lock(l->agent)) {
        bool is_ending;
        agent_lock(l->agent);
        is_ending = recording_is_ending(l->recording) || l->agent->dying;
        agent_unlock(l->agent);
        if (is_ending)
            return false;
        usleep(WAIT_US);
    }
    return true;
}

/*
 * An engine can take stacks of that depth: from now on this recording has it. Stacks are taken as
 * deep as the deepest running recording wants.
 */
static void change_depth(struct listener *l, int depth)
{
    struct agent *a = l->agent;
    struct recording *r = l->recording;
    int before = r->options.depth;
    if (!take_life(l))
        return;
    if (crew_dump_begin_of(a, r)) {
        r->options.depth = depth;
        admit_fold(a);
        if (crew_retune(a) != 0) { /* a message has said why */
            r->options.depth = before;
            admit_fold(a);
        }
    }
    crew_dump_end(a);
    agent_life_unlock(a);
}

/* Runs in a pause of the VM: no JVM TI, no malloc. */
static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length, void *user)
{
    uint64_t *total = user;
    if (vm_heap_is_flat(tag))
        return JVMTI_VISIT_OBJECTS;
    total[WRITER_SITES_LIVE_OBJECTS]++;
    total[WRITER_SITES_LIVE_BYTES] += (uint64_t)size;
    return JVMTI_VISIT_OBJECTS;
}

/*
 * Count the objects in the heap and their bytes as live, also unreachable objects that a collection
 * would free. The counts of allocated objects stay 0. Errors: 0, or E_UNSUPPORTED.
 */
static int count_objects(struct agent *a, uint64_t ret_total[KIND_VALUES])
{
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
    jvmtiEnv *jvmti = NULL;
    jvmtiError error;
    if (vm_env_open(&a->vm, VM_ENV_SET(VM_CAN_TAG_OBJECTS), &jvmti, NULL) != 0)
        return E_UNSUPPORTED;
    error = vm_heap_iterate(jvmti, 0, &callbacks, ret_total);
    vm_env_close(jvmti);
    return error == JVMTI_ERROR_NONE ? 0 : E_UNSUPPORTED;
}

/*
 * No engine counts objects: the live objects can be counted anyway, the allocated ones are unknown.
 */
static void write_summary(const struct listener *l)
{
    struct agent *a = l->agent;
    struct recording *recording = l->recording;
    uint64_t total[KIND_VALUES] = {0};
    if (count_objects(a, total) != 0) {
        log_error("no heap summary: this JVM does not let its heap be walked");
        return;
    }
    if (crew_dump_begin_of(a, recording)) {
        recording_catch_up(recording);
        recording_summary(recording, total);
        output_flush(&recording->output);
    }
    crew_dump_end(a);
}

static void write_traces(const struct listener *l)
{
    struct agent *a = l->agent;
    struct recording *recording = l->recording;
    if (crew_dump_begin_of(a, recording)) {
        recording_catch_up(recording);
        recording_traces(recording);
        output_flush(&recording->output);
    }
    crew_dump_end(a);
}

/*
 * End the VM as if the program had called System.exit: shutdown hooks run, then VM_DEATH writes and
 * closes.
 */
static void exit_vm(const struct listener *listener, JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass klass = vm_lookup_class(&l, "java/lang/System");
    jmethodID method = vm_lookup_static_method(&l, klass, "exit", "(I)V");
    log_note("received exit event, exiting ...");
    if (!listener->recording->options.doe)
        crew_dump(listener->agent, listener->recording);
    vm_lookup_call_static(&l, klass, method, (jint)0);
    if (!vm_lookup_end(&l))
        log_error("the program's security manager forbids System.exit: the program goes on");
}

static void obey(struct listener *l, JNIEnv *env, const struct net_command *c)
{
    jvmtiEnv *jvmti = l->agent->vm.main;
    switch (c->tag) {
    case NET_COMMAND_GC:
        vm_pause_collect(jvmti);
        break;
    case NET_COMMAND_EXIT:
        exit_vm(l, env);
        break;
    case NET_COMMAND_TRACES:
        write_traces(l);
        break;
    case NET_COMMAND_HEAP_SUMMARY:
        if (crew_dump_request(l->agent, l->recording, c) == E_UNSUPPORTED)
            write_summary(l);
        break;
    case NET_COMMAND_SITES:
        /* The GC is forced here and not in the engine, which is called with the lock held. */
        if (c->flags & WRITER_SITES_COLLECTED)
            vm_pause_collect(jvmti);
        pass_on(l, c);
        break;
    case NET_COMMAND_CONTROL:
        if (pass_on(l, c) == 0 && c->op == NET_COMMAND_SET_DEPTH)
            change_depth(l, c->depth);
        break;
    default:
        pass_on(l, c);
        break;
    }
}

static void tell_unknown(struct listener *l, const struct net_command *c,
                         enum net_command_result result)
{
    if (l->told_unknown)
        return;
    l->told_unknown = true;
    log_note(
        "a command of the peer was passed over: %s %d%s; more of them are passed over silently",
        c->tag == NET_COMMAND_CONTROL && c->op ? "control" : "tag",
        c->tag == NET_COMMAND_CONTROL && c->op ? c->op : c->tag,
        result == NET_COMMAND_SHORT ? " is too short" : " is not known");
}

static void act(struct listener *l, JNIEnv *env, const struct net_command *c,
                enum net_command_result result)
{
    switch (result) {
    case NET_COMMAND_WHOLE:
        if ((*env)->PushLocalFrame(env, LOCAL_REFERENCES) == JNI_OK) {
            obey(l, env, c);
            (*env)->PopLocalFrame(env, NULL);
        }
        break;
    case NET_COMMAND_UNKNOWN:
    case NET_COMMAND_SHORT:
        tell_unknown(l, c, result);
        break;
    case NET_COMMAND_GARBAGE:
        log_note("what the peer sends are no commands: it is not listened to any more");
        break;
    default:
        break;
    }
}

/*
 * Bytes after the last command are read too, and ignored. If the connection were closed with unread
 * bytes, it would be reset, and the peer would lose the end of the profile.
 */
static void JNICALL listen_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct listener *l = argument;
    struct net *net = l->recording->output.net;
    struct net_command_reader reader = {.used = 0};
    unsigned char bytes[4096];
    size_t len;
    agent_exempt_begin();
    threads_begin_agent(l->agent, env);
    while ((len = net_receive(net, bytes, sizeof(bytes))) > 0) {
        for (size_t at = 0; at < len;) {
            struct net_command command;
            enum net_command_result result;
            at += net_command_read(&reader, bytes + at, len - at, &command, &result);
            act(l, env, &command, result);
        }
    }
    agent_exempt_end();
    net_receive_done(net);
    bell_ring(&l->ended);
}

int net_listen_start(struct agent *a, JNIEnv *env, struct recording *r)
{
    struct listener *l = calloc(1, sizeof(*l));
    int error = -ENOMEM;
    if (l) {
        *l = (struct listener){.next = listeners, .agent = a, .recording = r};
        error = agent_run_thread(a, env, "HPROF listener thread", listen_loop, l);
    }
    if (error) {
        net_receive_done(r->output.net);
        free(l);
        return error;
    }
    listeners = l;
    return 0;
}

int net_listen_end(const struct recording *r)
{
    int error = 0;
    for (struct listener **at = &listeners, *l; (l = *at) != NULL;) {
        if (r && l->recording != r) {
            at = &l->next;
        } else if (bell_wait(&l->ended, END_WAIT_MS)) {
            *at = l->next;
            free(l);
        } else {
            error = -ETIMEDOUT;
            at = &l->next;
        }
    }
    return error;
}
