//! Functions that LCM's generator emits beyond the codec: publish and subscribe stubs, type information, and the
//! functions with `__` that its own code calls. Needs LCM's headers and library, or replacements for them.

use super::unit::Unit;
use crate::text::Text;
use saltus_types::{Extent, Field, Primitive, Type, TypeName};

pub(crate) fn prototypes(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    t.line("/* ---- For programs of LCM ---- */").gap();
    t.line(format!("typedef struct _{name}_subscription_t {name}_subscription_t;")).gap();
    t.line("/** Called for each message that arrives, which is freed when the handler returns. */");
    let handler =
        format!("const lcm_recv_buf_t *rbuf, const char *channel, const {name} *msg, void *userdata");
    t.line(format!("typedef void (*{name}_handler_t)({handler});")).gap();
    t.line("/** Encodes and publishes a message. Returns 0, or a negative number. */");
    t.line(format!("int {name}_publish(lcm_t *lcm, const char *channel, const {name} *msg);")).gap();
    t.line(
        "/** Calls `handler` for each message on the channels that match. NULL if that is not possible. */",
    );
    t.line(format!("{};", subscribe(name))).gap();
    t.line("/** Ends a subscription. Returns 0, or a negative number. */");
    t.line(format!("int {name}_unsubscribe(lcm_t *lcm, {name}_subscription_t *subscription);")).gap();
    t.line(
        "/** Sets how many messages are queued for this subscription. Returns 0, or a negative number. */",
    );
    t.line(format!("{};", set_capacity(name))).gap();
    t.line("/** Type information. */");
    t.line(format!("size_t {name}_struct_size(void);"));
    t.line(format!("int {name}_num_fields(void);"));
    t.line(format!("int {name}_get_field(const {name} *p, int i, lcm_field_t *f);"));
    t.line(format!("const lcm_type_info_t *{name}_get_type_info(void);")).gap();
    t.line("/* For code made by LCM's generator. */");
    for line in support(name) {
        t.line(format!("{line};"));
    }
    t.gap();
}

fn subscribe(name: &str) -> String {
    let args = format!("lcm_t *lcm, const char *channel, {name}_handler_t handler, void *userdata");
    format!("{name}_subscription_t *{name}_subscribe({args})")
}

fn set_capacity(name: &str) -> String {
    let args = format!("{name}_subscription_t *subscription, int num_messages");
    format!("int {name}_subscription_set_queue_capacity({args})")
}

/// The declarations of the functions with `__`: hash, hash with a path, encode, decode, cleanup, size, clone.
fn support(name: &str) -> [String; 7] {
    [
        format!("int64_t __{name}_get_hash(void)"),
        format!("uint64_t __{name}_hash_recursive(const __lcm_hash_ptr *parents)"),
        format!(
            "int __{name}_encode_array(void *buf, int offset, int maxlen, const {name} *p, int elements)"
        ),
        format!(
            "int __{name}_decode_array(const void *buf, int offset, int maxlen, {name} *p, int elements)"
        ),
        format!("int __{name}_decode_array_cleanup({name} *p, int elements)"),
        format!("int __{name}_encoded_array_size(const {name} *p, int elements)"),
        format!("int __{name}_clone_array(const {name} *from, {name} *to, int elements)"),
    ]
}

pub(crate) fn bodies(unit: &Unit<'_>, t: &mut Text) {
    publish(unit, t);
    subscriptions(unit, t);
    type_info(unit, t);
    support_bodies(unit, t);
}

fn publish(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    t.gap();
    let head = format!("int {name}_publish(lcm_t *lcm, const char *channel, const {name} *msg) {{");
    t.block(head, "}", |t| {
        t.line(format!("const int size = {name}_encoded_size(msg);"));
        t.line("void *bytes = size < 0 ? NULL : malloc((size_t)size);");
        t.block("if (bytes == NULL) {", "}", |t| {
            t.line("return -1;");
        });
        t.line(format!("const int encoded = {name}_encode(bytes, 0, size, msg);"));
        t.line("const int status = encoded < 0 ? encoded : lcm_publish(lcm, channel, bytes, (unsigned int)encoded);");
        t.line("free(bytes);").line("return status;");
    });
}

