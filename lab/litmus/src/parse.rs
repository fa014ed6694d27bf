//! Reads litmus tests. README.md describes the format.

use crate::program::*;

/// The tests of one file.
pub fn parse(file: &str, text: &str) -> Result<Vec<Program>, Mistake> {
    let mut programs = Vec::new();
    let mut open: Option<Builder> = None;
    for (i, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or("").trim();
        let mistake = |what: String| Mistake { file: file.into(), line: i + 1, what };
        if code.is_empty() {
            continue;
        }
        if let Some(name) = code.strip_prefix("litmus ") {
            if let Some(before) = open.take() {
                programs.push(before.finish().map_err(mistake)?);
            }
            open = Some(Builder::new(name.trim()));
            continue;
        }
        let builder = open.as_mut().ok_or_else(|| mistake("expected `litmus NAME` first".into()))?;
        builder.line(code, i + 1).map_err(mistake)?;
    }
    if let Some(last) = open {
        let line = text.lines().count();
        programs.push(last.finish().map_err(|what| Mistake { file: file.into(), line, what })?);
    }
    Ok(programs)
}

type Outcome<T> = Result<T, String>;

/// A test being read.
struct Builder {
    program: Program,
    /// The steps of `if`s, and of the jumps of their `else`s, that have no end yet.
    ifs: Vec<usize>,
    /// The thread that each register belongs to.
    owners: Vec<usize>,
}

impl Builder {
    fn new(name: &str) -> Builder {
        let program = Program { name: name.into(), ..Program::default() };
        Builder { program, ifs: Vec::new(), owners: Vec::new() }
    }

    fn finish(self) -> Outcome<Program> {
        if !self.ifs.is_empty() {
            return Err(format!("an `if` of `{}` has no `end`", self.program.name));
        }
        if self.program.claims.is_empty() {
            return Err(format!("`{}` claims nothing: add `forbid` or `allow`", self.program.name));
        }
        Ok(self.program)
    }

    fn line(&mut self, text: &str, number: usize) -> Outcome<()> {
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        match first {
            "about" => {
                let about = &mut self.program.about;
                if !about.is_empty() {
                    about.push(' ');
                }
                about.push_str(rest.trim());
                return Ok(());
            }
            "init" => {
                let (name, value) = rest.split_once('=').ok_or("expected `init LOCATION = NUMBER`")?;
                let location = self.location(name.trim())?;
                self.program.locations[location].1 = parse_number(value.trim())?;
                return Ok(());
            }
            "thread" => {
                if !self.ifs.is_empty() {
                    return Err("an `if` of the thread above has no `end`".into());
                }
                self.program.threads.push(Vec::new());
                self.program.thread_names.push(rest.trim().into());
                return Ok(());
            }
            "forbid" => return self.claim(false, &Model::ALL, rest),
            "allow" => return self.claim(true, &Model::ALL, rest),
            "c11" | "arm" | "x86" => {
                let model = match first {
                    "c11" => Model::C11,
                    "arm" => Model::Arm,
                    _ => Model::X86,
                };
                return match rest.trim().split_once(' ') {
                    Some(("forbid", condition)) => self.claim(false, &[model], condition),
                    Some(("allow", condition)) => self.claim(true, &[model], condition),
                    _ => Err(format!("expected `{first} forbid CONDITION` or `{first} allow CONDITION`")),
                };
            }
            _ => {}
        }
        let thread = self.program.threads.len().checked_sub(1).ok_or("expected `thread NAME` first")?;
        let (step_text, code) = match text.split_once('@') {
            Some((step, code)) => (step.trim(), Some(code.trim().to_string())),
            None => (text, None),
        };
        let here = self.program.threads[thread].len();
        if step_text == "end" {
            let open = self.ifs.pop().ok_or("`end` without `if`")?;
            self.close(thread, open, here);
            return Ok(());
        }
        if step_text == "else" {
            let open = self.ifs.pop().ok_or("`else` without `if`")?;
            self.close(thread, open, here + 1);
            self.ifs.push(here);
            self.push(thread, Step::Jump(0), Order::Relaxed, None, number, text);
            return Ok(());
        }
        let (step, order) = self.step(thread, step_text)?;
        if matches!(step, Step::Unless(..)) {
            self.ifs.push(here);
        }
        self.push(thread, step, order, code, number, text);
        Ok(())
    }

