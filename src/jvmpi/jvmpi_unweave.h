/*
 * jvmpi_unweave.h - give loaded classes their own code back when an event is turned off.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct injector_user;

/**
 * Take the user's probes out of all classes. Loaded classes keep their probes if the VM is ending,
 * or if the VM does not know the calling thread.
 * Context: java, or any thread.
 */
void jvmpi_unweave(struct injector_user *user);