fn subscriptions(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    t.gap();
    t.block(format!("struct _{name}_subscription_t {{"), "};", |t| {
        t.line(format!("{name}_handler_t handler;"))
            .line("void *userdata;")
            .line("lcm_subscription_t *inner;");
    });
    t.gap();
    let args = "const lcm_recv_buf_t *rbuf, const char *channel, void *userdata";
    t.block(format!("static void {name}_arrived({args}) {{"), "}", |t| {
        t.line(format!("const {name}_subscription_t *subscription = userdata;"));
        t.line(format!("{name} message;"));
        t.line("const int size = rbuf->data_size > INT_MAX ? INT_MAX : (int)rbuf->data_size;");
        t.line(format!("const int status = {name}_decode(rbuf->data, 0, size, &message);"));
        t.block("if (status < 0) {", "}", |t| {
            t.line(format!(
                "fprintf(stderr, \"error %d decoding {name} on channel %s\\n\", status, channel);"
            ));
            t.line("return;");
        });
        t.line("subscription->handler(rbuf, channel, &message, subscription->userdata);");
        t.line(format!("{name}_decode_cleanup(&message);"));
    });
    t.gap();
    t.block(format!("{} {{", subscribe(name)), "}", |t| {
        t.line(format!("{name}_subscription_t *subscription = malloc(sizeof *subscription);"));
        t.block("if (subscription == NULL) {", "}", |t| {
            t.line("return NULL;");
        });
        t.line("subscription->handler = handler;").line("subscription->userdata = userdata;");
        t.line(format!("subscription->inner = lcm_subscribe(lcm, channel, {name}_arrived, subscription);"));
        t.block("if (subscription->inner == NULL) {", "}", |t| {
            t.line(format!("fprintf(stderr, \"cannot subscribe to {name} on channel %s\\n\", channel);"));
            t.line("free(subscription);").line("return NULL;");
        });
        t.line("return subscription;");
    });
    t.gap();
    t.block(
        format!("int {name}_unsubscribe(lcm_t *lcm, {name}_subscription_t *subscription) {{"),
        "}",
        |t| {
            t.block("if (lcm_unsubscribe(lcm, subscription->inner) != 0) {", "}", |t| {
                t.line(format!("fprintf(stderr, \"cannot unsubscribe from {name}\\n\");")).line("return -1;");
            });
            t.line("free(subscription);").line("return 0;");
        },
    );
    t.gap();
    t.block(format!("{} {{", set_capacity(name)), "}", |t| {
        t.line("return lcm_subscription_set_queue_capacity(subscription->inner, num_messages);");
    });
}

fn type_info(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    let fields = &unit.s.fields;
    t.gap();
    t.line(format!("size_t {name}_struct_size(void) {{ return sizeof({name}); }}")).gap();
    t.line(format!("int {name}_num_fields(void) {{ return {}; }}", fields.len())).gap();
    t.block(format!("int {name}_get_field(const {name} *p, int i, lcm_field_t *f) {{"), "}", |t| {
        if fields.is_empty() {
            t.line("(void)p;").line("(void)i;").line("(void)f;");
        } else {
            t.line("switch (i) {");
            for (i, field) in fields.iter().enumerate() {
                t.block(format!("case {i}:"), "", |t| describe(unit, t, field));
            }
            t.line("}");
        }
        t.line("return 1;");
    });
    // Functions on a `void` pointer, as the table requires: a call through another function pointer type is not
    // valid C.
    let wrappers = [
        ("int", "encode", "void *buf, int offset, int maxlen, const void *p", "buf, offset, maxlen, p"),
        ("int", "decode", "const void *buf, int offset, int maxlen, void *p", "buf, offset, maxlen, p"),
        ("int", "decode_cleanup", "void *p", "p"),
        ("int", "encoded_size", "const void *p", "p"),
        ("int", "get_field", "const void *p, int i, lcm_field_t *f", "p, i, f"),
    ];
    for (result, what, parameters, arguments) in wrappers {
        t.gap();
        let body = format!("{{ return {name}_{what}({arguments}); }}");
        t.line(format!("static {result} any_{what}({parameters}) {body}"));
    }
    t.gap();
    t.line(format!("static int any_struct_size(void) {{ return (int)sizeof({name}); }}")).gap();
    t.block(format!("const lcm_type_info_t *{name}_get_type_info(void) {{"), "}", |t| {
        t.block("static const lcm_type_info_t info = {", "};", |t| {
            for what in ["encode", "decode", "decode_cleanup", "encoded_size", "struct_size"] {
                t.line(format!(".{what} = any_{what},"));
            }
            t.line(format!(".num_fields = {name}_num_fields,"));
            t.line(".get_field = any_get_field,");
            t.line(format!(".get_hash = __{name}_get_hash,"));
        });
        t.line("return &info;");
    });
}

