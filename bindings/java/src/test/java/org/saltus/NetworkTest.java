package org.saltus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Two programs over LCM's network: in a network of their own, which nothing leaves. */
public class NetworkTest {
  private static final int[] LENGTHS = {0, 1, 1000, 100_000, 5};
  private static final String NETWORK =
      "ip link set lo up multicast on && ip route add 224.0.0.0/4 dev lo && exec \"$@\"";

  /** Subscribes, and starts itself once more to publish. */
  public static final class Program {
    public static void main(String[] args) throws Exception {
      Domain domain = Domain.open("udpm://239.255.76.67:7667?ttl=0");
      if (args.length > 0) {
        Publisher publisher = domain.publisher("x");
        for (int length : LENGTHS) {
          publisher.publish(new byte[length]);
        }
        publisher.close();
        domain.close();
        return;
      }
      Subscriber subscriber = domain.subscriber("x", Options.next(100));
      subscriber.poll();
      String said = Support.run(Support.java(Program.class, "publish"));
      List<Integer> lengths = new ArrayList<>();
      for (int i = 0; i < LENGTHS.length; i++) {
        Message message = Support.received(subscriber);
        lengths.add(message.length());
        boolean known = message.sender() != Info.UNKNOWN && message.missedOfSender();
        if (!known || !message.channel().equals("x") || message.missed() > 0) {
          throw new AssertionError(message + ", " + message.missed() + " missed");
        }
      }
      // A message of many packets may be overtaken by shorter ones.
      Collections.sort(lengths);
      System.out.println(said + lengths + " on " + domain.channels());
      subscriber.close();
      domain.close();
    }
  }

  @Test
  void messagesGoFromOneProgramToAnother() throws Exception {
    List<String> line = new ArrayList<>(Arrays.asList("unshare"));
    if (!Support.run(Arrays.asList("id", "-u")).equals("0")) {
      line.addAll(Arrays.asList("--user", "--map-root-user"));
    }
    line.addAll(Arrays.asList("--net", "sh", "-c", NETWORK, "sh"));
    line.addAll(Support.java(Program.class));
    String lengths = Arrays.stream(LENGTHS).sorted().boxed().collect(Collectors.toList()) + "";
    assertEquals(lengths + " on [x]", Support.run(line));
  }
}
