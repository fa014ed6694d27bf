// Says what it finds in messages, in the same words whoever generated the code: fields, sizes, bytes.
#include "messages.h"
#include "types.h"

#include <lcm/lcm_coretypes.h>
#include <string.h>

#define ENTRY(T) {#T, T##_get_type_info, __##T##_get_hash},
static const struct {
    const char *name;
    const lcm_type_info_t *(*info)(void);
    int64_t (*hash)(void);
} types[] = {TYPES(ENTRY)};

int main(int argc, char **argv) {
    FILE *file = open_messages(argc, argv, 1);
    message next; // all are right
    while (next_message(file, &next)) {
        const lcm_type_info_t *info = types[next.type].info();
        const size_t len = next.len;
        unsigned char *bytes = next.bytes, *again = malloc(len);
        void *message = calloc(1, (size_t)info->struct_size());
        if (again == NULL || message == NULL) {
            return 2;
        }
        printf("%s %zu bytes, struct of %d, hash %016llx %016llx\n", types[next.type].name, len, (int)info->struct_size(),
               (unsigned long long)types[next.type].hash(), (unsigned long long)info->get_hash());
        int took = info->decode(bytes, 0, (int)len, message);
        int size = took < 0 ? -1 : info->encoded_size(message);
        int made = size != (int)len ? -1 : info->encode(again, 0, size, message);
        printf("  decoded %d, size %d, encoded %d, the same: %d\n", took, size, made, memcmp(bytes, again, len) == 0);
        printf("  a byte less: %d %d\n", info->decode(bytes, 0, (int)len - 1, message) < 0,
               info->encode(again, 0, (int)len - 1, message) < 0);
        took = info->decode(bytes, 0, (int)len, message);
        for (int i = -1; i <= info->num_fields(); i++) {
            lcm_field_t field;
            memset(&field, 0, sizeof field);
            int status = info->get_field(message, i, &field);
            if (status != 0 || i < 0 || i >= info->num_fields()) {
                printf("  field %d: %d\n", i, status != 0);
                continue;
            }
            printf("  field %d: %s type %d %s at %d", i, field.name, (int)field.type, field.typestr,
                   (int)((char *)field.data - (char *)message));
            for (int d = 0; d < field.num_dim; d++) {
                printf(" [%d%s]", (int)field.dim_size[d], field.dim_is_variable[d] ? " variable" : "");
            }
            printf("\n");
        }
        info->decode_cleanup(message);
        free(message);
        free(again);
        free(bytes);
    }
    fclose(file);
    return 0;
}
