/*
 * hidden.h - classes that the VM makes for itself to get from one method of a program to another.
 *
 * Method handles, lambdas and reflection put frames of such classes between caller and callee. They
 * say nothing of the program, and their names differ from run to run. The JVM's own stack traces
 * leave them out, and so do the tables of reports.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Whether a class, named as in files (java.lang.Object), is one of them. */
int hidden_has(const char *class_name);
