/*
 * Waking those who sleep: publishers, readers on the futex, a death before every step.
 *
 * A publisher that published rings the bell if somebody armed, wakes at most K sleepers
 * in one call, and notes that all are awake only if it found fewer than K. Each reader
 * that wakes up wakes K more if that is still open. A reader arms, looks again, and
 * sleeps only if the bell has not moved; the kernel compares and enqueues in one step.
 * Whom the kernel wakes first is left open, so the order of priorities is covered.
 *
 * There are no time slices here. What must hold without them:
 *  - without a death nobody stays asleep with something unseen: every run comes to an
 *    end, and then no reader is asleep with something unseen;
 *  - after a death the same holds as soon as one more publish, by anybody, has been
 *    completed; until then the slice of the sleepers is what helps;
 *  - a publish makes one wake call at the most, and none if nobody has armed since the
 *    last call that found fewer than K (with one publisher: exactly).
 *
 * The marks in brackets are those of MAPPING.md and of the code.
 */
#ifndef K
#define K 2                     /* the code has 8; what matters is more sleepers than K */
#endif
#ifndef R
#define R 2                     /* readers */
#endif
#ifndef P
#define P 2                     /* publishers, a lane each */
#endif
#ifndef M
#define M 1                     /* messages a publisher */
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#define WILD 50                 /* a value no honest process writes */

/* ---- the shared memory ---- */
byte bell, woken, arm, passed;
byte sleepers;                  /* a hint: how many have armed and not yet disarmed, or more */
byte used = 1;
byte head[P];
/* ---- the kernel's queue of the futex ---- */
byte asleep[R];

/* ---- what really happened ---- */
byte crashes;
#ifdef SLICES
byte slices;                    /* sleeps that ended by themselves */
#endif
byte seen[R * P];               /* what each reader has seen of each lane */
bool broken;                    /* a death since the last publish that was begun and completed */

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define DIE crashes < CRASHES -> crashes++; broken = true; ARMED
#ifdef COUNT_CALLS              /* with one publisher it can be said exactly */
bool armed;                     /* somebody armed since the last call that found fewer than K */
bool asked;
byte unasked;
#define ARMED  armed = true
#define ASKED  asked = armed; armed = false
#ifdef WILD_STORE
#define EXTRA 1                 /* what one wild store may cost */
#else
#define EXTRA 0
#endif
#define CALLED if :: !asked -> unasked++; assert(unasked <= EXTRA) :: else fi
#define AFTER  if :: found == K -> armed = true :: else fi; asked = false
#else
#define ARMED  skip
#define ASKED  skip
#define CALLED skip
#define AFTER  skip
#endif
#ifdef GROW
#define LANES lanes = used
#else
#define LANES lanes = P
#endif
#ifdef M_ENOUGH_BY_COUNT
#define ENOUGH count <= K
#define ENOUGH_FOR_READERS if :: sleepers + 1 <= K -> at = 0; goto passed_on :: else fi
#else
#define ENOUGH false
#define ENOUGH_FOR_READERS skip
#endif
/* Whether to ring at all. */
#ifdef M_COUNT_WAITERS
#define CALL w = 0; if :: a == 0 -> goto completed :: else -> a = 0 fi
#else
#ifdef M_FLAG
#define CALL w = 0; if :: a == 0 -> goto completed :: else -> a = 0 fi
#else
#ifdef M_GREATER_OR_EQUAL
#define CALL if :: a < w && w <= at -> goto completed :: else fi
#else
#define CALL if :: a <= w && w <= at -> goto completed :: else fi
#endif
#endif
#endif
/* One shared access of a publisher, with what is computed from it; it may die before it. */
#if CRASHES > 0
#define STEP(x) if :: atomic { x } :: atomic { DIE; goto dead } fi
#else
#define STEP(x) atomic { x }
#endif

/*
 * FUTEX_WAKE: one call, up to K of those who sleep; found tells how many. Which of them
 * is left open, so that all mixtures of priorities are covered. -DFIFO: the longest
 * asleep first, as the kernel does among equal priorities; asleep is then the place
 * in the queue.
 */
#ifdef FIFO
#define ENQUEUE(me) \
    n = 0; asleep[me] = 1; \
    do :: n < R -> if :: n != me && asleep[n] > 0 -> asleep[me] = asleep[me] + 1 :: else fi; n++ :: else -> break od; \
    n = 0
#define DEQUEUE(who) \
    n = 0; \
    do :: n < R -> if :: asleep[n] > asleep[who] -> asleep[n] = asleep[n] - 1 :: else fi; n++ :: else -> break od; \
    n = 0; asleep[who] = 0
