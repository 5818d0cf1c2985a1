/*
 * jdwp_machine.c - what a debugger asks about the whole JVM: the set VirtualMachine, and requests
 * for events.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_answer.h"
#include <stdlib.h>
#include <string.h>
#include "hotspot/java_props.h"
#include "snapshot/snapshot.h"

enum {
    ONE_DIGIT = 8, /* the last release whose JDWP has the version 1.N */
    MODULES_SINCE = 9,
    CAPABILITIES = 7,
    CAPABILITIES_NEW = 32,
    GROUPS_MAX = 100000, /* groups above a thread; a circle of groups ends here */
};

/* ---- properties */

/* The properties of System that replies need. */
struct props {
    const char *const *names;
    char **values; /* NULL: not there */
    uint32_t count;
};

static int see_property(void *with, const char *name, const char *value)
{
    struct props *p = with;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!p->values[i] && strcmp(p->names[i], name) == 0)
            p->values[i] = strdup(value);
    }
    return 0;
}

static void read_properties(struct jdwp_vm *vm, const char *const *names, char **values,
                            uint32_t count)
{
    struct props p = {names, values, count};
    uint32_t damage = 0;
    (void)java_props_each(&vm->snapshot->oops, see_property, &p, &damage);
}

void jdwp_machine_version(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    static const char *const names[] = {"java.version", "java.vm.name"};
    char *values[2] = {NULL, NULL};
    uint32_t release = vm->snapshot->target.layout->version;
    (void)in;
    read_properties(vm, names, values, 2);
    jdwp_wire_text(out, vm->description);
    jdwp_wire_u4(out, release <= ONE_DIGIT ? 1 : release);
    jdwp_wire_u4(out, release <= ONE_DIGIT ? release : 0);
    if (!values[0] || !values[1])
        jdwp_wire_fail(out, JDWP_INTERNAL);
    for (int i = 0; i < 2; i++) {
        if (values[i])
            jdwp_wire_text(out, values[i]);
        free(values[i]);
    }
}

/* Adds the parts of a path, which colons separate. */
static uint32_t put_parts(struct jdwp_wire_reply *out, const char *path)
{
    uint32_t count = 0;
    char part[4096];
    for (const char *at = path; at && *at; at += *at == ':') {
        size_t len = strcspn(at, ":");
        size_t kept = len < sizeof(part) ? len : sizeof(part) - 1;
        memcpy(part, at, kept);
        part[kept] = '\0';
        jdwp_wire_text(out, part);
        count++;
        at += len;
    }
    return count;
}

void jdwp_machine_class_paths(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    static const char *const names[] = {"user.dir", "java.class.path", "sun.boot.class.path"};
    char *values[3] = {NULL, NULL, NULL};
    (void)in;
    read_properties(vm, names, values, 3);
    if (!values[0] || !values[1])
        jdwp_wire_fail(out, JDWP_INTERNAL);
    else
        jdwp_wire_text(out, values[0]);
    for (int i = 1; i < 3; i++) {
        size_t count_at = out->used;
        jdwp_wire_u4(out, 0);
        jdwp_wire_patch(out, count_at, put_parts(out, values[i]));
    }
    for (int i = 0; i < 3; i++)
        free(values[i]);
}

void jdwp_machine_id_sizes(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    (void)vm;
    (void)in;
    for (int i = 0; i < 5; i++)
        jdwp_wire_u4(out, JDWP_WIRE_ID);
}

/* ---- what it can do */

/* The capabilities in the order of CapabilitiesNew; Capabilities has the first seven. */
static bool can(const struct jdwp_vm *vm, int number)
{
    switch (number) {
    case 3:  /* canGetSyntheticAttribute */
    case 4:  /* canGetOwnedMonitorInfo */
    case 5:  /* canGetCurrentContendedMonitor */
    case 6:  /* canGetMonitorInfo */
    case 12: /* canGetSourceDebugExtension */
    case 17: /* canGetMonitorFrameInfo */
        return true;
    case 15: /* canGetInstanceInfo */
        return vm->graph != NULL;
    default:
        return false;
    }
}

