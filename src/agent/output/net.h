/*
 * net.h - the connection of net=host:port.
 *
 * Connects out, to the address given and to nothing else. What is written goes into a bounded queue
 * that a thread of its own empties (output_writer.h), so a slow peer holds nobody up; what the peer
 * sends is read by net_listen.h. Protocol: docs/format/hprof-socket.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct net;
struct output_writer;

/**
 * Connect, over IPv4 or IPv6, whatever `host` means. `buffer_bytes` may wait to be sent.
 * Errors: 0, or negative after a message. Owner: net_close() and net_receive_done(), of which the
 * second one closes it. Context: any.
 */
int net_connect(const char *host, int port, size_t buffer_bytes, struct net **ret);
/** What sends; to be started. */
struct output_writer *net_writer(struct net *n);
/** The next bytes of the peer; 0: there will be none. Context: one thread, not signal. */
size_t net_receive(struct net *n, unsigned char *bytes, size_t len);
/** Nobody calls net_receive() any more. To be called once. */
void net_receive_done(struct net *n);
/**
 * Send what is left, as long as the peer takes it, and say farewell. Errors: 0, or why the peer has
 * not got everything.
 */
int net_finish(struct net *n);
/** Nobody sends any more. To be called once. */
void net_close(struct net *n);
