package leasehold;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import leasehold.text.Script;
import leasehold.text.ScriptException;

/** The command line: a script to be carried out. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        if (arguments.length != 1) {
            System.err.println("usage: leasehold SCRIPT");
            System.exit(2);
        }
        try {
            System.out.println(Script.run(Files.readAllLines(Path.of(arguments[0]))));
        } catch (IOException problem) {
            System.err.println("cannot read " + arguments[0]);
            System.exit(2);
        } catch (ScriptException problem) {
            System.err.println(arguments[0] + ": " + problem.getMessage());
            System.exit(2);
        }
    }
}
