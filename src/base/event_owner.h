/*
 * event_owner.h - whether an event of JFR belongs to the application, judged by its name.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Whether the event belongs neither to the JDK nor to this project nor to async-profiler. For
 * example "com.shop.Order" does; "jdk.CPULoad" and "profiler.Log" do not. Context: any. */
bool event_owner_is_application(const char *event);
