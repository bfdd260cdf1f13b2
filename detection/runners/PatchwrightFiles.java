import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager.Location;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/** The files of one compilation: keeps what is compiled in memory, and shows classes of the project out of memory. */
final class PatchwrightFiles extends ForwardingJavaFileManager<StandardJavaFileManager> {
    /** Null when no class of the project is to be seen. */
    private final PatchwrightClasses pristine;
    private final Set<String> replaced;
    private final Map<String, Memory> outputs = new TreeMap<>();
    private String other;

    /** A file in memory; its name is binary, with slashes. */
    private static final class Memory extends SimpleJavaFileObject {
        private final String name;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private byte[] bytes;

        Memory(String name, Kind kind, byte[] bytes) {
            super(URI.create("memory:///" + name.replaceAll("[^\\w/$.-]", "_") + kind.extension), kind);
            this.name = name;
            this.bytes = bytes;
        }

        byte[] bytes() {
            return bytes == null ? written.toByteArray() : bytes;
        }

        @Override
        public InputStream openInputStream() {
            return new ByteArrayInputStream(bytes());
        }

        @Override
        public OutputStream openOutputStream() {
            return written;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return new String(bytes(), StandardCharsets.UTF_8);
        }
    }

    /** Shows the classes before any change but for those that are replaced. */
    PatchwrightFiles(StandardJavaFileManager standard, PatchwrightClasses pristine, Set<String> replaced) {
        super(standard);
        this.pristine = pristine;
        this.replaced = replaced;
    }

    /** What was compiled. */
    Map<String, byte[]> compiled() {
        Map<String, byte[]> compiled = new TreeMap<>();
        for (Map.Entry<String, Memory> entry : outputs.entrySet()) {
            compiled.put(entry.getKey(), entry.getValue().bytes());
        }
        return compiled;
    }

    /** Complains when a processor of annotations wrote what tests would look for on disk. */
    void check() throws IOException {
        if (other != null) {
            throw new IOException("the compilation writes another file than classes: " + other);
        }
    }

    @Override
    public Iterable<JavaFileObject> list(Location location, String packageName, Set<Kind> kinds, boolean recurse)
            throws IOException {
        Iterable<JavaFileObject> standard = super.list(location, packageName, kinds, recurse);
        if (pristine == null || location != StandardLocation.CLASS_PATH || !kinds.contains(Kind.CLASS)) {
            return standard;
        }
        List<JavaFileObject> files = new ArrayList<>();
        for (String name : pristine.in(packageName.replace('.', '/'), recurse)) {
            if (!replaced.contains(name)) {
                files.add(new Memory(name, Kind.CLASS, pristine.bytes(name)));
            }
        }
        for (JavaFileObject file : standard) {
            files.add(file);
        }
        return files;
    }

    @Override
    public String inferBinaryName(Location location, JavaFileObject file) {
        return file instanceof Memory ? ((Memory) file).name.replace('/', '.') : super.inferBinaryName(location, file);
    }

    @Override
    public boolean isSameFile(FileObject one, FileObject other) {
        return one instanceof Memory || other instanceof Memory ? one == other : super.isSameFile(one, other);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(Location location, String name, Kind kind, FileObject sibling) {
        Memory file = new Memory(name.replace('.', '/'), kind, null);
        if (kind == Kind.CLASS) {
            outputs.put(file.name, file);
        }
        return file;
    }

    @Override
    public FileObject getFileForOutput(Location location, String packageName, String name, FileObject sibling) {
        other = name;
        return new Memory(name, Kind.OTHER, null);
    }
}
