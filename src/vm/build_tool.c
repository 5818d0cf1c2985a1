/*
 * build_tool.c - see build_tool.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/build_tool.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const struct build_tool {
    const char *main, *arguments, *name;
} tools[] = {
#define BUILD_TOOL(main, arguments, name) {main, arguments, name},
#include "vm/build_tool.def"
#undef BUILD_TOOL
};

const char *build_tool_of(const char *command, size_t len)
{
    const char *found = NULL;
    char *main = strndup(command, len);
    if (!main)
        return NULL;
    const char *slash = strrchr(main, '/');
    const char *arguments = command + len + (command[len] == ' ');
    for (size_t i = 0; !found && i < sizeof(tools) / sizeof(tools[0]); i++)
        if (fnmatch(tools[i].main, slash ? slash + 1 : main, 0) == 0 &&
            strncmp(arguments, tools[i].arguments, strlen(tools[i].arguments)) == 0)
            found = tools[i].name;
    free(main);
    return found;
}
