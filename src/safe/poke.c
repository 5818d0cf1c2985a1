/*
 * poke.c - see poke.h.
 *
 * The handler saves errno; its system calls are gettid, clock_gettime and futex. While the handler
 * runs, its own signal and the signals of profilers are blocked, so that no walk interrupts another
 * walk.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/poke.h"
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "safe/clock.h"
#include "safe/next_handler.h"

/* The askers, in the order in which they first came. This is apart from struct poke, which its
 * owner may clear while a late signal comes. */
static struct asker {
    struct poke *_Atomic poke; /* set once; signals that carry this address are ours */
    _Atomic bool is_open;      /* false: its signals are swallowed */
    _Atomic uint32_t inside;   /* handlers that may be using a cell */
} askers[POKE_ASKERS];
static struct sigaction application; /* the action of the signal before ours */

static struct asker *asker_of(const void *poke)
{
    for (uint32_t i = 0; i < POKE_ASKERS; i++)
        if (atomic_load(&askers[i].poke) == poke)
            return &askers[i];
    return NULL;
}

static struct poke_cell *cell_of(struct poke *p, int32_t tid)
{
    for (uint32_t i = 0; i < POKE_CELLS && i < p->cell_count; i++) {
        struct poke_cell *c = &p->cells[i];
        if (atomic_load(&c->state) == POKE_ASKED &&
            atomic_load_explicit(&c->tid, memory_order_relaxed) == tid)
            return c;
    }
    return NULL;
}

static void walk(const struct poke *p, struct poke_cell *c)
{
    c->result = p->walker->walk(&c->request, c->frames, p->depth, &c->is_truncated);
}

/* Wait until the state changes, for `ns` nanoseconds at most. */
static void wait_while(_Atomic uint32_t *state, uint32_t is, uint64_t ns)
{
    struct timespec rest = {.tv_nsec = (long)ns};
    syscall(SYS_futex, state, FUTEX_WAIT_PRIVATE, is, &rest, NULL, 0);
}

static uint32_t state_with(int32_t tid, enum poke_state state)
{
    return (uint32_t)tid << POKE_STATE_BITS | state;
}

/* Stop the calling thread for the asker. Returns whether the asker has walked this thread; if not,
 * the cell belongs to this thread again. Once the asker has begun the walk, this thread waits for
 * its end; the asker takes no lock meanwhile. */
static bool stop(struct poke *p, struct poke_cell *c, int32_t tid)
{
    uint64_t now_ns = c->time_ns, until_ns = now_ns + POKE_STOP_NS;
    uint32_t stopped = state_with(tid, POKE_STOPPED), held = state_with(tid, POKE_HELD), is;
    bool is_own = false;
    atomic_store(&c->state, stopped);
    atomic_fetch_add(&p->stopped, 1);
    bell_ring(p->asker);
    while (!is_own && ((is = atomic_load(&c->state)) == stopped || is == held)) {
        if (is == held)
            wait_while(&c->state, held, POKE_STOP_NS);
        else if (now_ns < until_ns)
            wait_while(&c->state, stopped, until_ns - now_ns);
        else
            is_own = atomic_compare_exchange_strong(&c->state, &is, POKE_WALKING);
        now_ns = clock_monotonic_ns();
    }
    atomic_fetch_sub(&p->stopped, 1);
    return !is_own;
}

static void answer(struct poke *p, void *ucontext)
{
    int32_t tid = (int32_t)syscall(SYS_gettid);
    struct poke_cell *c = cell_of(p, tid);
    uint32_t asked = POKE_ASKED;
    uint64_t begun_ns;
    if (!c || !atomic_compare_exchange_strong(&c->state, &asked, POKE_WALKING))
        return;
    c->request.ucontext = ucontext;
    c->time_ns = begun_ns = clock_monotonic_ns();
    scope_read(&c->scopes);
    if (!p->asker || !stop(p, c, tid)) {
        walk(p, c);
        atomic_store(&c->state, POKE_ANSWERED);
    }
    atomic_fetch_add_explicit(&p->visits, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&p->spent_ns, clock_monotonic_ns() - begun_ns, memory_order_relaxed);
}

