/*
 * asgst_thread.c - see asgst_thread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/asgst_thread.h"
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Declared here because pthread.h also declares locks (poison.h). */
extern pthread_t pthread_self(void);

enum {
    THREADS_MAX = 100000,
    /* for a search that a change of the list may have led astray */
    SEARCHES_MAX = 8,
    /* more than the size of a JavaThread */
    ENV_OFFSET_MAX = 4096,
};

/* glibc keeps the values of a thread's keys in the thread's structure, to which a pthread_t points.
 * First come the slots of keys 0 to 31, then the addresses of 32 tables of 32 slots each. The first
 * of these addresses is the address of the slots of keys 0 to 31; find_tables() recognises the
 * tables by this. The other tables are made when they are needed. Source: nptl/descr.h
 * (specific_1stblock, specific), nptl/allocatestack.c. */
enum {
    TABLES = 32,
    TABLE_SLOTS = 32,
    SLOT_BYTES = 16, /* the sequence number of the key, then the value */
    SLOT_VALUE = 8,
    STRUCTURE_BYTES = 4096, /* more than the structure has in any release of glibc */
};

/* The place of the VM's key. The upper half is the offset, in a thread's structure, of the address
 * of the key's table; the lower half is the offset of the value in that table. One number holds the
 * two offsets because a handler may read while they are set. 0: not known. */
static uint64_t slot;
enum { SLOT_TABLE_SHIFT = 32 };

/* The result of this thread's last call of asgst_thread_current(): the value of the slot, and
 * whether that value was a JavaThread. */
static __thread uint64_t last_value;
static __thread uint8_t last_is_java;

uint64_t asgst_thread_each(struct mem_view *v, const struct hs_layout *l,
                           uint64_t (*visit)(struct mem_view *v, const struct hs_layout *l,
                                             uint64_t thread, void *arg),
                           void *arg)
{
    uint32_t faults = v->faults;
    uint64_t result = 0;
    if (l->smr_thread_list != 0 && l->smr_length >= 0 && l->smr_threads >= 0) {
        uint64_t list = mem_view_u8(v, l->smr_thread_list);
        uint32_t count = mem_view_u4(v, list + (uint64_t)l->smr_length);
        uint64_t array = mem_view_u8(v, list + (uint64_t)l->smr_threads);
        for (uint32_t i = 0; i < count && i < THREADS_MAX; i++) {
            uint64_t thread = mem_view_u8(v, array + (uint64_t)i * 8);
            if (v->faults != faults || thread == 0)
                break;
            result = visit(v, l, thread, arg);
            if (result != 0)
                break;
        }
        return result;
    }
    uint64_t thread = mem_view_u8(v, l->thread_list);
    for (uint32_t i = 0; thread != 0 && v->faults == faults && i < THREADS_MAX; i++) {
        result = visit(v, l, thread, arg);
        if (result != 0)
            break;
        thread = mem_view_u8(v, thread + (uint64_t)l->thread_next);
    }
    return result;
}

static int32_t tid_of(struct mem_view *v, const struct hs_layout *l, uint64_t thread)
{
    uint64_t osthread = mem_view_u8(v, thread + (uint64_t)l->thread_osthread);
    return osthread != 0 ? mem_view_s4(v, osthread + (uint64_t)l->osthread_id) : 0;
}

struct wanted {
    uint64_t thread, sp, env;
    int32_t tid;
    uint32_t count, max;
    uint32_t tables; /* for find_slot() */
};

/*
 * Search the list with `visit` and return what it finds; 0: nothing. The VM frees a list as soon as
 * a new list has taken its place; in JDK 8 and 11, the VM frees a thread that has left the chain. A
 * search that runs meanwhile may miss threads that are in the old and in the new list. Therefore a
 * search that found nothing begins anew if the list has changed.
 */
static uint64_t find(struct mem_view *v, const struct hs_layout *l,
                     uint64_t (*visit)(struct mem_view *v, const struct hs_layout *l,
                                       uint64_t thread, void *arg),
                     void *arg)
{
    uint64_t result = 0;
    for (int i = 0; result == 0 && i < SEARCHES_MAX; i++) {
        uint32_t faults = v->faults;
        uint64_t list = l->smr_thread_list != 0 ? mem_view_u8(v, l->smr_thread_list) : 0;
        result = asgst_thread_each(v, l, visit, arg);
        bool is_same = list == 0 || list == mem_view_u8(v, l->smr_thread_list);
        if (is_same && v->faults == faults)
            break;
    }
    return result;
}

static uint64_t is_thread(struct mem_view *v, const struct hs_layout *l, uint64_t thread, void *arg)
{
    const struct wanted *w = arg;
    return thread == w->thread ? thread : 0;
}

static uint64_t is_tid(struct mem_view *v, const struct hs_layout *l, uint64_t thread, void *arg)
{
    const struct wanted *w = arg;
    return tid_of(v, l, thread) == w->tid ? thread : 0;
}

static uint64_t count_one(struct mem_view *v, const struct hs_layout *l, uint64_t thread, void *arg)
{
    struct wanted *w = arg;
    if (l->thread_object < 0 || mem_view_u8(v, thread + (uint64_t)l->thread_object) != 0)
        w->count++;
    return w->count >= w->max;
}

