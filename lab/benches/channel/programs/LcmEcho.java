import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import lcm.lcm.LCM;
import lcm.lcm.LCMDataInputStream;
import lcm.lcm.LCMSubscriber;

/**
 * A client of the echo test: sends all that comes on one channel back on another, until the last message. Arguments: the URL and the
 * channel there, the URL and the channel back. Says "ready" when it listens.
 */
public final class LcmEcho {
    /** Where in a message it stands whether it is the last: the fifth word of eight bytes. */
    private static final int LAST = 32;

    private LcmEcho() {}

    /** Runs it. */
    public static void main(String[] args) throws IOException, InterruptedException {
        LCM there = new LCM(args[0]);
        LCM back = new LCM(args[2]);
        CountDownLatch end = new CountDownLatch(1);
        there.subscribe(args[1], new LCMSubscriber() {
            @Override
            public void messageReceived(LCM lcm, String channel, LCMDataInputStream in) {
                try {
                    byte[] message = new byte[in.available()];
                    in.readFully(message);
                    if (message[LAST] != 0) {
                        end.countDown();
                    } else {
                        back.publish(args[3], message, 0, message.length);
                    }
                } catch (IOException error) {
                    System.err.println("LcmEcho: " + error);
                    System.exit(1);
                }
            }
        });
        System.out.println("ready");
        end.await();
        System.exit(0); // LCM's threads do not end by themselves
    }
}
