/*
 * java_locks.c - see java_locks.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_locks.h"
#include <stdlib.h>
#include <string.h>
#include "hotspot/java_chunk_facts.h"
#include "hotspot/java_methods.h"
#include "hotspot/java_threads.h"
#include "hotspot/lock_debug.h"
#include "hotspot/oops.h"
#include "hotspot/stopped_stack.h"
#include "hotspot/target.h"
#include "safe/hs_layout.h"

enum {
    MONITORS_MAX = 10000000,
    FRAME_LOCKS_MAX = 256,
    LOCK_STACK_MAX = 64,
    /* ObjectMonitor::_owner of a lightweight lock that another thread inflated */
    ANONYMOUS_OWNER = 1,
};

/* ---- virtual threads that are not mounted */

/* Since JDK 24 (JEP 491) a virtual thread is unmounted while it is blocked at a monitor, waits in
 * Object.wait(), or holds monitors. A field that the VM adds to java.lang.VirtualThread names the
 * monitor that the thread waits for. Monitors that the thread holds, and that no other thread has
 * asked for, lie in front of its frames in the heap. Monitors that other threads have asked for are
 * in the VM's list, with the id of the holder.
 * Source: HotSpot javaClasses.hpp (java_lang_VirtualThread), objectMonitor.hpp (ObjectWaiter),
 * stackChunkOop.hpp, lockStack.hpp; JDK 24 to 26 agree. */

/* Offsets in an ObjectWaiter. No table of the VM has them; therefore a waiter counts only if it
 * names the thread that led to it. */
enum { WAITER_VIRTUAL_THREAD = 24, WAITER_MONITOR = 32 };

/* CHUNK_IS_OBJECT is stackChunkOopDesc::FLAG_GC_MODE: the references in the chunk have the form of
 * those in other objects (ZGC). CHUNK_IS_COMPRESSED is FLAG_HAS_BITMAP: they are compressed.
 * Without these flags they have the form of references on a stack. */
enum { CHUNK_IS_OBJECT = 1 << 3, CHUNK_IS_COMPRESSED = 1 << 4 };

/* The offset that the VM keeps in a variable; -1: the VM has no such variable. */
static int32_t offset_kept_at(const struct target *t, uint64_t variable)
{
    int32_t offset = variable != 0 ? (int32_t)target_u4(t, variable) : -1;
    return offset > 0 ? offset : -1;
}

/* The ObjectMonitor at which an unmounted virtual thread (java.lang.VirtualThread) is blocked, or
 * for which it waits. 0: none, or not known. */
static uint64_t virtual_awaited(struct oops *o, uint64_t thread)
{
    const struct target *t = o->target;
    int32_t waiter_at = offset_kept_at(t, t->layout->virtual_waiter_at);
    uint64_t waiter = waiter_at < 0 ? 0 : target_u8(t, thread + (uint64_t)waiter_at);
    if (waiter == 0)
        return 0;
    /* Compare ids, not addresses: while a collector moves the thread, it has two addresses. */
    uint64_t named = oops_of_handle(o, waiter + WAITER_VIRTUAL_THREAD);
    uint64_t id = oops_get_number(o, thread, "tid", 8);
    if (named == 0 || oops_klass(o, named) != oops_klass(o, thread) ||
        oops_get_number(o, named, "tid", 8) != id)
        return 0;
    return target_u8(t, waiter + WAITER_MONITOR);
}

static uint64_t reference_at(const struct oops *o, uint8_t chunk_flags, uint64_t at)
{
    if ((chunk_flags & CHUNK_IS_COMPRESSED) != 0 && o->refs.is_compressed)
        return oops_of_narrow(o, target_u4(o->target, at));
    uint64_t word = target_u8(o->target, at);
    return (chunk_flags & CHUNK_IS_OBJECT) != 0 ? oops_of_word(o, word)
                                                : oops_of_lock_word(o, word);
}

