// SPDX-License-Identifier: Apache-2.0
import java.util.Arrays;

/**
 * Speed - a small benchmark, for docs/guides/ci.md: sorts numbers and adds them up for a second or two.
 *
 * With the word `slower` it does as a change that made add() slower would.
 */
public class Speed {
    static volatile long sink;

    public static void main(String[] args) {
        int rounds = args.length > 0 ? 4 : 1;
        long[] numbers = new long[20000];
        for (int round = 0; round < 2500; round++) {
            fill(numbers, round);
            sort(numbers);
            for (int i = 0; i < rounds; i++)
                add(numbers);
        }
    }

    static void fill(long[] numbers, long seed) {
        for (int i = 0; i < numbers.length; i++)
            numbers[i] = seed = seed * 6364136223846793005L + 1442695040888963407L;
    }

    static void sort(long[] numbers) {
        Arrays.sort(numbers);
    }

    static void add(long[] numbers) {
        long sum = 0;
        for (int pass = 0; pass < 10; pass++)
            for (long number : numbers)
                sum += number % 1009;
        sink = sum;
    }
}
