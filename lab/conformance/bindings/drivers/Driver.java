import conformance.other_t;
import conformance.reading_t;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.saltus.Domain;
import org.saltus.Event;
import org.saltus.LogFormat;
import org.saltus.LogReader;
import org.saltus.LogWriter;
import org.saltus.Message;
import org.saltus.Options;
import org.saltus.Publisher;
import org.saltus.Receiver;
import org.saltus.SaltusException;
import org.saltus.Start;
import org.saltus.TypedMessage;
import org.saltus.TypedPublisher;

/** Speaks for Java: see README.md for the words. */
public final class Driver {
  private static final Map<String, Object> things = new HashMap<>();

  private static byte[] blob(String word) {
    if (word.equals("-")) {
      return null;
    }
    if (word.charAt(0) == 'x') {
      byte[] bytes = new byte[word.length() / 2];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) Integer.parseInt(word.substring(1 + 2 * i, 3 + 2 * i), 16);
      }
      return bytes;
    }
    String[] parts = word.substring(1).split(":");
    byte[] bytes = new byte[Integer.parseInt(parts[0])];
    for (int i = 0; i < bytes.length && parts.length > 1; i++) {
      bytes[i] = (byte) (i * 31 + (i >> 9) + Integer.parseInt(parts[1]));
    }
    return bytes;
  }

  private static String text(String word) {
    byte[] bytes = blob(word);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder("x");
    for (byte b : bytes) {
      text.append(String.format("%02x", b & 255));
    }
    return text.toString();
  }

  private static String told(String text) {
    return hex(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String shown(byte[] bytes) {
    if (bytes.length <= 64) {
      return hex(bytes);
    }
    CRC32 crc = new CRC32();
    crc.update(bytes, 0, bytes.length);
    return String.format("c%d:%08x", bytes.length, crc.getValue());
  }

  private static String known(long number) {
    return number == Message.UNKNOWN ? "-" : Long.toString(number);
  }

  private static Duration time(String word) {
    return word.equals("-") ? Duration.ofDays(1) : Duration.ofMillis(Long.parseLong(word));
  }

  @SuppressWarnings("unchecked")
  private static <T> T thing(String name) {
    return (T) things.get(name);
  }

  private static void subscriber(String[] w) {
    Domain domain = thing(w[2]);
    Options options = w[5].equals("0") ? Options.newest() : Options.next(Long.parseLong(w[5]));
    options = options.start(Start.valueOf(w[6].toUpperCase()));
    boolean byName = w[3].equals("name");
    String channel = w[3].equals("all") ? ".*" : text(w[4]);
    Object made;
    if (w[7].equals("reading")) {
      made =
          byName
              ? domain.subscriber(channel, reading_t.class, options)
              : domain.subscriber(Pattern.compile(channel), reading_t.class, options);
    } else {
      made =
          byName
              ? domain.subscriber(channel, options)
              : domain.subscriber(Pattern.compile(channel), options);
    }
    things.put(w[1], made);
  }

  private static void publisher(String[] w) {
    Domain domain = thing(w[2]);
    String channel = text(w[3]);
    Object made =
        w[4].equals("reading")
            ? domain.publisher(channel, reading_t.class)
            : w[4].equals("other")
                ? domain.publisher(channel, other_t.class)
                : domain.publisher(channel);
    things.put(w[1], made);
  }

  private static double value(String word) {
    return Double.longBitsToDouble(Long.parseUnsignedLong(word, 16));
  }

  private static reading_t reading(String[] w, int at) {
    reading_t r = new reading_t();
    r.utime = Long.parseLong(w[at]);
    r.value = value(w[at + 1]);
    r.place = text(w[at + 2]);
    r.count = Integer.parseInt(w[at + 3]);
    String[] samples = w[at + 4].equals("-") ? new String[0] : w[at + 4].split(",");
    r.samples = new short[samples.length];
    for (int i = 0; i < samples.length; i++) {
      r.samples[i] = Short.parseShort(samples[i]);
    }
    return r;
  }

  private static String message(Message m) {
    if (m == null) {
      return "nothing";
    }
    String about =
        String.format(
            "message %s %s %d %s",
            told(m.channel()), known(m.missed()), m.dropped(), known(m.sequence()));
    if (!(m instanceof TypedMessage)) {
      return about + " " + shown(m.data());
    }
    reading_t r = (reading_t) ((TypedMessage<?>) m).value();
    StringBuilder samples = new StringBuilder(r.samples.length == 0 ? "-" : "");
    for (int i = 0; i < r.samples.length; i++) {
      samples.append(i == 0 ? "" : ",").append(r.samples[i]);
    }
    return String.format(
        "%s %d %016x %s %d %s",
        about, r.utime, Double.doubleToRawLongBits(r.value), told(r.place), r.count, samples);
  }

  private static String waitFor(String[] w) {
    Receiver<?>[] all = new Receiver<?>[w.length - 2];
    for (int i = 0; i < all.length; i++) {
      all[i] = thing(w[i + 2]);
    }
    Receiver<?> found = Domain.waitAny(time(w[1]), all);
    for (int i = 0; i < all.length; i++) {
      if (all[i] == found) {
        return "ok " + i;
      }
    }
    return "nothing";
  }

  private static String stream(String[] w) throws InterruptedException {
    Publisher publisher = thing(w[1]);
    long first = Long.parseLong(w[3]);
    long gap = Long.parseLong(w[4]) * 1000;
    for (long n = first; n < first + Long.parseLong(w[2]); n++) {
      publisher.publish(ByteBuffer.allocate(8).putLong(n).array());
      if (gap > 0) {
        LockSupport.parkNanos(gap); // Thread.sleep() rounds up to a millisecond
      }
    }
    return "ok";
  }

  private static String count(String[] w) {
    Receiver<? extends Message> subscriber = thing(w[1]);
    long last = 0, received = 0, missed = 0, dropped = 0;
    while (last < Long.parseLong(w[2])) {
      Message m = subscriber.receive(time(w[3]));
      if (m == null) {
        break;
      }
      last = ByteBuffer.wrap(m.data()).getLong();
      received++;
      missed = missed < 0 || m.missed() < 0 ? -1 : missed + m.missed();
      dropped += m.dropped();
    }
    return String.format("ok %d %s %d %d", received, known(missed), dropped, last);
  }

  private static String event(Event e) {
    return e == null
        ? "nothing"
        : "event " + told(e.channel()) + " " + e.logTimeNanos() + " " + shown(e.data());
  }

  private static void cancelLater(Receiver<?> subscriber, long ms) {
    Thread thread =
        new Thread(
            () -> {
              try {
                Thread.sleep(ms);
              } catch (InterruptedException e) {
                return;
              }
              subscriber.cancel();
            });
    thread.setDaemon(true);
    thread.start();
  }

  private static String answer(String[] w) throws Exception {
    switch (w[0]) {
      case "domain":
        things.put(w[1], w[2].equals("-") ? Domain.open() : Domain.open(text(w[2])));
        return "ok";
      case "publisher":
        publisher(w);
        return "ok";
      case "subscriber":
        subscriber(w);
        return "ok";
      case "publish":
        Driver.<Publisher>thing(w[1]).publish(blob(w[2]));
        return "ok";
      case "publish_reading":
        Driver.<TypedPublisher<reading_t>>thing(w[1]).publish(reading(w, 2));
        return "ok";
      case "publish_other":
        other_t o = new other_t();
        o.utime = Long.parseLong(w[2]);
        o.value = value(w[3]);
        Driver.<TypedPublisher<other_t>>thing(w[1]).publish(o);
        return "ok";
      case "receive":
        Receiver<? extends Message> receiver = thing(w[1]);
        return message(w[2].equals("-") ? receiver.receive() : receiver.receive(time(w[2])));
      case "current":
        return message(Driver.<Receiver<? extends Message>>thing(w[1]).current(time(w[2])));
      case "wait":
        return waitFor(w);
      case "cancel":
        Driver.<Receiver<?>>thing(w[1]).cancel();
        return "ok";
      case "cancel_later":
        cancelLater(thing(w[1]), Long.parseLong(w[2]));
        return "ok";
      case "cancel_reset":
        Driver.<Receiver<?>>thing(w[1]).reset();
        return "ok";
      case "names":
        StringBuilder names = new StringBuilder("ok");
        Driver.<Domain>thing(w[1]).channels().forEach(one -> names.append(' ').append(told(one)));
        return names.toString();
      case "stream":
        return stream(w);
      case "count":
        return count(w);
      case "close":
        Driver.<AutoCloseable>thing(w[2]).close();
        return "ok";
      case "log_create":
        LogWriter made =
            w[3].equals("-")
                ? LogWriter.create(Paths.get(text(w[2])))
                : LogWriter.create(Paths.get(text(w[2])), LogFormat.valueOf(w[3].toUpperCase()));
        things.put(w[1], made);
        return "ok";
      case "log_write":
        Driver.<LogWriter>thing(w[1]).write(text(w[2]), blob(w[3]), Long.parseLong(w[4]));
        return "ok";
      case "log_write_reading":
        Driver.<LogWriter>thing(w[1]).write(text(w[2]), reading(w, 4), Long.parseLong(w[3]));
        return "ok";
      case "log_flush":
        Driver.<LogWriter>thing(w[1]).flush();
        return "ok";
      case "log_finish":
        Driver.<LogWriter>thing(w[1]).close();
        return "ok";
      case "log_open":
        things.put(w[1], LogReader.open(Paths.get(text(w[2]))));
        return "ok";
      case "log_size":
        return "ok " + Driver.<LogReader>thing(w[1]).size();
      case "log_next":
        return event(Driver.<LogReader>thing(w[1]).next());
      case "log_previous":
        return event(Driver.<LogReader>thing(w[1]).previous());
      case "log_seek":
        Driver.<LogReader>thing(w[1]).seek(Long.parseLong(w[2]));
        return "ok";
      case "log_seek_time":
        return "ok " + Driver.<LogReader>thing(w[1]).seekTime(Long.parseLong(w[2]));
      default:
        throw new UnsupportedOperationException("there is no verb " + w[0]);
    }
  }

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String said;
      try {
        said = answer(line.split(" "));
      } catch (SaltusException e) {
        said = "error " + e.code() + " " + e.getClass().getSimpleName() + " " + told(e.getMessage());
      } catch (IllegalStateException | IllegalArgumentException e) {
        // What Java has for a call that makes no sense; the number is that of `Invalid`.
        said = "error 12 " + e.getClass().getSimpleName() + " " + told(e.getMessage());
      }
      System.out.println(said);
      System.out.flush();
    }
  }
}
