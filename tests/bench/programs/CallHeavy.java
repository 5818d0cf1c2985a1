import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Many short calls of many methods: a small expression language, its parser, its interpreter. Argument: rounds. */
public class CallHeavy {
    interface Node {
        long eval(Map<String, Long> env);
    }

    static class Number implements Node {
        final long value;
        Number(long value) { this.value = value; }
        public long eval(Map<String, Long> env) { return value; }
    }

    static class Name implements Node {
        final String name;
        Name(String name) { this.name = name; }
        public long eval(Map<String, Long> env) { return lookup(env, name); }
    }

    static class Binary implements Node {
        final char op;
        final Node left, right;
        Binary(char op, Node left, Node right) { this.op = op; this.left = left; this.right = right; }
        public long eval(Map<String, Long> env) { return combine(op, left.eval(env), right.eval(env)); }
    }

    static long lookup(Map<String, Long> env, String name) {
        Long v = env.get(name);
        return v == null ? 0 : v;
    }

    static long combine(char op, long a, long b) {
        switch (op) {
        case '+': return plus(a, b);
        case '-': return minus(a, b);
        default: return times(a, b);
        }
    }

    static long plus(long a, long b) { return a + b; }
    static long minus(long a, long b) { return a - b; }
    static long times(long a, long b) { return a * b; }

    final String text;
    int at;

    CallHeavy(String text) { this.text = text; }

    char peek() { return at < text.length() ? text.charAt(at) : 0; }
    char next() { char c = peek(); at++; return c; }

    Node sum() {
        Node n = product();
        while (peek() == '+' || peek() == '-')
            n = new Binary(next(), n, product());
        return n;
    }

    Node product() {
        Node n = atom();
        while (peek() == '*')
            n = new Binary(next(), n, atom());
        return n;
    }

    Node atom() {
        if (peek() == '(') {
            next();
            Node n = sum();
            next();
            return n;
        }
        int from = at;
        while (Character.isLetterOrDigit(peek()))
            next();
        String word = text.substring(from, at);
        return Character.isDigit(word.charAt(0)) ? new Number(Long.parseLong(word)) : new Name(word);
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        Map<String, Long> env = new HashMap<>();
        Map<String, Integer> seen = new TreeMap<>();
        long sum = 0;
        for (int r = 0; r < rounds; r++) {
            env.put("x", (long) r);
            env.put("y", (long) (r % 17));
            Node n = new CallHeavy("(x+" + r % 100 + ")*(y-3)+x*y*(x-y+" + r % 7 + ")-(2*x+y)").sum();
            for (int i = 0; i < 10; i++)
                sum += n.eval(env);
            List<Integer> list = new ArrayList<>();
            for (int i = 0; i < 20; i++)
                list.add((int) (sum >> i) & 255);
            Collections.sort(list);
            String key = "k" + list.get(10) % 50; // no lambda: JDK 8's own agent ends with one
            seen.put(key, seen.containsKey(key) ? seen.get(key) + 1 : 1);
        }
        System.out.println(sum + " " + seen.size());
    }
}
