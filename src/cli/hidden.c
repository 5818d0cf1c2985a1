/*
 * hidden.c - see hidden.h.
 * Source: the JDK's java.lang.invoke (InvokerBytecodeGenerator, InnerClassLambdaMetafactory,
 * GenerateJLIClassesHelper), jdk.internal.reflect and its name before JDK 9, sun.reflect.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/hidden.h"
#include <stddef.h>
#include <string.h>

/* A class belongs to a row if its name begins with `start` and has `part` behind that. */
static const struct {
    const char *start, *part;
} rows[] = {
    {"", "$$Lambda"},
    {"java.lang.invoke.LambdaForm$", "MH"},
    {"java.lang.invoke.LambdaForm$", "VH"},
    {"java.lang.invoke.", "$Holder"},
    {"java.lang.invoke.VarHandleGuards", ""},
    {"jdk.internal.reflect.Direct", "HandleAccessor"},
    {"jdk.internal.reflect.Generated", "Accessor"},
    {"jdk.internal.reflect.Native", "AccessorImpl"},
    {"jdk.internal.reflect.Delegating", "AccessorImpl"},
    {"sun.reflect.Generated", "Accessor"},
    {"sun.reflect.Native", "AccessorImpl"},
    {"sun.reflect.Delegating", "AccessorImpl"},
};

int hidden_has(const char *class_name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        size_t len = strlen(rows[i].start);

        if (strncmp(class_name, rows[i].start, len) == 0 && strstr(class_name + len, rows[i].part))
            return 1;
    }
    return 0;
}