    fn push(
        &mut self,
        thread: usize,
        step: Step,
        order: Order,
        code: Option<String>,
        number: usize,
        text: &str,
    ) {
        self.program.threads[thread].push(Line { step, order, code, number, text: text.into() });
    }

    fn close(&mut self, thread: usize, open: usize, target: usize) {
        match &mut self.program.threads[thread][open].step {
            Step::Unless(_, to) | Step::Jump(to) => *to = target,
            _ => unreachable!("only these are remembered"),
        }
    }

    fn claim(&mut self, possible: bool, models: &[Model], text: &str) -> Outcome<()> {
        let condition = self.condition(text)?;
        let (models, text) = (models.to_vec(), text.trim().to_string());
        self.program.claims.push(Claim { possible, models, condition, text });
        Ok(())
    }

    fn step(&mut self, thread: usize, text: &str) -> Outcome<(Step, Order)> {
        if let Some(condition) = text.strip_prefix("if ") {
            return Ok((Step::Unless(self.condition(condition)?, 0), Order::Relaxed));
        }
        if let Some(condition) = text.strip_prefix("assume ") {
            return Ok((Step::Assume(self.condition(condition)?), Order::Relaxed));
        }
        let (to, operation) = match text.split_once(" = ") {
            Some((to, operation)) => (Some(to.trim()), operation.trim()),
            None => (None, text),
        };
        let words: Vec<&str> = operation.split_whitespace().collect();
        let (words, address) = match words.iter().position(|word| *word == "addr") {
            Some(at) => (&words[..at], &words[at + 1..]),
            None => (&words[..], &[][..]),
        };
        let (action, location, order) = match words {
            ["isb"] => return Ok((Step::Isb, Order::Relaxed)),
            ["fence", order] => return Ok((Step::Fence, parse_order(order)?)),
            ["load", location, order] => (Action::Load, location, order),
            ["store", location, value, order] => (Action::Store(self.sum(value)?), location, order),
            ["add", location, value, order] => (Action::Add(self.sum(value)?), location, order),
            ["max", location, value, order] => (Action::Max(self.sum(value)?), location, order),
            ["swap", location, value, order] => (Action::Swap(self.sum(value)?), location, order),
            ["cas", location, from, value, order] => {
                (Action::Replace(self.sum(from)?, self.sum(value)?), location, order)
            }
            _ => return Err(format!("`{text}` is not a step")),
        };
        let order = parse_order(order)?;
        let fits = match action {
            Action::Load => !matches!(order, Order::Release | Order::AcqRel),
            Action::Store(_) => !matches!(order, Order::Acquire | Order::AcqRel),
            _ => true,
        };
        if !fits {
            return Err(format!("`{text}` cannot have this ordering"));
        }
        let address = address.iter().map(|name| self.register(name)).collect::<Outcome<_>>()?;
        let location = self.location(location)?;
        let to = to.map(|name| self.new_register(thread, name)).transpose()?;
        Ok((Step::Access { action, location, to, address }, order))
    }

    fn location(&mut self, name: &str) -> Outcome<usize> {
        if self.program.registers.iter().any(|register| register == name) {
            return Err(format!("`{name}` is a register, not a location"));
        }
        Ok(find_or_add(&mut self.program.locations, name, |(n, _)| n, (name.into(), 0)))
    }
    fn new_register(&mut self, thread: usize, name: &str) -> Outcome<usize> {
        if self.program.locations.iter().any(|(location, _)| location == name) {
            return Err(format!("`{name}` is a location, not a register"));
        }
        let at = find_or_add(&mut self.program.registers, name, |n| n, name.into());
        if at == self.owners.len() {
            self.owners.push(thread);
        }
        match self.owners[at] == thread {
            true => Ok(at),
            false => Err(format!("register `{name}` belongs to another thread")),
        }
    }
    fn register(&self, name: &str) -> Outcome<usize> {
        let found = self.program.registers.iter().position(|register| register == name);
        found.ok_or_else(|| format!("`{name}` is not a register that a step above sets"))
    }

