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
#include "safe/walk_native.h"
#include "safe/walk_vm.h"

static struct {
    struct hotspot *vm;
    uint32_t users;
    bool has_ring;
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

void vm_walk_set_ring(bool has_ring)
{
    walk.has_ring = has_ring;
}

void vm_walk_turn(const struct ring *ring)
{
    if (walk.users > 0 && (ring || !walk.has_ring))
        frame_vm_turn(ring);
}
