package org.saltus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishAndReceiveTest extends DomainTest {
  @Test
  void theNewestAndTheNextAndWhatIsKnownOfThem() {
    try (Publisher publisher = domain.publisher("x");
        Subscriber newest = domain.subscriber("x");
        Subscriber next = domain.subscriber("x", Options.next(10))) {
      assertNull(newest.poll());
      for (int i = 0; i < 5; i++) {
        publisher.publish(new byte[] {(byte) i});
      }
      Message message = newest.receive();
      assertArrayEquals(new byte[] {4}, message.data());
      assertEquals("x", message.channel());
      assertEquals(4, message.missed() + message.dropped());
      assertEquals(publisher.sender(), message.sender());
      assertTrue(message.publishedNanos() <= Saltus.nowNanos() && message.ageNanos() >= 0);
      assertEquals(Info.NO_TIME, message.loggedMicros());
      assertNull(newest.poll());
      assertArrayEquals(new byte[] {4}, newest.current().data());
      assertEquals(4, newest.current(Duration.ZERO).buffer().get());
      for (int i = 0; i < 5; i++) {
        Message one = next.receive(Duration.ZERO);
        assertArrayEquals(new byte[] {(byte) i}, one.data());
        assertEquals(0, one.missed() + one.dropped());
        assertEquals(i + 1, one.sequence());
      }
      assertNull(next.poll());
      assertEquals(Collections.singletonList("x"), domain.channels());
      assertEquals(Collections.singletonList("x"), next.channels());
    }
  }

  @Test
  void everythingTellsWhatItIs() {
    try (Domain here = Domain.open("mem://");
        Publisher publisher = here.publisher("imu");
        Subscriber subscriber = here.subscriber("imu")) {
      assertEquals("domain mem://", here.toString());
      assertEquals("publisher of imu", publisher.toString());
      assertEquals("subscriber of imu (newest)", subscriber.toString());
      Options oldest = Options.next(10).start(Start.OLDEST);
      try (Subscriber all = here.subscriber(Pattern.compile("i.*"), oldest)) {
        String text = "subscriber of channels that match i.* (next 10, from oldest)";
        assertEquals(text, all.toString());
      }
      publisher.publish(new byte[7]);
      assertEquals("message of imu: 7 bytes", Support.received(subscriber).toString());
      publisher.publish(new byte[7]);
      assertEquals("view of 7 bytes", subscriber.view(Support.PATIENCE).toString());
      publisher.close();
      assertEquals("publisher of imu, closed", publisher.toString());
    }
  }

  @Test
  void arraysAndBuffersOfAllKindsArriveAsTheyWereSent() {
    byte[] sent = new byte[1000];
    for (int i = 0; i < sent.length; i++) {
      sent[i] = (byte) (i * 7);
    }
    ByteBuffer direct = ByteBuffer.allocateDirect(1000);
    direct.put(sent);
    ((Buffer) direct).position(10).limit(900);
    byte[] part = Arrays.copyOfRange(sent, 10, 900);
    try (Publisher publisher = domain.publisher("x");
        Subscriber next = domain.subscriber("x", Options.next(10))) {
      publisher.publish(sent);
      publisher.publish(sent, 10, 890);
      publisher.publish(direct);
      assertEquals(900, direct.position());
      publisher.publish(ByteBuffer.wrap(sent, 10, 890).slice());
      publisher.publish(ByteBuffer.wrap(sent, 10, 890).asReadOnlyBuffer());
      publisher.publish(new byte[0]);
      publisher.publish(direct); // nothing remains in it
      assertArrayEquals(sent, next.receive().data());
      for (int i = 0; i < 4; i++) {
        assertArrayEquals(part, next.receive().data());
      }
      assertEquals(0, next.receive().length());
      assertEquals(0, next.receive().data().length);
    }
  }

  @Test
  void longMessagesArriveWhole() {
    byte[] sent = new byte[3 << 20];
    Arrays.fill(sent, (byte) 3);
    try (Publisher publisher = domain.publisher("picture");
        Subscriber subscriber = domain.subscriber("picture")) {
      publisher.publish(sent);
      assertArrayEquals(sent, subscriber.receive().data());
    }
  }

  @Test
  void aBufferIsUsedAgainAndOneThatIsTooSmallLosesNothing() {
    ByteBuffer small = ByteBuffer.allocateDirect(4);
    ByteBuffer large = ByteBuffer.allocateDirect(100);
    try (Publisher publisher = domain.publisher("x");
        Subscriber next = domain.subscriber("x", Options.next(10))) {
      assertEquals(-1, next.receive(small, Duration.ZERO));
      assertEquals(0, small.position());
      publisher.publish(Support.bytes("tilt 0.02"));
      publisher.publish(Support.bytes("abcd"));
      SaltusException.TooSmall told =
          assertThrows(
              SaltusException.TooSmall.class, () -> next.receive(small, Support.PATIENCE));
      assertEquals(3, told.code());
      assertEquals(9, next.info().length());
      assertTrue(next.await(Duration.ZERO));
      assertSame(next, Domain.waitAny(Duration.ZERO, next));
      ((Buffer) large).position(50);
      assertEquals(9, next.receive(large, Duration.ofSeconds(1)));
      assertEquals(59, large.position());
      assertEquals('t', large.get(50));
      assertEquals(4, next.receive(small, Support.PATIENCE));
      assertEquals("x", next.info().channel());
      assertEquals(2, next.info().sequence());
      assertEquals(0, small.remaining());
      assertEquals(-1, next.receive(large, Duration.ofMillis(1)));
    }
  }

  @Test
  void aLoopWithBuffersOfItsOwnAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    ByteBuffer message = ByteBuffer.allocateDirect(64);
    ByteBuffer into = ByteBuffer.allocateDirect(64);
    int times = 10_000;
    try (Publisher publisher = domain.publisher("x");
        Subscriber next = domain.subscriber("x", Options.next(10))) {
      long before = 0;
      for (int i = -100; i < times; i++) { // what is done once is done before
        before = i == 0 ? threads.getThreadAllocatedBytes(self) : before;
        ((Buffer) message).clear();
        publisher.publish(message);
        ((Buffer) into).clear();
        if (next.receive(into, Support.PATIENCE) != 64 || next.info().sequence() != i + 101) {
          throw new AssertionError("message " + i);
        }
      }
      long bytes = threads.getThreadAllocatedBytes(self) - before;
      assertTrue(bytes < times, bytes + " bytes in " + times + " messages");
    }
  }

  @Test
  void theNewestAfterABufferThatWasTooSmallCountsWhatWasKept() {
    ByteBuffer small = ByteBuffer.allocateDirect(4);
    try (Publisher publisher = domain.publisher("x");
        Subscriber next = domain.subscriber("x", Options.next(10))) {
      publisher.publish(Support.bytes("tilt 0.02"));
      assertThrows(SaltusException.TooSmall.class, () -> next.receive(small, Support.PATIENCE));
      Message same = next.current();
      assertEquals(9, same.length());
      assertEquals(0, same.dropped());
      assertNull(next.poll());
      publisher.publish(Support.bytes("tilt 0.03"));
      assertThrows(SaltusException.TooSmall.class, () -> next.receive(small, Support.PATIENCE));
      publisher.publish(Support.bytes("abcd"));
      Message newer = next.current();
      assertEquals(4, newer.length());
      assertEquals(1, newer.dropped());
      assertEquals(0, newer.missed());
      assertNull(next.poll());
    }
  }

  @Test
  void patternsAndNamesOfAnyBytes() {
    String odd = "ü/" + (char) 0xdcff + "\ud83e\udd16";
    try (Publisher left = domain.publisher("ARM_LEFT");
        Publisher other = domain.publisher("LEG");
        Publisher strange = domain.publisher(odd);
        Subscriber arms = domain.subscriber(Pattern.compile("ARM_(LEFT|RIGHT)"), Options.next(9));
        Subscriber all = domain.subscriber(Pattern.compile("(?s-u:.*)"), Options.next(9))) {
      left.publish(new byte[1]);
      other.publish(new byte[2]);
      strange.publish(new byte[3]);
      assertEquals("ARM_LEFT", Support.received(arms).channel());
      List<String> names = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        names.add(Support.received(all).channel());
      }
      Collections.sort(names);
      assertEquals(Arrays.asList("ARM_LEFT", "LEG", odd), names);
      assertNull(arms.poll());
      List<String> there = domain.channels();
      Collections.sort(there);
      assertEquals(names, there);
    }
  }

  @Test
  void whereASubscriberStarts() {
    try (Publisher publisher = domain.publisher("x")) {
      publisher.publish(new byte[] {1});
      publisher.publish(new byte[] {2});
      try (Subscriber oldest = domain.subscriber("x", Options.next(9).start(Start.OLDEST));
          Subscriber newest = domain.subscriber("x", Options.next(9));
          Subscriber now = domain.subscriber("x", Options.next(9).start(Start.NOW))) {
        assertEquals(1, oldest.poll().data()[0]);
        assertEquals(2, newest.poll().data()[0]);
        assertNull(now.poll());
      }
    }
  }

  @Test
  void oneThreadWaitsForManyAndCallbacksComeInIt() {
    try (Domain memory = Domain.open("mem://");
        Publisher scans = memory.publisher("scan");
        Publisher poses = domain.publisher("pose");
        Subscriber scan = memory.subscriber("scan", Options.next(9));
        Subscriber pose = domain.subscriber("pose", Options.next(9))) {
      assertNull(Domain.waitAny(Duration.ofMillis(1), scan, pose));
      poses.publish(new byte[] {1});
      assertSame(pose, Domain.waitAny(Support.PATIENCE, scan, pose));
      Dispatcher dispatcher = new Dispatcher();
      List<String> said = new ArrayList<>();
      dispatcher.on(scan, m -> said.add("scan " + m.data()[0]));
      dispatcher.on(
          pose,
          m -> {
            said.add("pose " + m.data()[0]);
            scans.publish(new byte[] {2});
          });
      assertEquals(1, dispatcher.handle(Support.PATIENCE));
      assertEquals(1, dispatcher.handle(Support.PATIENCE));
      assertEquals(0, dispatcher.handle(Duration.ofMillis(1)));
      dispatcher.on(
          scan,
          m -> {
            dispatcher.stop();
            throw new IllegalArgumentException("told");
          });
      scans.publish(new byte[] {3});
      assertThrows(IllegalArgumentException.class, dispatcher::run);
      assertEquals(Arrays.asList("pose 1", "scan 2"), said);
      dispatcher.on(
          pose,
          m -> {
            throw new IllegalStateException("told too");
          });
      scans.publish(new byte[] {4});
      poses.publish(new byte[] {4});
      assertThrows(IllegalArgumentException.class, () -> dispatcher.handle(Support.PATIENCE));
      assertThrows(IllegalStateException.class, () -> dispatcher.handle(Support.PATIENCE));
      assertEquals(0, dispatcher.handle(Duration.ZERO));
      assertTrue(dispatcher.unsubscribe(scan) && dispatcher.unsubscribe(pose));
      assertFalse(dispatcher.unsubscribe(scan));
      dispatcher.run();
    }
  }

  @Test
  void whoWaitsIsWokenCalledOffInterruptedAndClosed() throws InterruptedException {
    try (Publisher publisher = domain.publisher("x");
        Subscriber subscriber = domain.subscriber("x", Options.next(9))) {
      List<String> said = Collections.synchronizedList(new ArrayList<>());
      Runnable wait =
          () -> {
            try {
              said.add("message " + subscriber.receive().data()[0]);
            } catch (RuntimeException e) {
              said.add(e.getClass().getSimpleName());
            }
          };
      Thread first = started(wait);
      publisher.publish(new byte[] {7});
      joined(first);
      Thread second = started(wait);
      subscriber.cancel();
      joined(second);
      assertFalse(subscriber.iterator().hasNext());
      subscriber.reset();
      Thread third = started(wait);
      third.interrupt();
      joined(third);
      Thread fourth = started(wait);
      subscriber.close();
      joined(fourth);
      List<String> expected =
          Arrays.asList("message 7", "Canceled", "Canceled", "IllegalStateException");
      assertEquals(expected, said);
    }
  }

  private static Thread started(Runnable work) {
    Thread thread = new Thread(work);
    thread.start();
    return thread;
  }

  private static void joined(Thread thread) throws InterruptedException {
    thread.join(Support.PATIENCE.toMillis());
    assertFalse(thread.isAlive());
  }

  @Test
  void aLogIsADomainThatEnds(@TempDir Path directory) {
    Path path = directory.resolve("robot.log");
    try (LogWriter writer = LogWriter.create(path)) {
      writer.write("x", new byte[] {1}, 1_000_000);
      writer.write("x", new byte[] {2}, 2_000_000);
    }
    try (Domain log = Domain.open("file://" + path);
        Subscriber subscriber = log.subscriber("x", Options.next(9))) {
      List<Integer> got = new ArrayList<>();
      for (Message message : subscriber) {
        got.add((int) message.data()[0]);
        assertEquals(1000L * got.size(), message.loggedMicros());
      }
      assertEquals(Arrays.asList(1, 2), got);
      assertThrows(SaltusException.Ended.class, subscriber::receive);
    }
  }

  @Test
  void messagesMayHaveTheStampsOfAnotherTime() {
    try (Publisher publisher = domain.publisher("x");
        Subscriber subscriber = domain.subscriber("x")) {
      long timestamp = publisher.publishWithTimestamp(new byte[] {1}, 1000);
      assertEquals(timestamp, subscriber.receive().publishedNanos());
    }
    try (Domain memory = Domain.open("mem://");
        Publisher publisher = memory.publisher("x")) {
      assertThrows(
          SaltusException.Unsupported.class, () -> publisher.publishWithTimestamp(new byte[1], 1000));
    }
  }

  @Test
  void namesOfTimesEndWithTheirUnit() {
    List<String> times = new ArrayList<>();
    for (Class<?> type : new Class<?>[] {Info.class, Event.class, LogReader.class, Saltus.class}) {
      for (Method method : type.getDeclaredMethods()) {
        boolean isNumber = Modifier.isPublic(method.getModifiers()) && method.getReturnType() == long.class;
        if (isNumber && method.getName().matches("(?i)(published|arrived|logged|age|now|.*time).*")) {
          times.add(method.getName());
        }
      }
    }
    times.remove("seekTime"); // returns a position
    assertEquals(9, times.size(), times.toString());
    times.forEach(name -> assertTrue(name.endsWith("Nanos") || name.endsWith("Micros"), name));
  }
}
