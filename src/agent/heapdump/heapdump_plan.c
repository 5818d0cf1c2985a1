/*
 * heapdump_plan.c - see heapdump_plan.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/heapdump/heapdump_plan.h"
#include <errno.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/heapdump/heapdump.h"
#include "format/hprof_redact.h"
#include "format/hprof_serial.h"
#include "heapdump/dumpwriter.h"
#include "options/options_heapdump.h"

enum { ACC_STATIC = 0x0008, CONSTANTS_FIRST = 8, CONSTANTS_MAX = 65535 };

static enum hprof_heap_type type_of(char letter)
{
    static const char letters[] = "....ZCFDBSIJ";
    const char *at = letter && letter != '.' ? strchr(letters, letter) : NULL;
    return at ? (enum hprof_heap_type)(at - letters) : HPROF_OBJECT;
}

static const char *keep_text(struct heapdump *d, const char *text)
{
    size_t size = strlen(text) + 1;
    char *kept = arena_alloc(&d->frozen.arena, size);
    return kept ? memcpy(kept, text, size) : "<no memory>";
}

static uint32_t number_of(struct heapdump *d, jclass klass)
{
    jlong tag = 0;
    if (!klass ||
        (*d->frozen.vm.jvmti)->GetTag(d->frozen.vm.jvmti, klass, &tag) != JVMTI_ERROR_NONE ||
        tag <= (jlong)d->frozen.threads.count || tag >= FROZEN_VM_SENTINEL)
        return 0;
    return (uint32_t)(tag - (jlong)d->frozen.threads.count);
}

static int add_field(struct heapdump_plan *p, struct heapdump_plan_class *c, jfieldID field,
                     uint32_t at)
{
    struct heapdump *d = p->d;
    char *name = NULL, *signature = NULL;
    jint modifiers = 0;
    struct hprof_heap_field row = {0};
    const struct options_heapdump *options = options_heapdump_of(&d->recording->options);
    if ((*d->frozen.vm.jvmti)
                ->GetFieldName(d->frozen.vm.jvmti, c->klass, field, &name, &signature, NULL) !=
            JVMTI_ERROR_NONE ||
        (*d->frozen.vm.jvmti)->GetFieldModifiers(d->frozen.vm.jvmti, c->klass, field, &modifiers) !=
            JVMTI_ERROR_NONE)
        return -ENOMEM;
    row.type = type_of(signature[0]);
    row.name = keep_text(d, name);
    (*d->frozen.vm.jvmti)->Deallocate(d->frozen.vm.jvmti, (unsigned char *)name);
    (*d->frozen.vm.jvmti)->Deallocate(d->frozen.vm.jvmti, (unsigned char *)signature);
    if (row.type != HPROF_OBJECT && !options->primfields) {
        c->slots[at] = INT32_MAX; /* left out */
        return 0;
    }
    row.name_id = d->next->string++;
    if (modifiers & ACC_STATIC) {
        c->slots[at] = -1 - (int32_t)c->out.static_count;
        c->out.statics[c->out.static_count++] = row;
    } else {
        c->slots[at] = (int32_t)c->out.field_count;
        c->out.fields[c->out.field_count++] = row;
    }
    c->is_zeroed[at] = hprof_redact_zeroes(p->rule.values, row.type,
                                           hprof_redact_is_hash(row.name, strlen(row.name)));
    if (c->is_zeroed[at] && !c->is_kept && modifiers & ACC_STATIC)
        c->slots[at] = INT32_MAX; /* the value stays 0 */
    return 0;
}

static int add_fields(struct heapdump_plan *p, struct heapdump_plan_class *c)
{
    struct heapdump *d = p->d;
    jfieldID *fields = NULL;
    jint count = 0;
    int error = 0;

    /* A class that is not prepared has no instances and no values yet. */
    if ((*d->frozen.vm.jvmti)->GetClassFields(d->frozen.vm.jvmti, c->klass, &count, &fields) !=
        JVMTI_ERROR_NONE)
        return 0;
    c->total = (uint32_t)count;
    c->slots = arena_alloc(&d->frozen.arena, ((size_t)count + 1) * sizeof(*c->slots));
    c->is_zeroed = arena_alloc(&d->frozen.arena, (size_t)count + 1);
    c->out.fields = arena_alloc(&d->frozen.arena, ((size_t)count + 1) * sizeof(*c->out.fields));
    c->out.statics = arena_alloc(&d->frozen.arena, ((size_t)count + 1) * sizeof(*c->out.statics));
    if (!c->slots || !c->is_zeroed || !c->out.fields || !c->out.statics)
        error = -ENOMEM;
    for (jint i = 0; i < count && !error; i++)
        error = add_field(p, c, fields[i], (uint32_t)i);
    (*d->frozen.vm.jvmti)->Deallocate(d->frozen.vm.jvmti, (unsigned char *)fields);
    return error;
}

