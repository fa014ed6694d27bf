package org.saltus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Channels that are reached by one URL: {@code shm://}, {@code mem://}, {@code
 * udpm://239.255.76.67:7667?ttl=1}, {@code file:///tmp/robot.log}, …. Any number of threads may use
 * it.
 *
 * <p>Names of channels have 1 to 63 bytes. Opening may block in the file system, or while a network
 * is joined.
 */
public final class Domain implements AutoCloseable {
  private static final int BY_NAME = 0;
  private static final int BY_PATTERN = 1;

  private final long handle;
  private final String url;
  private volatile boolean closed;

  private Domain(long handle) {
    this.handle = handle;
    this.url = Text.of(Native.checked(Native.domainUrl(handle)));
  }

  /**
   * Opens the domain of a URL.
   *
   * @param url the URL; if it is empty, that of the environment
   * @return the domain, to be closed
   * @throws SaltusException.Invalid if the URL makes no sense
   * @throws SaltusException.NoProvider if its provider is unknown, or not in this build
   * @throws SaltusException if the system refuses
   */
  public static Domain open(String url) {
    return new Domain(Native.checked(Native.domainOpen(Text.bytes(url))));
  }

  /**
   * Opens the domain that the environment variable SALTUS_DOMAIN names, or else {@code shm://}.
   *
   * @return the domain, to be closed
   * @throws SaltusException as {@link #open(String)}
   */
  public static Domain open() {
    return open("");
  }

  /**
   * The URL that it was opened with.
   *
   * @return the URL
   */
  public String url() {
    return url;
  }

  /**
   * A publisher of bytes.
   *
   * @param channel its name
   * @return the publisher, to be closed
   * @throws SaltusException.Invalid if the name is none
   * @throws SaltusException if the system, the network or permissions refuse
   * @throws IllegalStateException if the domain is closed
   */
  public Publisher publisher(String channel) {
    return publisher(channel, null, 0, null);
  }

  /**
   * A publisher of messages of one type.
   *
   * @param <T> the type
   * @param channel its name
   * @param type a class made by {@code saltus gen --lang java}
   * @return the publisher, to be closed
   * @throws IllegalArgumentException if the class is no such class
   * @throws SaltusException as {@link #publisher(String)}
   */
  public <T> TypedPublisher<T> publisher(String channel, Class<T> type) {
    Codec<T> codec = new Codec<>(type);
    Publisher publisher = publisher(channel, codec.name, codec.fingerprint, codec.schema);
    return new TypedPublisher<>(publisher, codec);
  }

  private Publisher publisher(String channel, byte[] type, long fingerprint, byte[] schema) {
    byte[] name = Text.bytes(channel);
    long publisher = Native.publisherOpen(handle, name, type, fingerprint, schema);
    return new Publisher(Native.checked(publisher), channel);
  }

  /**
   * A subscriber of the newest messages of a channel, which need not be there yet.
   *
   * @param channel its name
   * @return the subscriber, to be closed
   * @throws SaltusException as {@link #publisher(String)}
   */
  public Subscriber subscriber(String channel) {
    return subscriber(channel, Options.newest());
  }

  /**
   * A subscriber of a channel.
   *
   * @param channel its name
   * @param options which messages, and where to start
   * @return the subscriber, to be closed
   * @throws SaltusException as {@link #publisher(String)}
   */
  public Subscriber subscriber(String channel, Options options) {
    return new Subscriber(subscribe(channel, BY_NAME, options, null), what(channel, options));
  }

  /**
   * A subscriber of all channels whose whole name a regular expression matches.
   *
   * @param channels the expression, without flags, in the syntax of Rust's crate regex; {@code
   *     Pattern.compile(".*")} for all
   * @param options which messages, and where to start
   * @return the subscriber, to be closed
   * @throws SaltusException as {@link #publisher(String)}
   */
  public Subscriber subscriber(Pattern channels, Options options) {
    long subscriber = subscribe(expression(channels), BY_PATTERN, options, null);
    return new Subscriber(subscriber, what(channels, options));
  }

  /**
   * A subscriber of messages of one type: the newest of a channel.
   *
   * @param <T> the type
   * @param channel its name
   * @param type a class made by {@code saltus gen --lang java}
   * @return the subscriber, to be closed
   * @throws SaltusException as {@link #publisher(String)}
   */
  public <T> TypedSubscriber<T> subscriber(String channel, Class<T> type) {
    return subscriber(channel, type, Options.newest());
  }

  /**
   * A subscriber of messages of one type.
   *
   * @param <T> the type
   * @param channel its name
   * @param type a class made by {@code saltus gen --lang java}
   * @param options which messages, and where to start
   * @return the subscriber, to be closed
   * @throws SaltusException as {@link #publisher(String)}
   */
  public <T> TypedSubscriber<T> subscriber(String channel, Class<T> type, Options options) {
    Codec<T> codec = new Codec<>(type);
    long subscriber = subscribe(channel, BY_NAME, options, codec);
    return new TypedSubscriber<>(subscriber, what(channel, options), codec);
  }

  /**
   * The same of all channels whose whole name a regular expression matches.
   *
   * @param <T> the type
   * @param channels the expression, as for {@link #subscriber(Pattern, Options)}
   * @param type a class made by {@code saltus gen --lang java}
   * @param options which messages, and where to start
   * @return the subscriber, to be closed
   * @throws SaltusException as {@link #publisher(String)}
   */
  public <T> TypedSubscriber<T> subscriber(Pattern channels, Class<T> type, Options options) {
    Codec<T> codec = new Codec<>(type);
    long subscriber = subscribe(expression(channels), BY_PATTERN, options, codec);
    return new TypedSubscriber<>(subscriber, what(channels, options), codec);
  }

  /** What a subscriber is, in words. */
  private static String what(Object channels, Options options) {
    String pattern = channels instanceof Pattern ? "channels that match " : "";
    return "subscriber of " + pattern + channels + " (" + options + ")";
  }

  private static String expression(Pattern channels) {
    if (channels.flags() != 0) {
      String words = "flags are not known here: write them into the expression, as (?i)";
      throw new IllegalArgumentException(words);
    }
    return channels.pattern();
  }

  private long subscribe(String channels, int by, Options options, Codec<?> codec) {
    return Native.checked(
        Native.subscriberOpen(
            handle,
            Text.bytes(channels),
            by,
            options.depth,
            options.start.ordinal(),
            codec == null ? null : codec.name,
            codec == null ? 0 : codec.fingerprint,
            codec == null ? null : codec.schema));
  }

  /**
   * Names of the channels that there are: all in shared memory; on a network those that somebody
   * here wants and that something came on.
   *
   * @return a new list
   * @throws SaltusException if the system refuses
   */
  public List<String> channels() {
    return new ArrayList<>(Text.list(Native.checked(Native.domainChannels(handle))).keySet());
  }

  /**
   * Waits until one of these subscribers, of whatever domains, has something unseen. Then {@code
   * poll()} it, which finds nothing only if the message was overwritten meanwhile. Over {@code
   * shm://} a subscriber's first such wait starts a thread of the library's for each channel.
   *
   * @param timeout how long
   * @param subscribers at least one, each once
   * @return the first that has something; null when the time is up
   * @throws SaltusException.Canceled if one of them was canceled
   * @throws IllegalArgumentException if there is none
   * @throws IllegalStateException if one is closed, or in use by another thread
   */
  public static Receiver<?> waitAny(Duration timeout, Receiver<?>... subscribers) {
    return waitAny(Time.nanos(timeout), Arrays.asList(subscribers));
  }

  static Receiver<?> waitAny(long timeout, List<? extends Receiver<?>> subscribers) {
    if (subscribers.isEmpty()) {
      throw new IllegalArgumentException("no subscriber to wait for");
    }
    long[] handles = subscribers.stream().mapToLong(subscriber -> subscriber.handle).toArray();
    long start = System.nanoTime();
    do {
      int ready = Native.checked(Native.waitAny(handles, Time.slice(timeout, start)));
      if (ready >= 0) {
        return subscribers.get(ready);
      }
    } while (!Time.isOver(timeout, start));
    return null;
  }

  /** Closes it. Its publishers and subscribers stay open. Closing twice is nothing. */
  @Override
  public void close() {
    closed = true;
    Native.domainClose(handle);
  }

  /**
   * Whether it is closed.
   *
   * @return whether {@link #close()} was called
   */
  public boolean isClosed() {
    return closed;
  }

  /** What it is, for logs and debuggers. */
  @Override
  public String toString() {
    return "domain " + url + (closed ? ", closed" : "");
  }
}
