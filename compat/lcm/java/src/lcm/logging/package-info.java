/** LCM's logs. */
package lcm.logging;
