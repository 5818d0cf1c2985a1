/*
 * names.h - from the VM's names to the model: classes, methods, frames.
 *
 * Classes are found by the JVM TI tag on their mirror, which is their class_id; methods and frames
 * by their jmethodID. Each is asked for once. All functions need the agent's lock. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <jvmti.h>
#include <stdint.h>
#include "base/arena.h"
#include "profile/lookup.h"
#include "profile/profile.h"
#include "profile/table.h"

struct agent;
struct vm_env_refusal;

struct names {
    jvmtiEnv *jvmti; /* whose tags on classes are class_ids */
    struct arena arena;
    struct lookup_key key;
    struct table methods;
    struct lookup method_index;
};

int names_init(struct names *n, uint64_t mem_bytes);
/** Forget all, and close what names_open() opened. */
void names_done(struct names *n);
/**
 * Open the environment that classes have their tags in. Errors: 0; E_UNSUPPORTED and what the VM
 * refuses in *ret_why. Context: OnLoad, or java at attach.
 */
int names_open(struct agent *a, struct vm_env_refusal *ret_why);

/** The class row of a mirror, made if it is new (and then in the file if that is binary, unless
 * with heap=dump). */
class_id names_class(struct agent *a, jclass klass);
/** The class row of a mirror that names_class() knows; 0: not yet. Needs no lock. */
class_id names_known_class(const struct agent *a, jclass klass);
/** The class row of that name; a new one is announced in the file like a loaded class. */
class_id names_class_named(struct agent *a, string_id name);
/**
 * The frame row of (method, bci), asked of the VM, once a method. 0: no memory, or the method is
 * gone. For frame_java.c.
 */
frame_id names_frame(struct agent *a, jmethodID method, int32_t bci);

/** Whether the frame is a tracker's (safe/own_class.h): not to be seen in stacks. */
bool names_is_own(const struct agent *a, frame_id frame);

/** The frame that stands for a method whose name cannot be had. 0: no memory. */
frame_id names_unknown_frame(struct agent *a);
