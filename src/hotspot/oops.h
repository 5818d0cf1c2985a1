/*
 * oops.h - Java objects in the memory of a VM: their class, their fields by name, strings.
 *
 * The functions know compressed and full references, compressed and full class pointers, compact
 * object headers, and the coloured references of ZGC. (ZGC may be moving an object at this moment:
 * then a read fails or gives the old copy.) Offsets of fields come from the VM's own class data,
 * never from a list per JDK.
 * Source: HotSpot oop.hpp, markWord.hpp, instanceKlass.hpp, fieldInfo.hpp, fieldStreams.hpp,
 * unsigned5.hpp, compressedOops.hpp, zAddress.hpp, zGeneration.hpp, zGranuleMap.hpp,
 * zForwarding.hpp; java.lang.String (JEP 254). Context of everything here: any, not signal.
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
    int32_t array_oops; /* offset of the first reference of an Object[] */
    int32_t array_length;
    int32_t klass_super;
    struct klass_fields_facts fields;
    bool is_handle; /* JavaThread::_threadObj and similar fields point to the reference */
    struct {
        uint64_t klass;
        const char *name; /* compared by address: names are literals */
        int32_t offset;
    } cache[OOPS_CACHE];
    uint32_t cached;
};

/** Read how this VM refers to objects. Errors: 0; E_FACT_MISSING: *ret_missing is static text. */
int oops_init(const struct target *t, struct oops *ret_oops, const char **ret_missing);

/** Decode a word that is a reference outside of the heap. 0: null. */
uint64_t oops_of_word(const struct oops *o, uint64_t word);
/**
 * Decode a reference in a word of a thread's stack, to an object that some thread has locked.
 * Generational ZGC has no colours on a stack, and a stopped thread may still have an address from
 * before a collection. The object is at the place to which that address was moved and where a
 * locked object lies.
 */
uint64_t oops_of_lock_word(const struct oops *o, uint64_t word);
/** Decode a compressed reference. */
uint64_t oops_of_narrow(const struct oops *o, uint32_t narrow);
/** The object of a field of the VM that was an oop and became an OopHandle. 0: none. */
uint64_t oops_of_handle(const struct oops *o, uint64_t addr);

/** The class of an object; 0 if it cannot be read. */
uint64_t oops_klass(const struct oops *o, uint64_t object);
/** Copy the VM's name of a class (java/lang/String), 0-terminated. Returns its length, or -1. */
int oops_klass_name(const struct oops *o, uint64_t klass, char *dst, size_t size);
uint64_t oops_klass_super(const struct oops *o, uint64_t klass);
/** Whether `klass` or one of its superclasses has this name. */
bool oops_is_kind(const struct oops *o, uint64_t klass, const char *name);

/** The offset of an instance field, also of superclasses; -1: none. `name` is a literal. */
int32_t oops_field(struct oops *o, uint64_t klass, const char *name);

/** The java.lang.Class of a class; 0: there is none, or it cannot be read. */
uint64_t oops_klass_mirror(const struct oops *o, uint64_t klass);
/** Read the reference in the heap at `addr`, a field or an element; *ret_object is 0 for null.
 * Returns whether it can be read. */
bool oops_load(const struct oops *o, uint64_t addr, uint64_t *ret_object);

/** The class that the boot loader loaded under this name (in the VM's form); 0: none. Each call
 * reads all classes of the boot loader, so call it once. */
uint64_t oops_boot_class(const struct oops *o, const char *name);
/** The object to which a static field of this very class refers; 0: null, or no such field. */
uint64_t oops_get_static(const struct oops *o, uint64_t klass, const char *name);
/** Read a static field of this very class that is a number of `size` <= 8 bytes. Returns whether
 * there is such a field, and it can be read. */
bool oops_get_static_number(const struct oops *o, uint64_t klass, const char *name, size_t size,
                            uint64_t *ret_value);

/** Element `index` of an array of references; 0: null, or `index` is beyond the end. */
uint64_t oops_element(const struct oops *o, uint64_t array, uint32_t index);
/** The length of an array. */
uint32_t oops_length(const struct oops *o, uint64_t array);

/** The value of a field of an object; 0 if there is no such field. */
uint64_t oops_get_object(struct oops *o, uint64_t object, const char *name);
uint64_t oops_get_number(struct oops *o, uint64_t object, const char *name, size_t size);

/**
 * Copy a java.lang.String, or a char[], as UTF-8 (unpaired surrogates become '?'). Returns the
 * length, cut to `size` - 1; -1 if the object is neither. 0-terminated.
 */
int oops_text(struct oops *o, uint64_t object, char *dst, size_t size);
