import exlcm.example_t;
import exlcm.node_t;
import java.io.IOException;
import java.util.ArrayList;
import lcm.lcm.LCMDataInputStream;
import lcm.lcm.LCMDataOutputStream;
import lcm.lcm.LCMEncodable;

/** A program as users of LCM write them: nothing in it knows of us. */
public final class LcmProgram {
  public static void main(String[] args) throws IOException {
    example_t msg = new example_t();
    msg.timestamp = 42;
    msg.position = new double[] {1, 2, 3};
    msg.orientation = new double[] {1, 0, 0, 0};
    msg.ranges = new short[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    msg.num_ranges = msg.ranges.length;
    msg.name = "example string";
    msg.enabled = true;

    LCMDataOutputStream outs = new LCMDataOutputStream();
    LCMEncodable encodable = msg;
    encodable.encode(outs);
    example_t read = new example_t(new LCMDataInputStream(outs.getBuffer(), 0, outs.size()));
    check(read.timestamp == 42 && read.num_ranges == 15 && read.ranges[14] == 14);
    check(read.name.equals("example string") && read.enabled && read.position[2] == 3);
    check(example_t.LCM_FINGERPRINT == 0x37553c5361f75516L);
    check(example_t.LCM_FINGERPRINT_BASE == 0x1baa9e29b0fbaa8bL);
    check(node_t._hashRecursive(new ArrayList<Class<?>>()) == node_t.LCM_FINGERPRINT);

    node_t root = new node_t();
    root.num_children = 2;
    root.children = new node_t[] {new node_t(), new node_t()};
    LCMDataOutputStream nodes = new LCMDataOutputStream();
    root.copy().encode(nodes);
    check(new node_t(nodes.toByteArray()).children.length == 2);
    try {
      new node_t(outs.toByteArray());
      check(false);
    } catch (IOException e) {
      check(e.getMessage().contains("bad fingerprint"));
    }
  }

  private static void check(boolean holds) {
    if (!holds) {
      throw new AssertionError();
    }
  }
}
