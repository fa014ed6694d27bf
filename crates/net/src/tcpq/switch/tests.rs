use super::*;
use crate::tcpq::MESSAGE;
use crate::tcpq::VERSION;

/// A switch, and what was sent to each client.
struct Net {
    switch: Switch,
    intakes: BTreeMap<u64, Intake>,
}

impl Net {
    fn new(limits: QueueLimits, intake: usize) -> Net {
        Net { switch: Switch::new(limits, 1 << 30, intake), intakes: BTreeMap::new() }
    }
    /// Continues until no client's input waits.
    fn finish(&mut self) {
        while let Some((_, result)) = self.switch.work() {
            result.unwrap();
        }
    }
    fn join(&mut self, id: u64) {
        self.switch.join(id, 0);
        self.intakes.insert(id, Intake::new(HELLO_HUB));
        self.switch.received(id, &hello(HELLO_CLIENT, VERSION)).unwrap();
    }
    fn subscribe(&mut self, id: u64, expression: &str) {
        let mut out = Vec::new();
        frame::subscribe(&mut out, expression.as_bytes());
        self.switch.received(id, &out).unwrap();
        self.finish();
    }
    fn unsubscribe(&mut self, id: u64, expression: &str) {
        let mut out = Vec::new();
        frame::unsubscribe(&mut out, expression.as_bytes());
        self.switch.received(id, &out).unwrap();
        self.finish();
    }
    fn publish(&mut self, id: u64, channel: &str, payload: &str) {
        let mut out = Vec::new();
        frame::publish(&mut out, channel.as_bytes(), payload.as_bytes());
        self.switch.received(id, &out).unwrap();
        self.finish();
    }
    /// Sends all that is queued for a client: the messages, and `mark` for marks.
    fn got(&mut self, id: u64) -> Vec<String> {
        let bytes: Vec<u8> = self.switch.queue(id).unwrap().pieces(usize::MAX).flatten().copied().collect();
        self.switch.sent(id, bytes.len());
        let (intake, mut input, mut all) = (self.intakes.get_mut(&id).unwrap(), &bytes[..], Vec::new());
        while let Some(frame) = intake.next(&mut input).unwrap() {
            all.push(match frame {
                Frame::Publish { payload, .. } => String::from_utf8(payload.into()).unwrap(),
                Frame::Mark => "mark".into(),
                other => panic!("{other:?}"),
            });
        }
        all
    }
}

fn net() -> Net {
    Net::new(QueueLimits::default(), MESSAGE)
}

#[test]
fn each_message_comes_once_to_all_who_want_it_and_to_its_sender() {
    let mut net = net();
    (1..=3).for_each(|id| net.join(id));
    net.subscribe(1, "A|B");
    net.subscribe(1, ".*");
    net.subscribe(2, "A");
    for channel in ["A", "B", "AB"] {
        net.publish(2, channel, channel);
    }
    assert_eq!(net.got(1), ["A", "B", "AB"]);
    assert_eq!(net.got(2), ["A"]);
    assert!(net.got(3).is_empty());
    let total = net.switch.total();
    assert_eq!((total.received, total.sent, total.dropped), (3, 4, 0));
}

#[test]
fn what_is_taken_back_is_the_first_equal_expression() {
    let mut net = net();
    net.join(1);
    ["A", "A", "B"].iter().for_each(|e| net.subscribe(1, e));
    net.unsubscribe(1, "A");
    net.publish(1, "A", "one");
    net.unsubscribe(1, "A");
    net.unsubscribe(1, "never");
    net.publish(1, "A", "two");
    net.publish(1, "B", "three");
    assert_eq!(net.got(1), ["one", "three"]);
    assert_eq!(net.switch.client(1).unwrap().subscriptions, 1);
}

