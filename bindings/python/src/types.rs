//! Types read at run time, and their messages as Python objects.

mod classes;
mod decode;
mod encode;

use crate::buffer::{constant, copied};
use crate::errors::{OrRaise, code, error};
use classes::{Class, Classes, letter};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use saltus_log::Kind;
use saltus_text::words;
use saltus_types::plain::{PlainField, plain};
use saltus_types::{ConstValue, Extent, Field, Loader, Record, StructId, Type};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Types that refer to each other. The Python module `saltus.types` uses it.
#[pyclass(frozen, module = "saltus._saltus")]
pub(crate) struct Schema {
    inner: Classes,
}

impl Schema {
    pub fn new(schema: Arc<saltus_types::Schema>) -> Schema {
        Schema { inner: Classes { schema, classes: OnceLock::new() } }
    }
}

#[pymethods]
impl Schema {
    /// Reads files and texts; returns the schema, the indices of the structs that they declare, and warnings.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        files: Vec<PathBuf>,
        texts: Vec<String>,
        include: Vec<PathBuf>,
    ) -> PyResult<(Schema, Vec<usize>, String)> {
        let loader = files.into_iter().fold(Loader::new(), Loader::file);
        let loader = texts.into_iter().fold(loader, |loader, text| loader.text("<text>", text));
        let loader = include.into_iter().fold(loader, Loader::include);
        let loaded = py.detach(|| loader.load()).or_raise(py)?;
        let named = loaded.named.iter().map(|id| id.0).collect();
        Ok((Schema::new(Arc::new(loaded.schema)), named, words::plain(&loaded.warnings.to_string())))
    }

    /// A description of each struct, as a dict.
    fn structs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let about = |id: StructId| {
            let (what, out) = (self.inner.schema.get(id), PyDict::new(py));
            out.set_item("name", what.name.to_string())?;
            out.set_item("doc", &what.doc)?;
            out.set_item("fingerprint", what.fingerprint)?;
            out.set_item("schema", self.inner.schema.to_lcm(id))?;
            let fields: PyResult<Vec<_>> = what.fields.iter().map(|field| self.about(py, field)).collect();
            out.set_item("fields", fields?)?;
            let constants = PyDict::new(py);
            for constant in &what.consts {
                match constant.value {
                    ConstValue::Int(n) => constants.set_item(&constant.name, n)?,
                    ConstValue::Float(x) => constants.set_item(&constant.name, x)?,
                }
            }
            out.set_item("constants", constants)?;
            let sizes = PyDict::new(py);
            for i in what.size_fields() {
                let sized: Vec<(usize, usize)> = what.sized_by(i).collect();
                sizes.set_item(i, sized)?;
            }
            out.set_item("sizes", sizes)?;
            Ok(out)
        };
        self.inner.schema.ids().map(about).collect()
    }

    /// The enums: names, and their values by name.
    fn enums<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyDict>)>> {
        let about = |what: &saltus_types::Enum| {
            let values = PyDict::new(py);
            for value in &what.values {
                values.set_item(&value.name, value.value)?;
            }
            Ok((what.name.to_string(), values))
        };
        self.inner.schema.enums().iter().map(about).collect()
    }

    /// Sets the class of each struct, and the names of its fields in that class.
    fn set_classes(&self, py: Python<'_>, classes: Vec<(Py<PyAny>, Vec<String>)>) -> PyResult<()> {
        let whole = |(class, names): &(Py<PyAny>, Vec<String>)| -> PyResult<Class> {
            let new = class.bind(py).getattr(intern!(py, "__new__"))?.unbind();
            let names = names.iter().map(|name| PyString::intern(py, name).unbind()).collect();
            Ok(Class { class: class.clone_ref(py), new, names })
        };
        let fits = classes.len() == self.inner.schema.structs().len()
            && self
                .inner
                .schema
                .structs()
                .iter()
                .zip(&classes)
                .all(|(s, (_, names))| s.fields.len() == names.len());
        if !fits {
            return Err(PyValueError::new_err("a class for each struct, and a name for each field"));
        }
        let classes: PyResult<Vec<Class>> = classes.iter().map(whole).collect();
        let _ = self.inner.classes.set(classes?); // another thread set the same before
        Ok(())
    }
    /// The classes.
    fn classes(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let classes = self.inner.classes.get().map(Vec::as_slice).unwrap_or_default();
        classes.iter().map(|class| class.class.clone_ref(py)).collect()
    }
    /// The codec of struct `index`.
    fn codec(slf: Bound<'_, Self>, index: usize) -> PyResult<Codec> {
        let schema = &slf.get().inner.schema;
        if index >= schema.structs().len() {
            return Err(PyValueError::new_err("no such struct"));
        }
        let (lcm, plain) = (Kind::lcm(schema, StructId(index)), Kind::plain(schema, StructId(index)));
        Ok(Codec { lcm, plain, schema: slf.unbind() })
    }

    // Classes refer to their codecs, and those to the schema: a cycle, which the collector can only break if it sees it.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        for class in self.inner.classes.get().into_iter().flatten() {
            visit.call(&class.class)?;
            visit.call(&class.new)?;
        }
        Ok(())
    }
}

