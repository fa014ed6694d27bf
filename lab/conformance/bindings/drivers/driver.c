/* Speaks for C: see README.md for the words. */
#define _GNU_SOURCE
#include "words.h"

#include "conformance_other_t.h"
#include "conformance_reading_t.h"

#include <poll.h>
#include <pthread.h>
#include <time.h>

typedef union any_t {
    saltus_domain domain;
    saltus_domain_publisher publisher;
    saltus_domain_subscriber subscriber;
    saltus_log log;
    saltus_log_writer writer;
} any_t;

typedef struct thing_t {
    char name[16];
    any_t handle;
    int is_typed;
} thing_t;

static thing_t things[64];

/* The thing of that name, or room for it. */
static thing_t *thing(const char *name)
{
    thing_t *at = things;
    while (at->name[0] && strcmp(at->name, name) != 0) {
        if (++at == things + 63) {
            fputs("driver: too many things\n", stderr);
            exit(3);
        }
    }
    snprintf(at->name, sizeof at->name, "%s", name);
    return at;
}

static any_t handle(const words_t *w, int i) { return thing(word(w, i))->handle; }

static void pause_ns(uint64_t ns)
{
    struct timespec time;
    time.tv_sec = (time_t)(ns / 1000000000);
    time.tv_nsec = (long)(ns % 1000000000);
    nanosleep(&time, NULL);
}

static const saltus_type reading = {CONFORMANCE_READING_T_TYPE_NAME, CONFORMANCE_READING_T_FINGERPRINT,
                                    conformance_reading_t_schema};
static const saltus_type other = {CONFORMANCE_OTHER_T_TYPE_NAME, CONFORMANCE_OTHER_T_FINGERPRINT,
                                  conformance_other_t_schema};

static const saltus_type *type_of(const char *word)
{
    return word[0] == '-' ? NULL : strcmp(word, "other") == 0 ? &other : &reading;
}

static int domain(const words_t *w, out_t *out)
{
    blob_t url = blob_of(word(w, 2));
    saltus_domain made;
    int code = saltus_domain_open(url.data, &made);
    (void)out;
    thing(word(w, 1))->handle.domain = made;
    free(url.data);
    return code;
}

static int publisher(const words_t *w, out_t *out)
{
    blob_t channel = blob_of(word(w, 3));
    saltus_domain_publisher made;
    int code = saltus_domain_publisher_open(handle(w, 2).domain, channel.data, type_of(word(w, 4)), &made);
    (void)out;
    thing(word(w, 1))->handle.publisher = made;
    free(channel.data);
    return code;
}

static int subscriber(const words_t *w, out_t *out)
{
    blob_t channel = blob_of(word(w, 4));
    const char *start = word(w, 6);
    saltus_domain_subscriber made;
    saltus_domain_options options;
    int code = saltus_domain_options_init(&options, sizeof options);
    (void)out;
    options.by = strcmp(word(w, 3), "pattern") == 0 ? SALTUS_BY_PATTERN : SALTUS_BY_NAME;
    options.depth = number(word(w, 5));
    options.start = strcmp(start, "now") == 0 ? SALTUS_START_NOW
                    : strcmp(start, "oldest") == 0 ? SALTUS_START_OLDEST : SALTUS_START_NEWEST;
    options.expected = type_of(word(w, 7));
    if (code == SALTUS_OK) {
        code = saltus_domain_subscriber_open(handle(w, 2).domain, channel.data, &options, &made);
        thing(word(w, 1))->handle.subscriber = made;
        thing(word(w, 1))->is_typed = options.expected != NULL;
    }
    free(channel.data);
    return code;
}

static int publish(const words_t *w, out_t *out)
{
    blob_t message = blob_of(word(w, 2));
    int code = saltus_domain_publish(handle(w, 1).publisher, message.length ? message.data : NULL, message.length);
    (void)out;
    free(message.data);
    return code;
}

/* The message of the type whose fields begin at word `at`; to be freed. */
static int encoded(const words_t *w, int at, blob_t *message)
{
    int16_t samples[64];
    blob_t place = blob_of(word(w, at + 2));
    conformance_reading_t r;
    int size;
    r.utime = (int64_t)strtoll(word(w, at), NULL, 10);
    r.value = double_of(word(w, at + 1));
    r.place = place.data;
    r.count = (int32_t)strtol(word(w, at + 3), NULL, 10);
    r.samples = samples;
    (void)samples_of(word(w, at + 4), samples, 64);
    size = conformance_reading_t_encoded_size(&r);
    message->data = malloc(size > 0 ? (size_t)size : 1);
    size = size < 0 ? size : conformance_reading_t_encode(message->data, 0, size, &r);
    message->length = size < 0 ? 0 : (size_t)size;
    free(place.data);
    return size < 0 ? SALTUS_ENCODE_FAILED : SALTUS_OK;
}

