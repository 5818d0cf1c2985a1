/*
 * options_io.h - the options of input and output (event=io, io=TIME, iorate=N/s).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

enum options_io_event {
    OPTIONS_IO_FILE_READ,
    OPTIONS_IO_FILE_WRITE,
    OPTIONS_IO_FILE_FORCE,
    OPTIONS_IO_SOCKET_READ,
    OPTIONS_IO_SOCKET_WRITE,
    OPTIONS_IO_SOCKET_CONNECT,
    OPTIONS_IO_SOCKET_ACCEPT,
    OPTIONS_IO_EVENTS,
};

struct options_io {
    uint64_t threshold_ns[OPTIONS_IO_EVENTS]; /* shorter calls are only counted */
    double rate;                              /* events in a second at most */
};

extern const struct options_group options_io;

/** The names of the events in JFR files, by enum options_io_event. */
extern const char *const options_io_names[OPTIONS_IO_EVENTS];

/** The options of input and output. Context: any. */
static inline const struct options_io *options_io_of(const struct options *o)
{
    return options_group_own(o, &options_io);
}
