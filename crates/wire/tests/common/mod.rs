//! A type as a generator would write it, by hand: every kind of field that a reader and a writer support.

use saltus_wire::{
    Body, DecodeError, EncodeError, Message, Reader, Writer, bodies_size, element_at, string_size,
    strings_size,
};

/// ```lcm
/// struct all_t {
///     int8_t a;  int16_t b;  int32_t c;  int64_t d;  byte e;  float f;  double g;  boolean h;  string name;
///     int32_t n;  int16_t m;
///     float ranges[n];  double rows[n][2];  int64_t table[n][m];  string tags[m];  boolean flags[n];
///     all_t children[m];  empty_t nothing[n];
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct All {
    pub a: i8,
    pub b: i16,
    pub c: i32,
    pub d: i64,
    pub e: u8,
    pub f: f32,
    pub g: f64,
    pub h: bool,
    pub name: String,
    pub n: i32,
    pub m: i16,
    pub ranges: Vec<f32>,
    pub rows: Vec<[f64; 2]>,
    pub table: Vec<Vec<i64>>,
    pub tags: Vec<String>,
    pub flags: Vec<bool>,
    pub children: Vec<All>,
    pub nothing: Vec<Empty>,
}

impl Body for All {
    const MIN_SIZE: usize = 40;
    fn body_size(&self) -> usize {
        let mut size = 35 + string_size(&self.name);
        size += 4 * self.ranges.len() + 16 * self.rows.len();
        for row in &self.table {
            size += 8 * row.len();
        }
        size + strings_size(&self.tags) + self.flags.len() + bodies_size(&self.children)
    }
    fn write(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        out.int8(self.a)?;
        out.int16(self.b)?;
        out.int32(self.c)?;
        out.int64(self.d)?;
        out.byte(self.e)?;
        out.float(self.f)?;
        out.double(self.g)?;
        out.boolean(self.h)?;
        out.string(&self.name)?;
        out.int32(self.n)?;
        out.int16(self.m)?;
        out.size("all_t.ranges", "n", self.n, self.ranges.len())?;
        out.floats(&self.ranges)?;
        out.size("all_t.rows", "n", self.n, self.rows.len())?;
        out.doubles(&self.rows)?;
        out.size("all_t.table", "n", self.n, self.table.len())?;
        for row in &self.table {
            out.size("all_t.table", "m", self.m, row.len())?;
            out.int64s(row)?;
        }
        out.size("all_t.tags", "m", self.m, self.tags.len())?;
        out.strings(&self.tags)?;
        out.size("all_t.flags", "n", self.n, self.flags.len())?;
        out.booleans(&self.flags)?;
        out.size("all_t.children", "m", self.m, self.children.len())?;
        out.bodies(&self.children)?;
        out.size("all_t.nothing", "n", self.n, self.nothing.len())?;
        out.bodies(&self.nothing)
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.a = from.int8()?;
        self.b = from.int16()?;
        self.c = from.int32()?;
        self.d = from.int64()?;
        self.e = from.byte()?;
        self.f = from.float()?;
        self.g = from.double()?;
        self.h = from.boolean()?;
        from.string(&mut self.name)?;
        self.n = from.int32()?;
        self.m = from.int16()?;
        from.float_vec(&mut self.ranges, self.n.into())?;
        from.double_vec(&mut self.rows, self.n.into())?;
        let [rows, _] = from.array([self.n.into(), self.m.into()], 8, 0)?;
        self.table.truncate(rows);
        for at in 0..rows {
            from.int64_vec(element_at(&mut self.table, at), self.m.into())?;
        }
        from.string_vec(&mut self.tags, self.m.into())?;
        from.boolean_vec(&mut self.flags, self.n.into())?;
        from.body_vec(&mut self.children, self.m.into())?;
        from.body_vec(&mut self.nothing, self.n.into())
    }
}

impl Message for All {
    const NAME: &'static str = "all_t";
    const FINGERPRINT: u64 = 0x0123_4567_89ab_cdef;
    const SCHEMA: &'static str = "";
}

/// A struct of zero size on the wire.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Empty {}

impl Body for Empty {
    const MIN_SIZE: usize = 0;
    fn body_size(&self) -> usize {
        0
    }
    fn write(&self, _out: &mut Writer<'_>) -> Result<(), EncodeError> {
        Ok(())
    }
    fn read(&mut self, _from: &mut Reader<'_>) -> Result<(), DecodeError> {
        Ok(())
    }
}
