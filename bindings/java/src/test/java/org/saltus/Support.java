package org.saltus;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A domain in shared memory that nobody else has, and other programs; all gone at the end. */
final class Support implements AutoCloseable {
  /** So long anything may take that should take a moment: the machine may be busy. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  final Path directory;
  final String url;
  private final List<Process> running = new ArrayList<>();

  Support() throws IOException {
    directory = Files.createTempDirectory(Paths.get("/dev/shm"), "saltus-java-");
    url = "shm://" + directory;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The next message, which must come. */
  static <M extends Message> M received(Receiver<M> subscriber) {
    M message = subscriber.receive(PATIENCE);
    assertNotNull(message, "no message came");
    return message;
  }

  /** What starts a program with this class path. What JNI warns of goes to its output. */
  static List<String> java(Class<?> program, String... args) {
    List<String> line = new ArrayList<>();
    line.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
    // Saltus handles SIGBUS and forwards the JVM's own faults; the checks would report that handler.
    line.addAll(Arrays.asList("-Xcheck:jni", "-XX:+AllowUserSignalHandlers"));
    line.addAll(Arrays.asList("-Xshare:auto", "-XX:TieredStopAtLevel=1"));
    line.addAll(Arrays.asList("-cp", System.getProperty("java.class.path"), program.getName()));
    line.addAll(Arrays.asList(args));
    return line;
  }

  /** Starts a program, and waits for its first line. */
  Process start(Class<?> program, String... args) throws IOException {
    Process process = new ProcessBuilder(java(program, args)).redirectErrorStream(true).start();
    running.add(process);
    BufferedReader out = reader(process);
    String first = out.readLine();
    assertTrue(first != null && first.equals("ready"), () -> first + "\n" + rest(out));
    return process;
  }

  static BufferedReader reader(Process process) {
    InputStreamReader in = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8);
    return new BufferedReader(in);
  }

  private static String rest(BufferedReader out) {
    return out.lines().collect(Collectors.joining("\n"));
  }

  /** Runs a program to its end, and gives what it says. */
  static String run(List<String> line) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String said = rest(reader(process));
    assertTrue(process.waitFor(PATIENCE.getSeconds(), TimeUnit.SECONDS), said);
    assertFalse(said.contains("in native method"), said);
    assertTrue(process.exitValue() == 0, said);
    return said;
  }

  /** Kills a program, as `kill -9` does. */
  static void kill(Process process) throws InterruptedException {
    process.destroyForcibly();
    assertTrue(process.waitFor(PATIENCE.getSeconds(), TimeUnit.SECONDS));
  }

  @Override
  public void close() throws IOException {
    running.forEach(Process::destroyForcibly);
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
        Files.deleteIfExists(path);
      }
    }
  }
}
