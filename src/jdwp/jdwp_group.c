/*
 * jdwp_group.c - what a debugger asks about groups of threads: the set ThreadGroupReference.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_answer.h"
#include "snapshot/snapshot.h"

enum { CHILDREN_MAX = 1 << 20 };

/* The group of all virtual threads; 0: none. Of a VM without them the class is not asked for. */
static uint64_t virtual_group(struct jdwp_vm *vm)
{
    struct oops *o = &vm->snapshot->oops;
    if (!vm->virtual_group) {
        uint64_t klass = oops_boot_class(o, "java/lang/Thread$Constants");
        vm->virtual_group = klass ? oops_get_static(o, klass, "VTHREAD_GROUP") : 0;
    }
    return vm->virtual_group;
}

/* Since JDK 19 the group is in an object of its own; a virtual thread has none there. */
bool jdwp_group_of_thread(struct jdwp_vm *vm, uint64_t thread, uint64_t *ret_group)
{
    struct oops *o = &vm->snapshot->oops;
    uint64_t holder = thread, klass = oops_klass(o, thread);
    int32_t holder_at = klass == 0 ? -1 : oops_field(o, klass, "holder");
    *ret_group = 0;
    if (klass && oops_is_kind(o, klass, "java/lang/BaseVirtualThread")) {
        *ret_group = virtual_group(vm);
        return true;
    }
    if (holder_at > 0) {
        if (!oops_load(o, thread + (uint64_t)holder_at, &holder))
            return false;
        if (holder == 0)
            return true;
    }
    int32_t at = oops_field(o, oops_klass(o, holder), "group");
    return at > 0 && oops_load(o, holder + (uint64_t)at, ret_group);
}

bool jdwp_group_parent_of(struct jdwp_vm *vm, uint64_t group, uint64_t *ret_parent)
{
    struct oops *o = &vm->snapshot->oops;
    const struct jdwp_class *c = jdwp_vm_class_of(vm, group);
    int32_t at = c && c->tag == JDWP_TAG_GROUP ? oops_field(o, c->klass, "parent") : -1;
    return at > 0 && oops_load(o, group + (uint64_t)at, ret_parent);
}

/* The group whose id comes next; 0 and a failed reply: none. */
static uint64_t take_group(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c;
    uint64_t group = jdwp_object_take(vm, in, out, &c);
    if (group == 0 || c->tag == JDWP_TAG_GROUP)
        return group;
    jdwp_wire_fail(out, JDWP_INVALID_THREAD_GROUP);
    return 0;
}

void jdwp_group_name(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    struct oops *o = &vm->snapshot->oops;
    uint64_t group = take_group(vm, in, out), name = 0;
    char text[4096];
    if (group == 0)
        return;
    int32_t at = oops_field(o, oops_klass(o, group), "name");
    if (at <= 0 || !oops_load(o, group + (uint64_t)at, &name) || name == 0 ||
        oops_text(o, name, text, sizeof(text)) < 0) {
        jdwp_wire_fail(out, JDWP_INTERNAL);
        return;
    }
    jdwp_wire_text(out, text);
}

void jdwp_group_parent(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    uint64_t group = take_group(vm, in, out), parent = 0;
    if (group == 0)
        return;
    if (!jdwp_group_parent_of(vm, group, &parent))
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_u8(out, parent);
}

/* Add the groups in the first `count` elements of an array of groups, or of weak references to
 * groups. Returns false if they cannot be read. */
static bool put_groups(struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t group,
                       const char *array_name, const char *count_name, uint32_t *count)
{
    struct oops *o = &vm->snapshot->oops;
    uint64_t klass = oops_klass(o, group), array;
    int32_t array_at = oops_field(o, klass, array_name),
            count_at = oops_field(o, klass, count_name);
    uint32_t used;
    if (array_at <= 0 || count_at <= 0)
        return true; /* this release has no such field */
    if (!oops_load(o, group + (uint64_t)array_at, &array) ||
        !jdwp_vm_u4(vm, group + (uint64_t)count_at, &used) || used > CHILDREN_MAX)
        return false;
    for (uint32_t i = 0; array != 0 && i < used && i < oops_length(o, array); i++) {
        uint64_t child = oops_element(o, array, i);
        const struct jdwp_class *c = jdwp_vm_class_of(vm, child);
        if (c && c->tag != JDWP_TAG_GROUP) {
            child = oops_get_object(o, child, "referent");
            c = jdwp_vm_class_of(vm, child);
        }
        if (!c || c->tag != JDWP_TAG_GROUP)
            continue;
        jdwp_wire_u8(out, child);
        (*count)++;
    }
    return true;
}

void jdwp_group_children(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct java_threads *threads = &vm->snapshot->java;
    uint64_t group = take_group(vm, in, out), of;
    size_t count_at = out->used;
    uint32_t count = 0;
    if (group == 0)
        return;
    jdwp_wire_u4(out, 0);
    /* The group of virtual threads counts none of them. */
    for (uint32_t i = 0; i < threads->platform_count; i++) {
        if (!jdwp_vm_class_of(vm, threads->rows[i].object) ||
            !jdwp_group_of_thread(vm, threads->rows[i].object, &of) || of != group)
            continue;
        jdwp_wire_u8(out, threads->rows[i].object);
        count++;
    }
    jdwp_wire_patch(out, count_at, count);
    count_at = out->used;
    count = 0;
    jdwp_wire_u4(out, 0);
    if (!put_groups(vm, out, group, "groups", "ngroups", &count) ||
        !put_groups(vm, out, group, "weaks", "nweaks", &count))
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_patch(out, count_at, count);
}
