/*
 * peername.h - the text for the peer of a socket: an address, or a name, and a port.
 *
 * Rows of reports are named so, in the agent and in the readers of files. A server has a row for
 * each port at which it listens. The ports of its clients are chosen by the kernel, another one for
 * each connection, so a port from PEERNAME_CHOSEN on is left out: these are the ports that Linux
 * chooses from by default (net.ipv4.ip_local_port_range).
 * Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PEERNAME_CHOSEN = 32768,
    PEERNAME_HOST = 160, /* bytes for an address, or for the path of a socket */
};

struct peername {
    /* As Java writes it: "127.0.0.1", "0:0:0:0:0:0:0:1", or the path of a Unix socket in square
     * brackets; "": unknown */
    char host[PEERNAME_HOST];
    bool is_address; /* `host` is an address of the Internet */
    uint16_t port;
};

/** Read a struct sockaddr of `bytes` bytes. */
void peername_read(const void *address, size_t bytes, struct peername *ret);
/** "host:port", "[host]:port" if the host has colons, or "host". Cut to `size` bytes. */
void peername_join(const char *host, uint64_t port, char *ret, size_t size);
