/*
 * jvmpi_send.c - see jvmpi_send.h.
 *
 * Calls under way are counted in two sets, as in vm/vm_event.c: a thread that waits directs new
 * calls to the other set.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_send.h"
#include <unistd.h>
#include "base/stripe.h"
#include "jvmpi/jvmpi_thread.h"

enum {
    SETTLE_MS = 100,
    POLL_US = 100,
    POLLS = SETTLE_MS * 1000 / POLL_US,
};

struct jvmpi_send jvmpi_send;

enum opening { TO_ALL, TO_LAST, TO_NONE };

static _Atomic int opening;   /* enum opening */
static __thread bool is_last; /* the calling thread is the one that still sends at TO_LAST */

static struct {
    _Atomic unsigned turn; /* its lowest bit is the set in which new calls count */
    struct {
        _Alignas(STRIPE_BYTES) _Atomic uint32_t inside[2];
    } stripes[STRIPES];
} calls;

bool jvmpi_send_tells(void)
{
    int now = atomic_load(&opening);
    return now == TO_ALL || (now == TO_LAST && is_last);
}

bool jvmpi_send_is_ending(void)
{
    return atomic_load(&opening) != TO_ALL;
}

/* Whether the event still goes to the agent. The call is counted already: so a thread that turns
 * the event off either waits for this call, or the call sees here that the event is off. */
static bool is_due(int agent, jint event)
{
    if (event & JVMPI_REQUESTED_EVENT)
        return atomic_load(&opening) != TO_NONE;
    return jvmpi_send_tells() && (atomic_load(&jvmpi_send.wanted[event]) & 1u << agent);
}

static void hand_over(int agent, JVMPI_Event *e)
{
    void (*notify)(JVMPI_Event *) = jvmpi_send.tables[agent].NotifyEvent;
    struct jvmpi_self *self = &jvmpi_self;
    if (!notify || !is_due(agent, e->event_type))
        return;
    self->told++;
    notify(e);
    self->told--;
}

void jvmpi_send_one(int agent, JVMPI_Event *e)
{
    _Atomic uint32_t *inside =
        &calls.stripes[stripe_of_thread()].inside[atomic_load(&calls.turn) & 1];
    atomic_fetch_add(inside, 1);
    hand_over(agent, e);
    atomic_fetch_sub_explicit(inside, 1, memory_order_release);
}

void jvmpi_send_to(jvmpi_agents agents, const JVMPI_Event *e)
{
    for (; agents; agents &= agents - 1) {
        JVMPI_Event copy = *e;
        jvmpi_send_one(__builtin_ctz(agents), &copy);
    }
}

void jvmpi_send_about(jvmpi_agents agents, const JVMPI_Event *e, jobjectID id, jobject object)
{
    const struct jvmpi_named named = {jvmpi_self.named, id, object};
    jvmpi_self.named = &named;
    jvmpi_send_to(agents, e);
    jvmpi_self.named = named.outer;
}

void jvmpi_send_counted(jvmpi_agents agents, JVMPI_Event *e)
{
    for (; agents & (agents - 1); agents &= agents - 1) {
        JVMPI_Event copy = *e;
        hand_over(__builtin_ctz(agents), &copy);
    }
    hand_over(__builtin_ctz(agents), e);
}

void jvmpi_send_bare(JNIEnv *env, jint event)
{
    jvmpi_send_to(jvmpi_send_whom(event), &(JVMPI_Event){.event_type = event, .env_id = env});
}

static bool is_empty(unsigned set)
{
    for (int i = 0; i < STRIPES; i++)
        if (atomic_load(&calls.stripes[i].inside[set]) != 0)
            return false;
    return true;
}

bool jvmpi_send_settle(void)
{
    int polls = POLLS;
    if (jvmpi_self.told)
        return false;
    for (int i = 0; i < 2; i++) {
        unsigned old = atomic_fetch_add(&calls.turn, 1) & 1;
        while (!is_empty(old) && polls-- > 0)
            usleep(POLL_US);
    }
    return jvmpi_thread_steps_end(polls, POLL_US) && polls > 0;
}

void jvmpi_send_wait_until_told(const _Atomic uint8_t *told, jvmpi_agents agents)
{
    enum {
        FIRST_US = 50,
        LONGEST_US = 1000,
        ALL_US = 5000000, /* on a busy machine the other thread may not run for long */
    };
    useconds_t waited = 0, next = FIRST_US;
    while (!jvmpi_self.told && (agents & ~(jvmpi_agents)atomic_load(told)) && waited < ALL_US) {
        usleep(next);
        waited += next;
        next = next * 2 < LONGEST_US ? next * 2 : LONGEST_US;
    }
}

void jvmpi_send_close_to_others(void)
{
    is_last = true;
    atomic_store(&opening, TO_LAST);
    jvmpi_send_settle();
}

void jvmpi_send_close(void)
{
    atomic_store(&opening, TO_NONE);
    jvmpi_send_settle();
}
