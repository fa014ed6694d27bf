package org.saltus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Bad input gets an exception that says what is wrong, never a crash. */
class MisuseTest extends DomainTest {
  @Test
  void exceptionsHaveTheNamesAndCodesOfC() throws IOException {
    Path page = Paths.get("../../docs/errors.md");
    String text = new String(Files.readAllBytes(page), StandardCharsets.UTF_8);
    Matcher row =
        Pattern.compile("^\\| (\\d+) \\| `SALTUS_[A-Z_]+` \\| `(\\w+)` \\|", Pattern.MULTILINE)
            .matcher(text);
    int rows = 0;
    for (; row.find(); rows++) {
      int code = Integer.parseInt(row.group(1));
      SaltusException exception = SaltusException.of(code, "x");
      assertEquals(code, exception.code());
      assertEquals(row.group(2), exception.getClass().getSimpleName());
    }
    assertTrue(rows >= 24);
  }

  @Test
  void whatIsClosedSaysSoAndClosingTwiceIsNothing() throws IOException {
    Publisher publisher = domain.publisher("x");
    Subscriber subscriber = domain.subscriber("x");
    ByteBuffer direct = ByteBuffer.allocateDirect(10);
    Path path = support.directory.resolve("robot.mcap");
    LogWriter writer = LogWriter.create(path);
    writer.close();
    LogReader log = LogReader.open(path);
    for (AutoCloseable thing :
        Arrays.asList(publisher, subscriber, domain, log, writer)) {
      for (int i = 0; i < 2; i++) {
        assertDoesNotThrow(thing::close);
      }
    }
    assertTrue(publisher.isClosed() && subscriber.isClosed() && domain.isClosed());
    assertTrue(log.isClosed() && writer.isClosed());
    List<Executable> calls =
        Arrays.asList(
            () -> publisher.publish(new byte[1]),
            () -> publisher.publish(direct),
            () -> publisher.publishWithTimestamp(new byte[1], 0),
            publisher::sender,
            subscriber::receive,
            subscriber::poll,
            subscriber::current,
            subscriber::channels,
            subscriber::cancel,
            () -> subscriber.receive(direct, Duration.ZERO),
            () -> subscriber.await(Duration.ZERO),
            () -> subscriber.iterator().hasNext(),
            () -> Domain.waitAny(Duration.ZERO, subscriber),
            () -> domain.publisher("x"),
            () -> domain.subscriber("x"),
            domain::channels,
            log::next,
            log::size,
            () -> log.seek(0),
            () -> log.seekTime(0),
            log::channels,
            log::damage,
            () -> writer.write("x", new byte[1], 0),
            writer::flush,
            writer::events);
    for (Executable call : calls) {
      String told = assertThrows(IllegalStateException.class, call).getMessage();
      assertTrue(told.endsWith("is closed"), told);
    }
  }

  private static void assertDoesNotThrow(Executable call) {
    org.junit.jupiter.api.Assertions.assertDoesNotThrow(() -> call.execute());
  }

  @Test
  void nullIsANullPointerException() {
    Publisher publisher = domain.publisher("x");
    Subscriber subscriber = domain.subscriber("x");
    Path path = support.directory.resolve("robot.mcap");
    LogWriter writer = LogWriter.create(path);
    writer.write("x", new byte[1], 0);
    writer.flush();
    LogReader log = LogReader.open(path);
    List<Executable> calls =
        Arrays.asList(
            () -> Domain.open(null),
            () -> domain.publisher(null),
            () -> domain.publisher("x", (Class<?>) null),
            () -> domain.subscriber((String) null),
            () -> domain.subscriber((Pattern) null, Options.newest()),
            () -> domain.subscriber("x", (Options) null),
            () -> publisher.publish((byte[]) null),
            () -> publisher.publish((ByteBuffer) null),
            () -> publisher.publishWithTimestamp(null, 0),
            () -> domain.subscriber("x", (Class<?>) null),
            () -> Options.newest().start(null),
            () -> subscriber.receive((Duration) null),
            () -> subscriber.current(null),
            () -> subscriber.view(null),
            () -> subscriber.await(null),
            () -> subscriber.receive(null, Duration.ZERO),
            () -> Domain.waitAny(null, subscriber),
            () -> Domain.waitAny(Duration.ZERO, subscriber, null),
            () -> new Dispatcher().on(subscriber, null),
            () -> new Dispatcher().on(null, (Message message) -> {}),
            () -> new Dispatcher().handle(null),
            () -> LogReader.open((Path) null),
            () -> LogReader.open((String) null),
            () -> LogWriter.create((Path) null),
            () -> LogWriter.create((String) null),
            () -> LogWriter.create(path, null),
            () -> writer.write(null, new byte[1], 0),
            () -> writer.write("x", (byte[]) null, 0),
            () -> writer.write("x", (Object) null, 0),
            () -> log.next().value(null));
    for (Executable call : calls) {
      assertThrows(NullPointerException.class, call);
    }
    assertEquals(1, writer.events());
    log.close();
    writer.close();
    publisher.close();
    subscriber.close();
  }

