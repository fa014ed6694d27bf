package lcm.lcm;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.saltus.Domain;
import org.saltus.Message;
import org.saltus.Options;
import org.saltus.Publisher;
import org.saltus.SaltusException;
import org.saltus.Start;
import org.saltus.Subscriber;

/** A domain of Saltus: LCM's networks, shared memory, and others. */
final class DomainProvider implements Provider {
  /** Unread messages of a channel that are kept. */
  private static final int DEPTH = 512;

  /** Publishers that are kept open. */
  private static final int PUBLISHERS = 256;

  /** Options of LCM's own URLs. LCM ignores others, where a domain refuses them. */
  private static final Map<String, List<String>> OPTIONS = new HashMap<>();

  static {
    String[] udpm = {
      "ttl", "recv_buf_size", "transmit_only", "iface", "send_buf_size", "pace", "datagram", "memory",
      "self_test"
    };
    OPTIONS.put("udpm", Arrays.asList(udpm));
    OPTIONS.put("tcpq", Arrays.asList("memory"));
  }

  private final LCM lcm;
  private final Domain domain;
  private final LinkedHashMap<String, Publisher> publishers = new LinkedHashMap<>(16, 0.75f, true);
  private Subscriber subscriber;
  private Reader reader;

  DomainProvider(LCM lcm, String url, URLParser parser) throws java.io.IOException {
    this.lcm = lcm;
    try {
      domain = Domain.open(forgiven(url, parser));
    } catch (SaltusException e) {
      throw new java.io.IOException(e.getMessage(), e);
    }
  }

  /** The URL without options that LCM ignores. */
  private static String forgiven(String url, URLParser parser) {
    List<String> known = OPTIONS.get(parser.get("protocol"));
    if (known == null) {
      return url;
    }
    String network = parser.get("network", "");
    StringBuilder text = new StringBuilder(parser.get("protocol") + "://" + network);
    char mark = '?';
    for (Map.Entry<String, String> part : parser.parts().entrySet()) {
      String key = part.getKey();
      if (known.contains(key)) {
        text.append(mark).append(key).append('=').append(part.getValue());
        mark = '&';
      } else if (!key.equals("protocol") && !key.equals("network")) {
        System.err.println("LCM: " + url + " has no option `" + key + "`: it is ignored");
      }
    }
    return text.toString();
  }

  @Override
  public synchronized void publish(String channel, byte[] data, int offset, int length) {
    Publisher publisher = publishers.get(channel);
    if (publisher == null) {
      publisher = domain.publisher(channel);
      publishers.put(channel, publisher);
      if (publishers.size() > PUBLISHERS) {
        String eldest = publishers.keySet().iterator().next();
        publishers.remove(eldest).close();
      }
    }
    publisher.publish(data, offset, length);
  }

  /** Passes messages on until the subscriber is closed. */
  private void pass(Subscriber all) {
    for (Message message : all) {
      String name = message.channel();
      if (lcm.isWanted(name)) {
        lcm.received(name, message.data());
      }
    }
  }

  /** All channels are received, so that messages keep the order in which they arrive. */
  @Override
  public synchronized void subscribe(String channel) {
    if (reader != null) {
      return;
    }
    Options options = Options.next(DEPTH).start(Start.NOW);
    Subscriber all = domain.subscriber(Pattern.compile("[\\s\\S]*"), options);
    try {
      all.poll(); // joins the network now, and the channels that exist
    } catch (SaltusException e) {
      all.close();
      throw e;
    }
    subscriber = all;
    reader =
        new Reader(domain.url()) {
          @Override
          void receive() throws InterruptedException {
            String said = "";
            while (!ends) {
              try {
                pass(all);
                return;
              } catch (SaltusException e) {
                // As C's library does: an error of the network is said once, and ends nothing.
                if (!ends && !said.equals(e.getMessage())) {
                  said = e.getMessage();
                  System.err.println("LCM: " + getName() + ": " + said);
                }
                sleep(10);
              }
            }
          }
        };
    reader.start();
  }

  @Override
  public void unsubscribe(String channel) {}

  @Override
  public void close() {
    Reader ended;
    synchronized (this) {
      ended = reader;
    }
    if (ended != null) {
      subscriber.cancel();
      ended.end();
      subscriber.close();
    }
    synchronized (this) {
      publishers.values().forEach(Publisher::close);
      domain.close();
    }
  }
}
