/** What a program may call: contexts, events, recordings. SPDX-License-Identifier: Apache-2.0 */
module hprof {
    exports hprof;
}