#[test]
fn a_slow_client_loses_old_messages_and_the_others_none() {
    let mut net = Net::new(QueueLimits { bytes: 1 << 20, messages: 10 }, MESSAGE);
    (1..=2).for_each(|id| net.join(id));
    (1..=2).for_each(|id| net.subscribe(id, ".*"));
    net.got(1);
    let mut heard = Vec::new();
    for n in 0..100 {
        net.publish(1, "A", &n.to_string());
        heard.extend(net.got(2));
    }
    assert_eq!(heard.len(), 100);
    assert_eq!(net.got(1), (90..100).map(|n| n.to_string()).collect::<Vec<_>>());
    assert_eq!(net.switch.client(1).unwrap().counts.dropped, 90);
    net.switch.leave(1);
    assert_eq!(net.switch.total().dropped, 90, "the counts stay");
}

#[test]
fn a_mark_comes_back_behind_all_that_was_asked_before() {
    let mut net = net();
    net.join(1);
    net.subscribe(1, "A");
    net.publish(1, "A", "before");
    net.switch.received(1, b"\0\0\0\x04").unwrap();
    net.publish(1, "A", "after");
    assert_eq!(net.got(1), ["before", "mark", "after"]);
    // A client that keeps requesting and reads nothing is closed.
    let why = net.switch.received(1, &b"\0\0\0\x04".repeat(100));
    assert_eq!(why, Err(Reason::TooManyMarks));
}

#[test]
fn who_is_ready_is_told_once_until_all_is_sent() {
    let mut net = net();
    (1..=2).for_each(|id| net.join(id));
    assert_eq!(net.switch.ready(), [1, 2], "the hellos");
    net.subscribe(2, "A");
    net.publish(1, "A", "x");
    assert!(net.switch.ready().is_empty(), "2 is about its hello");
    net.got(2);
    net.publish(1, "A", "x");
    net.publish(1, "A", "x");
    assert_eq!(net.switch.ready(), [2]);
}

#[test]
fn garbage_is_told_and_what_came_before_it_is_handed_on() {
    let mut net = net();
    (1..=2).for_each(|id| net.join(id));
    net.subscribe(2, "A");
    let mut bytes = Vec::new();
    frame::publish(&mut bytes, b"A", b"good");
    bytes.extend(b"\xff\xff\xff\xff");
    assert_eq!(net.switch.received(1, &bytes), Err(Reason::Garbage(Garbage::Type(u32::MAX))));
    assert_eq!(net.got(2), ["good"]);
    net.switch.join(3, 0);
    let told = net.switch.received(3, b"GET / HTTP/1.1\r\n").unwrap_err().to_string();
    assert!(told.contains("0x47455420"), "{told}");
}

#[test]
fn a_subscription_that_makes_no_sense_costs_the_others_nothing() {
    let mut net = net();
    net.join(1);
    net.subscribe(1, "(");
    net.subscribe(1, "A");
    net.publish(1, "A", "x");
    assert_eq!(net.got(1), ["x"]);
    let refused = net.switch.refused();
    assert!(refused.len() == 1 && refused[0].0 == 1 && refused[0].1.contains("`(`"), "{refused:?}");
    assert_eq!(net.switch.client(1).unwrap().counts.refused, 1);
}

#[test]
fn subscriptions_memory_and_patience_have_limits() {
    let many = |count: usize, expression: fn(usize) -> String| {
        let mut net = net();
        net.join(1);
        let mut out = Vec::new();
        (0..count).for_each(|n| frame::subscribe(&mut out, expression(n).as_bytes()));
        net.switch.received(1, &out)?;
        while let Some((_, result)) = net.switch.work() {
            result?;
        }
        assert!(net.switch.refused().is_empty());
        Ok(())
    };
    assert_eq!(many(SUBSCRIPTIONS, |n| format!("C{n}")), Ok(()));
    assert_eq!(many(SUBSCRIPTIONS + 1, |n| format!("C{n}")), Err(Reason::TooManySubscriptions));
    assert_eq!(many(EXPRESSIONS, |n| format!("C{n}.*")), Ok(()));
    assert_eq!(many(EXPRESSIONS + 1, |n| format!("C{n}.*")), Err(Reason::TooManySubscriptions));

    let mut net = Net::new(QueueLimits::default(), 1000);
    (1..=2).for_each(|id| net.join(id));
    let mut long = frame::publish_head(b"A", 10_000);
    long.extend([0; 600]);
    assert_eq!(net.switch.received(1, &long), Ok(()));
    assert_eq!(net.switch.received(2, &long), Err(Reason::Memory));
    net.switch.leave(2);
    net.switch.leave(1);
    assert_eq!(net.switch.held, 0);

    net.switch.join(3, 5);
    net.switch.join(4, 7);
    net.switch.received(4, &hello(HELLO_CLIENT, VERSION)).unwrap();
    assert_eq!(net.switch.deadline(), Some(5 + PATIENCE));
    assert!(net.switch.silent(4 + PATIENCE).is_empty());
    assert_eq!(net.switch.silent(5 + PATIENCE), [3]);
}

