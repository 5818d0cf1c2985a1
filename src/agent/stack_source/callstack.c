/*
 * callstack.c - see callstack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/stack_source/callstack.h"
#include <string.h>
#include "agent/agent.h"
#include "agent/names/frame_room.h"
#include "agent/recording/recording.h"
#include "agent/stack_source/vm_walk.h"
#include "safe/hs_cursor.h"
#include "safe/walk_vm.h"
#include "vm/vm_threads.h"

static struct {
    uint32_t users;
    _Atomic bool can_walk;
    intptr_t env_in_thread; /* offset of the JNIEnv in a JavaThread */
    const char *why_not;    /* why the walker does not work */
} calls;

void callstack_open(struct agent *a)
{
    if (calls.users++ > 0)
        return;
    calls.why_not = "";
    calls.env_in_thread = vm_threads_env_offset();
    if (!calls.env_in_thread)
        calls.why_not = "where a JNIEnv lies in its JavaThread";
    else
        calls.can_walk = vm_walk_open(a, NULL, &calls.why_not) == 0;
}

void callstack_close(void)
{
    if (calls.users == 0 || --calls.users > 0)
        return;
    if (calls.can_walk)
        vm_walk_close(NULL);
    calls.can_walk = false;
}

/*
 * Whether callers of the frame are missing: they are in the stack chunks of a virtual thread, which
 * could not be read at that moment.
 */
static bool lacks_callers(const struct walk_frame *f)
{
    bool is_java = f->kind < WALK_KIND_STUB;
    return is_java && f->flags & HS_FRAME_FROZEN;
}

/* Walk the stack that `s->request` names. Returns what the walker returns. */
static int walk(uint32_t depth, struct callstack *s)
{
    s->is_truncated = false;
    int count = walk_vm.walk(&s->request, s->frames, depth, &s->is_truncated);
    s->is_walked = true;
    s->names = walk_vm.names;
    s->count = count > 0 ? (uint32_t)count : 0;
    return count;
}

/* Walk the calling thread. 0; -1: the walk failed or lacks callers, so the VM has to be asked. */
static int walk_own(JNIEnv *env, uint32_t depth, struct callstack *s)
{
    s->request =
        (struct walk_request){.jni_env = env,
                              .java_thread = (uint64_t)((intptr_t)env - calls.env_in_thread),
                              .above = 1}; /* the calling code may be in a tracker */
    walk(depth, s);
    for (uint32_t i = 0; i < s->count; i++)
        if (lacks_callers(&s->frames[i]))
            return -1;
    return s->count > 0 ? 0 : -1;
}

static int ask(const struct agent *a, jthread thread, int depth, struct callstack *s)
{
    const jint room = sizeof(s->frames) / sizeof(s->frames[0]);
    struct traces_stack asked;
    s->names = WALK_NAMES_JMETHODID;
    s->is_truncated = false;
    s->count = 0;
    if (traces_take(a, thread, 0, depth, &asked) != 0)
        return -1;
    s->is_truncated = asked.is_cut || asked.count > room;
    for (jint i = 0; i < asked.count && i < room; i++)
        s->frames[s->count++] = (struct walk_frame){
            .method = (uint64_t)(uintptr_t)asked.frames[i].method,
            .bci = asked.frames[i].location < 0 ? -1 : (int32_t)asked.frames[i].location};
    return 0;
}

int callstack_take(const struct agent *a, JNIEnv *env, int depth, struct callstack *ret)
{
    int most = depth < TRACES_DEPTH_MAX ? depth : TRACES_DEPTH_MAX;
    ret->is_walked = false;
    ret->request.kept = NULL;
    if (calls.can_walk && walk_own(env, (uint32_t)most + OWN_CLASS_FRAMES, ret) == 0)
        return 0;
    return ask(a, NULL, most, ret);
}

int callstack_ask(const struct agent *a, jthread thread, int depth, struct callstack *ret)
{
    ret->is_walked = false;
    ret->request.kept = NULL;
    return ask(a, thread, depth, ret);
}

int callstack_take_other(uint64_t java_thread, int depth, struct callstack *ret)
{
    int most = depth < TRACES_DEPTH_MAX ? depth : TRACES_DEPTH_MAX;
    ret->request = (struct walk_request){.java_thread = java_thread, .is_other = true, .above = 1};
    int result = walk((uint32_t)most + OWN_CLASS_FRAMES, ret);
    return result < 0 ? result : 0;
}

void callstack_copy(const struct walk_frame *frames, uint32_t count, bool is_truncated,
                    struct callstack *ret)
{
    ret->request.kept = NULL;
    ret->is_walked = false;
    ret->names = walk_vm.names;
    ret->is_truncated = is_truncated;
    ret->count = count;
    memcpy(ret->frames, frames, count * sizeof(frames[0]));
}

bool callstack_can_walk(const char **ret_why_not)
{
    *ret_why_not = calls.why_not;
    return calls.can_walk;
}

void callstack_name(struct agent *a, struct callstack *s, uint32_t own)
{
    uint32_t depth = 0;
    s->is_lost = false;
    for (uint32_t i = 0; i < s->count; i++) {
        struct frame_found found = frame_room_find(a, s->names, &s->frames[i]);
        s->is_lost |= found.is_lost;
        if (!found.frame)
            found.frame = frame_room_unknown(a);
        if (found.is_own || s->frames[i].flags & WALK_FRAME_OWN)
            depth = 0;
        else if (found.frame)
            s->named[depth++] = found.frame;
    }
    if (own > depth)
        own = depth;
    s->count = depth - own;
    memmove(s->named, s->named + own, s->count * sizeof(s->named[0]));
}

trace_id callstack_trace(struct agent *a, const struct recording *r, const struct callstack *s,
                         thread_id thread, bool *ret_is_cut)
{
    frame_id plain[TRACES_DEPTH_MAX + OWN_CLASS_FRAMES];
    uint32_t most = (uint32_t)r->options.depth, depth = s->count < most ? s->count : most;
    const frame_id *frames = s->named;
    if (!recording_can(r, WRITER_TIERS)) {
        for (uint32_t i = 0; i < depth; i++)
            plain[i] = frame_room_plain(a, s->named[i]);
        frames = plain;
    }
    *ret_is_cut = s->is_truncated || s->count > depth;
    return profile_trace(a->profile, r->options.thread ? thread : 0, frames, depth);
}

void callstack_leave(struct callstack *s)
{
    if (s->is_walked)
        walk_vm.leave(&s->request);
}
