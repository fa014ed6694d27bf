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
 * For Octave and MATLAB, whose functions stand on this. On their way to Java a single number is an
 * object, nothing at all is null, and only arrays keep the type of their numbers on the way back.
 */
public final class Octave {
  private Octave() {}

  /** Bytes, of which one alone comes as a number and none as null. */
  private static byte[] bytes(Object data) {
    if (data == null) {
      return new byte[0];
    }
    return data instanceof Number ? new byte[] {((Number) data).byteValue()} : (byte[]) data;
  }

  /** Seconds; what is longer than 100 years is for ever. */
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
   * A publisher of bytes that says what its messages are.
   *
   * @param domain the domain
   * @param channel the channel's name
   * @param example a message of the type
   * @return the publisher, to be closed
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
   * A subscriber.
   *
   * @param domain the domain
   * @param channels a name, or a regular expression
   * @param pattern whether it is one
   * @param depth how many messages of a channel may wait; 0: the newest only
   * @param start "newest", "now" or "oldest"
   * @param example a message of the type that is expected; null for any
   * @return the subscriber, to be closed
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
   * @return the message; null when the time is up
   */
  public static Message receive(Receiver<?> subscriber, double seconds) {
    return subscriber.receive(time(seconds));
  }

  /**
   * The newest message, seen or not.
   *
   * @param subscriber the subscriber
   * @param seconds how long to wait for one
   * @return the message; null if there is none
   */
  public static Message current(Receiver<?> subscriber, double seconds) {
    return subscriber.current(time(seconds));
  }

  /**
   * What is known about a message: published, arrived, logged, sender, sequence, missed, dropped.
   *
   * @param message the message
   * @return the numbers, as {@link Info} has them
   */
  public static long[] numbers(Message message) {
    return Arrays.copyOfRange(message.numbers, 1, 8);
  }

  /**
   * What a message of a type says.
   *
   * @param message the message
   * @return an object of the generated class; null where it has no type
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
   * Waits until one of some subscribers has something unseen.
   *
   * @param subscribers each a {@link Receiver}
   * @param seconds how long
   * @return which, from 1; 0 when the time is up
   */
  public static double waitAny(List<?> subscribers, double seconds) {
    Receiver<?>[] all = subscribers.toArray(new Receiver<?>[0]);
    return 1 + subscribers.indexOf(Domain.waitAny(time(seconds), all));
  }

  /**
   * Names of the channels of a domain.
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
    return new long[] {Saltus.now()};
  }

  /**
   * Opens a log.
   *
   * @param path the file
   * @return the log, to be closed
   */
  public static LogReader open(String path) {
    return LogReader.open(Paths.get(path));
  }

  /**
   * Begins a log.
   *
   * @param path the file, which is not there yet
   * @param format "mcap" or "lcm"; empty: as the name says
   * @return the log, to be closed
   */
  public static LogWriter create(String path, String format) {
    if (format == null || format.isEmpty()) {
      return LogWriter.create(Paths.get(path));
    }
    return LogWriter.create(Paths.get(path), LogFormat.valueOf(format.toUpperCase(Locale.ROOT)));
  }

  /**
   * When an event was logged and published, and its number.
   *
   * @param event the event
   * @return the numbers, as {@link Event} has them
   */
  public static long[] numbers(Event event) {
    return new long[] {event.logTime(), event.publishTime(), event.sequence()};
  }

  /**
   * How many events a log has, and the times of the first and the last.
   *
   * @param log the log
   * @return the numbers, as {@link LogReader} has them
   */
  public static long[] numbers(LogReader log) {
    return new long[] {log.size(), log.firstTime(), log.lastTime(), log.position()};
  }

  /**
   * Names of the channels of a log.
   *
   * @param log the log
   * @return the names
   */
  public static List<String> channels(LogReader log) {
    return new ArrayList<>(log.channels().keySet());
  }

  /**
   * How many messages each of these channels has.
   *
   * @param log the log
   * @return in the same order
   */
  public static long[] counts(LogReader log) {
    Map<String, Long> channels = log.channels();
    return channels.values().stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * Goes to an event.
   *
   * @param log the log
   * @param position its number, from 0
   */
  public static void seek(LogReader log, Object position) {
    log.seek(((Number) position).longValue());
  }

  /**
   * Goes to the first event at or after a time.
   *
   * @param log the log
   * @param time ns since 1970
   * @return its position
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
   * @param example a message of its type; null if that is not known
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
