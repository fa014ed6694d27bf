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
 * <p>Close each object that you open, best with {@code try}. A null argument throws a {@link
 * java.lang.NullPointerException}. Methods that wait say so in their description. Other methods
 * block only in the file system, or while they join a network.
 */
package org.saltus;
