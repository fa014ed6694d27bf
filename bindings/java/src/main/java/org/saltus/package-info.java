/**
 * Publish and subscribe by URL: shared memory, LCM's networks, and logs.
 *
 * <pre>{@code
 * try (Domain domain = Domain.open("shm://");
 *     Subscriber subscriber = domain.subscriber("imu");
 *     Publisher publisher = domain.publisher("imu")) {
 *   publisher.publish("tilt 0.02".getBytes(StandardCharsets.UTF_8));
 *   Message message = subscriber.receive(Duration.ofSeconds(1));
 * }
 * }</pre>
 *
 * <p>Whatever is opened is to be closed, best by {@code try}. An argument that is null is a {@link
 * java.lang.NullPointerException}. What waits says so; nothing else blocks but in the file system,
 * or while a network is joined.
 */
package org.saltus;
