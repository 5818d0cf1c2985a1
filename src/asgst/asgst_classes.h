/*
 * asgst_classes.h - the classes that the VM has loaded, through its list of class loaders.
 *
 * Read while the VM changes it: a walk may end early or meet what is just being freed. The result
 * says whether it came to the end in order. Source: HotSpot classLoaderData.hpp; JDK 8 exports
 * neither _klasses nor _next_link: see asgst_classes.c. Context of everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct asgst_meta_facts;
struct hs_layout;

/** Where the lists are. */
struct asgst_classes {
    const struct hs_layout *layout;
    const struct asgst_meta_facts *facts;
    int32_t cld_klasses, klass_next;
};

/** Find where the lists are. Returns 1, or 0 where this VM's lists are not found. Borrows `layout`
 * and `facts`. */
int asgst_classes_open(struct asgst_classes *c, const struct hs_layout *layout,
                       const struct asgst_meta_facts *facts);

/** Call `visit` with each class that has methods. 1: all of them were visited. */
int asgst_classes_each(const struct asgst_classes *c, void (*visit)(uint64_t klass, void *arg),
                       void *arg);

/** Where classes have their serial numbers (asgst_meta_serial()), HS_NONE: nowhere. */
int32_t asgst_classes_find_serial(const struct hs_layout *layout,
                                  const struct asgst_meta_facts *facts);

/** The method with a jmethodID by looking at all classes, 0 none: where an id does not say it
 * itself. */
uint64_t asgst_classes_method_of_id(const struct hs_layout *layout,
                                    const struct asgst_meta_facts *facts, uint64_t id);
