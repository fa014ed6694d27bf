import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import lcm.lcm.LCM;

/** LCM's udpm:// on this machine. Its messages come in a thread of its own. */
final class LcmEnd implements Hop.End {
  private final LCM lcm;
  private final String there;
  private final Semaphore come = new Semaphore(0);
  private final byte[] out = new byte[64];
  private final byte[] in = new byte[64];

  LcmEnd(String port, String there, String back) throws IOException {
    lcm = new LCM("udpm://239.255.76.67:" + port + "?ttl=0");
    this.there = there;
    lcm.subscribe(
        back,
        (from, channel, stream) -> {
          try {
            stream.readFully(in);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
          come.release();
        });
  }

  @Override
  public void send(ByteBuffer message) throws IOException {
    message.get(out);
    lcm.publish(there, out, 0, out.length);
  }

  @Override
  public void receive(ByteBuffer message) throws InterruptedException {
    come.acquire();
    message.put(in);
  }
}
