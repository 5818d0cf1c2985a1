/*
 * times_repair.c - see times_repair.h.
 *
 * A method of the tree and a method of the stack are the same if class, name and descriptor are the
 * same. A hash of these three texts is kept for each method: by number, and by jmethodID in a table
 * in which a new entry replaces an older one at its place.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_repair.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "agent/names/methods.h"
#include "agent/times/times_tree.h"
#include "base/fnv.h"
#include "base/lock.h"
#include "base/pages.h"
#include "vm/vm_names.h"

enum {
    FRAMES_MAX = 512,
    KNOWN = 65536,  /* room for jmethodIDs, a power of two */
    OWN_FRAMES = 4, /* frames of the tracker, further in than the entered method */
    DEEP = 64,      /* count of open calls that is a deep stack */
};

struct known {
    jmethodID method;
    uint64_t name;
};

static struct {
    jvmtiEnv *jvmti; /* NULL: off */
    struct lock lock;
    struct known *known;
    _Atomic uint64_t *names; /* hashes by number; 0: not asked yet */
} repair = {.lock = LOCK_INIT(REPAIR)};

int times_repair_start(jvmtiEnv *jvmti)
{
    if (!repair.known)
        repair.known = pages_map(KNOWN * sizeof(*repair.known));
    if (!repair.names)
        repair.names = pages_map(METHODS_MAX * sizeof(*repair.names));
    if (!repair.known || !repair.names)
        return -ENOMEM;
    repair.jvmti = jvmti;
    return 0;
}

/* The NUL is hashed too, so that two texts cannot run together. */
static uint64_t add_text(uint64_t hash, const char *text, size_t len)
{
    return fnv_add(fnv_add(hash, text, len), "", 1);
}

static uint64_t name_of(const char *klass, size_t klass_len, const char *name, const char *desc)
{
    uint64_t hash = add_text(FNV_START, klass, klass_len);
    return add_text(add_text(hash, name, strlen(name)), desc, strlen(desc)) | 1;
}

static uint64_t name_of_id(int32_t id)
{
    uint64_t name = id < 0 ? 0 : atomic_load_explicit(&repair.names[id], memory_order_relaxed);
    if (id >= 0 && !name) {
        struct methods_names n = methods_names((uint32_t)id);
        name = name_of(n.class_name, strlen(n.class_name), n.name, n.desc);
        atomic_store_explicit(&repair.names[id], name, memory_order_relaxed);
    }
    return name;
}

/* The hash of a method's texts; 0 if the VM does not give them. */
static uint64_t ask_name(JNIEnv *env, jmethodID method)
{
    struct vm_names_method m;
    uint64_t hash = 0;
    size_t len;
    if (!vm_names_method(repair.jvmti, env, method, &m))
        return 0;
    const char *klass = vm_names_class(m.signature, &len);

    if (len > 0)
        hash = name_of(klass, len, m.name, m.desc);
    vm_names_done(repair.jvmti, env, &m);
    return hash;
}

static uint64_t name_of_method(JNIEnv *env, jmethodID method)
{
    struct known *at = &repair.known[((uintptr_t)method >> 3) % KNOWN];
    uint64_t name;
    lock_take(&repair.lock);
    name = at->method == method ? at->name : 0;
    lock_give(&repair.lock);
    if (!name) {
        name = ask_name(env, method);
        lock_take(&repair.lock);
        *at = (struct known){method, name};
        lock_give(&repair.lock);
    }
    return name;
}

/* The index of the first frame after those of the tracker and of the entered method. */
static jint first_frame(JNIEnv *env, const jvmtiFrameInfo *frames, jint count, int32_t id)
{
    for (jint i = 0; i < count && i <= OWN_FRAMES; i++)
        if (name_of_method(env, frames[i].method) == name_of_id(id))
            return i + 1;
    return 0;
}

/*
 * How many of the open calls, from the outermost on, have a frame, each one further in than the one
 * before.
 */
static uint32_t still_open(JNIEnv *env, const jvmtiFrameInfo *frames, jint first, jint count,
                           const int32_t *open, uint32_t depth)
{
    uint32_t found = 0;
    for (jint i = count - 1; i >= first && found < depth; i--)
        found += name_of_method(env, frames[i].method) == name_of_id(open[found]);
    return found;
}

/*
 * Whether the open call that began a new path last calls this method itself. Then no ended call was
 * left open in between, so a recursion does not have to look at its whole stack at each level.
 * Three conditions must hold. The call is the innermost open one. The frame next to that of the
 * entered method belongs to its method. The thread's stack has grown since the call began, because
 * an earlier call of the same method further out, which has returned, used less of the stack. Calls
 * that were inlined into one frame have the same stack pointer; that is good enough in a deep
 * recursion.
 */
static bool is_called_by_last(JNIEnv *env, const struct times_block *b, int32_t id, uintptr_t sp)
{
    jvmtiFrameInfo frames[OWN_FRAMES + 2];
    jint count = 0, caller;
    if (b->seen.call != b->top || b->seen.entered != b->top->entered || sp > b->seen.sp ||
        (sp == b->seen.sp && b->top - b->stack < DEEP) ||
        (*repair.jvmti)->GetStackTrace(repair.jvmti, NULL, 0, OWN_FRAMES + 2, frames, &count) !=
            JVMTI_ERROR_NONE)
        return false;
    caller = first_frame(env, frames, count, id);
    return caller > 0 && caller < count &&
           name_of_method(env, frames[caller].method) == name_of_id(b->top->node->id);
}

/*
 * If the stack is too deep to be looked at, no more calls stay open than it has frames. Frames are
 * counted again only when the open calls have grown by an eighth, because counting looks at each
 * frame.
 */
static void cut_to_frames(struct times_block *b, uint32_t depth, int64_t now)
{
    jint count = 0;
    if (depth <= b->seen.frames + b->seen.frames / 8 ||
        (*repair.jvmti)->GetFrameCount(repair.jvmti, NULL, &count) != JVMTI_ERROR_NONE)
        return;
    b->seen.frames = (uint32_t)count;
    if (depth > (uint32_t)count)
        times_tree_cut(b, depth - (uint32_t)count, now);
}

void times_repair_entered(struct times_block *b, uintptr_t sp)
{
    b->seen.call = b->top;
    b->seen.entered = b->top->entered;
    b->seen.sp = sp;
}

void times_repair(JNIEnv *env, struct times_block *b, int32_t id, uintptr_t sp, int64_t now)
{
    jvmtiFrameInfo frames[FRAMES_MAX];
    int32_t open[FRAMES_MAX];
    uint32_t depth, found;
    jint count = 0;
    if (!repair.jvmti || id < 0 || b->top == b->stack || is_called_by_last(env, b, id, sp) ||
        (*repair.jvmti)->GetStackTrace(repair.jvmti, NULL, 0, FRAMES_MAX, frames, &count) !=
            JVMTI_ERROR_NONE)
        return;
    depth = times_tree_open(b, open, FRAMES_MAX);
    if (count == FRAMES_MAX) {
        cut_to_frames(b, depth, now);
        return;
    }
    found = still_open(env, frames, first_frame(env, frames, count, id), count, open,
                       depth < FRAMES_MAX ? depth : FRAMES_MAX);
    if (found < depth)
        times_tree_cut(b, depth - found, now);
}
