import lcm.lcm.LCMDataOutputStream;
import mix.inner_t;
import mix.outer_t;

/** Encodes, decodes and copies a message of two classes, each of LCM's generator or ours. */
public final class Mixed {
  public static void main(String[] args) throws Exception {
    outer_t m = new outer_t();
    m.n = 3;
    m.many = new inner_t[] {new inner_t(), new inner_t(), new inner_t()};
    for (int i = 0; i < 3; i++) {
      m.many[i] = inner(i);
    }
    m.one = inner(2);
    m.name = "n\u00e9";
    m.flag = true;
    m.after = -7;
    String text = hex(m);
    outer_t back = new outer_t(bytes(m));
    if (!hex(back).equals(text) || !hex(back.copy()).equals(text)) {
      throw new AssertionError(hex(back));
    }
    System.out.println(text + " " + outer_t.LCM_FINGERPRINT);
  }

  private static inner_t inner(int size) {
    inner_t inner = new inner_t();
    inner.size = (short) size;
    inner.values = new float[size];
    inner.name = "xxxx".substring(0, size);
    inner.blob = new byte[size];
    inner.fixed = new byte[] {1, 2, 3};
    inner.pose = new double[] {1.5, size};
    inner.turn[1] = new double[] {0.5, size, -2};
    inner.grid = new short[size][2];
    for (short[] row : inner.grid) {
      row[1] = (short) (size + 1);
    }
    return inner;
  }

  private static byte[] bytes(outer_t m) throws Exception {
    LCMDataOutputStream out = new LCMDataOutputStream();
    m.encode(out);
    return out.toByteArray();
  }

  private static String hex(outer_t m) throws Exception {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes(m)) {
      text.append(String.format("%02x", b));
    }
    return text.toString();
  }
}
