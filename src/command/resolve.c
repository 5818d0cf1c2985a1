/*
 * resolve.c - finds names through the C library; see resolve.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/resolve.h"
#include <pwd.h>
#include <stdio.h>

bool resolve_user(uid_t uid, char *ret, size_t size)
{
    const struct passwd *user = getpwuid(uid);
    if (user)
        snprintf(ret, size, "%s", user->pw_name);
    return user != NULL;
}

int resolve_door(const char *host, const char *port, bool every, struct addrinfo **ret)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = host || every ? AI_PASSIVE : 0};
    return getaddrinfo(host, port, &hints, ret);
}

void resolve_done(struct addrinfo *all)
{
    freeaddrinfo(all);
}
