import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.jar.JarFile;

/** Finds classes of the project that stand in the place of a library's. */
final class PatchwrightShadows {
    /** Folders in one another; packages are rarely that deep. */
    private static final int DEEPEST = 64;

    private final List<JarFile> jars = new ArrayList<JarFile>();
    private final List<File> folders = new ArrayList<File>();

    /** Looks at the class path of this process, but for the first place, which is ours. */
    PatchwrightShadows() {
        String[] places = System.getProperty("java.class.path").split(File.pathSeparator);
        for (int index = 1; index < places.length; index++) {
            File place = new File(places[index]);
            if (place.isDirectory()) {
                folders.add(place);
            } else {
                try {
                    jars.add(new JarFile(place));
                } catch (IOException missing) {
                    // Java passes over it, too.
                    continue;
                }
            }
        }
    }

    /** Says which classes in the folders of the class path a library has as well. */
    void find(List<String> found) {
        for (File folder : folders) {
            walk(folder, "", 0, found);
        }
    }

    /** The same of some classes, by their names with slashes. */
    void find(Collection<String> names, List<String> found) {
        for (String name : names) {
            look(name, found);
        }
    }

    private void walk(File folder, String prefix, int depth, List<String> found) {
        File[] files = folder.listFiles();
        if (files == null || depth > DEEPEST) {
            return;
        }
        for (File file : files) {
            String name = file.getName();
            if (name.endsWith(".class")) {
                look(prefix + name.substring(0, name.length() - 6), found);
            } else if (file.isDirectory()) {
                walk(file, prefix + name + "/", depth + 1, found);
            }
        }
    }

    private void look(String name, List<String> found) {
        for (JarFile jar : jars) {
            if (jar.getEntry(name + ".class") != null) {
                found.add(name.replace('/', '.') + " stands in the place of a library's class");
                return;
            }
        }
    }
}
