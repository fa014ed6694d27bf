package org.saltus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

/** Files that are cut short while they are mapped: ours end nobody, and Java handles its own as ever. */
class CutTest {
  private static final int LONG = 1 << 20;
  private static final int PAGE = 4096;

  private static void cut(Path file) throws IOException {
    try (FileChannel data = FileChannel.open(file, StandardOpenOption.WRITE)) {
      data.truncate(0);
    }
  }

  @Test
  void aViewOfAChannelThatIsCutShortIsNotWholeAndTheProgramGoesOn() throws IOException {
    try (Support support = new Support();
        Domain domain = Domain.open(support.url + "?depth=4");
        Publisher publisher = domain.publisher("x");
        Subscriber subscriber = domain.subscriber("x", Options.next(10))) {
      byte[] message = new byte[LONG];
      message[LONG / 2] = 7;
      publisher.publish(message);
      View view = subscriber.view(Support.PATIENCE);
      assertNotNull(view);
      ByteBuffer data = view.data();
      assertEquals(7, data.get(LONG / 2));
      cut(support.directory.resolve("x").resolve("data"));
      assertEquals(0, data.get(LONG / 2));
      assertThrows(SaltusException.class, view::validate);
      assertThrows(SaltusException.class, () -> publisher.publish(message));
      assertThrows(SaltusException.class, () -> subscriber.receive(Support.PATIENCE));
    }
  }

  private static long sum(ByteBuffer buffer) {
    long sum = 0;
    for (int i = 0; i < buffer.capacity(); i++) {
      sum += buffer.get(i);
    }
    return sum;
  }

  @Test
  void aFileThatJavaHasMappedIsStillAnErrorOfJavas() throws IOException {
    try (Support support = new Support();
        Domain domain = Domain.open(support.url);
        Publisher publisher = domain.publisher("x")) {
      publisher.publish(new byte[8]); // our handler is there
      Path path = support.directory.resolve("mapped");
      Files.write(path, new byte[PAGE]);
      MappedByteBuffer mapped;
      try (FileChannel file =
          FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        mapped = file.map(FileChannel.MapMode.READ_ONLY, 0, PAGE);
      }
      assertEquals(0, sum(mapped));
      cut(path);
      // Java throws it when it next looks, which may be after the call that faulted.
      boolean thrown = false;
      try {
        for (int i = 0; i < 100; i++) {
          sum(mapped);
          Thread.yield();
        }
      } catch (InternalError e) {
        thrown = true;
      }
      assertTrue(thrown);
      Files.delete(path);
    }
  }
}