  @Test
  void argumentsThatMakeNoSense() {
    Publisher publisher = domain.publisher("x");
    Subscriber subscriber = domain.subscriber("x");
    ByteBuffer heap = ByteBuffer.allocate(10);
    ByteBuffer read = ByteBuffer.allocateDirect(10).asReadOnlyBuffer();
    byte[] ten = new byte[10];
    for (int[] part : new int[][] {{-1, 1}, {0, -1}, {0, 11}, {11, 0}, {5, 6}, {5, Integer.MAX_VALUE}}) {
      assertThrows(
          IndexOutOfBoundsException.class, () -> publisher.publish(ten, part[0], part[1]));
    }
    List<Executable> calls =
        Arrays.asList(
            () -> subscriber.receive(heap, Duration.ZERO),
            () -> subscriber.receive(read, Duration.ZERO),
            () -> subscriber.receive(Duration.ofNanos(-1)),
            () -> Options.next(0),
            () -> Domain.waitAny(Duration.ZERO),
            () -> domain.subscriber(Pattern.compile("x", Pattern.DOTALL), Options.newest()),
            () -> domain.publisher("x", String.class));
    for (Executable call : calls) {
      assertThrows(IllegalArgumentException.class, call);
    }
    List<Executable> told =
        Arrays.asList(
            () -> Domain.open("nonsense"),
            () -> Domain.open("mem://?x=1"),
            () -> domain.publisher(""),
            () -> domain.publisher(String.join("", Collections.nCopies(64, "x"))),
            () -> domain.subscriber(Pattern.compile("(?=x)"), Options.newest()),
            () -> Domain.waitAny(Duration.ZERO, subscriber, subscriber),
            () -> LogWriter.create(support.directory.resolve("robot.text")));
    for (Executable call : told) {
      assertThrows(SaltusException.Invalid.class, call);
    }
    assertThrows(SaltusException.NoProvider.class, () -> Domain.open("carrier://pigeon"));
    Path nowhere = support.directory.resolve("nowhere");
    SaltusException missing =
        assertThrows(SaltusException.NotFound.class, () -> LogReader.open(nowhere));
    String words = missing.getMessage();
    assertTrue(words.contains("no such file") && !words.contains("os error"), words);
    assertThrows(SaltusException.NotALog.class, () -> LogReader.open(Paths.get("pom.xml")));
    assertThrows(SaltusException.Exists.class, () -> LogWriter.create(pom(), LogFormat.LCM));
    publisher.close();
    subscriber.close();
  }

  private static Path pom() {
    return Paths.get("pom.xml");
  }

  @Test
  void aMessageThatIsTooLongIsToldAndTheNextOneGoes() {
    try (Domain small = Domain.open(support.url + "?max_message_size=100");
        Publisher publisher = small.publisher("x");
        Subscriber subscriber = small.subscriber("x")) {
      publisher.publish(new byte[100]);
      SaltusException told =
          assertThrows(
              SaltusException.TooLong.class, () -> publisher.publish(new byte[101]));
      assertEquals(4, told.code());
      publisher.publish(new byte[] {1});
      assertEquals(1, subscriber.receive().length());
    }
  }

