/* fuzz_net_command.c - what a peer of net= may send. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include "format/net_command.h"
#include "fuzz.h"

/* A command that was read, written and read again is the same. */
static void check_back(const struct net_command *c)
{
    struct net_command_reader r = {.used = 0};
    struct net_command back;
    enum net_command_result result;
    unsigned char bytes[NET_COMMAND_MAX];
    size_t len = net_command_write(c, bytes);
    if (net_command_read(&r, bytes, len, &back, &result) != len || result != NET_COMMAND_WHOLE ||
        memcmp(&back, c, sizeof(back)) != 0)
        abort();
}

/* The first byte says in what pieces the rest comes; the results must not depend on it. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct net_command_reader r = {.used = 0}, whole = {.used = 0};
    size_t step = len > 0 ? bytes[0] + 1U : 1, other = 1;
    for (size_t at = 1; at < len;) {
        struct net_command c, d;
        enum net_command_result result, other_result = NET_COMMAND_MORE;
        size_t piece = len - at < step ? len - at : step;
        size_t n = net_command_read(&r, bytes + at, piece, &c, &result);
        if (n == 0 || n > piece)
            abort();
        at += n;
        if (result == NET_COMMAND_WHOLE)
            check_back(&c);
        if (result == NET_COMMAND_MORE)
            continue;
        other += net_command_read(&whole, bytes + other, len - other, &d, &other_result);
        if (other_result != result || memcmp(&c, &d, sizeof(c)) != 0)
            abort();
    }
    return 0;
}
