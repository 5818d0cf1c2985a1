/*
 * listen_peer.h - one agent that has connected to `hprof listen`: its file, and what is shown of
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format/hprof_split.h"
#include "format/net_command.h"

enum listen_peer_show { LISTEN_PEER_TABLES, LISTEN_PEER_ALL, LISTEN_PEER_NOTHING };

enum { LISTEN_PEER_KINDS = 64 };

struct listen_peer {
    int fd;            /* the connection */
    int file;          /* -1 until the first byte has come */
    char name[80];     /* ADDRESS:PORT */
    char *path;        /* of the file, NULL until there is one */
    const char *asked; /* the name that the user gave, or NULL */
    unsigned number;   /* of the connection, from 1 */
    enum listen_peer_show show;
    const char *script; /* what is left of --command */
    uint64_t script_ns; /* when to go on with it */
    uint32_t sequence;  /* of its commands */
    uint64_t bytes;
    struct hprof_split split;
    char *record; /* text: the record at hand, to be shown when it is whole */
    size_t record_len, record_room;
    uint64_t kinds[LISTEN_PEER_KINDS]; /* records by kind */
    char cut[4]; /* of the stream that is shown: the begin of a character, the rest is to come */
    size_t cut_len;
    bool failed; /* has been said */
};

/** Prepare for a connection. Owner: takes `fd`; borrows the rest. */
void listen_peer_init(struct listen_peer *p, int fd, unsigned number, const char *asked,
                      enum listen_peer_show show);
/**
 * Read what is there, write it to the file, show it. Returns 1, 0 when the connection has ended, or
 * negative after saying why it must.
 */
int listen_peer_read(struct listen_peer *p);
/** Send a command. Errors are said: the connection's end shows in listen_peer_read(). */
void listen_peer_send(struct listen_peer *p, const struct net_command *command);
/**
 * Say what came, and give everything back. Returns 0, or negative if not all of it came;
 * `is_enough`: that is not asked, since it was us who ended it.
 */
int listen_peer_done(struct listen_peer *p, bool is_enough);
