/*
 * keys.c - see keys.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/keys.h"
#include <stdio.h>
#include "cli/say.h"
#include "profile/context.h"
#include "profile/profile.h"

bool keys_has(const char *source, const char *key, struct profile *profile)
{
    const struct context_set *contexts = profile_contexts(profile);
    string_id name = profile_cstring(profile, key);
    char words[CONTEXT_KEYS * 66] = "";
    size_t len = 0;

    if (name && context_find_key(contexts, name) >= 0)
        return true;
    for (uint32_t i = 0; i < contexts->key_count && len < sizeof(words); i++)
        len += (size_t)snprintf(words + len, sizeof(words) - len, " %s",
                                profile_string_at(profile, contexts->keys[i].name)->bytes);
    if (len)
        say("%s: no event has '%s'; keys of its contexts are:%s", source, key, words);
    else
        say("%s: no event has '%s', and the program has named no keys (hprof.jar does that); names "
            "of fields are those of 'hprof jfr metadata'",
            source, key);
    return false;
}
