import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import lcm.lcm.LCM;
import lcm.lcm.LCMDataInputStream;
import lcm.lcm.LCMDataOutputStream;
import lcm.lcm.LCMEncodable;
import lcm.lcm.LCMSubscriber;
import lcm.lcm.MessageAggregator;
import lcm.lcm.URLParser;
import lcm.logging.Log;

/**
 * Does with LCM's jar, or with ours, what programs do with it, and prints what happens.
 *
 * <p>{@code Program SCENARIO [ARGUMENT]}, in a directory of its own.
 */
final class Program {
  private static final Thread MAIN = Thread.currentThread();

  /** Lines of other threads, which are printed when the main thread has waited for them. */
  private static final List<Object> LATER = new ArrayList<>();

  private Program() {}

  static void print(Object line) {
    synchronized (LATER) {
      if (Thread.currentThread() == MAIN) {
        System.out.println(line);
      } else {
        LATER.add(line);
      }
    }
  }

  static void printLater() {
    synchronized (LATER) {
      LATER.forEach(System.out::println);
      LATER.clear();
    }
  }

  /** Prints the result of a call; of an exception its class, whose text is not a promise. */
  static void tried(Object name, Callable<?> call) {
    try {
      print(name + " " + call.call());
    } catch (Exception e) {
      print(name + " throws " + e.getClass().getName());
    }
  }

  /** The same without a result. */
  interface Action {
    void run() throws Exception;
  }

  static void did(Object name, Action action) {
    tried(
        name,
        () -> {
          action.run();
          return "done";
        });
  }

