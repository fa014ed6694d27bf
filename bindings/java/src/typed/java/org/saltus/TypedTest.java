package org.saltus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import robot.goal_t;
import robot.pose_t;

/** Messages of generated classes. */
class TypedTest {
  private static pose_t pose() {
    pose_t pose = new pose_t();
    pose.utime = 7;
    pose.position = new double[] {1, 2, 0.5};
    pose.names = new String[] {"base", "ü"};
    pose.setSizes();
    return pose;
  }

  @Test
  void messagesArriveAsTheyWereAndOthersAreToldOnce() throws IOException {
    try (Support support = new Support();
        Domain domain = Domain.open(support.url);
        TypedPublisher<pose_t> poses = domain.publisher("POSE", pose_t.class);
        TypedPublisher<goal_t> goals = domain.publisher("POSE", goal_t.class);
        TypedSubscriber<pose_t> subscriber =
            domain.subscriber("POSE", pose_t.class, Options.next(10))) {
      poses.publish(pose());
      TypedMessage<pose_t> message = Support.received(subscriber);
      assertEquals(pose(), message.value());
      assertEquals(pose(), subscriber.current().value());
      goals.publish(new goal_t());
      goals.publish(new goal_t());
      poses.publish(pose());
      SaltusException told =
          assertThrows(
              SaltusException.WrongType.class, () -> subscriber.receive(Support.PATIENCE));
      assertEquals(103, told.code());
      assertTrue(told.getMessage().contains("robot.goal_t"), told.getMessage());
      assertEquals(pose(), Support.received(subscriber).value());
      assertEquals(2, subscriber.mismatched());
    }
  }

  @Test
  void whatCannotBeEncodedOrDecodedIsTold() {
    try (Domain domain = Domain.open("mem://");
        TypedPublisher<pose_t> poses = domain.publisher("POSE", pose_t.class);
        Publisher bytes = domain.publisher("POSE");
        TypedSubscriber<pose_t> subscriber = domain.subscriber("POSE", pose_t.class)) {
      pose_t wrong = pose();
      wrong.n = 5;
      assertEquals(
          104,
          assertThrows(SaltusException.EncodeFailed.class, () -> poses.publish(wrong)).code());
      pose_t empty = new pose_t();
      empty.names = null;
      assertThrows(SaltusException.EncodeFailed.class, () -> poses.publish(empty));
      assertThrows(NullPointerException.class, () -> poses.publish(null));
      assertNull(subscriber.poll());
      byte[] cut = java.util.Arrays.copyOf(pose().encode(), 20);
      bytes.publish(cut);
      SaltusException told =
          assertThrows(
              SaltusException.DecodeFailed.class, () -> subscriber.receive(Support.PATIENCE));
      assertEquals(105, told.code());
      poses.publish(pose());
      assertEquals(7, subscriber.receive(Duration.ofSeconds(1)).value().utime);
    }
  }

  @Test
  void logsKnowWhatTheirMessagesAre(@TempDir Path directory) {
    Path path = directory.resolve("robot.mcap");
    try (LogWriter writer = LogWriter.create(path)) {
      writer.write("POSE", pose(), 1000);
      assertThrows(IllegalArgumentException.class, () -> writer.write("POSE", "text", 1000));
    }
    try (LogReader log = LogReader.open(path)) {
      Event event = log.next();
      assertEquals(pose(), event.value(pose_t.class));
      assertThrows(SaltusException.DecodeFailed.class, () -> event.value(goal_t.class));
    }
  }
}
