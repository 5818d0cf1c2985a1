/*
 * jdk_recording.h - the recording that a JVM's own Flight Recorder makes beside the agent's.
 *
 * It is started and stopped by the JVM's diagnostic commands JFR.start and JFR.stop, and written
 * into a file in the JVM's /tmp, which is made for it before: so it is the JVM's user's alone,
 * under a name that nobody guesses. Events that the agent records are left out of it: who reads
 * both in one file would count them twice. Source: jdk.jfr.internal.dcmd, DCmdStart.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/recorded.h"

struct attach;
struct jvm;

/** What is asked for. */
struct jdk_recording_how {
    const char *settings; /* "default" or "profile" of the JVM; NULL: those in `config` */
    char *config;         /* a .jfc file; malloc'ed */
    size_t config_len;
    const char *items;    /* what the agent is told to record */
    uint64_t duration_ns; /* it ends by itself some time after that, 0: it does not */
};

struct jdk_recording {
    struct attach *attach; /* borrowed, as is jvm */
    const struct jvm *jvm;
    bool is_running;          /* it was started, and not stopped */
    uint64_t nonce;           /* in its name and those of files */
    int hold;                 /* the file, locked; -1: not so */
    char file[RECORDED_NAME]; /* what it is written into, in the JVM's /tmp */
};

/** `value`: NULL, default, profile or the name of a .jfc file, which is read now. Errors: 0;
 * negative after saying why. Owner: jdk_recording_done(). */
int jdk_recording_take(struct jdk_recording_how *how, const char *value);
void jdk_recording_done(struct jdk_recording_how *how);

/** Begins one, after ending those of commands that were killed, which it says. Errors: 0;
 * CMD_FAILED after saying why: then there is no such recording. `attach` has the ids of the JVM's
 * user. Owner: jdk_recording_close(). */
int jdk_recording_start(struct jdk_recording *r, const struct jdk_recording_how *how,
                        struct attach *a, const struct jvm *jvm, uint64_t nonce);
/** Has the JVM write and end it; one that has ended has done so. Errors: 0; CMD_FAILED after saying
 * why. */
int jdk_recording_stop(struct jdk_recording *r);
/** Removes its file, of which nobody has a use. */
void jdk_recording_drop(struct jdk_recording *r);
/** Nobody holds the file any more. */
void jdk_recording_close(struct jdk_recording *r);