/* Read the objects on the lock stack of such a thread, at most `max`. Returns their number. */
static uint32_t virtual_held(struct oops *o, uint64_t thread, uint64_t *objects, uint32_t max)
{
    const struct target *t = o->target;
    int32_t count_at = offset_kept_at(t, t->layout->chunk_lock_count_at);
    int32_t flags_at = offset_kept_at(t, t->layout->chunk_flags_at);
    uint64_t chunk = oops_get_object(o, oops_get_object(o, thread, "cont"), "tail");
    struct hs_chunk_facts facts;
    uint8_t count = 0, flags = 0;
    uint32_t found = 0;
    if (count_at < 0 || flags_at < 0 || chunk == 0 ||
        mem_read(t->mem, chunk + (uint64_t)count_at, &count, 1) < 0 || count == 0 ||
        mem_read(t->mem, chunk + (uint64_t)flags_at, &flags, 1) < 0 ||
        !java_chunk_facts_of(o, oops_klass(o, chunk), &facts))
        return 0;
    for (uint32_t i = 0; i < count && found < max; i++) {
        uint64_t at = chunk + (uint64_t)facts.header + (uint64_t)i * 8;
        uint64_t object = reference_at(o, flags, at);
        if (object != 0)
            objects[found++] = object;
    }
    return found;
}

/* ---- rows */

void java_locks_done(struct java_locks *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        free(l->rows[i].class_name);
    for (uint32_t i = 0; i < l->deadlock_count; i++)
        free(l->deadlocks[i].locks);
    free(l->deadlocks);
    free(l->stacked);
    free(l->first);
    free(l->last);
    free(l->rows);
    *l = (struct java_locks){.oops = l->oops, .threads = l->threads};
}

static struct java_lock *add(struct java_locks *l, uint64_t object, uint32_t thread, int32_t frame,
                             enum java_lock_kind kind)
{
    char name[1024];
    if (!l->first || !l->last)
        return NULL;
    if (l->count % 64 == 0) {
        struct java_lock *rows = reallocarray(l->rows, l->count + 64, sizeof(*rows));
        if (!rows) {
            l->out_of_memory = true;
            return NULL;
        }
        l->rows = rows;
    }
    int32_t row = (int32_t)l->count++;
    struct java_lock *lock = &l->rows[row];
    *lock = (struct java_lock){object, thread, frame, (uint8_t)kind, -1, -1, NULL};
    if (l->last[thread] >= 0)
        l->rows[l->last[thread]].next = row;
    else
        l->first[thread] = row;
    l->last[thread] = row;
    if (oops_klass_name(l->oops, oops_klass(l->oops, object), name, sizeof(name)) > 0) {
        java_methods_external_name(name);
        lock->class_name = strdup(name);
    }
    return lock;
}

/* The first thread that has an object on its lock stack. */
struct java_locks_slot {
    uint64_t object; /* 0: the slot is free */
    uint32_t thread;
};

