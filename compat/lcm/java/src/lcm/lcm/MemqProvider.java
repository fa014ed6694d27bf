package lcm.lcm;

import java.util.Arrays;
import java.util.concurrent.LinkedBlockingQueue;

/** {@code memq://}: a queue inside one {@link LCM}. */
final class MemqProvider implements Provider {
  private static final class Message {
    final String channel;
    final byte[] data;

    Message(String channel, byte[] data) {
      this.channel = channel;
      this.data = data;
    }
  }

  private final LinkedBlockingQueue<Message> queue = new LinkedBlockingQueue<>();
  private final LCM lcm;
  private final Reader reader =
      new Reader("memq://") {
        @Override
        void receive() throws InterruptedException {
          while (!ends) {
            Message message = queue.take();
            lcm.received(message.channel, message.data);
          }
        }
      };

  MemqProvider(LCM lcm) {
    this.lcm = lcm;
    reader.start();
  }

  @Override
  public void publish(String channel, byte[] data, int offset, int length) {
    if (lcm.isWanted(channel)) {
      queue.add(new Message(channel, Arrays.copyOfRange(data, offset, offset + length)));
    }
  }

  @Override
  public void subscribe(String channel) {}

  @Override
  public void unsubscribe(String channel) {}

  @Override
  public void close() {
    reader.end();
  }
}
