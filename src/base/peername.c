/*
 * peername.c - see peername.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/peername.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { GROUPS = 8 };

static void put_ipv4(const unsigned char *bytes, struct peername *ret)
{
    snprintf(ret->host, sizeof(ret->host), "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

/* As Inet6Address.getHostAddress() writes it, which leaves no zeros out. */
static void put_ipv6(const struct sockaddr_in6 *a, struct peername *ret)
{
    const unsigned char *bytes = a->sin6_addr.s6_addr;
    size_t at = 0;
    if (IN6_IS_ADDR_V4MAPPED(&a->sin6_addr)) {
        put_ipv4(bytes + 12, ret);
        return;
    }
    for (int i = 0; i < GROUPS; i++, bytes += 2)
        at += (size_t)snprintf(ret->host + at, sizeof(ret->host) - at, "%s%x", i ? ":" : "",
                               bytes[0] << 8 | bytes[1]);
    if (a->sin6_scope_id)
        snprintf(ret->host + at, sizeof(ret->host) - at, "%%%u", a->sin6_scope_id);
}

/* The name of an abstract socket begins with a 0, which is shown as '@'. */
static void put_unix(const struct sockaddr_un *a, size_t bytes, struct peername *ret)
{
    size_t head = offsetof(struct sockaddr_un, sun_path), len = bytes > head ? bytes - head : 0;
    bool is_abstract = len > 0 && !a->sun_path[0];
    if (!is_abstract)
        len = strnlen(a->sun_path, len);
    snprintf(ret->host, sizeof(ret->host), "[%s%.*s]", is_abstract ? "@" : "",
             (int)len - is_abstract, a->sun_path + is_abstract);
}

void peername_read(const void *address, size_t bytes, struct peername *ret)
{
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
        struct sockaddr_un path;
    } a = {0};
    /* The union is longer than its longest member. */
    memcpy(&a, address, bytes < sizeof(a.path) ? bytes : sizeof(a.path));
    *ret = (struct peername){0};
    if (bytes >= sizeof(a.ipv4) && a.any.sa_family == AF_INET) {
        put_ipv4((const unsigned char *)&a.ipv4.sin_addr, ret);
        ret->port = ntohs(a.ipv4.sin_port);
        ret->is_address = true;
    } else if (bytes >= sizeof(a.ipv6) && a.any.sa_family == AF_INET6) {
        put_ipv6(&a.ipv6, ret);
        ret->port = ntohs(a.ipv6.sin6_port);
        ret->is_address = true;
    } else if (bytes >= sizeof(a.any.sa_family) && a.any.sa_family == AF_UNIX) {
        put_unix(&a.path, bytes < sizeof(a.path) ? bytes : sizeof(a.path), ret);
    }
}

void peername_join(const char *host, uint64_t port, char *ret, size_t size)
{
    if (port == 0 || port >= PEERNAME_CHOSEN)
        snprintf(ret, size, "%s", host);
    else
        snprintf(ret, size, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, (unsigned)port);
}