static struct java_locks_slot *slot_of(const struct java_locks *l, uint64_t object)
{
    uint32_t mask = l->stacked_slots - 1;
    uint32_t i = (uint32_t)((object * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (l->stacked[i].object != 0 && l->stacked[i].object != object)
        i = (i + 1) & mask;
    return &l->stacked[i];
}

static bool grow_stacked(struct java_locks *l)
{
    struct java_locks old = *l;
    uint32_t slots = old.stacked_slots == 0 ? 256 : old.stacked_slots * 2;
    struct java_locks_slot *grown = calloc(slots, sizeof(*grown));
    if (!grown) {
        l->out_of_memory = true;
        return false;
    }
    l->stacked = grown;
    l->stacked_slots = slots;
    for (uint32_t i = 0; i < old.stacked_slots; i++) {
        if (old.stacked[i].object != 0)
            *slot_of(l, old.stacked[i].object) = old.stacked[i];
    }
    free(old.stacked);
    return true;
}

static void note_stacked(struct java_locks *l, uint64_t object, uint32_t thread)
{
    if (object == 0 || (l->stacked_count * 2 >= l->stacked_slots && !grow_stacked(l)))
        return;
    struct java_locks_slot *slot = slot_of(l, object);
    if (slot->object != 0)
        return;
    *slot = (struct java_locks_slot){object, thread};
    l->stacked_count++;
}

/* Add the locks that an unmounted virtual thread holds. */
static void add_lock_stack(struct java_locks *l, uint32_t thread)
{
    uint64_t objects[LOCK_STACK_MAX];
    uint32_t n = virtual_held(l->oops, l->threads->rows[thread].object, objects, LOCK_STACK_MAX);
    for (uint32_t i = 0; i < n; i++) {
        if (oops_klass(l->oops, objects[i]) == 0)
            continue;
        add(l, objects[i], thread, -1, JAVA_LOCK_HELD);
        note_stacked(l, objects[i], thread);
    }
}

static int read_lock_stack(const struct java_locks *l, uint32_t thread, uint64_t *objects);

void java_locks_init(struct java_locks *l, struct oops *o, const struct java_threads *threads)
{
    size_t count = (size_t)threads->count + 1;
    *l = (struct java_locks){.oops = o, .threads = threads};
    l->first = malloc(count * sizeof(*l->first));
    l->last = malloc(count * sizeof(*l->last));
    l->out_of_memory = !l->first || !l->last;
    for (size_t i = 0; i < count && !l->out_of_memory; i++)
        l->first[i] = l->last[i] = -1;
    /* The lock stacks are read first: they are needed if a monitor does not name its holder. */
    for (uint32_t i = 0; i < threads->platform_count; i++) {
        uint64_t objects[LOCK_STACK_MAX];
        int n = read_lock_stack(l, i, objects);
        for (int k = 0; k < n; k++)
            note_stacked(l, objects[k], i);
    }
    for (uint32_t i = threads->platform_count; i < threads->count; i++)
        add_lock_stack(l, i);
}

const char *java_locks_word(unsigned kind)
{
    static const char *const words[] = {
        [JAVA_LOCK_HELD] = "held",         [JAVA_LOCK_RELOCK] = "relock",
        [JAVA_LOCK_ENTERING] = "entering", [JAVA_LOCK_WAITING] = "waiting",
        [JAVA_LOCK_PARKED] = "parked",
    };
    return words[kind];
}

int32_t java_locks_first(const struct java_locks *l, uint32_t thread)
{
    return !l->first || thread >= l->threads->count ? -1 : l->first[thread];
}

/* Whether the thread has a row of this kind for `object`. */
static bool has_lock(const struct java_locks *l, uint32_t thread, uint64_t object,
                     enum java_lock_kind kind)
{
    for (int32_t i = java_locks_first(l, thread); i >= 0; i = l->rows[i].next) {
        if (l->rows[i].object == object && l->rows[i].kind == kind)
            return true;
    }
    return false;
}

static int32_t monitor_field(const struct java_locks *l, const char *name)
{
    return target_field(l->oops->target, "ObjectMonitor", name, -1);
}

/* The object of a monitor: an oop to JDK 11, a weak handle later. */
static uint64_t monitor_object(const struct java_locks *l, uint64_t monitor)
{
    int32_t at = monitor_field(l, "_object");
    return at < 0 ? 0 : oops_of_handle(l->oops, monitor + (uint64_t)at);
}

/* The holder of a monitor. `_owner` is the thread, or a place in the thread's stack, or (JDK 24)
 * the id of the Thread object. */
static int32_t monitor_holder(const struct java_locks *l, uint64_t monitor)
{
    const struct target *t = l->oops->target;
    int32_t at = monitor_field(l, "_owner");
    uint64_t owner = at < 0 ? 0 : target_u8(t, monitor + (uint64_t)at);
    if (owner == 0)
        return -1;
    if (owner == ANONYMOUS_OWNER && target_field(t, "JavaThread", "_lock_stack", -1) >= 0) {
        const struct java_locks_slot *slot =
            l->stacked_slots == 0 ? NULL : slot_of(l, monitor_object(l, monitor));
        if (slot && slot->object != 0)
            return (int32_t)slot->thread;
    }
    if (target_field(t, "JavaThread", "_monitor_owner_id", -1) >= 0)
        return java_threads_with_id(l->threads, (int64_t)owner);
    for (uint32_t i = 0; i < l->threads->platform_count; i++) {
        const struct java_thread *row = &l->threads->rows[i];
        if (row->addr == owner || (owner >= row->stack_low && owner < row->stack_high))
            return (int32_t)i;
    }
    return -1;
}

static uint64_t thread_word(const struct java_locks *l, const struct java_thread *thread,
                            const char *name)
{
    const struct target *t = l->oops->target;
    int32_t at = target_field(t, "JavaThread", name, -1);
    if (at < 0)
        at = target_field(t, "Thread", name, -1);
    return at < 0 ? 0 : target_u8(t, thread->addr + (uint64_t)at);
}

/* The holder of a lock of java.util.concurrent. The blocker of a read-write lock is its inner Sync
 * object, too. */
static int32_t synchronizer_holder(const struct java_locks *l, uint64_t blocker)
{
    struct oops *o = l->oops;
    uint64_t klass = oops_klass(o, blocker);
    if (klass == 0 || oops_field(o, klass, "exclusiveOwnerThread") < 0)
        return -1;
    return java_threads_with_object(l->threads,
                                    oops_get_object(o, blocker, "exclusiveOwnerThread"));
}

/* The monitors at which the thread is blocked, and for which it waits in Object.wait(); 0: none. */
static void find_awaited(const struct java_locks *l, const struct java_thread *row,
                         uint64_t *ret_pending, uint64_t *ret_waiting)
{
    *ret_pending = *ret_waiting = 0;
    if (row->addr != 0) {
        *ret_pending = thread_word(l, row, "_current_pending_monitor");
        *ret_waiting = thread_word(l, row, "_current_waiting_monitor");
    } else if ((row->status & JAVA_THREADS_BLOCKED) != 0) {
        *ret_pending = virtual_awaited(l->oops, row->object);
    } else if ((row->status & JAVA_THREADS_IN_WAIT) != 0) {
        *ret_waiting = virtual_awaited(l->oops, row->object);
    }
}

void java_locks_thread(struct java_locks *l, uint32_t thread)
{
    const struct java_thread *row = &l->threads->rows[thread];
    uint64_t pending, waiting;
    uint64_t owner = row->virtual_object != 0 ? row->virtual_object : row->object;
    uint64_t blocker = oops_get_object(l->oops, owner, "parkBlocker");
    uint64_t object;
    struct java_lock *lock;
    find_awaited(l, row, &pending, &waiting);
    if (waiting != 0 && (object = monitor_object(l, waiting)) != 0)
        add(l, object, thread, -1, JAVA_LOCK_WAITING);
    if (pending != 0 && (object = monitor_object(l, pending)) != 0) {
        lock = add(l, object, thread, -1, JAVA_LOCK_ENTERING);
        if (lock)
            lock->holder = monitor_holder(l, pending);
    }
    if (blocker != 0 && (row->status & JAVA_THREADS_PARKED) != 0) {
        lock = add(l, blocker, thread, -1, JAVA_LOCK_PARKED);
        if (lock)
            lock->holder = synchronizer_holder(l, blocker);
    }
}

static void add_held(struct java_locks *l, uint64_t object, uint32_t thread, int32_t frame)
{
    if (object == 0 || oops_klass(l->oops, object) == 0)
        return;
    /* The frame already has the object of the monitor that the thread is about to get. */
    if (has_lock(l, thread, object, JAVA_LOCK_ENTERING)) {
        if (!has_lock(l, thread, object, JAVA_LOCK_HELD))
            return;
    }
    add(l, object, thread, frame,
        has_lock(l, thread, object, JAVA_LOCK_WAITING) ? JAVA_LOCK_RELOCK : JAVA_LOCK_HELD);
}

/*
 * The monitors of an interpreted frame lie between the expression stack and the fixed part of the
 * frame: rows of {lock, object}. The slot below the last fixed slot says where the rows end: as an
 * address, or (JDK 21) as a number of words from the frame pointer.
 */
static void interpreted_locks(struct java_locks *l, uint32_t thread, int32_t frame, uint64_t fp)
{
    const struct target *t = l->oops->target;
    uint64_t begin = fp + (uint64_t)((int64_t)(t->layout->interp.bcp - 1) * 8);
    uint64_t end = target_u8(t, begin);
    int32_t size = 16, object_at = target_field(t, "BasicObjectLock", "_obj", 8);
    if ((int64_t)end < 0 && (int64_t)end > -100000)
        end = fp + end * 8;
    if (end > begin || begin - end > (uint64_t)size * FRAME_LOCKS_MAX)
        return;
    for (uint64_t at = end; at + (uint64_t)size <= begin; at += (uint64_t)size)
        add_held(l, oops_of_lock_word(l->oops, target_u8(t, at + (uint64_t)object_at)), thread,
                 frame);
}

/* Add the monitors of a compiled frame. Many threads stand at the same call sites, and most hold no
 * monitor there; such call sites are remembered in `bare`. */
static void compiled_locks(struct java_locks *l, uint32_t thread, int32_t frame,
                           const struct stopped_frame *f, uint32_t levels)
{
    struct lock_debug found[FRAME_LOCKS_MAX];
    uint64_t *bare = &l->bare[f->pc * 0x9e3779b97f4a7c15u >> 40 & (JAVA_LOCKS_BARE - 1)];
    bool is_bare;
    if (*bare == f->pc)
        return;
    uint32_t n = lock_debug_find(l->oops, f->pc, f->sp, found, FRAME_LOCKS_MAX, &is_bare);
    for (uint32_t i = 0; i < n; i++) {
        if (found[i].level < levels)
            add_held(l, found[i].object, thread, frame + (int32_t)found[i].level);
    }
    if (is_bare)
        *bare = f->pc;
}

static bool is_compiled(const struct stopped_frame *f)
{
    return f->kind == WALK_KIND_C1 || f->kind == WALK_KIND_C2 || f->kind == WALK_KIND_INLINED ||
           f->kind == WALK_KIND_JAVA;
}

void java_locks_frames(struct java_locks *l, uint32_t thread, const struct stopped_frame *frames,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct stopped_frame *f = &frames[i];
        if (f->method == 0)
            continue;
        if (!is_compiled(f)) {
            if (f->fp != 0 && f->kind == WALK_KIND_INTERPRETED)
                interpreted_locks(l, thread, (int32_t)i, f->fp);
            continue;
        }
        uint32_t levels = 1;
        while (i + levels < count && frames[i + levels - 1].kind == WALK_KIND_INLINED)
            levels++;
        if (f->sp != 0)
            compiled_locks(l, thread, (int32_t)i, f, levels);
        i += levels - 1;
    }
}

/* Read the lock stack (JDK 21): references, up to an offset from the thread. Returns how many. */
static int read_lock_stack(const struct java_locks *l, uint32_t thread, uint64_t *objects)
{
    const struct target *t = l->oops->target;
    uint64_t addr = l->threads->rows[thread].addr;
    int32_t stack = target_field(t, "JavaThread", "_lock_stack", -1);
    int32_t top_at = target_field(t, "LockStack", "_top", -1);
    int32_t base_at = target_field(t, "LockStack", "_base[0]", -1);
    int n = 0;
    if (stack < 0 || top_at < 0 || base_at < 0)
        return 0;
    uint32_t top = target_u4(t, addr + (uint64_t)stack + (uint64_t)top_at);
    for (uint32_t at = (uint32_t)(stack + base_at); at < top && n < LOCK_STACK_MAX; at += 8)
        objects[n++] = oops_of_lock_word(l->oops, target_u8(t, addr + at));
    return n;
}

/* Add a lock that a thread holds, unless one of the thread's frames has it. */
static void add_frameless(struct java_locks *l, uint64_t object, uint32_t thread)
{
    if (object != 0 && !has_lock(l, thread, object, JAVA_LOCK_HELD) &&
        !has_lock(l, thread, object, JAVA_LOCK_RELOCK))
        add_held(l, object, thread, -1);
}

static void add_monitor(struct java_locks *l, uint64_t monitor)
{
    int32_t holder = monitor_holder(l, monitor);
    if (holder >= 0)
        add_frameless(l, monitor_object(l, monitor), (uint32_t)holder);
}

static void add_inflated(struct java_locks *l)
{
    const struct target *t = l->oops->target;
    uint64_t list = target_static(t, "ObjectSynchronizer", "_in_use_list");
    int32_t next_at = monitor_field(l, "_next_om");
    if (list != 0 && next_at >= 0) {
        uint64_t monitor =
            target_u8(t, list + (uint64_t)target_field(t, "MonitorList", "_head", 0));
        for (int i = 0; monitor != 0 && i < MONITORS_MAX; i++) {
            add_monitor(l, monitor);
            monitor = target_u8(t, monitor + (uint64_t)next_at);
        }
        return;
    }
    /* To JDK 11: blocks of monitors, linked by the first monitor of each block. */
    uint64_t size, block = target_static_value(t, "ObjectSynchronizer", "gBlockList", 8);
    int32_t per_block = target_constant(t, "ObjectSynchronizer::_BLOCKSIZE", 0);
    next_at = monitor_field(l, "FreeNext");
    if (!vmtables_find(&t->tables, 't', "PaddedObjectMonitor", "", &size) &&
        !vmtables_find(&t->tables, 't', "ObjectMonitor", "", &size))
        return;
    for (int i = 0; block != 0 && next_at >= 0 && i < MONITORS_MAX / 128; i++) {
        for (int32_t k = 1; k < per_block; k++)
            add_monitor(l, block + (uint64_t)k * size);
        block = target_u8(t, block + (uint64_t)next_at);
    }
}

void java_locks_finish(struct java_locks *l)
{
    uint64_t objects[LOCK_STACK_MAX];
    for (uint32_t i = 0; i < l->threads->platform_count; i++) {
        int n = read_lock_stack(l, i, objects);
        for (int k = 0; k < n; k++)
            add_frameless(l, objects[k], i);
    }
    add_inflated(l);
}

/* ---- circles of threads that wait for each other's locks */

/* Whether a row is an edge from its thread to another one. */
static bool is_edge(const struct java_lock *lock)
{
    return (lock->kind == JAVA_LOCK_ENTERING || lock->kind == JAVA_LOCK_PARKED) &&
           lock->holder >= 0 && lock->holder != (int32_t)lock->thread;
}

static void add_circle(struct java_locks *l, const int32_t *edges, uint32_t start)
{
    uint32_t count = 0, thread = start;
    do {
        count++;
        thread = (uint32_t)l->rows[edges[thread]].holder;
    } while (thread != start);
    struct java_deadlock *deadlocks =
        reallocarray(l->deadlocks, l->deadlock_count + 1, sizeof(*deadlocks));
    uint32_t *locks = calloc(count, sizeof(*locks));
    if (deadlocks)
        l->deadlocks = deadlocks;
    if (!deadlocks || !locks) {
        free(locks);
        l->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        locks[i] = (uint32_t)edges[thread];
        thread = (uint32_t)l->rows[edges[thread]].holder;
    }
    deadlocks[l->deadlock_count++] = (struct java_deadlock){locks, count};
}

/* A thread waits for one lock at a time, so the graph has one edge per thread. The code follows the
 * edges from each thread and sees whether they come back. */
void java_locks_find_deadlocks(struct java_locks *l)
{
    uint32_t threads = l->threads->count;
    int32_t *edges = malloc(((size_t)threads + 1) * sizeof(*edges));
    uint32_t *seen = calloc((size_t)threads + 1, sizeof(*seen));
    if (!edges || !seen) {
        l->out_of_memory = true;
        goto out;
    }
    for (uint32_t i = 0; i < threads; i++)
        edges[i] = -1;
    for (uint32_t i = 0; i < l->count; i++) {
        if (is_edge(&l->rows[i]))
            edges[l->rows[i].thread] = (int32_t)i;
    }
    for (uint32_t start = 0; start < threads; start++) {
        uint32_t thread = start, round = start + 1;
        while (seen[thread] == 0 && edges[thread] >= 0) {
            seen[thread] = round;
            thread = (uint32_t)l->rows[edges[thread]].holder;
        }
        if (seen[thread] == round && edges[thread] >= 0)
            add_circle(l, edges, thread);
        if (seen[thread] == 0)
            seen[thread] = round;
    }
out:
    free(edges);
    free(seen);
}
