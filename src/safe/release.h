/*
 * release.h - what came with which release of the JDK, by name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum release {
#define RELEASE(name, release, what) RELEASE_##name = (release),
#include "safe/release.def"
#undef RELEASE
};