  @Test
  void handlesThatWereNeverGivenOutAreClosedOnes() {
    Publisher publisher = domain.publisher("x");
    for (long handle : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertEquals(Native.FAILED, Native.publishArray(handle, new byte[1], 0, 1));
      assertEquals(Native.FAILED_LONG, Native.publishWithTimestamp(handle, new byte[1], 0));
      assertTrue(Native.failure().getMessage().endsWith("is closed"));
    }
    // A publisher is no subscriber, and arrays and buffers are looked at before they are used.
    assertEquals(Native.FAILED, Native.subscriberWait(publisher.handle, 0));
    assertEquals(Native.FAILED, Native.publishArray(publisher.handle, null, 0, 1));
    assertEquals(Native.FAILED, Native.publishArray(publisher.handle, new byte[4], 2, 3));
    assertEquals(Native.FAILED, Native.publishArray(publisher.handle, new byte[4], -1, 3));
    ByteBuffer direct = ByteBuffer.allocateDirect(4);
    assertEquals(Native.FAILED, Native.publishDirect(publisher.handle, direct, 2, 3));
    assertEquals(Native.FAILED, Native.publishDirect(publisher.handle, null, 0, 0));
    ByteBuffer heap = ByteBuffer.allocate(4);
    assertEquals(Native.FAILED, Native.publishDirect(publisher.handle, heap, 0, 4));
    publisher.publish(new byte[60]);
    Subscriber subscriber = domain.subscriber("x");
    byte[] name = new byte[63];
    long[] info = new long[10];
    byte[] none = Native.receive(subscriber.handle, 1, 0, new long[1], name);
    assertTrue(none == null && Native.failure() instanceof SaltusException.Invalid);
    none = Native.receive(subscriber.handle, 1, 0, info, new byte[0]);
    assertTrue(none == null && Native.failure() instanceof SaltusException.Invalid);
    int got = Native.receiveInto(subscriber.handle, 1, 0, info, name, direct, 0, 60);
    assertTrue(got == Native.FAILED && Native.failure() instanceof SaltusException.Invalid);
    assertNotNull(Native.receive(subscriber.handle, 1, 0, info, name));
    subscriber.close();
    publisher.close();
  }

  @Test
  void aNameThatCannotBeWrittenAsItIsIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> domain.publisher("a\ud800"));
    assertThrows(IllegalArgumentException.class, () -> domain.publisher("\udc00b"));
  }

  @Test
  void aSecondThreadIsToldThatItIsOneTooMany() throws InterruptedException {
    Subscriber subscriber = domain.subscriber("nothing");
    Thread waiting =
        new Thread(
            () -> {
              while (true) {
                try {
                  subscriber.receive(Support.PATIENCE);
                  return;
                } catch (IllegalStateException e) {
                  // this time it was this one too many
                }
              }
            });
    waiting.start();
    long end = System.nanoTime() + Support.PATIENCE.toNanos();
    IllegalStateException told =
        assertThrows(
            IllegalStateException.class,
            () -> {
              while (System.nanoTime() < end) { // until the thread waits
                subscriber.current();
              }
            });
    assertTrue(told.getMessage().contains("another thread"), told.getMessage());
    try (Publisher publisher = domain.publisher("nothing")) {
      publisher.publish(new byte[1]);
    }
    waiting.join(Support.PATIENCE.toMillis());
    assertTrue(!waiting.isAlive());
    subscriber.close();
  }

  @Test
  void threadsThatDoAllAtOnceGetMessagesOrExceptions() throws InterruptedException {
    Publisher publisher = domain.publisher("x");
    Subscriber subscriber = domain.subscriber("x");
    List<Throwable> wrong = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch done = new CountDownLatch(4);
    for (int n = 0; n < 4; n++) {
      byte[] mine = new byte[20_000];
      Arrays.fill(mine, (byte) n);
      int who = n;
      new Thread(
              () -> {
                for (int i = 0; i < 300; i++) {
                  try {
                    publisher.publish(mine);
                    Message message = subscriber.receive(Duration.ofMillis(1));
                    if (message != null && !allTheSame(message.data())) {
                      throw new AssertionError("a message of two");
                    }
                  } catch (IllegalStateException e) {
                    // closed, or in use
                  } catch (Throwable e) {
                    wrong.add(e);
                  }
                  if (who == 0 && i == 250) {
                    subscriber.close();
                  }
                }
                done.countDown();
              })
          .start();
    }
    assertTrue(done.await(60, TimeUnit.SECONDS));
    assertEquals(Collections.emptyList(), wrong);
    publisher.close();
  }

  private static boolean allTheSame(byte[] bytes) {
    for (byte b : bytes) {
      if (b != bytes[0]) {
        return false;
      }
    }
    return true;
  }
}