    /// A sum without blanks: `at+1`.
    fn sum(&self, text: &str) -> Outcome<Sum> {
        let mut sum = Sum::default();
        let (mut sign, mut rest) = (1, text);
        if let Some(negative) = rest.strip_prefix('-') {
            (sign, rest) = (-1, negative);
        }
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let term = &rest[..end];
            match term.parse::<i64>() {
                Ok(number) => sum.number += sign * number,
                Err(_) => sum.registers.push((self.register(term)?, sign)),
            }
            if end == rest.len() {
                return Ok(sum);
            }
            sign = if rest[end..].starts_with('+') { 1 } else { -1 };
            rest = &rest[end + 1..];
        }
    }

    /// `a == 1 && (b != 2 || [x] == 3)`; `&&` binds closer than `||`.
    fn condition(&mut self, text: &str) -> Outcome<Condition> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = &words[..];
        let condition = self.any(&mut rest)?;
        match rest {
            [] => Ok(condition),
            [word, ..] => Err(format!("`{word}` is out of place in `{}`", text.trim())),
        }
    }
    fn any(&mut self, rest: &mut &[&str]) -> Outcome<Condition> {
        let mut parts = vec![self.all(rest)?];
        while let Some(("||", behind)) = rest.split_first().map(|(a, b)| (*a, b)) {
            *rest = behind;
            parts.push(self.all(rest)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::Any(parts) })
    }
    fn all(&mut self, rest: &mut &[&str]) -> Outcome<Condition> {
        let mut parts = vec![self.one(rest)?];
        while let Some(("&&", behind)) = rest.split_first().map(|(a, b)| (*a, b)) {
            *rest = behind;
            parts.push(self.one(rest)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::All(parts) })
    }
    fn one(&mut self, rest: &mut &[&str]) -> Outcome<Condition> {
        match *rest {
            ["(", behind @ ..] => {
                *rest = behind;
                let inner = self.any(rest)?;
                match rest.split_first() {
                    Some((&")", behind)) => {
                        *rest = behind;
                        Ok(inner)
                    }
                    _ => Err("`(` without `)`".into()),
                }
            }
            [a, compare, b, behind @ ..] => {
                let compare = match *compare {
                    "==" => Compare::Equal,
                    "!=" => Compare::Unequal,
                    "<" => Compare::Less,
                    "<=" => Compare::AtMost,
                    ">" => Compare::Greater,
                    ">=" => Compare::AtLeast,
                    other => return Err(format!("`{other}` is not a comparison")),
                };
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                *rest = behind;
                Ok(Condition::Is(a, compare, b))
            }
            _ => Err("a condition ends too early".into()),
        }
    }
    fn operand(&mut self, text: &str) -> Outcome<Operand> {
        match text.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(name) => {
                let known = self.program.locations.iter().position(|(location, _)| location == name);
                known.map(Operand::Last).ok_or_else(|| format!("`{name}` is not a location of the test"))
            }
            None => self.sum(text).map(Operand::Sum),
        }
    }
}

fn find_or_add<T>(list: &mut Vec<T>, name: &str, name_of: impl Fn(&T) -> &String, new: T) -> usize {
    list.iter().position(|item| name_of(item) == name).unwrap_or_else(|| {
        list.push(new);
        list.len() - 1
    })
}

fn parse_number(text: &str) -> Outcome<i64> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn parse_order(text: &str) -> Outcome<Order> {
    Ok(match text {
        "rlx" => Order::Relaxed,
        "acq" => Order::Acquire,
        "rel" => Order::Release,
        "acqrel" => Order::AcqRel,
        "sc" => Order::SeqCst,
        _ => return Err(format!("`{text}` is not an ordering: rlx, acq, rel, acqrel or sc")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, says) in [
            ("store x 1 rlx", "1: expected `litmus NAME` first"),
            ("litmus a\nstore x 1 rlx", "2: expected `thread NAME` first"),
            ("litmus a\nthread t\nstore x 1 acq", "3: `store x 1 acq` cannot have this ordering"),
            ("litmus a\nthread t\nstore x r1 rlx", "3: `r1` is not a register"),
            ("litmus a\nthread t\na = load x rlx\nthread u\na = load x rlx", "5: register `a` belongs"),
            ("litmus a\nthread t\na = load x rlx\nif a == 1", "an `if` of `a` has no `end`"),
            ("litmus a\nthread t\na = load x rlx", "`a` claims nothing"),
            ("litmus a\nthread t\na = load x rlx\nforbid a = 1", "4: `=` is not a comparison"),
            ("litmus a\nthread t\na = load x rlx\nforbid [y] == 1", "4: `y` is not a location"),
            ("litmus a\nthread t\nload x soon", "3: `soon` is not an ordering"),
        ] {
            let said = parse("f", text).unwrap_err().to_string();
            assert!(said.contains(says), "{text}: {said}");
        }
    }
}