void jdwp_machine_capabilities(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    (void)in;
    for (int i = 0; i < CAPABILITIES; i++)
        jdwp_wire_u1(out, can(vm, i));
}

void jdwp_machine_capabilities_new(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    (void)in;
    for (int i = 0; i < CAPABILITIES_NEW; i++)
        jdwp_wire_u1(out, can(vm, i));
}

/* Kinds of events. Source: JDWP specification, EventKind. */
enum {
    EVENT_SINGLE_STEP = 1,
    EVENT_BREAKPOINT = 2,
    EVENT_FRAME_POP = 3,
    EVENT_EXCEPTION = 4,
    EVENT_THREAD_START = 6,
    EVENT_THREAD_DEATH = 7,
    EVENT_CLASS_PREPARE = 8,
    EVENT_CLASS_UNLOAD = 9,
    EVENT_FIELD_ACCESS = 20,
    EVENT_FIELD_MODIFICATION = 21,
    EVENT_EXCEPTION_CATCH = 30,
    EVENT_METHOD_ENTRY = 40,
    EVENT_METHOD_EXIT = 41,
    EVENT_METHOD_EXIT_VALUE = 42,
    EVENT_MONITOR_FIRST = 43,
    EVENT_MONITOR_LAST = 46,
    EVENT_VM_START = 90,
    EVENT_VM_DEATH = 99,
};

/* Debuggers ask for some events as soon as they attach, and do not begin if one of these is
 * refused. The requests are granted; a program that stands has no events. What a user asks for to
 * stop the program is refused. */
void jdwp_machine_request_event(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    uint8_t kind = rd_u1(in);
    switch (kind) {
    case EVENT_EXCEPTION:
    case EVENT_THREAD_START:
    case EVENT_THREAD_DEATH:
    case EVENT_CLASS_PREPARE:
    case EVENT_CLASS_UNLOAD:
    case EVENT_VM_START:
    case EVENT_VM_DEATH:
        jdwp_wire_u4(out, ++vm->requests);
        return;
    case EVENT_SINGLE_STEP:
    case EVENT_BREAKPOINT:
    case EVENT_FRAME_POP:
    case EVENT_FIELD_ACCESS:
    case EVENT_FIELD_MODIFICATION:
    case EVENT_EXCEPTION_CATCH:
    case EVENT_METHOD_ENTRY:
    case EVENT_METHOD_EXIT:
    case EVENT_METHOD_EXIT_VALUE:
        jdwp_wire_fail(out, JDWP_NOT_IMPLEMENTED);
        return;
    default:
        jdwp_wire_fail(out, kind >= EVENT_MONITOR_FIRST && kind <= EVENT_MONITOR_LAST
                                ? JDWP_NOT_IMPLEMENTED
                                : JDWP_INVALID_EVENT_TYPE);
    }
}

/* ---- classes */

/* Whether lists of classes have this one: not before it is prepared, as in the JDK's own server. */
static bool is_listed(struct jdwp_vm *vm, const struct jdwp_class *c, struct jdwp_wire_reply *out,
                      uint32_t *ret_status)
{
    if (!jdwp_type_read_status(vm, c, ret_status))
        jdwp_wire_fail(out, JDWP_INTERNAL);
    return c->listed == 0 && (c->type == JDWP_TYPE_ARRAY || *ret_status != 0);
}

void jdwp_machine_classes_by_signature(struct jdwp_vm *vm, struct rd *in,
                                       struct jdwp_wire_reply *out)
{
    uint32_t len = rd_u4(in), count = 0, status;
    const unsigned char *text = rd_bytes(in, len);
    size_t count_at = out->used;
    jdwp_wire_u4(out, 0);
    for (uint32_t i = 0; text && i < vm->class_count; i++) {
        const struct jdwp_class *c = &vm->classes[i];
        if (strlen(c->signature) != len || memcmp(c->signature, text, len) != 0 ||
            !is_listed(vm, c, out, &status))
            continue;
        jdwp_wire_u1(out, c->type);
        jdwp_wire_u8(out, c->klass);
        jdwp_wire_u4(out, status);
        count++;
    }
    jdwp_wire_patch(out, count_at, count);
}

