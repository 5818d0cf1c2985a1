/*
 * demangle.h - C++ symbols as people write them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/**
 * "_ZN9JavaCalls4callE..." as "JavaCalls::call(...)"; any other name as it is, and so is a mangled
 * one of more than 8 KB or whose text would be longer than 16 KB: names come from files of others.
 *
 * Returns `symbol` itself, or a malloc'ed text in *ret_owned, which the caller frees (NULL: nothing
 * to free). Context: any.
 */
const char *demangle(const char *symbol, char **ret_owned);
/** The length of a demangled name up to its parameters: the parenthesis that the last one closes.
 */
size_t demangle_without_parameters(const char *name);
