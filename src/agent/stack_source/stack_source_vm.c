/*
 * stack_source_vm.c - walker=vm: HotSpot's own structures, read by safe/walk_vm.c.
 *
 * This walker needs no jmethodIDs and no class events. The handler copies the names of a method
 * when it meets the method first; the reader of the samples makes room for names (safe/hs_names.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/frame_vm.h"
#include "agent/stack_source/stack_source.h"
#include "agent/stack_source/vm_walk.h"
#include "safe/walk_native.h"
#include "safe/walk_vm.h"

static const struct ring *samples;

static int prepare(struct agent *a, JNIEnv *env, const struct ring *ring, const char **ret_why)
{
    samples = ring;
    return vm_walk_open(a, ring, ret_why);
}

static void release(void)
{
    vm_walk_close(samples);
}

const struct stack_source stack_source_vm = {
    .name = "vm",
    .help = "reads HotSpot's own structures: walks from any instruction, needs no jmethodIDs",
    .walker = &walk_vm,
    .native_walker = &walk_native,
    .prepare = prepare,
    .read = vm_walk_turn,
    .count = frame_vm_count,
    .release = release,
};
