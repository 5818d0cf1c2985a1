/*
 * inject.c - writes the agent's options into JAVA_TOOL_OPTIONS.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/inject.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/say.h"

enum {
    VALUE_MAX = 4096,     /* the longest value that the agent takes */
    TOOL_OPTIONS_8 = 1023 /* JDK 8 ignores a longer variable without a message */
};

static void fail(struct inject *in, const char *what, const char *value, const char *why)
{
    say("%s: %s '%s': %s", in->command, what, value, why);
    in->failed = true;
}

static void append(struct inject *in, const char *text)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", in->text ? in->text : "", in->text ? "," : "", text) < 0) {
        fail(in, "agent options", text, strerror(ENOMEM));
        return;
    }
    free(in->text);
    in->text = longer;
}

void inject_add_raw(struct inject *in, const char *pair, const char *what)
{
    const char *equals = strchr(pair, '=');
    if (!equals || equals == pair || equals[1] == '\0')
        fail(in, what, pair, "must read NAME=VALUE, neither of them empty");
    else if (strchr(pair, ','))
        fail(in, what, pair, "has a comma, which would end the option of the agent; do without it");
    else if (strchr(pair, '\n'))
        fail(in, what, pair, "has a line break; do without it");
    else if (strlen(equals + 1) > VALUE_MAX)
        fail(in, what, pair, "is longer than the 4096 bytes that the agent takes");
    if (!in->failed)
        append(in, pair);
}

void inject_add_all(struct inject *in, const struct inject *more)
{
    in->failed |= more->failed;
    if (more->text && !in->failed)
        append(in, more->text);
}

void inject_add(struct inject *in, const char *name, const char *value, const char *what)
{
    char *pair = NULL;
    if (asprintf(&pair, "%s=%s", name, value) < 0) {
        fail(in, what, value, strerror(ENOMEM));
        return;
    }
    inject_add_raw(in, pair, what);
    free(pair);
}

void inject_done(struct inject *in)
{
    free(in->text);
    *in = (struct inject){.command = in->command};
}

/* White space is put between double quotes, a double quote between single quotes, and a single
 * quote between double quotes. */
static void put_quoted(FILE *out, const char *text)
{
    char open = '\0';
    for (; *text != '\0'; text++) {
        char need = *text == '"' ? '\'' : *text == '\'' || isspace((unsigned char)*text) ? '"' : 0;
        if (need != '\0' && open != need && (open == '\0' || !isspace((unsigned char)*text))) {
            if (open != '\0')
                putc(open, out);
            putc(need, out);
            open = need;
        }
        putc(*text, out);
    }
    if (open != '\0')
        putc(open, out);
}

static char *join(const char *old, const char *library, const char *options)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return NULL;
    if (old && *old != '\0')
        fprintf(out, "%s ", old);
    fputs("-agentpath:", out);
    put_quoted(out, library);
    putc('=', out);
    put_quoted(out, options);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

int inject_tool_options(const struct inject *in, const char *old, const char *library,
                        char **ret_value)
{
    if (strchr(library, '=')) {
        say("%s: the path of the agent library '%s' has a '=', where the JVM would end it; move "
            "it, or name another with --agent",
            in->command, library);
        return -EINVAL;
    }
    *ret_value = join(old, library, in->text);
    if (!*ret_value) {
        say("%s: %s", in->command, strerror(ENOMEM));
        return -ENOMEM;
    }
    if (strlen(*ret_value) > TOOL_OPTIONS_8)
        say("%s: JAVA_TOOL_OPTIONS has become longer than %d bytes: JDK 8 will ignore all of it, "
            "later JDKs will not; shorter paths help",
            in->command, TOOL_OPTIONS_8);
    return 0;
}
