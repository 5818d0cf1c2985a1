/*
 * jvmpi_mirror.h - the shape of a class by the address of its java.lang.Class.
 *
 * Who hears of each object is told its class by a reference, and to ask the VM which class that is
 * costs a fifth of all that an object costs. Between two collections that move objects in pauses
 * alone, the address does not change. It is read from what the reference points to, and no more
 * than compared. With other collectors, and in other VMs, the VM is asked.
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
    uint64_t pauses; /* that had begun when it was noted; 0: it was not */
    struct jvmpi_shape shape;
    bool is_class; /* it is java.lang.Class: its objects are classes */
};

/** Addresses are compared from now on. Context: java, before other threads ask. */
void jvmpi_mirror_on(void);
/** A class, by a local reference; good until the thread asks again. `t` is the calling thread's
 * record. Context: java. */
const struct jvmpi_mirror *jvmpi_mirror_of(struct jvmpi_thread *t, JNIEnv *env, jclass klass);
/** The thread ends. */
void jvmpi_mirror_end_thread(struct jvmpi_thread *t);