static int add_interfaces(struct heapdump_plan *p, struct heapdump_plan_class *c, JNIEnv *env)
{
    struct heapdump *d = p->d;
    jclass *interfaces = NULL;
    jint count = 0;
    if ((*d->frozen.vm.jvmti)
            ->GetImplementedInterfaces(d->frozen.vm.jvmti, c->klass, &count, &interfaces) !=
        JVMTI_ERROR_NONE)
        return 0;
    c->interfaces = arena_alloc(&d->frozen.arena, ((size_t)count + 1) * sizeof(*c->interfaces));
    for (jint i = 0; i < count; i++) {
        uint32_t number = number_of(d, interfaces[i]);
        if (c->interfaces && number)
            c->interfaces[c->interface_count++] = number;
        (*env)->DeleteLocalRef(env, interfaces[i]);
    }
    (*d->frozen.vm.jvmti)->Deallocate(d->frozen.vm.jvmti, (unsigned char *)interfaces);
    return c->interfaces ? 0 : -ENOMEM;
}

static int add_class(struct heapdump_plan *p, struct heapdump_plan_class *c, JNIEnv *env)
{
    struct heapdump *d = p->d;
    char *signature = NULL;
    jclass super = (*env)->GetSuperclass(env, c->klass);
    int error;
    c->super = number_of(d, super);
    c->super_class = c->super ? &p->classes[c->super - 1] : NULL;
    c->out.super = c->super_class ? &c->super_class->out : NULL;
    (*env)->DeleteLocalRef(env, super);
    if ((*d->frozen.vm.jvmti)->GetClassSignature(d->frozen.vm.jvmti, c->klass, &signature, NULL) ==
        JVMTI_ERROR_NONE) {
        c->is_array = signature[0] == '[';
        if (c->is_array && type_of(signature[1]) != HPROF_OBJECT)
            c->element_type = type_of(signature[1]);
        (*d->frozen.vm.jvmti)->Deallocate(d->frozen.vm.jvmti, (unsigned char *)signature);
    }
    error = c->is_array ? 0 : add_fields(p, c);
    return error ? error : add_interfaces(p, c, env);
}

/* The number of fields of all interfaces of a class and of its superclasses, and of the interfaces
 * of these. Each interface counts once. */
static uint32_t count_interfaces(struct heapdump_plan *p, struct heapdump_plan_class *c)
{
    uint32_t sum = 0;
    for (; c; c = c->super_class) {
        for (uint32_t i = 0; i < c->interface_count; i++) {
            struct heapdump_plan_class *of = &p->classes[c->interfaces[i] - 1];
            if (of->visit == p->visit)
                continue;
            of->visit = p->visit;
            sum += of->total + count_interfaces(p, of);
        }
    }
    return sum;
}

static void settle(struct heapdump_plan *p, struct heapdump_plan_class *c)
{
    p->visit++;
    c->from_interfaces = count_interfaces(p, c);
    for (const struct heapdump_plan_class *s = c; s; s = s->super_class) {
        c->value_count += s->out.field_count;
        if (s != c)
            c->inherited += s->total;
        for (uint32_t i = 0; i < s->out.field_count; i++)
            c->out.instance_bytes +=
                hprof_heap_size(s->out.fields[i].type, p->d->file.out.id_bytes);
    }
}

int heapdump_plan_make(struct heapdump_plan *p, struct heapdump *d, JNIEnv *env)
{
    int error = 0;
    *p = (struct heapdump_plan){.d = d, .rule = heapdump_write_rule(d)};
    p->classes =
        arena_alloc(&d->frozen.arena, ((size_t)d->frozen.classes.count + 1) * sizeof(*p->classes));
    if (!p->classes)
        return -ENOMEM;
    p->count = (uint32_t)d->frozen.classes.count;
    for (uint32_t i = 0; i < p->count; i++) {
        struct heapdump_plan_class *c = &p->classes[i];
        c->klass = d->frozen.classes.list[i];
        c->own_locals = 1;
        c->tag = (uint64_t)d->frozen.threads.count + i + 1;
        c->out.object = heapdump_names_id(d, i, c->tag);
        c->known = &d->names.known[i];
        c->out.name = d->names.known[i].name ? d->names.known[i].name : "<unknown class>";
        c->is_kept = hprof_redact_keeps(&p->rule, c->out.name, strlen(c->out.name));
        c->out.serial = d->names.known[i].serial ? d->names.known[i].serial : d->next->serial++;
        c->out.trace = HPROF_SERIAL_TRACE_SYSTEM;
        (*d->frozen.vm.jvmti)->SetTag(d->frozen.vm.jvmti, c->klass, (jlong)c->tag);
    }
    for (uint32_t i = 0; i < p->count && !error; i++)
        error = add_class(p, &p->classes[i], env);
    for (uint32_t i = 0; i < p->count && !error; i++)
        settle(p, &p->classes[i]);
    return error;
}

