/*
 * max_stop.c - see max_stop.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/max_stop.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "command/cmd.h"
#include "command/say.h"
#include "safe/clock.h"

const uint64_t max_stop_usual_ns = NS_PER_S;

int max_stop_parse(const struct cmd *cmd, const char *text, uint64_t *ret_ns)
{
    uint64_t ns = 0;
    size_t digits = strspn(text, "0123456789");
    bool is_none = strcmp(text, "0") == 0 || strcmp(text, "none") == 0;
    bool is_bare = text[digits] == '\0';
    if (!is_none && (is_bare || units_parse_duration(text, 1, &ns) < 0 || ns == 0)) {
        say("%s: --max-stop '%s': a time with its unit is wanted, as in 1s or 200ms, or none",
            cmd->name, text);
        return -EINVAL;
    }
    *ret_ns = ns;
    return 0;
}

const char *max_stop_text(uint64_t ns)
{
    static char text[32];
    if (ns >= NS_PER_S)
        snprintf(text, sizeof(text), "%.3g s", (double)ns / (double)NS_PER_S);
    else
        snprintf(text, sizeof(text), "%.3g ms", (double)ns / (double)NS_PER_MS);
    return text;
}

void max_stop_say_before(const char *who, uint64_t expected_ns, uint64_t most_ns, const char *what)
{
    uint64_t longest_ns = most_ns != 0 && most_ns < expected_ns ? most_ns : expected_ns;
    if (longest_ns > NS_PER_S)
        say("%s: will stand still for up to %s: %s", who, max_stop_text(longest_ns), what);
}
