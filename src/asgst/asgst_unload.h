/*
 * asgst_unload.h - which classes were unloaded or redefined.
 *
 * No stock VM tells each library in time that a class was unloaded. So while a handler is
 * registered, the helper thread compares the VM's list of classes with the list of the look before,
 * about twenty times a second. The thread keeps copies of the names of the classes and of their
 * methods: a handler gets these copies when the class itself does not exist any more.
 * SPDX-License-Identifier: Apache-2.0
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

/** The copies of the class for which a handler runs now, and of its methods. NULL: this is another
 * class, or the caller is not the thread that runs the handler. Context: signal. */
const struct asgst_unload_method *asgst_unload_dead_method(uint64_t method);
const struct asgst_unload_class *asgst_unload_dead_class(uint64_t klass);
