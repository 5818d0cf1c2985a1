/*
 * java_props.h - the system properties of a Java program, out of the object that System has.
 *
 * Source: java.lang.System.props; java.util.Properties, which is a Hashtable in JDK 8 and has a
 * ConcurrentHashMap from JDK 9 on. Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct oops;

/** Names and values are cut to this many bytes. */
enum { JAVA_PROPS_TEXT = 1 << 20 };

/**
 * Call `each` with every property, in no order, until it says other than 0. Returns that, or 0, or
 * -ENOMEM; E_VM_STATE: the program has not come so far. `damage` counts what could not be read: a
 * running program may be changing them.
 */
int java_props_each(struct oops *o, int (*each)(void *context, const char *name, const char *value),
                    void *context, uint32_t *damage);
