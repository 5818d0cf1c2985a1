/*
 * ttsp_watch.c - see ttsp.h.
 *
 * The set of late threads only shrinks while the VM waits, so asking all of them once would do.
 * They are asked again, because the last stack is the nearest to what kept the thread so long.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/threads.h"
#include "agent/ttsp/ttsp.h"
#include "safe/clock.h"
#include "vm/vm_threads.h"

enum {
    PACE_MOST_MS = 50,
    SLOW_TIMES = 16,           /* the pace of a program in which no thread has been late */
    SLOW_AFTER_S = 10,         /* for so long */
    ASK_PART = 4,              /* threads are asked when a quarter of the threshold is over */
    AGAIN_NS = 10 * NS_PER_MS, /* they are asked again after this time */
    QUIET_LOOKS = 2,           /* the VM changes its state and its counters one after the other */
    /* The watchpoint may tell before the VM's write can be read. */
    FRESH_LOOKS = 3,
    TOLD_MOST = 50, /* safepoints in a second of which the watchpoint tells */
    IDLE_MS = 100,  /* without a word of the watchpoint the agent's thread looks so often */
};

/* A time as long as the threshold has at least one look in its second half. */
uint32_t ttsp_watch_pace_ms(const struct ttsp *t)
{
    uint64_t ms = atomic_load(&t->least_ns) / 2 / NS_PER_MS;
    if (ms > PACE_MOST_MS)
        ms = PACE_MOST_MS;
    return ms > 0 ? (uint32_t)ms : 1;
}

/*
 * To wake a thread each millisecond takes one to two hundredths of a processor. So if no watchpoint
 * tells of safepoints, and no thread has been late for a while, the looks are rarer. The VM's own
 * lengths are as exact as before; if a thread is late again, a short time may be without its stack.
 */
static uint32_t rest_ms(const struct ttsp *t)
{
    uint32_t ms = ttsp_watch_pace_ms(t), slow_ms = ms * SLOW_TIMES;
    bool is_late = t->now.lasts || t->now.quiet_looks > 0 || t->seen.fresh_looks > 0 ||
                   clock_monotonic_ns() - t->seen.late_ns < (uint64_t)SLOW_AFTER_S * NS_PER_S;
    if (is_late || t->vm.source > VM_SAFEPOINT_CLOCKS)
        return ms;
    return slow_ms < PACE_MOST_MS ? slow_ms : PACE_MOST_MS;
}

/* ---- the questions */

static bool take_answer(struct ttsp *t, struct ttsp_late *late)
{
    if (!late->asked || !poke_is_answered(late->asked))
        return false;
    if (late->answer)
        poke_free(&t->poke, late->answer);
    late->answer = late->asked;
    late->asked = NULL;
    return true;
}

void ttsp_watch_leave(struct ttsp *t, struct ttsp_late *late)
{
    (void)take_answer(t, late);
    if (late->answer)
        poke_free(&t->poke, late->answer);
    if (late->asked && !poke_withdraw(late->asked))
        atomic_store(&t->is_orphan[late->asked - t->poke.cells], true);
    late->asked = late->answer = NULL;
}

/* Free the cells of answers that nobody wants. */
static void collect_orphans(struct ttsp *t)
{
    for (uint32_t i = 0; i < TTSP_CELLS; i++)
        if (atomic_load(&t->is_orphan[i]) && poke_is_answered(&t->poke.cells[i])) {
            atomic_store(&t->is_orphan[i], false);
            poke_free(&t->poke, &t->poke.cells[i]);
        }
}

static void ask(struct ttsp *t, struct ttsp_late *late)
{
    intptr_t offset = vm_threads_env_offset();
    if (!late->asked && late->thread.tid)
        late->asked = poke_ask(&t->poke, late->thread.tid,
                               (void *)(uintptr_t)(late->thread.java_thread + (uint64_t)offset),
                               late->thread.java_thread);
}

/* ---- a safepoint that the VM waits for */

/* The record of a late thread; a new one if there is room, otherwise NULL. */
static struct ttsp_late *record_of(struct ttsp *t, const struct vm_safepoint_late *thread)
{
    for (uint32_t i = 0; i < t->now.count; i++)
        if (t->now.late[i].thread.java_thread == thread->java_thread)
            return &t->now.late[i];
    return t->now.count < TTSP_LATE ? &t->now.late[t->now.count++] : NULL;
}