/// Frames that publish empty messages.
fn publishing(channels: impl IntoIterator<Item = String>) -> Vec<u8> {
    let mut out = Vec::new();
    channels.into_iter().for_each(|channel| frame::publish(&mut out, channel.as_bytes(), b"new"));
    out
}

#[test]
fn matching_is_done_in_turns_and_who_needs_none_does_not_wait_for_it() {
    let mut net = net();
    // Clients with costly expressions that do not match.
    for id in 1..=10 {
        net.join(id);
        (0..16).for_each(|n| net.subscribe(id, &format!("(.*a){{3}}.*b{{2}}{n}|(x|y|z){{20}}{n}")));
    }
    (100..=102).for_each(|id| net.join(id));
    net.subscribe(101, "POSE");
    net.publish(102, "POSE", "before");
    assert_eq!(net.got(101), ["before"]);
    // One client invents names.
    let names = (0..20).map(|n| format!("{}{n}", "xyzab".repeat(150)));
    let flood = publishing(names.chain(["POSE".to_string()]));
    net.switch.begin();
    net.switch.received(100, &flood).unwrap();
    assert!(net.switch.waits(100) && !net.switch.waits(102));
    let (mut turns, mut channels) = (0, 0);
    while net.switch.is_busy() {
        // Other clients' messages are not delayed, on known channels and on new ones.
        net.switch.begin();
        let mut out = Vec::new();
        frame::publish(&mut out, b"POSE", b"other");
        net.switch.received(102, &out).unwrap();
        assert!(!net.switch.waits(102));
        assert_eq!(net.got(101).first().map(String::as_str), Some("other"));
        net.switch.work().unwrap().1.unwrap();
        turns += 1;
        channels = net.switch.routes.len();
    }
    assert!(turns > 5, "{turns} turns for {channels} channels");
    // It was done completely and in order.
    assert_eq!(net.switch.client(100).unwrap().counts.received, 21);
    assert_eq!(net.got(101), ["new"]);
}

#[test]
fn what_others_subscribe_makes_nobody_ask_all_clients_again() {
    let mut net = net();
    (1..=3).for_each(|id| net.join(id));
    net.subscribe(1, "PO.*");
    net.publish(2, "POSE", "one");
    let route = |net: &Net| (net.switch.routes[&b"POSE"[..]].seen, net.switch.generation);
    assert_eq!(route(&net), (1, 1));
    // Subscribing, canceling and leaving take effect by checking the client that changed.
    net.subscribe(3, "P.SE");
    net.publish(2, "POSE", "two");
    assert_eq!((net.got(1), net.got(3)), (vec!["one".into(), "two".into()], vec!["two".to_string()]));
    net.unsubscribe(1, "PO.*");
    net.publish(2, "POSE", "three");
    assert_eq!((net.got(1), net.got(3)), (vec![], vec!["three".to_string()]));
    net.switch.leave(3);
    net.publish(2, "POSE", "four");
    assert!(net.switch.routes[&b"POSE"[..]].to.is_empty() && net.got(2).is_empty());
}

