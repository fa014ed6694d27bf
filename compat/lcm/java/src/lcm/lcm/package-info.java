/**
 * LCM's Java package over Saltus: programs of LCM run unchanged with this jar in place of LCM's.
 *
 * <p>{@code LCM_DEFAULT_URL=shm://} moves them to shared memory; LCM's own URLs stay on its network,
 * next to programs with LCM's library.
 */
package lcm.lcm;
