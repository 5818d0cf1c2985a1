/*
 * condition.c - see condition.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/condition.h"
#include <ctype.h>
#include <stddef.h>
#include <string.h>

bool condition_parse(const char *text, struct condition *ret)
{
    size_t len = strcspn(text, "!=<>");
    const char *at = text + len;
    *ret = (struct condition){.is_not = *at == '!'};
    at += ret->is_not;
    if (len == 0 || len >= sizeof(ret->field) || *at == '\0' || (ret->is_not && *at != '='))
        return false;
    ret->order = *at++;
    ret->or_same = ret->order != '=' && *at == '=';
    at += ret->or_same || (ret->order == '=' && *at == '=');
    memcpy(ret->field, text, len);
    while (len > 0 && ret->field[len - 1] == ' ')
        len--;
    ret->field[len] = '\0';
    ret->value = at + strspn(at, " ");
    return true;
}

const char *condition_second(const char *text)
{
    static const char *const words[] = {" and ", " or ", "&&", "||"};
    struct condition first, c;
    if (!condition_parse(text, &first))
        return NULL;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        const char *at = strcasestr(first.value, words[i]);
        const char *rest = at ? at + strlen(words[i]) : NULL;
        if (rest && condition_parse(rest + strspn(rest, " "), &c) && !strpbrk(c.field, " '\""))
            return at;
    }
    return NULL;
}

bool condition_holds(const struct condition *c, long double number, long double other)
{
    if (c->order == '=')
        return (number == other) != c->is_not;
    return c->order == '<' ? number < other || (c->or_same && number <= other)
                           : number > other || (c->or_same && number >= other);
}

bool condition_has_number(const struct condition *c)
{
    const char *at = c->value + (*c->value == '-' || *c->value == '+');
    return isdigit((unsigned char)at[*at == '.']) && !strpbrk(c->value, "*?");
}
