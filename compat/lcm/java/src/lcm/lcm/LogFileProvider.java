package lcm.lcm;

import java.io.EOFException;
import java.io.IOException;
import lcm.logging.Log;

/**
 * {@code file://PATH}: a log is played, from {@code delay} seconds (0.5) after the first
 * subscription, at {@code speed} (1; 0: without pauses), beginning at the fraction {@code skip} of
 * the file.
 */
final class LogFileProvider implements Provider {
  private final LCM lcm;
  private final Log log;
  private final double speed;
  private final double delay;
  private final Reader reader;

  LogFileProvider(LCM lcm, URLParser parser) throws IOException {
    this.lcm = lcm;
    this.speed = parser.get("speed", 1.0);
    this.delay = parser.get("delay", 0.5);
    double skip = parser.get("skip", 0.0);
    this.log = new Log(parser.get("network", ""), "r");
    try {
      log.seekPositionFraction(skip);
    } catch (IOException | RuntimeException e) {
      log.close();
      throw e;
    }
    reader =
        new Reader("file://" + log.getPath()) {
          @Override
          void receive() throws IOException, InterruptedException {
            play(this);
          }
        };
  }

  private void play(Reader thread) throws IOException, InterruptedException {
    Thread.sleep((long) (delay * 1000));
    long start = System.nanoTime();
    long first = Long.MIN_VALUE;
    while (!thread.ends) {
      Log.Event event;
      try {
        event = log.readNext();
      } catch (EOFException end) {
        return;
      }
      first = first == Long.MIN_VALUE ? event.utime : first;
      if (speed > 0) {
        double due = (event.utime - first) * 1000 / speed;
        long left = (long) due - (System.nanoTime() - start);
        if (left > 0) {
          Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
        }
      }
      lcm.received(event.channel, event.data);
    }
  }

  @Override
  public void publish(String channel, byte[] data, int offset, int length) {
    System.err.println("LCM: a log that is played cannot be published to");
  }

  @Override
  public synchronized void subscribe(String channel) {
    if (reader.getState() == Thread.State.NEW) {
      reader.start();
    }
  }

  @Override
  public void unsubscribe(String channel) {}

  @Override
  public void close() {
    reader.end();
    try {
      log.close();
    } catch (IOException e) {
      System.err.println("LCM: cannot close " + log.getPath() + ": " + e.getMessage());
    }
  }
}
