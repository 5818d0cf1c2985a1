/*
 * expo.c - see expo.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/expo.h"
#include <stdint.h>
#include <string.h>

enum {
    BIAS = 1023, /* the bias of a double's exponent */
    MANTISSA_BITS = 52,
    ROOT_ROUNDS = 6, /* each round doubles the count of correct digits */
};

static const double ln2 = 0.69314718055994530942;

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* e^-x = 2^-k * e^-r with r below ln 2. The series computes 1 - e^-r itself, which loses nothing
 * for small r. */
double expo_hit(double x)
{
    enum { TERMS = 20, BEYOND = 700 };
    double k_double, r, term, sum = 0;
    uint64_t k;
    if (!(x < BEYOND))
        return 1;
    k = (uint64_t)(x / ln2);
    k_double = (double)k;
    r = x - k_double * ln2;
    term = r;
    for (int i = 2; i < TERMS; i++) {
        sum += term;
        term *= -r / i;
    }
    if (k == 0)
        return sum;
    return 1 - (1 - sum) * of_bits((BIAS - k) << MANTISSA_BITS);
}

/* x = 2^k * m with m near 1; ln m = 2 artanh((m - 1) / (m + 1)). */
double expo_log(double x)
{
    enum { LAST = 25 };
    const double root2 = 1.41421356237309504880;
    uint64_t bits = bits_of(x);
    int k = (int)(bits >> MANTISSA_BITS) - BIAS;
    double m =
        of_bits((bits & (((uint64_t)1 << MANTISSA_BITS) - 1)) | (uint64_t)BIAS << MANTISSA_BITS);
    double y, power, sum = 0;
    if (m > root2) {
        m /= 2;
        k++;
    }
    y = (m - 1) / (m + 1);
    power = y;
    for (int i = 1; i <= LAST; i += 2) {
        sum += power / i;
        power *= y * y;
    }
    return k * ln2 + 2 * sum;
}

/* Newton's method; the first guess halves the exponent. */
double expo_sqrt(double x)
{
    double root;
    if (!(x > 0))
        return 0;
    root = of_bits((bits_of(x) >> 1) + ((uint64_t)BIAS << (MANTISSA_BITS - 1)));
    for (int i = 0; i < ROOT_ROUNDS; i++)
        root = (root + x / root) / 2;
    return root;
}
