package org.saltus;

import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The methods that the functions for Octave and MATLAB call. Octave passes a single number to Java
 * as an object and an empty array as null. From Java, only arrays keep the type of their numbers.
 */
public final class Octave {
  private Octave() {}

  /** Converts bytes: Octave passes one byte as a number, and no bytes as null. */
  private static byte[] bytes(Object data) {
    if (data == null) {
      return new byte[0];
    }
    return data instanceof Number ? new byte[] {((Number) data).byteValue()} : (byte[]) data;
  }

  /** Converts seconds. More than 100 years means no timeout. */
  private static Duration time(double seconds) {
    double most = 100 * 365 * 86400.0;
    if (!(seconds >= 0)) {
      throw new IllegalArgumentException("a timeout of " + seconds + " s: it is 0 or more");
    }
    return Duration.ofNanos((long) (Math.min(seconds, most) * 1e9));
  }

  /**
   * The number of an error.
   *
   * @param name its name, such as NotFound
   * @return the number; 0 if there is no such error
   */
  public static double code(String name) {
    try {
      Class<?> error = Class.forName(SaltusException.class.getName() + "$" + name);
      Object made = error.getDeclaredConstructor(String.class).newInstance("");
      return ((SaltusException) made).code();
    } catch (ReflectiveOperationException e) {
      return 0;
    }
  }

  /**
   * Opens a publisher of bytes that registers the type of its messages.
   *
   * @param domain the domain
   * @param channel the channel's name
   * @param example a message of the type
   * @return the publisher; close it after use
   */
  public static Publisher publisher(Domain domain, String channel, Object example) {
    return domain.publisher(channel, example.getClass()).publisher();
  }

  /**
   * Publishes bytes.
   *
   * @param publisher the publisher
   * @param data the bytes
   */
  public static void publish(Publisher publisher, Object data) {
    publisher.publish(bytes(data));
  }

  /**
   * Opens a subscriber.
   *
   * @param domain the domain
   * @param channels a name, or a regular expression
   * @param pattern whether {@code channels} is a regular expression
   * @param depth how many messages of a channel may wait; 0: the newest only
   * @param start "newest", "now" or "oldest"
   * @param example a message of the expected type; null for any type
   * @return the subscriber; close it after use
   */
  public static Receiver<?> subscriber(
      Domain domain, String channels, boolean pattern, double depth, String start, Object example) {
    Options options = depth == 0 ? Options.newest() : Options.next((long) depth);
    options = options.start(Start.valueOf(start.toUpperCase(Locale.ROOT)));
    if (example == null) {
      return pattern
          ? domain.subscriber(Pattern.compile(channels), options)
          : domain.subscriber(channels, options);
    }
    Class<?> type = example.getClass();
    return pattern
        ? domain.subscriber(Pattern.compile(channels), type, options)
        : domain.subscriber(channels, type, options);
  }

  /**
   * Receives a message.
   *
   * @param subscriber the subscriber
   * @param seconds how long to wait
   * @return the message; null on timeout
   */
  public static Message receive(Receiver<?> subscriber, double seconds) {
    return subscriber.receive(time(seconds));
  }

  /**
   * Returns the newest message, whether or not it was received before.
   *
   * @param subscriber the subscriber
   * @param seconds how long to wait if there is no message yet
   * @return the message; null on timeout
   */
  public static Message current(Receiver<?> subscriber, double seconds) {
    return subscriber.current(time(seconds));
  }

  /**
   * A message's metadata: published, arrived, logged, sender, sequence, missed, dropped.
   *
   * @param message the message
   * @return the numbers, as in {@link Info}
   */
  public static long[] numbers(Message message) {
    return Arrays.copyOfRange(message.numbers, 1, 8);
  }

  /**
   * The decoded value of a typed message.
   *
   * @param message the message
   * @return an object of the generated class; null if the message has no type
   */
  public static Object value(Message message) {
    return message instanceof TypedMessage ? ((TypedMessage<?>) message).value() : null;
  }

  /**
   * The generated class of a value.
   *
   * @param value an object of it
   * @return its name
   */
  public static String type(Object value) {
    return value.getClass().getName();
  }

  /**
   * Waits until one of several subscribers has a new message.
   *
   * @param subscribers each a {@link Receiver}
   * @param seconds how long to wait
   * @return the subscriber's index, from 1; 0 on timeout
   */
  public static double waitAny(List<?> subscribers, double seconds) {
    Receiver<?>[] all = subscribers.toArray(new Receiver<?>[0]);
    return 1 + subscribers.indexOf(Domain.waitAny(time(seconds), all));
  }

  /**
   * The names of a domain's channels.
   *
   * @param domain the domain
   * @return the names
   */
  public static List<String> channels(Domain domain) {
    return domain.channels();
  }

  /**
   * The clock of timestamps.
   *
   * @return ns
   */
  public static long[] now() {
    return new long[] {Saltus.nowNanos()};
  }

  /**
   * Opens a log.
   *
   * @param path the file
   * @return the log; close it after use
   */
  public static LogReader open(String path) {
    return LogReader.open(Paths.get(path));
  }

  /**
   * Creates a log.
   *
   * @param path the file, which must not exist
   * @param format "mcap" or "lcm"; empty: by the file's extension
   * @return the log; close it after use
   */
  public static LogWriter create(String path, String format) {
    if (format == null || format.isEmpty()) {
      return LogWriter.create(Paths.get(path));
    }
    return LogWriter.create(Paths.get(path), LogFormat.valueOf(format.toUpperCase(Locale.ROOT)));
  }

  /**
   * The times at which an event was logged and published, and its sequence number.
   *
   * @param event the event
   * @return the numbers, as in {@link Event}
   */
  public static long[] numbers(Event event) {
    return new long[] {event.logTimeNanos(), event.publishTimeNanos(), event.sequence()};
  }

  /**
   * The number of events in a log, and the times of the first and the last.
   *
   * @param log the log
   * @return the numbers, as in {@link LogReader}
   */
  public static long[] numbers(LogReader log) {
    return new long[] {log.size(), log.firstTimeNanos(), log.lastTimeNanos(), log.position()};
  }

  /**
   * The names of a log's channels.
   *
   * @param log the log
   * @return the names
   */
  public static List<String> channels(LogReader log) {
    return new ArrayList<>(log.channels().keySet());
  }

  /**
   * The number of messages of each of these channels.
   *
   * @param log the log
   * @return the numbers, in the same order
   */
  public static long[] counts(LogReader log) {
    Map<String, Long> channels = log.channels();
    return channels.values().stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * Moves to an event.
   *
   * @param log the log
   * @param position its position, from 0
   */
  public static void seek(LogReader log, Object position) {
    log.seek(((Number) position).longValue());
  }

  /**
   * Moves to the first event at or after a time.
   *
   * @param log the log
   * @param time ns since 1970
   * @return the event's position
   */
  public static long[] seekTime(LogReader log, Object time) {
    return new long[] {log.seekTime(((Number) time).longValue())};
  }

  /**
   * Appends an event.
   *
   * @param log the log
   * @param channel its channel
   * @param data its bytes
   * @param logTime ns since 1970
   * @param example a message of its type; null if the type is unknown
   */
  public static void write(
      LogWriter log, String channel, Object data, Object logTime, Object example) {
    long time = ((Number) logTime).longValue();
    if (example == null) {
      log.write(channel, bytes(data), time);
    } else {
      Object message = new Codec<>(example.getClass()).decode(bytes(data), () -> channel);
      log.write(channel, message, time);
    }
  }
}
