/*
 * fuzz_listen_words.c - what a script, or whoever writes to its input, may tell `hprof listen`.
 *
 * Each call gets further in the text; a command that is taken is one that the agent's reader takes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listen/listen_words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "format/net_command.h"
#include "fuzz.h"

static void check_sent(const struct net_command *c)
{
    struct net_command_reader r = {.used = 0};
    struct net_command back;
    enum net_command_result result;
    unsigned char bytes[NET_COMMAND_MAX];
    size_t len = net_command_write(c, bytes);
    if (net_command_read(&r, bytes, len, &back, &result) != len)
        abort();
    if (c->tag == NET_COMMAND_END ? result != NET_COMMAND_LAST
                                  : result != NET_COMMAND_WHOLE || back.tag != c->tag)
        abort();
    if (result == NET_COMMAND_WHOLE &&
        (back.op != c->op || back.thread != c->thread || back.depth != c->depth ||
         back.cutoff != c->cutoff || back.cutoff > 1))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static FILE *nowhere;
    char *text = malloc(len + 1);
    const char *at = text, *end;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    if (!text || !nowhere)
        abort();
    stderr = nowhere; /* each refusal is said; the descriptor stays the sanitizers' */
    memcpy(text, bytes, len);
    text[len] = '\0';
    end = text + strlen(text);
    while (*at != '\0') {
        const char *before = at;
        struct listen_words w;
        int error = listen_words_next(&at, &w);
        if (at <= before || at > end)
            abort();
        if (error == 0 && w.kind == LISTEN_WORDS_SEND)
            check_sent(&w.command);
    }
    free(text);
    return 0;
}
