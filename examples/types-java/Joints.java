import java.io.IOException;
import java.util.Arrays;
import robot.joints_t;

/** Makes a message, encodes it and decodes it. */
public final class Joints {
  public static void main(String[] args) throws IOException {
    joints_t joints = new joints_t();
    joints.utime = 1_000_000;
    joints.name = new String[] {"shoulder", "elbow"};
    joints.position = new double[] {0.5, -1.25};
    joints.enabled = true;
    joints.setSizes();

    byte[] data = joints.encode();
    System.out.println(data.length + " bytes");
    System.out.println(joints_t.decode(data));

    try {
      joints_t.decode(Arrays.copyOf(data, 40));
    } catch (IOException e) {
      System.out.println(e.getMessage());
    }
  }
}
