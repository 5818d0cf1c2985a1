/*
 * heapdump_selftest.h - selftest=y: compares the agent's own walk of the heap with the walk of JVM
 * TI.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct frozen;

/** Compare the walks and report the result in a message. Call this before a dump, when its classes
 * are listed. Context: java, lock held. */
void heapdump_selftest_run(struct frozen *f);