impl Schema {
    fn about<'py>(&self, py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        out.set_item("name", &field.name)?;
        out.set_item("type", self.inner.schema.type_name(field.ty))?;
        out.set_item("doc", &field.doc)?;
        out.set_item("letter", letter(field.ty))?;
        let dims = PyList::empty(py);
        let fields = field.dims.iter().map(|dim| (dim.extent, &dim.text));
        for (extent, text) in fields {
            match extent {
                Extent::Fixed(n) => dims.append(n)?,
                Extent::Variable(_) => dims.append(text)?,
            }
        }
        out.set_item("dims", dims)?;
        Ok(out)
    }
}

/// The result of `Codec::plain`.
type Layout<'py> =
    (Bound<'py, PyBytes>, usize, Vec<(Bound<'py, PyString>, Bound<'py, PyAny>, Bound<'py, PyTuple>, usize)>);

/// Encodes and decodes messages of one type.
#[pyclass(frozen, module = "saltus._saltus")]
pub(crate) struct Codec {
    lcm: Kind,
    plain: Option<Kind>,
    schema: Py<Schema>,
}

#[pymethods]
impl Codec {
    /// The bytes of a message: an object of the class, or a dict.
    #[pyo3(signature = (message, plain=false))]
    fn encode<'py>(&self, message: &Bound<'py, PyAny>, plain: bool) -> PyResult<Bound<'py, PyBytes>> {
        let py = message.py();
        let kind = match (&self.plain, plain) {
            (_, false) => &self.lcm,
            (Some(kind), true) => kind,
            (None, true) => {
                let text = format!(
                    "{} has no plain layout: it has strings or arrays of variable size",
                    self.lcm.name()
                );
                return Err(error(py, code::ENCODE, text));
            }
        };
        let record = encode::record(&self.schema.get().inner, self.lcm.id(), message, &self.lcm.name(), 0)?;
        let bytes = kind.encode(&record).map_err(|text| error(py, code::ENCODE, text))?;
        Ok(PyBytes::new(py, &bytes))
    }
    /// Decodes the message in these bytes. Their first bytes select LCM's encoding or the plain layout.
    fn decode<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let decode = |bytes: &[u8]| {
            let plain = self.plain.as_ref().filter(|kind| bytes.starts_with(&kind.key()));
            plain.unwrap_or(&self.lcm).decode(bytes)
        };
        let record = match constant(data) {
            Some(bytes) => decode(bytes),
            None => decode(&copied(data)?),
        };
        let py = data.py();
        let record =
            record.map_err(|text| error(py, code::DECODE, format_args!("{}: {text}", self.lcm.name())))?;
        decode::record(py, &self.schema.get().inner, &record)
    }
    /// Sets all fields of an object of the class to zero or empty.
    fn fill(&self, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = message.py();
        let zero = Record::zero(self.lcm.schema(), self.lcm.id()).map_err(|e| error(py, code::INVALID, e))?;
        decode::fields(&self.schema.get().inner, &zero, message)
    }
    /// The plain layout of a message: its first bytes, the size of the struct behind them, and the fields. Each field has its
    /// attribute, its letter (of NumPy) or its codec, its dimensions, and its offset. None if the type has no such layout.
    fn plain<'py>(&self, py: Python<'py>) -> PyResult<Option<Layout<'py>>> {
        let (schema, id) = (self.lcm.schema(), self.lcm.id());
        let (Some(kind), Some(layout)) = (&self.plain, plain(schema, id)) else { return Ok(None) };
        let names = &self.schema.get().inner.class(id)?.names;
        let about = |lies: &PlainField| {
            let field = &schema.get(id).fields[lies.index];
            let of = match (letter(field.ty), field.ty) {
                (Some(letter), _) => PyString::intern(py, letter).into_any(),
                (None, Type::Struct(inner)) => {
                    Schema::codec(self.schema.bind(py).clone(), inner.0)?.into_pyobject(py)?.into_any()
                }
                (None, _) => return Err(PyValueError::new_err("a string has no plain layout")),
            };
            let dims = field.dims.iter().filter_map(|dim| match dim.extent {
                Extent::Fixed(n) => Some(n as usize),
                Extent::Variable(_) => None,
            });
            let dims = PyTuple::new(py, dims.collect::<Vec<_>>())?;
            Ok((names[lies.index].bind(py).clone(), of, dims, lies.offset))
        };
        let fields: PyResult<Vec<_>> = layout.fields.iter().map(about).collect();
        Ok(Some((PyBytes::new(py, &kind.key()), layout.size, fields?)))
    }
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.schema)
    }
    fn __repr__(&self) -> String {
        format!("<codec of {}>", self.lcm.name())
    }
}
