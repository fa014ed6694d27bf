//! The functions that programs call, as LCM's generator emits them.

use super::unit::Unit;
use crate::text::Text;

pub(crate) fn prototypes(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    let fixed = unit.shape().fixed;
    if !fixed {
        t.line("#if !__STDC_HOSTED__");
        t.line("#error \"this type has strings or arrays of variable size, which need malloc\"");
        t.line("#endif").gap();
    }
    t.line("/**");
    t.line(" * Encodes a message into `maxlen` bytes at `buf + offset`. Returns the number of bytes, or a negative number if");
    t.line(" * `maxlen` is too small, a size is negative, or an array is NULL and its size is not 0. A NULL string counts as empty.");
    t.line(" */");
    t.line(format!("int {name}_encode(void *buf, int offset, int maxlen, const {name} *p);")).gap();
    t.line("/**");
    t.line(" * Decodes a message from `maxlen` bytes at `buf + offset`. Returns the number of bytes, or a negative number if");
    t.line(" * they are of another type or invalid; then nothing is allocated. Previous contents of `*p` are not freed.");
    t.line(" */");
    t.line(format!("int {name}_decode(const void *buf, int offset, int maxlen, {name} *p);")).gap();
    t.line(if fixed {
        "/** Does nothing: this type owns no memory. Returns 0. */"
    } else {
        "/** Frees what decoding allocated, but not `*p` itself. Returns 0. */"
    });
    t.line(format!("int {name}_decode_cleanup({name} *p);")).gap();
    t.line("/** The number of bytes of the encoded message; negative if it cannot be encoded. */");
    t.line(format!("int {name}_encoded_size(const {name} *p);")).gap();
    if fixed {
        t.line("#if __STDC_HOSTED__");
    }
    t.line("/** Allocates a deep copy, for the destroy function to free. NULL if there is no memory. */");
    t.line(format!("{name} *{name}_copy(const {name} *p);")).gap();
    t.line("/** Frees a copy and everything it contains. */");
    t.line(format!("void {name}_destroy({name} *p);"));
    if fixed {
        t.line("#endif");
    }
    t.gap();
    t.line("/* For the code of types that contain this one: `n` of them in a row, without a fingerprint. */");
    t.line(format!("bool {name}_write(saltus_writer *out, const {name} *p, size_t n);"));
    t.line(format!("bool {name}_read(saltus_reader *in, {name} *p, size_t n);"));
    if !fixed {
        t.line(format!("bool {name}_measure(saltus_size *size, const {name} *p, size_t n);"));
        t.line(format!("void {name}_release({name} *p, size_t n);"));
    }
    t.gap();
}

pub(crate) fn bodies(unit: &Unit<'_>, t: &mut Text) {
    let (name, fingerprint) = (&unit.name, unit.fingerprint());
    let (fixed, min) = (unit.shape().fixed, unit.shape().min);
    t.gap();
    t.block(format!("int {name}_encode(void *buf, int offset, int maxlen, const {name} *p) {{"), "}", |t| {
        t.line("saltus_writer out = saltus_writer_of(buf, offset, maxlen);");
        let write = format!("!{name}_write(&out, p, 1)");
        t.block(format!("if (!saltus_write_fingerprint(&out, {fingerprint}) || {write}) {{"), "}", |t| {
            t.line("return -1;");
        });
        t.line("return saltus_written(&out);");
    });
    t.gap();
    t.block(format!("int {name}_decode(const void *buf, int offset, int maxlen, {name} *p) {{"), "}", |t| {
        t.line("saltus_reader in = saltus_reader_of(buf, offset, maxlen);");
        if unit.shape().free > 0 {
            t.line(format!("in.free_elements += {}; // which every message has", unit.shape().free));
        }
        let promise = if fixed { String::new() } else { format!(" || !saltus_promise_size(&in, 1, {min})") };
        t.block(format!("if (!saltus_read_fingerprint(&in, {fingerprint}){promise}) {{"), "}", |t| {
            t.line("return -1;");
        });
        if !fixed {
            t.line("memset(p, 0, sizeof *p);");
        }
        t.block(format!("if (!{name}_read(&in, p, 1)) {{"), "}", |t| {
            if !fixed {
                t.line(format!("{name}_release(p, 1);"));
            }
            t.line("return -1;");
        });
        t.line("return saltus_consumed(&in);");
    });
    t.gap();
    t.block(format!("int {name}_decode_cleanup({name} *p) {{"), "}", |t| {
        t.line(if fixed { "(void)p;".into() } else { format!("{name}_release(p, 1);") });
        t.line("return 0;");
    });
    t.gap();
    t.block(format!("int {name}_encoded_size(const {name} *p) {{"), "}", |t| {
        if fixed {
            let size = i32::try_from(min.saturating_add(8)).unwrap_or(-1); // too long for any message
            t.line("(void)p;").line(format!("return {size};"));
            return;
        }
        t.line("saltus_size size = saltus_size_of_nothing();");
        let measured = format!("saltus_add(&size, 1, 8) && {name}_measure(&size, p, 1)");
        t.line(format!("return {measured} ? (int)size.bytes : -1;"));
    });
    copies(unit, t);
}

fn copies(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    let fixed = unit.shape().fixed;
    t.gap();
    if fixed {
        t.line("#if __STDC_HOSTED__");
    }
    t.block(format!("{name} *{name}_copy(const {name} *p) {{"), "}", |t| {
        t.line(format!("{name} *copy = malloc(sizeof *copy);"));
        if fixed {
            t.block("if (copy != NULL) {", "}", |t| {
                t.line("*copy = *p;");
            });
            t.line("return copy;");
            return;
        }
        // Encoding and decoding work for every type, so copying needs no third traversal of the fields.
        t.line(format!("const int size = {name}_encoded_size(p);"));
        t.line("void *bytes = size < 0 ? NULL : malloc((size_t)size);");
        let encoded = format!("{name}_encode(bytes, 0, size, p) == size");
        let decoded = format!("{name}_decode(bytes, 0, size, copy) == size");
        t.line(format!("const bool done = copy != NULL && bytes != NULL && {encoded} && {decoded};"));
        t.line("free(bytes);");
        t.block("if (!done) {", "}", |t| {
            t.line("free(copy);").line("copy = NULL;");
        });
        t.line("return copy;");
    });
    t.gap();
    t.block(format!("void {name}_destroy({name} *p) {{"), "}", |t| {
        if !fixed {
            t.line(format!("{name}_release(p, 1);"));
        }
        t.line("free(p);");
    });
    if fixed {
        t.line("#endif");
    }
}
