package org.saltus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Messages where they lie: whole, or told not to be; their memory stays as long as it is seen. */
class ViewTest {
  private static final int LONG = 1 << 20;

  private static View view(Subscriber subscriber) {
    View view = subscriber.view(Support.PATIENCE);
    assertNotNull(view, "no message came");
    return view;
  }

  @Test
  void aMessageIsReadWhereItLiesAndReceivedOnce() throws IOException {
    try (Support support = new Support();
        Domain domain = Domain.open(support.url + "?depth=4");
        Publisher publisher = domain.publisher("x");
        Subscriber subscriber = domain.subscriber("x", Options.next(10))) {
      assertNull(subscriber.view(Duration.ZERO));
      assertNull(subscriber.view(Duration.ofMillis(1)));
      byte[] message = new byte[LONG];
      message[LONG - 1] = 7;
      publisher.publish(message);
      publisher.publish(new byte[0]);
      assertEquals(LONG, view(subscriber).data().remaining(), "not received yet");
      View view = view(subscriber);
      ByteBuffer data = view.data();
      assertTrue(data.isDirect() && data.isReadOnly());
      assertThrows(ReadOnlyBufferException.class, () -> data.put(0, (byte) 1));
      assertEquals(7, data.get(LONG - 1));
      Info info = view.validate();
      assertSame(info, view.validate());
      assertEquals(LONG, info.length());
      assertEquals("x", info.channel());
      assertEquals(1, info.sequence());
      assertEquals(0, info.missed() + info.dropped());
      View empty = view(subscriber);
      assertEquals(0, empty.data().capacity());
      assertEquals(0, empty.validate().length());
      assertNull(subscriber.poll());
    }
  }

  @Test
  void whatWasOverwrittenIsToldAndSoIsAnOldView() throws IOException {
    try (Support support = new Support();
        Domain domain = Domain.open(support.url + "?depth=4");
        Publisher publisher = domain.publisher("x");
        Subscriber subscriber = domain.subscriber("x", Options.next(1000))) {
      publisher.publish(new byte[8]);
      View view = view(subscriber);
      for (int i = 0; i < 100; i++) {
        publisher.publish(new byte[8]);
      }
      assertThrows(SaltusException.Overrun.class, view::validate);
      View next = view(subscriber);
      assertNotNull(subscriber.poll());
      assertThrows(SaltusException.Invalid.class, next::validate);
      View last = view(subscriber);
      subscriber.close();
      assertThrows(IllegalStateException.class, last::validate);
      assertThrows(IllegalStateException.class, () -> subscriber.view(Duration.ZERO));
    }
  }

  @Test
  void aMessageThatIsKeptForALargerBufferIsReceivedFirst() throws IOException {
    try (Support support = new Support();
        Domain domain = Domain.open(support.url);
        Publisher publisher = domain.publisher("x");
        Subscriber subscriber = domain.subscriber("x", Options.next(10))) {
      publisher.publish(new byte[8]);
      ByteBuffer small = ByteBuffer.allocateDirect(4);
      assertThrows(
          SaltusException.TooSmall.class, () -> subscriber.receive(small, Support.PATIENCE));
      assertThrows(SaltusException.Invalid.class, () -> subscriber.view(Duration.ZERO));
      assertEquals(8, Support.received(subscriber).length());
    }
  }

  @Test
  void whatAnotherNetworkBroughtIsLookedAtLikewise() {
    try (Domain domain = Domain.open("mem://");
        Publisher publisher = domain.publisher("x");
        Subscriber subscriber = domain.subscriber("x", Options.next(10))) {
      publisher.publish(Support.bytes("tilt"));
      View view = view(subscriber);
      assertTrue(view.data().isReadOnly());
      assertFalse(view.data().isDirect(), "the collector counts it");
      assertEquals('t', view.data().get(0));
      assertEquals(4, view.validate().length());
      publisher.publish(Support.bytes("another"));
      assertNotNull(subscriber.poll());
      assertEquals('t', view.data().get(0));
    }
  }

  /** A part of what was seen, after all is closed. */
  private static ByteBuffer seen(Support support) {
    try (Domain domain = Domain.open(support.url);
        Publisher publisher = domain.publisher("x");
        Subscriber subscriber = domain.subscriber("x")) {
      publisher.publish(Support.bytes("tilt"));
      ByteBuffer data = view(subscriber).data();
      data.position(1);
      return data.slice();
    }
  }

  private static boolean isMapped(Support support) throws IOException {
    byte[] maps = Files.readAllBytes(Paths.get("/proc/self/maps"));
    return Support.text(maps).contains(support.directory.toString());
  }

  @Test
  void memoryStaysAsLongAsABufferAndNoLonger() throws IOException, InterruptedException {
    try (Support support = new Support()) {
      ByteBuffer part = seen(support);
      System.gc();
      Lent.returned();
      assertEquals('i', part.get(0));
      assertTrue(isMapped(support));
      part = null;
      long end = System.nanoTime() + Support.PATIENCE.toNanos();
      while (isMapped(support) && System.nanoTime() < end) {
        System.gc();
        Thread.sleep(10);
        Lent.returned();
      }
      assertFalse(isMapped(support), "nobody has the buffer any more");
    }
  }
}
