import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import lcm.lcm.LCM;

/** LCM for Java as the other side; it does the same as peer.py, as it reads. */
public class Peer {
    static final int PERIOD = 99991;
    static final Map<String, BlockingQueue<byte[]>> kept = new ConcurrentHashMap<>();
    static byte[] last;

    /** The message that Rust's tests make too. */
    static byte[] made(int size, int seed) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            int at = i % PERIOD;
            int word = (at / 4) * (int) 2654435761L + seed;
            bytes[i] = (byte) (word >>> (8 * (at % 4)));
        }
        return bytes;
    }

    static String obey(LCM lcm, String[] words) throws Exception {
        String channel = words[1];
        switch (words[0]) {
            case "subscribe":
                BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
                kept.put(channel, queue);
                lcm.subscribe(channel, (from, name, in) -> {
                    try {
                        byte[] data = new byte[in.available()];
                        in.readFully(data);
                        queue.add(data);
                    } catch (java.io.IOException e) {
                        throw new RuntimeException(e);
                    }
                });
                return "ok";
            case "publish":
                byte[] data = made(Integer.parseInt(words[2]), Integer.parseInt(words[3]));
                lcm.publish(channel, data, 0, data.length);
                return "ok";
            case "expect":
                byte[] wanted = made(Integer.parseInt(words[2]), Integer.parseInt(words[3]));
                byte[] came = kept.get(channel).poll(60, TimeUnit.SECONDS);
                while (came != null && !Arrays.equals(came, wanted) && Arrays.equals(came, last)) {
                    came = kept.get(channel).poll(60, TimeUnit.SECONDS);
                }
                if (came == null) return "nothing came";
                last = wanted;
                return Arrays.equals(came, wanted) ? "ok" : "another message of " + came.length + " bytes came";
            default:
                return "unknown command";
        }
    }

    /** Reads commands until there are no more. */
    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err); // where LCM may say what it likes
        LCM lcm = new LCM(args[0]);
        answers.println("ok");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            answers.println(obey(lcm, line.trim().split(" ")));
        }
        System.exit(0);
    }
}
