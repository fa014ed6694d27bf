import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.saltus.Domain;
import org.saltus.Message;
import org.saltus.Subscriber;

/** Acts on the newest message, as a controller does: java Newest.java [URL] [COUNT]. */
public final class Newest {
  public static void main(String[] args) {
    String url = args.length > 0 ? args[0] : ""; // empty: SALTUS_DOMAIN, or else shm://
    int count = args.length > 1 ? Integer.parseInt(args[1]) : 100;
    try (Domain domain = Domain.open(url);
        Subscriber subscriber = domain.subscriber("imu")) {
      for (int i = 0; i < count; i++) {
        Message message = subscriber.receive(Duration.ofSeconds(10));
        if (message == null) {
          throw new IllegalStateException("nobody publishes");
        }
        String text = new String(message.data(), StandardCharsets.UTF_8);
        System.out.println(text + ", " + message.ageNanos() / 1000 + " µs old");
      }
    }
  }
}
