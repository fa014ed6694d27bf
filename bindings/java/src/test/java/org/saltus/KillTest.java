package org.saltus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process of Java may be killed at any instant: the other side goes on. */
public class KillTest {
  private Support support;

  @BeforeEach
  void open() throws IOException {
    support = new Support();
  }

  @AfterEach
  void close() throws IOException {
    support.close();
  }

  private static byte[] checked(int i) {
    byte[] body = new byte[i * 37 % 3000];
    Arrays.fill(body, (byte) i);
    return ByteBuffer.allocate(8 + body.length).putLong(sum(body, 0)).put(body).array();
  }

  private static long sum(byte[] bytes, int from) {
    CRC32 sum = new CRC32();
    sum.update(bytes, from, bytes.length - from);
    return sum.getValue();
  }

  private static boolean isWhole(Message message) {
    return message.buffer().getLong() == sum(message.data(), 8);
  }

  /** Publishes without end. */
  public static final class Publishing {
    public static void main(String[] args) {
      Publisher publisher = Domain.open(args[0]).publisher("x");
      for (int i = 0; ; i++) {
        publisher.publish(checked(i));
        if (i == 0) {
          System.out.println("ready");
        }
      }
    }
  }

  /** Receives without end. */
  public static final class Receiving {
    public static void main(String[] args) {
      Subscriber subscriber = Domain.open(args[0]).subscriber("x");
      System.out.println("ready");
      for (Message message : subscriber) {
        message.data();
      }
    }
  }

  /** Writes a log without end. */
  public static final class Writing {
    public static void main(String[] args) {
      LogWriter writer = LogWriter.create(Paths.get(args[0]));
      for (int i = 0; i < 1000; i++) {
        writer.write("x", Support.bytes("" + i), i);
      }
      writer.flush();
      System.out.println("ready");
      while (true) {
        writer.write("x", Support.bytes("more"), 2000);
      }
    }
  }

  @Test
  void publishersAreKilledAndEveryMessageThatComesIsWhole() throws Exception {
    Random chance = new Random(7);
    Map<Long, Long> last = new HashMap<>();
    try (Domain domain = Domain.open(support.url + "?max_message_size=4096");
        Subscriber subscriber = domain.subscriber("x")) {
      for (int i = 0; i < 4; i++) {
        Process process = support.start(Publishing.class, domain.url());
        long end = System.nanoTime() + chance.nextInt(50_000_000);
        while (System.nanoTime() < end) {
          Message message = Support.received(subscriber);
          assertTrue(isWhole(message));
          assertTrue(message.sequence() > last.getOrDefault(message.sender(), 0L));
          last.put(message.sender(), message.sequence());
        }
        Support.kill(process);
        for (Message m = subscriber.poll(); m != null; m = subscriber.poll()) {
          assertTrue(isWhole(m));
        }
      }
      try (Publisher publisher = domain.publisher("x")) {
        publisher.publish(checked(1));
        assertTrue(isWhole(Support.received(subscriber)));
      }
    }
    assertTrue(last.size() >= 2, "several of them were heard");
  }

  @Test
  void subscribersAreKilledAndThePublisherGoesOn() throws Exception {
    Random chance = new Random(8);
    try (Domain domain = Domain.open(support.url);
        Publisher publisher = domain.publisher("x");
        Subscriber subscriber = domain.subscriber("x")) {
      for (int i = 0; i < 4; i++) {
        Process process = support.start(Receiving.class, support.url);
        long end = System.nanoTime() + chance.nextInt(50_000_000);
        while (System.nanoTime() < end) {
          publisher.publish(new byte[1000]);
        }
        Support.kill(process);
      }
      publisher.publish(Support.bytes("still here"));
      assertEquals("still here", Support.text(Support.received(subscriber).data()));
    }
  }

  @Test
  void aKilledWriterLeavesALogThatCanBeRead() throws Exception {
    Path path = support.directory.resolve("robot.mcap");
    Support.kill(support.start(Writing.class, path.toString()));
    try (LogReader log = LogReader.open(path)) {
      assertTrue(log.size() >= 1000);
      assertEquals("999", Support.text(log.get(999).data()));
    }
  }
}
