/*
 * loader_name.h - what a class loader is called in one text.
 *
 * "app (a.b.Loader)" has the name that the program gave the loader, and the loader's class;
 * "a.b.Loader" is a loader without a name; "bootstrap" is the VM's own, which has no class.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** The two parts of such a text, borrowed from the text; a part of 0 bytes is not there. */
struct loader_name {
    const char *name, *type;
    size_t name_len, type_len;
};

/** Writes the text for a name and a class, of which each may be "". The text is cut at `size` - 1
 * bytes. */
void loader_name_join(const char *name, const char *type, char *ret, size_t size);
/** The parts of a text of `len` bytes. */
struct loader_name loader_name_split(const char *text, size_t len);
