/*
 * resolve_static.c - finds names without the loadable parts of the C library; see resolve.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/resolve.h"

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

/* An address and its row. */
struct door {
    struct addrinfo row; /* must be first: resolve_done() frees the row */
    union {
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } at;
};

/* Puts an address of `len` bytes in front of the list. */
static int add(int family, const void *address, socklen_t len, struct addrinfo **into)
{
    struct door *d = calloc(1, sizeof(*d));
    if (!d)
        return EAI_MEMORY;
    memcpy(&d->at, address, len);
    d->row = (struct addrinfo){.ai_family = family,
                               .ai_socktype = SOCK_STREAM,
                               .ai_addrlen = len,
                               .ai_addr = (struct sockaddr *)&d->at,
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
    const struct sockaddr_in6 at_v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons((in_port_t)number), .sin6_addr = v6};
    const struct sockaddr_in at_v4 = {
        .sin_family = AF_INET, .sin_port = htons((in_port_t)number), .sin_addr = v4};
    if (has_v6)
        error = add(AF_INET6, &at_v6, sizeof(at_v6), ret);
    if (!error && has_v4)
        error = add(AF_INET, &at_v4, sizeof(at_v4), ret);
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
