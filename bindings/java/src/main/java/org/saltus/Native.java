package org.saltus;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The native library. It is in the jar. This class unpacks it to a private temporary file and
 * deletes the file after loading it.
 *
 * <p>A method that fails returns {@link #FAILED}, {@link #FAILED_LONG} or null; {@link #failure()}
 * returns the reason. Null without a failure means that there is no result.
 */
final class Native {
  static final int FAILED = Integer.MIN_VALUE;
  static final long FAILED_LONG = Long.MIN_VALUE;

  private static final int CLOSED = -12;
  private static final int BUSY = -13;

  private Native() {}

  static {
    load();
  }

  /** Loads the file in the system property `org.saltus.library`, or else the library in the jar. */
  private static void load() {
    String given = System.getProperty("org.saltus.library");
    if (given != null) {
      System.load(given);
      return;
    }
    String machine = System.getProperty("os.name") + "-" + System.getProperty("os.arch");
    String name = "/native/" + machine + "/libsaltus_java.so";
    try (InputStream in = Native.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new UnsatisfiedLinkError("this jar of Saltus has no library for " + machine);
      }
      Path file = Files.createTempFile("libsaltus_java-", ".so"); // only this user can read it
      try {
        Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        System.load(file.toString());
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      String where = System.getProperty("java.io.tmpdir");
      throw new UnsatisfiedLinkError("Saltus' library cannot be unpacked to " + where + ": " + e);
    }
  }

  /** The exception for this thread's last failed call. */
  static RuntimeException failure() {
    int code = lastCode();
    String text = Text.of(lastText());
    if (code == CLOSED || code == BUSY) {
      return new IllegalStateException(text);
    }
    return SaltusException.of(code, text);
  }

  /** Throws if the method that returned {@code answer} failed. */
  static int checked(int answer) {
    if (answer == FAILED) {
      throw failure();
    }
    return answer;
  }

  static long checked(long answer) {
    if (answer == FAILED_LONG) {
      throw failure();
    }
    return answer;
  }

  static byte[] checked(byte[] answer) {
    if (answer == null) {
      throw failure();
    }
    return answer;
  }

  /** Throws if the method that returned null failed. */
  static void checkNothing() {
    if (lastCode() != 0) {
      throw failure();
    }
  }

  static native int lastCode();

  static native byte[] lastText();

  static native long now();

  static native byte[] version();

  static native long domainOpen(byte[] url);

  static native byte[] domainUrl(long domain);

  static native byte[] domainChannels(long domain);

  static native int domainClose(long domain);

  static native long publisherOpen(
      long domain, byte[] channel, byte[] type, long fingerprint, byte[] schema);

  static native int publishArray(long publisher, byte[] message, int at, int length);

  static native int publishDirect(long publisher, ByteBuffer message, int at, int length);

  static native long publishWithTimestamp(long publisher, byte[] message, long timestamp);

  static native int publisherSender(long publisher, long[] out);

  static native int publisherClose(long publisher);

  static native long subscriberOpen(
      long domain,
      byte[] channels,
      int by,
      long depth,
      int start,
      byte[] type,
      long fingerprint,
      byte[] schema);

  static native byte[] receive(
      long subscriber, int which, long timeout, long[] info, byte[] channel);

  static native int receiveInto(
      long subscriber,
      int which,
      long timeout,
      long[] info,
      byte[] channel,
      ByteBuffer into,
      int at,
      int room);

  static native int subscriberWait(long subscriber, long timeout);

  static native int waitAny(long[] subscribers, long timeout);

  static native byte[] subscriberChannels(long subscriber);

  static native long subscriberMismatched(long subscriber);

  static native int subscriberCancel(long subscriber, int off);

  static native int subscriberClose(long subscriber);

  static native Object view(long subscriber, long timeout, long[] number);

  static native int viewValidate(long subscriber, long view, long[] info, byte[] channel);

  static native int viewClose(long view);

  static native long logOpen(byte[] path);

  static native byte[] logRead(long log, int how, long position, long[] info);

  static native byte[] logChannel(long log);

  static native int logSeek(long log, long position);

  static native long logSeekTime(long log, long time);

  static native int logAbout(long log, long[] out);

  static native byte[] logDamage(long log);

  static native byte[] logChannels(long log);

  static native int logClose(long log);

  static native long writerCreate(byte[] path, int format);

  static native int writerDescribe(long writer, byte[] type, byte[] schema);

  static native int writerWrite(
      long writer,
      byte[] channel,
      byte[] message,
      long logTime,
      long publishTime,
      long sequence);

  static native int writerFlush(long writer);

  static native long writerEvents(long writer);

  static native int writerClose(long writer);
}
