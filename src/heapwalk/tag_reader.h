/*
 * tag_reader.h - the tags of objects, read where a VM keeps them for a JVM TI environment.
 *
 * JVM TI shows tags only in walks through the whole heap, at a call or two for each reference. Here
 * they are read from the environment's hash table: a few loads for each object that has a tag. The
 * table is not among the VM's described structures. So a list has its shape by JDK, the table is
 * searched for from the environment on, and it counts as found only if it holds as many entries as
 * it says. Valid while the VM stands still and the table is not being changed: in a heap callback,
 * where the VM's thread holds its lock, or in a process that was forked there.
 * Source: HotSpot jvmtiTagMap.hpp, jvmtiTagMapTable.hpp, hashtable.hpp, resourceHash.hpp; the
 * offsets were seen in JDK 8, 11, 17, 21, 25 and 26. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;

/** An object of the VM, where its header is, and its tag. */
typedef void tag_reader_seen(void *arg, uint64_t object, int64_t tag);

/**
 * Every object with a tag, in no order. `version` is the JDK's, `env` the jvmtiEnv.
 *
 * A pair of threads reads (base/pair.h): `seen` gets one of `args` in each thread, and may be
 * called in the two threads at once. A wrong guess may have called `seen` before it failed, also
 * with what is no object: the caller checks what it gets, forgets it after an error, and looks for
 * an object whose tag it knows. Errors: 0, E_FACT_MISSING no table looks as expected. Context: any,
 * not signal.
 */
int tag_reader_read(struct mem *m, int version, uint64_t env, tag_reader_seen *seen,
                    void *const args[2]);

/**
 * Whether there is something that looks like a table with an entry at least, while the VM runs and
 * changes it: tag_reader_read() has the last word. Errors and context: as above.
 */
int tag_reader_expect(struct mem *m, int version, uint64_t env);