fn describe(unit: &Unit<'_>, t: &mut Text, field: &Field) {
    let kind = match field.ty {
        Type::Primitive(Primitive::Int8) => "INT8_T",
        Type::Primitive(Primitive::Int16) => "INT16_T",
        Type::Primitive(Primitive::Int32) => "INT32_T",
        Type::Primitive(Primitive::Int64) => "INT64_T",
        Type::Primitive(Primitive::Byte) => "BYTE",
        Type::Primitive(Primitive::Float) => "FLOAT",
        Type::Primitive(Primitive::Double) => "DOUBLE",
        Type::Primitive(Primitive::String) => "STRING",
        Type::Primitive(Primitive::Boolean) => "BOOLEAN",
        Type::Struct(_) | Type::Enum(_) => "USER_TYPE",
    };
    let text = |s: &str| super::literal::text_literals(s).concat();
    t.line(format!("f->name = {};", text(&field.name)));
    t.line(format!("f->type = LCM_FIELD_{kind};"));
    // LCM omits the package.
    t.line(format!("f->typestr = {};", text(&TypeName::of(&unit.schema.type_name(field.ty)).name)));
    t.line(format!("f->num_dim = {};", field.dims.len()));
    for (i, dim) in field.dims.iter().enumerate() {
        let size = unit.extent(dim.extent);
        let variable = matches!(dim.extent, Extent::Variable(_));
        let cast = if variable { "(int32_t)" } else { "" };
        t.line(format!("f->dim_size[{i}] = {cast}{size};"));
        t.line(format!("f->dim_is_variable[{i}] = {};", u8::from(variable)));
    }
    t.line(format!("f->data = (void *)&{};", unit.place(field)));
    t.line("return 0;");
}

fn support_bodies(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    let fixed = unit.shape().fixed;
    let [hash, recursive, encode, decode, cleanup, size, clone] = support(name);
    t.gap().line(format!("{hash} {{ return (int64_t){}; }}", unit.fingerprint())).gap();
    t.block(format!("{recursive} {{"), "}", |t| {
        t.line("(void)parents;").line(format!("return {};", unit.fingerprint()));
    });
    t.gap();
    t.block(format!("{encode} {{"), "}", |t| {
        t.line("saltus_writer out = saltus_writer_of(buf, offset, maxlen);");
        t.line(format!("const bool done = elements >= 0 && {name}_write(&out, p, (size_t)elements);"));
        t.line("return done ? saltus_written(&out) : -1;");
    });
    t.gap();
    t.block(format!("{decode} {{"), "}", |t| {
        let min = unit.shape().min;
        t.line("saltus_reader in = saltus_reader_of(buf, offset, maxlen);");
        if unit.shape().free > 0 {
            let free = unit.shape().free;
            t.line(format!(
                "in.free_elements += saltus_count(elements) * UINT64_C({free}); // which they always have"
            ));
        }
        let verb = if fixed { "check" } else { "promise" };
        t.block(format!("if (!saltus_{verb}_size(&in, elements, {min})) {{"), "}", |t| {
            t.line("return -1;");
        });
        t.line("memset(p, 0, (size_t)elements * sizeof *p);");
        t.block(format!("if (!{name}_read(&in, p, (size_t)elements)) {{"), "}", |t| {
            if !fixed {
                t.line(format!("{name}_release(p, (size_t)elements);"));
            }
            t.line("return -1;");
        });
        t.line("return saltus_consumed(&in);");
    });
    t.gap();
    t.block(format!("{cleanup} {{"), "}", |t| {
        if fixed {
            t.line("(void)p;").line("(void)elements;");
        } else {
            t.line(format!("{name}_release(p, saltus_count(elements));"));
        }
        t.line("return 0;");
    });
    t.gap();
    t.block(format!("{size} {{"), "}", |t| {
        t.line("saltus_size size = saltus_size_of_nothing();");
        if fixed {
            t.line("(void)p;");
            t.line(format!(
                "return saltus_add(&size, elements, {}) ? (int)size.bytes : -1;",
                unit.shape().min
            ));
        } else {
            let measured = format!("elements >= 0 && {name}_measure(&size, p, (size_t)elements)");
            t.line(format!("return {measured} ? (int)size.bytes : -1;"));
        }
    });
    t.gap();
    t.block(format!("{clone} {{"), "}", |t| {
        t.line(format!("const int size = __{name}_encoded_array_size(from, elements);"));
        t.line("void *bytes = size < 0 ? NULL : malloc((size_t)size + 1);");
        let encoded = format!("__{name}_encode_array(bytes, 0, size, from, elements) == size");
        let decoded = format!("__{name}_decode_array(bytes, 0, size, to, elements) == size");
        t.line(format!("const bool done = bytes != NULL && {encoded} && {decoded};"));
        t.line("free(bytes);").line("return done ? 0 : -1;");
    });
}
