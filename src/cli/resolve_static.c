/*
 * resolve_static.c - names without the C library's loadable parts; see resolve.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/resolve.h"

enum { PORT_MAX = 65535 };

bool resolve_user(uid_t uid, char *ret, size_t size)
{
    FILE *in = fopen("/etc/passwd", "re");
    const struct passwd *user = NULL;

    while (in && (user = fgetpwent(in)) && user->pw_uid != uid)
        ;
    if (user)
        snprintf(ret, size, "%s", user->pw_name);
    if (in)
        (void)fclose(in);
    return user != NULL;
}

/* An address and the row that leads to it. */
struct door {
    struct addrinfo row; /* first: what is freed is the row */
    union {
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } at;
};

static int add_v4(struct in_addr address, in_port_t port, struct addrinfo **into)
{
    struct door *d = calloc(1, sizeof(*d));

    if (!d)
        return EAI_MEMORY;
    d->at.v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port, .sin_addr = address};
    d->row = (struct addrinfo){.ai_family = AF_INET,
                               .ai_socktype = SOCK_STREAM,
                               .ai_addrlen = sizeof(d->at.v4),
                               .ai_addr = (struct sockaddr *)&d->at.v4,
                               .ai_next = *into};
    *into = &d->row;
    return 0;
}

static int add_v6(struct in6_addr address, in_port_t port, struct addrinfo **into)
{
    struct door *d = calloc(1, sizeof(*d));

    if (!d)
        return EAI_MEMORY;
    d->at.v6 =
        (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = address};
    d->row = (struct addrinfo){.ai_family = AF_INET6,
                               .ai_socktype = SOCK_STREAM,
                               .ai_addrlen = sizeof(d->at.v6),
                               .ai_addr = (struct sockaddr *)&d->at.v6,
                               .ai_next = *into};
    *into = &d->row;
    return 0;
}

int resolve_door(const char *host, const char *port, bool every, struct addrinfo **ret)
{
    char *end;
    unsigned long number = strtoul(port, &end, 10);
    struct in_addr v4 = {.s_addr = htonl(every ? INADDR_ANY : INADDR_LOOPBACK)};
    struct in6_addr v6 = every ? in6addr_any : in6addr_loopback;
    bool is_named = host && strcmp(host, "localhost") != 0;
    bool has_v4 = !is_named || inet_pton(AF_INET, host, &v4) == 1;
    bool has_v6 = !is_named || (!has_v4 && inet_pton(AF_INET6, host, &v6) == 1);
    int error = 0;

    *ret = NULL;
    if (port[0] < '0' || port[0] > '9' || *end || number > PORT_MAX)
        return EAI_SERVICE;
    if (!has_v4 && !has_v6)
        return EAI_NONAME;
    if (has_v6)
        error = add_v6(v6, htons((in_port_t)number), ret);
    if (!error && has_v4)
        error = add_v4(v4, htons((in_port_t)number), ret);
    if (error)
        resolve_done(*ret);
    return error;
}

void resolve_done(struct addrinfo *all)
{
    while (all) {
        struct addrinfo *next = all->ai_next;

        free(all);
        all = next;
    }
}
