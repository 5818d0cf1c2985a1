/*
 * java_props.h - the system properties of a Java program, read from the object that System has.
 *
 * Source: java.lang.System.props; java.util.Properties, which is a Hashtable in JDK 8 and has a
 * ConcurrentHashMap from JDK 9 on. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct oops;

/** Names and values are cut to this many bytes. */
enum { JAVA_PROPS_TEXT = 1 << 20 };

/**
 * Call `each` for every property, in no order, until it returns non-zero. Returns that value; or 0;
 * -ENOMEM; E_VM_STATE if the program has no properties yet. `damage` counts what could not be read:
 * a running program may be changing the properties.
 */
int java_props_each(struct oops *o, int (*each)(void *context, const char *name, const char *value),
                    void *context, uint32_t *damage);
