import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.saltus.Domain;
import org.saltus.Publisher;
import org.saltus.Subscriber;

/**
 * A message of 64 bytes from one process of Java to another and back: half of the way there and back, in ns.
 *
 * <p>Hop NAME, then "COUNT Java hop" on the standard input. The other process is this program too, and is told what both
 * must know.
 */
public final class Hop {
  /** One end. */
  interface End {
    void send(ByteBuffer message) throws IOException;

    void receive(ByteBuffer message) throws IOException, InterruptedException;
  }

  /** A datagram socket of this machine: the floor. */
  private static final class Udp implements End {
    private final DatagramChannel channel = DatagramChannel.open();

    Udp(int own, int other) throws IOException {
      InetAddress here = InetAddress.getLoopbackAddress();
      channel.bind(new InetSocketAddress(here, own)).connect(new InetSocketAddress(here, other));
    }

    @Override
    public void send(ByteBuffer message) throws IOException {
      channel.write(message);
    }

    @Override
    public void receive(ByteBuffer message) throws IOException {
      channel.read(message);
    }
  }

  /** shm:// */
  private static final class Saltus implements End {
    private static final Duration LONG = Duration.ofDays(1);
    private final Publisher publisher;
    private final Subscriber subscriber;

    Saltus(String directory, String there, String back) {
      Domain domain = Domain.open("shm://" + directory);
      publisher = domain.publisher(there);
      subscriber = domain.subscriber(back);
    }

    @Override
    public void send(ByteBuffer message) {
      publisher.publish(message);
    }

    @Override
    public void receive(ByteBuffer message) {
      subscriber.receive(message, LONG);
    }
  }

  private static int freePort() throws IOException {
    try (DatagramChannel free = DatagramChannel.open()) {
      free.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return ((InetSocketAddress) free.getLocalAddress()).getPort();
    }
  }

  /** What both ends must know. */
  private static String common(String kind) throws IOException {
    switch (kind) {
      case "udp":
        return freePort() + ":" + freePort();
      case "lcm":
        return Integer.toString(freePort());
      default:
        return Files.createTempDirectory(Paths.get("/dev/shm"), "saltus-bench-hop-").toString();
    }
  }

  private static End end(String kind, String common, boolean first)
      throws IOException, ReflectiveOperationException {
    String there = first ? "a" : "b";
    String back = first ? "b" : "a";
    switch (kind) {
      case "udp":
        String[] ports = common.split(":");
        int[] both = {Integer.parseInt(ports[0]), Integer.parseInt(ports[1])};
        return first ? new Udp(both[0], both[1]) : new Udp(both[1], both[0]);
      case "lcm":
        // Compiled only where LCM is.
        Class<?> lcm = Class.forName("LcmEnd");
        Class<?>[] words = {String.class, String.class, String.class};
        return (End) lcm.getDeclaredConstructor(words).newInstance(common, there, back);
      default:
        return new Saltus(common, there, back);
    }
  }

  /** Sends back whatever comes, until its standard input ends. */
  private static void echo(End end) throws IOException, InterruptedException {
    Thread watch =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {}
              } catch (IOException e) {
                // That is an end, too.
              }
              Runtime.getRuntime().halt(0);
            });
    watch.start();
    System.out.println("ready");
    ByteBuffer message = ByteBuffer.allocateDirect(64);
    while (true) {
      message.clear();
      end.receive(message);
      message.flip();
      end.send(message);
    }
  }

  private static long hop(End end, ByteBuffer out, ByteBuffer in)
      throws IOException, InterruptedException {
    out.clear();
    in.clear();
    long start = System.nanoTime();
    end.send(out);
    end.receive(in);
    long took = System.nanoTime() - start;
    if (in.position() != 64 || in.get(0) != out.get(0)) {
      throw new IllegalStateException(in.position() + " bytes came back");
    }
    return took / 2;
  }

  private static Process other(String kind, String common) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(ProcessHandle.current().info().command().orElse("java"));
    line.add("-Dorg.saltus.library=" + System.getProperty("org.saltus.library"));
    line.addAll(List.of("-classpath", System.getProperty("java.class.path"), "Hop", kind, common));
    return new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  public static void main(String[] args) throws Exception {
    String kind = args[0];
    if (args.length > 1) {
      echo(end(kind, args[1], false));
    }
    String common = common(kind);
    Process other = other(kind, common);
    try {
      End end = end(kind, common, true);
      new BufferedReader(new InputStreamReader(other.getInputStream())).readLine();
      ByteBuffer out = ByteBuffer.allocateDirect(64);
      ByteBuffer in = ByteBuffer.allocateDirect(64);
      out.put(0, (byte) 7);
      hop(end, out, in);
      System.out.println("ready");
      BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        StringBuilder times = new StringBuilder();
        for (int i = Integer.parseInt(line.split(" ")[0]); i > 0; i--) {
          times.append(hop(end, out, in)).append(' ');
        }
        System.out.println(times);
      }
    } finally {
      other.destroyForcibly().waitFor();
      if (kind.equals("saltus")) {
        try (Stream<Path> all = Files.walk(Paths.get(common))) {
          all.sorted(Comparator.reverseOrder()).forEach(one -> one.toFile().delete());
        }
      }
    }
    System.exit(0); // LCM's threads must not keep it
  }
}
