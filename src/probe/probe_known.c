/*
 * probe_known.c - see probe_known.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_known.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *provider, *name, *words, *flag;
} known[] = {
#define KNOWN(provider, name, words, flag) {provider, name, words, flag},
#include "probe/probe_known.def"
#undef KNOWN
};

const char *probe_known_words(const char *provider, const char *name, const char **ret_flag)
{
    *ret_flag = NULL;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].provider, provider) == 0 && strcmp(known[i].name, name) == 0) {
            *ret_flag = known[i].flag;
            return known[i].words;
        }
    return "";
}

struct probe_known_field probe_known_field(const char *words, unsigned i)
{
    struct probe_known_field f = {.name = ""};
    unsigned at = 0;
    for (; *words && at < i; at++) {
        words += strcspn(words, " ");
        words += *words == ' ';
    }
    if (!*words) {
        snprintf(f.name, sizeof(f.name), "arg%u", i + 1);
        return f;
    }
    size_t name = strcspn(words, ": ");
    snprintf(f.name, sizeof(f.name), "%.*s", (int)name, words);
    f.is_gone = strncmp(words + name, ":gone", 5) == 0;
    f.is_text = f.is_gone || strncmp(words + name, ":text", 5) == 0;
    f.is_string = strncmp(words + name, ":str", 4) == 0;
    return f;
}
