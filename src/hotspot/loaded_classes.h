/*
 * loaded_classes.h - the classes that a VM has loaded, as its class loaders list them.
 *
 * Each loader has a list of its classes, arrays included. A class whose loading has not ended is
 * left out. The lists are believed only as far as each class names the loader in whose list it is.
 * Source: HotSpot classLoaderData.hpp, classLoaderDataGraph.hpp, klass.hpp, instanceKlass.hpp.
 * Context of everything here: any, not signal. Nothing here allocates.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

struct loaded_class {
    uint64_t klass;
    uint64_t loader_data; /* the VM's ClassLoaderData */
    bool is_boots;        /* the boot loader has loaded it; it is no hidden class */
};

/** Called for each class. A result other than 0 ends the walk. */
typedef int loaded_classes_seen(void *arg, const struct loaded_class *c);

/**
 * Call `seen` for each class. *ret_broken counts lists that ended early, because a class named
 * another loader or could not be read.
 *
 * Errors:  0; the last result of `seen`; E_FACT_MISSING: *ret_missing names the fact (static text).
 */
int loaded_classes_each(const struct target *t, loaded_classes_seen *seen, void *arg,
                        uint32_t *ret_broken, const char **ret_missing);
