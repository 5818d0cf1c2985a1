/*
 * asgst_info.c - methods and classes: names, ids, lines, jmethodIDs, jclasses.
 *
 * Runs in signal handlers, under the rules of src/safe. The only function on this subject that does
 * not is ASGST_ClassToJClass() in asgst_jni.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_classes.h"
#include "asgst/asgst_unload.h"
#include "asgst/asgst_vm.h"
#include "safe/mem_self.h"
#include "safe/release.h"
#include <asgst.h>

/* From JDK 26 on a jmethodID is a number and not an address, so known_ids remembers its method. */
enum {
    /* Slots of the table from jmethodID to Method*, for the ids that this library has returned. */
    KNOWN_IDS = 1 << 16,
    PROBES_MAX = 32,
};

static _Atomic uint64_t known_ids[KNOWN_IDS][2];

static struct mem_view view_of(void)
{
    return (struct mem_view){.mem = &mem_self};
}

/* Write a text, or set the pointer to NULL if there is no text. */
static void put_text(struct mem_view *v, const struct hs_layout *l, uint64_t symbol, char **text,
                     jint *length)
{
    int32_t len = symbol != 0 ? asgst_meta_symbol(v, l, symbol, *text, *text ? *length : 0) : -1;
    if (len < 0)
        *text = NULL;
    *length = len < 0 ? 0 : len;
}

static void put_copy(const char *from, char **text, jint *length)
{
    size_t len = from ? strlen(from) : 0;
    if (!from) {
        *text = NULL;
    } else if (*text && *length > 0) {
        size_t n = len < (size_t)*length - 1 ? len : (size_t)*length - 1;
        memcpy(*text, from, n);
        (*text)[n] = 0;
    }
    *length = (jint)len;
}

/* Write the name of a method or class, which always has one. If the name cannot be read any more,
 * the caller gets an empty text, because callers may use the pointer without a test for NULL. */
static void put_name(struct mem_view *v, const struct hs_layout *l, uint64_t symbol, char **text,
                     jint *length)
{
    char *room = *text;
    jint room_length = *length;
    put_text(v, l, symbol, text, length);
    if (!*text && room && room_length > 0) {
        *text = room;
        room[0] = 0;
    }
}

static void put_unloaded_method(const struct asgst_unload_method *dead, ASGST_MethodInfo *info)
{
    put_copy(dead->name, &info->method_name, &info->method_name_length);
    put_copy(dead->signature, &info->signature, &info->signature_length);
    put_copy(NULL, &info->generic_signature, &info->generic_signature_length);
    info->klass = (ASGST_Class)dead->klass;
    info->modifiers = dead->modifiers;
    info->idnum = dead->idnum;
    info->class_idnum = dead->class_idnum;
}

void ASGST_GetMethodInfo(ASGST_Method method, ASGST_MethodInfo *info)
{
    struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    struct asgst_meta_method m = {0, 0, 0};
    const struct asgst_unload_method *dead = asgst_unload_dead_method((uint64_t)method);
    if (dead) {
        put_unloaded_method(dead, info);
        return;
    }
    uint64_t name = 0, signature = 0, generic = 0;
    info->klass = NULL;
    info->modifiers = info->idnum = 0;
    info->class_idnum = 0;
    if (vm && asgst_meta_method(&v, vm->layout, (uint64_t)method, &m)) {
        const struct hs_layout *l = vm->layout;
        name = asgst_meta_pool_symbol(&v, l, m.pool,
                                      mem_view_u2(&v, m.const_method + (uint64_t)l->const_name));
        signature = asgst_meta_pool_symbol(
            &v, l, m.pool, mem_view_u2(&v, m.const_method + (uint64_t)l->const_signature));
        generic = asgst_meta_method_generic(&v, l, &m);
        if (name != 0 && signature != 0) {
            info->klass = (ASGST_Class)m.holder;
            info->modifiers = asgst_meta_method_modifiers(&v, l, (uint64_t)method);
            info->idnum = asgst_meta_idnum(&v, l, &vm->facts, m.const_method);
            info->class_idnum = asgst_meta_class_id(&vm->ids, &v, l, &vm->facts, m.holder);
        }
    }
    const struct hs_layout *l = vm ? vm->layout : NULL;
    put_name(&v, l, name, &info->method_name, &info->method_name_length);
    put_name(&v, l, signature, &info->signature, &info->signature_length);
    put_text(&v, l, generic, &info->generic_signature, &info->generic_signature_length);
}

