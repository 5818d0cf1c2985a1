/*
 * asgst_thread.c - see asgst_thread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/asgst_thread.h"
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Declared here because pthread.h declares locks, too (poison.h). */
extern void *pthread_getspecific(pthread_key_t key);

enum {
    THREADS_MAX = 100000,
    /* glibc and musl give out lower keys only (PTHREAD_KEYS_MAX is 1024 and 128). */
    KEYS_MAX = 1024,
    KEY_UNKNOWN = -1,
    /* More than a JavaThread takes. */
    ENV_OFFSET_MAX = 4096,
};

static int thread_key = KEY_UNKNOWN;

/* What the last question of this thread found: the key's value, and whether it was a JavaThread. */
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
};

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
    return asgst_thread_each(v, l, has_sp, &w);
}

/* JavaThreads lie apart by more than the environment lies in them: the nearest one below. */
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
    return tid > 0 ? asgst_thread_each(v, l, is_tid, &w) : 0;
}

uint32_t asgst_thread_count(struct mem_view *v, const struct hs_layout *l, uint32_t max)
{
    struct wanted w = {.max = max};
    asgst_thread_each(v, l, count_one, &w);
    return w.count;
}

/* pthread_getspecific() reads the thread's own array, nothing else. */
static void find_key(struct mem_view *v, const struct hs_layout *l)
{
    uint64_t self = asgst_thread_of_tid(v, l, (int32_t)syscall(SYS_gettid));
    for (int key = 0; self != 0 && key < KEYS_MAX; key++) {
        if ((uint64_t)pthread_getspecific((pthread_key_t)key) == self) {
            __atomic_store_n(&thread_key, key, __ATOMIC_RELAXED);
            return;
        }
    }
}

uint64_t asgst_thread_current(struct mem *m, const struct hs_layout *l)
{
    struct mem_view v = {.mem = m};
    if (__atomic_load_n(&thread_key, __ATOMIC_RELAXED) == KEY_UNKNOWN)
        find_key(&v, l);
    int key = __atomic_load_n(&thread_key, __ATOMIC_RELAXED);
    if (key == KEY_UNKNOWN)
        return 0;
    uint64_t value = (uint64_t)pthread_getspecific((pthread_key_t)key);
    if (value == 0)
        return 0;
    /* A value that was refused may be a thread that had not entered the list yet: ask again. */
    if (value == last_value && last_is_java)
        return value;
    struct wanted w = {.thread = value};
    last_is_java = asgst_thread_each(&v, l, is_thread, &w) != 0;
    last_value = value;
    return last_is_java ? value : 0;
}
