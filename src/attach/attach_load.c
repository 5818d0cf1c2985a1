/*
 * attach_load.c - see attach_load.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/attach_load.h"
#include <stdlib.h>
#include <string.h>

static const char returned[] = "return code: ";

/* Read the number. JDK 8 answers with the number only; later releases have words in front of it. */
static bool read_code(const struct attach_reply *reply, int *ret_code)
{
    const char *text = reply->text;
    char *end;
    if (attach_reply_says(reply, returned))
        text += sizeof(returned) - 1;
    long code = strtol(text, &end, 10);
    if (end == text || (*end != '\n' && *end != '\0'))
        return false;
    *ret_code = (int)code;
    return true;
}

enum attach_load_result attach_load_understand(const struct attach_reply *reply, int *ret_code)
{
    *ret_code = reply->code;
    if (reply->code == 0 && read_code(reply, ret_code))
        return *ret_code == 0 ? ATTACH_LOAD_DONE : ATTACH_LOAD_FAILED;
    return attach_reply_says(reply, "Dynamic agent loading is not enabled") ? ATTACH_LOAD_DISABLED
                                                                            : ATTACH_LOAD_NOT_FOUND;
}

const char *attach_load_reason(const struct attach_reply *reply, int *ret_len)
{
    const char *line = reply->text, *behind = line + strcspn(line, "\n");
    if (behind[0] == '\n' && behind[1] != '\n' && behind[1] != '\0')
        line = behind + 1;
    *ret_len = (int)strcspn(line, "\n");
    return line;
}

enum attach_cause attach_load(struct attach *a, const char *library, const char *options,
                              struct attach_reply *reply, enum attach_load_result *ret_result,
                              int *ret_code)
{
    const char *const args[] = {library, library[0] == '/' ? "true" : "false",
                                options ? options : ""};
    enum attach_cause cause = attach_call(a, "load", args, sizeof(args) / sizeof(args[0]), reply);
    if (cause == ATTACH_OK)
        *ret_result = attach_load_understand(reply, ret_code);
    return cause;
}
