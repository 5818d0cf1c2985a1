/*
 * jvmpi_unweave.h - loaded classes get their own code back when an event is turned off.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct injector_user;

/** The user's probes are in no class any more, but in those that are loaded when the VM ends.
 * Context: java, or any thread, for which loaded classes stay as they are. */
void jvmpi_unweave(struct injector_user *user);
