/*
 * peer_owner.c - see peer_owner.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view/peer_owner.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PAIR = 96,
    BEFORE_UID = 4,  /* words before the user: state, queues, timer, retransmissions */
    ESTABLISHED = 1, /* TCP_ESTABLISHED of net/tcp_states.h */
    MAPPED = 0xffff, /* the bits before an IPv4 address that is mapped into IPv6 */
};

static char *next_word(char *at)
{
    at += strcspn(at, " ");
    return at + strspn(at, " ");
}

/* Finds the row with these two addresses: "0100007F:1F90 0100007F:A000 01 ...". A closed socket has
 * no owner, for which the kernel writes user 0. So only an open connection counts. */
static int find_row(const char *table, const char *pair, uid_t *ret_uid)
{
    FILE *in = fopen(table, "re");
    char *line = NULL;
    size_t room = 0;
    int r = in ? -ENOENT : -errno;
    while (in && r == -ENOENT && getline(&line, &room, in) >= 0) {
        char *at = strstr(line, pair), *end;
        if (!at)
            continue;
        at += strlen(pair);
        if (strtoul(at, NULL, 16) != ESTABLISHED)
            break;
        for (int i = 0; i < BEFORE_UID; i++)
            at = next_word(at);
        unsigned long uid = strtoul(at, &end, 10);
        r = end > at ? 0 : -EPROTO;
        *ret_uid = (uid_t)uid;
    }
    if (in)
        fclose(in);
    free(line);
    return r;
}

/* The user who made the socket at the other end of `fd`, a connection over IPv4. Errors: 0;
 * -ENOENT: the socket is on another machine, or is closed there; another -errno: the kernel does
 * not tell. */
static int find_owner(int fd, uid_t *ret_uid)
{
    struct sockaddr_in own = {0}, peer = {0};
    socklen_t own_len = sizeof(own), peer_len = sizeof(peer);
    char pair[PAIR];
    if (getsockname(fd, (struct sockaddr *)&own, &own_len) < 0 ||
        getpeername(fd, (struct sockaddr *)&peer, &peer_len) < 0)
        return -errno;
    if (own.sin_family != AF_INET || peer.sin_family != AF_INET)
        return -EAFNOSUPPORT;
    snprintf(pair, sizeof(pair), " %08X:%04X %08X:%04X ", peer.sin_addr.s_addr,
             ntohs(peer.sin_port), own.sin_addr.s_addr, ntohs(own.sin_port));
    int r = find_row("/proc/self/net/tcp", pair, ret_uid);
    if (r != -ENOENT)
        return r;
    /* An IPv6 socket may be connected to an IPv4 address. */
    snprintf(pair, sizeof(pair), " %016X%08X%08X:%04X %016X%08X%08X:%04X ", 0, htonl(MAPPED),
             peer.sin_addr.s_addr, ntohs(peer.sin_port), 0, htonl(MAPPED), own.sin_addr.s_addr,
             ntohs(own.sin_port));
    r = find_row("/proc/self/net/tcp6", pair, ret_uid);
    return r < 0 ? -ENOENT : 0;
}

bool peer_owner_is_ours(int fd)
{
    const char *sudo = getuid() == 0 ? getenv("SUDO_UID") : NULL;
    uid_t uid = (uid_t)-1;

    if (find_owner(fd, &uid) < 0)
        return false;
    return uid == 0 || uid == getuid() || uid == geteuid() ||
           (sudo && uid == (uid_t)strtoul(sudo, NULL, 10));
}
