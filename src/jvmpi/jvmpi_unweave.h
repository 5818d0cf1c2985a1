/*
 * jvmpi_unweave.h - give loaded classes their own code back when an event is turned off.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct injector_user;

/**
 * Take the user's probes out of all classes. If the VM is ending, or if the caller is on a thread
 * that cannot change classes, loaded classes keep their probes.
 * Context: java, or any thread.
 */
void jvmpi_unweave(struct injector_user *user);
