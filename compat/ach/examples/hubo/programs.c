/* The nine programs, written as hubo-ach's are: they poll with ACH_O_LAST, drain with 0, wait with an absolute timeout, and put. */
#include "hubo.h"

/* Reads and writes the bus at 200 Hz, and all channels. */
static void daemon_(void) {
    ach_channel_t ref, ref_neck, state, enc, cmd, gains, param, to_sim, from_sim;
    channel(&ref, REF), channel(&ref_neck, REF_NECK), channel(&state, STATE), channel(&enc, ENC);
    channel(&cmd, BOARD_CMD), channel(&gains, PWM_GAINS), channel(&param, BOARD_PARAM);
    channel(&to_sim, TO_SIM), channel(&from_sim, FROM_SIM);
    static hubo_ref_t r, neck;
    static hubo_state_t s;
    static hubo_board_param_t answer;
    hubo_enc_t e = {0};
    hubo_pwm_gains_t g;
    hubo_virtual_t v = {0}, echo;
    hubo_board_cmd_t c;
    int has_ref = 0;
    s.life = (uint32_t)getpid();
    struct timespec next = in(0);
    for (;; cycle(&next, PERIOD_NS)) {
        if (get(&ref, &r, sizeof r, NULL, ACH_O_LAST)) {
            CHECK(r.sum == SUM(r));
            has_ref = 1;
        }
        get(&ref_neck, &neck, sizeof neck, NULL, ACH_O_LAST);
        get(&enc, &e, sizeof e, NULL, ACH_O_LAST);
        get(&gains, &g, sizeof g, NULL, ACH_O_LAST);
        get(&from_sim, &echo, sizeof echo, NULL, ACH_O_LAST);
        while (get(&cmd, &c, sizeof c, NULL, 0)) {
            answer.number = c.number;
            memset(answer.rest, (int)(c.number % 256), sizeof answer.rest);
            answer.sum = SUM(answer);
            CHECK(ACH_OK == ach_put(&param, &answer, sizeof answer));
        }
        can_frame_t frame;
        for (uint32_t i = 0; has_ref && i < JOINTS / 2; i++) {
            frame = (can_frame_t){i + 1, {r.joint[2 * i], r.joint[2 * i + 1]}};
            send(CAN_FD, &frame, sizeof frame, MSG_DONTWAIT);
        }
        frame.id = 0;
        send(CAN_FD, &frame, sizeof frame, MSG_DONTWAIT);
        while (recv(CAN_FD, &frame, sizeof frame, MSG_DONTWAIT) == sizeof frame) {
            CHECK(frame.id >= 1 && frame.id <= JOINTS / 2);
            s.joint[2 * (frame.id - 1)] = frame.value[0];
            s.joint[2 * (frame.id - 1) + 1] = frame.value[1];
        }
        s.cycle++;
        if (has_ref) s.phase = r.phase;
        s.neck = e.neck;
        memset(s.rest, (int)(s.cycle % 256), sizeof s.rest);
        s.sum = SUM(s);
        CHECK(ACH_OK == ach_put(&state, &s, sizeof s));
        v.cycle = s.cycle;
        CHECK(ACH_OK == ach_put(&to_sim, &v, sizeof v));
    }
}

/* Walks, from the phase of the newest state. */
static void walker(void) {
    ach_channel_t ref, state;
    channel(&ref, REF), channel(&state, STATE);
    static hubo_state_t s;
    struct timespec until = in(5);
    CHECK(get(&state, &s, sizeof s, &until, ACH_O_WAIT | ACH_O_LAST) && s.sum == SUM(s));
    static hubo_ref_t r;
    r.phase = s.phase;
    struct timespec next = in(0);
    for (;; cycle(&next, PERIOD_NS)) {
        r.phase += (float)(2 * M_PI * 0.005); /* a step per second */
        for (int i = 0; i < JOINTS; i++) r.joint[i] = 0.3f * sinf(r.phase + 0.1f * (float)i);
        memset(r.rest, (int)r.phase, sizeof r.rest);
        r.sum = SUM(r);
        CHECK(ACH_OK == ach_put(&ref, &r, sizeof r));
        get(&state, &s, sizeof s, NULL, ACH_O_LAST);
    }
}

