/*
 * jvmpi_send.c - see jvmpi_send.h.
 *
 * Calls under way are counted in two sets, as in vm/vm_event.c: who waits turns new calls to the
 * other set. SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_send.h"
#include <unistd.h>
#include "base/stripe.h"

enum {
    SETTLE_MS = 100,
    POLL_US = 100,
    POLLS = SETTLE_MS * 1000 / POLL_US,
};

struct jvmpi_send jvmpi_send;

static struct {
    _Atomic unsigned turn; /* its last bit: the set in which new calls count */
    struct {
        _Alignas(STRIPE_BYTES) _Atomic uint32_t inside[2];
    } stripes[STRIPES];
} calls;

void jvmpi_send_one(int agent, JVMPI_Event *e)
{
    void (*notify)(JVMPI_Event *) = jvmpi_send.tables[agent].NotifyEvent;
    _Atomic uint32_t *inside =
        &calls.stripes[stripe_of_thread()].inside[atomic_load(&calls.turn) & 1];

    if (!notify)
        return;
    atomic_fetch_add_explicit(inside, 1, memory_order_acquire);
    jvmpi_self.told++;
    notify(e);
    jvmpi_self.told--;
    atomic_fetch_sub_explicit(inside, 1, memory_order_release);
}

void jvmpi_send_to(jvmpi_agents agents, const JVMPI_Event *e)
{
    for (; agents; agents &= agents - 1) {
        JVMPI_Event copy = *e;

        jvmpi_send_one(__builtin_ctz(agents), &copy);
    }
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

void jvmpi_send_settle(void)
{
    int polls = POLLS;

    if (jvmpi_self.told)
        return;
    for (int i = 0; i < 2; i++) {
        unsigned old = atomic_fetch_add(&calls.turn, 1) & 1;

        while (!is_empty(old) && polls-- > 0)
            usleep(POLL_US);
    }
}
