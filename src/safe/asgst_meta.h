/*
 * asgst_meta.h - what the ASGST API tells of methods and classes: names, ids, flags, lines.
 *
 * Reads metaspace with guarded loads; an address that is no method or class, or no longer, gives 0
 * or other data, never a fault. Offsets beyond struct hs_layout's lie in struct asgst_meta_facts,
 * filled by src/asgst/asgst_vm.c. Context of everything here: signal, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_method.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/** HS_NONE where the VM has none. */
struct asgst_meta_facts {
    int32_t klass_access;        /* Klass::_access_flags: 4 bytes, or 2 */
    int32_t instance_access;     /* since JDK 27 InstanceKlass::_access_flags instead, 2 bytes */
    int32_t klass_modifiers;     /* Klass::_modifier_flags: as java.lang.Class has them */
    int32_t klass_cld;           /* ClassLoaderData */
    int32_t klass_generic;       /* u2 index: in the InstanceKlass (to JDK 11), */
    int32_t pool_generic;        /* or in the ConstantPool */
    int32_t klass_init_state;    /* InstanceKlass::_init_state, a byte */
    int32_t klass_constants;     /* InstanceKlass::_constants */
    int32_t klass_serial;        /* Klass::_trace_id, see asgst_meta_serial() */
    int32_t klass_layout_helper; /* > 0 or odd: an instance class (JDK 8's way), else an array */
    int32_t const_parameters;    /* ConstMethod::_size_of_parameters; _orig_method_idnum follows */
    int32_t const_orig_idnum;    /* HS_NONE if it is not where it should be */
    int32_t array_length;        /* of Array<T>: its length, and where its first word lies */
    int32_t array_data;
    int32_t mirror_is_handle; /* Klass::_java_mirror is an OopHandle and no oop */
    uint64_t mirror_klass_at; /* address of java_lang_Class::_klass_offset */
    int32_t not_terminated;   /* JavaThread::_not_terminated, 0 unknown */
};

/** A Method* that can be read as one, with its class. 1, or 0. */
struct asgst_meta_method {
    uint64_t const_method, pool, holder;
};
int asgst_meta_method(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                      struct asgst_meta_method *ret_method);

/** An address that reads as a Klass* with a name. 1, or 0. */
bool asgst_meta_is_class(struct mem_view *v, const struct hs_layout *l, uint64_t klass);

/** Text of the constant pool's entry `index`, or of a Symbol*: copied with a final 0 into `dst`
 * (size may be 0). Returns the whole length, -1 if there is none. */
int32_t asgst_meta_symbol(struct mem_view *v, const struct hs_layout *l, uint64_t symbol, char *dst,
                          int32_t size);
uint64_t asgst_meta_pool_symbol(struct mem_view *v, const struct hs_layout *l, uint64_t pool,
                                uint32_t index);

/** The Symbol* of the generic signature, 0 none. */
uint64_t asgst_meta_method_generic(struct mem_view *v, const struct hs_layout *l,
                                   const struct asgst_meta_method *m);
uint64_t asgst_meta_class_generic(struct mem_view *v, const struct hs_layout *l,
                                  const struct asgst_meta_facts *f, uint64_t klass);

int32_t asgst_meta_method_modifiers(struct mem_view *v, const struct hs_layout *l, uint64_t method);
int32_t asgst_meta_class_modifiers(struct mem_view *v, const struct asgst_meta_facts *f,
                                   uint64_t klass);

/** The number of a method in its class that redefinition keeps. */
int32_t asgst_meta_idnum(struct mem_view *v, const struct hs_layout *l,
                         const struct asgst_meta_facts *f, uint64_t const_method);

/** The jmethodID of a method if it has one, else 0. */
uint64_t asgst_meta_jmethod_id(struct mem_view *v, const struct hs_layout *l, uint64_t method);

struct asgst_meta_line {
    int32_t bci, line;
};
/** The line table. Writes at most `max` entries to `lines` (may be NULL), returns how many there
 * are. */
uint32_t asgst_meta_lines(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                          struct asgst_meta_line *lines, uint32_t max);
/** The line of `bci` as JVM TI users find it: the entry with the greatest bci that is not beyond.
 * -1 none. */
int32_t asgst_meta_line(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                        int32_t bci);

/** An object's address from what a reference holds: `which` counts through the forms that
 * collectors use (0: as it is; then ZGC's coloured pointers), until it returns 0. */
uint64_t asgst_meta_uncolor(uint64_t reference, unsigned which);

/** The Klass* of a class by a JNI reference to its mirror; 0 none (primitive types). */
uint64_t asgst_meta_of_jclass(struct mem_view *v, const struct hs_layout *l,
                              const struct asgst_meta_facts *f, uint64_t jclass);
/** The address of the word that holds the class's mirror, 0 none. */
uint64_t asgst_meta_mirror_slot(struct mem_view *v, const struct hs_layout *l,
                                const struct asgst_meta_facts *f, uint64_t klass);

/** The number that the VM's flight recorder gives each class when it is loaded, and no other class
 * after it; 0: this VM has none. Redefinition keeps it. Source: jfrTraceId.inline.hpp. */
uint64_t asgst_meta_serial(struct mem_view *v, const struct asgst_meta_facts *f, uint64_t klass);
/** Bits of the field that are no part of the number. */
enum { ASGST_META_SERIAL_SHIFT = 16 };

/** Numbers of classes: a table of fingerprints (class, name, loader, serial); a class's number is
 * its place. */
struct asgst_meta_ids {
    _Atomic uint64_t *slots; /* zeroed memory */
    uint32_t mask;           /* count of slots - 1, a power of two */
};
enum { ASGST_META_IDS_MAX = 1 << 18 };
/** The number by which libasgst knows the class `klass`; 0 where it is no class, or `ids` has no
 * room near its place. */
int64_t asgst_meta_class_id(struct asgst_meta_ids *ids, struct mem_view *v,
                            const struct hs_layout *l, const struct asgst_meta_facts *f,
                            uint64_t klass);
