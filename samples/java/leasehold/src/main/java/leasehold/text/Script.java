package leasehold.text;

import java.util.List;
import java.util.StringJoiner;
import leasehold.net.Block;
import leasehold.pool.Pool;
import leasehold.pool.PoolException;
import leasehold.pool.StandardPlacement;

/** Carries out scripts: pool, exclude, lease, release, show. */
public final class Script {

    private final StringJoiner output = new StringJoiner("\n");
    private Pool pool;

    private Script() {}

    public static String run(String text) {
        return run(text.lines().toList());
    }

    /**
     * Carries out the lines in their order and returns what they show.
     *
     * @throws ScriptException at the first line that cannot be read or carried out
     */
    public static String run(List<String> lines) {
        Script script = new Script();
        int number = 0;
        for (String line : lines) {
            number++;
            try {
                script.execute(line);
            } catch (IllegalArgumentException | PoolException problem) {
                throw new ScriptException(number, problem);
            }
        }
        return script.output.toString();
    }

    private void execute(String line) {
        int comment = line.indexOf('#');
        String content = (comment < 0 ? line : line.substring(0, comment)).strip();
        if (content.isEmpty()) {
            return;
        }
        String[] words = content.split("\\s+");
        if (pool == null && !words[0].equals("pool")) {
            throw new IllegalArgumentException("a script begins with its pool");
        }
        switch (words[0]) {
            case "pool" -> openPool(words);
            case "exclude" -> {
                require(words.length == 2, "expected: exclude BLOCK");
                pool.exclude(Block.parse(words[1]));
            }
            case "lease" -> lease(words);
            case "release" -> {
                require(words.length == 2, "expected: release OWNER");
                pool.release(words[1]);
            }
            case "show" -> {
                require(words.length == 1, "expected: show");
                output.add(new PoolReport(pool).render());
            }
            default -> throw new IllegalArgumentException("unknown command: " + words[0]);
        }
    }

    private void openPool(String[] words) {
        require(pool == null, "a script has one pool");
        require(words.length == 2 || words.length == 3, "expected: pool BLOCK [PLACEMENT]");
        Block range = Block.parse(words[1]);
        pool = words.length == 2 ? new Pool(range) : new Pool(range, StandardPlacement.parse(words[2]));
    }

    private void lease(String[] words) {
        require(words.length == 3, "expected: lease OWNER SIZE or lease OWNER BLOCK");
        if (words[2].matches("\\d{1,10}")) {
            pool.lease(words[1], Long.parseLong(words[2]));
        } else {
            pool.lease(words[1], Block.parse(words[2]));
        }
    }

    private static void require(boolean condition, String reason) {
        if (!condition) {
            throw new IllegalArgumentException(reason);
        }
    }
}
