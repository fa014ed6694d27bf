import java.nio.charset.StandardCharsets;
import org.saltus.Domain;
import org.saltus.Publisher;

/** Publishes 100 messages per second: java Publish.java [URL] [COUNT]. */
public final class Publish {
  public static void main(String[] args) throws InterruptedException {
    String url = args.length > 0 ? args[0] : ""; // empty: SALTUS_DOMAIN, or else shm://
    int count = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
    try (Domain domain = Domain.open(url);
        Publisher publisher = domain.publisher("imu")) {
      for (int i = 0; i < count; i++) {
        String text = String.format("tilt %.2f", i / 100.0);
        publisher.publish(text.getBytes(StandardCharsets.UTF_8));
        Thread.sleep(10);
      }
    }
  }
}
