/*
 * watch_send.h - sends one file of the spool. It runs in a child process, without capabilities.
 *
 * The identifiers of the profiles are made of the file's name, and the bytes of the file and of its
 * state. So each try, also after a restart of this process, sends the same requests.
 * Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct watch_conf;
struct watch_spool;
struct watch_spool_file;

enum watch_send_end {
    WATCH_SEND_FAILED,  /* also if the child was killed */
    WATCH_SEND_TAKEN,   /* all of it has arrived, or there was nothing in it */
    WATCH_SEND_LATER,   /* the receiver may take it later */
    WATCH_SEND_REFUSED, /* some of it was refused, and will be again */
};

/** What came of it; a child gives it to its parent. */
struct watch_send_result {
    enum watch_send_end end;
    uint64_t requests, bytes, samples, lost; /* of samples: that arrived, and that were refused */
    int64_t retry_after_s; /* how long the receiver wants to be left alone; -1: it does not say */
};

/** `is_quiet`: do not say that the receiver cannot be reached. */
void watch_send(const struct watch_conf *conf, const struct watch_spool *spool,
                const struct watch_spool_file *file, bool is_quiet, struct watch_send_result *ret);
