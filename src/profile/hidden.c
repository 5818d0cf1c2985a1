/*
 * hidden.c - see hidden.h.
 *
 * Source: the JDK's java.lang.invoke (InvokerBytecodeGenerator, InnerClassLambdaMetafactory,
 * GenerateJLIClassesHelper), jdk.internal.reflect and its name before JDK 9, sun.reflect.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/hidden.h"
#include <stddef.h>
#include <string.h>
#include "profile/profile.h"

/* A class belongs to a row if its name begins with `start` and contains `part` after that. */
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

bool hidden_has(const char *class_name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        size_t len = strlen(rows[i].start);
        if (strncmp(class_name, rows[i].start, len) == 0 && strstr(class_name + len, rows[i].part))
            return true;
    }
    return false;
}

bool hidden_is_frame(struct profile *p, frame_id id)
{
    class_id klass = profile_method_at(p, profile_frame_at(p, id)->method)->klass;
    string_id name = klass ? profile_class_at(p, klass)->name : 0;
    return name && hidden_has(profile_string_at(p, name)->bytes);
}

bool hidden_shows(struct profile *p, const struct profile_trace *trace, uint32_t i, uint32_t shown)
{
    return !hidden_is_frame(p, trace->frames[i]) || (shown == 0 && i + 1 == trace->depth);
}
