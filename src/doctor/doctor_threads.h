/*
 * doctor_threads.h - facts that thread dumps tell: deadlocks, locks that many want, pools that
 * stand still.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct doctor_facts;
struct dumpset;

/** Sets the facts of threads. Several dumps must be of one JVM; a thread that moves in one of them
 * does not stand still. Errors: 0; -ENOMEM; E_RANGE: the dumps are of several JVMs. */
int doctor_threads_judge(const struct dumpset *set, struct doctor_facts *f);
