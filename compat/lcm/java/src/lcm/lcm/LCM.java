package lcm.lcm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;

/** Publishes and subscribes. Any thread may call its methods; subscribers may, too. */
public class LCM {
  /** A subscription. */
  private static final class SubscriptionRecord {
    final String regex;
    final Pattern pattern;
    final LCMSubscriber subscriber;

    SubscriptionRecord(String regex, LCMSubscriber subscriber) {
      this.regex = regex;
      this.pattern = Pattern.compile(regex);
      this.subscriber = subscriber;
    }

    boolean is(String regex, LCMSubscriber subscriber) {
      return (regex == null || regex.equals(this.regex))
          && (subscriber == null || subscriber == this.subscriber);
    }
  }

  private static final String DEFAULT = "udpm://239.255.76.67:7667";

  private static LCM singleton;

  private final List<SubscriptionRecord> subscriptions = new CopyOnWriteArrayList<>();
  private final List<Provider> providers = new ArrayList<>();
  private final LCMDataOutputStream encoded = new LCMDataOutputStream(new byte[1024]);
  private volatile boolean closed;

  /**
   * The URL that is used if none is given.
   *
   * @return LCM_DEFAULT_URL, or LCM's default network
   */
  public static String getDefaultURL() {
    String url = System.getenv("LCM_DEFAULT_URL");
    return url == null || url.isEmpty() ? DEFAULT : url;
  }

  /**
   * Connects to networks: messages are published to all of them, and received from all of them.
   *
   * @param urls LCM's or Saltus' URLs; without one, or for one that is null or empty, {@link
   *     #getDefaultURL}
   * @throws IOException if one cannot be reached, or its provider is unknown
   * @throws IllegalArgumentException if one is not a URL
   */
  public LCM(String... urls) throws IOException {
    try {
      for (String url : urls.length == 0 ? new String[] {""} : urls) {
        providers.add(provider(url == null || url.isEmpty() ? getDefaultURL() : url));
      }
    } catch (IOException | RuntimeException e) {
      providers.forEach(Provider::close);
      throw e;
    }
  }

  private Provider provider(String url) throws IOException {
    URLParser parser = new URLParser(url);
    switch (parser.get("protocol")) {
      case "memq":
        return new MemqProvider(this);
      case "file":
        return new LogFileProvider(this, parser);
      default:
        return new DomainProvider(this, url, parser);
    }
  }

  /**
   * An object with the default URL, the same in each call.
   *
   * @return the object; null if it cannot connect, which is printed
   */
  public static synchronized LCM getSingleton() {
    if (singleton == null) {
      try {
        singleton = new LCM();
      } catch (IOException | RuntimeException e) {
        System.err.println("LCM singleton fail: " + e.getMessage());
      }
    }
    return singleton;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("this LCM is closed");
    }
  }

  /**
   * How many subscriptions there are.
   *
   * @return their number
   */
  public int getNumSubscriptions() {
    checkOpen();
    return subscriptions.size();
  }

  /**
   * Publishes a text: its UTF-8, and a zero byte.
   *
   * @param channel the channel
   * @param s the text
   * @throws IOException if it cannot be sent
   */
  public void publish(String channel, String s) throws IOException {
    byte[] bytes = (s + "\0").getBytes(StandardCharsets.UTF_8);
    publish(channel, bytes, 0, bytes.length);
  }

  /**
   * Publishes a message of a generated class. What fails is printed.
   *
   * @param channel the channel
   * @param e the message
   */
  public synchronized void publish(String channel, LCMEncodable e) {
    checkOpen();
    try {
      encoded.reset();
      e.encode(encoded);
      publish(channel, encoded.getBuffer(), 0, encoded.size());
    } catch (IOException ex) {
      System.err.println("LCM publish fail: " + ex.getMessage());
    }
  }

  /**
   * Publishes a part of an array.
   *
   * @param channel the channel
   * @param data the array
   * @param offset where the part begins
   * @param length how many bytes it has
   * @throws IOException if it cannot be sent
   * @throws IndexOutOfBoundsException if the array has no such part
   */
  public synchronized void publish(String channel, byte[] data, int offset, int length)
      throws IOException {
    checkOpen();
    if ((offset | length) < 0 || length > data.length - offset) {
      String words = length + " bytes from byte " + offset + " on, of " + data.length;
      throw new ArrayIndexOutOfBoundsException(words);
    }
    try {
      for (Provider provider : providers) {
        provider.publish(channel, data, offset, length);
      }
    } catch (org.saltus.SaltusException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Calls a subscriber for each message on the channels that match, in the thread that receives.
   *
   * @param regex a regular expression, which matches whole names
   * @param sub the subscriber
   * @throws RuntimeException if the network cannot be joined; the subscription is then not made
   */
  public void subscribe(String regex, LCMSubscriber sub) {
    checkOpen();
    SubscriptionRecord added = new SubscriptionRecord(regex, sub);
    synchronized (this) {
      checkOpen();
      // First, so that nothing is received without it.
      subscriptions.add(added);
      try {
        for (Provider provider : providers) {
          provider.subscribe(regex);
        }
      } catch (RuntimeException e) {
        subscriptions.remove(added);
        throw e;
      }
    }
  }

  /**
   * Ends subscriptions. A message that is just being received may still arrive.
   *
   * @param regex their pattern; null: any
   * @param sub their subscriber; null: any
   */
  public void unsubscribe(String regex, LCMSubscriber sub) {
    synchronized (this) {
      checkOpen();
      for (SubscriptionRecord one : subscriptions) {
        if (one.is(regex, sub) && subscriptions.remove(one)) {
          providers.forEach(provider -> provider.unsubscribe(one.regex));
        }
      }
    }
  }

  /**
   * Passes a message to the subscribers, as providers do.
   *
   * @param channel its channel
   * @param data an array with the message
   * @param offset where the message begins
   * @param length how many bytes it has
   */
  public void receiveMessage(String channel, byte[] data, int offset, int length) {
    checkOpen();
    for (SubscriptionRecord one : subscriptions) {
      if (one.pattern.matcher(channel).matches()) {
        LCMDataInputStream ins = new LCMDataInputStream(data, offset, length);
        one.subscriber.messageReceived(this, channel, ins);
      }
    }
  }

  /** Whether a message on this channel has a subscriber. */
  boolean isWanted(String channel) {
    return subscriptions.stream().anyMatch(one -> one.pattern.matcher(channel).matches());
  }

  /** {@link #receiveMessage} in a thread of ours, which the exception of a subscriber does not end. */
  void received(String channel, byte[] data) {
    try {
      receiveMessage(channel, data, 0, data.length);
    } catch (Throwable e) { // an assertion or a full stack, too, ends no other subscriber's messages
      if (!closed) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      }
    }
  }

  /**
   * Subscribes to all channels.
   *
   * @param sub the subscriber
   */
  public synchronized void subscribeAll(LCMSubscriber sub) {
    subscribe(".*", sub);
  }

  /** Disconnects. Further calls throw {@link IllegalStateException}. */
  public void close() {
    synchronized (this) {
      checkOpen();
      closed = true;
    }
    // Not with the lock: a subscriber that is just being called may want it.
    providers.forEach(Provider::close);
  }

  /**
   * Publishes a text every second, and prints what is received: shows whether a network works.
   *
   * @param args ignored
   * @throws IOException if it does not
   * @throws InterruptedException never
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    LCM lcm = new LCM();
    lcm.subscribeAll((from, channel, ins) -> System.out.println(channel + " " + ins.available()));
    while (true) {
      Thread.sleep(1000);
      lcm.publish("TEST", "foobar");
    }
  }
}
