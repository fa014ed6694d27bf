import java.nio.file.Path;
import java.nio.file.Paths;
import org.saltus.Event;
import org.saltus.LogReader;
import org.saltus.LogWriter;
import robot.pose_t;

/** Writes a log and reads it: java Log.java FILE.mcap. It needs the classes of types/pose.lcm. */
public final class Log {
  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println("usage: java Log.java FILE.mcap");
      System.exit(2);
    }
    Path path = Paths.get(args[0]);
    long begin = 1_700_000_000_000_000_000L;
    try (LogWriter writer = LogWriter.create(path)) {
      for (int i = 0; i < 100; i++) {
        pose_t pose = new pose_t();
        pose.position[0] = i / 100.0;
        writer.write("POSE", pose, begin + i * 10_000_000L);
      }
    }
    try (LogReader log = LogReader.open(path)) {
      log.seekTime(begin + 500_000_000L);
      Event event = log.next();
      double x = event.value(pose_t.class).position[0];
      System.out.println(log.size() + " events; after half a second x is " + x);
    }
  }
}
