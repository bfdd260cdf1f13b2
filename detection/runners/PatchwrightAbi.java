import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a compiled class means to the compilation of other source files: two class files with the same {@link #parts}
 * can be exchanged without compiling those again.
 *
 * <p>Of private members only the names of fields count, which hide those that are inherited: everything else of them
 * is seen inside of their own source file alone. Bodies of methods, flags that only matter to bodies, and members made
 * by the compiler do not count.
 */
final class PatchwrightAbi {
    private static final int PRIVATE = 0x0002;
    private static final int BRIDGE = 0x0040;
    private static final int INTERFACE = 0x0200;
    private static final int SYNTHETIC = 0x1000;
    /** A class in a descriptor or a signature. */
    private static final Pattern TYPE = Pattern.compile("L([^;<>:.()\\[]+)[;<]");
    /** The flags of a class, of which `super` says nothing. */
    private static final int OF_CLASS = ~0x0020;
    /** Without volatile and transient. */
    private static final int OF_FIELD = ~0x00c0;
    /** Without synchronized, native and strictfp. */
    private static final int OF_METHOD = ~0x0920;

    /** The binary name, with slashes. */
    final String name;
    /** The name of the source file without its folder; null where it is not told. */
    String source;
    /** Whether no other source file can name the class, since it is anonymous or local. */
    boolean hidden;
    final boolean isInterface;
    /** The class and the interfaces that it stands directly below. */
    final List<String> supertypes = new ArrayList<>();
    /** All that others can see, one after the other. */
    final Set<String> parts = new TreeSet<>();

    private final DataInputStream in;
    private final Object[] pool;

    PatchwrightAbi(byte[] bytes) throws IOException {
        in = new DataInputStream(new ByteArrayInputStream(bytes));
        if (in.readInt() != 0xCAFEBABE) {
            throw new IOException("not a class file");
        }
        in.readInt();
        pool = new Object[in.readUnsignedShort()];
        readPool();
        int flags = in.readUnsignedShort();
        name = named();
        isInterface = (flags & INTERFACE) != 0;
        supertypes.add(named());
        for (int count = in.readUnsignedShort(); count > 0; count--) {
            supertypes.add(named());
        }
        parts.add("class " + (flags & OF_CLASS) + " below " + supertypes);
        members("field", OF_FIELD);
        members("method", OF_METHOD);
        attributes("class", true);
    }

    /** The names of all classes that are mentioned anywhere, and of some that only look so. */
    Set<String> mentioned() {
        Set<String> names = new HashSet<>();
        for (Object constant : pool) {
            if (constant instanceof int[] && pool[((int[]) constant)[0]] instanceof String) {
                names.add((String) pool[((int[]) constant)[0]]);
            } else if (constant instanceof String && ((String) constant).indexOf(';') >= 0) {
                Matcher type = TYPE.matcher((String) constant);
                while (type.find()) {
                    names.add(type.group(1));
                }
            }
        }
        return names;
    }

    private void readPool() throws IOException {
        for (int index = 1; index < pool.length; index++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1:
                    pool[index] = in.readUTF();
                    break;
                case 3:
                    pool[index] = in.readInt();
                    break;
                case 4:
                    // As bits: a zero has a sign.
                    pool[index] = "float " + in.readInt();
                    break;
                case 5:
                    pool[index++] = in.readLong();
                    break;
                case 6:
                    pool[index++] = "double " + in.readLong();
                    break;
                case 7:
                case 8:
                case 16:
                case 19:
                case 20:
                    pool[index] = new int[] {in.readUnsignedShort()};
                    break;
                case 15:
                    in.readUnsignedByte();
                    in.readUnsignedShort();
                    break;
                default:
                    if (tag < 9 || tag > 18) {
                        throw new IOException("unknown constant " + tag);
                    }
                    in.readInt();
            }
        }
    }

    /** The constant that the next index refers to: classes and strings are their texts. */
    private Object constant() throws IOException {
        Object value = pool[in.readUnsignedShort()];
        return value instanceof int[] ? pool[((int[]) value)[0]] : value;
    }

    private String named() throws IOException {
        return String.valueOf(constant());
    }

    private void members(String kind, int mask) throws IOException {
        for (int count = in.readUnsignedShort(); count > 0; count--) {
            int flags = in.readUnsignedShort();
            String name = named();
            String member = kind + " " + name + " " + named();
            boolean seen = (flags & PRIVATE) == 0 && (flags & (SYNTHETIC | BRIDGE)) != SYNTHETIC;
            if (seen) {
                parts.add(member + " " + (flags & mask));
            } else if (kind.equals("field") && (flags & SYNTHETIC) == 0) {
                parts.add("private field " + name);
            }
            attributes(member, seen);
        }
    }

    private void attributes(String owner, boolean seen) throws IOException {
        for (int count = in.readUnsignedShort(); count > 0; count--) {
            String attribute = named();
            int length = in.readInt();
            String value = seen ? value(attribute, length) : skip(length);
            if (value != null) {
                parts.add(owner + " " + attribute + " " + value);
            }
        }
    }

    /** What an attribute says to others; null for nothing. */
    private String value(String attribute, int length) throws IOException {
        switch (attribute) {
            case "ConstantValue":
                Object constant = constant();
                return constant.getClass().getSimpleName() + " " + constant;
            case "Signature":
                return named();
            case "Deprecated":
                return "";
            case "Exceptions":
            case "PermittedSubclasses":
                return names();
            case "AnnotationDefault":
                return element();
            case "RuntimeVisibleAnnotations":
            case "RuntimeInvisibleAnnotations":
                return annotations();
            case "RuntimeVisibleParameterAnnotations":
            case "RuntimeInvisibleParameterAnnotations":
                StringBuilder all = new StringBuilder();
                for (int count = in.readUnsignedByte(); count > 0; count--) {
                    all.append(annotations()).append(';');
                }
                return all.toString();
            case "Record":
                for (int count = in.readUnsignedShort(), index = 0; index < count; index++) {
                    String component = "component " + index + " " + named() + " " + named();
                    parts.add(component);
                    attributes(component, true);
                }
                return "";
            case "InnerClasses":
                for (int count = in.readUnsignedShort(); count > 0; count--) {
                    inner(named(), named(), named(), in.readUnsignedShort());
                }
                return null;
            case "EnclosingMethod":
                hidden = true;
                return skip(length);
            case "SourceFile":
                source = named();
                return null;
            default:
                return skip(length);
        }
    }

    /** Of the classes that a class file mentions only itself and its members say something of it. */
    private void inner(String inner, String outer, String simple, int flags) {
        if (inner.equals(name) || outer.equals(name)) {
            parts.add("member " + inner + " of " + outer + " " + simple + " " + (flags & OF_CLASS));
        }
    }

    private String names() throws IOException {
        StringBuilder names = new StringBuilder();
        for (int count = in.readUnsignedShort(); count > 0; count--) {
            names.append(named()).append(' ');
        }
        return names.toString();
    }

    private String annotations() throws IOException {
        StringBuilder all = new StringBuilder();
        for (int count = in.readUnsignedShort(); count > 0; count--) {
            all.append(annotation()).append(',');
        }
        return all.toString();
    }

    private String annotation() throws IOException {
        StringBuilder all = new StringBuilder("@").append(named()).append('(');
        for (int count = in.readUnsignedShort(); count > 0; count--) {
            all.append(named()).append('=').append(element()).append(',');
        }
        return all.append(')').toString();
    }

    private String element() throws IOException {
        char tag = (char) in.readUnsignedByte();
        switch (tag) {
            case 'e':
                return named() + "." + named();
            case '@':
                return annotation();
            case '[':
                StringBuilder all = new StringBuilder("[");
                for (int count = in.readUnsignedShort(); count > 0; count--) {
                    all.append(element()).append(',');
                }
                return all.append(']').toString();
            default:
                return tag + named();
        }
    }

    private String skip(int length) throws IOException {
        if (in.skipBytes(length) != length) {
            throw new IOException("the class file ends too early");
        }
        return null;
    }
}
