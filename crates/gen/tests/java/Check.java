import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Messages of LCM against generated classes of all kinds. Arguments: a file of lines `type hex`, directories of LCM's
 * classes, of ours in LCM's style, of ours in modern style.
 */
public final class Check {
  private static Classes oracle;
  private static Classes like;
  private static Classes modern;
  private static int messages;
  private static int hostile;

  /** The classes of one directory. */
  private static final class Classes {
    private final URLClassLoader loader;

    Classes(String directory) throws Exception {
      loader = new URLClassLoader(new URL[] {Paths.get(directory).toUri().toURL()});
    }

    Class<?> of(String name) throws Exception {
      return loader.loadClass(name.contains(".") ? name : "lcmtypes." + name);
    }

    Object decode(String name, byte[] data) throws Exception {
      try {
        return of(name).getMethod("decode", byte[].class).invoke(null, (Object) data);
      } catch (InvocationTargetException e) {
        throw cause(e);
      }
    }

    Object construct(String name, byte[] data) throws Exception {
      try {
        return of(name).getConstructor(byte[].class).newInstance((Object) data);
      } catch (InvocationTargetException e) {
        throw cause(e);
      }
    }

    Object construct(String name, DataInput data) throws Exception {
      try {
        return of(name).getConstructor(DataInput.class).newInstance(data);
      } catch (InvocationTargetException e) {
        throw cause(e);
      }
    }
  }

  private static Exception cause(InvocationTargetException e) {
    if (e.getCause() instanceof Error) {
      throw (Error) e.getCause();
    }
    return (Exception) e.getCause();
  }

