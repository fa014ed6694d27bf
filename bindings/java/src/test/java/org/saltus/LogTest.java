package org.saltus;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTest {
  private static final long BEGIN = 1_700_000_000_000_000_000L;

  @TempDir Path directory;

  private Path written(String name) {
    Path path = directory.resolve(name);
    try (LogWriter writer = LogWriter.create(path)) {
      for (int i = 0; i < 100; i++) {
        writer.write(i % 4 == 0 ? "POSE" : "ü", new byte[] {(byte) i}, BEGIN + i * 1000L);
      }
      assertEquals(100, writer.events());
      writer.flush();
    }
    return path;
  }

  @Test
  void bothFormatsGiveBackWhatWasWritten() {
    for (LogFormat format : LogFormat.values()) {
      Path path = written(format == LogFormat.LCM ? "robot.lcmlog" : "robot.mcap");
      try (LogReader log = LogReader.open(path)) {
        assertEquals(format, log.format());
        assertEquals(100, log.size());
        assertEquals(BEGIN, log.firstTimeNanos());
        assertEquals(BEGIN + 99_000, log.lastTimeNanos());
        assertEquals("none", log.damage());
        assertEquals(25L, log.channels().get("POSE"));
        assertEquals(75L, log.channels().get("ü"));
        int i = 0;
        for (Event event : log) {
          assertEquals(i % 4 == 0 ? "POSE" : "ü", event.channel());
          assertArrayEquals(new byte[] {(byte) i}, event.data());
          assertEquals(BEGIN + i * 1000L, event.logTimeNanos());
          i++;
        }
        assertEquals(100, i);
        assertNull(log.next());
        assertEquals(99, log.previous().data()[0]);
        assertEquals(50, log.seekTime(BEGIN + 49_500));
        assertEquals(50, log.position());
        assertEquals(7, log.get(7).data()[0]);
        assertEquals(50, log.next().data()[0]);
        assertNull(log.get(100));
        log.seek(0);
        assertNull(log.previous());
        assertThrows(IndexOutOfBoundsException.class, () -> log.get(-1));
      }
    }
  }

  @Test
  void pathsMayBeStrings() {
    String path = directory.resolve("robot.mcap").toString();
    String other = directory.resolve("robot.lcmlog").toString();
    try (LogWriter writer = LogWriter.create(path)) {
      assertEquals("log " + path + " being written", writer.toString());
      writer.write("x", new byte[1], BEGIN);
    }
    LogWriter.create(other, LogFormat.LCM).close();
    LogReader log = LogReader.open(path);
    assertEquals(1, log.size());
    assertEquals("log " + path, log.toString());
    log.close();
    assertEquals("log " + path + ", closed", log.toString());
    assertThrows(SaltusException.Exists.class, () -> LogWriter.create(other));
  }

  @Test
  void timesAndNumbersOfThePublisher() {
    Path path = directory.resolve("robot.mcap");
    try (LogWriter writer = LogWriter.create(path)) {
      writer.write("x", new byte[1], BEGIN, BEGIN - 5, 7);
    }
    try (LogReader log = LogReader.open(path)) {
      Event event = log.next();
      assertEquals(BEGIN - 5, event.publishTimeNanos());
      assertEquals(7, event.sequence());
    }
  }

  @Test
  void aDamagedLogIsReadAroundTheDamage() throws IOException {
    Path path = written("robot.lcmlog");
    byte[] bytes = Files.readAllBytes(path);
    Arrays.fill(bytes, 500, 520, (byte) 0);
    Files.write(path, bytes);
    try (LogReader log = LogReader.open(path)) {
      assertEquals(true, log.size() > 90 && log.size() < 100);
      assertEquals(false, log.damage().equals("none"));
    }
  }

  @Test
  void aMessageThatTheFormatCannotHoldIsTold() {
    try (LogWriter writer = LogWriter.create(directory.resolve("robot.lcmlog"))) {
      assertThrows(
          SaltusException.Unwritable.class, () -> writer.write("", new byte[1], BEGIN));
      writer.write("x", new byte[1], BEGIN);
      assertEquals(1, writer.events());
    }
  }

  /** How often one thread did something with a log until another one was told that it is one too many. */
  private static int untilTold(Runnable work, Runnable other) throws Exception {
    AtomicBoolean told = new AtomicBoolean();
    Callable<Integer> working =
        () -> {
          int times = 0;
          while (!told.get()) {
            try {
              work.run();
              times++;
            } catch (IllegalStateException e) {
              // this time it was this one too many
            }
          }
          return times;
        };
    ExecutorService threads = Executors.newFixedThreadPool(1);
    try {
      Future<Integer> times = threads.submit(working);
      long end = System.nanoTime() + Support.PATIENCE.toNanos();
      try {
        IllegalStateException e =
            assertThrows(
                IllegalStateException.class,
                () -> {
                  while (System.nanoTime() < end) {
                    other.run();
                  }
                });
        assertTrue(e.getMessage().contains("another thread"), e.getMessage());
      } finally {
        told.set(true);
      }
      return times.get(); // throws what the thread threw
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void aSecondThreadOnALogIsToldThatItIsOneTooMany() throws Exception {
    Path path = directory.resolve("robot.mcap");
    byte[] message = new byte[1 << 20];
    int written;
    try (LogWriter writer = LogWriter.create(path)) {
      written = untilTold(() -> writer.write("x", message, BEGIN), writer::events);
      assertEquals(written, writer.events());
      message[0] = 1;
      writer.write("y", message, BEGIN + 1);
      writer.write("y", message, BEGIN + 2);
    }
    try (LogReader log = LogReader.open(path)) {
      assertEquals(written + 2, log.size());
      Runnable read =
          () -> {
            Event event = log.next();
            if (event == null) {
              log.seek(0);
            } else {
              assertEquals(event.data()[0] == 0 ? "x" : "y", event.channel());
              assertEquals(message.length, event.data().length);
            }
          };
      untilTold(read, log::position);
      read.run();
    }
  }

  @Test
  void threadsMayCloseALogAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 100; round++) {
        LogWriter writer = LogWriter.create(directory.resolve(round + ".mcap"));
        CyclicBarrier start = new CyclicBarrier(4);
        Callable<Integer> close =
            () -> {
              int turn = start.await();
              writer.close();
              return turn;
            };
        for (Future<Integer> closed : threads.invokeAll(Collections.nCopies(4, close), 60, SECONDS)) {
          closed.get(); // throws what its thread threw, or that it did not end in time
        }
        assertTrue(writer.isClosed());
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