/* Moves the head. */
static void head(void) {
    ach_channel_t ref;
    static hubo_ref_t r;
    channel(&ref, REF_NECK);
    struct timespec next = in(0);
    for (;; cycle(&next, 20000000)) {
        r.joint[0] += 0.01f;
        CHECK(ACH_OK == ach_put(&ref, &r, sizeof r));
    }
}

/* Drives the neck, which has its own bus. */
static void neck(void) {
    ach_channel_t ref, enc;
    static hubo_ref_t r;
    hubo_enc_t e = {0};
    channel(&ref, REF_NECK), channel(&enc, ENC);
    struct timespec next = in(0);
    for (;; cycle(&next, 10000000)) {
        if (get(&ref, &r, sizeof r, NULL, ACH_O_LAST)) e.neck = r.joint[0];
        CHECK(ACH_OK == ach_put(&enc, &e, sizeof e));
    }
}

/* Sends commands to boards; the next when the last one was answered. */
static void console(void) {
    ach_channel_t cmd, param;
    channel(&cmd, BOARD_CMD), channel(&param, BOARD_PARAM);
    static hubo_board_param_t answer;
    hubo_board_cmd_t c = {.number = (uint32_t)getpid() << 8};
    for (;;) {
        c.number++;
        CHECK(ACH_OK == ach_flush(&param));
        CHECK(ACH_OK == ach_put(&cmd, &c, sizeof c));
        struct timespec until = in(0.3);
        while (get(&param, &answer, sizeof answer, &until, ACH_O_WAIT)) {
            CHECK(answer.sum == SUM(answer));
            if (answer.number == c.number) break;
        }
        usleep(2000);
    }
}

/* Tunes gains. */
static void tuner(void) {
    ach_channel_t gains;
    hubo_pwm_gains_t g = {0};
    channel(&gains, PWM_GAINS);
    struct timespec next = in(0);
    for (;; cycle(&next, 200000000)) CHECK(ACH_OK == ach_put(&gains, &g, sizeof g));
}

/* Takes every state, in order. What it did not get, it was told of. */
static void logger(void) {
    ach_channel_t state;
    channel(&state, STATE);
    static hubo_state_t s;
    uint32_t life = 0, last = 0;
    for (;;) {
        size_t len = 0;
        uint64_t before = state.seq_num;
        int r = ach_get(&state, &s, sizeof s, &len, NULL, ACH_O_WAIT);
        CHECK((r == ACH_OK || r == ACH_MISSED_FRAME) && len == sizeof s && s.sum == SUM(s));
        CHECK(r == ACH_OK ? state.seq_num == before + 1 : state.seq_num > before + 1);
        if (life == s.life) {
            /* Of the same daemon: the next one, or as many after it as were missed. */
            CHECK(s.cycle == last + (state.seq_num - before));
        }
        life = s.life, last = s.cycle;
    }
}

/* A simulator in step with the daemon. */
static void simulator(void) {
    ach_channel_t to_sim, from_sim;
    hubo_virtual_t v;
    channel(&to_sim, TO_SIM), channel(&from_sim, FROM_SIM);
    for (;;) {
        if (get(&to_sim, &v, sizeof v, NULL, ACH_O_WAIT | ACH_O_LAST)) {
            CHECK(ACH_OK == ach_put(&from_sim, &v, sizeof v));
        }
    }
}

/* Shows the state at 20 Hz, the newest or the same again. */
static void viewer(void) {
    ach_channel_t state;
    static hubo_state_t s;
    channel(&state, STATE);
    struct timespec next = in(0);
    for (;; cycle(&next, 50000000)) {
        if (get(&state, &s, sizeof s, NULL, ACH_O_LAST | ACH_O_COPY)) CHECK(s.sum == SUM(s));
    }
}

void run_program(const char *name) {
    static const struct {
        const char *name;
        void (*run)(void);
    } ALL[] = {{"daemon", daemon_}, {"walker", walker}, {"head", head},     {"neck", neck},          {"console", console},
               {"tuner", tuner},    {"logger", logger}, {"viewer", viewer}, {"simulator", simulator}};
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++) {
        if (0 == strcmp(name, ALL[i].name)) ALL[i].run();
    }
    fprintf(stderr, "there is no program %s\n", name);
    exit(2);
}
