/*
 * fuzz_mcp.c - messages that a client sends to `hprof mcp`, a line each, after it has begun.
 *
 * A call that is taken becomes a command line whose words are those of the tool's row, options that
 * the row has, and words after "--". Nothing is run. SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "mcp/mcp_line.h"
#include "mcp/mcp_session.h"

static int find(const char *word, const char *const *targets, long *ret_pid, char why[MCP_LINE_WHY])
{
    (void)targets;
    *ret_pid = 1;
    snprintf(why, MCP_LINE_WHY, "none");
    return *word == 'M' ? 0 : -1;
}

static size_t count_words(const struct mcp_tool *tool)
{
    size_t count = 0;
    while (tool->words && tool->words[count])
        count++;
    return count;
}

static bool is_option_of(const struct mcp_tool *tool, const char *word)
{
    for (const struct mcp_param *p = tool->params; p->name; p++)
        if (p->option && strncmp(word, p->option, strlen(p->option)) == 0)
            return true;
    return false;
}

static void make_line(const struct mcp_taken *taken, const struct mcp_reach *reach)
{
    struct mcp_line line;
    size_t fixed = count_words(taken->tool) + (taken->tool->words ? 1 : 0);
    if (mcp_line_make(&line, taken->tool, taken->arguments, reach) == 0) {
        size_t at = fixed;
        while (at < line.count && strcmp(line.words[at], "--") != 0)
            if (!is_option_of(taken->tool, line.words[at++]))
                abort();
        if (at == line.count)
            abort();
    } else if (line.why[0] == '\0' || strlen(line.why) >= sizeof(line.why)) {
        abort();
    }
    mcp_line_done(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct mcp_session session = {.allowed = ~0u, .is_begun = true};
    struct mcp_reach reach = {.root = open("/proc/self/fdinfo", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                              .tmp = "/tmp",
                              .find = find};
    for (size_t at = 0; at < len;) {
        const uint8_t *end = memchr(bytes + at, '\n', len - at);
        size_t one = end ? (size_t)(end - bytes) - at : len - at;
        struct mcp_taken taken;
        mcp_session_take(&session, (const char *)bytes + at, one, &taken);
        if (taken.what == MCP_TAKE_REPLY && !mcp_json_write(taken.reply))
            abort();
        if (taken.what == MCP_TAKE_CALL)
            make_line(&taken, &reach);
        mcp_session_taken_done(&taken);
        at += one + 1;
    }
    if (reach.root >= 0)
        close(reach.root);
    return 0;
}