static int publish_reading(const words_t *w, out_t *out)
{
    blob_t message;
    int code = encoded(w, 2, &message);
    (void)out;
    if (code == SALTUS_OK) {
        code = saltus_domain_publish(handle(w, 1).publisher, message.data, message.length);
    }
    free(message.data);
    return code;
}

static int publish_other(const words_t *w, out_t *out)
{
    conformance_other_t o;
    uint8_t message[24];
    int size;
    (void)out;
    o.utime = (int64_t)strtoll(word(w, 2), NULL, 10);
    o.value = double_of(word(w, 3));
    size = conformance_other_t_encode(message, 0, sizeof message, &o);
    return size < 0 ? SALTUS_ENCODE_FAILED : saltus_domain_publish(handle(w, 1).publisher, message, (size_t)size);
}

static int tell(const thing_t *of, int code, const saltus_message *m, out_t *out)
{
    conformance_reading_t r;
    if (code != SALTUS_OK) {
        return code;
    }
    put_text(out, "message");
    put_hex_word(out, m->channel, m->channel_len);
    put_known(out, m->missed);
    put_known(out, m->dropped);
    put_known(out, m->sequence);
    if (!of->is_typed) {
        put_bytes(out, m->data, m->len);
        return code;
    }
    if (conformance_reading_t_decode(m->data, 0, (int)m->len, &r) < 0) {
        return SALTUS_DECODE_FAILED;
    }
    put_number(out, r.utime);
    put_bits(out, r.value);
    put_hex_word(out, r.place, strlen(r.place));
    put_number(out, r.count);
    put_samples(out, r.samples, r.count);
    conformance_reading_t_decode_cleanup(&r);
    return code;
}

static int receive(const words_t *w, out_t *out)
{
    const saltus_message *m;
    int code = saltus_domain_receive(handle(w, 1).subscriber, until_of(word(w, 2)), &m);
    return tell(thing(word(w, 1)), code, m, out);
}

static int current(const words_t *w, out_t *out)
{
    const saltus_message *m;
    int code = saltus_domain_current(handle(w, 1).subscriber, until_of(word(w, 2)), &m);
    return tell(thing(word(w, 1)), code, m, out);
}

static int wait_any(const words_t *w, out_t *out)
{
    saltus_domain_subscriber all[MOST_WORDS];
    size_t index = 0;
    int i, code;
    for (i = 2; i < w->count; i++) {
        all[i - 2] = handle(w, i).subscriber;
    }
    code = saltus_domain_wait_any(all, (size_t)(w->count - 2), until_of(word(w, 1)), &index);
    if (code == SALTUS_OK) {
        put_text(out, "ok");
        put_number(out, (int64_t)index);
    }
    return code;
}

static int readable(const words_t *w, out_t *out)
{
    struct pollfd poll_fd = {-1, POLLIN, 0};
    int code = saltus_domain_event_fd(handle(w, 1).subscriber, &poll_fd.fd);
    (void)out;
    return code != SALTUS_OK ? code : poll(&poll_fd, 1, (int)number(word(w, 2))) == 1 ? SALTUS_OK : SALTUS_NOTHING;
}

static int cancel(const words_t *w, out_t *out)
{
    (void)out;
    return saltus_domain_cancel(handle(w, 1).subscriber);
}

typedef struct later_t {
    saltus_domain_subscriber subscriber;
    uint64_t ns;
} later_t;

static void *cancel_then(void *argument)
{
    later_t *later = argument;
    pause_ns(later->ns);
    saltus_domain_cancel(later->subscriber);
    free(later);
    return NULL;
}

static int cancel_later(const words_t *w, out_t *out)
{
    pthread_t thread;
    later_t *later = malloc(sizeof *later);
    (void)out;
    later->subscriber = handle(w, 1).subscriber;
    later->ns = number(word(w, 2)) * 1000000;
    return pthread_create(&thread, NULL, cancel_then, later) || pthread_detach(thread) ? SALTUS_SYSTEM : SALTUS_OK;
}

static int cancel_reset(const words_t *w, out_t *out)
{
    (void)out;
    return saltus_domain_cancel_reset(handle(w, 1).subscriber);
}

