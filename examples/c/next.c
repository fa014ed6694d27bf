/* Receives all kept messages, in order, of every channel whose name begins with "i". */
#include <saltus.h>
#include <stdio.h>

int main(void)
{
    saltus_domain domain = SALTUS_HANDLE_INIT;
    saltus_domain_subscriber subscriber = SALTUS_HANDLE_INIT;
    saltus_domain_options options;
    const saltus_message *message;
    int code;

    saltus_domain_options_init(&options, sizeof options);
    options.depth = 100; /* of each channel */
    options.start = SALTUS_START_OLDEST;
    options.by = SALTUS_BY_PATTERN;
    code = saltus_domain_open(NULL, &domain);
    if (code == SALTUS_OK)
        code = saltus_domain_subscriber_open(domain, "i.*", &options, &subscriber);
    while (code == SALTUS_OK && (code = saltus_domain_receive(subscriber, SALTUS_POLL, &message)) == SALTUS_OK)
        printf("%s: %.*s, missed %d\n", message->channel, (int)message->len, (const char *)message->data,
               (int)(message->missed + message->dropped));
    if (code != SALTUS_NOTHING)
        fprintf(stderr, "next: %s\n", saltus_last_error());
    saltus_domain_subscriber_close(subscriber);
    saltus_domain_close(domain);
    return code != SALTUS_NOTHING;
}
