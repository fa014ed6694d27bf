import java.time.Duration;
import org.saltus.Domain;
import org.saltus.TypedMessage;
import org.saltus.TypedPublisher;
import org.saltus.TypedSubscriber;
import robot.pose_t;

/** Typed messages: java Typed.java. It needs the classes of types/pose.lcm. */
public final class Typed {
  public static void main(String[] args) {
    try (Domain domain = Domain.open("mem://");
        TypedSubscriber<pose_t> subscriber = domain.subscriber("POSE", pose_t.class);
        TypedPublisher<pose_t> publisher = domain.publisher("POSE", pose_t.class)) {
      pose_t pose = new pose_t();
      pose.utime = 1;
      pose.position = new double[] {1, 2, 0.5};
      pose.names = new String[] {"base"};
      pose.setSizes();
      publisher.publish(pose);

      TypedMessage<pose_t> message = subscriber.receive(Duration.ofSeconds(10));
      System.out.println(message.value().utime + " " + message.value().position[2]);
    }
  }
}
