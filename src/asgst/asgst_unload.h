/*
 * asgst_unload.h - which classes went away or were redefined.
 *
 * No stock VM says it in time and to everybody. So while a handler is registered, the helper thread
 * compares the VM's list of classes with what it was, some twenty times a second, and keeps copies
 * of their names and of their methods' names: that is what a handler can be told when the class
 * itself is gone. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct asgst_unload_method {
    uint64_t klass;
    const char *name, *signature;
    int64_t class_idnum;
    int32_t modifiers, idnum;
};

struct asgst_unload_class {
    const char *name;
    int64_t idnum;
    int32_t modifiers;
};

/** While a handler runs: the class it was called for, and its methods. NULL: not that one. The
 * answer of other threads than the one that runs it is NULL. Context: signal. */
const struct asgst_unload_method *asgst_unload_dead_method(uint64_t method);
const struct asgst_unload_class *asgst_unload_dead_class(uint64_t klass);
