/*
 * One lane: a single writer, two readers, a death before every store, take-over.
 *
 * Every shared access is one step of its own; the readers copy word by word.
 * A data word holds the number of the attempt that wrote it, so that a torn or
 * a foreign message cannot pass for the right one, not even when a dead writer
 * and its successor used the same message number.
 *
 * The marks in brackets are those of MAPPING.md and of the code.
 *
 * Geometry, in words: F frames are exposed, a message has at most A words, intent
 * is raised CHUNK ahead, the data area has CAP words, the ring has S slots.
 * The shipped rule is CAP >= (F+2)*A + CHUNK and S >= F+2.
 */
#ifndef F
#define F 1
#endif
#ifndef A
#define A 2
#endif
#ifndef CHUNK
#define CHUNK 1
#endif
#ifndef CAP
#define CAP ((F + 2) * A + CHUNK)
#endif
#ifndef S
#define S 4
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 6
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef ABANDONS
#define ABANDONS 1
#endif

/* ---- the shared memory ---- */
byte head;
byte intent;
byte seq[S];
byte pos[S];
byte off[S];
byte size[S];
byte timestamp[S];                  /* stands for timestamp and lease: one value per attempt */
byte data[CAP];

/* ---- the lease: whose turn it is to own the lane. lease.pml proves that it is one at a time ---- */
byte lease;

/* ---- what really happened: written together with the step it describes ---- */
byte published;                 /* messages published by a living writer */
byte tagof[ATTEMPTS + 1];       /* attempt that became message t */
byte mlen[ATTEMPTS + 1];
byte attempts;
byte crashes;
byte abandons;
bool publishing;                /* the owner is inside publish or loan */


#define over (lease == WRITERS)

#ifdef M_WAIT_FOR_READER
byte slowest;
#endif
#ifdef SMALL
bool settled;                   /* nothing was begun since the last publication */
#define BEGUN settled = false;
#define DONE settled = true;
#else
#define BEGUN
#define DONE
#endif

/* One store or load of the writer. It may die before it. */
#define STEP(x) if :: d_step { x } :: atomic { crashes < CRASHES -> crashes++; goto dead } fi

proctype Writer(byte me)
{
    byte s, p, end, n, m, i;

    lease == me;                                    /* the kernel's lock, [l1] */

    /* Take-over: reads only, publishes nothing. */
    STEP(s = head);                                 /* [t1] */
#ifdef M_ROLL_FORWARD
    STEP(if :: seq[(s + 1) % S] == s + 1 -> head = s + 1; s = s + 1 :: else fi);
#endif
#ifdef M_ADOPT_AT_ZERO
    STEP(end = 0);
#else
    STEP(                                           /* [t2] */
        if
        :: seq[s % S] == s -> end = pos[s % S] + size[s % S]
        :: else -> end = intent
        fi);
#endif
#ifndef M_NO_INTENT_RULE
    STEP(if :: intent > end + CAP -> end = intent - CAP :: else fi);    /* [t3] */
#endif
#ifdef M_RESET_INTENT
    STEP(intent = end);
#endif
    assert(head == published);

    do
    :: d_step { attempts < ATTEMPTS -> attempts++; publishing = true; BEGUN };
        if
        :: n = 1
        :: A > 1 -> n = 2
        fi;
        s = head + 1;                               /* the owner's own copy of head */
        p = end;
#ifdef M_NO_JUMP_ROOM
        if :: p % CAP + n > CAP + 1 -> p = p + (CAP - p % CAP) :: else fi;
#else
        if :: p % CAP + n > CAP -> p = p + (CAP - p % CAP) :: else fi;
#endif
        i = 0;
#ifdef M_DATA_FIRST
        do :: i < n -> STEP(data[(p + i) % CAP] = attempts; i++) :: else -> break od;
        i = n;
#endif
#ifdef M_META_FIRST
        STEP(pos[s % S] = p);
        STEP(off[s % S] = p % CAP);
        STEP(size[s % S] = n);
        STEP(timestamp[s % S] = attempts);
#endif
#ifdef M_WAIT_FOR_READER
        slowest + F >= s;
#endif
#ifndef M_NO_W1
        STEP(seq[s % S] = 0);                       /* [w1] */
#endif
#ifdef M_INTENT_SHORT
        STEP(if :: intent < p -> intent = p :: else fi);
#else
#ifdef M_INTENT_STALE
        /* compares without the length: a big message after small ones runs past its own intent */
        STEP(if :: intent <= p -> intent = p + n + CHUNK :: else fi);
#else
        STEP(if :: intent < p + n -> intent = p + n + CHUNK :: else fi);    /* [w2] */
#endif
#endif
        /* [wf] orders nothing more in a sequentially consistent model */
        do                                          /* [w3] the payload */
        :: i < n -> STEP(data[(p + i) % CAP] = attempts; i++)
        :: else -> break
        od;
        i = 0;
        if                                          /* a loan may publish less, or nothing */
        :: m = n
        :: n > 1 -> m = 1
        :: atomic { abandons < ABANDONS -> abandons++; publishing = false;
#ifdef M_ABANDON_ADVANCES
                end = p + n;
#endif
                goto next }
        fi;
#ifdef M_SEQ_BEFORE_META
        STEP(seq[s % S] = s);
#endif
        STEP(pos[s % S] = p);                       /* [w3] the slot */
        STEP(off[s % S] = p % CAP);
        STEP(size[s % S] = m);
        STEP(timestamp[s % S] = attempts);
#ifndef M_HEAD_BEFORE_SEQ
#ifndef M_SEQ_BEFORE_META
        STEP(seq[s % S] = s);                       /* [w4] */
#endif
#endif
        STEP(head = s; published++; DONE tagof[s] = attempts; mlen[s] = m;     /* [w5] */
             if :: s > S -> tagof[s - S] = 0; mlen[s - S] = 0 :: else fi);
#ifdef M_HEAD_BEFORE_SEQ
        STEP(seq[s % S] = s);
#endif
        end = p + m;
        publishing = false;
next:   n = 0; m = 0; p = 0
        :: break                                        /* closes the lane in good order */
    od;
dead:
    /* The kernel gives up the lease; the next writer may have it. */
    atomic { s = 0; p = 0; end = 0; n = 0; m = 0; i = 0; publishing = false; lease = me + 1 }
}

