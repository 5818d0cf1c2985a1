/** The SDK of native/publishes.c. SPDX-License-Identifier: Apache-2.0 */
class Publishes {
    static native boolean process(byte[] payload);
}
