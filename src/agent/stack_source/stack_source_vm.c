/*
 * stack_source_vm.c - walker=vm: HotSpot's own structures, read by safe/walk_vm.c.
 *
 * Needs no jmethodIDs and no class events: the handler copies a method's names on first sight, and
 * whoever reads the samples sees to it that there is room for them (safe/hs_names.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include "agent/frame/frame_vm.h"
#include "agent/stack_source/stack_source.h"
#include "base/err.h"
#include "hotspot/hotspot.h"
#include "safe/walk_native.h"
#include "safe/walk_vm.h"

static struct hotspot *vm;

static int prepare(struct agent *a, JNIEnv *env, const char **ret_why)
{
    if (hotspot_open_self(&vm, ret_why) != 0)
        return E_FACT_MISSING;
    struct hs_names *names = frame_vm_open(&vm->layout, a->options.mem_bytes);
    if (!names) {
        *ret_why = "no memory for names: lower mem=";
        hotspot_close(vm);
        return E_LIMIT;
    }
    walk_vm_prepare(&vm->memory, names);
    walk_native_prepare(&vm->memory, names);
    return 0;
}

static void release(void)
{
    frame_vm_close();
    hotspot_close(vm);
}

const struct stack_source stack_source_vm = {
    .name = "vm",
    .help = "reads HotSpot's own structures: walks from any instruction, needs no jmethodIDs",
    .walker = &walk_vm,
    .native_walker = &walk_native,
    .prepare = prepare,
    .read = frame_vm_turn,
    .count = frame_vm_count,
    .release = release,
};
