/*
 * vm_walk.c - see vm_walk.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/stack_source/vm_walk.h"
#include <stdint.h>
#include "agent/agent.h"
#include "agent/names/frame_vm.h"
#include "base/err.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "safe/hs_names.h"
#include "safe/walk_native.h"
#include "safe/walk_vm.h"

static struct {
    struct agent *agent;
    struct hotspot *vm;
    uint32_t users;
    const struct ring *rings[HS_NAMES_RINGS]; /* of the users that have one */
    uint32_t ring_count;
} walk;

static int make_ready(struct agent *a, const char **ret_why)
{
    struct hs_names *names;
    if (hotspot_self_open(&walk.vm, ret_why) != 0)
        return E_FACT_MISSING;
    names = frame_vm_open(&walk.vm->layout, a->options.mem_bytes);
    if (!names) {
        *ret_why = "no memory for names: lower mem=";
        hotspot_close(walk.vm);
        return E_LIMIT;
    }
    walk.agent = a;
    walk_vm_prepare(&walk.vm->memory, names);
    walk_native_prepare(&walk.vm->memory, names);
    return 0;
}

int vm_walk_open(struct agent *a, const struct ring *ring, const char **ret_why)
{
    if (ring && walk.ring_count == HS_NAMES_RINGS) {
        *ret_why = "too many engines have a ring of stacks";
        return E_LIMIT;
    }
    int error = walk.users == 0 ? make_ready(a, ret_why) : 0;
    if (error)
        return error;
    walk.users++;
    if (ring)
        walk.rings[walk.ring_count++] = ring;
    return 0;
}

void vm_walk_close(const struct ring *ring)
{
    uint32_t kept = 0;
    agent_lock(walk.agent);
    for (uint32_t i = 0; i < walk.ring_count; i++)
        if (walk.rings[i] != ring)
            walk.rings[kept++] = walk.rings[i];
    walk.ring_count = kept;
    vm_walk_turn(); /* the ring is not waited for any more, and may begin anew */
    if (--walk.users == 0) {
        frame_vm_close();
        hotspot_close(walk.vm);
    }
    agent_unlock(walk.agent);
}

const struct hs_layout *vm_walk_layout(void)
{
    return &walk.vm->layout;
}

const struct walker *vm_walk_mixed(void)
{
    return &walk_native;
}

void vm_walk_turn(void)
{
    if (walk.users > 0)
        frame_vm_turn(walk.rings, walk.ring_count);
}
