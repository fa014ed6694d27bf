/* A picture that is never copied: the publisher builds it in the channel's memory, and the subscriber reads it there. */
#include <saltus.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 480 };

struct image {
    uint32_t width, height;
    uint8_t pixels[WIDTH * HEIGHT];
};

static int check(const char *what, int code)
{
    if (code > 0)
        fprintf(stderr, "loan: %s: %s\n", what, saltus_last_error());
    return code;
}

/* Builds a picture in place. A camera's driver would let the camera write there. */
static int publish(saltus_channel_publisher publisher)
{
    void *room;
    struct image *image;
    size_t used = offsetof(struct image, pixels) + WIDTH * (HEIGHT / 2);

    if (check("borrow", saltus_channel_loan(publisher, sizeof *image, &room)))
        return 1;
    image = room;
    image->width = WIDTH;
    image->height = HEIGHT / 2; /* the picture is smaller than the loan */
    memset(image->pixels, 7, WIDTH * (HEIGHT / 2));
    return check("publish", saltus_channel_loan_publish(publisher, used, NULL));
}

/* Sums up the pixels in place. The publisher may overwrite them in the meantime, so the sum counts only after validation. */
static int look(saltus_channel_subscriber subscriber)
{
    for (;;) {
        const void *message;
        const struct image *image;
        saltus_message_info info;
        unsigned long sum = 0;
        size_t len, i;
        uint32_t width;
        int code = saltus_channel_view(subscriber, SALTUS_NEWEST, SALTUS_AFTER(1000000000), &message, &len);

        if (code == SALTUS_OVERRUN)
            continue;
        if (code != SALTUS_OK)
            return check("look", code);
        image = message;
        /* Never trust a size from the message: stay within the length of the view. */
        for (i = offsetof(struct image, pixels); i < len; i++)
            sum += ((const uint8_t *)message)[i];
        memcpy(&width, &image->width, sizeof width);

        code = saltus_channel_validate(subscriber, &info);
        if (code == SALTUS_OVERRUN)
            continue; /* overwritten in the meantime: view the newest again */
        if (check("validate", code))
            return 1;
        printf("picture %d: %u pixels wide, %d bytes, sum %lu\n", (int)info.seq, (unsigned)width, (int)info.len, sum);
        return 0;
    }
}

int main(void)
{
    saltus_channel channel = SALTUS_HANDLE_INIT;
    saltus_channel_publisher publisher = SALTUS_HANDLE_INIT;
    saltus_channel_subscriber subscriber = SALTUS_HANDLE_INIT;
    saltus_attributes attributes;
    int failed;

    saltus_attributes_init(&attributes, sizeof attributes);
    attributes.depth = 4;
    attributes.max_message_size = sizeof(struct image);
    failed = check("create", saltus_channel_replace(NULL, "camera", &attributes, &channel))
        || check("open a publisher", saltus_channel_publisher_open(channel, &publisher))
        || check("open a subscriber", saltus_channel_subscriber_open(channel, NULL, &subscriber))
        || publish(publisher) || look(subscriber);
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_publisher_close(publisher);
    saltus_channel_close(channel);
    return failed || saltus_channel_unlink(NULL, "camera");
}
