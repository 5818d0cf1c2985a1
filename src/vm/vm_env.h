/*
 * vm_env.h - environments of JVM TI, each for one purpose, and their capabilities.
 *
 * An object's tag belongs to one environment, so each part that tags objects has an environment of
 * its own. The main environment (vm.h) has no tags. It does not have can_support_virtual_threads
 * either, because with this capability the VM notes each mount of a virtual thread: a part that
 * looks at virtual threads has an environment of its own as well. Capabilities are asked for one by
 * one: a capability that is refused is a result with a name, and the others are still given.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

struct vm;

/** VM_CAN_TAG_OBJECTS ...: the value is the number of the capability's bit. */
enum vm_capability {
#define VM_CAPABILITY(NAME, bit, release, phase, name) VM_CAN_##NAME = (bit),
#include "vm/vm_capability.def"
#undef VM_CAPABILITY
};

/** A set of capabilities with one member. */
#define VM_ENV_SET(capability) ((uint64_t)1 << (capability))

/** Why a capability was refused. */
enum vm_env_why {
    VM_ENV_TOO_OLD,  /* the capability came with a later JDK */
    VM_ENV_TAKEN,    /* only one environment can have it, and another one has it */
    VM_ENV_HAS_NONE, /* this VM does not offer it, or does not offer it any more once it runs */
};

struct vm_env_refusal {
    enum vm_capability what;
    enum vm_env_why why;
};

enum { VM_ENV_TEXT = 160 };

/**
 * Open an environment that has all capabilities of the set `needed`.
 *
 * Errors:  0; E_UNSUPPORTED and the first refusal in *ret_why (may be NULL if `needed` is 0).
 * Owner:   the caller closes it.
 * Context: OnLoad or java.
 */
int vm_env_open(const struct vm *vm, uint64_t needed, jvmtiEnv **ret_env,
                struct vm_env_refusal *ret_why);
/** Do the same as vm_env_open(), and set callbacks of the environment. The VM does not call a
 * callback before its event is turned on. */
int vm_env_open_hearing(const struct vm *vm, uint64_t needed, const jvmtiEventCallbacks *callbacks,
                        jvmtiEnv **ret_env, struct vm_env_refusal *ret_why);
/** Close an environment; its tags are lost. Nothing happens if `env` is NULL. */
void vm_env_close(jvmtiEnv *env);
/** Ask for one capability. Errors: 0: the environment has it; E_UNSUPPORTED and *ret_why (may be
 * NULL). */
int vm_env_ask(const struct vm *vm, jvmtiEnv *env, enum vm_capability what,
               struct vm_env_refusal *ret_why);
/** The refusal as text, for example "can_suspend: another agent has it". Returns `text`. */
const char *vm_env_say(const struct vm_env_refusal *r, char text[VM_ENV_TEXT]);
