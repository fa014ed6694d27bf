/* One thread waits for two channels at once, and receives two messages. */
#include <saltus.h>
#include <stdio.h>

int main(void)
{
    static const char *const names[] = {"imu", "distance"};
    saltus_domain domain = SALTUS_HANDLE_INIT;
    saltus_domain_subscriber both[2] = {SALTUS_HANDLE_INIT, SALTUS_HANDLE_INIT};
    const saltus_message *message;
    size_t i, received = 0;
    int code = saltus_domain_open(NULL, &domain);
    for (i = 0; i < 2 && code == SALTUS_OK; i++)
        code = saltus_domain_subscriber_open(domain, names[i], NULL, &both[i]);
    while (code == SALTUS_OK && received < 2) {
        code = saltus_domain_wait_any(both, 2, SALTUS_AFTER(10000000000), &i);
        if (code != SALTUS_OK)
            break;
        code = saltus_domain_receive(both[i], SALTUS_POLL, &message);
        if (code == SALTUS_OK) {
            printf("%s: %.*s\n", message->channel, (int)message->len, (const char *)message->data);
            received++;
        } else if (code == SALTUS_NOTHING) {
            code = SALTUS_OK; /* the message was overwritten in the meantime */
        }
    }
    if (code != SALTUS_OK)
        fprintf(stderr, "wait: %s\n", code == SALTUS_NOTHING ? saltus_strerror(code) : saltus_last_error());
    saltus_domain_subscriber_close(both[0]);
    saltus_domain_subscriber_close(both[1]);
    saltus_domain_close(domain);
    return code != SALTUS_OK;
}
