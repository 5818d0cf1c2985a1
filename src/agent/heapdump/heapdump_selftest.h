/*
 * heapdump_selftest.h - selftest=y: our walk of the heap against that of JVM TI.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct frozen;

/** Before a dump, its classes being listed: compare the walks, and say how it went. Context: java,
 * lock held. */
void heapdump_selftest_run(struct frozen *f);
