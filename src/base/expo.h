/*
 * expo.h - exponential, logarithm and square root for code that may use libc but not libm.
 *
 * The relative error is below 1e-12 for the arguments that each function names. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** 1 - e^-x for x >= 0; exact for small x too. */
double expo_hit(double x);
/** The natural logarithm of a positive, normal number. */
double expo_log(double x);
/** The square root of a number >= 0. */
double expo_sqrt(double x);
