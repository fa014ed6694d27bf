import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.saltus.Domain;
import org.saltus.Options;
import org.saltus.Publisher;
import org.saltus.Subscriber;
import org.saltus.View;

/** The contender in Java: does what the standard input says, and says how long each time took, in ns. */
public final class Calls {
  /** So many calls are timed together: less than a step of the clock is not seen. */
  private static final int BATCH = 64;

  /** So many short messages are received between a long one's publishing, which pushes the program out of the caches, and its receiving. */
  private static final int WARM = 20;

  private static final int[] SIZES = {64, 65536, 1048576};

  /** What a loop has of its own, and uses again. */
  private final ByteBuffer message = ByteBuffer.allocateDirect(64);

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
  private final Publisher publisher;
  private final Subscriber next;
  private final Subscriber newest;
  private final Map<String, Publisher> publishers = new HashMap<>();
  private final Map<String, Subscriber> subscribers = new HashMap<>();

  private Calls(String url) {
    Domain domain = Domain.open(url + "?depth=256");
    publisher = domain.publisher("domain");
    publish();
    next = domain.subscriber("domain", Options.next(1000));
    newest = domain.subscriber("domain", Options.newest());
    Domain few = Domain.open(url + "?depth=4");
    open(few, "warm", 64);
    for (int size : SIZES) {
      open(few, Integer.toString(size), size);
    }
  }

  private void open(Domain few, String name, int size) {
    publishers.put(name, few.publisher(name));
    publishers.get(name).publish(new byte[size]);
    subscribers.put(name, few.subscriber(name, Options.newest()));
  }

  private void publish() {
    message.clear();
    publisher.publish(message);
  }

  private int poll(Subscriber subscriber) {
    buffer.clear();
    return subscriber.receive(buffer, Duration.ZERO);
  }

  private static double timed(Runnable call) {
    long start = System.nanoTime();
    for (int i = 0; i < BATCH; i++) {
      call.run();
    }
    return (System.nanoTime() - start) / (double) BATCH;
  }

  private double once(String what) {
    switch (what) {
      case "domain publish":
        return timed(this::publish);
      case "domain next":
        while (poll(next) >= 0) {}
        timed(this::publish); // not measured here
        return timed(() -> poll(next));
      case "domain publish+newest":
        return timed(
            () -> {
              publish();
              poll(newest);
            });
      case "domain poll":
        return timed(() -> poll(newest));
      default:
        String[] words = what.split(" ");
        publish(words[1], Integer.parseInt(words[1]));
        for (int i = 0; i < WARM; i++) {
          publish("warm", 64);
          receive(words[0], "warm");
        }
        return receive(words[0], words[1]);
    }
  }

  private void publish(String name, int size) {
    buffer.clear().limit(size);
    publishers.get(name).publish(buffer);
  }

  private double receive(String how, String name) {
    Subscriber subscriber = subscribers.get(name);
    return how.equals("view") ? view(subscriber) : receive(subscriber);
  }

  /** A message in the buffer, and its last byte. */
  private double receive(Subscriber subscriber) {
    long start = System.nanoTime();
    int length = poll(subscriber);
    byte last = buffer.get(length - 1);
    return System.nanoTime() - start + last; // which is 0
  }

  /** A message where it lies, and its last byte. */
  private static double view(Subscriber subscriber) {
    long start = System.nanoTime();
    View view = subscriber.view(Duration.ZERO);
    byte last = view.data().get(view.data().limit() - 1);
    view.validate();
    return System.nanoTime() - start + last;
  }

  public static void main(String[] args) throws IOException {
    Path path = Paths.get("/dev/shm/saltus-bench-bindings-" + ProcessHandle.current().pid());
    try {
      Calls calls = new Calls("shm://" + path);
      System.out.println("ready");
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", 2);
        StringBuilder times = new StringBuilder();
        for (int i = Integer.parseInt(words[0]); i > 0; i--) {
          times.append(String.format(Locale.ROOT, "%.1f ", calls.once(words[1])));
        }
        System.out.println(times);
      }
    } finally {
      try (Stream<Path> all = Files.walk(path)) {
        all.sorted(Comparator.reverseOrder()).forEach(one -> one.toFile().delete());
      }
    }
  }
}
