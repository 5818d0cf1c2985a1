/*
 * asgst_classes.h - the classes that the VM has loaded, found through its list of class loaders.
 *
 * The functions read the lists while the VM changes them: a walk over the classes may end early, or
 * may meet a class that is just being freed. The result says whether the walk reached the end of
 * the lists. Context of everything here: any.
 * Source: HotSpot classLoaderData.hpp. JDK 8 exports neither _klasses nor _next_link;
 * asgst_classes.c says how they are found.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct asgst_meta_facts;
struct hs_layout;

/** The offsets of the lists. */
struct asgst_classes {
    const struct hs_layout *layout;
    const struct asgst_meta_facts *facts;
    int32_t cld_klasses, klass_next;
};

/** Find the offsets of the lists. Returns 1, or 0 if the lists of this VM are not found. Borrows
 * `layout` and `facts`. */
int asgst_classes_open(struct asgst_classes *c, const struct hs_layout *layout,
                       const struct asgst_meta_facts *facts);

/** Call `visit` with each class that has methods. Returns 1 if all classes were visited. */
int asgst_classes_each(const struct asgst_classes *c, void (*visit)(uint64_t klass, void *arg),
                       void *arg);

/** The offset of the serial number in a class (asgst_meta_serial()); HS_NONE: classes have none. */
int32_t asgst_classes_find_serial(const struct hs_layout *layout,
                                  const struct asgst_meta_facts *facts);

/** Find the method of a jmethodID by a look at all classes; 0: no method has this id. This is
 * needed if an id does not lead to its method. */
uint64_t asgst_classes_method_of_id(const struct hs_layout *layout,
                                    const struct asgst_meta_facts *facts, uint64_t id);
