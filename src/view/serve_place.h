/*
 * serve_place.h - where a server listens: an address and a port, or a socket in the file system.
 *
 * Words of the command line name a place: "127.0.0.1:9404", "[::1]:9404", "unix:/run/x.sock". Names
 * of hosts are not resolved. A socket in the file system is made with the mode 0600. It never takes
 * the place of a file, except of a socket at which no process listens any more. Source: ip(7),
 * ipv6(7), unix(7). Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

enum { SERVE_PLACE_TEXT = 160 };

struct serve_place {
    struct sockaddr_storage address;
    socklen_t len; /* 0: any free port of 127.0.0.1 */
    /* the file of a socket that serve_place_listen() made; else 0 */
    dev_t device;
    ino_t file;
};

/** Reads a word. Errors: 0; E_SYNTAX; E_LIMIT: the path of the socket is longer than the system
 * permits. */
int serve_place_parse(const char *text, struct serve_place *ret_place);
bool serve_place_is_unix(const struct serve_place *p);
/** Whether only processes of this machine reach the place. */
bool serve_place_is_local(const struct serve_place *p);
/**
 * Listens. Fills the port in if the system chose it. Returns a descriptor, or an error: -EEXIST:
 * the path names a file that is not a socket; -EADDRINUSE: another process listens there; another
 * -errno. Owner: the caller closes the descriptor, then calls serve_place_leave().
 */
int serve_place_listen(struct serve_place *p, int backlog);
/** Removes the file of the socket, if it is still the one that serve_place_listen() made. */
void serve_place_leave(struct serve_place *p);
/** Writes the address of a page there: "http://127.0.0.1:4711", "unix:/run/x.sock". */
void serve_place_text(const struct serve_place *p, char text[SERVE_PLACE_TEXT]);