bool poke_walk(struct poke *p)
{
    bool have_walked = false;
    for (uint32_t i = 0; i < p->cell_count && atomic_load(&p->stopped) > 0; i++) {
        struct poke_cell *c = &p->cells[i];
        uint32_t is = atomic_load(&c->state), tid = is >> POKE_STATE_BITS;
        if (is != state_with((int32_t)tid, POKE_STOPPED) ||
            !atomic_compare_exchange_strong(&c->state, &is, state_with((int32_t)tid, POKE_HELD)))
            continue;
        walk(p, c);
        atomic_store(&c->state, POKE_ANSWERED);
        syscall(SYS_futex, &c->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        have_walked = true;
    }
    return have_walked;
}

static void on_signal(int signal, siginfo_t *info, void *ucontext)
{
    int saved = errno;
    bool is_ours =
        info->si_code == SI_QUEUE && info->si_value.sival_ptr && asker_of(info->si_value.sival_ptr);

    for (uint32_t i = 0; i < POKE_ASKERS && is_ours; i++) {
        struct asker *a = &askers[i];

        /* The handler is counted before it reads `is_open`. If `inside` is 0 after poke_close(), no
         * handler uses a cell any more. */
        atomic_fetch_add(&a->inside, 1);
        if (atomic_load(&a->is_open))
            answer(atomic_load(&a->poke), ucontext);
        atomic_fetch_sub(&a->inside, 1);
    }
    if (!is_ours)
        next_handler_call(&application, signal, info, ucontext);
    errno = saved;
}

int poke_open(struct poke *p)
{
    struct asker *a = asker_of(p);
    if (!a)
        a = asker_of(NULL);
    if (!a)
        return -EBUSY;
    atomic_store(&a->poke, p);
    int error = next_handler_take(p->signal, on_signal, &application);
    if (error == 0)
        atomic_store(&a->is_open, true);
    return error;
}

/* Signal number 0 only asks whether a signal could be sent. */
int poke_refused(void)
{
    siginfo_t info = {.si_code = SI_QUEUE};
    int32_t tid = (int32_t)syscall(SYS_gettid);
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, 0, &info) == 0 ? 0 : -errno;
}

/* The handler stays installed, because the default action of the signal would end the process. */
void poke_close(const struct poke *p)
{
    struct asker *a = asker_of(p);
    if (a)
        atomic_store(&a->is_open, false);
}

bool poke_is_quiet(const struct poke *p)
{
    const struct asker *a = asker_of(p);
    return !a || atomic_load(&a->inside) == 0;
}

static struct poke_cell *free_cell(struct poke *p)
{
    for (uint32_t i = 0; i < p->cell_count; i++)
        if (atomic_load(&p->cells[i].state) == POKE_FREE)
            return &p->cells[i];
    return NULL;
}

struct poke_cell *poke_ask(struct poke *p, int32_t tid, void *jni_env, uint64_t java_thread)
{
    siginfo_t info = {.si_code = SI_QUEUE, .si_value.sival_ptr = p};
    struct poke_cell *c = free_cell(p);
    if (!c)
        return NULL;
    /* A tracker's frames may lie above the program's frames, and must be recognised. */
    c->request = (struct walk_request){.jni_env = jni_env, .java_thread = java_thread, .above = 1};
    atomic_store_explicit(&c->tid, tid, memory_order_relaxed);
    atomic_store(&c->state, POKE_ASKED);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, p->signal, &info) == 0)
        return c;
    atomic_store(&c->state, POKE_FREE);
    return NULL;
}

bool poke_is_answered(const struct poke_cell *c)
{
    return atomic_load(&c->state) == POKE_ANSWERED;
}

bool poke_withdraw(struct poke_cell *c)
{
    uint32_t asked = POKE_ASKED;
    return atomic_compare_exchange_strong(&c->state, &asked, POKE_FREE);
}

void poke_free(struct poke *p, struct poke_cell *c)
{
    if (p->walker->leave)
        p->walker->leave(&c->request);
    atomic_store(&c->state, POKE_FREE);
}
