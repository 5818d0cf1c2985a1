/*
 * java_threads.c - see java_threads.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_threads.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"

enum {
    THREADS_MAX = 1000000,
    NAME_BYTES = 4096,
};

/* Offsets that only this file needs. */
struct thread_facts {
    int32_t vthread;
};

static char *text_of(struct oops *o, uint64_t object)
{
    char text[NAME_BYTES];
    return object != 0 && oops_text(o, object, text, sizeof(text)) >= 0 ? strdup(text) : NULL;
}

static void read_object(struct oops *o, struct java_thread *thread)
{
    uint64_t object = thread->object;
    /* JDK 19 moved these fields out of Thread, so that virtual threads need not carry them. */
    uint64_t holder = oops_get_object(o, object, "holder");
    uint64_t owner = holder != 0 ? holder : object;
    thread->name = text_of(o, oops_get_object(o, object, "name"));
    thread->id = (int64_t)oops_get_number(o, object, "tid", 8);
    thread->is_daemon = (int)oops_get_number(o, owner, "daemon", 1);
    thread->priority = (int32_t)oops_get_number(o, owner, "priority", 4);
    thread->status = (uint32_t)oops_get_number(o, owner, "threadStatus", 4);
}

static void read_virtual(struct oops *o, const struct thread_facts *facts,
                         struct java_thread *thread)
{
    if (facts->vthread < 0)
        return;
    uint64_t object = oops_of_handle(o, thread->addr + (uint64_t)facts->vthread);
    if (object == 0 || object == thread->object)
        return;
    thread->virtual_object = object;
    thread->virtual_id = (int64_t)oops_get_number(o, object, "tid", 8);
    thread->virtual_name = text_of(o, oops_get_object(o, object, "name"));
}

/* Returns 1 if `addr` is a thread. */
static int read_thread(struct oops *o, const struct thread_facts *facts, uint64_t addr,
                       struct java_thread *ret_thread)
{
    const struct target *t = o->target;
    const struct hs_layout *l = t->layout;
    struct java_thread thread = {.addr = addr, .os_state = -1};
    thread.state = hs_layout_state(l, target_u4(t, addr + (uint64_t)l->thread_state));
    thread.stack_high = target_u8(t, addr + (uint64_t)l->thread_stack_base);
    thread.stack_low = thread.stack_high - target_u8(t, addr + (uint64_t)l->thread_stack_size);
    if (thread.state == 0 || thread.stack_low > thread.stack_high)
        return 0;
    thread.last_sp = target_u8(t, addr + (uint64_t)l->thread_anchor + (uint64_t)l->anchor_sp);
    uint64_t osthread = target_u8(t, addr + (uint64_t)l->thread_osthread);
    if (osthread != 0) {
        thread.os_tid = (int32_t)target_u4(t, osthread + (uint64_t)l->osthread_id);
        if (l->osthread_state >= 0)
            thread.os_state = (int32_t)target_u4(t, osthread + (uint64_t)l->osthread_state);
    }
    thread.object = oops_of_handle(o, addr + (uint64_t)l->thread_object);
    if (thread.object != 0) {
        read_object(o, &thread);
        read_virtual(o, facts, &thread);
    }
    *ret_thread = thread;
    return 1;
}

/* A key is the address of an object, which is even, or 2 * id + 1. 0: the slot is free. */
struct java_threads_slot {
    uint64_t key;
    int32_t row;
};

static uint64_t id_key(int64_t id)
{
    return (uint64_t)id * 2 + 1;
}

static struct java_threads_slot *slot_of(const struct java_threads *threads, uint64_t key)
{
    uint32_t mask = threads->slot_count - 1;
    uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (threads->slots[i].key != 0 && threads->slots[i].key != key)
        i = (i + 1) & mask;
    return &threads->slots[i];
}

