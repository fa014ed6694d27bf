/* The part of driver.c that is about logs. */

static int log_create(const words_t *w, out_t *out)
{
    blob_t path = blob_of(word(w, 2));
    const char *format = word(w, 3);
    saltus_log_writer made;
    int code = saltus_log_create(path.data, format[0] == 'm' ? SALTUS_LOG_MCAP
                                            : format[0] == 'l' ? SALTUS_LOG_LCM : SALTUS_LOG_BY_NAME, &made);
    (void)out;
    thing(word(w, 1))->handle.writer = made;
    free(path.data);
    return code;
}

static int log_write(const words_t *w, out_t *out)
{
    blob_t channel = blob_of(word(w, 2)), message = blob_of(word(w, 3));
    int code = saltus_log_write(handle(w, 1).writer, channel.data, message.data, message.length,
                                (int64_t)strtoll(word(w, 4), NULL, 10));
    (void)out;
    free(channel.data);
    free(message.data);
    return code;
}

static int log_write_reading(const words_t *w, out_t *out)
{
    blob_t channel = blob_of(word(w, 2)), message;
    int code = encoded(w, 4, &message);
    (void)out;
    if (code == SALTUS_OK) {
        code = saltus_log_describe(handle(w, 1).writer, &reading);
    }
    if (code == SALTUS_OK) {
        code = saltus_log_write(handle(w, 1).writer, channel.data, message.data, message.length,
                                (int64_t)strtoll(word(w, 3), NULL, 10));
    }
    free(channel.data);
    free(message.data);
    return code;
}

static int log_flush(const words_t *w, out_t *out)
{
    (void)out;
    return saltus_log_flush(handle(w, 1).writer);
}

static int log_finish(const words_t *w, out_t *out)
{
    (void)out;
    return saltus_log_finish(handle(w, 1).writer);
}

static int log_open(const words_t *w, out_t *out)
{
    blob_t path = blob_of(word(w, 2));
    saltus_log made;
    int code = saltus_log_open(path.data, &made);
    (void)out;
    thing(word(w, 1))->handle.log = made;
    free(path.data);
    return code;
}

static int log_size(const words_t *w, out_t *out)
{
    uint64_t events = 0;
    int code = saltus_log_range(handle(w, 1).log, &events, NULL, NULL);
    put_text(out, "ok");
    put_number(out, (int64_t)events);
    return code;
}

static int tell_event(int code, const saltus_event *e, out_t *out)
{
    if (code == SALTUS_OK) {
        put_text(out, "event");
        put_hex_word(out, e->channel, e->channel_len);
        put_number(out, e->log_time_ns);
        put_bytes(out, e->data, e->len);
    }
    return code;
}

static int log_next(const words_t *w, out_t *out)
{
    const saltus_event *e;
    int code = saltus_log_next(handle(w, 1).log, &e);
    return tell_event(code, e, out);
}

static int log_previous(const words_t *w, out_t *out)
{
    const saltus_event *e;
    int code = saltus_log_previous(handle(w, 1).log, &e);
    return tell_event(code, e, out);
}

static int log_seek(const words_t *w, out_t *out)
{
    (void)out;
    return saltus_log_seek(handle(w, 1).log, number(word(w, 2)));
}

static int log_seek_time(const words_t *w, out_t *out)
{
    uint64_t position = 0;
    int code = saltus_log_seek_time(handle(w, 1).log, (int64_t)strtoll(word(w, 2), NULL, 10), &position);
    put_text(out, "ok");
    put_number(out, (int64_t)position);
    return code;
}
