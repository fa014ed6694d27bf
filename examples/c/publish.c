/* Publishes three readings of an IMU, and one of a distance sensor, in the domain of $SALTUS_DOMAIN. */
#include <saltus.h>
#include <stdio.h>
#include <string.h>

static int publish(saltus_domain domain, const char *channel, const char *const *texts, int count)
{
    saltus_domain_publisher publisher = SALTUS_HANDLE_INIT;
    int i, failed = saltus_domain_publisher_open(domain, channel, NULL, &publisher);
    for (i = 0; i < count && !failed; i++)
        failed = saltus_domain_publish(publisher, texts[i], strlen(texts[i]));
    saltus_domain_publisher_close(publisher);
    return failed;
}

int main(void)
{
    static const char *const tilts[] = {"tilt 0.01", "tilt 0.02", "tilt 0.03"};
    static const char *const distances[] = {"1.5 m"};
    saltus_domain domain = SALTUS_HANDLE_INIT;
    int failed = saltus_domain_open(NULL, &domain) || publish(domain, "imu", tilts, 3)
        || publish(domain, "distance", distances, 1);
    if (failed)
        fprintf(stderr, "publish: %s\n", saltus_last_error());
    saltus_domain_close(domain);
    return failed;
}