#[test]
fn expressions_of_one_client_have_a_bound_together_and_so_have_routes() {
    let mut net = net();
    (1..=2).for_each(|id| net.join(id));
    for n in 0..EXPRESSIONS {
        net.subscribe(1, &format!(r"(\w+_){{3}}{n}")); // Unicode's letters take memory
    }
    let refused = net.switch.refused();
    assert!(!refused.is_empty() && refused[0].1.contains("at most 524288 bytes"), "{refused:?}");
    let taken: usize = net.switch.clients[&1].subscriptions.iter().map(Expression::memory).sum();
    assert!(taken <= PROGRAMS && net.switch.clients[&1].programs == taken, "{taken}");
    // It may cancel some, and add others.
    let first = String::from_utf8(net.switch.clients[&1].subscriptions[0].text().into()).unwrap();
    net.unsubscribe(1, &first);
    net.subscribe(1, r"\w+");
    assert!(net.switch.refused().is_empty());
    for n in 0..2 * ROUTES {
        net.publish(2, &format!("N{n}"), "");
        net.publish(2, "POSE", "");
    }
    assert!(net.switch.routes.len() <= ROUTES && net.switch.routes.contains_key(&b"POSE"[..]));
}

#[test]
fn the_queues_of_all_clients_together_are_bounded_and_who_reads_loses_nothing() {
    const QUEUES: usize = 1 << 20;
    let mut net =
        Net { switch: Switch::new(QueueLimits::default(), QUEUES, MESSAGE), intakes: BTreeMap::new() };
    (0..40).for_each(|id| net.join(id));
    (0..39).for_each(|id| net.subscribe(id, &format!("FLOOD{id}")));
    net.subscribe(39, "POSE");
    assert_eq!(net.got(39), Vec::<String>::new());
    let long = "x".repeat(50_000);
    for round in 0..10 {
        for id in 0..39 {
            net.publish(0, &format!("FLOOD{id}"), &long);
            let held: usize = net.switch.clients.values().map(|client| client.queue.held()).sum();
            assert_eq!(held, net.switch.queued);
            assert!(held <= QUEUES, "{held}");
        }
        net.publish(0, "POSE", &round.to_string());
        assert_eq!(net.got(39), [round.to_string()]);
    }
    (0..39).for_each(|id| drop(net.got(id)));
    // A client that takes a part of a long message cannot lose it any more: it is disconnected instead.
    net.publish(0, "FLOOD5", &"y".repeat(QUEUES - 1000));
    net.switch.sent(5, net.switch.queue(5).unwrap().waiting().1 - 500_000);
    assert_eq!(net.switch.full(), []);
    net.publish(0, "FLOOD6", &"z".repeat(QUEUES / 2));
    assert_eq!(net.switch.full(), [5]);
    net.switch.leave(5);
    assert_eq!(net.got(6).len(), 1, "the others keep theirs");
    (0..40).for_each(|id| net.switch.leave(id));
    assert_eq!(net.switch.queued, 0);
}

#[test]
fn the_work_of_dropping_messages_ends_the_turn_of_its_sender() {
    let mut net =
        Net { switch: Switch::new(QueueLimits::default(), 4 << 20, MESSAGE), intakes: BTreeMap::new() };
    (0..10).for_each(|id| net.join(id));
    (1..10).for_each(|id| net.subscribe(id, "A"));
    // Many short messages, which a long one must replace.
    let many = (4 << 20) / 200 / 9;
    (0..many).for_each(|n| net.publish(0, "A", &format!("{n:100}")));
    let mut out = Vec::new();
    frame::publish(&mut out, b"A", &[b'x'; 400_000]);
    net.switch.begin();
    net.switch.received(0, &out).unwrap();
    let dropped: u64 = (1..10).map(|id| net.switch.client(id).unwrap().counts.dropped).sum();
    assert!(dropped > 5000, "{dropped}");
    assert!(net.switch.fuel < STEP - dropped as i64 * PUSH, "{} left", net.switch.fuel);
}
