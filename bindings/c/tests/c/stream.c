/* stream CHANNEL: publishes in a domain until it is killed: message i is 1 + i % 50 words that are all i. */
#include <saltus.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    saltus_domain domain;
    saltus_domain_publisher publisher;
    uint64_t words[50], i, n;

    if (argc != 2 || saltus_domain_open(NULL, &domain)
        || saltus_domain_publisher_open(domain, argv[1], NULL, &publisher)) {
        fprintf(stderr, "stream: %s\n", saltus_last_error());
        return 1;
    }
    for (i = 0;; i++) {
        for (n = 0; n <= i % 50; n++)
            words[n] = i;
        if (saltus_domain_publish(publisher, words, (size_t)n * sizeof *words)) {
            fprintf(stderr, "stream: %s\n", saltus_last_error());
            return 1;
        }
    }
}
