/*
 * vm_env.h - environments of JVM TI, each for one purpose, and the capabilities they may have.
 *
 * An object's tag is a tag in one environment, so whoever tags objects has an environment of its
 * own; the main one (vm.h) has no tags. Nor has it can_support_virtual_threads, with which the VM
 * notes each mount of a virtual thread: who looks at virtual threads has an environment of its own
 * as well. Capabilities are asked for one by one: a capability that is refused is a result with a
 * name, and takes no other with it. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

struct vm;

/** VM_CAN_TAG_OBJECTS ...: the value is the number of its bit. */
enum vm_capability {
#define VM_CAPABILITY(NAME, bit, release, phase, name) VM_CAN_##NAME = (bit),
#include "vm/vm_capability.def"
#undef VM_CAPABILITY
};

/** A set of capabilities with one member. */
#define VM_ENV_SET(capability) ((uint64_t)1 << (capability))

/** Why there is no such capability. */
enum vm_env_why {
    VM_ENV_TOO_OLD,  /* it came with a later JDK */
    VM_ENV_TAKEN,    /* one environment can have it, and another has */
    VM_ENV_HAS_NONE, /* this VM does not offer it, or not any more once it runs */
};

struct vm_env_refusal {
    enum vm_capability what;
    enum vm_env_why why;
};

enum { VM_ENV_TEXT = 160 };

/**
 * Open an environment that has all of the set `needed`.
 *
 * Errors: 0; E_UNSUPPORTED and the first refusal in *ret_why (may be NULL where `needed` is 0).
 * Owner: the caller, who closes it. Context: OnLoad or java.
 */
int vm_env_open(const struct vm *vm, uint64_t needed, jvmtiEnv **ret_env,
                struct vm_env_refusal *ret_why);
/** As vm_env_open(), with callbacks of the environment's own; the VM calls none of them before its
 * event is turned on. */
int vm_env_open_hearing(const struct vm *vm, uint64_t needed, const jvmtiEventCallbacks *callbacks,
                        jvmtiEnv **ret_env, struct vm_env_refusal *ret_why);
/** Closes an environment, whose tags are gone with it. NULL is no environment: nothing happens. */
void vm_env_close(jvmtiEnv *env);
/** Ask for one capability. Errors: 0, it has it; E_UNSUPPORTED and *ret_why (may be NULL). */
int vm_env_ask(const struct vm *vm, jvmtiEnv *env, enum vm_capability what,
               struct vm_env_refusal *ret_why);
/** "can_suspend: another agent has it". Returns `text`. */
const char *vm_env_say(const struct vm_env_refusal *r, char text[VM_ENV_TEXT]);
