/*
 * kind_io.c - input and output: reads, writes, connects, accepts and forces of files and sockets;
 * the text names the file or the peer (event=io).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.FileRead",
     .stack = "stackTrace",
     .text = "path",
     .values = {"duration", NULL, "bytesRead"},
     .units = {KIND_JFR_NS}},
    {.event = "jdk.FileWrite",
     .stack = "stackTrace",
     .text = "path",
     .values = {"duration", NULL, NULL, "bytesWritten"},
     .units = {KIND_JFR_NS}},
    {.event = "jdk.FileForce",
     .stack = "stackTrace",
     .text = "path",
     .values = {"duration"},
     .units = {KIND_JFR_NS}},
    {.event = "jdk.SocketRead",
     .stack = "stackTrace",
     .has_peer = true,
     .values = {"duration", NULL, "bytesRead"},
     .units = {KIND_JFR_NS}},
    {.event = "jdk.SocketWrite",
     .stack = "stackTrace",
     .has_peer = true,
     .values = {"duration", NULL, NULL, "bytesWritten"},
     .units = {KIND_JFR_NS}},
    {.event = "hprof.SocketConnect",
     .stack = "stackTrace",
     .has_peer = true,
     .values = {"duration"},
     .units = {KIND_JFR_NS}},
    {.event = "hprof.SocketAccept",
     .stack = "stackTrace",
     .has_peer = true,
     .values = {"duration"},
     .units = {KIND_JFR_NS}},
    {0},
};

const struct kind kind_io = {
    .id = KIND_IO,
    .name = "IO",
    .word = "io",
    .title = "input and output",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "io_time"},
            {"CALLS", "calls", KIND_UNIT_COUNT, .sample_type = "io_calls"},
            {"READ", "bytes read", KIND_UNIT_BYTES, .sample_type = "io_read"},
            {"WRITTEN", "bytes written", KIND_UNIT_BYTES, .sample_type = "io_written"},
        },
    .series = {{"io", KIND_IO, 0, 20}, {"io-read", KIND_IO, 2, 21}, {"io-written", KIND_IO, 3, 22}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_IO,
};
