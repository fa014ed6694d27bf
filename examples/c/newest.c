/* Waits for the newest message of channel "imu", at most ten seconds. Run `publish` before it or while it waits. */
#include <saltus.h>
#include <stdio.h>

int main(void)
{
    saltus_domain domain = SALTUS_HANDLE_INIT;
    saltus_domain_subscriber subscriber = SALTUS_HANDLE_INIT;
    const saltus_message *message;
    int code = saltus_domain_open(NULL, &domain);
    if (code == SALTUS_OK)
        code = saltus_domain_subscriber_open(domain, "imu", NULL, &subscriber);
    if (code == SALTUS_OK)
        code = saltus_domain_receive(subscriber, SALTUS_AFTER(10000000000), &message);
    if (code == SALTUS_OK)
        printf("%.*s\n", (int)message->len, (const char *)message->data);
    else
        fprintf(stderr, "newest: %s\n", code == SALTUS_NOTHING ? saltus_strerror(code) : saltus_last_error());
    saltus_domain_subscriber_close(subscriber);
    saltus_domain_close(domain);
    return code != SALTUS_OK;
}
