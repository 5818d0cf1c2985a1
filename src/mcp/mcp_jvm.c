/*
 * mcp_jvm.c - see mcp_jvm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mcp/mcp_jvm.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attach/jvms.h"
#include "attach/main_class.h"
#include "base/err.h"
#include "base/plain.h"
#include "base/wildcard.h"

enum { NAME_BYTES = 512 };

/* Of a JVM whose name is unknown it is "". `ret_short` is where its last part begins. */
static void name_of(const struct jvm *jvm, char ret_name[NAME_BYTES], const char **ret_short)
{
    size_t len = jvm->command ? main_class_len(jvm->command) : 0, at = 0;
    if (len > 0)
        at = main_class_short(jvm->command, len);
    snprintf(ret_name, NAME_BYTES, "%.*s", (int)len, jvm->command ? jvm->command : "");
    *ret_short = ret_name + (at < strlen(ret_name) ? at : 0);
}

static bool fits(const char *pattern, const char *text)
{
    return wildcard_matches(pattern, strlen(pattern), text, strlen(text), false);
}

static bool may_reach(const struct jvm *jvm, const char *const *targets)
{
    char name[NAME_BYTES], number[24];
    const char *last;
    if (!targets)
        return true;
    name_of(jvm, name, &last);
    snprintf(number, sizeof(number), "%ld", (long)jvm->process.pid);
    for (; *targets; targets++)
        if (fits(*targets, number) || fits(*targets, name) || fits(*targets, last))
            return true;
    return false;
}

static bool is_meant(const struct jvm *jvm, const char *word, bool is_number)
{
    char name[NAME_BYTES];
    const char *last;
    if (is_number)
        return jvm->process.pid == strtol(word, NULL, 10);
    name_of(jvm, name, &last);
    return strcasestr(name, word) != NULL;
}

static int refuse(char why[MCP_LINE_WHY], const char *word, const char *text)
{
    char shown[64];
    plain_copy(shown, sizeof(shown), word);
    snprintf(why, MCP_LINE_WHY, "target: '%s' %s", shown, text);
    return -1;
}

int mcp_jvm_find(const char *word, const char *const *targets, long *ret_pid,
                 char why[MCP_LINE_WHY])
{
    struct jvms jvms = {0};
    uint32_t meant = 0, reached = 0;
    bool is_number = *word != '\0' && word[strspn(word, "0123456789")] == '\0';
    int error = *word == '\0' ? E_NOT_FOUND : jvms_list(&jvms);
    for (uint32_t i = 0; error == 0 && i < jvms.count; i++) {
        const struct jvm *jvm = &jvms.rows[i];
        if (!is_meant(jvm, word, is_number))
            continue;
        meant++;
        if (!may_reach(jvm, targets))
            continue;
        reached++;
        *ret_pid = jvm->process.pid;
    }
    jvms_done(&jvms);
    if (reached == 1)
        return 0;
    if (reached > 1)
        return refuse(why, word,
                      "may be one of several JVMs: say which by the number of its "
                      "process; list_jvms has them");
    if (meant > 0)
        return refuse(why, word,
                      "is none of the JVMs that the user lets this server reach "
                      "(--target)");
    return refuse(why, word, "is no JVM that this server can see; list_jvms has them");
}
