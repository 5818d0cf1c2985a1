#!/usr/bin/env python3
"""exports_jfrlib - libhprofjfr.so shows what include/hprof_jfr.h declares, and nothing else; see interface.py.

SPDX-License-Identifier: Apache-2.0
"""
import interface

interface.main(interface.Interface("src/jfrlib/libhprofjfr.so.1", "src/jfrlib/hprofjfr.map", ("include/hprof_jfr.h",), "docs/man/libhprofjfr.3",
                                   "hprof_jfr_", 50, stays=False))
