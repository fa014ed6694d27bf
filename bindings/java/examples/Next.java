import java.nio.charset.StandardCharsets;
import org.saltus.Domain;
import org.saltus.Message;
import org.saltus.Options;
import org.saltus.Start;
import org.saltus.Subscriber;

/** Receives every message, as a logger does: java Next.java [URL] [COUNT]. */
public final class Next {
  public static void main(String[] args) {
    String url = args.length > 0 ? args[0] : ""; // empty: SALTUS_DOMAIN, or else shm://
    int count = args.length > 1 ? Integer.parseInt(args[1]) : 100;
    try (Domain domain = Domain.open(url);
        Subscriber subscriber =
            domain.subscriber("imu", Options.next(1000).start(Start.OLDEST))) {
      for (Message message : subscriber) {
        String text = new String(message.data(), StandardCharsets.UTF_8);
        System.out.println(message.sequence() + " " + text + " missed: " + message.missed());
        if (--count == 0) {
          break;
        }
      }
    }
  }
}
