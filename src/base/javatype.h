/*
 * javatype.h - types as Java source writes them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/**
 * Java's way to write a type, from its JVM signature: "[[C" becomes char[][], and
 * "Ljava/lang/String;" becomes java.lang.String. Cut at `size` - 1 bytes. Returns `ret`.
 */
char *javatype_name(const char *signature, char *ret, size_t size);
