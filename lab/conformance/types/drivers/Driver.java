import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;

/**
 * Driver for generated Java, LCM's or ours: {@code TYPE HEX} comes in; {@code JSON HEX}, or {@code error}, goes out.
 *
 * <p>Each line of the file that is its first argument is {@code TYPE CLASS}; the second is the charset that strings were
 * decoded with. Integers are answered in decimal, floats as the digits of their bits, strings as the digits of their bytes.
 */
final class Driver {
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();

    private final Map<String, String> names = new HashMap<>();
    private final Map<String, Class<?>> classes = new HashMap<>();
    private final Charset charset;

    private Driver(String table, String charset) throws IOException {
        this.charset = Charset.forName(charset);
        for (String line : Files.readAllLines(Paths.get(table))) {
            int blank = line.indexOf(' ');
            names.put(line.substring(0, blank), line.substring(blank + 1));
        }
    }

    public static void main(String[] args) throws Exception {
        Driver driver = new Driver(args[0], args[1]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream out = new PrintStream(System.out, true, "US-ASCII");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int blank = line.indexOf(' ');
            out.println(driver.answer(line.substring(0, blank), bytes(line.substring(blank + 1))));
        }
    }

    private String answer(String type, byte[] message) throws Exception {
        Object decoded;
        try {
            decoded = decoded(message(type), message);
        } catch (InvocationTargetException e) {
            // Refusing is an IOException; anything else is an accident, and is told as one.
            return e.getCause() instanceof IOException ? "error" : "crash: " + e.getCause();
        }
        StringBuilder json = new StringBuilder();
        dump(json, decoded);
        try {
            return json.append(' ').append(hex(encoded(decoded))).toString();
        } catch (InvocationTargetException e) {
            return json.append(" -").toString();
        }
    }

    private Class<?> message(String type) throws ClassNotFoundException {
        Class<?> known = classes.get(type);
        if (known == null) {
            known = Class.forName(names.get(type));
            classes.put(type, known);
        }
        return known;
    }

    /** By {@code decode(byte[])}, or, in LCM style, by a constructor. */
    private static Object decoded(Class<?> type, byte[] message) throws Exception {
        Method decode;
        try {
            decode = type.getMethod("decode", byte[].class);
        } catch (NoSuchMethodException e) {
            return type.getConstructor(byte[].class).newInstance((Object) message);
        }
        return decode.invoke(null, (Object) message);
    }

    /** By {@code encode()}, or, in LCM style, by {@code encode(DataOutput)}. */
    private static byte[] encoded(Object message) throws Exception {
        Method encode;
        try {
            encode = message.getClass().getMethod("encode");
        } catch (NoSuchMethodException e) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            encode = message.getClass().getMethod("encode", DataOutput.class);
            encode.invoke(message, new DataOutputStream(bytes));
            return bytes.toByteArray();
        }
        return (byte[]) encode.invoke(message);
    }

    private void dump(StringBuilder json, Object value) throws IllegalAccessException {
        if (value instanceof Float) {
            json.append('"').append(hex(Float.floatToRawIntBits((Float) value), 8)).append('"');
        } else if (value instanceof Double) {
            json.append('"').append(hex(Double.doubleToRawLongBits((Double) value), 16)).append('"');
        } else if (value instanceof Number || value instanceof Boolean) {
            json.append(value);
        } else if (value instanceof String) {
            json.append('"').append(hex(((String) value).getBytes(charset))).append('"');
        } else if (value == null) {
            json.append("null");
        } else if (value.getClass().isArray()) {
            dumpArray(json, value);
        } else {
            dumpStruct(json, value);
        }
    }

    private void dumpArray(StringBuilder json, Object array) throws IllegalAccessException {
        json.append('[');
        for (int i = 0; i < Array.getLength(array); i++) {
            if (i > 0) {
                json.append(',');
            }
            dump(json, Array.get(array, i));
        }
        json.append(']');
    }

    private void dumpStruct(StringBuilder json, Object struct) throws IllegalAccessException {
        json.append('{');
        String comma = "";
        for (Field field : struct.getClass().getFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                json.append(comma).append('"').append(field.getName()).append("\":");
                dump(json, field.get(struct));
                comma = ",";
            }
        }
        json.append('}');
    }

    private static String hex(long bits, int digits) {
        StringBuilder text = new StringBuilder(digits);
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            text.append(DIGITS[(int) (bits >> shift) & 15]);
        }
        return text.toString();
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder(2 * bytes.length);
        for (byte b : bytes) {
            text.append(DIGITS[b >> 4 & 15]).append(DIGITS[b & 15]);
        }
        return text.toString();
    }

    private static byte[] bytes(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }
}
