/*
 * Leases of lanes: who may write which lane, growth of the file, death, take-over.
 *
 * The kernel's part is modelled as the kernel gives it: taking a lock of one byte is one
 * step; the lock lives exactly as long as the address space that holds it; reserving a
 * range is one step that reserves all of it or, when the memory is used up, none. A
 * process may be killed before every step. What it then held is given up one by one, in
 * any order, and only after its last store.
 *
 * The marks in brackets are those of MAPPING.md and of the code.
 */
#ifndef L
#define L 3                     /* lanes that the channel may have at most */
#endif
#ifndef N
#define N 3                     /* publishers */
#endif
#ifndef ROOM
#define ROOM 2                  /* lanes that there is memory for */
#endif
#ifndef CRASHES
#define CRASHES 2
#endif

/* ---- the shared memory ---- */
byte used;                      /* lanes_used */
byte leases;                    /* numbers given out */
/* ---- the kernel ---- */
bool locked[L];                 /* byte i of the lease file, exclusive */
byte alive[L];                  /* byte i of the data file, shared: how many hold it */
bool reserved[L];               /* the lane's part of the data file */

/* ---- what really happened ---- */
byte writing[L];                /* how many processes believe that the lane is theirs */
bool given[N + 1];              /* numbers under which somebody may publish */
byte crashes;
byte living = N;

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define STEP(x) if :: atomic { x } :: atomic { crashes < CRASHES -> crashes++; goto dead } fi

/* fallocate: all of it or nothing. Sets got. */
#define RESERVE(from, to) \
    got = true; i = 0; room = 0; \
    do :: i < L -> if :: reserved[i] || (i >= from && i < to) -> room++ :: else fi; i++ :: else -> break od; \
    if :: room > ROOM -> got = false :: else fi; \
    i = from; \
    do :: i < to && got -> reserved[i] = true; i++ :: else -> break od; \
    i = 0; room = 0

#ifdef FORK
/* A child made by fork: it has the publisher's memory, but not its lease. */
proctype Child(byte lane)
{
#ifdef M_NO_FORK_CHECK
    atomic { writing[lane]++; assert(writing[lane] == 1) };
    writing[lane]--
#else
    skip                                            /* is_ours says no, and it does not write */
#endif
}
#endif

proctype Publisher()
{
    byte lane, from, number, i, room;
    bool got, held, lives, mine, forked, shut;

    do
    :: lane < L ->
        STEP(got = !locked[lane]);                  /* asking first */
        if
        :: !got -> lane++
        :: else ->
#ifdef M_ASK_ONLY
            STEP(locked[lane] = true; held = true);
#else
            STEP(if :: locked[lane] -> held = false :: else -> locked[lane] = true; held = true fi);    /* [l1] */
#endif
            if :: held -> break :: else -> lane++ fi
        fi
    :: else -> goto closed                          /* no lane is free: the caller is told so */
    od;
    STEP(from = used);
    if
    :: lane >= from ->
#ifdef M_USED_BEFORE_RESERVE
        STEP(used = MAX(used, lane + 1));
#endif
#ifdef M_RESERVE_OWN_ONLY
        STEP(RESERVE(lane, lane + 1));
#else
        STEP(RESERVE(from, lane + 1));              /* [l2] */
#endif
        if
        :: !got ->                                  /* no memory: the caller is told so, the lease given back */
#ifdef M_LEASE_KEPT
            held = false;
#endif
            goto closed
        :: else
        fi;
#ifdef M_USED_STORED
        STEP(used = lane + 1)
#else
        STEP(used = MAX(used, lane + 1))            /* [l3] */
#endif
    :: else
    fi;
    from = 0;
#ifdef M_NUMBER_NOT_ATOMIC
    STEP(number = leases + 1);
    STEP(leases = number);
#else
    STEP(leases++; number = leases);
#endif
    STEP(alive[lane]++; lives = true);              /* [l4] */

    /* It owns the lane and writes it. */
    STEP(writing[lane]++; mine = true; assert(writing[lane] == 1); assert(!given[number]); given[number] = true);
    do
    :: STEP(assert(writing[lane] == 1 && reserved[lane] && used > lane && alive[lane] > 0)); break
#ifdef FORK
    :: atomic { !forked -> forked = true; run Child(lane) }
    :: atomic { !shut -> shut = true;               /* close_range, as daemons do: no effect on what a mapping holds */
#ifdef M_LOCK_ON_DESCRIPTOR
            locked[lane] = false
#else
            skip
#endif
        }
#endif
    od;
closed:                                             /* in good order: first the memory, then the lock */
    atomic { if :: mine -> writing[lane]--; mine = false :: else fi };
    if :: atomic { held -> locked[lane] = false; held = false } :: !held fi;
    if :: atomic { lives -> alive[lane]--; lives = false } :: !lives fi;
    goto gone;
dead:                                               /* the kernel takes the address space down: no stores any more */
    atomic { if :: mine -> writing[lane]--; mine = false :: else fi };
    do
    :: atomic { held -> locked[lane] = false; held = false }
    :: atomic { lives -> alive[lane]--; lives = false }
    :: atomic { !held && !lives -> break }
    od;
gone:
    atomic { living--; lane = 0; from = 0; number = 0; i = 0; got = false; forked = false; shut = false }
}

/*
 * Touches all that it is told is in use; a page that is not reserved would be allocated by
 * its reading, or kill it. What is reserved stays so: looking at all at once is enough.
 */
proctype Reader()
{
    byte i, before;

    do
    :: atomic {
        used != before ->
        assert(used > before);                      /* never shrinks */
        before = used;
        i = 0;
        do :: i < before -> assert(reserved[i]); i++ :: else -> break od;
        i = 0 }
    :: atomic { living == 0 && used == before -> break }
    od
}

/* In the end every lease is free again, and whoever comes gets a lane if there was ever one. */
proctype Watch()
{
    byte i;

    timeout;
    do
    :: i < L -> assert(!locked[i] && alive[i] == 0 && writing[i] == 0); i++
    :: else -> break
    od
}

init {
    byte i;
    atomic {
        do :: i < N -> run Publisher(); i++ :: else -> break od;
        i = 0;
        run Reader();
        run Watch()
    }
}
