/*
 * javatype.h - writes types as Java source does.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/**
 * Writes a type as Java source does, from its JVM signature: "[[C" becomes char[][], and
 * "Ljava/lang/String;" becomes java.lang.String. The text is cut at `size` - 1 bytes. Returns
 * `ret`.
 */
char *javatype_name(const char *signature, char *ret, size_t size);
