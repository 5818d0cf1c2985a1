/*
 * asgst_meta.h - what the ASGST API says about methods and classes: names, ids, flags, lines.
 *
 * The functions read metaspace with guarded loads. If an address is not a method or class, or is
 * not one any more, they return 0 or wrong data, but they never fault. Offsets that struct
 * hs_layout does not have are in struct asgst_meta_facts, which src/asgst/asgst_vm.c fills.
 * Context of everything here: signal, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_method.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/** Offsets of fields. HS_NONE: this VM has no such field. */
struct asgst_meta_facts {
    int32_t klass_access;    /* Klass::_access_flags, 4 or 2 bytes */
    int32_t instance_access; /* JDK 27 on: InstanceKlass::_access_flags instead, 2 bytes */
    int32_t klass_modifiers; /* Klass::_modifier_flags, with the bits of java.lang.Class */
    int32_t klass_cld;       /* ClassLoaderData */
    int32_t klass_generic; /* u2 index of the generic signature in the InstanceKlass (to JDK 11) */
    int32_t pool_generic;  /* the same index in the ConstantPool (later JDKs) */
    int32_t klass_init_state;    /* InstanceKlass::_init_state, a byte */
    int32_t klass_constants;     /* InstanceKlass::_constants */
    int32_t klass_serial;        /* Klass::_trace_id; see asgst_meta_serial() */
    int32_t klass_layout_helper; /* > 0: an instance class, else an array */
    int32_t const_parameters;    /* ConstMethod::_size_of_parameters; _orig_method_idnum follows */
    int32_t const_orig_idnum;    /* HS_NONE if it does not follow _size_of_parameters */
    int32_t array_length;        /* Array<T>: its length; array_data: its first word */
    int32_t array_data;
    int32_t mirror_is_handle; /* Klass::_java_mirror is an OopHandle, not an oop */
    uint64_t mirror_klass_at; /* address of java_lang_Class::_klass_offset */
    int32_t not_terminated;   /* JavaThread::_not_terminated; 0: unknown */
};

/** Read the address `method` as a Method*, together with its class. Returns 1, or 0 if it cannot be
 * read as one. */
struct asgst_meta_method {
    uint64_t const_method, pool, holder;
};
int asgst_meta_method(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                      struct asgst_meta_method *ret_method);

/** Whether an address reads as a Klass* that has a name. */
bool asgst_meta_is_class(struct mem_view *v, const struct hs_layout *l, uint64_t klass);

/** Copy the text of a Symbol* into `dst`, with a final 0; `size` may be 0. Returns the length of
 * the whole text, or -1 if `symbol` has no text. asgst_meta_pool_symbol() returns the Symbol* of
 * entry `index` of a constant pool, or 0. */
int32_t asgst_meta_symbol(struct mem_view *v, const struct hs_layout *l, uint64_t symbol, char *dst,
                          int32_t size);
uint64_t asgst_meta_pool_symbol(struct mem_view *v, const struct hs_layout *l, uint64_t pool,
                                uint32_t index);

/** The Symbol* of the generic signature of a method or class; 0: it has none. */
uint64_t asgst_meta_method_generic(struct mem_view *v, const struct hs_layout *l,
                                   const struct asgst_meta_method *m);
uint64_t asgst_meta_class_generic(struct mem_view *v, const struct hs_layout *l,
                                  const struct asgst_meta_facts *f, uint64_t klass);

int32_t asgst_meta_method_modifiers(struct mem_view *v, const struct hs_layout *l, uint64_t method);
int32_t asgst_meta_class_modifiers(struct mem_view *v, const struct asgst_meta_facts *f,
                                   uint64_t klass);

/** The number of a method in its class. Redefinition of the class keeps this number. */
int32_t asgst_meta_idnum(struct mem_view *v, const struct hs_layout *l,
                         const struct asgst_meta_facts *f, uint64_t const_method);

/** The jmethodID of a method, or 0 if the method has none yet. */
uint64_t asgst_meta_jmethod_id(struct mem_view *v, const struct hs_layout *l, uint64_t method);

struct asgst_meta_line {
    int32_t bci, line;
};
/** Read the line table of a method. Writes at most `max` entries to `lines` (may be NULL) and
 * returns how many entries the table has. */
uint32_t asgst_meta_lines(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                          struct asgst_meta_line *lines, uint32_t max);
/** The line of `bci`, found as users of JVM TI find it: in the entry with the greatest bci that is
 * not greater than `bci`. -1: no such entry. */
int32_t asgst_meta_line(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                        int32_t bci);

/** An object's address, from the value that a reference holds. `which` counts through the forms of
 * references: 0 is the value unchanged, 1 to 4 are the coloured pointers of ZGC. For a greater
 * `which` the result is 0. */
uint64_t asgst_meta_uncolor(uint64_t reference, unsigned which);

/** The Klass* of a class, from a JNI reference to its mirror; 0: none (primitive types). */
uint64_t asgst_meta_of_jclass(struct mem_view *v, const struct hs_layout *l,
                              const struct asgst_meta_facts *f, uint64_t jclass);
/** The address of the word that holds the mirror of a class; 0: none. */
uint64_t asgst_meta_mirror_slot(struct mem_view *v, const struct hs_layout *l,
                                const struct asgst_meta_facts *f, uint64_t klass);

/** The number that the VM's flight recorder gives each class when the class is loaded. No later
 * class gets the same number, and redefinition keeps it. 0: this VM has no such numbers. Source:
 * jfrTraceId.inline.hpp. */
uint64_t asgst_meta_serial(struct mem_view *v, const struct asgst_meta_facts *f, uint64_t klass);
/** The lowest bits of the field Klass::_trace_id, which are not part of the number. */
enum { ASGST_META_SERIAL_SHIFT = 16 };

/** The numbers that libasgst gives to classes. The table holds a fingerprint of each class (made
 * from class, name, loader and serial); the number of a class is the place of its fingerprint. */
struct asgst_meta_ids {
    _Atomic uint64_t *slots; /* zeroed memory */
    uint32_t mask;           /* count of slots - 1; the count is a power of two */
};
enum { ASGST_META_IDS_MAX = 1 << 18 };
/** The number by which libasgst knows the class `klass`. 0: `klass` is not a class, or the table
 * has no free slot near the place of the class. */
int64_t asgst_meta_class_id(struct asgst_meta_ids *ids, struct mem_view *v,
                            const struct hs_layout *l, const struct asgst_meta_facts *f,
                            uint64_t klass);
