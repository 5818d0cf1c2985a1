import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

// Works until the compilers have seen to it, and prints how many bytes of code there are.
public class CodeSize {
    static int work(int i) {
        Map<String, Integer> counts = new HashMap<>();
        List<String> words = new ArrayList<>();
        StringBuilder text = new StringBuilder();

        for (int k = 0; k < 20; k++)
            words.add("w" + (i * 31 + k) % 97);
        Collections.sort(words);
        for (String word : words) {
            counts.merge(word, 1, Integer::sum);
            text.append(word).append(' ');
        }
        try {
            if (Pattern.compile("w9[0-9]").matcher(text).find())
                throw new IllegalStateException(text.toString());
        } catch (IllegalStateException e) {
            return counts.size() + e.getMessage().length();
        }
        return counts.size();
    }

    public static void main(String[] args) {
        long bytes = 0;
        int sum = 0;

        for (int i = 0; i < Integer.parseInt(args[0]); i++)
            sum += work(i);
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans())
            if (pool.getName().contains("Code"))
                bytes += pool.getUsage().getUsed();
        System.out.println("code " + bytes + " sum " + sum);
    }
}
