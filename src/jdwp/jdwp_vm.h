/*
 * jdwp_vm.h - a JVM that stands, as a debugger sees it: its classes and objects by their ids.
 *
 * The ids that a debugger gets are addresses: of a Klass for a type, of a Method, of an object. A
 * debugger may send any number as an id, and the memory may be damaged. So an id of a type is good
 * only if the VM's loaders list that class, and an id of an object only if the object's head names
 * such a class. What cannot be read is never answered as a value: the reply fails.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "hotspot/method_debug.h"
#include "jdwp/jdwp_wire.h"

struct heapimage;
struct snapshot;

/** The kinds of types, and of objects and values, in packets. Source: JDWP specification, Constants
 * (TypeTag, Tag). */
enum { JDWP_TYPE_CLASS = 1, JDWP_TYPE_INTERFACE = 2, JDWP_TYPE_ARRAY = 3 };
enum {
    JDWP_TAG_ARRAY = '[',
    JDWP_TAG_OBJECT = 'L',
    JDWP_TAG_STRING = 's',
    JDWP_TAG_THREAD = 't',
    JDWP_TAG_GROUP = 'g',
    JDWP_TAG_LOADER = 'l',
    JDWP_TAG_CLASS = 'c',
};

struct jdwp_class {
    uint64_t klass;
    uint64_t listed; /* 0; or the Klass of the class that Java sees in place of this one, which only
                      * objects name (arrays, since JDK 28) */
    char *signature; /* as JVM TI writes it: "Ljava/lang/String;", "[I" */
    uint8_t type;    /* JDWP_TYPE_CLASS ... */
    uint8_t tag;     /* of its objects: JDWP_TAG_ARRAY ... */
};

/** Offsets in the VM's structs; -1: not in this release. */
struct jdwp_facts {
    int32_t methods, interfaces, state, access, modifiers, layout_helper;
    int32_t generic, generic_in_pool, minor, major, minor_in_pool, major_in_pool, debug_extension;
    int32_t mirror_klass; /* in a java.lang.Class */
    uint32_t access_bytes;
    int32_t linked, initialized, failed; /* values of the state of a class */
    int32_t kind,
        flat_kind; /* one byte of a Klass; its value for arrays whose elements are values */
};

/** Gets the graph of the heap, for who refers to whom; the result is borrowed. NULL: there is none,
 * and the function has said why. */
typedef struct heapimage *jdwp_graph(void *with);

struct jdwp_vm {
    struct snapshot *snapshot; /* taken; borrowed */
    const char *description;   /* of this server, for the debugger; borrowed */
    jdwp_graph *graph;         /* NULL: there is none */
    void *with;
    struct jdwp_class *classes; /* in the order of the loaders' lists */
    uint32_t class_count, class_max;
    uint32_t *slots; /* a hash table by klass: 1 + an index of `classes` */
    uint32_t slot_count;
    struct jdwp_facts facts;
    struct method_debug_facts method_facts;
    uint64_t virtual_group; /* the object of their group; 0: not looked for, or none */
    uint32_t requests;      /* events that were asked for; none of them ever happens */
};

/** Read the classes. Errors: 0; -ENOMEM; E_FACT_MISSING: *ret_missing names it (static text);
 * E_VM_STATE. Owner: jdwp_vm_close(), also after an error. */
int jdwp_vm_open(struct jdwp_vm *vm, const char **ret_missing);
void jdwp_vm_close(struct jdwp_vm *vm);
/** The last step of jdwp_vm_open(), for a caller who has filled the classes in itself: find them by
 * their address, and tell the tags of their objects. Errors: 0; -ENOMEM. */
int jdwp_vm_index(struct jdwp_vm *vm);

/** The class that Java sees as the class `klass`; NULL: none. */
const struct jdwp_class *jdwp_vm_class(const struct jdwp_vm *vm, uint64_t klass);
/** The class of an object; NULL: no object that can be read is there. */
const struct jdwp_class *jdwp_vm_class_of(const struct jdwp_vm *vm, uint64_t object);
/** Whether the elements of an array of objects lie in the array itself (values of a value class).
 */
bool jdwp_vm_is_flat_array(const struct jdwp_vm *vm, uint64_t array);
/** The class that a java.lang.Class describes; NULL: none, or a primitive type. */
const struct jdwp_class *jdwp_vm_class_of_mirror(const struct jdwp_vm *vm, uint64_t mirror);
/** The class that declares a method; NULL: not known. */
const struct jdwp_class *jdwp_vm_class_of_method(const struct jdwp_vm *vm, uint64_t method);
/** The superclass; NULL: none. */
const struct jdwp_class *jdwp_vm_super(const struct jdwp_vm *vm, const struct jdwp_class *c);
/** Whether `c` is `other`, a subclass of it, or implements it. */
bool jdwp_vm_is_kind(const struct jdwp_vm *vm, const struct jdwp_class *c,
                     const struct jdwp_class *other);
/** The java.lang.ClassLoader of a class; 0: the boot loader. Returns whether it can be read. */
bool jdwp_vm_loader(const struct jdwp_vm *vm, const struct jdwp_class *c, uint64_t *ret_loader);

bool jdwp_vm_read(const struct jdwp_vm *vm, uint64_t addr, void *dst, size_t len);
bool jdwp_vm_u2(const struct jdwp_vm *vm, uint64_t addr, uint16_t *ret_value);
bool jdwp_vm_u4(const struct jdwp_vm *vm, uint64_t addr, uint32_t *ret_value);
bool jdwp_vm_u8(const struct jdwp_vm *vm, uint64_t addr, uint64_t *ret_value);
/** The array of pointers whose address lies in a field of a class (Array<T*>). Returns its length
 * and *ret_data, or -1: it cannot be read. */
int64_t jdwp_vm_array(const struct jdwp_vm *vm, uint64_t field, uint64_t *ret_data);

/** Write a Symbol as a text; the reply fails if the Symbol cannot be read. */
void jdwp_vm_put_symbol(const struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t symbol);
/** The same, for a Symbol that may be none (0): an empty text. */
void jdwp_vm_put_symbol_if(const struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t symbol);
/** Write the tag of an object and its id. `otherwise` is the tag of null. The reply fails if the
 * object cannot be read. */
void jdwp_vm_put_tagged(const struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t object,
                        uint8_t otherwise);
