/*
 * net.h - the connection of net=host:port.
 *
 * The agent only connects to the given address, and accepts no connection. Bytes to be sent wait in
 * a bounded queue that a separate thread empties (output_writer.h), so a slow peer delays no other
 * thread. What the peer sends is read by net_listen.h. Protocol: docs/format/hprof-socket.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct net;
struct output_writer;

/**
 * Connect over IPv4 or IPv6, as the name `host` is resolved. Up to `buffer_bytes` may wait to be
 * sent.
 * Errors: 0, or negative after a message.
 * Owner: net_close() and net_receive_done(); the second of these calls closes the connection.
 * Context: any.
 */
int net_connect(const char *host, int port, size_t buffer_bytes, struct net **ret);
/** The writer of the connection; the caller starts it. */
struct output_writer *net_writer(struct net *n);
/** Wait for the next bytes of the peer; 0: none will come. Context: one thread, not signal. */
size_t net_receive(struct net *n, unsigned char *bytes, size_t len);
/** The receiver ends: net_receive() is not called any more. Call this once. */
void net_receive_done(struct net *n);
/**
 * Send the rest as long as the peer takes bytes, and close the sending side. Errors: 0, or the
 * reason why the peer did not get everything.
 */
int net_finish(struct net *n);
/** The sender ends. Call this once. */
void net_close(struct net *n);
