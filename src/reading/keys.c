/*
 * keys.c - see keys.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reading/keys.h"
#include <stdio.h>
#include <string.h>
#include "base/diag.h"
#include "base/err.h"
#include "profile/context.h"
#include "profile/process_name.h"
#include "profile/process_set.h"
#include "profile/profile.h"

enum { PROCESS = -2, NONE = -1 };

bool keys_is_process(const char *key)
{
    return strcmp(key, "process") == 0;
}

/* The names of all processes are made here, so keys_value() only returns existing strings. */
int keys_find(struct profile *profile, const char *key)
{
    const struct process_set *processes = profile_processes(profile);
    string_id name = profile_cstring(profile, key);
    int number = name ? context_find_key(profile_contexts(profile), name) : NONE;
    if (number >= 0 || !keys_is_process(key) || process_set_count(processes) == 0)
        return number;
    for (process_id id = 1; id <= process_set_count(processes); id++)
        process_name(profile, id);
    return PROCESS;
}

string_id keys_value(struct profile *profile, int key, trace_id trace, context_id context)
{
    process_id process;
    if (key != PROCESS)
        return context_value(profile_contexts(profile), context, key);
    process = profile_process_of(profile, profile_trace_at(profile, trace)->thread);
    return process ? process_name(profile, process) : 0;
}

bool keys_has(const char *source, const char *key, struct profile *profile, struct diag *diag)
{
    const struct context_set *contexts = profile_contexts(profile);
    char words[CONTEXT_KEYS * 66] = "";
    size_t len = 0;
    if (keys_find(profile, key) != NONE)
        return true;
    if (keys_is_process(key)) {
        diag_tell(diag, E_NOT_FOUND, source,
                  "does not say which JVM it is of; where several files are named, each of them is "
                  "a process");
        return false;
    }
    for (uint32_t i = 0; i < contexts->key_count && len < sizeof(words); i++)
        len += (size_t)snprintf(words + len, sizeof(words) - len, " %s",
                                profile_string_at(profile, contexts->keys[i].name)->bytes);
    if (len)
        diag_tell(diag, E_NOT_FOUND, source, "no event has '%s'; keys of its contexts are:%s", key,
                  words);
    else
        diag_tell(diag, E_NOT_FOUND, source,
                  "no event has '%s', and the program has named no keys (hprof.jar does that); "
                  "names of fields are those of 'hprof jfr metadata'",
                  key);
    return false;
}