  static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) {
      text.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
    }
    return text.toString();
  }

  static byte[] all(LCMDataInputStream in) {
    byte[] bytes = new byte[in.available()];
    try {
      in.readFully(bytes);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return bytes;
  }

  static LCMSubscriber printing(String name) {
    return (lcm, channel, in) -> {
      byte[] bytes = all(in);
      String text = bytes.length < 20 ? hex(bytes) : bytes.length + " " + Arrays.hashCode(bytes);
      if (!channel.equals("BARRIER")) { // which nobody waits for
        print("  " + name + " " + channel + " " + text);
      }
    };
  }

  /** Waits until all that was published before has been handled. */
  static final class Barrier {
    private final LCM lcm;
    private volatile CountDownLatch arrived;

    Barrier(LCM lcm) {
      this.lcm = lcm;
      lcm.subscribe("BARRIER", (from, channel, in) -> arrived.countDown());
    }

    void await() throws Exception {
      arrived = new CountDownLatch(1);
      lcm.publish("BARRIER", "");
      if (!arrived.await(20, TimeUnit.SECONDS)) {
        throw new IllegalStateException("a message of this process did not arrive");
      }
      printLater();
    }
  }

  /** A message of a generated class. */
  static final class Number implements LCMEncodable {
    int value;

    Number(int value) {
      this.value = value;
    }

    @Override
    public void encode(DataOutput outs) throws IOException {
      outs.writeLong(77);
      _encodeRecursive(outs);
    }

    @Override
    public void _encodeRecursive(DataOutput outs) throws IOException {
      if (value < 0) {
        throw new IOException("negative");
      }
      outs.writeInt(value);
    }

    @Override
    public void _decodeRecursive(DataInput ins) throws IOException {
      value = ins.readInt();
    }
  }

  static void calls(String url) throws Exception {
    LCM lcm = new LCM(url);
    LCMSubscriber one = printing("one");
    LCMSubscriber two = printing("two");
    if (url.startsWith("memq")) { // elsewhere LCM's socket has it until somebody subscribes
      // On no other channel: LCM's thread may find out only after the next line that nobody has subscribed.
      did("nothing subscribed", () -> lcm.publish("NOBODY", "text"));
    }
    did("subscribe", () -> lcm.subscribe("A", one));
    Barrier barrier = new Barrier(lcm);
    did("twice", () -> lcm.subscribe("A", one));
    did("bad pattern", () -> lcm.subscribe("(", one));
    tried("number", lcm::getNumSubscriptions);
    did("publish", () -> lcm.publish("A", "t\u00e9xt\u1234\0x"));
    did("publish null", () -> lcm.publish("A", (String) null));
    did("publish part", () -> lcm.publish("A", new byte[] {1, 2, 3, 4}, 1, 2));
    did("publish nothing", () -> lcm.publish("A", new byte[] {1, 2, 3, 4}, 4, 0));
    if (url.startsWith("memq")) { // elsewhere LCM prints that
      did("publish too much", () -> lcm.publish("A", new byte[] {1, 2, 3, 4}, 3, 2));
    }
    did("publish long", () -> lcm.publish("A", new byte[200_000], 1, 190_000));
    did("publish message", () -> lcm.publish("A", new Number(5)));
    did("publish bad message", () -> lcm.publish("A", new Number(-5)));
    did("publish other", () -> lcm.publish("AB", "x"));
    barrier.await();
    did("more", () -> lcm.subscribe("A|B", two));
    did("more", () -> lcm.subscribe("(?!A).*", two));
    did("all", () -> lcm.subscribeAll(one));
    for (String channel : new String[] {"A", "Ax", "B", "xB", "C", "\u00e9"}) {
      did("publish", () -> lcm.publish(channel, channel));
      barrier.await();
    }
    did("unsubscribe A", () -> lcm.unsubscribe("A", null));
    tried("number", lcm::getNumSubscriptions);
    did("unsubscribe two", () -> lcm.unsubscribe(null, two));
    tried("number", lcm::getNumSubscriptions);
    did("unsubscribe none", () -> lcm.unsubscribe("none", one));
    lcm.publish("A", "last");
    barrier.await();
    did("unsubscribe all", () -> lcm.unsubscribe(null, null));
    tried("number", lcm::getNumSubscriptions);
    lcm.receiveMessage("A", new byte[9], 2, 3);
    lcm.subscribe("A", (from, channel, in) -> print((from == lcm) + " " + in.getBufferOffset() + " " + in.available()));
    lcm.receiveMessage("A", new byte[9], 2, 3);
    did("close", lcm::close);
    did("close", lcm::close);
    did("publish", () -> lcm.publish("A", ""));
    did("publish", () -> lcm.publish("A", new byte[3], 0, 3));
    did("subscribe", () -> lcm.subscribe("A", one));
    did("unsubscribe", () -> lcm.unsubscribe("A", one));
    tried("number", lcm::getNumSubscriptions);
    tried("singleton", () -> LCM.getSingleton() == LCM.getSingleton());
    tried("default", LCM::getDefaultURL);
    did("no URL", () -> new LCM("udpm"));
    did("no file", () -> new LCM("file:///nowhere/at/all"));
    did("two", () -> new LCM(url, "memq://").close());
  }

  /** Subscribers that publish and subscribe. */
  static void callbacks(String url) throws Exception {
    LCM lcm = new LCM(url);
    Barrier barrier = new Barrier(lcm);
    lcm.subscribe(
        "P",
        (from, channel, in) -> {
          byte[] bytes = all(in);
          print("  publishing " + bytes.length);
          if (bytes.length < 5) {
            did("  publish", () -> from.publish(channel, new byte[bytes.length + 1], 0, bytes.length + 1));
          }
        });
    lcm.publish("P", new byte[1], 0, 1);
    for (int i = 0; i < 6; i++) {
      barrier.await();
    }
    int[] number = new int[1];
    Thread[] threads = new Thread[3];
    CountDownLatch received = new CountDownLatch(300);
    lcm.subscribe("N", (from, channel, in) -> {
      number[0] += all(in)[0];
      received.countDown();
    });
    for (int t = 0; t < threads.length; t++) {
      threads[t] =
          new Thread(
              () -> {
                for (int i = 0; i < 100; i++) {
                  byte[] one = {(byte) i};
                  try {
                    lcm.publish("N", one, 0, 1);
                    Thread.sleep(0, 100_000);
                  } catch (Exception e) {
                    print(e);
                  }
                }
              });
      threads[t].start();
    }
    tried("all", () -> received.await(20, TimeUnit.SECONDS));
    print(number[0]);
    did("close", lcm::close);
  }

  static void random(String seeds) throws Exception {
    for (int seed = 0; seed < Integer.parseInt(seeds); seed++) {
      Random rng = new Random(seed);
      LCM lcm = new LCM("memq://");
      List<LCMSubscriber> subscribers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        subscribers.add(printing("s" + i));
      }
      String[] patterns = {"A", "A.*", ".*", "A|B", "B", "C", "AB?C?", "a\\.b", "(?!A).*", "[AB]+"};
      String[] channels = {"A", "B", "AB", "ABC", "a.b", "C"};
      for (int n = 0; n < 300; n++) {
        String pattern = rng.nextInt(4) == 0 ? null : patterns[rng.nextInt(patterns.length)];
        LCMSubscriber who = rng.nextInt(4) == 0 ? null : subscribers.get(rng.nextInt(4));
        String channel = channels[rng.nextInt(channels.length)];
        byte[] data = new byte[rng.nextInt(40)];
        rng.nextBytes(data);
        int from = data.length == 0 ? 0 : rng.nextInt(data.length);
        int kind = rng.nextInt(8);
        if (kind < 2 && pattern != null && who != null) {
          did("subscribe " + pattern, () -> lcm.subscribe(pattern, who));
        } else if (kind == 2 && (pattern != null || who != null)) {
          did("unsubscribe " + pattern, () -> lcm.unsubscribe(pattern, who));
        } else if (kind > 2) {
          did("publish " + channel, () -> lcm.publish(channel, data, from, data.length - from));
          Barrier barrier = new Barrier(lcm);
          barrier.await();
          lcm.unsubscribe("BARRIER", null);
        }
        tried("number", lcm::getNumSubscriptions);
      }
      lcm.close();
    }
  }

  static void streams(String seeds) throws Exception {
    for (int seed = 0; seed < Integer.parseInt(seeds); seed++) {
      Random rng = new Random(seed);
      LCMDataOutputStream out =
          rng.nextBoolean() ? new LCMDataOutputStream() : new LCMDataOutputStream(1 + rng.nextInt(9));
      for (int n = 0; n < 60; n++) {
        int v = rng.nextInt();
        byte[] bytes = new byte[rng.nextInt(9)];
        rng.nextBytes(bytes);
        String text = "t\u00e9\u1234".substring(rng.nextInt(3));
        switch (rng.nextInt(17)) {
          case 0: out.write(bytes); break;
          case 1: out.write(bytes, bytes.length / 2, bytes.length - bytes.length / 2); break;
          case 2: out.writeCharsAsBytes(text.toCharArray()); break;
          case 3: out.write(v); break;
          case 4: out.writeBoolean(v > 0); break;
          case 5: out.writeByte(v); break;
          case 6: out.writeBytes(text); break;
          case 7: out.writeChar(v); break;
          case 8: out.writeChars(text); break;
          case 9: out.writeStringZ(text); break;
          case 10: out.writeDouble(rng.nextGaussian()); break;
          case 11: out.writeFloat(rng.nextFloat()); break;
          case 12: out.writeInt(v); break;
          case 13: out.writeLong(rng.nextLong()); break;
          case 14: out.writeShort(v); break;
          case 15: if (n > 50) { out.reset(); } break;
          default: print(out.size() + " " + hex(out.toByteArray()) + " " + (out.getBuffer().length >= out.size()));
        }
      }
      byte[] written = out.toByteArray();
      int from = rng.nextInt(written.length / 2 + 1);
      LCMDataInputStream in = new LCMDataInputStream(written, from, written.length - from);
      for (int n = 0; n < 80; n++) {
        byte[] bytes = new byte[rng.nextInt(9)];
        char[] chars = new char[rng.nextInt(5)];
        switch (rng.nextInt(16)) {
          case 0: did("bytes", () -> in.readFully(bytes)); print(hex(bytes)); break;
          case 1: did("part", () -> in.readFully(bytes, bytes.length / 2, bytes.length - bytes.length / 2)); print(hex(bytes)); break;
          case 2: did("chars", () -> in.readFullyBytesAsChars(chars)); print(new String(chars)); break;
          case 3: tried("boolean", in::readBoolean); break;
          case 4: tried("byte", in::readByte); break;
          case 5: tried("unsigned byte", in::readUnsignedByte); break;
          case 6: tried("char", () -> (int) in.readChar()); break;
          case 7: tried("short", in::readShort); break;
          case 8: tried("unsigned short", in::readUnsignedShort); break;
          case 9: tried("int", in::readInt); break;
          case 10: tried("long", in::readLong); break;
          case 11: tried("float", in::readFloat); break;
          case 12: tried("double", in::readDouble); break;
          case 13:
            boolean ends = new String(written, in.getBufferOffset(), in.available(), StandardCharsets.ISO_8859_1).indexOf(0) >= 0;
            if (ends) { // LCM's reads past the end otherwise
              tried("string", in::readStringZ);
            }
            break;
          case 14:
            if (in.available() > 4) {
              tried("skip", () -> in.skipBytes(rng.nextInt(4)));
            }
            break;
          default: if (rng.nextInt(3) == 0) { in.reset(); }
        }
        print(in.available() + " " + in.getBufferOffset());
      }
    }
  }

  static void aggregator(String url) throws Exception {
    LCM lcm = new LCM(url);
    MessageAggregator queue = new MessageAggregator();
    lcm.subscribe(".*", queue);
    Barrier barrier = new Barrier(lcm);
    print(queue.getMaxBufferSize() + " " + queue.getMaxMessages());
    Random rng = new Random(5);
    for (int n = 0; n < 300; n++) {
      switch (rng.nextInt(8)) {
        case 0: queue.setMaxMessages(rng.nextInt(6)); break;
        case 1: queue.setMaxBufferSize(rng.nextInt(60)); break;
        case 2:
        case 3: {
          MessageAggregator.Message next = queue.getNextMessage(rng.nextInt(2));
          print(next == null ? "none" : next.channel + " " + hex(next.data));
          break;
        }
        default: {
          lcm.publish("C" + n % 3, new byte[rng.nextInt(20)], 0, 0);
          lcm.publish("C" + n % 3, "text".substring(rng.nextInt(4)));
          barrier.await();
        }
      }
      print(queue.numMessagesAvailable() + " " + queue.getMaxMessages() + " " + queue.getMaxBufferSize());
    }
    queue.setMaxMessages(9);
    queue.setMaxBufferSize(1000);
    Thread late = new Thread(() -> did("  publish", () -> lcm.publish("LATE", "x")));
    late.start();
    MessageAggregator.Message last = null;
    while (last == null || !last.channel.equals("LATE")) {
      last = queue.getNextMessage();
    }
    late.join();
    printLater();
    print(last.channel);
    lcm.close();
  }

  static void urls() {
    String[] all = {
      "udpm://239.1.2.3:55?ttl=1&recv_buf_size=5&flag&x=true&s=2.5&ttl=3&e=",
      "memq://", "a:b", "://x", "a://", "a://b?", "a://b?c?d=1", "a://b?=3", "A://b?K=V", "file:///p/q?speed=1"
    };
    for (String url : all) {
      for (String key : new String[] {"protocol", "network", "ttl", "flag", "e", "x", "d", "K", "k", "c", "none"}) {
        tried(url + " " + key, () -> new URLParser(url).get(key));
        tried(url + " " + key, () -> new URLParser(url).get(key, "default"));
        tried(url + " " + key, () -> new URLParser(url).get(key, 7));
        tried(url + " " + key, () -> new URLParser(url).get(key, true));
        tried(url + " " + key, () -> new URLParser(url).get(key, 0.5));
      }
    }
  }

  static Log.Event event(Log log) throws IOException {
    Log.Event event = log.readNext();
    print("  " + event.eventNumber + " " + event.utime + " " + event.channel + " " + hex(event.data));
    return event;
  }

  static void logs(String seed) throws Exception {
    Random rng = new Random(Long.parseLong(seed));
    did("nowhere", () -> new Log("nowhere", "r"));
    did("mode", () -> new Log("log", "x"));
    Log written = new Log("log", "rw");
    for (int n = 0; n < 60; n++) {
      if (rng.nextInt(3) == 0) {
        int value = n;
        did("write", () -> written.write(1000 + value, "NUMBER", new Number(value)));
      } else {
        Log.Event event = new Log.Event();
        event.eventNumber = rng.nextLong();
        event.utime = 1000L * n;
        event.channel = new String[] {"A", "\u00e9\u1234", new String(new char[200]).replace('\0', 'L')}[rng.nextInt(3)];
        event.data = new byte[1 + rng.nextInt(rng.nextInt(20) == 0 ? 100_000 : 300)];
        rng.nextBytes(event.data);
        did("write", () -> written.write(event));
      }
      if (rng.nextInt(10) == 0) {
        did("flush", written::flush);
        print(new File("log").length());
      }
    }
    tried("position", written::getPositionFraction);
    tried("event", () -> event(written).utime);
    did("seek", () -> written.seekPositionFraction(0));
    tried("event", () -> event(written).utime);
    did("close", written::close);
    did("close", written::close);
    print(written.getPath() + " " + new File("log").length());
    Log log = new Log("log", "r");
    for (int n = 0; n < 62; n++) {
      tried("event", () -> event(log).utime);
      tried("position", log::getPositionFraction);
    }
    for (double to : new double[] {0, 0.1, 0.25, 0.5, 0.77, 0.9, 0.99, 1, 1.5, -1}) {
      did("seek " + to, () -> log.seekPositionFraction(to));
      if (to >= 0) {
        tried("event", () -> event(log).utime);
      }
    }
    log.close();
    // Written from the first byte on, over what is there.
    Log again = new Log("log", "rw");
    again.write(7, "AGAIN", new Number(7));
    again.close();
    byte[] whole = Files.readAllBytes(new File("log").toPath());
    print(whole.length + " " + Arrays.hashCode(whole));
    for (int n = 0; n < 40; n++) {
      byte[] damaged = Arrays.copyOf(whole, n % 3 == 0 ? whole.length : 1 + rng.nextInt(whole.length));
      for (int i = 0; i < n % 5; i++) {
        damaged[rng.nextInt(Math.min(damaged.length, 2000))] = (byte) rng.nextInt(256);
      }
      Files.write(new File("damaged").toPath(), damaged);
      Log bad = new Log("damaged", "r");
      boolean more = true;
      for (int i = 0; more && i < 100; i++) {
        try {
          event(bad);
        } catch (EOFException end) {
          print("  end");
          more = false;
        } catch (IOException e) {
          print("  fails");
          more = false;
        }
      }
      bad.close();
    }
    for (int length : new int[] {1, 254, 255, 256, 257, 999}) {
      Log names = new Log("names" + length, "rw");
      names.write(1, new String(new char[length]).replace('\0', 'n'), new Number(1));
      names.write(2, "next", new Number(2));
      names.close();
      Log back = new Log("names" + length, "r");
      tried(length, () -> event(back).utime);
      back.close();
    }
    for (String url : new String[] {"file://log?speed=0&delay=0", "file://log?speed=100&delay=0&skip=0.5"}) {
      CountDownLatch last = new CountDownLatch(url.contains("skip") ? 3 : 30);
      LCM lcm = new LCM(url);
      LCMSubscriber out = printing("played");
      lcm.subscribe(".*", (from, channel, in) -> {
        if (last.getCount() > 0) {
          out.messageReceived(from, channel, in);
        }
        last.countDown();
      });
      tried("all", () -> last.await(20, TimeUnit.SECONDS));
      printLater();
      lcm.close();
    }
  }

  /** Waits for a message of another program, and answers it; or asks. */
  static void talk(String what) throws Exception {
    LCM lcm = new LCM();
    CountDownLatch done = new CountDownLatch(what.equals("answer") ? 1 : 3);
    if (what.equals("answer")) {
      lcm.subscribe("ASK", (from, channel, in) -> {
        for (int i = 0; i < 3; i++) {
          byte[] bytes = new byte[70_000 * (i % 2) + 1];
          did("answer", () -> from.publish("ANSWER", bytes, 0, bytes.length));
        }
        done.countDown();
      });
      print("ready");
    } else {
      LCMSubscriber out = printing("answer");
      lcm.subscribe("ANSWER", (from, channel, in) -> {
        out.messageReceived(from, channel, in);
        done.countDown();
      });
      lcm.publish("ASK", "question");
    }
    print(done.await(20, TimeUnit.SECONDS));
    printLater();
    lcm.close();
  }

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "calls": calls(args[1]); break;
      case "callbacks": callbacks(args[1]); break;
      case "random": random(args[1]); break;
      case "streams": streams(args[1]); break;
      case "aggregator": aggregator(args[1]); break;
      case "urls": urls(); break;
      case "logs": logs(args[1]); break;
      default: talk(args[1]);
    }
    System.exit(0);
  }
}
