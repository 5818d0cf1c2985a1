/*
 * jdwp_vm.c - see jdwp_vm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_vm.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/loaded_classes.h"
#include "safe/hs_method.h"
#include "safe/mem.h"
#include "safe/release.h"
#include "snapshot/snapshot.h"

enum {
    CLASSES_FIRST = 4096,
    SUPERS_MAX = 1000,
    NAME_BYTES = 65536, /* a Symbol is not longer */
    ACC_INTERFACE = 0x0200,
    /* no class file has more methods or interfaces */
    ARRAY_MAX = 65536,
};

/* ---- reading */

bool jdwp_vm_read(const struct jdwp_vm *vm, uint64_t addr, void *dst, size_t len)
{
    return mem_read(vm->snapshot->target.mem, addr, dst, len) == 0;
}

bool jdwp_vm_u2(const struct jdwp_vm *vm, uint64_t addr, uint16_t *ret_value)
{
    return jdwp_vm_read(vm, addr, ret_value, sizeof(*ret_value));
}

bool jdwp_vm_u4(const struct jdwp_vm *vm, uint64_t addr, uint32_t *ret_value)
{
    return jdwp_vm_read(vm, addr, ret_value, sizeof(*ret_value));
}

bool jdwp_vm_u8(const struct jdwp_vm *vm, uint64_t addr, uint64_t *ret_value)
{
    return jdwp_vm_read(vm, addr, ret_value, sizeof(*ret_value));
}

int64_t jdwp_vm_array(const struct jdwp_vm *vm, uint64_t field, uint64_t *ret_data)
{
    uint64_t array;
    uint32_t length;
    if (!jdwp_vm_u8(vm, field, &array) || array == 0 || !jdwp_vm_u4(vm, array, &length) ||
        length > ARRAY_MAX)
        return -1;
    *ret_data = array + 8;
    return length;
}

/* ---- classes */

