/* log FILE: writes a log, such as robot.mcap, and reads it from 7 s after its start. */
#include <saltus.h>
#include <stdio.h>

static const int64_t second = 1000000000;

static int write_log(const char *path)
{
    saltus_log_writer writer = SALTUS_HANDLE_INIT;
    int i, code = saltus_log_create(path, SALTUS_LOG_BY_NAME, &writer);
    for (i = 0; i < 10 && code == SALTUS_OK; i++) {
        char text[32];
        int len = snprintf(text, sizeof text, "reading %d", i);
        code = saltus_log_write(writer, "tilt", text, (size_t)len, 1700000000 * second + i * second);
    }
    if (code == SALTUS_OK)
        code = saltus_log_finish(writer);
    saltus_log_writer_close(writer);
    return code;
}

static int read_log(const char *path)
{
    saltus_log log = SALTUS_HANDLE_INIT;
    const saltus_event *event;
    int code = saltus_log_open(path, &log);
    if (code == SALTUS_OK)
        code = saltus_log_seek_time(log, 1700000007 * second, NULL);
    while (code == SALTUS_OK && (code = saltus_log_next(log, &event)) == SALTUS_OK)
        printf("%s: %.*s\n", event->channel, (int)event->len, (const char *)event->data);
    saltus_log_close(log);
    return code == SALTUS_NOTHING ? SALTUS_OK : code;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: log FILE\n");
        return 2;
    }
    if (write_log(argv[1]) || read_log(argv[1])) {
        fprintf(stderr, "log: %s\n", saltus_last_error());
        return 1;
    }
    return 0;
}
