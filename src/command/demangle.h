/*
 * demangle.h - turns mangled C++ symbols into names that people read.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/**
 * Turns "_ZN9JavaCalls4callE..." into "JavaCalls::call(...)". Any other name is returned unchanged.
 * So is a mangled name of more than 8 KB, or one whose text would be longer than 16 KB, because
 * names come from files of others.
 * Returns `symbol` itself, or a malloc'ed text in *ret_owned, which the caller frees (NULL: nothing
 * to free). Context: any.
 */
const char *demangle(const char *symbol, char **ret_owned);
/** The length of a demangled name without its parameters, which begin at the parenthesis that the
 * last one closes. */
size_t demangle_without_parameters(const char *name);
