package org.saltus;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;

/** What is opened and closed 10,000 times leaves nothing. */
class LeakTest {
  private static final int TIMES = 10_000;
  /** What the virtual machine may take meanwhile, in KiB: far less than 10,000 of anything here. */
  private static final long ROOM = 100 << 10;

  private static int descriptors() {
    return new File("/proc/self/fd").list().length;
  }

  private static long resident() throws IOException {
    for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IOException("no VmRSS");
  }

  private static void all(String url, int times) {
    byte[] message = new byte[100];
    for (int i = 0; i < times; i++) {
      try (Domain domain = Domain.open(url);
          Publisher publisher = domain.publisher("x");
          Subscriber subscriber = domain.subscriber("x")) {
        publisher.publish(message);
        subscriber.receive();
      }
    }
  }

  private static void bounded(String url, int times) throws IOException {
    all(url, times / 10);
    int before = descriptors();
    long memory = resident();
    all(url, times);
    int left = descriptors() - before;
    long grown = resident() - memory;
    assertTrue(left <= 2, left + " descriptors were left open");
    assertTrue(grown < ROOM, grown + " KiB were left");
  }

  @Test
  void inSharedMemory() throws IOException {
    try (Support support = new Support()) {
      bounded(support.url, TIMES / 3); // of each of three kinds of handles
    }
  }

  @Test
  void inMemory() throws IOException {
    bounded("mem://", TIMES);
  }

  @Test
  void whatIsRefused() throws IOException {
    try (Support support = new Support();
        Domain domain = Domain.open(support.url)) {
      int before = descriptors();
      for (int i = 0; i < TIMES; i++) {
        try {
          domain.publisher("").close();
        } catch (SaltusException.Invalid e) {
          continue;
        }
        throw new AssertionError("a name of no bytes");
      }
      assertTrue(descriptors() <= before + 2);
    }
  }
}