static int grow_slots(struct java_threads *threads)
{
    struct java_threads old = *threads;
    uint32_t count = old.slot_count == 0 ? 256 : old.slot_count * 2;
    struct java_threads_slot *slots = calloc(count, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    threads->slots = slots;
    threads->slot_count = count;
    for (uint32_t i = 0; i < old.slot_count; i++) {
        if (old.slots[i].key != 0)
            *slot_of(threads, old.slots[i].key) = old.slots[i];
    }
    free(old.slots);
    return 0;
}

/* Index a row by a key; if two rows have the same key, the first row counts. */
static void index_key(struct java_threads *threads, uint64_t key, uint32_t row)
{
    struct java_threads_slot *slot = slot_of(threads, key);
    if (slot->key == 0) {
        *slot = (struct java_threads_slot){key, (int32_t)row};
        threads->used++;
    }
}

static int index_row(struct java_threads *threads, uint32_t row)
{
    const struct java_thread *t = &threads->rows[row];
    if ((threads->used + 4) * 2 > threads->slot_count && grow_slots(threads) < 0)
        return -ENOMEM;
    if (t->object != 0)
        index_key(threads, t->object, row);
    if (t->virtual_object != 0)
        index_key(threads, t->virtual_object, row);
    if (t->id > 0)
        index_key(threads, id_key(t->id), row);
    if (t->virtual_id > 0)
        index_key(threads, id_key(t->virtual_id), row);
    return 0;
}

int32_t java_threads_with_object(const struct java_threads *threads, uint64_t object)
{
    if (object == 0 || threads->slot_count == 0)
        return -1;
    const struct java_threads_slot *slot = slot_of(threads, object);
    return slot->key != 0 ? slot->row : -1;
}

int32_t java_threads_with_id(const struct java_threads *threads, int64_t id)
{
    return id > 0 ? java_threads_with_object(threads, id_key(id)) : -1;
}

/* Add a row. Takes over the names in `thread`, also on failure. */
static int add(struct java_threads *threads, const struct java_thread *thread)
{
    struct java_thread *rows = threads->rows;
    uint32_t count = threads->count;
    if ((count & (count - 1)) == 0 && (count == 0 || count >= 64))
        rows = reallocarray(rows, count == 0 ? 64 : (size_t)count * 2, sizeof(*rows));
    if (!rows) {
        free(thread->name);
        free(thread->virtual_name);
        return -ENOMEM;
    }
    threads->rows = rows;
    threads->rows[threads->count++] = *thread;
    return index_row(threads, count);
}

/* The state of java_threads_read(). */
struct reading {
    struct oops *oops;
    struct thread_facts facts;
    struct java_threads threads;
};

static int add_at(void *arg, uint64_t addr)
{
    struct reading *r = arg;
    struct java_thread thread;
    if (!read_thread(r->oops, &r->facts, addr, &thread)) {
        r->threads.broken++;
        return 0;
    }
    return add(&r->threads, &thread);
}

int java_threads_add_virtual(struct oops *o, struct java_threads *threads, uint64_t object,
                             uint32_t status)
{
    struct java_thread thread = {.object = object, .status = status, .os_state = -1};
    thread.name = text_of(o, oops_get_object(o, object, "name"));
    thread.id = (int64_t)oops_get_number(o, object, "tid", 8);
    thread.is_daemon = true;
    return add(threads, &thread);
}

int java_threads_each(const struct target *t, int (*each)(void *arg, uint64_t thread), void *arg)
{
    const struct hs_layout *l = t->layout;
    int said = 0;
    if (l->smr_thread_list != 0) {
        uint64_t list = target_u8(t, l->smr_thread_list);
        uint32_t count = target_u4(t, list + (uint64_t)l->smr_length);
        uint64_t array = target_u8(t, list + (uint64_t)l->smr_threads);
        if (list == 0 || count > THREADS_MAX)
            return E_VM_STATE;
        for (uint32_t i = 0; i < count && said == 0; i++)
            said = each(arg, target_u8(t, array + (uint64_t)i * 8));
        return said;
    }
    uint64_t addr = target_u8(t, l->thread_list);
    for (uint32_t i = 0; addr != 0 && i < THREADS_MAX && said == 0; i++) {
        said = each(arg, addr);
        addr = target_u8(t, addr + (uint64_t)l->thread_next);
    }
    return said;
}

int java_threads_read(struct oops *o, struct java_threads *ret_threads)
{
    struct reading r = {.oops = o,
                        .facts = {target_field(o->target, "JavaThread", "_vthread", -1)}};
    int error = java_threads_each(o->target, add_at, &r);
    if (error < 0) {
        java_threads_done(&r.threads);
        return error;
    }
    r.threads.platform_count = r.threads.count;
    *ret_threads = r.threads;
    return 0;
}

void java_threads_done(struct java_threads *threads)
{
    for (uint32_t i = 0; i < threads->count; i++) {
        free(threads->rows[i].name);
        free(threads->rows[i].virtual_name);
    }
    free(threads->rows);
    free(threads->slots);
    *threads = (struct java_threads){0};
}

/* Bits of JVMTI_THREAD_STATE. The first row whose bits are all set wins. */
static const struct status_row {
    uint32_t bits;
    const char *text, *os_text;
} status_rows[] = {
    {JAVA_THREADS_BLOCKED, "BLOCKED (on object monitor)", "waiting for monitor entry"},
    {JAVA_THREADS_SLEEPING, "TIMED_WAITING (sleeping)", "waiting on condition"},
    {JAVA_THREADS_IN_WAIT | JAVA_THREADS_TIMED, "TIMED_WAITING (on object monitor)",
     "in Object.wait()"},
    {JAVA_THREADS_IN_WAIT, "WAITING (on object monitor)", "in Object.wait()"},
    {JAVA_THREADS_PARKED | JAVA_THREADS_TIMED, "TIMED_WAITING (parking)", "waiting on condition"},
    {JAVA_THREADS_PARKED, "WAITING (parking)", "waiting on condition"},
    {JAVA_THREADS_RUNNABLE, "RUNNABLE", "runnable"},
    {JAVA_THREADS_END, "TERMINATED", "runnable"},
};

const char *java_threads_state(uint32_t status)
{
    for (unsigned i = 0; i < sizeof(status_rows) / sizeof(*status_rows); i++) {
        if ((status & status_rows[i].bits) == status_rows[i].bits)
            return status_rows[i].text;
    }
    return status == 0 ? "NEW" : "UNKNOWN";
}

/* Values of enum ThreadState, the same in all JDKs. Source: osThread.hpp. */
static const char *const os_states[] = {
    "allocated",
    "initialized",
    "runnable",
    "waiting for monitor entry",
    "waiting on condition",
    "in Object.wait()",
    "at breakpoint",
    "sleeping",
    "zombie",
};

const char *java_threads_os_state(const struct java_thread *thread)
{
    if (thread->os_state >= 0 &&
        (unsigned)thread->os_state < sizeof(os_states) / sizeof(*os_states))
        return os_states[thread->os_state];
    for (unsigned i = 0; i < sizeof(status_rows) / sizeof(*status_rows); i++) {
        if ((thread->status & status_rows[i].bits) == status_rows[i].bits)
            return status_rows[i].os_text;
    }
    return "runnable";
}

/* ---- allocated bytes */

void java_threads_allocated_init(struct java_threads_allocated *a, const struct target *t)
{
    int32_t counted = target_field(t, "Thread", "_allocated_bytes", -1);
    int32_t buffer = target_field(t, "Thread", "_tlab", -1);
    int32_t start = target_field(t, "ThreadLocalAllocBuffer", "_start", -1);
    int32_t top = target_field(t, "ThreadLocalAllocBuffer", "_top", -1);
    *a = (struct java_threads_allocated){
        .is_known = counted >= 0 && buffer >= 0 && start >= 0 && top >= 0,
        .counted = counted,
        .start = buffer + start,
        .top = buffer + top,
    };
}

uint64_t java_threads_allocated_bytes(const struct java_threads_allocated *a,
                                      const struct target *t, uint64_t thread)
{
    if (!a->is_known)
        return 0;
    uint64_t start = target_u8(t, thread + (uint64_t)a->start);
    uint64_t top = target_u8(t, thread + (uint64_t)a->top);

    return target_u8(t, thread + (uint64_t)a->counted) + (top > start ? top - start : 0);
}
