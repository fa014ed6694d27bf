//! Verifies the contenders, and runs them in turn.

use crate::contender::{Contender, Operation, Result};
use crate::messages::Messages;
use crate::plan::Plan;

/// The times of one contender for one operation on one message: nanoseconds per operation, one for each repetition.
#[derive(Clone, Debug)]
pub struct Row {
    /// Of the contender.
    pub name: String,
    /// The contender of LCM that it is compared with.
    pub rival: &'static str,
    /// Of the message.
    pub case: &'static str,
    /// What was done.
    pub operation: Operation,
    /// How often, in each turn.
    pub count: u64,
    /// Nanoseconds per operation.
    pub times: Vec<f64>,
}

/// All contenders must reproduce the given bytes; otherwise they do not do the same work.
pub fn verify(contenders: &mut [Contender], messages: &Messages) -> Result<()> {
    for contender in contenders {
        for case in &messages.cases {
            let found = contender.work.verify(case.name)?;
            if found != case.bytes {
                let at = found.iter().zip(&case.bytes).position(|(a, b)| a != b);
                let at = at.unwrap_or(found.len().min(case.bytes.len()));
                return Err(format!("{} makes another {}, from byte {at} on", contender.name, case.name));
            }
        }
    }
    Ok(())
}

/// Measures, message by message. All contenders do all operations inside every repetition, in reverse order in
/// every second one, so that a ratio compares turns that were close together.
pub fn run(contenders: &mut [Contender], messages: &Messages, plan: &Plan) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for case in &messages.cases {
        eprintln!("{}: {}", case.name, case.what);
        rows.extend(one(contenders, case.name, plan)?);
    }
    Ok(rows)
}

fn one(contenders: &mut [Contender], case: &'static str, plan: &Plan) -> Result<Vec<Row>> {
    let mut turns: Vec<(usize, Row)> = Vec::new();
    for operation in Operation::ALL {
        for (i, contender) in contenders.iter_mut().enumerate() {
            if let Some(count) = calibrate(contender, case, operation, plan)? {
                let (name, rival) = (contender.name.clone(), contender.rival);
                turns.push((i, Row { name, rival, case, operation, count, times: Vec::new() }));
            }
        }
    }
    for rep in 0..plan.reps {
        let mut order: Vec<usize> = (0..turns.len()).collect();
        if rep % 2 == 1 {
            order.reverse();
        }
        for at in order {
            let (i, row) = &mut turns[at];
            let time = contenders[*i].work.time(row.operation, case, row.count)?;
            row.times.push(time.unwrap_or_default() as f64 / row.count as f64);
        }
    }
    Ok(turns.into_iter().map(|(_, row)| row).collect())
}

/// Warms up, and determines the number of operations per turn; `None` if not supported.
fn calibrate(
    contender: &mut Contender,
    case: &str,
    operation: Operation,
    plan: &Plan,
) -> Result<Option<u64>> {
    let turn = plan.turn.as_nanos() as u64;
    let warm_up = if contender.warms { plan.warm_up.as_nanos() as u64 } else { turn };
    let (mut count, mut total) = (1u64, 0);
    loop {
        let Some(time) = contender.work.time(operation, case, count)? else { return Ok(None) };
        total += time;
        if time >= turn && total >= warm_up {
            return Ok(Some((count * turn / time.max(1)).max(1)));
        }
        if time < turn {
            count *= 2;
        }
    }
}