static void write_name(struct heapdump *d, uint64_t id, const char *text)
{
    d->file.out.ops->string(&d->file.out, id, text, strlen(text));
}

static void write_fields(struct heapdump *d, enum hprof_redact_fate fate,
                         const struct hprof_heap_field *rows, uint32_t count)
{
    char room[HPROF_REDACT_NAME];
    for (uint32_t i = 0; i < count; i++)
        write_name(d, rows[i].name_id,
                   fate == HPROF_REDACT_STAYS
                       ? rows[i].name
                       : hprof_redact_name(fate, hprof_redact_number(rows[i].name_id), room));
}

/* Writes LOAD CLASS, unless the file already has the class under this id. A serial stands for one
 * id, so a class that the file has under another id gets a second serial. */
static void announce(struct heapdump_plan_class *c, struct heapdump *d)
{
    uint64_t name, before = c->known->object;
    if (before == c->out.object)
        return;
    if (before != 0)
        c->out.serial = d->next->serial++;
    name = d->next->string++;
    write_name(d, name, c->out.name);
    d->file.out.ops->load_class(&d->file.out, &c->out, name);
}

void heapdump_plan_write(const struct heapdump_plan *p)
{
    struct heapdump *d = p->d;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct hprof_heap_class *c = &p->classes[i].out;
        enum hprof_redact_fate fate = hprof_redact_fate(
            &p->rule, hprof_redact_is_of_jdk(c->name, strlen(c->name)) ? HPROF_REDACT_JDK_FIELD
                                                                       : HPROF_REDACT_FIELD);
        write_fields(d, fate, c->fields, c->field_count);
        write_fields(d, fate, c->statics, c->static_count);
        announce(&p->classes[i], d);
    }
}

/* In the record, the own fields of a class stand in front of those of its superclass. */
int32_t heapdump_plan_value(const struct heapdump_plan_class *c, jint index)
{
    int64_t at = (int64_t)index - c->from_interfaces;
    int64_t from = c->inherited; /* JVM TI's index of the first field of `s` */
    int32_t before = 0;
    for (const struct heapdump_plan_class *s = c; s; s = s->super_class) {
        if (at >= from)
            return at - from < s->total && s->slots[at - from] >= 0 &&
                           s->slots[at - from] != INT32_MAX &&
                           (c->is_kept || !s->is_zeroed[at - from])
                       ? before + s->slots[at - from]
                       : -1;
        before += (int32_t)s->out.field_count;
        from -= s->super_class ? s->super_class->total : 0;
    }
    return -1;
}

void heapdump_plan_static(struct heapdump_plan *p, struct heapdump_plan_class *c, jint index,
                          uint64_t value)
{
    int64_t at = (int64_t)index - c->from_interfaces - c->inherited;
    if (at >= 0 && at < c->total && c->slots[at] < 0)
        c->out.statics[-1 - c->slots[at]].value = value;
}

void heapdump_plan_constant(struct heapdump_plan *p, struct heapdump_plan_class *c, jint index,
                            uint64_t object)
{
    struct hprof_heap_class *out = &c->out;
    if (out->constant_count == CONSTANTS_MAX)
        return;
    if (out->constant_count == c->constant_max) {
        uint32_t room = c->constant_max ? c->constant_max * 2 : CONSTANTS_FIRST;
        struct hprof_heap_constant *more = arena_alloc(&p->d->frozen.arena, room * sizeof(*more));
        if (!more)
            return;
        if (c->constant_max)
            memcpy(more, out->constants, c->constant_max * sizeof(*more));
        out->constants = more;
        c->constant_max = room;
    }
    out->constants[out->constant_count++] = (struct hprof_heap_constant){(uint32_t)index, object};
}
