/*
 * jdk_recording.h - a recording of the JVM's own Flight Recorder, made at the same time as the
 * agent's recording.
 *
 * The JVM's diagnostic commands JFR.start and JFR.stop start and stop it. The JVM writes it into a
 * file in its /tmp that was made before, with a random name and readable by the JVM's user only.
 * Events that the agent records too are left out of it: a reader of both in one file would count
 * them twice. Source: jdk.jfr.internal.dcmd, DCmdStart.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "recording/recorded.h"

struct attach;
struct jvm;

/** The user's request. */
struct jdk_recording_how {
    const char *settings; /* "default" or "profile" of the JVM; NULL: the settings in `config` */
    char *config;         /* the content of a .jfc file; malloc'ed */
    size_t config_len;
    const char *items;    /* the options that the agent gets */
    uint64_t duration_ns; /* ends by itself some time after this; 0: never */
};

struct jdk_recording {
    struct attach *attach; /* borrowed, like `jvm` */
    const struct jvm *jvm;
    bool is_running;          /* started and not stopped yet */
    uint64_t nonce;           /* random number in its name and in the names of files */
    int hold;                 /* descriptor that locks the file; -1: none */
    char file[RECORDED_NAME]; /* the name of the file in the JVM's /tmp */
};

/** Takes the value of --jfr: NULL, default, profile or the name of a .jfc file, which is read now.
 * Errors: 0; negative after saying why. Owner: jdk_recording_done(). */
int jdk_recording_take(struct jdk_recording_how *how, const char *value);
void jdk_recording_done(struct jdk_recording_how *how);

/** Starts a recording. Recordings that killed commands have left behind are ended first, with a
 * message. The process must have the ids of the JVM's user. Errors: 0; CMD_FAILED after saying why:
 * then no recording was started. Owner: jdk_recording_close(). */
int jdk_recording_start(struct jdk_recording *r, const struct jdk_recording_how *how,
                        struct attach *a, const struct jvm *jvm, uint64_t nonce);
/** Makes the JVM write and end the recording. If the JVM has ended, it has written the file.
 * Errors: 0; CMD_FAILED after saying why. */
int jdk_recording_stop(struct jdk_recording *r);
/** Removes the file, because it is not needed. */
void jdk_recording_drop(struct jdk_recording *r);
/** Releases the lock on the file. */
void jdk_recording_close(struct jdk_recording *r);
