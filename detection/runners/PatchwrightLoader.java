import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Files;
import java.security.CodeSource;
import java.security.SecureClassLoader;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * Loads all classes of the project anew, so that no candidate sees what another left in static fields. What is not the
 * project's comes from the parent.
 *
 * <p>A secure class loader like the one of a cold run: its frames are seen in traces of classes that cannot be loaded.
 */
final class PatchwrightLoader extends SecureClassLoader {
    private final PatchwrightCandidate candidate;
    private final File classes;
    /** Where resources are, those of the classes first. */
    private final List<File> folders = new ArrayList<>();
    private final CodeSource origin;

    static {
        registerAsParallelCapable();
    }

    PatchwrightLoader(ClassLoader parent, PatchwrightCandidate candidate, File classes, List<String> resources) {
        super(parent);
        this.candidate = candidate;
        this.classes = classes;
        folders.add(classes);
        for (String resource : resources) {
            folders.add(new File(resource).getAbsoluteFile());
        }
        origin = origin(classes);
    }

    private static CodeSource origin(File folder) {
        try {
            return new CodeSource(folder.toURI().toURL(), (Certificate[]) null);
        } catch (MalformedURLException problem) {
            throw new IllegalStateException(problem);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> type = findLoadedClass(name);
            if (type == null) {
                byte[] bytes = candidate.bytes(name.replace('.', '/'));
                type = bytes == null ? foreign(name) : define(name, bytes, origin);
            }
            if (resolve) {
                resolveClass(type);
            }
            return type;
        }
    }

    /** A class that was not compiled here. Some projects keep compiled classes among their resources. */
    private Class<?> foreign(String name) throws ClassNotFoundException {
        try {
            return getParent().loadClass(name);
        } catch (ClassNotFoundException problem) {
            for (File folder : folders.subList(1, folders.size())) {
                File file = new File(folder, name.replace('.', '/') + ".class");
                if (file.isFile()) {
                    try {
                        return define(name, Files.readAllBytes(file.toPath()), origin(folder));
                    } catch (IOException unreadable) {
                        problem.addSuppressed(unreadable);
                    }
                }
            }
            throw problem;
        }
    }

    private Class<?> define(String name, byte[] bytes, CodeSource from) {
        int end = name.lastIndexOf('.');
        // Java 8 leaves this to class loaders.
        if (end > 0 && getPackage(name.substring(0, end)) == null) {
            try {
                definePackage(name.substring(0, end), null, null, null, null, null, null, null);
            } catch (IllegalArgumentException known) {
                // Another thread was faster.
                return defineClass(name, bytes, 0, bytes.length, from);
            }
        }
        return defineClass(name, bytes, 0, bytes.length, from);
    }

    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : getParent().getResource(name);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> found = own(name);
        found.addAll(Collections.list(getParent().getResources(name)));
        return Collections.enumeration(found);
    }

    @Override
    protected URL findResource(String name) {
        List<URL> own = own(name);
        return own.isEmpty() ? null : own.get(0);
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
        return Collections.enumeration(own(name));
    }

    private List<URL> own(String name) {
        List<URL> found = new ArrayList<>();
        if (name.startsWith("/")) {
            return found;
        }
        try {
            String type = name.endsWith(".class") ? name.substring(0, name.length() - 6) : null;
            boolean differs = type != null && candidate.differs(type);
            if (differs && candidate.bytes(type) != null) {
                found.add(new URL(null, "patchwright:" + escaped(name), new InMemory(candidate.bytes(type))));
            }
            for (File folder : folders) {
                if (!(differs && folder.equals(classes)) && new File(folder, name).exists()) {
                    found.add(new URL(folder.toURI().toURL(), escaped(name)));
                }
            }
        } catch (MalformedURLException | URISyntaxException problem) {
            // No URL, no resource.
            return found;
        }
        return found;
    }

    private static String escaped(String name) throws URISyntaxException {
        // A name with a colon would be taken for one with a scheme.
        return new URI(null, null, "/" + name, null).getRawPath().substring(1);
    }

    /** The bytes of a class that is nowhere on disk. */
    private static final class InMemory extends URLStreamHandler {
        private final byte[] bytes;

        InMemory(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        protected URLConnection openConnection(URL url) {
            return new URLConnection(url) {
                @Override
                public void connect() {
                    connected = true;
                }

                @Override
                public InputStream getInputStream() {
                    return new ByteArrayInputStream(bytes);
                }
            };
        }
    }
}
