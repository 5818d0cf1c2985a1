/*
 * listen_peer.h - one agent that has connected to `hprof listen`: its file, and what is shown of
 * its output.
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
    char *path;        /* path of the file; NULL until there is a file */
    const char *asked; /* the name that the user gave, or NULL */
    unsigned number;   /* number of the connection, counted from 1 */
    enum listen_peer_show show;
    const char *script; /* the rest of --command */
    uint64_t script_ns; /* the time to go on with the script */
    uint32_t sequence;  /* number of its last command */
    uint64_t bytes;
    struct hprof_split split;
    char *record; /* text: the current record, which is shown when it is complete */
    size_t record_len, record_room;
    uint64_t kinds[LISTEN_PEER_KINDS]; /* number of records of each kind */
    /* The first bytes of a character at the end of the stream that is shown; the rest will
     * follow. */
    char cut[4];
    size_t cut_len;
    bool failed; /* a failure, which was reported */
};

/** Prepares for a connection. Owner: takes `fd`; borrows the rest. */
void listen_peer_init(struct listen_peer *p, int fd, unsigned number, const char *asked,
                      enum listen_peer_show show);
/**
 * Reads what has come, writes it to the file and shows it. Returns 1; 0 if the connection has
 * ended; negative after saying why the connection must end.
 */
int listen_peer_read(struct listen_peer *p);
/** Sends a command. Errors are reported; listen_peer_read() then notices the end of the
 * connection. */
void listen_peer_send(struct listen_peer *p, const struct net_command *command);
/**
 * Says what came, and releases everything. Returns 0, or negative if the output is incomplete.
 * `is_enough`: this command itself ended the connection, so incomplete output is not an error.
 */
int listen_peer_done(struct listen_peer *p, bool is_enough);
