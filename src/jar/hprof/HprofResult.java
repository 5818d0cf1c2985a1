/*
 * HprofResult.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

/** What {@link Hprof#run} has run: how it ended and what it said. */
public final class HprofResult {
    private final int status;
    private final String output, errors;

    HprofResult(int status, String output, String errors) {
        this.status = status;
        this.output = output;
        this.errors = errors;
    }

    /** The exit status: 0 is good. */
    public int status() {
        return status;
    }

    /** What it wrote to standard output. */
    public String output() {
        return output;
    }

    /** What it wrote to standard error. */
    public String errors() {
        return errors;
    }
}
