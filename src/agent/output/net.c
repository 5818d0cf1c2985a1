/*
 * net.c - see net.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/output/net.h"
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>
#include "agent/log.h"
#include "agent/output/output_writer.h"

enum {
    CONNECT_MS = 10000, /* for an address that does not answer */
    STALL_MS = 3000,    /* for a peer that takes nothing, while the end waits for it */
    FAREWELL_MS =
        300, /* for the peer to close its side, so that no reset overtakes our last bytes */
};

struct net {
    /* two: the receiver, and the caller of net_close(); the last one closes the connection */
    _Atomic int users;
    struct output_writer writer;
};

/*
 * Errors: 0, -errno. The descriptor is above the standard ones, because a program may close those.
 */
static int open_socket(const struct addrinfo *address, int *ret_fd)
{
    int low = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                     address->ai_protocol);
    int fd = low, error;
    if (low < 0)
        return -errno;
    if (low <= STDERR_FILENO) {
        fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        error = -errno;
        close(low);
        if (fd < 0)
            return error;
    }
    *ret_fd = fd;
    return 0;
}

static int wait_connected(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int n, error = 0;
    socklen_t size = sizeof(error);
    do
        n = poll(&wait, 1, CONNECT_MS);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return n < 0 ? -errno : -ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? -error : -errno;
}

/* Errors: 0, -errno. */
static int try_address(const struct addrinfo *address, int *ret_fd)
{
    static const int on = 1;
    int fd = -1, error = open_socket(address, &fd);
    if (error)
        return error;
    if (connect(fd, address->ai_addr, address->ai_addrlen) != 0)
        error = errno == EINPROGRESS ? wait_connected(fd) : -errno;
    if (!error && fcntl(fd, F_SETFL, 0) != 0)
        error = -errno;
    if (error) {
        close(fd);
        return error;
    }
    /* no delay is needed, as it is written in large pieces */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    *ret_fd = fd;
    return 0;
}

/* Connect to the first address that answers. Errors: 0, or -1 after a message. */
static int try_all(const char *host, int port, int *ret_fd)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *all = NULL;
    char service[16];
    int error;
    snprintf(service, sizeof(service), "%d", port);
    error = getaddrinfo(host, service, &hints, &all);
    if (error) {
        log_error("can't connect to %s:%d (%s): give a host that this machine knows", host, port,
                  error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
        return -1;
    }
    error = -EHOSTUNREACH;
    for (const struct addrinfo *at = all; at && error; at = at->ai_next)
        error = try_address(at, ret_fd);
    freeaddrinfo(all);
    if (error)
        log_error("can't connect to %s:%d (%s): start the reader first, as in hprof listen %d",
                  host, port, strerror(-error), port);
    return error ? -1 : 0;
}

/* ---- sending */

/* Send a part of the piece; returns how many bytes. Errors: -errno. */
static ssize_t send_piece(int fd, const struct output_queue_piece *piece)
{
    off_t offset = (off_t)piece->offset;
    ssize_t sent;
    do
        sent = piece->bytes ? send(fd, piece->bytes, piece->len, MSG_NOSIGNAL)
                            : sendfile(fd, piece->fd, &offset, piece->rest);
    while (sent < 0 && errno == EINTR);
    if (sent == 0 && !piece->bytes)
        return -EIO; /* the file is shorter than expected */
    return sent < 0 ? -errno : sent;
}

int net_connect(const char *host, int port, size_t buffer_bytes, struct net **ret)
{
    struct net *n = calloc(1, sizeof(*n));
    if (!n || output_queue_init(&n->writer.queue, buffer_bytes, STALL_MS) != 0) {
        free(n);
        log_error("no memory for the connection: lower mem=");
        return -ENOMEM;
    }
    if (try_all(host, port, &n->writer.fd) != 0) {
        output_queue_done(&n->writer.queue);
        free(n);
        return -ECONNREFUSED;
    }
    n->writer.put = send_piece;
    n->users = 2;
    *ret = n;
    return 0;
}

struct output_writer *net_writer(struct net *n)
{
    return &n->writer;
}

/* ---- receiving, and the end */

size_t net_receive(struct net *n, unsigned char *bytes, size_t len)
{
    ssize_t got;
    do
        got = recv(n->writer.fd, bytes, len, 0);
    while (got < 0 && errno == EINTR);
    return got < 0 ? 0 : (size_t)got;
}

/*
 * The last user closes the descriptor. If it were closed earlier, the other user could reach
 * another file under the same number.
 */
static void leave(struct net *n)
{
    if (atomic_fetch_sub(&n->users, 1) != 1)
        return;
    close(n->writer.fd);
    output_queue_done(&n->writer.queue);
    free(n);
}

void net_receive_done(struct net *n)
{
    leave(n);
}

/* Wait until the peer has closed its side too, or until the time is over. */
static void wait_for_farewell(struct net *n)
{
    struct pollfd wait = {.fd = n->writer.fd, .events = POLLIN};
    unsigned char bytes[1024];
    while (poll(&wait, 1, FAREWELL_MS) > 0 &&
           recv(n->writer.fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
        continue;
}

int net_finish(struct net *n)
{
    int error = output_writer_finish(&n->writer);
    if (!error && shutdown(n->writer.fd, SHUT_WR) == 0)
        wait_for_farewell(n);
    shutdown(n->writer.fd, SHUT_RDWR); /* a thread that still is in send() or recv() returns */
    output_writer_join(&n->writer);
    return error;
}

void net_close(struct net *n)
{
    leave(n);
}
