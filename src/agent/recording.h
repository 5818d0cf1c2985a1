/*
 * recording.h - what is measured from one start to one end: its name, when it began, and when it
 * ends by itself.
 *
 * The option string of a load makes one, as the command start does.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>
#include <time.h>

struct agent;

enum { RECORDING_NAME = 64 };

struct recording {
    uint32_t number; /* counts the starts of this VM, from 1 */
    char name[RECORDING_NAME + 1];
    time_t began;
    uint64_t began_ns; /* CLOCK_MONOTONIC */
};

/** What ends the recording of that number, if it still is the one that runs. Context: java. */
typedef void recording_over(struct agent *a, JNIEnv *env, uint32_t number);

/**
 * A new one begins; "" names it by its number. With duration= it ends by itself: then `over` is
 * called, on a thread of the agent. Context: java.
 */
void recording_begin(struct agent *a, JNIEnv *env, recording_over *over);
/** It has ended. Context: any. */
void recording_end(struct agent *a);
/** Seconds since it began. */
double recording_seconds(const struct recording *r);
