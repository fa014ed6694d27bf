//! Rust source text as tokens, split into product code and tests.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// `::`.
    Sep,
    /// Any other mark, one character.
    Mark,
    /// A string; its text is without quotes.
    Text,
    /// A number, a character or a lifetime.
    Other,
}

/// A token of Rust.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its text.
    pub text: String,
    /// Its first line, from 0 on.
    pub line: usize,
    /// Its last line.
    pub end: usize,
}

impl Token {
    /// Whether it is this word or mark.
    pub fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text == text
    }
}

/// Splits `text` into tokens, without comments.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut scan = Scan { chars: text.chars().collect(), at: 0, line: 0, tokens: Vec::new() };
    while scan.at < scan.chars.len() {
        scan.token();
    }
    scan.tokens
}

/// Splits tokens into product code and tests: items below an attribute such as `#[test]` or `#[cfg(test)]`.
pub fn apart(tokens: &[Token]) -> (Vec<Token>, Vec<Token>) {
    let (mut code, mut tests) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let inner = tokens[at].is("#") && tokens.get(at + 1).is_some_and(|next| next.is("!"));
        let open = at + 1 + usize::from(inner);
        if !tokens[at].is("#") || !tokens.get(open).is_some_and(|next| next.is("[")) {
            code.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let close = group_end(tokens, open);
        let is_test = is_test(&tokens[open + 1..close.max(open + 1)]);
        if is_test && inner {
            tests.extend_from_slice(&tokens[at..]);
            return (code, tests);
        }
        let end = if is_test { item_end(tokens, close + 1) } else { close + 1 };
        let to = if is_test { &mut tests } else { &mut code };
        to.extend_from_slice(&tokens[at..end.min(tokens.len())]);
        at = end;
    }
    (code, tests)
}

/// The index of the mark that closes the group opened at `open`.
pub fn group_end(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != Kind::Mark {
            continue;
        }
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len().saturating_sub(1)
}

/// Whether an attribute makes its item a test: `test`, or a `cfg` that requires it.
fn is_test(attribute: &[Token]) -> bool {
    let Some(first) = attribute.first() else { return false };
    if attribute.iter().all(|token| token.kind == Kind::Word || token.kind == Kind::Sep) {
        return attribute.last().is_some_and(|last| last.is("test"));
    }
    let denied = |at: usize| at >= 2 && attribute[at - 1].is("(") && attribute[at - 2].is("not");
    first.is("cfg")
        && attribute
            .iter()
            .enumerate()
            .any(|(at, token)| token.kind == Kind::Word && token.text == "test" && !denied(at))
}

/// The index after the item, field or statement at `at`, including further attributes.
fn item_end(tokens: &[Token], mut at: usize) -> usize {
    while at + 1 < tokens.len() && tokens[at].is("#") && tokens[at + 1].is("[") {
        at = group_end(tokens, at + 1) + 1;
    }
    const ITEMS: [&str; 15] = [
        "pub",
        "mod",
        "fn",
        "use",
        "struct",
        "enum",
        "impl",
        "trait",
        "const",
        "static",
        "type",
        "unsafe",
        "async",
        "extern",
        "macro_rules",
    ];
    let is_item = tokens.get(at).is_some_and(|token| ITEMS.contains(&token.text.as_str()));
    let is_field = tokens.get(at + 2).is_some_and(|token| token.is(":")) && tokens[at].is("pub");
    while let Some(token) = tokens.get(at) {
        if token.kind == Kind::Mark {
            match token.text.as_str() {
                ";" => return at + 1,
                "," if !is_item || is_field => return at + 1,
                "{" => return group_end(tokens, at) + 1,
                "(" | "[" => at = group_end(tokens, at),
                ")" | "]" | "}" => return at,
                _ => {}
            }
        }
        at += 1;
    }
    at
}

struct Scan {
    chars: Vec<char>,
    at: usize,
    line: usize,
    tokens: Vec<Token>,
}

