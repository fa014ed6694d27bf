//! Parses tokens to declarations, by recursive descent. After an error it continues after the next `;` or `}`, so
//! that all errors of a file are reported at once.
//!
//! ```text
//! file    = { "package" NAME ";" | struct | enum | ";" }
//! struct  = "struct" NAME "{" { const | field | ";" } "}"
//! const   = "const" TYPE NAME "=" NUMBER { "," NAME "=" NUMBER } ";"
//! field   = TYPE NAME { "[" ( NUMBER | NAME ) "]" } { "," NAME { "[" ... "]" } } ";"
//! enum    = "enum" NAME "{" { NAME [ "=" NUMBER ] [ "," | ";" ] } "}"
//! ```

use crate::comments::Comments;
use crate::diagnostic::Diagnostic;
use crate::lexer::{self, Kind, Token};
use crate::schema::Primitive;
use crate::source::{Source, Span};
use crate::syntax::{Const, Enum, Field, File, Struct, Value, Word};

/// An error was reported; the caller continues after it.
struct Reported;

/// Reads one file.
pub(crate) fn parse(file: u32, source: &Source, diagnostics: &mut Vec<Diagnostic>) -> File {
    let (tokens, comments) = lexer::tokens(file, source, diagnostics).split();
    let breaks = source.text().bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32);
    let lines = std::iter::once(0).chain(breaks.map(|i| i + 1)).collect();
    let mut parser =
        Parser { text: source.text(), tokens, comments, lines, at: 0, diagnostics, file: File::default() };
    parser.file.name = source.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    parser.file();
    parser.file
}

