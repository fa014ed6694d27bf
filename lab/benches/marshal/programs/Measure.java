import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;

/**
 * Generated Java, LCM's or ours: the loop, the clock, the protocol (see measure.h).
 *
 * <p>{@code Measure DIRECTORY}; what differs between the contenders is in their {@code Cases}.
 */
final class Measure {
    /** What is measured of one message. */
    interface Case {
        /** Encodes into storage that is used again; gives how many bytes. */
        int encode() throws Exception;

        /** Decodes into a new object. */
        Object decode() throws Exception;

        /** What was encoded last. */
        byte[] encoded() throws Exception;
    }

    /** Makes a case of the bytes of a message. */
    interface Maker {
        Case make(byte[] message) throws Exception;
    }

    /** Written to, so that no work is for nothing. */
    static volatile Object sink;

    private Measure() {}

    public static void main(String[] args) throws Exception {
        Path directory = Paths.get(args[0]);
        Map<String, Case> cases = new HashMap<>();
        Map<String, byte[]> messages = new HashMap<>();
        for (Map.Entry<String, Maker> maker : Cases.all().entrySet()) {
            byte[] message = Files.readAllBytes(directory.resolve(maker.getKey()));
            messages.put(maker.getKey(), message);
            cases.put(maker.getKey(), maker.getValue().make(message));
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            Case what = cases.get(words[1]);
            if (words[0].equals("verify")) {
                what.encode();
                System.out.println(hex(what.encoded()));
            } else {
                long time = time(words[0], what, messages.get(words[1]), Integer.parseInt(words[2]));
                System.out.println(time < 0 ? "-" : Long.toString(time));
            }
        }
    }

    private static long time(String operation, Case what, byte[] message, int count) throws Exception {
        switch (operation) {
            case "encode":
                return encode(what, count);
            case "decode":
                return decode(what, count);
            case "copy":
                return copy(message, count);
            default:
                return -1;
        }
    }

    private static long encode(Case what, int count) throws Exception {
        int size = 0;
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            size += what.encode();
        }
        long time = System.nanoTime() - start;
        sink = size;
        return time;
    }

    private static long decode(Case what, int count) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            sink = what.decode();
        }
        return System.nanoTime() - start;
    }

    private static long copy(byte[] message, int count) {
        byte[] to = new byte[message.length];
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            System.arraycopy(message, 0, to, 0, to.length);
            sink = to;
        }
        return System.nanoTime() - start;
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder(2 * bytes.length);
        for (byte b : bytes) {
            text.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return text.toString();
    }
}