  private static byte[] written(Object message) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      Method encode = message.getClass().getMethod("encode", DataOutput.class);
      encode.invoke(message, new DataOutputStream(bytes));
    } catch (InvocationTargetException e) {
      throw cause(e);
    }
    return bytes.toByteArray();
  }

  private static byte[] encoded(Object message) throws Exception {
    return (byte[]) message.getClass().getMethod("encode").invoke(message);
  }

  private static void that(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  private static void agree(String name, byte[] data) throws Exception {
    that(Arrays.equals(written(oracle.construct(name, data)), data), name + ": LCM itself");

    Object lcm = like.construct(name, data);
    that(Arrays.equals(written(lcm), data), name + ": in LCM's style");
    Object copy = lcm.getClass().getMethod("copy").invoke(lcm);
    that(Arrays.equals(written(copy), data), name + ": a copy");
    DataInput stream = new DataInputStream(new ByteArrayInputStream(data));
    that(Arrays.equals(written(like.construct(name, stream)), data), name + ": from a stream");

    Object message = modern.decode(name, data);
    that(Arrays.equals(encoded(message), data), name + ": modern");
    byte[] longer = Arrays.copyOf(data, data.length + 3);
    Object again = modern.decode(name, longer);
    that(message.equals(again) && message.hashCode() == again.hashCode(), name + ": equals");
    that(message.toString().equals(again.toString()), name + ": toString");
    Object size = message.getClass().getMethod("encodedSize").invoke(message);
    that(size.equals(data.length), name + ": encodedSize");
    ByteBuffer room = ByteBuffer.allocateDirect(data.length + 5);
    room.position(2);
    message.getClass().getMethod("encode", ByteBuffer.class).invoke(message, room);
    that(room.position() == 2 + data.length, name + ": encode into a buffer");
    room.flip().position(2);
    Method decode = message.getClass().getMethod("decode", ByteBuffer.class);
    that(message.equals(decode.invoke(null, room)), name + ": decode from a buffer");
    that(room.remaining() == 0, name + ": the buffer is used up");
    Object fresh = message.getClass().getConstructor().newInstance();
    that(fresh.equals(modern.decode(name, encoded(fresh))), name + ": a fresh one");
    messages++;
  }

  /** Whether all decoders refuse it, by an IOException and nothing else; they must agree. */
  private static boolean refused(String name, byte[] data) throws Exception {
    boolean[] said = new boolean[3];
    for (int i = 0; i < said.length; i++) {
      try {
        if (i == 0) {
          modern.decode(name, data);
        } else if (i == 1) {
          like.construct(name, data);
        } else {
          like.construct(name, new DataInputStream(new ByteArrayInputStream(data)));
        }
      } catch (IOException e) {
        said[i] = true;
      }
    }
    String words = name + " " + data.length + " " + Arrays.toString(said) + Arrays.toString(data);
    that(said[0] == said[1] && said[1] == said[2], words);
    hostile++;
    return said[0];
  }

  private static void hostile(String name, byte[] data, Random random) throws Exception {
    for (int length = 0; length < Math.min(data.length, 300); length++) {
      that(refused(name, Arrays.copyOf(data, length)), name + " cut to " + length);
    }
    byte[] bad = {0, 1, 0x7f, (byte) 0x80, (byte) 0xff};
    for (int i = 0; i < 40 && data.length > 8; i++) {
      byte[] other = data.clone();
      other[8 + random.nextInt(data.length - 8)] = bad[random.nextInt(bad.length)];
      other[8 + random.nextInt(data.length - 8)] = bad[random.nextInt(bad.length)];
      refused(name, other);
    }
  }

  private static byte[] message(String name, long... ints) throws Exception {
    ByteBuffer out = ByteBuffer.allocate(8 + 4 * ints.length);
    out.putLong(modern.of(name).getField("FINGERPRINT").getLong(null));
    for (long value : ints) {
      out.putInt((int) value);
    }
    return out.array();
  }

  /** Sizes that only an unwary decoder would make room for; depth; elements without content. */
  private static void extremes() throws Exception {
    for (long size : new long[] {-1, Integer.MIN_VALUE, 1 << 24, Integer.MAX_VALUE}) {
      that(refused("exlcm.node_t", message("exlcm.node_t", size)), "node_t " + size);
      that(refused("cover.empties_t", message("cover.empties_t", size)), "empties_t " + size);
      that(refused("paper.laser_t", message("paper.laser_t", 0, 1, size, 7)), "laser_t " + size);
      that(refused("worked.inner_t", message("worked.inner_t", 1, size, 7)), "inner_t " + size);
    }
    for (int depth : new int[] {128, 129, 1000, 100_000}) {
      long[] ones = new long[depth + 1];
      Arrays.fill(ones, 0, depth, 1);
      byte[] chain = message("exlcm.node_t", ones);
      that(refused("exlcm.node_t", chain) == depth > 128, "a chain of " + depth);
      if (depth == 128) {
        that(Arrays.equals(encoded(modern.decode("exlcm.node_t", chain)), chain), "128 deep");
      }
    }
    that(!refused("cover.empties_t", message("cover.empties_t", 1036)), "1036 empties");
    that(refused("cover.empties_t", message("cover.empties_t", 1037)), "1037 empties");
  }

  /** A message whose fields are of 8, 2 and 1 bytes. */
  private static byte[] message(String name, long[] longs, short[] shorts, byte[] bytes)
      throws Exception {
    ByteBuffer out = ByteBuffer.allocate(8 + 8 * longs.length + 2 * shorts.length + bytes.length);
    out.putLong(modern.of(name).getField("FINGERPRINT").getLong(null));
    for (long value : longs) {
      out.putLong(value);
    }
    for (short value : shorts) {
      out.putShort(value);
    }
    return out.put(bytes).array();
  }

  private static void behind(boolean bad, long... sizes) throws Exception {
    byte[] data = message("cover.behind_t", sizes, new short[0], new byte[0]);
    String words = "behind_t " + Arrays.toString(sizes);
    that(refused("cover.behind_t", data) == bad, words);
    if (!bad) {
      that(Arrays.equals(encoded(modern.decode("cover.behind_t", data)), data), words);
      that(Arrays.equals(written(like.construct("cover.behind_t", data)), data), words);
    }
  }

  /** Elements and rows that take no room: as docs/wire.md says. */
  private static void empties() throws Exception {
    // Behind an outer 0 sizes must only not be negative; rows are charged up to it.
    behind(false, 0, 1L << 62, 1L << 62);
    behind(false, 0, Long.MAX_VALUE, 0);
    behind(true, 0, 1L << 62, -1);
    behind(true, 0, -1, 5);
    behind(false, 5, 0, Long.MAX_VALUE);
    behind(true, 5, 0, -1);
    behind(true, 1, 1L << 40, 0);
    behind(true, Long.MAX_VALUE, 0, 0);
    behind(false, 176, 0, 7);
    behind(true, 177, 0, 7);
    // Every level counts: 28 rows and 28 * 36 elements are the 1036 of 12 bytes.
    for (short b = 36; b <= 37; b++) {
      byte[] data = message("cover.nothing_t", new long[0], new short[] {28, b}, new byte[0]);
      that(refused("cover.nothing_t", data) == b > 36, "nothing_t " + b);
    }
    // What a type always has is free, but not what a variable array has.
    for (byte k : new byte[] {0, 3, 4, 100}) {
      byte[] bytes = new byte[5 + k];
      bytes[0] = k;
      byte[] data = message("cover.wides_t", new long[0], new short[0], bytes);
      that(refused("cover.wides_t", data) == k > 3, "wides_t " + k);
    }
  }

  /** 128 structs in each other, each of which promises as many as the message could have. */
  private static void promises() throws Exception {
    int size = 1 << 20;
    long[] ints = new long[size];
    Arrays.fill(ints, 0, 128, size - 129);
    that(refused("exlcm.node_t", message("exlcm.node_t", ints)), "promises");
  }

  private static void wrong(String words, Object message) throws Exception {
    try {
      message.getClass().getMethod("encode").invoke(message);
      throw new AssertionError("no error that says " + words);
    } catch (InvocationTargetException e) {
      that(e.getCause() instanceof IllegalArgumentException, e.getCause().toString());
      that(e.getCause().getMessage().contains(words), e.getCause().getMessage());
    }
  }

  /** What encoding says of wrong values. */
  private static void values() throws Exception {
    Class<?> laser = modern.of("paper.laser_t");
    Object scan = laser.getConstructor().newInstance();
    laser.getField("ranges").set(scan, new float[180]);
    wrong("laser_t.ranges[nranges] has 180 elements, but its size is 0", scan);
    laser.getMethod("setSizes").invoke(scan);
    that(encoded(scan).length == 752, "the size of a scan");
    laser.getField("intensities").set(scan, null);
    wrong("laser_t.intensities[nintensities] is null", scan);
    Class<?> inner = modern.of("worked.inner_t");
    Object text = inner.getConstructor().newInstance();
    inner.getField("name").set(text, "a\0b");
    wrong("inner_t.name: a NUL", text);
    inner.getField("name").set(text, "h\u00e9 \u20ac \ud83d\ude00 \ud800");
    Object read = modern.decode("worked.inner_t", encoded(text));
    that(inner.getField("name").get(read).equals("h\u00e9 \u20ac \ud83d\ude00 ?"), "UTF-8");
  }

  public static void main(String[] args) throws Exception {
    oracle = new Classes(args[1]);
    like = new Classes(args[2]);
    modern = new Classes(args[3]);
    List<String> seen = new ArrayList<>();
    Random random = new Random(3);
    for (String line : Files.readAllLines(Paths.get(args[0]))) {
      String name = line.substring(0, line.indexOf(' '));
      String hex = line.substring(line.indexOf(' ') + 1);
      byte[] data = new byte[hex.length() / 2];
      for (int i = 0; i < data.length; i++) {
        data[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
      }
      agree(name, data);
      if (seen.stream().filter(name::equals).count() < 4) {
        seen.add(name);
        hostile(name, data, random);
        long theirs = oracle.of(name).getField("LCM_FINGERPRINT").getLong(null);
        that(like.of(name).getField("LCM_FINGERPRINT").getLong(null) == theirs, name);
        that(modern.of(name).getField("FINGERPRINT").getLong(null) == theirs, name);
        Method hash = like.of(name).getMethod("_hashRecursive", ArrayList.class);
        that(hash.invoke(null, new ArrayList<Class<?>>()).equals(theirs), name);
      }
    }
    extremes();
    empties();
    promises();
    values();
    System.out.println(messages + " messages, " + hostile + " hostile ones");
    that(messages > 300 && hostile > 5000, "too few of them");
  }
}
