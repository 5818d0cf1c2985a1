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
    struct hotspot *vm;
    uint32_t users;
    bool has_ring; /* there is a ring of timers' handlers */
    /* The rings in the order in which they came; the ring of timers' handlers is among them when
     * its reader has come. */
    const struct ring *rings[HS_NAMES_RINGS];
    uint32_t ring_count;
    const struct ring *timers; /* that ring; NULL: not known yet */
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
    walk_vm_prepare(&walk.vm->memory, names);
    walk_native_prepare(&walk.vm->memory, names);
    return 0;
}

int vm_walk_open(struct agent *a, const char **ret_why)
{
    int error = walk.users == 0 ? make_ready(a, ret_why) : 0;
    if (!error)
        walk.users++;
    return error;
}

void vm_walk_close(void)
{
    if (--walk.users > 0)
        return;
    frame_vm_close();
    hotspot_close(walk.vm);
}

const struct hs_layout *vm_walk_layout(void)
{
    return &walk.vm->layout;
}

const struct walker *vm_walk_mixed(void)
{
    return &walk_native;
}

int vm_walk_add_ring(const struct ring *ring)
{
    if (walk.ring_count == HS_NAMES_RINGS)
        return E_LIMIT;
    walk.rings[walk.ring_count++] = ring;
    return 0;
}

void vm_walk_remove_ring(const struct ring *ring)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < walk.ring_count; i++)
        if (walk.rings[i] != ring)
            walk.rings[kept++] = walk.rings[i];
    walk.ring_count = kept;
}

void vm_walk_set_ring(bool has_ring)
{
    walk.has_ring = has_ring;
    if (!has_ring && walk.timers) {
        vm_walk_remove_ring(walk.timers);
        walk.timers = NULL;
    }
}

static bool is_known(const struct ring *ring)
{
    for (uint32_t i = 0; i < walk.ring_count; i++)
        if (walk.rings[i] == ring)
            return true;
    return false;
}

void vm_walk_turn(const struct ring *ring)
{
    if (walk.users == 0 || (!ring && (walk.has_ring || walk.ring_count > 0)))
        return;
    if (ring && !is_known(ring) && vm_walk_add_ring(ring) == 0)
        walk.timers = ring;
    if (!walk.has_ring || walk.timers)
        frame_vm_turn(walk.rings, walk.ring_count);
}