static void put_all_classes(struct jdwp_vm *vm, struct jdwp_wire_reply *out, bool has_generic)
{
    size_t count_at = out->used;
    uint32_t count = 0, status;
    jdwp_wire_u4(out, 0);
    for (uint32_t i = 0; i < vm->class_count && out->error == JDWP_OK; i++) {
        const struct jdwp_class *c = &vm->classes[i];
        if (!is_listed(vm, c, out, &status))
            continue;
        jdwp_wire_u1(out, c->type);
        jdwp_wire_u8(out, c->klass);
        jdwp_wire_text(out, c->signature);
        if (has_generic)
            jdwp_type_put_generic(vm, c, out);
        jdwp_wire_u4(out, status);
        count++;
    }
    jdwp_wire_patch(out, count_at, count);
}

void jdwp_machine_all_classes(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    (void)in;
    put_all_classes(vm, out, false);
}

void jdwp_machine_all_classes_generic(struct jdwp_vm *vm, struct rd *in,
                                      struct jdwp_wire_reply *out)
{
    (void)in;
    put_all_classes(vm, out, true);
}

/* ---- lists of objects, each of which is named once */

struct list {
    uint64_t *objects;
    uint32_t count, room;
    bool has_failed;
};

static void add_once(struct list *l, uint64_t object)
{
    for (uint32_t i = l->count; i-- > 0;) {
        if (l->objects[i] == object)
            return;
    }
    if (l->count == l->room) {
        uint32_t room = l->room > 0 ? l->room * 2 : 64;
        uint64_t *more = reallocarray(l->objects, room, sizeof(*more));
        if (!more) {
            l->has_failed = true;
            return;
        }
        l->objects = more;
        l->room = room;
    }
    l->objects[l->count++] = object;
}

static void put_list(struct jdwp_wire_reply *out, struct list *l)
{
    if (l->has_failed)
        jdwp_wire_fail(out, JDWP_OUT_OF_MEMORY);
    jdwp_wire_u4(out, l->count);
    for (uint32_t i = 0; i < l->count; i++)
        jdwp_wire_u8(out, l->objects[i]);
    free(l->objects);
}

/* The modules of all classes. A module without a class has nothing that a debugger could see. */
void jdwp_machine_all_modules(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    struct oops *o = &vm->snapshot->oops;
    struct list l = {0};
    (void)in;
    if (vm->snapshot->target.layout->version < MODULES_SINCE)
        jdwp_wire_fail(out, JDWP_NOT_IMPLEMENTED);
    for (uint32_t i = 0; out->error == JDWP_OK && i < vm->class_count; i++) {
        uint64_t mirror = oops_klass_mirror(o, vm->classes[i].klass), klass = oops_klass(o, mirror),
                 module;
        int32_t at = klass == 0 ? -1 : oops_field(o, klass, "module");
        if (at <= 0 || !oops_load(o, mirror + (uint64_t)at, &module))
            jdwp_wire_fail(out, JDWP_INTERNAL);
        else if (module != 0)
            add_once(&l, module);
    }
    put_list(out, &l);
}

void jdwp_machine_all_threads(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct java_threads *threads = &vm->snapshot->java;
    size_t count_at = out->used;
    uint32_t count = 0;
    (void)in;
    jdwp_wire_u4(out, 0);
    for (uint32_t i = 0; i < threads->count; i++) {
        if (!jdwp_vm_class_of(vm, threads->rows[i].object))
            continue;
        jdwp_wire_u8(out, threads->rows[i].object);
        count++;
    }
    jdwp_wire_patch(out, count_at, count);
}

void jdwp_machine_top_groups(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct java_threads *threads = &vm->snapshot->java;
    struct list l = {0};
    (void)in;
    for (uint32_t i = 0; i < threads->count; i++) {
        uint64_t group, parent;
        if (!jdwp_group_of_thread(vm, threads->rows[i].object, &group) || group == 0)
            continue;
        for (int n = 0; n < GROUPS_MAX && jdwp_group_parent_of(vm, group, &parent); n++) {
            if (parent == 0) {
                add_once(&l, group);
                break;
            }
            group = parent;
        }
    }
    put_list(out, &l);
}
