/*
 * fuzz_attach_reply.c - what a JVM, or whatever listens at its socket, may answer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "attach/attach.h"
#include "attach/main_class.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct attach_reply reply = {0};
    int code;
    if (attach_reply_grow(&reply, len) < 0)
        abort();
    memcpy(reply.bytes, bytes, len);
    reply.len = len;
    if (attach_reply_parse(&reply) == 0) {
        if (reply.text < reply.bytes || reply.text + reply.text_len != reply.bytes + len)
            abort();
        enum attach_load_result result = attach_load_understand(&reply, &code);
        if (result == ATTACH_LOAD_DONE && (code != 0 || reply.code != 0))
            abort();
        size_t name = main_class_len(reply.text);
        if (main_class_short(reply.text, name) > name)
            abort();
        char *words = main_class_of_line(reply.text, reply.text_len, reply.code == 0);
        if (words && strlen(words) >= reply.text_len)
            abort();
        free(words);
    }
    attach_reply_done(&reply);
    return 0;
}