/* Note the threads that are late at this moment. */
static void note(struct ttsp *t, const struct vm_safepoint_late *found, uint32_t count,
                 uint64_t now_ns)
{
    bool asks = !t->now.asked_ns || now_ns - t->now.asked_ns >= AGAIN_NS;
    for (uint32_t i = 0; i < count; i++) {
        struct ttsp_late *late = record_of(t, &found[i]);
        if (!late)
            break;
        late->thread = found[i];
        late->seen_ns = now_ns;
        (void)take_answer(t, late);
        if (asks)
            ask(t, late);
    }
    if (asks && count > 0)
        t->now.asked_ns = now_ns;
    for (uint32_t i = 0; i < t->now.count && count > 0; i++)
        if (t->now.late[t->now.last].seen_ns != now_ns && t->now.late[i].seen_ns == now_ns)
            t->now.last = i;
}

/* Whether the safepoint that `before` saw is still not reached. */
static bool still_waits(struct ttsp *t, const struct vm_safepoint_look *before)
{
    struct vm_safepoint_look now;
    vm_safepoint_look(&t->vm, &now);
    return now.begun == before->begun && now.waited_ns == before->waited_ns &&
           now.waits != VM_SAFEPOINT_WAITS_NOT;
}

static void watch(struct ttsp *t, const struct vm_safepoint_look *look)
{
    struct vm_safepoint_late found[TTSP_LATE];
    if (!t->now.lasts) {
        t->now.lasts = true;
        t->now.begin_ns = look->begin_ns && !look->reached_ns ? look->begin_ns : look->at_ns;
    }
    t->now.quiet_looks = 0;
    t->now.operation = vm_safepoint_operation(&t->vm);
    if (look->at_ns - t->now.begin_ns < atomic_load(&t->least_ns) / ASK_PART)
        return;
    uint32_t count = vm_safepoint_late(&t->vm, found, TTSP_LATE);

    /* If all threads have come meanwhile, some may run again: they are not late. */
    if (!still_waits(t, look))
        return;
    t->now.was_looked_at = true;
    if (count > t->now.most)
        t->now.most = count;
    note(t, found, count < TTSP_LATE ? count : TTSP_LATE, look->at_ns);
}

/* ---- a safepoint that was reached */

static bool has_room(const struct ttsp *t)
{
    return atomic_load(&t->queue.put) - atomic_load(&t->queue.taken) < TTSP_QUEUE;
}

static void forget(struct ttsp *t)
{
    for (uint32_t i = 0; i < t->now.count; i++)
        ttsp_watch_leave(t, &t->now.late[i]);
    t->now.lasts = t->now.was_looked_at = false;
    t->now.quiet_looks = t->now.most = t->now.count = t->now.last = 0;
    t->now.asked_ns = 0;
    t->now.operation = NULL;
}

/* When the last of these safepoints was reached: by the VM's clock, or at the latest now. */
static uint64_t end_of(const struct vm_safepoint_look *look, uint64_t stops, uint64_t ns)
{
    bool is_same = stops == 1 && look->reached_ns && look->reached_ns - look->begin_ns == ns;
    return is_same ? look->reached_ns : look->at_ns;
}

static void put(struct ttsp *t, const struct vm_safepoint_look *look, uint64_t stops, uint64_t ns)
{
    uint32_t put = atomic_load(&t->queue.put);
    const char *operation = vm_safepoint_operation(&t->vm);
    struct ttsp_stop *s = &t->queue.stops[put % TTSP_QUEUE];
    *s = (struct ttsp_stop){
        .end_ns = end_of(look, stops, ns),
        .ns = ns,
        .stops = stops,
        .operation = t->now.operation ? t->now.operation : operation,
        .was_looked_at = t->now.was_looked_at,
        .late_threads = t->now.most,
    };
    if (t->now.count > 0) {
        struct ttsp_late *last = &t->now.late[t->now.last];
        s->last = *last;
        last->asked = last->answer = NULL;
    }
    atomic_store(&t->queue.put, put + 1);
}

