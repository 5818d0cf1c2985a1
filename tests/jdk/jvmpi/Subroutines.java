/* Java 5, whose compiler makes a subroutine (jsr) of each finally, and code without frames. For jvmpi/instructions.c. */
public class Subroutines {
    static int sum;

    static int nested(int x) {
        try {
            try {
                if (x == 1)
                    return 1;
                if (x == 2)
                    throw new IllegalStateException();
                sum += 10 / (x - 3);
            } finally {
                if (x != 4)
                    sum++;
            }
        } catch (ArithmeticException e) {
            sum += 2;
        } finally {
            sum += x > 2 ? 3 : 4;
        }
        return sum;
    }

    static int loop() {
        for (int i = 0; i < 5; i++) {
            try {
                if (i == 2)
                    continue;
                if (i == 4)
                    break;
                sum += i;
            } finally {
                sum--;
            }
        }
        return sum;
    }

    public static void main(String[] args) {
        for (int round = 0; round < 20; round++) {
            for (int x = 0; x < 6; x++) {
                try {
                    sum += nested(x);
                } catch (IllegalStateException e) {
                    sum += 5;
                }
            }
            loop();
        }
        System.out.println("done");
    }
}