#else
#define ENQUEUE(me) asleep[me] = 1
#define DEQUEUE(who) asleep[who] = 0
#endif
#define WAKE(found) \
    found = 0; \
    do \
    :: found < K -> \
        i = 0; \
        do :: i < R && asleep[i] == 0 -> i++ :: else -> break od; \
        if :: i == R -> break :: else fi; \
        CHOOSE; \
        DEQUEUE(i); \
        found++ \
    :: else -> break \
    od; \
    i = 0
#ifdef FIFO
#define CHOOSE do :: asleep[i] != 1 -> i++ :: else -> break od
#else
/* i is the first asleep; any later one may be taken instead */
#define CHOOSE \
    do \
    :: i + 1 < R && asleep[i + 1] > 0 -> i = i + 1 \
    :: i + 2 < R && asleep[i + 2] > 0 -> i = i + 2 \
    :: break \
    od
#endif

proctype Publisher(byte me)
{
    byte t, a, w, at, found, before, i, n, count;

#ifdef GROW
    if :: me > 0 -> STEP(used = MAX(used, me + 1)) :: else fi;      /* [l3] */
#endif
again:
#ifdef M_COMPARE_FIRST
    STEP(w = woken);
    STEP(a = arm);
#endif
    STEP(t++; before = crashes; head[me] = t);      /* [w5]; the store is whole, lane.pml */
    /* [w6] orders nothing more in a sequentially consistent model */
#ifdef M_BELL_FIRST
    STEP(at = bell);
#endif
#ifndef M_COMPARE_FIRST
    STEP(w = woken);                                /* [w7] */
    STEP(a = arm);
#endif
#ifdef M_BELL_FIRST
    STEP(CALL);
#else
    STEP(at = bell; CALL);
#endif
#ifndef M_NO_REPAIR
    /* Only a wild store makes these values; an honest one must never be taken for one. */
    if
    :: a > at + 1 ->
        assert(a == WILD);
        STEP(if :: arm == a -> arm = at + 1 :: else fi; a = 0)
    :: else
    fi;
    if
    :: w > at ->
        assert(w == WILD);
        STEP(if :: woken == w -> woken = at :: else fi; w = 0)
    :: else
    fi;
    /* This one may hit an honest value that is newer than the bell seen here: lowering it costs calls, no wake. */
    STEP(if :: passed > at -> passed = at :: else fi);
#endif
#ifdef M_FLAG
    STEP(arm = 0);
#endif
#ifdef M_ENOUGH_BY_COUNT
    STEP(count = sleepers);
#endif
#ifndef M_BUMP_AFTER_WAKE
#ifdef M_NO_BUMP
    STEP(at = bell; a = 0; w = 0; ASKED);
#else
    STEP(at = bell; bell++; a = 0; w = 0; ASKED);
#endif
#endif
#ifdef M_RAISE_FIRST
    STEP(woken = MAX(woken, at + 1));
#endif
    STEP(CALLED; WAKE(found); AFTER);
#ifdef M_BUMP_AFTER_WAKE
    STEP(at = bell; bell++);
#endif
#ifdef M_RAISE_ALWAYS
    found = 0;
#endif
    if
    :: found < K || ENOUGH -> STEP(woken = MAX(woken, at + 1))
    :: else
    fi;
completed:
    atomic {
        if :: before == crashes -> broken = false :: else fi;           /* this one serves all */
        a = 0; w = 0; at = 0; found = 0; before = 0; count = 0;
        if :: t < M -> goto again :: else fi
    };
dead:
    atomic { t = 0; a = 0; w = 0; at = 0; found = 0; before = 0; count = 0 }
}

/* One shared access of a reader, with what is computed from it; it may be killed before it. */
#if CRASHES > 0
#define READ(x) if :: atomic { x } :: atomic { DIE; goto gone } fi
#else
#define READ(x) atomic { x }
#endif