void ASGST_GetClassInfo(ASGST_Class klass, ASGST_ClassInfo *info)
{
    struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    uint64_t name = 0, generic = 0, k = (uint64_t)klass;
    const struct asgst_unload_class *dead = asgst_unload_dead_class(k);
    info->modifiers = 0;
    info->idnum = 0;
    if (dead) {
        put_copy(dead->name, &info->class_name, &info->class_name_length);
        put_copy(NULL, &info->generic_class_name, &info->generic_class_name_length);
        info->modifiers = dead->modifiers;
        info->idnum = dead->idnum;
        return;
    }
    if (vm && asgst_meta_is_class(&v, vm->layout, k)) {
        name = mem_view_u8(&v, k + (uint64_t)vm->layout->klass_name);
        generic = asgst_meta_class_generic(&v, vm->layout, &vm->facts, k);
        info->modifiers = asgst_meta_class_modifiers(&v, &vm->facts, k);
        info->idnum = asgst_meta_class_id(&vm->ids, &v, vm->layout, &vm->facts, k);
    }
    const struct hs_layout *l = vm ? vm->layout : NULL;
    put_name(&v, l, name, &info->class_name, &info->class_name_length);
    put_text(&v, l, generic, &info->generic_class_name, &info->generic_class_name_length);
}

jint ASGST_GetMethodIdNum(ASGST_Method method)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    struct asgst_meta_method m;
    if (!vm || !asgst_meta_method(&v, vm->layout, (uint64_t)method, &m))
        return 0;
    return asgst_meta_idnum(&v, vm->layout, &vm->facts, m.const_method);
}

jlong ASGST_GetClassIdNum(ASGST_Class klass)
{
    struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    return vm ? asgst_meta_class_id(&vm->ids, &v, vm->layout, &vm->facts, (uint64_t)klass) : 0;
}

_Static_assert(sizeof(ASGST_MethodLineNumberEntry) == sizeof(struct asgst_meta_line) &&
                   offsetof(ASGST_MethodLineNumberEntry, line_number) ==
                       offsetof(struct asgst_meta_line, line),
               "one is read as the other");

int ASGST_GetMethodLineNumberTable(ASGST_Method method, ASGST_MethodLineNumberEntry *entries,
                                   int length)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    if (!vm)
        return 0;
    uint32_t max = entries && length > 0 ? (uint32_t)length : 0;
    uint32_t count =
        asgst_meta_lines(&v, vm->layout, (uint64_t)method, (struct asgst_meta_line *)entries, max);
    return (int)(!entries || count < max ? count : max);
}

jint ASGST_GetMethodLineNumber(ASGST_Method method, jint bci)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    return vm ? asgst_meta_line(&v, vm->layout, (uint64_t)method, bci) : -1;
}

ASGST_Class ASGST_GetClass(ASGST_Method method)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    struct asgst_meta_method m;
    const struct asgst_unload_method *dead = asgst_unload_dead_method((uint64_t)method);
    if (dead)
        return (ASGST_Class)dead->klass;
    if (!vm || !asgst_meta_method(&v, vm->layout, (uint64_t)method, &m))
        return NULL;
    return (ASGST_Class)m.holder;
}

static uint32_t place_of(uint64_t id)
{
    return (uint32_t)((id * 0x9e3779b97f4a7c15u) >> 40);
}

static void remember_id(uint64_t id, uint64_t method)
{
    uint32_t at = place_of(id);
    for (int i = 0; i < PROBES_MAX; i++, at++) {
        uint64_t there = 0;
        _Atomic uint64_t *slot = known_ids[at % KNOWN_IDS];
        if (atomic_compare_exchange_strong(&slot[0], &there, id) || there == id) {
            atomic_store(&slot[1], method);
            return;
        }
    }
}

static uint64_t recall_id(uint64_t id)
{
    uint32_t at = place_of(id);
    for (int i = 0; i < PROBES_MAX; i++, at++) {
        _Atomic uint64_t *slot = known_ids[at % KNOWN_IDS];
        if (atomic_load(&slot[0]) == id)
            return atomic_load(&slot[1]);
    }
    return 0;
}

jmethodID ASGST_MethodToJMethodID(ASGST_Method method)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    uint64_t id = vm ? asgst_meta_jmethod_id(&v, vm->layout, (uint64_t)method) : 0;
    if (id != 0 && vm->layout->version >= RELEASE_OPAQUE_METHOD_IDS)
        remember_id(id, (uint64_t)method);
    return (jmethodID)id;
}

/* The method that is found must have this id. If it has another id, the entry was left behind by a
 * method that does not exist any more. */
ASGST_Method ASGST_JMethodIDToMethod(jmethodID methodID)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    uint64_t id = (uint64_t)methodID;
    if (!vm || id == 0)
        return NULL;
    bool is_opaque = vm->layout->version >= RELEASE_OPAQUE_METHOD_IDS;
    uint64_t method = is_opaque ? recall_id(id) : mem_view_u8(&v, id);
    if (method != 0 && asgst_meta_jmethod_id(&v, vm->layout, method) == id)
        return (ASGST_Method)method;
    method = is_opaque ? asgst_classes_method_of_id(vm->layout, &vm->facts, id) : 0;
    if (method != 0)
        remember_id(id, method);
    return (ASGST_Method)method;
}

ASGST_Class ASGST_JClassToClass(jclass klass)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = view_of();
    return vm && klass
               ? (ASGST_Class)asgst_meta_of_jclass(&v, vm->layout, &vm->facts, (uint64_t)klass)
               : NULL;
}