impl Scan {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    /// Skips `count` characters.
    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.line += usize::from(self.peek(0) == '\n');
            self.at += 1;
        }
    }

    fn push(&mut self, kind: Kind, text: String, line: usize) {
        self.tokens.push(Token { kind, text, line, end: self.line });
    }

    fn token(&mut self) {
        let (first, second) = (self.peek(0), self.peek(1));
        match first {
            _ if first.is_whitespace() => self.skip(1),
            '/' if second == '/' => {
                while self.at < self.chars.len() && self.peek(0) != '\n' {
                    self.skip(1);
                }
            }
            '/' if second == '*' => self.block_comment(),
            '"' => self.string(0),
            '\'' => self.quote(),
            ':' if second == ':' => {
                self.skip(2);
                self.push(Kind::Sep, "::".into(), self.line);
            }
            _ if first.is_ascii_digit() => self.run(Kind::Other),
            _ if first == '_' || first.is_alphabetic() => self.word(),
            _ => {
                self.skip(1);
                self.push(Kind::Mark, first.into(), self.line);
            }
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.chars.len() {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    self.skip(1);
                    continue;
                }
            }
            self.skip(2);
            if depth == 0 {
                return;
            }
        }
    }

    /// A word, or a string with a prefix: `b""`, `c""`, `r#""#`, `br""`, `b''`.
    fn word(&mut self) {
        let letters = (0..3).take_while(|n| "bcr".contains(self.peek(*n))).count();
        let raw = letters > 0 && self.peek(letters - 1) == 'r';
        let hashes = if raw { (0..).take_while(|n| self.peek(letters + n) == '#').count() } else { 0 };
        match self.peek(letters + hashes) {
            '"' if letters > 0 && raw => {
                self.skip(letters);
                self.string(hashes + 1);
            }
            '"' if letters > 0 => {
                self.skip(letters);
                self.string(0);
            }
            '\'' if letters == 1 && self.peek(0) == 'b' => {
                self.skip(1);
                self.quote();
            }
            _ if raw && letters == 1 && hashes == 1 => {
                self.skip(2);
                self.run(Kind::Word);
            }
            _ => self.run(Kind::Word),
        }
    }

    /// Letters, digits and underscores.
    fn run(&mut self, kind: Kind) {
        let from = self.at;
        while self.peek(0) == '_' || self.peek(0).is_alphanumeric() {
            self.skip(1);
        }
        let text = self.chars[from..self.at].iter().collect();
        self.push(kind, text, self.line);
    }

    /// A string from its quote or hashes on; `raw` is 0 for one with escapes, otherwise its hashes and one more.
    fn string(&mut self, raw: usize) {
        let line = self.line;
        let hashes = raw.saturating_sub(1);
        self.skip(hashes + 1);
        let from = self.at;
        while self.at < self.chars.len() {
            let ends = self.peek(0) == '"' && (1..=hashes).all(|n| self.peek(n) == '#');
            if ends {
                break;
            }
            self.skip(if self.peek(0) == '\\' && raw == 0 { 2 } else { 1 });
        }
        let text = self.chars[from.min(self.at)..self.at.min(self.chars.len())].iter().collect();
        self.skip(hashes + 1);
        self.push(Kind::Text, text, line);
    }

    /// A character or a lifetime.
    fn quote(&mut self) {
        let line = self.line;
        if self.peek(1) == '\\' {
            self.skip(3);
            while self.at < self.chars.len() && self.peek(0) != '\'' {
                self.skip(1);
            }
            self.skip(1);
        } else if self.peek(2) == '\'' {
            self.skip(3);
        } else {
            self.skip(1);
            return self.run(Kind::Other);
        }
        self.push(Kind::Other, "'".into(), line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokens(text).into_iter().filter(|token| token.kind == Kind::Word).map(|token| token.text).collect()
    }

    #[test]
    fn comments_strings_and_characters_hide_names() {
        let text = "a /* b /* c */ d */ e // f\n \"g \\\" h\" r#\"i \" j\"# b'k' 'l' '\\'' m 'n o b\"p\" r#q '\\u{1F}' s";
        assert_eq!(words(text), ["a", "e", "m", "o", "q", "s"]);
    }

    #[test]
    fn lines_are_those_of_the_text() {
        let reported: Vec<_> = tokens("a\n\"b\nc\"\nd").iter().map(|token| (token.line, token.end)).collect();
        assert_eq!(reported, [(0, 0), (1, 2), (3, 3)]);
    }

    #[test]
    fn tests_are_set_apart() {
        let text = "use a; #[cfg(test)] use b; #[cfg(not(test))] use c; #[cfg(all(loom, test))] mod d { e } f
            struct G { h: i, #[cfg(test)] j: k, l: m } #[test] #[ignore] fn n() -> [o; 3] { p } q";
        let (code, tests) = apart(&tokens(text));
        let names = |tokens: &[Token]| -> String {
            tokens
                .iter()
                .filter(|t| t.kind == Kind::Word && t.text.len() == 1)
                .map(|t| t.text.as_str())
                .collect()
        };
        assert_eq!(names(&code), "acfGhilmq");
        assert_eq!(names(&tests), "bdejknop");
        assert!(apart(&tokens("#![cfg(test)] a b")).0.is_empty());
    }
}
