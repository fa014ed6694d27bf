/* The robot: a bus with joints, nine programs, and what is done to them.
 *
 *   robot SECONDS SEED [WITHOUT]  runs the nine programs, kills and stops them at random, starts the killed ones again, and gives a
 *                                 verdict; without one of them it must be that the robot fell
 *   robot PROGRAM                 is one of them
 *
 * It needs the command `ach` on its path, and nothing else that Ach does not have.
 */
#include "hubo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

enum { PROGRAMS = 9, CHANNELS = 9 };
static const char *const programs[PROGRAMS] = {"daemon",  "walker", "head",   "neck",     "console",
                                               "tuner",   "logger", "viewer", "simulator"};
static const char *const channels[CHANNELS] = {REF,       REF_NECK,    STATE,  ENC,     BOARD_CMD,
                                               PWM_GAINS, BOARD_PARAM, TO_SIM, FROM_SIM};

static pid_t process[PROGRAMS];
static int bus[2]; /* the joints' end, and the daemon's */

/* What the bus saw. */
static struct {
    pthread_mutex_t lock;
    float joint[JOINTS], wanted[JOINTS];
    long cycles;
    double last, longest_pause; /* s */
    float longest_jump;         /* rad, of a wanted position from one frame to the next */
    int has_wanted[JOINTS];
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The joints: they follow what is wanted, and answer at the end of each cycle. Without the daemon they stay where they are. */
static void *joints(void *arg) {
    (void)arg;
    can_frame_t frame;
    while (recv(bus[0], &frame, sizeof frame, 0) == sizeof frame) {
        pthread_mutex_lock(&seen.lock);
        if (frame.id >= 1 && frame.id <= JOINTS / 2) {
            for (int k = 0; k < 2; k++) {
                uint32_t i = 2 * (frame.id - 1) + (uint32_t)k;
                float jump = fabsf(frame.value[k] - seen.wanted[i]);
                if (seen.has_wanted[i] && jump > seen.longest_jump) seen.longest_jump = jump;
                seen.has_wanted[i] = 1;
                seen.wanted[i] = frame.value[k];
            }
        } else {
            double t = now();
            if (seen.cycles > 0 && t - seen.last > seen.longest_pause) seen.longest_pause = t - seen.last;
            seen.last = t;
            seen.cycles++;
            for (uint32_t i = 0; i < JOINTS; i++) seen.joint[i] += 0.5f * (seen.wanted[i] - seen.joint[i]);
            for (uint32_t i = 0; i < JOINTS / 2; i++) {
                can_frame_t answer = {i + 1, {seen.joint[2 * i], seen.joint[2 * i + 1]}};
                send(bus[0], &answer, sizeof answer, MSG_DONTWAIT);
            }
        }
        pthread_mutex_unlock(&seen.lock);
    }
    return NULL;
}

static void start(const char *self, int i, const char *without) {
    process[i] = fork();
    CHECK(process[i] >= 0);
    if (process[i] == 0) {
        if (without && 0 == strcmp(without, programs[i])) {
            for (;;) pause();
        }
        if (dup2(bus[1], CAN_FD) == CAN_FD) execl(self, self, programs[i], (char *)NULL);
        _exit(4);
    }
}

static int shell(const char *format, const char *name) {
    char line[128];
    snprintf(line, sizeof line, format, name);
    return system(line);
}

static uint64_t seed;
static unsigned dice(unsigned sides) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % sides;
}

