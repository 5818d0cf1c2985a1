/*
 * serve_place.c - see serve_place.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view/serve_place.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/err.h"

enum { LOOPBACK_NET = 127, PORT_MAX = 65535, PORT_DIGITS = 5 };

static const char unix_word[] = "unix:";

static int parse_unix(const char *path, struct serve_place *ret)
{
    struct sockaddr_un *address = (struct sockaddr_un *)&ret->address;
    size_t len = strlen(path);
    if (len == 0)
        return E_SYNTAX;
    if (len >= sizeof(address->sun_path))
        return E_LIMIT;
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, len + 1);
    ret->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
    return 0;
}

/* Reads a port. Returns -1 if the text is none. */
static int port_of(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > PORT_DIGITS || text[digits] != '\0')
        return -1;
    long port = strtol(text, NULL, 10);
    return port <= PORT_MAX ? (int)port : -1;
}

int serve_place_parse(const char *text, struct serve_place *ret)
{
    char host[INET6_ADDRSTRLEN + 2];
    *ret = (struct serve_place){0};
    if (strncmp(text, unix_word, sizeof(unix_word) - 1) == 0)
        return parse_unix(text + sizeof(unix_word) - 1, ret);
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0;
    int port = colon ? port_of(colon + 1) : -1;
    if (port < 0 || len == 0 || len >= sizeof(host))
        return E_SYNTAX;
    memcpy(host, text, len);
    host[len] = '\0';
    struct sockaddr_in *four = (struct sockaddr_in *)&ret->address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&ret->address;
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        ret->len = sizeof(*four);
        return 0;
    }
    if (host[0] != '[' || host[len - 1] != ']')
        return E_SYNTAX;
    host[len - 1] = '\0';
    if (inet_pton(AF_INET6, host + 1, &six->sin6_addr) != 1)
        return E_SYNTAX;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)port);
    ret->len = sizeof(*six);
    return 0;
}

bool serve_place_is_unix(const struct serve_place *p)
{
    return p->len > 0 && p->address.ss_family == AF_UNIX;
}

bool serve_place_is_local(const struct serve_place *p)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)&p->address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&p->address;
    if (p->len == 0 || serve_place_is_unix(p))
        return true;
    if (p->address.ss_family == AF_INET)
        return ntohl(four->sin_addr.s_addr) >> 24 == LOOPBACK_NET;
    return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* Whether no process listens at the socket of this address. */
static bool is_dead(const struct serve_place *p)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool is_refused =
        connect(fd, (const struct sockaddr *)&p->address, p->len) < 0 && errno == ECONNREFUSED;
    close(fd);
    return is_refused;
}

/* Removes a socket that a server has left behind. Errors: 0; -EEXIST; -EADDRINUSE; -errno. */
static int remove_dead(const struct serve_place *p)
{
    const struct sockaddr_un *address = (const struct sockaddr_un *)&p->address;
    struct stat st;
    if (lstat(address->sun_path, &st) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(st.st_mode))
        return -EEXIST;
    if (!is_dead(p))
        return -EADDRINUSE;
    return unlink(address->sun_path) < 0 && errno != ENOENT ? -errno : 0;
}

/* The mode is set before the file exists: bind() gives the file the mode of the socket. */
static int bind_unix(int fd, struct serve_place *p)
{
    const struct sockaddr_un *address = (const struct sockaddr_un *)&p->address;
    struct stat st;
    int r = remove_dead(p);
    if (r < 0)
        return r;
    if (fchmod(fd, S_IRUSR | S_IWUSR) < 0 ||
        bind(fd, (const struct sockaddr *)&p->address, p->len) < 0)
        return -errno;
    if (lstat(address->sun_path, &st) == 0) {
        p->device = st.st_dev;
        p->file = st.st_ino;
    }
    return 0;
}

static int bind_port(int fd, struct serve_place *p)
{
    int on = 1;
    /* A server that is started again must not wait for old connections of its port. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        bind(fd, (const struct sockaddr *)&p->address, p->len) < 0)
        return -errno;
    socklen_t len = sizeof(p->address);
    return getsockname(fd, (struct sockaddr *)&p->address, &len) < 0 ? -errno : 0;
}

int serve_place_listen(struct serve_place *p, int backlog)
{
    if (p->len == 0) {
        *(struct sockaddr_in *)&p->address =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        p->len = sizeof(struct sockaddr_in);
    }
    int fd = socket(p->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    int r = serve_place_is_unix(p) ? bind_unix(fd, p) : bind_port(fd, p);
    if (r == 0 && listen(fd, backlog) < 0)
        r = -errno;
    if (r == 0)
        return fd;
    close(fd);
    return r;
}

void serve_place_leave(struct serve_place *p)
{
    const struct sockaddr_un *address = (const struct sockaddr_un *)&p->address;
    struct stat st;
    if (p->file != 0 && lstat(address->sun_path, &st) == 0 && st.st_dev == p->device &&
        st.st_ino == p->file)
        unlink(address->sun_path);
    p->file = 0;
}

void serve_place_text(const struct serve_place *p, char text[SERVE_PLACE_TEXT])
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)&p->address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&p->address;
    char host[INET6_ADDRSTRLEN] = "";
    if (serve_place_is_unix(p)) {
        snprintf(text, SERVE_PLACE_TEXT, "unix:%s",
                 ((const struct sockaddr_un *)&p->address)->sun_path);
    } else if (p->address.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
        snprintf(text, SERVE_PLACE_TEXT, "http://[%s]:%u", host, (unsigned)ntohs(six->sin6_port));
    } else {
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
        snprintf(text, SERVE_PLACE_TEXT, "http://%s:%u", host, (unsigned)ntohs(four->sin_port));
    }
}