proctype Reader(byte me)
{
    byte n, i, at, done, found, lanes;
    bool got;

look:                                               /* a receive: takes all it finds */
    READ(LANES);
    do
    :: READ(i < lanes ->
            if :: head[i] > seen[me * P + i] -> seen[me * P + i] = head[i]; got = true :: else fi;
            i++;
            if
            :: i == lanes && got -> i = 0; got = false; goto look
            :: i == lanes && !got -> i = 0; break
            :: else
            fi)
    od;
/* arms, looks again, sleeps */
#ifdef M_ARM_BEFORE_BELL
    READ(arm = MAX(arm, bell + 1); ARMED);
    READ(at = bell);
#else
    READ(at = bell);                                /* [a1] */
#ifdef M_COUNT_WAITERS
    READ(arm++; ARMED);
#else
#ifdef M_FLAG
    READ(arm = 1; ARMED);
#else
#ifdef M_ARM_TOO_LOW
    READ(arm = MAX(arm, at); ARMED);
#else
    READ(arm = MAX(arm, at + 1); ARMED);     /* [a2] */
    READ(sleepers++);
#endif
#endif
#endif
#endif
    /* [a3] orders nothing more in a sequentially consistent model */
#ifndef M_NO_SECOND_LOOK
#ifndef M_OLD_LANES
    READ(LANES);                                    /* [a4] */
#endif
    do
    :: READ(i < lanes ->
            if :: head[i] > seen[me * P + i] -> got = true :: else fi;
            i++;
            if
            :: got -> i = 0; got = false; goto up
            :: i == lanes && !got -> i = 0; break
            :: else
            fi)
    od;
#endif
    if                                              /* FUTEX_WAIT: compares and enqueues in one step */
    :: atomic { bell == at -> ENQUEUE(me) }
    :: atomic { bell != at -> goto up }
#if CRASHES > 0
    :: atomic { DIE; goto gone }
#endif
    fi;
end_asleep:                                         /* staying here is fine with nothing unseen: see Watch */
    if
    :: atomic { asleep[me] == 0 ->
#ifdef M_CANCEL_WITHOUT_CHAIN
        if :: goto gone :: skip fi
#else
        skip
#endif
        }
#if CRASHES > 0
    :: atomic { DIE; DEQUEUE(me); goto gone }
#endif
#ifdef SLICES
    :: atomic { asleep[me] > 0 && slices < SLICES -> slices++; DEQUEUE(me) }
#endif
    fi;
up:                                                 /* disarms, asleep or not, whatever ended it */
#ifdef M_COUNT_WAITERS
    READ(arm--);
#endif
#ifdef M_NO_CHAIN
    READ(sleepers--; at = 0);
#else
#ifdef M_CHAIN_BY_ARM
    READ(sleepers--; ENOUGH_FOR_READERS);
    READ(done = woken);
    READ(found = bell);
    READ(if :: found != at && arm > done -> skip :: else -> found = 0; at = 0; done = 0; goto passed_on fi; found = 0; done = 0; at = 0);
    READ(WAKE(found); found = 0);
#else
#ifdef M_CHAIN_ALWAYS
    READ(sleepers--);
    READ(done = woken);
    READ(if :: arm > done -> skip :: else -> at = 0; done = 0; goto passed_on fi; done = 0; at = 0);
    READ(WAKE(found); found = 0);
#else
#ifdef M_ALONE_SKIPS
    READ(sleepers--; if :: sleepers == 0 -> at = 0; goto passed_on :: else fi);
#endif
    READ(done = woken);                             /* [c1] */
    READ(done = MAX(done, passed));
    READ(found = bell;
        if
        :: done < (found > at -> at + 1 : found) -> at = found; found = 0; done = 0
        :: else -> found = 0; at = 0; done = 0; goto lower
        fi);
#ifndef M_ALONE_SKIPS
    READ(sleepers--; if :: sleepers == 0 -> goto pass :: else fi);
#endif
#ifdef M_PASSED_ALWAYS
    READ(WAKE(found); found = 0);
#else
    READ(WAKE(found); if :: found == K -> found = 0; at = 0; goto passed_on :: else -> found = 0 fi);
#endif
pass:
    READ(passed = MAX(passed, at); at = 0);         /* the queue was empty: all before at are awake */
    goto passed_on;
lower:
#ifndef M_ALONE_SKIPS
    READ(sleepers--);
#endif
#endif
#endif
#endif
passed_on:
#ifdef LEAVE
    if                                              /* its time was up, or it was called off */
    :: goto look
    :: goto gone
    fi;
#else
    goto look;
#endif
gone:
    atomic {
        i = 0;
        do :: i < P -> seen[me * P + i] = 0; i++ :: else -> break od;
        n = 0; i = 0; at = 0; done = 0; found = 0; got = false; lanes = 0
    }
}

/* When nothing moves any more, nobody may be asleep with something unseen. */
proctype Watch()
{
    byte i;

    timeout;
    do
    :: i < R * P -> assert(broken || asleep[i / P] == 0 || seen[i] == head[i % P]); i++
    :: else -> break
    od
}

#ifdef WILD_STORE
/* A reader with write permission to the bell file, or a wild pointer of a publisher. */
proctype Vandal()
{
    if
    :: d_step { arm = WILD; broken = true; ARMED; crashes = crashes + 1 }
    :: d_step { passed = WILD; broken = true; ARMED; crashes = crashes + 1 }
    :: d_step { woken = WILD; broken = true; ARMED; crashes = crashes + 1 }
    fi
}
#endif

init {
    byte i;
    atomic {
        do :: i < P -> run Publisher(i); i++ :: else -> break od;
        i = 0;
        do :: i < R -> run Reader(i); i++ :: else -> break od;
        run Watch();
#ifdef WILD_STORE
        run Vandal();
#endif
        i = 0
    }
}
