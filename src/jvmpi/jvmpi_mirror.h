/*
 * jvmpi_mirror.h - the shape of a class, found by the address of its java.lang.Class.
 *
 * The event of an allocation has a reference to the object's class. A question to the VM, which
 * class this is, takes a fifth of the whole cost of an object. Collectors that move objects only in
 * pauses leave the address of a class unchanged between two pauses. So the address is read through
 * the reference and compared with the known addresses; it is used for nothing else. With other
 * collectors, and in other VMs, the VM is asked.
 * Source: HotSpot jniHandles.hpp; jvmtiExport.cpp, JvmtiGCMarker.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include "jvmpi/jvmpi_shape.h"

struct jvmpi_thread;

struct jvmpi_mirror {
    uintptr_t address;
    uint64_t pauses; /* pauses that had begun when the address was noted; 0: it was not noted */
    struct jvmpi_shape shape;
    bool is_class; /* this is java.lang.Class: its objects are classes */
};

/** Compare addresses from now on. Context: java, before other threads ask. */
void jvmpi_mirror_on(void);
/** The facts about a class, which is given by a local reference. They are valid until the thread
 * asks again. `t` is the record of the calling thread. Context: java. */
const struct jvmpi_mirror *jvmpi_mirror_of(struct jvmpi_thread *t, JNIEnv *env, jclass klass);
/** Free what is kept for the thread, which ends. */
void jvmpi_mirror_end_thread(struct jvmpi_thread *t);