bool asgst_thread_has_stack(struct mem_view *v, const struct hs_layout *l, uint64_t thread,
                            uint64_t sp)
{
    uint64_t base = mem_view_u8(v, thread + (uint64_t)l->thread_stack_base);
    uint64_t size = mem_view_u8(v, thread + (uint64_t)l->thread_stack_size);
    return base - sp - 1 < size;
}

static uint64_t has_sp(struct mem_view *v, const struct hs_layout *l, uint64_t thread, void *arg)
{
    const struct wanted *w = arg;
    return asgst_thread_has_stack(v, l, thread, w->sp) ? thread : 0;
}

uint64_t asgst_thread_of_stack(struct mem_view *v, const struct hs_layout *l, uint64_t sp)
{
    struct wanted w = {.sp = sp};
    return find(v, l, has_sp, &w);
}

/* The JNIEnv lies inside its JavaThread, and two JavaThreads lie further apart than the offset of
 * the JNIEnv. The owner is therefore the nearest JavaThread below `env`. */
static uint64_t is_below(struct mem_view *v, const struct hs_layout *l, uint64_t thread, void *arg)
{
    struct wanted *w = arg;
    if (w->env - thread < ENV_OFFSET_MAX && (w->thread == 0 || thread > w->thread))
        w->thread = thread;
    return 0;
}

uint64_t asgst_thread_of_env(struct mem_view *v, const struct hs_layout *l, uint64_t env)
{
    struct wanted w = {.env = env};
    asgst_thread_each(v, l, is_below, &w);
    return w.thread;
}

uint64_t asgst_thread_of_tid(struct mem_view *v, const struct hs_layout *l, int32_t tid)
{
    struct wanted w = {.tid = tid};
    return tid > 0 ? find(v, l, is_tid, &w) : 0;
}

uint32_t asgst_thread_count(struct mem_view *v, const struct hs_layout *l, uint32_t max)
{
    struct wanted w = {.max = max};
    asgst_thread_each(v, l, count_one, &w);
    return w.count;
}

/* The offset at which a thread's structure has the addresses of the tables; 0: unknown. */
static uint32_t find_tables(struct mem_view *v, uint64_t structure)
{
    uint32_t faults = v->faults;
    for (uint32_t at = 0; at < STRUCTURE_BYTES && v->faults == faults; at += 8) {
        uint32_t tables = at + TABLE_SLOTS * SLOT_BYTES;
        if (mem_view_u8(v, structure + tables) == structure + at)
            return tables;
    }
    return 0;
}

/* The place, in the form of `slot`, of the key whose value is the JavaThread `thread`; 0: there is
 * none, because the thread is just starting. */
static uint64_t find_slot(struct mem_view *v, const struct hs_layout *l, uint64_t thread, void *arg)
{
    const struct wanted *w = arg;
    uint64_t osthread = mem_view_u8(v, thread + (uint64_t)l->thread_osthread);
    uint64_t structure = mem_view_u8(v, osthread + (uint64_t)l->osthread_pthread);
    uint32_t faults = v->faults;
    for (uint32_t i = 0; i < TABLES; i++) {
        uint64_t at = w->tables + (uint64_t)i * 8;
        uint64_t table = mem_view_u8(v, structure + at);
        for (uint32_t k = 0; k < TABLE_SLOTS && table != 0 && v->faults == faults; k++) {
            uint64_t value = (uint64_t)k * SLOT_BYTES + SLOT_VALUE;
            if (mem_view_u8(v, table + value) == thread)
                return at << SLOT_TABLE_SHIFT | value;
        }
    }
    v->faults = 0; /* this thread has ended meanwhile: try the next one */
    return 0;
}

bool asgst_thread_find_slot(struct mem *m, const struct hs_layout *l)
{
    struct mem_view v = {.mem = m};
    struct wanted w = {.tables = find_tables(&v, (uint64_t)pthread_self())};
    if (w.tables == 0 || l->osthread_pthread < 0)
        return false;
    v.faults = 0;
    uint64_t found = asgst_thread_each(&v, l, find_slot, &w);
    if (found != 0)
        __atomic_store_n(&slot, found, __ATOMIC_RELAXED);
    return found != 0;
}

uint64_t asgst_thread_current(struct mem *m, const struct hs_layout *l)
{
    struct mem_view v = {.mem = m};
    uint64_t known = __atomic_load_n(&slot, __ATOMIC_RELAXED);
    if (known == 0)
        return asgst_thread_of_tid(&v, l, (int32_t)syscall(SYS_gettid));
    uint64_t table = mem_view_u8(&v, (uint64_t)pthread_self() + (known >> SLOT_TABLE_SHIFT));
    uint64_t value = table != 0 ? mem_view_u8(&v, table + (uint32_t)known) : 0;
    if (value == 0)
        return 0;
    /* A value that was refused may be a thread that had not entered the list yet: search again. */
    if (value == last_value && last_is_java)
        return value;
    struct wanted w = {.thread = value};
    last_is_java = find(&v, l, is_thread, &w) != 0;
    last_value = value;
    return last_is_java ? value : 0;
}
