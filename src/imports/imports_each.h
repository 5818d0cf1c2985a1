/*
 * imports_each.h - the hooks of one function: one for each target.
 *
 * IMPORTS_EACH(OF, name, ...) makes, with OF(name, i, ...) for each i, the functions name_0 to
 * name_3, hooks_name and targets_name, of which a row of imports.h is made. In OF,
 * IMPORTS_NEXT(name, type, i) is the target as a function of that type.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "imports/imports.h"

#define IMPORTS_NEXT(name, type, i)                                                                \
    ((type)atomic_load_explicit(&targets_##name[i], memory_order_relaxed))
#define IMPORTS_EACH(OF, name, ...)                                                                \
    static _Atomic(imports_function) targets_##name[IMPORTS_TARGETS];                              \
    OF(name, 0, __VA_ARGS__)                                                                       \
    OF(name, 1, __VA_ARGS__)                                                                       \
    OF(name, 2, __VA_ARGS__)                                                                       \
    OF(name, 3, __VA_ARGS__)                                                                       \
    static const imports_function hooks_##name[] = {                                               \
        (imports_function)name##_0, (imports_function)name##_1, (imports_function)name##_2,        \
        (imports_function)name##_3};                                                               \
    _Static_assert(sizeof(hooks_##name) / sizeof(hooks_##name[0]) == IMPORTS_TARGETS,              \
                   "a hook for each target");
