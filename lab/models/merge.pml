/*
 * The merge: one reader over the lanes of several writers, ordered by timestamp.
 *
 * What lane.pml proves is used here: the publication of a message is one step, and
 * looking at a message either gives it whole or finds it overtaken, the latter only
 * if it is no longer among the newest F of its lane.
 *
 * A writer looks at the other lanes (what it saw may have caused its message), takes
 * a timestamp, and publishes: three steps with any pause between them. A pause between
 * timestamp and publication is the frozen writer whose old message comes late; one that
 * is killed there never publishes. The clock never gives one value twice; coarser
 * clocks give ties, within which no order is promised.
 *
 * The marks in brackets are those of MAPPING.md and of the code.
 */
#ifndef NL
#define NL 2                    /* lanes */
#endif
#ifndef M
#define M 3                     /* messages of the writer of lane 0 */
#endif
#ifndef M1
#define M1 M                    /* messages of each of the others */
#endif
#ifndef F
#define F 2                     /* frames exposed */
#endif
#ifndef USED
#define USED 1                  /* lanes in use at the start; the others come later */
#endif
#define PATIENCE 3              /* the code has 4 */
#define LIE      99             /* a timestamp from a far future */
#ifdef LIAR
#define LIAR_LANE 1             /* order is owed to the honest */
#else
#define LIAR_LANE NL
#endif

/* ---- the shared memory ---- */
byte head[NL];
byte stampof[NL * (M + 1)];
byte used = USED;
byte clock;

/* ---- what really happened ---- */
byte cause[NL * (M + 1) * NL];  /* heads that the writer had seen before it stamped */
byte done;                      /* writers that have ended */

#define AT(i, t)      ((i) * (M + 1) + (t))
#define CAUSE(i, t)   (AT(i, t) * NL)
#define MAX(a, b)     ((a) > (b) -> (a) : (b))
#define MIN(a, b)     ((a) < (b) -> (a) : (b))

proctype Writer(byte me)
{
    byte t, s, j;
    byte saw[NL];

    if :: me >= used -> d_step { used = MAX(used, me + 1) } :: else fi;     /* [l3] */
    do
    :: t < (me == 0 -> M : M1) ->
        t++;
        j = 0;
        do                                          /* what it knows when it timestamps */
        :: j < NL -> d_step { if :: j != me -> saw[j] = head[j] :: else fi; j++ }
        :: else -> break
        od;
        j = 0;
        d_step { clock++; s = clock };              /* [w3] the timestamp */
#ifdef LIAR
        if :: me == LIAR_LANE -> s = LIE :: else fi;
#endif
        d_step {                                    /* [w5] */
            stampof[AT(me, t)] = s;
            j = 0;
            do :: j < NL -> cause[CAUSE(me, t) + j] = saw[j]; j++ :: else -> break od;
            j = 0; s = 0;
            head[me] = t
        }
    :: break
    od;
    j = 0;
    d_step { done++; do :: j < NL -> saw[j] = 0; j++ :: else -> break od; j = 0; t = 0 }
}

/*
 * A timestamp from the future counts as now. The clock is asked only if the timestamp is beyond
 * what it last said, and after the timestamp was read. Only a liar needs it.
 */
#ifdef LIAR
#ifdef M_NO_CLAMP
#define CLAMP skip
#else
#define CLAMP \
    if :: n > 1 && key > now -> now = clock; fk = MIN(fk, now) :: else fi; \
    if :: n > 1 -> key = MIN(key, now) :: else fi
#endif
#else
#define CLAMP skip
#endif

/*
 * The oldest unseen message of lane i that can still be had, for head h. A writer that
 * overtook the reader twice will do so again at the very end of its ring: then only the
 * newest half of what it keeps is asked for, and what lies before is given up at once,
 * because it may have caused what is delivered next.
 */
#ifdef M_REACH_ALL
#define HASTY(i) (hc > 1)
#else
#define HASTY(i) (hc > 1 && hl == i)
#endif
#ifdef M_SKIP_NOT_GIVEN_UP
#define GIVE_UP skip
#else
#define GIVE_UP \
    if \
    :: seq > cursor[i] + 1 && HASTY(i) -> \
        untold = untold + seq - 1 - cursor[i]; \
        passed = passed + seq - 1 - cursor[i]; \
        cursor[i] = seq - 1 \
    :: else \
    fi
#endif
#define OLDEST_UNSEEN \
    reach = (HASTY(i) -> F / 2 : F); \
    if :: reach == 0 -> reach = 1 :: else fi; \
    seq = cursor[i] + 1; \
    if :: h + 1 > reach + seq -> seq = h + 1 - reach :: else fi; \
    reach = 0; \
    /* only what was overtaken may be left behind, or what lies in a lane that overtook us twice */ \
    assert(seq == cursor[i] + 1 || seq - 1 + F <= h || (hc > 1 && hl == i)); \
    GIVE_UP

#define NEWEST 0
#define NEXT   1
#define AGAIN  2

