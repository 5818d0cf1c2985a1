/*
 * vm_roots.h - references to objects that the VM holds outside of the heap: JNI references, and its
 * own.
 *
 * Since JDK 11 they are in storages (OopStorage), which the VM does not describe. A storage is
 * found in the data of libjvm.so: a pointer to a struct that leads to a list of blocks, each of
 * which names the storage as its owner. A storage of weak references is known by its name. Before
 * JDK 11 global references are in blocks as local ones are, and the VM's own are static fields.
 * Source: HotSpot oopStorage.hpp, oopStorage.inline.hpp, oopStorageSet.hpp, jniHandles.hpp,
 * universe.hpp.
 * Context of everything here: any, not signal. Nothing here allocates.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

enum vm_root_kind {
    VM_ROOT_JNI_GLOBAL,
    VM_ROOT_JNI_LOCAL,
    VM_ROOT_OWN, /* the VM's */
};

enum { VM_ROOTS_STORAGES = 32 };

/** The places, found once. */
struct vm_roots {
    const struct target *target;
    uint64_t jni_globals; /* the storage or the first block of JNI's global references */
    uint64_t storages[VM_ROOTS_STORAGES];
    uint32_t count;  /* of storages */
    bool has_blocks; /* the global references are in a chain of blocks (JDK 8) */
};

/** Called with a reference as it is written: decode it with heap_of_word() or oops_of_word(). */
typedef void vm_roots_seen(void *arg, enum vm_root_kind kind, uint64_t word);

/** Find the places. What is not found has no roots. */
void vm_roots_open(struct vm_roots *r, const struct target *t);
/** Call `seen` for the global references of JNI, and for the VM's own. Null is left out. */
void vm_roots_each(const struct vm_roots *r, vm_roots_seen *seen, void *arg);
/** Call `seen` for each word of the data of libjvm.so that is not 0. Before JDK 17 the VM keeps
 * some of its references there, in static fields that it does not describe: which words are
 * references is for the caller to find out. Does nothing for later releases. */
void vm_roots_each_word(const struct vm_roots *r, vm_roots_seen *seen, void *arg);
/** Call `seen` for the local references of the C code that a JavaThread runs now, or ran last.
 * Those of C code that has called Java are kept beside its frames: stack_oops.h. */
void vm_roots_of_thread(const struct vm_roots *r, uint64_t thread, vm_roots_seen *seen, void *arg);
/** Call `seen` for the local references of a block of handles and of those that follow. */
void vm_roots_of_handles(const struct vm_roots *r, uint64_t block, vm_roots_seen *seen, void *arg);
