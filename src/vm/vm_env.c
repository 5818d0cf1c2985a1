/*
 * vm_env.c - see vm_env.h.
 *
 * Capabilities are set by the numbers of their bits, so that a library which was compiled with the
 * JVM TI headers of an older JDK can also ask for newer capabilities.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_env.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "safe/release.h"
#include "vm/vm.h"

enum phase { ANY, SOLO };

static const struct row {
    enum vm_capability what;
    int release;
    enum phase phase;
    const char *name;
} rows[] = {
#define VM_CAPABILITY(NAME, bit, since, phase, name) {VM_CAN_##NAME, RELEASE_##since, phase, name},
#include "vm/vm_capability.def"
#undef VM_CAPABILITY
};

static const struct row *row_of(enum vm_capability what)
{
    size_t i = 0;
    while (rows[i].what != what)
        i++;
    return &rows[i];
}

static void set_one(jvmtiCapabilities *set, enum vm_capability what)
{
    memset(set, 0, sizeof(*set));
    ((unsigned char *)set)[what / 8] = (unsigned char)(1u << what % 8);
}

static bool has(const jvmtiCapabilities *set, enum vm_capability what)
{
    return ((const unsigned char *)set)[what / 8] >> what % 8 & 1;
}

/* Ask for one capability. An older VM knows fewer bits than this table. Errors: 0, or -1 and
 * *ret_why. */
static int ask(const struct vm *vm, jvmtiEnv *env, const struct row *row, enum vm_env_why *ret_why)
{
    jvmtiCapabilities offered, wanted;
    *ret_why = VM_ENV_TOO_OLD;
    if (vm->release < row->release)
        return -1;
    *ret_why = row->phase == SOLO ? VM_ENV_TAKEN : VM_ENV_HAS_NONE;
    set_one(&wanted, row->what);
    return (*env)->GetPotentialCapabilities(env, &offered) == JVMTI_ERROR_NONE &&
                   has(&offered, row->what) &&
                   (*env)->AddCapabilities(env, &wanted) == JVMTI_ERROR_NONE
               ? 0
               : -1;
}

int vm_env_ask(const struct vm *vm, jvmtiEnv *env, enum vm_capability what,
               struct vm_env_refusal *ret_why)
{
    enum vm_env_why why;
    if (ask(vm, env, row_of(what), &why) == 0)
        return 0;
    if (ret_why)
        *ret_why = (struct vm_env_refusal){what, why};
    return E_UNSUPPORTED;
}

int vm_env_open(const struct vm *vm, uint64_t needed, jvmtiEnv **ret_env,
                struct vm_env_refusal *ret_why)
{
    void *opened = NULL;
    int error = 0;
    if ((*vm->java)->GetEnv(vm->java, &opened, JVMTI_VERSION_1_2) != JNI_OK) {
        if (ret_why && needed)
            *ret_why = (struct vm_env_refusal){__builtin_ctzll(needed), VM_ENV_HAS_NONE};
        return E_UNSUPPORTED;
    }
    for (size_t i = 0; !error && i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (needed & VM_ENV_SET(rows[i].what))
            error = vm_env_ask(vm, opened, rows[i].what, ret_why);
    }
    if (error)
        vm_env_close(opened);
    else
        *ret_env = opened;
    return error;
}

int vm_env_open_hearing(const struct vm *vm, uint64_t needed, const jvmtiEventCallbacks *callbacks,
                        jvmtiEnv **ret_env, struct vm_env_refusal *ret_why)
{
    jvmtiEnv *env;
    if (vm_env_open(vm, needed, &env, ret_why) != 0)
        return E_UNSUPPORTED;
    if ((*env)->SetEventCallbacks(env, callbacks, (jint)sizeof(*callbacks)) != JVMTI_ERROR_NONE) {
        vm_env_close(env);
        return E_UNSUPPORTED;
    }
    *ret_env = env;
    return 0;
}

void vm_env_close(jvmtiEnv *env)
{
    if (env)
        (*env)->DisposeEnvironment(env);
}

const char *vm_env_say(const struct vm_env_refusal *r, char text[VM_ENV_TEXT])
{
    const struct row *row = row_of(r->what);
    switch (r->why) {
    case VM_ENV_TOO_OLD:
        snprintf(text, VM_ENV_TEXT, "%s: it came with JDK %d", row->name, row->release);
        break;
    case VM_ENV_TAKEN:
        snprintf(text, VM_ENV_TEXT, "%s: another agent has it", row->name);
        break;
    case VM_ENV_HAS_NONE:
        snprintf(text, VM_ENV_TEXT, "%s: this VM does not give it", row->name);
        break;
    }
    return text;
}