int main(int argc, char **argv) {
    if (argc == 2) run_program(argv[1]);
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: robot SECONDS SEED [WITHOUT]\n");
        return 2;
    }
    const char *without = argv[3];
    double seconds = atof(argv[1]);
    seed = strtoull(argv[2], NULL, 0);
    for (int i = 0; i < CHANNELS; i++) CHECK(shell("ach -1 -C %s -m 10 -n 3000", channels[i]) == 0);
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    /* Away from the number that the daemon's end gets; programs inherit no more than that. */
    for (int k = 0; k < 2; k++) CHECK((bus[k] = fcntl(pair[k], F_DUPFD_CLOEXEC, 10)) >= 10 && close(pair[k]) == 0);
    pthread_t thread;
    pthread_create(&thread, NULL, joints, NULL);

    ach_channel_t state, param;
    channel(&state, STATE), channel(&param, BOARD_PARAM);
    for (int i = 0; i < PROGRAMS; i++) start(argv[0], i, without);
    int killed[PROGRAMS] = {0}, stopped = 0, failed = 0;
    long answers = 0, states = 0;
    static hubo_state_t s;
    static hubo_board_param_t answer;
    uint32_t last_answer = 0;
    double begin = now(), next_blow = begin + 1, end = begin + seconds, resume = 0;
    int asleep = -1;
    /* The last second is quiet: all must run by themselves. */
    while (now() < end) {
        while (get(&param, &answer, sizeof answer, NULL, 0)) {
            CHECK(answer.sum == SUM(answer));
            if (answer.number != last_answer) answers++;
            last_answer = answer.number;
        }
        while (get(&state, &s, sizeof s, NULL, 0)) {
            CHECK(s.sum == SUM(s));
            states++;
        }
        if (asleep >= 0 && now() >= resume) {
            kill(process[asleep], SIGCONT);
            asleep = -1;
        }
        if (now() >= next_blow && now() < end - 1.5 && asleep < 0) {
            int i = (int)dice(PROGRAMS);
            if (dice(4) == 0 && i > 0) { /* any but the daemon, which the joints need, is stopped for a while */
                kill(process[i], SIGSTOP);
                asleep = i, resume = now() + 0.2, stopped++;
            } else {
                kill(process[i], SIGKILL);
                killed[i]++;
            }
            next_blow = now() + 0.02 + dice(100) / 1000.0;
        }
        int status;
        pid_t ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
            for (int i = 0; i < PROGRAMS; i++) {
                if (process[i] != ended) continue;
                if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
                    fprintf(stderr, "%s ended by itself: status %x\n", programs[i], (unsigned)status);
                    failed++;
                }
                start(argv[0], i, without);
            }
        }
        poll(NULL, 0, 2);
    }
    if (asleep >= 0) kill(process[asleep], SIGCONT);
    pthread_mutex_lock(&seen.lock);
    double age = now() - seen.last, pause = seen.longest_pause;
    float error = 0, jump = seen.longest_jump;
    for (int i = 0; i < JOINTS; i++) error = fmaxf(error, fabsf(seen.joint[i] - seen.wanted[i]));
    long cycles = seen.cycles;
    pthread_mutex_unlock(&seen.lock);
    int kills = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        kill(process[i], SIGKILL);
        waitpid(process[i], NULL, 0);
        kills += killed[i];
    }
    CHECK(ACH_OK == ach_close(&state) && ACH_OK == ach_close(&param));
    for (int i = 0; i < CHANNELS; i++) CHECK(shell("ach -U %s", channels[i]) == 0);

    printf("%d kills (daemon %d, walker %d), %d stops; %ld cycles of the bus, %ld states, %ld answers of boards\n", kills,
           killed[0], killed[1], stopped, cycles, states, answers);
    printf("longest pause %.3f s, largest jump %.3f rad, last frame %.3f s ago, error at the end %.3f rad, phase %.1f rad\n", pause,
           (double)jump, age, (double)error, (double)s.phase);
    /* A pause is a daemon's start. A gait goes on where it was: 0.03 rad in 5 ms, and what a late walker or daemon makes up for. */
    const char *why = failed            ? "a program ended by itself"
                      : pause > 2       ? "the joints were left alone for too long"
                      : cycles == 0 || age > 1 ? "the daemon does not run"
                      : jump > 0.3f     ? "the gait jumped"
                      : error > 0.3f    ? "the joints do not follow"
                      : s.phase < 1     ? "it does not walk"
                      : answers < 10    ? "the boards do not answer"
                      : states < cycles / 2 ? "states are missing"
                                        : NULL;
    printf("verdict: %s%s\n", why ? "it fell: " : "the robot walked", why ? why : "");
    return why ? 1 : 0;
}
