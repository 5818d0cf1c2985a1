/*
 * oops.h - Java objects in the memory of a VM: their class, their fields by name, strings.
 *
 * Knows compressed and full references, compressed and full class pointers, compact object headers,
 * and the coloured references of ZGC (whose objects may just be moving: then a read fails or gives
 * the old copy). Offsets of fields come from the VM's own class data, never from a list per JDK.
 * Source: HotSpot oop.hpp, markWord.hpp, instanceKlass.hpp, fieldInfo.hpp, fieldStreams.hpp,
 * unsigned5.hpp, zAddress.hpp; java.lang.String (JEP 254).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "hotspot/klass_fields.h"
#include "safe/hs_refs.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target;

enum { OOPS_CACHE = 128 };

struct oops {
    const struct target *target;
    struct hs_refs refs;
    int32_t array_data; /* offset of the first byte of a byte[] */
    int32_t array_oops; /* of the first reference of an Object[] */
    int32_t array_length;
    int32_t klass_super;
    struct klass_fields_facts fields;
    bool is_handle; /* JavaThread::_threadObj and its like point to the reference */
    struct {
        uint64_t klass;
        const char *name; /* by address: names are literals */
        int32_t offset;
    } cache[OOPS_CACHE];
    uint32_t cached;
};

/** Read how this VM refers to objects. Errors: 0, E_FACT_MISSING: *ret_missing is static text. */
int oops_init(const struct target *t, struct oops *ret_oops, const char **ret_missing);

/** A word that is a reference outside of the heap, decoded. 0 null. */
uint64_t oops_of_word(const struct oops *o, uint64_t word);
/**
 * A reference in a word of a thread's stack, to an object that somebody has locked. Generational
 * ZGC has no colours there, and a thread that stands may still have an address from before a
 * collection: the object is where it was moved to and is locked.
 */
uint64_t oops_of_lock_word(const struct oops *o, uint64_t word);
/** A compressed reference, decoded. */
uint64_t oops_of_narrow(const struct oops *o, uint32_t narrow);
/** The object of a field of the VM that was an oop and became an OopHandle. 0 none. */
uint64_t oops_of_handle(const struct oops *o, uint64_t addr);

/** The class of an object; 0 if it is not readable. */
uint64_t oops_klass(const struct oops *o, uint64_t object);
/** The name of a class as the VM has it (java/lang/String), 0-terminated. Its length, or -1. */
int oops_klass_name(const struct oops *o, uint64_t klass, char *dst, size_t size);
uint64_t oops_klass_super(const struct oops *o, uint64_t klass);
/** Whether `klass` or one of its superclasses has this name. */
bool oops_is_kind(const struct oops *o, uint64_t klass, const char *name);

/** Offset of an instance field, looked for in the class and its superclasses; -1 none. `name` is a
 * literal. */
int32_t oops_field(struct oops *o, uint64_t klass, const char *name);

/** The class that the boot loader loaded under this name (as the VM has it), 0 none. Reads all of
 * its classes: ask once. */
uint64_t oops_boot_class(const struct oops *o, const char *name);
/** What a static field of this very class refers to; 0 none, or no such field. */
uint64_t oops_get_static(const struct oops *o, uint64_t klass, const char *name);

/** Element `index` of an array of references; 0 null, or beyond its end. */
uint64_t oops_element(const struct oops *o, uint64_t array, uint32_t index);
/** Length of an array. */
uint32_t oops_length(const struct oops *o, uint64_t array);

/** Fields of an object; 0 where there is no such field. */
uint64_t oops_get_object(struct oops *o, uint64_t object, const char *name);
uint64_t oops_get_number(struct oops *o, uint64_t object, const char *name, size_t size);

/**
 * A java.lang.String, or a char[], as UTF-8 (unpaired surrogates become '?').
 * Returns the length, cut to `size` - 1; -1 it is none. 0-terminated.
 */
int oops_text(struct oops *o, uint64_t object, char *dst, size_t size);