/*
 * A try that fails must have a reason. With the shipped geometry there is only one:
 * the message is no longer among the newest F at this very instant. With a smaller
 * one the newest must at least be readable once the last writer left in good order.
 */
#ifdef SMALL
#define LAPPED assert(!(over && settled && t == head))
#else
#define LAPPED assert(t + F <= head)
#endif

#define NEWEST 0
#define NEXT   1

proctype Reader(bit mode)
{
    byte cursor, h, t, p, o, n, w, i;
    byte tries;
    bool good;
    short balance;                                  /* received + missed - what went by */

again:
    if
    :: atomic { head != cursor -> h = head }        /* [r1]; a poll that finds nothing changes nothing */
    :: atomic { over && head == cursor -> goto done }
    fi;
    assert(h > cursor);                             /* head never goes back */
    if
    :: mode == NEWEST -> t = h
    :: else ->
        t = cursor + 1;
        if
        :: t + F <= h && tries == 0 -> t = h - F + 1
        :: t + F <= h && tries > 0 -> t = h - F / 2
        :: else
        fi
    fi;
    if                                              /* [r2] */
    :: seq[t % S] == t
    :: atomic { seq[t % S] != t -> LAPPED; goto lapped }
    fi;
    p = pos[t % S];                                 /* [r3] */
    o = off[t % S];
    n = size[t % S];
    w = timestamp[t % S];
    if
    :: o + n > CAP -> good = false                  /* [r4] outside: not copied, and r6 must say so */
    :: else -> good = (w == tagof[t] && n == mlen[t])
    fi;
    w = 0;
#ifdef M_VALIDATE_FIRST
    if :: seq[t % S] == t :: atomic { seq[t % S] != t -> LAPPED; goto lapped } fi;
    if :: intent <= p + CAP :: atomic { intent > p + CAP -> LAPPED; goto lapped } fi;
#endif
    i = 0;
    do                                              /* [r5] word by word; one wrong word is enough */
    :: good && i < n -> d_step { good = (data[o + i] == tagof[t]); i++ }
    :: else -> break
    od;
    o = 0; i = 0;
    /* [rf] orders nothing more in a sequentially consistent model */
#ifndef M_VALIDATE_FIRST
#ifndef M_NO_R6
    if                                              /* [r6] */
    :: seq[t % S] == t
    :: atomic { seq[t % S] != t -> LAPPED; goto lapped }
    fi;
#endif
#ifndef M_NO_R7
    if                                              /* [r7] */
#ifdef M_R7_LOOSE
    :: intent <= p + CAP + 1
    :: atomic { intent > p + CAP + 1 -> LAPPED; goto lapped }
#else
#ifdef M_R7_STRICT
    :: intent < p + CAP
    :: atomic { intent >= p + CAP -> LAPPED; goto lapped }
#else
    :: intent <= p + CAP
    :: atomic { intent > p + CAP -> LAPPED; goto lapped }
#endif
#endif
    fi;
#endif
#endif
    d_step {
        assert(good);                               /* whole, and what was published as t */
        assert(t <= published);
        assert(t > cursor);                         /* never back, never twice */
        assert(mode == NEWEST || t == cursor + 1 || t + F > h);
        balance = balance + 1;
#ifdef M_MISSED_ONE_SHORT
        balance = balance + ((t - cursor > 1) -> t - cursor - 2 : 0);
#else
        balance = balance + (t - cursor - 1);
#endif
        balance = balance - (t - cursor);
        cursor = t;
#ifdef M_WAIT_FOR_READER
        slowest = cursor;
#endif
        assert(balance == 0);
        h = 0; t = 0; p = 0; n = 0; good = false; tries = 0
    };
    goto again;
lapped:
    atomic { h = 0; t = 0; p = 0; n = 0; good = false; tries = 1 };
    goto again;
done:
    assert(cursor == published)                     /* nothing published was passed over in silence */
}

init {
    byte i;
    atomic {
        i = 0;
        do :: i < WRITERS -> run Writer(i); i++ :: else -> break od;
#ifndef NO_NEWEST
        run Reader(NEWEST);
#endif
#ifndef NO_NEXT
        run Reader(NEXT);
#endif
        i = 0
    }
}

#ifdef BLOCK
/*
 * A publisher waits for nobody: while it publishes or fills a loan it can always take
 * its next step, whatever the readers are doing. (Process 0 is init, the writers follow.)
 */
never {
    do
    :: publishing && !enabled(lease + 1) -> break
    :: else
    od
}
#endif