/* Lane i overtook the reader: how often in a row. */
#define HURRY(i) \
    if :: hl == i -> hc++ :: else -> hl = i; hc = 1 fi; \
    if :: hc > PATIENCE -> hc = PATIENCE :: else fi

/* Message seq of lane i: whole, or overtaken if it is no longer among the newest F. */
#define OVERTAKEN(i, q) ((q) + F <= head[i])

proctype Reader()
{
    byte cursor[NL], observed[NL];
    byte which, n, i, h, seq, key, reach;
    byte bl, bs, bk;                                /* the best: lane, number (0: none), key */
    byte fl, fs, fk;                                /* the floor */
    byte now, untold, told;
    bool over, older;
    byte hl, hc;                                    /* the lane that overtook us last, and how often since a delivery */
    /* the truth, to compare with */
    byte must;                                      /* timestamp of the newest unseen message when the call began */
    byte delivered;                                 /* newest timestamp ever delivered */
    byte passed;                                    /* how far the cursors went since the last delivery */
    bool waived;                                    /* patience ended: a lane was left out */

receive:
    atomic {
        i = 0;
        do
        :: i < NL && head[i] <= cursor[i] -> i++
        :: else -> break
        od;
        if
        :: i < NL || done < NL                      /* a call may begin with nothing there and find something */
#ifdef WITH_AGAIN
        :: i == NL && done == NL && head[0] > 0
#endif
        :: i == NL && done == NL -> goto quiet
        fi;
        i = 0; must = 0;
        do
        :: i < NL ->
            if
            :: i < used && head[i] > cursor[i] && stampof[AT(i, head[i])] != LIE -> must = MAX(must, stampof[AT(i, head[i])])
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0; waived = false;
        if
#ifndef ONLY_NEXT
        :: which = NEWEST
#endif
#ifndef ONLY_NEWEST
        :: which = NEXT
#endif
#ifdef WITH_AGAIN
        :: which = AGAIN
#endif
        fi
    };
pick:
    /* One shared access a step; what is only computed goes with the access before it. */
    atomic {
        n = used;
        i = 0; bl = 0; bs = 0; bk = 0; over = false;
        if :: which == NEXT -> goto next :: else fi
    };

    /* ---- newest, again ---- */
    do
    :: atomic { i < n ->
        observed[i] = cursor[i];
        h = head[i];                                /* [m1] */
        if
        :: h == 0 || (h <= cursor[i] && which != AGAIN) -> h = 0; i++
        :: else
        fi };
        if
        :: atomic { h != 0 && OVERTAKEN(i, h) ->    /* looking at it */
            HURRY(i);
            if
            :: hc < PATIENCE -> goto retry
            :: else -> over = true; waived = true
            fi;
            h = 0; i++ }
        :: atomic { h != 0 ->
            key = stampof[AT(i, h)];
            observed[i] = MAX(h, cursor[i]);
            CLAMP;
            if                                      /* [m3] */
            :: bs == 0 -> older = true
            :: bs != 0 && bl == i -> older = (bs < h)
            :: else -> older = (bk < key)
            fi;
#ifdef M_NEWEST_FIRST_LANE
            older = (bs == 0);
#endif
            if :: older -> bl = i; bs = h; bk = key :: else fi;
            key = 0; h = 0; older = false; i++ }
        :: h == 0
        fi
    :: atomic { i >= n ->
        i = 0;
        if
        :: bs == 0 && over -> goto retry
        :: bs == 0 && !over -> goto nothing
        :: else
        fi;
        older = (bl == fl -> bs < fs : bk < fk);    /* [m2] */
#ifdef M_NO_FLOOR
        older = false;
#endif
        if
        :: older && which == NEWEST ->
            do
            :: i < n ->
                if
                :: observed[i] > cursor[i] ->
#ifndef M_FLOOR_UNCOUNTED
                    untold = untold + observed[i] - cursor[i];
#endif
                    passed = passed + observed[i] - cursor[i];
                    cursor[i] = observed[i]
                :: else
                fi;
                i++
            :: else -> break
            od;
            i = 0;
            goto nothing
        :: older && which != NEWEST -> goto nothing
        :: else -> goto validate
        fi }
    od;

    /* ---- next ---- */
next:
    do
    :: atomic { i < n ->
        h = head[i];                                /* [m1] */
        if
        :: h <= cursor[i] -> observed[i] = 0; h = 0; i++
        :: else ->
            observed[i] = 1;
            OLDEST_UNSEEN
        fi };
        if
        :: atomic { h != 0 && OVERTAKEN(i, seq) ->
            HURRY(i);
            if
            :: hc < PATIENCE -> goto retry
            :: else -> over = true; waived = true
            fi;
            h = 0; seq = 0; i++ }
        :: atomic { h != 0 ->
            key = stampof[AT(i, seq)];
            CLAMP;
            older = (bs == 0 || key < bk);          /* [m3] */
#ifdef M_NEXT_FIRST_LANE
            older = (bs == 0);
#endif
            if :: older -> bl = i; bs = seq; bk = key :: else fi;
            key = 0; seq = 0; h = 0; older = false; i++ }
        :: h == 0
        fi
    :: atomic { i >= n ->
        i = 0;
        if
        :: bs == 0 && over -> goto retry
        :: bs == 0 && !over -> goto nothing
        :: else
        fi;
#ifdef M_NO_SECOND_LOOK
        goto validate;
#endif
        break }
    od;
    /* [m4] Once more at the lanes that had nothing, and at those that have come. */
#ifndef M_SECOND_LOOK_OLD_LANES
    atomic { do :: n < used -> observed[n] = 0; n++ :: else -> break od };
#endif
    do
    :: atomic { i < n ->
        if
        :: observed[i] != 0 -> i++
        :: else ->
            h = head[i];
            if
            :: h <= cursor[i] -> h = 0; i++
            :: else ->
                OLDEST_UNSEEN
            fi
        fi };
        if
        :: atomic { h != 0 && OVERTAKEN(i, seq) ->
#ifndef M_SECOND_LOOK_OVERTAKEN
            HURRY(i);
            if
            :: hc < PATIENCE -> goto retry
            :: else -> waived = true
            fi;
#endif
            h = 0; seq = 0; i++ }
        :: atomic { h != 0 ->
            key = stampof[AT(i, seq)];
            CLAMP;
            if :: key < bk -> bl = i; bs = seq; bk = key :: else fi;
            key = 0; seq = 0; h = 0; i++ }
        :: h == 0
        fi
    :: atomic { i >= n -> i = 0; break }
    od;

validate:
    if
    :: atomic { OVERTAKEN(bl, bs) -> HURRY(bl); goto retry }
    :: skip
    fi;
    /* ---- commit ---- */
    atomic {
        /* what must hold of any delivery */
        i = 0;
        do
        :: i < NL ->
            /* no effect before its cause: the cause is behind the reader, or was overtaken */
            assert(which != NEXT || waived || i == LIAR_LANE
                || cause[CAUSE(bl, bs) + i] <= cursor[i] || cause[CAUSE(bl, bs) + i] + F <= head[i]);
            i++
        :: else -> break
        od;
        i = 0;
        /* its true age; a lie counts as the time when it was seen */
        key = stampof[AT(bl, bs)];
        if :: key == LIE -> key = MIN(bk, clock) :: else fi;
        if
        :: which == NEXT ->
            assert(bs > cursor[bl])                 /* once, and in the writer's order */
        :: else ->
            assert(which == AGAIN || bs > cursor[bl]);
            assert(key >= delivered);               /* newest never goes back */
            assert(waived || key >= must)           /* and is the newest */
        fi;
        /* causes are no longer asked for */
        i = 0;
        do :: i < NL -> cause[CAUSE(bl, bs) + i] = 0; i++ :: else -> break od;
        i = 0;
        told = 0;
        if
        :: bs > cursor[bl] && which == NEXT ->
            told = bs - cursor[bl] - 1;
            passed = passed + bs - cursor[bl];
            cursor[bl] = bs
        :: bs > cursor[bl] && which != NEXT ->
            i = 0;
            do
            :: i < n ->
                if
                :: observed[i] > cursor[i] -> 
#ifdef M_ONLY_OWN_LANE_COUNTED
                    if :: i == bl -> told = told + observed[i] - cursor[i] :: else fi;
#else
                    told = told + observed[i] - cursor[i];
#endif
                    passed = passed + observed[i] - cursor[i];
                    cursor[i] = observed[i]
                :: else
                fi;
                i++
            :: else -> break
            od;
            i = 0;
            told--
        :: else -> goto seen
        fi;
        told = told + untold;
        untold = 0;
        assert(passed == told + 1);                 /* received + missed = published, at every delivery */
        passed = 0;
seen:
        told = 0;
        if
#ifdef M_FLOOR_NOT_BY_NEXT
        :: which == NEXT
#endif
        :: (fs == 0 || (fl == bl -> fs < bs : fk < bk)) -> fl = bl; fs = bs; fk = bk
        :: else
        fi;
        delivered = MAX(delivered, key);
        key = 0; hl = 0; hc = 0
    };
    goto finish;

retry:
    atomic {
        i = 0; h = 0; seq = 0; key = 0; over = false;
        if
        :: goto pick
        :: goto finish                              /* overrun: tried often enough, the place is kept */
        fi
    };
nothing:
    atomic {
        assert(which == AGAIN || waived || must <= delivered);          /* nothing new is held back ... */
        assert(which != NEXT || must == 0)          /* ... and from next nothing at all */
    };
finish:
    atomic {
        i = 0;
        do :: i < NL -> observed[i] = 0; i++ :: else -> break od;
        i = 0; bl = 0; bs = 0; bk = 0; n = 0; h = 0; must = 0; older = false; over = false; waived = false; which = 0
    };
    goto receive;
quiet:
    i = 0;
    d_step {
        assert(passed == untold)                    /* all published is accounted for */
    }
}

init {
    byte i;
    atomic {
        do :: i < NL -> run Writer(i); i++ :: else -> break od;
        i = 0;
        run Reader()
    }
}