/// Two comments on lines of their own.
fn joined(first: &str, second: &str) -> String {
    match (first.is_empty(), second.is_empty()) {
        (_, true) => first.into(),
        (true, false) => second.into(),
        (false, false) => format!("{first}\n{second}"),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    comments: Comments,
    /// Where each line starts.
    lines: Vec<u32>,
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
    file: File,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.at]
    }
    fn text(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }
    fn is_word(&self, word: &str) -> bool {
        self.token().kind == Kind::Word && self.text(self.token().span) == word
    }
    fn is_sign(&self, sign: char) -> bool {
        self.token().kind == Kind::Sign(sign)
    }
    fn advance(&mut self) -> Token {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1); // the last token is the end, and stays
        token
    }
    fn accept(&mut self, sign: char) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }
    /// Reports that `what` was expected at the present token. If something is missing at a line's end, the location
    /// is after the last token.
    fn expected<T>(&mut self, what: &str) -> Result<T, Reported> {
        let token = self.token();
        let found = match token.kind {
            Kind::End => String::from("the end of the file"),
            _ => format!("`{}`", self.text(token.span)),
        };
        let before = self.at.checked_sub(1).map(|i| self.tokens[i].span);
        let error = Diagnostic::error(format!("expected {what}, found {found}"), token.span);
        self.diagnostics.push(match before {
            Some(b) if what.starts_with("`;`") && self.line(b.end) != self.line(token.span.start) => {
                let behind = Span { start: b.end, ..b };
                Diagnostic { span: Some(behind), ..error.label("a `;` belongs here") }
            }
            _ if token.kind == Kind::Other => return Err(Reported), // the lexer has reported it
            _ => error.label(format!("expected {what}")),
        });
        Err(Reported)
    }
    fn expect(&mut self, sign: char, what: &str) -> Result<Token, Reported> {
        if self.is_sign(sign) { Ok(self.advance()) } else { self.expected(what) }
    }
    fn word(&mut self, what: &str) -> Result<Word, Reported> {
        if self.token().kind != Kind::Word {
            return self.expected(what);
        }
        let span = self.advance().span;
        Ok(Word { text: self.text(span).into(), span })
    }
    fn line(&self, at: u32) -> u32 {
        self.lines.partition_point(|&start| start <= at) as u32
    }
    /// The comment above the present token.
    fn doc(&mut self) -> String {
        let lines = &self.lines;
        self.comments.above(&self.tokens, self.at, |at| lines.partition_point(|&s| s <= at) as u32)
    }
    /// `above`, and the comment after the last token.
    fn doc_behind(&mut self, above: &str) -> String {
        let lines = &self.lines;
        let last = self.at.saturating_sub(1);
        let behind =
            self.comments.behind(&self.tokens, last, |at| lines.partition_point(|&s| s <= at) as u32);
        joined(above, &behind)
    }
    /// Whether a list of names continues; stores the comments of the name just read, `above` it and after its
    /// comma.
    fn more(&mut self, above: String, own: &mut Vec<String>) -> bool {
        let more = self.accept(',');
        own.push(if more { self.doc_behind(&above) } else { above });
        more
    }
    /// The comments of all names of a list. A comment above the list belongs to all names. One after its end
    /// belongs to all names, or to the last if others have their own.
    fn docs(&mut self, above: &str, mut own: Vec<String>) -> Vec<String> {
        let behind = self.doc_behind("");
        let shared = own.iter().all(String::is_empty);
        if let (false, Some(last)) = (shared, own.last_mut()) {
            *last = joined(last, &behind);
        }
        let doc = |own: &String| joined(above, if shared { &behind } else { own });
        own.iter().map(doc).collect()
    }
    /// Advances past the next `;`, or to the next `}`, or to the next top-level declaration.
    fn skip(&mut self) {
        loop {
            match self.token().kind {
                Kind::End | Kind::Sign('}') => return,
                Kind::Sign(';') => {
                    self.advance();
                    return;
                }
                Kind::Word if self.at_declaration() => return,
                _ => self.advance(),
            };
        }
    }
    /// Whether a `struct`, `enum` or `package` starts here, at the start of a line.
    fn at_declaration(&self) -> bool {
        let here = self.token().span.start;
        let before = self.at.checked_sub(1).map(|i| self.line(self.tokens[i].span.end));
        before != Some(self.line(here)) && ["struct", "enum", "package"].iter().any(|w| self.is_word(w))
    }

    fn file(&mut self) {
        let lines = &self.lines;
        let package_first = self.is_word("package");
        let mut file_doc = self
            .comments
            .of_file(&self.tokens, 0, package_first, |at| lines.partition_point(|&s| s <= at) as u32);
        let mut package = String::new();
        while self.token().kind != Kind::End {
            if self.accept(';') {
                continue;
            }
            let doc = self.doc();
            let done = if self.is_word("package") {
                file_doc = if doc.is_empty() { file_doc } else { doc };
                self.package().map(|name| package = name)
            } else if self.is_word("struct") {
                self.structure(&package, doc, &mut file_doc)
            } else if self.is_word("enum") {
                self.enumeration(&package, doc)
            } else {
                self.expected("`struct`, `enum` or `package`")
            };
            if done.is_err() {
                let stuck = self.at;
                self.skip();
                self.accept('}');
                if self.at == stuck && !self.at_declaration() {
                    self.advance();
                }
            }
        }
    }

    fn package(&mut self) -> Result<String, Reported> {
        self.advance();
        let name = self.word("the name of the package")?;
        self.name_is_sound(&name, "package");
        self.expect(';', "`;` behind the package")?;
        Ok(name.text)
    }

    /// Dots must have something on both sides.
    fn name_is_sound(&mut self, name: &Word, what: &str) {
        if name.text.split('.').any(str::is_empty) {
            let error =
                format!("`{}` is not the name of a {what}: a dot must be between two names", name.text);
            self.diagnostics.push(Diagnostic::error(error, name.span));
        }
    }

    /// The name of a struct or enum and its package: a dotted name contains its package.
    fn type_name(&mut self, what: &str, package: &str) -> Result<(String, Word), Reported> {
        let name = self.word(&format!("the name of the {what}"))?;
        self.name_is_sound(&name, what);
        if Primitive::of(&name.text).is_some() {
            self.diagnostics
                .push(Diagnostic::error(format!("`{}` is a primitive type", name.text), name.span));
        }
        Ok(match name.text.rsplit_once('.') {
            Some((own, short)) => (own.into(), Word { text: short.into(), ..name }),
            None => (package.into(), name),
        })
    }

    fn structure(&mut self, package: &str, doc: String, file_doc: &mut String) -> Result<(), Reported> {
        self.advance();
        let (package, name) = self.type_name("struct", package)?;
        self.expect('{', "`{` after the name of the struct")?;
        let doc = self.doc_behind(&doc);
        let file_doc = std::mem::take(file_doc);
        let mut out = Struct { package, name, doc, file_doc, fields: Vec::new(), consts: Vec::new() };
        let mut whole = Ok(());
        loop {
            if self.accept('}') {
                break;
            }
            if self.accept(';') {
                continue;
            }
            if self.token().kind == Kind::End || self.at_declaration() {
                let here = self.token().span;
                let error = Diagnostic::error("this struct has no end: `}` is missing", out.name.span);
                self.diagnostics.push(error.and(here, "expected `}` before this"));
                whole = Err(Reported);
                break;
            }
            let doc = self.doc();
            let member = if self.is_word("const") {
                self.constants(doc, &mut out)
            } else {
                self.fields(doc, &mut out)
            };
            if member.is_err() {
                self.skip();
            }
        }
        self.file.structs.push(out);
        if whole.is_err() && !self.at_declaration() { Err(Reported) } else { Ok(()) }
    }

    fn constants(&mut self, doc: String, out: &mut Struct) -> Result<(), Reported> {
        self.advance();
        let first = out.consts.len();
        let ty = self.word("the type of the constant")?;
        let allowed = Primitive::of(&ty.text)
            .filter(|p| p.is_integer() || matches!(p, Primitive::Float | Primitive::Double));
        let Some(ty) = allowed else {
            let what = format!("`{}` is not the type of a constant", ty.text);
            let help = "constants are int8_t, int16_t, int32_t, int64_t, float or double";
            self.diagnostics.push(Diagnostic::error(what, ty.span).help(help));
            return Err(Reported);
        };
        let mut own = Vec::new();
        loop {
            let above = self.doc();
            let name = self.word("the name of the constant")?;
            self.expect('=', "`=` and a number")?;
            let value = self.word("a number")?;
            out.consts.push(Const { ty, name, value, doc: String::new() });
            if !self.more(above, &mut own) {
                break;
            }
        }
        self.expect(';', "`;` or `,` after the constant")?;
        let docs = self.docs(&doc, own);
        out.consts[first..].iter_mut().zip(docs).for_each(|(c, doc)| c.doc = doc);
        Ok(())
    }

    fn fields(&mut self, doc: String, out: &mut Struct) -> Result<(), Reported> {
        let first = out.fields.len();
        let ty = self.word("a type, `const` or `}`")?;
        if matches!(ty.text.as_str(), "struct" | "enum") {
            let what = format!("a `{}` inside a struct", ty.text);
            let help = "declare it next to this one and name it as a field's type";
            self.diagnostics.push(Diagnostic::error(what, ty.span).help(help));
            return Err(Reported);
        }
        let mut own = Vec::new();
        loop {
            let above = self.doc();
            let name = self.word(&format!("the name of a field of type `{}`", ty.text))?;
            let mut field = Field {
                ty: ty.clone(),
                name,
                dims: Vec::new(),
                doc: String::new(),
                consts_before: out.consts.len(),
            };
            while self.accept('[') {
                field.dims.push(self.word("the size of the array: a number, a constant or a field")?);
                self.expect(']', "`]`")?;
            }
            out.fields.push(field);
            if !self.more(above, &mut own) {
                break;
            }
        }
        self.expect(';', "`;`, `,` or `[` after the name of the field")?;
        let docs = self.docs(&doc, own);
        out.fields[first..].iter_mut().zip(docs).for_each(|(f, doc)| f.doc = doc);
        Ok(())
    }

    fn enumeration(&mut self, package: &str, doc: String) -> Result<(), Reported> {
        self.advance();
        let (package, name) = self.type_name("enum", package)?;
        self.expect('{', "`{` after the name of the enum")?;
        let doc = self.doc_behind(&doc);
        let mut out = Enum { package, name, doc, values: Vec::new() };
        while !self.accept('}') {
            if self.accept(';') || self.accept(',') {
                continue;
            }
            let doc = self.doc();
            let name = self.word("a name or `}`")?;
            let number = if self.accept('=') { Some(self.word("a number")?) } else { None };
            if self.is_sign(',') || self.is_sign(';') {
                self.advance();
            }
            let doc = self.doc_behind(&doc);
            out.values.push(Value { name, number, doc });
        }
        self.file.enums.push(out);
        Ok(())
    }
}
