/* Encodes, decodes, copies and publishes messages of generated code, and decodes damaged ones. The generator and the headers may be
 * LCM's or ours: it prints the same. */
#include "message.h"
#include <stdio.h>

static int called;

static void received(const lcm_recv_buf_t *rbuf, const char *channel, const p_all_t *msg, void *user) {
    called++;
    printf("%s %u: %s %d %s\n", channel, rbuf->data_size, msg->h, msg->arr[1], (const char *)user);
}

static void print(const uint8_t *bytes, int n) {
    int i;
    for (i = 0; i < n; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

int main(void) {
    p_all_t decoded, *copy;
    uint8_t bytes[1000], again[1000];
    int size = p_all_t_encoded_size(&all), n, i;
    lcm_t *lcm;
    p_all_t_subscription_t *subs;
    lcm_field_t field;

    printf("%d %016llx %d\n", P_ALL_T_K, (unsigned long long)__p_all_t_get_hash(), size);
    n = p_all_t_encode(bytes, 3, size, &all);
    printf("encoded %d\n", n);
    print(bytes + 3, n);
    printf("too small %d\n", p_all_t_encode(again, 0, size - 1, &all) < 0);
    printf("decoded %d\n", p_all_t_decode(bytes, 3, n, &decoded));
    copy = p_all_t_copy(&decoded);
    p_all_t_decode_cleanup(&decoded);
    n = p_all_t_encode(again, 0, sizeof again, copy);
    printf("same %d\n", n == size && memcmp(again, bytes + 3, (size_t)n) == 0);
    p_all_t_destroy(copy);

    printf("fields %d", p_all_t_num_fields());
    for (i = 0; i < p_all_t_num_fields(); i++)
        if (p_all_t_get_field(&all, i, &field) == 0)
            printf(" %s:%d:%s:%d", field.name, (int)field.type, field.typestr, field.num_dim);
    printf("\nsize by its type %d\n", p_all_t_get_type_info()->encoded_size(&all));

    lcm = lcm_create("memq://");
    subs = p_all_t_subscribe(lcm, "ALL", received, (void *)"mine");
    printf("capacity %d\n", p_all_t_subscription_set_queue_capacity(subs, 5));
    printf("published %d\n", p_all_t_publish(lcm, "ALL", &all));
    printf("handled %d\n", lcm_handle(lcm));
    /* Of another type: it is reported, and not passed on. */
    printf("published %d\n", p_inner_t_publish(lcm, "ALL", &vi[1]));
    printf("handled %d\n", lcm_handle(lcm));
    printf("called %d, ended %d\n", called, p_all_t_unsubscribe(lcm, subs));
    lcm_destroy(lcm);
    return 0;
}
