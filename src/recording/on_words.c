/*
 * on_words.c - see on_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/on_words.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recording/inject.h"
#include "command/say.h"
#include "options/options_on.h"

/* Writes the names of all triggers for a message. */
static void list_triggers(char *ret, size_t size)
{
    size_t n = 0;
    ret[0] = '\0';
    for (int i = 0; options_group_all[i]; i++)
        if (options_group_all[i]->marks == options_on_marks && n < size)
            n += (size_t)snprintf(ret + n, size - n, "%s%s", n ? ", " : "",
                                  options_group_all[i]->name + strlen("on"));
}

static bool is_trigger(const char *name)
{
    for (int i = 0; options_group_all[i]; i++)
        if (options_group_all[i]->marks == options_on_marks &&
            strcmp(options_group_all[i]->name, name) == 0)
            return true;
    return false;
}

void on_words_add(struct inject *in, const char *text)
{
    size_t len = strcspn(text, "=:>");
    const char *value = text[len] == '=' ? text + len + 1 : text + len;
    char name[32], all[128], *whole = NULL;
    snprintf(name, sizeof(name), "on%.*s", (int)(len < 16 ? len : 16), text);
    if (!is_trigger(name)) {
        list_triggers(all, sizeof(all));
        say("%s: --on '%s': triggers are %s, as in throw=java.io.IOException:dump", in->command,
            text, all);
        in->failed = true;
        return;
    }
    /* A trigger without a value gets "y": uncaught becomes onuncaught=y, uncaught:dump becomes
     * onuncaught=y:dump. */
    if (asprintf(&whole, "%s%s", *value == ':' || !*value ? "y" : "", value) < 0) {
        say("%s: %s", in->command, strerror(ENOMEM));
        in->failed = true;
        return;
    }
    inject_add(in, name, whole, "--on");
    free(whole);
}