static int add_name(const char *name, void *out)
{
    put_hex_word(out, name, strlen(name));
    return 0;
}

static int names(const words_t *w, out_t *out)
{
    put_text(out, "ok");
    return saltus_domain_channels(handle(w, 1).domain, add_name, out);
}

static int stream(const words_t *w, out_t *out)
{
    uint64_t n = number(word(w, 3)), end = n + number(word(w, 2)), gap = number(word(w, 4)) * 1000;
    int code = SALTUS_OK;
    (void)out;
    for (; n < end && code == SALTUS_OK; n++) {
        uint8_t message[8];
        number_into(message, n);
        code = saltus_domain_publish(handle(w, 1).publisher, message, sizeof message);
        if (gap) {
            pause_ns(gap);
        }
    }
    return code;
}

/* Receives until message `last`, or until nothing comes any more. */
static int count(const words_t *w, out_t *out)
{
    uint64_t last = 0, until = number(word(w, 2)), received = 0, missed = 0, dropped = 0;
    const saltus_message *m;
    int code = SALTUS_OK;
    while (last < until && code == SALTUS_OK) {
        code = saltus_domain_receive(handle(w, 1).subscriber, until_of(word(w, 3)), &m);
        if (code == SALTUS_OK) {
            last = number_in(m->data, m->len);
            received++;
            missed = sum(missed, m->missed);
            dropped = sum(dropped, m->dropped);
        }
    }
    put_text(out, "ok");
    put_number(out, (int64_t)received);
    put_known(out, missed);
    put_known(out, dropped);
    put_number(out, (int64_t)last);
    return code == SALTUS_NOTHING ? SALTUS_OK : code;
}

#include "driver_logs.h"

static int close_thing(const words_t *w, out_t *out)
{
    any_t handle = thing(word(w, 2))->handle; /* what is closed is still there, to be used wrongly */
    const char *kind = word(w, 1);
    (void)out;
    if (strcmp(kind, "domain") == 0) {
        saltus_domain_close(handle.domain);
    } else if (strcmp(kind, "publisher") == 0) {
        saltus_domain_publisher_close(handle.publisher);
    } else if (strcmp(kind, "subscriber") == 0) {
        saltus_domain_subscriber_close(handle.subscriber);
    } else if (strcmp(kind, "log") == 0) {
        saltus_log_close(handle.log);
    } else {
        saltus_log_writer_close(handle.writer);
    }
    return SALTUS_OK; /* in C alone a second close is refused, which its own tests check */
}

static const struct {
    const char *verb;
    int (*act)(const words_t *words, out_t *out);
} verbs[] = {
    {"domain", domain}, {"publisher", publisher}, {"subscriber", subscriber}, {"publish", publish},
    {"publish_reading", publish_reading}, {"publish_other", publish_other}, {"receive", receive}, {"current", current},
    {"wait", wait_any}, {"readable", readable}, {"cancel", cancel}, {"cancel_later", cancel_later},
    {"cancel_reset", cancel_reset}, {"names", names}, {"stream", stream}, {"count", count}, {"close", close_thing},
    {"log_create", log_create}, {"log_write", log_write}, {"log_write_reading", log_write_reading},
    {"log_flush", log_flush}, {"log_finish", log_finish}, {"log_open", log_open}, {"log_size", log_size},
    {"log_next", log_next}, {"log_previous", log_previous}, {"log_seek", log_seek}, {"log_seek_time", log_seek_time},
};

int main(void)
{
    out_t out = {NULL, 0, 0};
    char *line = NULL;
    size_t room = 0, i;
    while (getline(&line, &room, stdin) > 0) {
        words_t words;
        cut(line, &words);
        for (i = 0; i < sizeof verbs / sizeof *verbs && strcmp(verbs[i].verb, word(&words, 0)) != 0; i++) {
        }
        if (i == sizeof verbs / sizeof *verbs) {
            fprintf(stderr, "driver: there is no verb `%s`\n", words.all[0]);
            return 2;
        }
        out.length = 0;
        int code = verbs[i].act(&words, &out);
        if (code != SALTUS_OK || out.length == 0) {
            const char *said = saltus_last_error();
            put_code(&out, code, said[0] ? said : saltus_strerror(code));
        }
        put(&out, "\n", 1);
        fwrite(out.text, 1, out.length, stdout);
        fflush(stdout);
    }
    free(line);
    free(out.text);
    return 0;
}
