// Decodes CDR with the reader of OMG IDL types that Foxglove wrote, and prints what it found, one message a line.
//
// Reads lines of JSON: the name of the type, its definition, the bytes in hexadecimal. Writes a struct as `(…)` with its
// fields in order, an array as `[…]`, a float by its bits, a string by its bytes. Only the schema tells a float from an
// integer, so it is walked too. A struct named `…_row` stands for the array in it.

const { parseIDL } = require("@foxglove/omgidl-parser");
const { MessageReader } = require("@foxglove/omgidl-serialization");
const readline = require("readline");

function float(value) {
  if (Number.isNaN(value)) return "nan";
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  return bits.toString("hex");
}

function one(value, field, types) {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return "[" + Array.from(value, (v) => one(v, field, types)).join(" ") + "]";
  }
  if (field.isComplex) return struct(value, types.get(field.type), types);
  if (field.type === "string") return "'" + Buffer.from(value, "utf8").toString("hex") + "'";
  if (field.type === "float32" || field.type === "float64") return float(value);
  return String(Number(value) === value || typeof value === "bigint" ? value : Number(value));
}

function struct(value, type, types) {
  const fields = type.definitions.map((field) => one(value[field.name], field, types));
  return /_row_*$/.test(type.name) ? fields[0] : "(" + fields.join(" ") + ")";
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [name, text, data] = JSON.parse(line);
  let found;
  try {
    const definitions = parseIDL(text);
    const types = new Map(definitions.map((d) => [d.name, d]));
    const message = new MessageReader(name, definitions).readMessage(Buffer.from(data, "hex"));
    found = struct(message, types.get(name), types);
  } catch (error) {
    found = String(error).replaceAll("\n", " ");
  }
  console.log("foxglove " + found);
});