static uint32_t hash(uint64_t klass)
{
    return (uint32_t)((klass >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

static const struct jdwp_class *find(const struct jdwp_vm *vm, uint64_t klass)
{
    if (vm->slot_count == 0)
        return NULL;
    for (uint32_t at = hash(klass);; at++) {
        uint32_t slot = vm->slots[at & (vm->slot_count - 1)];
        if (slot == 0)
            return NULL;
        if (vm->classes[slot - 1].klass == klass)
            return &vm->classes[slot - 1];
    }
}

/* Since JDK 28 an array of objects names a class of its own, which has the java.lang.Class of
 * another class, and which the loaders' lists may lack. 0: the class stands for itself. */
static uint64_t listed_of(const struct jdwp_vm *vm, uint64_t klass)
{
    uint64_t mirror, of;
    if (vm->snapshot->target.layout->version < RELEASE_REFINED_ARRAYS ||
        vm->facts.mirror_klass <= 0)
        return 0;
    mirror = oops_klass_mirror(&vm->snapshot->oops, klass);
    return mirror != 0 && jdwp_vm_u8(vm, mirror + (uint64_t)vm->facts.mirror_klass, &of) &&
                   of != klass
               ? of
               : 0;
}

const struct jdwp_class *jdwp_vm_class(const struct jdwp_vm *vm, uint64_t klass)
{
    const struct jdwp_class *c = find(vm, klass);
    uint64_t listed = c ? c->listed : listed_of(vm, klass);
    if (listed != 0)
        c = find(vm, listed);
    return c && c->listed == 0 ? c : NULL;
}

bool jdwp_vm_is_flat_array(const struct jdwp_vm *vm, uint64_t array)
{
    uint64_t klass = oops_klass(&vm->snapshot->oops, array);
    uint8_t kind;
    return vm->facts.kind >= 0 && vm->facts.flat_kind >= 0 &&
           (!jdwp_vm_read(vm, klass + (uint64_t)vm->facts.kind, &kind, 1) ||
            kind == vm->facts.flat_kind);
}

const struct jdwp_class *jdwp_vm_class_of(const struct jdwp_vm *vm, uint64_t object)
{
    uint64_t klass = object == 0 || (object & 7) != 0 ? 0 : oops_klass(&vm->snapshot->oops, object);
    return klass == 0 ? NULL : jdwp_vm_class(vm, klass);
}

const struct jdwp_class *jdwp_vm_class_of_mirror(const struct jdwp_vm *vm, uint64_t mirror)
{
    const struct jdwp_class *c = jdwp_vm_class_of(vm, mirror);
    uint64_t klass;
    if (!c || c->tag != JDWP_TAG_CLASS || vm->facts.mirror_klass <= 0 ||
        !jdwp_vm_u8(vm, mirror + (uint64_t)vm->facts.mirror_klass, &klass))
        return NULL;
    return jdwp_vm_class(vm, klass);
}

const struct jdwp_class *jdwp_vm_class_of_method(const struct jdwp_vm *vm, uint64_t method)
{
    const struct hs_layout *l = vm->snapshot->target.layout;
    uint64_t const_method, pool, holder;
    if (method == 0 || (method & 7) != 0 ||
        !jdwp_vm_u8(vm, method + (uint64_t)l->method_const, &const_method) ||
        !jdwp_vm_u8(vm, const_method + (uint64_t)l->const_constants, &pool) ||
        !jdwp_vm_u8(vm, pool + (uint64_t)l->pool_holder, &holder))
        return NULL;
    return jdwp_vm_class(vm, holder);
}

const struct jdwp_class *jdwp_vm_super(const struct jdwp_vm *vm, const struct jdwp_class *c)
{
    return jdwp_vm_class(vm, oops_klass_super(&vm->snapshot->oops, c->klass));
}

static bool implements(const struct jdwp_vm *vm, const struct jdwp_class *c,
                       const struct jdwp_class *other, uint32_t depth)
{
    uint64_t data, klass;
    int64_t count = c->type == JDWP_TYPE_ARRAY || vm->facts.interfaces < 0
                        ? 0
                        : jdwp_vm_array(vm, c->klass + (uint64_t)vm->facts.interfaces, &data);
    for (int64_t i = 0; i < count && depth > 0; i++) {
        const struct jdwp_class *one =
            jdwp_vm_u8(vm, data + (uint64_t)i * 8, &klass) ? jdwp_vm_class(vm, klass) : NULL;
        if (one && (one == other || implements(vm, one, other, depth - 1)))
            return true;
    }
    return false;
}

bool jdwp_vm_is_kind(const struct jdwp_vm *vm, const struct jdwp_class *c,
                     const struct jdwp_class *other)
{
    enum { DEPTH_MAX = 16 };
    for (int i = 0; c && i < SUPERS_MAX; i++, c = jdwp_vm_super(vm, c)) {
        if (c == other ||
            (other->type == JDWP_TYPE_INTERFACE && implements(vm, c, other, DEPTH_MAX)))
            return true;
    }
    return false;
}

bool jdwp_vm_loader(const struct jdwp_vm *vm, const struct jdwp_class *c, uint64_t *ret_loader)
{
    struct oops *o = &vm->snapshot->oops;
    uint64_t mirror = oops_klass_mirror(o, c->klass), klass = oops_klass(o, mirror);
    int32_t at = klass == 0 ? -1 : oops_field(o, klass, "classLoader");
    return at > 0 && oops_load(o, mirror + (uint64_t)at, ret_loader);
}

/* ---- the list of classes */

/* The signature of a class: arrays have it as their name; the name of a hidden class ends with +
 * and a number, for which JVM TI writes a dot. Source: instanceKlass.cpp (signature_name). */
static char *signature_of(const struct oops *o, uint64_t klass, bool is_array, char *text)
{
    int len = oops_klass_name(o, klass, text + 1, NAME_BYTES);
    if (len <= 0)
        return NULL;
    if (is_array)
        return strdup(text + 1);
    char *plus = strrchr(text + 1, '+');
    if (plus && strncmp(plus, "+0x", 3) == 0)
        *plus = '.';
    text[0] = 'L';
    text[len + 1] = ';';
    text[len + 2] = '\0';
    return strdup(text);
}

struct listing {
    struct jdwp_vm *vm;
    char *text;
};

static int add_class(void *with, const struct loaded_class *c)
{
    struct listing *l = with;
    struct jdwp_vm *vm = l->vm;
    uint32_t layout, access = 0;
    if (vm->class_count == vm->class_max) {
        uint32_t room = vm->class_max > 0 ? vm->class_max * 2 : CLASSES_FIRST;
        void *more = reallocarray(vm->classes, room, sizeof(*vm->classes));
        if (!more)
            return -ENOMEM;
        vm->classes = more;
        vm->class_max = room;
    }
    if (!jdwp_vm_u4(vm, c->klass + (uint64_t)vm->facts.layout_helper, &layout))
        return 0;
    bool is_array = (int32_t)layout < 0;
    if (!is_array &&
        !jdwp_vm_read(vm, c->klass + (uint64_t)vm->facts.access, &access, vm->facts.access_bytes))
        return 0;
    char *signature = signature_of(&vm->snapshot->oops, c->klass, is_array, l->text);
    if (!signature)
        return 0;
    vm->classes[vm->class_count++] = (struct jdwp_class){
        .klass = c->klass,
        .listed = is_array ? listed_of(vm, c->klass) : 0,
        .signature = signature,
        .type = is_array                 ? JDWP_TYPE_ARRAY
                : access & ACC_INTERFACE ? JDWP_TYPE_INTERFACE
                                         : JDWP_TYPE_CLASS,
    };
    return 0;
}

static int make_index(struct jdwp_vm *vm)
{
    uint32_t count = CLASSES_FIRST;
    while (count < vm->class_count * 2)
        count *= 2;
    vm->slots = calloc(count, sizeof(*vm->slots));
    if (!vm->slots)
        return -ENOMEM;
    vm->slot_count = count;
    for (uint32_t i = 0; i < vm->class_count; i++) {
        uint32_t at = hash(vm->classes[i].klass);
        while (vm->slots[at & (count - 1)] != 0)
            at++;
        vm->slots[at & (count - 1)] = i + 1;
    }
    return 0;
}

/* The tags of objects depend on a few classes of the boot loader. */
static void set_tags(struct jdwp_vm *vm)
{
    static const struct {
        const char *signature;
        uint8_t tag;
    } rows[] = {
        {"Ljava/lang/String;", JDWP_TAG_STRING},      {"Ljava/lang/Class;", JDWP_TAG_CLASS},
        {"Ljava/lang/Thread;", JDWP_TAG_THREAD},      {"Ljava/lang/ThreadGroup;", JDWP_TAG_GROUP},
        {"Ljava/lang/ClassLoader;", JDWP_TAG_LOADER},
    };
    enum { ROWS = sizeof(rows) / sizeof(*rows) };
    const struct jdwp_class *known[ROWS] = {NULL};
    for (uint32_t i = 0; i < vm->class_count; i++) {
        for (int n = 0; n < ROWS; n++) {
            if (!known[n] && strcmp(vm->classes[i].signature, rows[n].signature) == 0)
                known[n] = &vm->classes[i];
        }
    }
    for (uint32_t i = 0; i < vm->class_count; i++) {
        struct jdwp_class *c = &vm->classes[i];
        const struct jdwp_class *at = c;
        c->tag = c->type == JDWP_TYPE_ARRAY ? JDWP_TAG_ARRAY : JDWP_TAG_OBJECT;
        for (int s = 0; c->type == JDWP_TYPE_CLASS && at && s < SUPERS_MAX;
             s++, at = jdwp_vm_super(vm, at)) {
            for (int n = 0; n < ROWS; n++) {
                if (at == known[n])
                    c->tag = rows[n].tag;
            }
        }
    }
}

static const char *find_facts(struct jdwp_vm *vm)
{
    const struct target *t = &vm->snapshot->target;
    struct jdwp_facts *f = &vm->facts;
    int32_t bytes = target_size(t, "AccessFlags");
    *f = (struct jdwp_facts){
        .methods = target_field(t, "InstanceKlass", "_methods", -1),
        .interfaces = target_field(t, "InstanceKlass", "_local_interfaces", -1),
        .state = target_field(t, "InstanceKlass", "_init_state", -1),
        /* since JDK 28 only classes that are no arrays have them */
        .access = target_field(t, "InstanceKlass", "_access_flags",
                               target_field(t, "Klass", "_access_flags", -1)),
        .modifiers = target_field(t, "Klass", "_modifier_flags", -1),
        .layout_helper = target_field(t, "Klass", "_layout_helper", -1),
        .generic = target_field(t, "InstanceKlass", "_generic_signature_index", -1),
        .generic_in_pool = target_field(t, "ConstantPool", "_generic_signature_index", -1),
        .minor = target_field(t, "InstanceKlass", "_minor_version", -1),
        .major = target_field(t, "InstanceKlass", "_major_version", -1),
        .minor_in_pool = target_field(t, "ConstantPool", "_minor_version", -1),
        .major_in_pool = target_field(t, "ConstantPool", "_major_version", -1),
        .debug_extension = target_field(t, "InstanceKlass", "_source_debug_extension", -1),
        .access_bytes = bytes == 2 ? 2 : 4,
        .linked = target_constant(t, "InstanceKlass::linked", -1),
        .initialized = target_constant(t, "InstanceKlass::fully_initialized", -1),
        .failed = target_constant(t, "InstanceKlass::initialization_error", -1),
        .mirror_klass = -1,
        .kind = target_field(t, "Klass", "_kind", -1),
        .flat_kind = target_constant(t, "Klass::KlassKind::FlatArrayKlassKind", -1),
    };
    uint32_t at;
    if (t->layout->mirror_klass_at != 0 && jdwp_vm_u4(vm, t->layout->mirror_klass_at, &at))
        f->mirror_klass = (int32_t)at;
    return f->layout_helper < 0 ? "Klass::_layout_helper"
           : f->access < 0      ? "Klass::_access_flags"
           : f->methods < 0     ? "InstanceKlass::_methods"
           : f->interfaces < 0  ? "InstanceKlass::_local_interfaces"
           : f->state < 0       ? "InstanceKlass::_init_state"
           : f->linked < 0 || f->initialized < 0 || f->failed < 0
               ? "InstanceKlass::fully_initialized"
               : "";
}

int jdwp_vm_index(struct jdwp_vm *vm)
{
    int error = make_index(vm);
    if (error == 0)
        set_tags(vm);
    return error;
}

int jdwp_vm_open(struct jdwp_vm *vm, const char **ret_missing)
{
    uint32_t broken;
    *ret_missing = find_facts(vm);
    if (**ret_missing)
        return E_FACT_MISSING;
    method_debug_facts_init(&vm->method_facts, &vm->snapshot->target);
    struct listing l = {.vm = vm, .text = malloc(NAME_BYTES + 4)};
    int error =
        l.text ? loaded_classes_each(&vm->snapshot->target, add_class, &l, &broken, ret_missing)
               : -ENOMEM;
    free(l.text);
    if (error == 0 && vm->class_count == 0) {
        *ret_missing = "the list of loaded classes is empty";
        error = E_VM_STATE;
    }
    return error ? error : jdwp_vm_index(vm);
}

void jdwp_vm_close(struct jdwp_vm *vm)
{
    for (uint32_t i = 0; i < vm->class_count; i++)
        free(vm->classes[i].signature);
    free(vm->classes);
    free(vm->slots);
    vm->classes = NULL;
    vm->slots = NULL;
    vm->class_count = vm->class_max = vm->slot_count = 0;
}

/* ---- writing */

void jdwp_vm_put_symbol(const struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t symbol)
{
    const struct hs_layout *l = vm->snapshot->target.layout;
    struct mem_view view = {.mem = vm->snapshot->target.mem};
    uint16_t len;
    if (symbol == 0 || !jdwp_vm_u2(vm, symbol + (uint64_t)l->symbol_length, &len)) {
        jdwp_wire_fail(out, JDWP_INTERNAL);
        return;
    }
    jdwp_wire_u4(out, len);
    uint8_t *at = jdwp_wire_room(out, len);
    if (at && len > 0 && hs_method_symbol_text(&view, l, symbol, (char *)at, len) != len)
        jdwp_wire_fail(out, JDWP_INTERNAL);
}

void jdwp_vm_put_symbol_if(const struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t symbol)
{
    if (symbol == 0)
        jdwp_wire_u4(out, 0);
    else
        jdwp_vm_put_symbol(vm, out, symbol);
}

void jdwp_vm_put_tagged(const struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t object,
                        uint8_t otherwise)
{
    const struct jdwp_class *c = jdwp_vm_class_of(vm, object);
    if (object != 0 && !c) {
        jdwp_wire_fail(out, JDWP_INVALID_OBJECT);
        return;
    }
    jdwp_wire_u1(out, c ? c->tag : otherwise);
    jdwp_wire_u8(out, object);
}
