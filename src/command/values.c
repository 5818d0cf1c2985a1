/*
 * values.c - parses the values of options.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/values.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "command/cmd.h"
#include "command/condition.h"
#include "command/say.h"
#include "safe/clock.h"

static int refuse(const struct cmd *cmd, const char *option, const char *text, const char *wanted)
{
    say("%s: --%s '%s': %s", cmd->name, option, text, wanted);
    return -EINVAL;
}

int values_count(const struct cmd *cmd, const char *option, const char *text, uint32_t max,
                 uint32_t *ret_count)
{
    char *end = NULL;
    errno = 0;
    /* strtoull() alone would accept " +5", and turn "-1" into a huge number. */
    unsigned long long value = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (!end || *end != '\0')
        return refuse(cmd, option, text, "a whole number is wanted, as in 16");
    if (errno != 0 || value > max) {
        say("%s: --%s '%s': at most %u", cmd->name, option, text, max);
        return -ERANGE;
    }
    *ret_count = (uint32_t)value;
    return 0;
}

/* A bare number counts `unit_ns` each; `wanted` is the message for what is no time. */
static int duration(const struct cmd *cmd, const char *option, const char *text, uint64_t unit_ns,
                    const char *wanted, uint64_t *ret_ns)
{
    uint64_t ns = 0;
    if (units_parse_duration(text, unit_ns, &ns) < 0 || ns == 0)
        return refuse(cmd, option, text, wanted);
    *ret_ns = ns;
    return 0;
}

int values_duration(const struct cmd *cmd, const char *option, const char *text, uint64_t *ret_ns)
{
    return duration(cmd, option, text, NS_PER_MS,
                    "a time longer than 0 is wanted, as in 10ms, 500us or 1s; a bare number is "
                    "milliseconds",
                    ret_ns);
}

int values_seconds(const struct cmd *cmd, const char *option, const char *text, uint64_t *ret_ns)
{
    return duration(cmd, option, text, NS_PER_S,
                    "a time longer than 0 is wanted, as in 3, 500ms or 1min; a bare number is "
                    "seconds",
                    ret_ns);
}

int values_size(const struct cmd *cmd, const char *option, const char *text, uint64_t *ret_bytes)
{
    uint64_t bytes = 0;
    if (units_parse_size(text, &bytes) < 0 || bytes == 0)
        return refuse(cmd, option, text, "a size larger than 0 is wanted, as in 64m or 512k");
    *ret_bytes = bytes;
    return 0;
}

int values_fraction(const struct cmd *cmd, const char *option, const char *text,
                    double *ret_fraction)
{
    char *end = NULL;
    double value = isdigit((unsigned char)*text) || *text == '.' ? strtod(text, &end) : -1;
    if (!end || end == text || *end != '\0' || !(value >= 0 && value <= 1))
        return refuse(cmd, option, text, "a fraction from 0 to 1 is wanted, as in 0.001");
    *ret_fraction = value;
    return 0;
}

int values_condition(const struct cmd *cmd, const char *text)
{
    struct condition c;
    const char *second = condition_second(text);
    if (!condition_parse(text, &c))
        say("%s: --where '%s': FIELD=VALUE is wanted, or != < <= > >=", cmd->name, text);
    else if (second)
        say("%s: --where '%s': one condition is wanted, not '%s'; of several --where all hold",
            cmd->name, text, second + strspn(second, " "));
    else
        return 0;
    return -EINVAL;
}