static void reach(struct ttsp *t, const struct vm_safepoint_look *look, uint64_t stops, uint64_t ns)
{
    if (ns >= atomic_load(&t->least_ns))
        t->seen.late_ns = look->at_ns;
    if (ns < atomic_load(&t->least_ns)) {
        atomic_fetch_add(&t->shorter, stops);
        atomic_fetch_add(&t->shorter_ns, ns);
    } else if (has_room(t)) {
        put(t, look, stops, ns);
    } else {
        atomic_fetch_add(&t->lost, stops);
    }
    t->seen.reached += stops;
    t->seen.waited_ns += ns;
    forget(t);
}

/* ---- the looks */

/* The VM Thread pays for the watchpoint at each safepoint. If there are many, looks are cheaper. */
static void weigh(struct ttsp *t, const struct vm_safepoint_look *look)
{
    uint64_t ns = look->at_ns - t->seen.weighed_ns, begun = look->begun - t->seen.weighed_begun;
    if (ns < NS_PER_S)
        return;
    if (t->watchpoint.is_open && begun > TOLD_MOST * (ns / NS_PER_S)) {
        ttsp_watchpoint_close(&t->watchpoint);
        t->is_told = false;
    }
    t->seen.weighed_ns = look->at_ns;
    t->seen.weighed_begun = look->begun;
}

/*
 * The VM's two numbers say how many safepoints have begun since the last look, and how long those
 * took that were reached. If two or more have begun, the last may have been reached or not.
 */
static void look(struct ttsp *t)
{
    struct vm_safepoint_look look;
    vm_safepoint_look(&t->vm, &look);
    uint64_t begun = look.begun - t->seen.reached, ns = look.waited_ns - t->seen.waited_ns;

    if (ns > 0) {
        bool waits = begun > 1 && look.waits == VM_SAFEPOINT_WAITS;
        uint64_t stops = begun - waits;
        if (begun == 0) { /* it was given up too early */
            t->seen.reached--;
            stops = 1;
        }
        reach(t, &look, stops, ns);
        begun = waits;
    }
    if (begun > 0 && look.waits != VM_SAFEPOINT_WAITS_NOT) {
        watch(t, &look);
    } else if (begun > 0 && ++t->now.quiet_looks >= QUIET_LOOKS) {
        t->seen.reached += begun;
        forget(t);
    }
    weigh(t, &look);
}

void ttsp_watch_begin(struct ttsp *t)
{
    struct vm_safepoint_look look;
    vm_safepoint_look(&t->vm, &look);
    t->seen.late_ns = t->seen.weighed_ns = look.at_ns;
    t->seen.weighed_begun = look.begun;
    t->seen.reached = look.begun;
    t->seen.waited_ns = look.waited_ns;
}

void ttsp_watch_end(struct ttsp *t)
{
    for (uint32_t taken = t->queue.taken; taken != t->queue.put; taken++)
        ttsp_watch_leave(t, &t->queue.stops[taken % TTSP_QUEUE].last);
    collect_orphans(t);
}

static void tell(struct ttsp *t)
{
    if (atomic_load(&t->queue.put) == atomic_load(&t->queue.taken) || !agent_try_lock(t->agent))
        return;
    if (!t->watcher.stop)
        ttsp_tell(t, false);
    agent_unlock(t->agent);
}

/* Whether nothing is under way, so that only the next safepoint can bring something new. */
static bool is_idle(const struct ttsp *t)
{
    return !t->now.lasts && t->now.quiet_looks == 0 && t->seen.fresh_looks == 0 &&
           atomic_load(&t->queue.put) == atomic_load(&t->queue.taken);
}

/* Wait until it is time for a look. */
static void rest(struct ttsp *t)
{
    if (!t->watchpoint.is_open || !is_idle(t))
        bell_wait(&t->watcher.wake, rest_ms(t));
    else if (ttsp_watchpoint_wait(&t->watchpoint, IDLE_MS))
        t->seen.fresh_looks = FRESH_LOOKS;
    if (t->seen.fresh_looks > 0)
        t->seen.fresh_looks--;
}

void JNICALL ttsp_watch_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct ttsp *t = argument;
    threads_begin_agent(t->agent, env);
    while (!t->watcher.stop) {
        rest(t);
        look(t);
        collect_orphans(t);
        tell(t);
    }
    forget(t);
    ttsp_watchpoint_close(&t->watchpoint);
    bell_ring(&t->watcher.stopped);
}
