/*
 * times_name.c - see times_name.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_name.h"
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/names/methods.h"
#include "agent/names/names.h"

method_id times_name_method(struct agent *a, uint32_t number)
{
    struct methods_names n = methods_names(number);
    char dotted[1024], *name = dotted;
    size_t len = strlen(n.class_name);
    method_id method = 0;
    if (len >= sizeof(dotted) && !(name = malloc(len + 1)))
        return 0;
    for (size_t i = 0; i <= len; i++)
        name[i] = n.class_name[i] == '/' ? '.' : n.class_name[i];
    class_id klass = names_class_named(a, profile_string(a->profile, name, len));
    string_id called = profile_cstring(a->profile, n.name);
    string_id desc = profile_cstring(a->profile, n.desc);
    /* If the model is full, there is no frame at all, not a frame with a part of its name. */
    if (klass && called && desc)
        method = profile_method(a->profile, klass, called, desc,
                                n.source[0] ? profile_cstring(a->profile, n.source) : 0);
    if (name != dotted)
        free(name);
    return method;
}
