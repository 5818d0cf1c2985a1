/*
 * names.h - adds the VM's classes, methods and frames to the model.
 *
 * A class is found by the JVM TI tag on its mirror, which is its class_id. A method or frame is
 * found by its jmethodID. The VM is asked once for each. All functions need the agent's lock.
 * Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "profile/lookup.h"
#include "profile/profile.h"
#include "profile/table.h"

struct agent;
struct recording;
struct vm_env_refusal;

struct names {
    jvmtiEnv *jvmti; /* environment in which the tags of classes are their class_ids */
    struct arena arena;
    struct lookup_key key;
    struct table methods;
    struct lookup method_index;
};

int names_init(struct names *n, uint64_t mem_bytes);
/** Free everything, and close what names_open() opened. */
void names_done(struct names *n);
/**
 * Open the environment in which classes have their tags.
 * Errors: 0; E_UNSUPPORTED, with what the VM refuses in *ret_why. Context: OnLoad, or java at
 * attach.
 */
int names_open(struct agent *a, struct vm_env_refusal *ret_why);

/**
 * The class row of a mirror. A new class is added, and announced in a binary file, unless with
 * heap=dump.
 */
class_id names_class(struct agent *a, jclass klass);
/**
 * The class row of a mirror that names_class() knows; 0: names_class() has not seen it. Needs no
 * lock.
 */
class_id names_known_class(const struct agent *a, jclass klass);
/** The class row of that name. A new row is announced in the file like a loaded class. */
class_id names_class_named(struct agent *a, string_id name);
/**
 * The frame row of (method, bci). The VM is asked once for each method. 0: no memory, or the method
 * is gone. Used by frame_java.c.
 */
frame_id names_frame(struct agent *a, jmethodID method, int32_t bci);

/** The method with a number of methods.h; 0: the model has no room for its whole name. */
method_id names_injected(struct agent *a, uint32_t number);

/** Whether the frame belongs to a tracker (safe/own_class.h) and must not be shown in stacks. */
bool names_is_own(const struct agent *a, frame_id frame);

/** The frame for a method whose name cannot be found. 0: no memory. */
frame_id names_unknown_frame(struct agent *a);

/**
 * Write UNLOAD CLASS records into the file of `r` for its classes that the VM has unloaded since
 * the last call. JVM TI has no event for unloading, so the loaded classes are compared with those
 * in the file. Context: java, lock held.
 */
void names_tell_unloaded(struct agent *a, struct recording *r, JNIEnv *env);
