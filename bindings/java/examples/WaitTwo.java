import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.saltus.Domain;
import org.saltus.Publisher;
import org.saltus.Receiver;
import org.saltus.Subscriber;

/** Waits on two channels with one thread: java WaitTwo.java. */
public final class WaitTwo {
  public static void main(String[] args) {
    try (Domain domain = Domain.open("mem://");
        Subscriber scan = domain.subscriber("scan");
        Subscriber pose = domain.subscriber("pose");
        Publisher scans = domain.publisher("scan");
        Publisher poses = domain.publisher("pose")) {
      Duration limit = Duration.ofSeconds(10);

      poses.publish("here".getBytes(StandardCharsets.UTF_8));
      Receiver<?> ready = Domain.waitAny(limit, scan, pose);
      System.out.println(ready == pose ? "the pose" : ready == scan ? "the scan" : "nothing");

      scans.publish("a wall".getBytes(StandardCharsets.UTF_8));
      ready = Domain.waitAny(limit, scan);
      System.out.println(ready == pose ? "the pose" : ready == scan ? "the scan" : "nothing");
    }
  }
}
