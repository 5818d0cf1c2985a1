/*
 * tag_reader.h - reads the tags of objects from the VM's table for a JVM TI environment.
 *
 * JVM TI shows tags only during walks through the whole heap, which cost a call or two for each
 * reference. This code reads the hash table of the environment instead: a few loads for each tagged
 * object. The VM does not describe the table in its vmStructs. So a list here has its shape for
 * each JDK. The table is searched for from the environment on, and a candidate is accepted only if
 * it holds as many entries as it says. Everything is valid while the VM stands still and the table
 * does not change: in a heap callback, when the VM's thread holds the lock of the table, or in a
 * process that was forked there.
 * Source: HotSpot jvmtiTagMap.hpp, jvmtiTagMapTable.hpp, hashtable.hpp, resourceHash.hpp; the
 * offsets were seen in JDK 8, 11, 17, 21, 25 and 26.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;

/** Called for an object and its tag. `object` is the address of the object's header. */
typedef void tag_reader_seen(void *arg, uint64_t object, int64_t tag);

/**
 * Calls `seen` for every object with a tag, in no order. `version` is that of the JDK, `env` the
 * jvmtiEnv.
 *
 * Two threads read (base/pair.h). Thread i calls `seen` with args[i]; the two threads may call
 * `seen` at the same time. The reader may try a wrong table first, and call `seen` with something
 * that is no object, before it fails. So the caller checks what it gets, forgets everything after
 * an error, and looks for an object whose tag it knows.
 *
 * Errors:  0; E_FACT_MISSING: no table looks as expected.
 * Context: any, not signal.
 */
int tag_reader_read(struct mem *m, int version, uint64_t env, tag_reader_seen *seen,
                    void *const args[2]);

/**
 * Whether the environment seems to have a table with at least one entry. It may be called while the
 * VM runs and changes the table; tag_reader_read() decides.
 *
 * Errors:  0; E_FACT_MISSING. Context: any, not signal.
 */
int tag_reader_expect(struct mem *m, int version, uint64_t env);
