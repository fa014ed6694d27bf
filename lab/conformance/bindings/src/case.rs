//! Cases, as read from the files.

use saltus_conformance_types::tools::Result;
use serde_json::{Map, Value};
use std::path::Path;

/// The transport of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Shared memory, in a separate directory.
    Shm,
    /// LCM's multicast, in a separate network.
    Udpm,
}

impl Provider {
    /// All of them.
    pub const ALL: [Provider; 2] = [Provider::Shm, Provider::Udpm];
    /// Its name in URLs and cases.
    pub fn name(self) -> &'static str {
        match self {
            Provider::Shm => "shm",
            Provider::Udpm => "udpm",
        }
    }
}

/// Behavior that must be the same in all languages.
#[derive(Clone, Debug)]
pub struct Case {
    /// The requirement, after the file's name.
    pub name: String,
    /// The providers to run it on.
    pub on: Vec<Provider>,
    /// Options appended to the domain's URL.
    options: Value,
    /// Languages, or `publisher in LANGUAGE`, that are excused, and why.
    cannot: Vec<(String, String)>,
    /// One after the other.
    pub steps: Vec<Step>,
}

/// One call, and its expected result.
#[derive(Clone, Debug)]
pub struct Step {
    /// The role that acts: `publisher`, `subscriber` or, where one program does everything, `program`.
    pub role: String,
    /// The action.
    pub verb: String,
    /// Its arguments, and the expected result.
    pub with: Map<String, Value>,
}

impl Step {
    /// The step as in the file.
    pub fn printed(&self) -> String {
        Value::Object(self.with.clone()).to_string()
    }
    /// The expected result; `ok` by default.
    pub fn expected(&self) -> &Value {
        self.with.get("expect").unwrap_or(&Value::Null)
    }
    /// Whether a later step requests the answer.
    pub fn is_later(&self) -> bool {
        self.with.get("later") == Some(&Value::Bool(true))
    }
}

const ROLES: [&str; 3] = ["program", "publisher", "subscriber"];

/// All cases of all files.
///
/// # Errors
/// Files that cannot be read or are invalid.
pub fn read() -> Result<Vec<Case>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let entries = std::fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let at = |why: String| format!("{}: {why}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|e| at(e.to_string()))?;
        let file: Value = serde_json::from_str(&text).map_err(|e| at(e.to_string()))?;
        let theme = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for case in file["cases"].as_array().ok_or_else(|| at("it has no `cases`".into()))? {
            for case in each(case) {
                all.push(Case::read(&theme, &case).map_err(at)?);
            }
        }
    }
    Ok(all)
}

/// Expands a case that runs once for each of several words: `"each": {"$FORMAT": ["mcap", "lcm"]}`.
fn each(case: &Value) -> Vec<Value> {
    let Some((name, words)) = case["each"].as_object().and_then(|each| each.iter().next()) else {
        return vec![case.clone()];
    };
    let words = words.as_array().into_iter().flatten().filter_map(Value::as_str);
    words.map(|word| substituted(case, &[(name, word)])).collect()
}

/// The value with names such as `$DIR` replaced.
pub fn substituted(value: &Value, names: &[(&str, &str)]) -> Value {
    match value {
        Value::String(text) => {
            Value::String(names.iter().fold(text.clone(), |text, (name, word)| text.replace(name, word)))
        }
        Value::Array(all) => Value::Array(all.iter().map(|value| substituted(value, names)).collect()),
        Value::Object(all) => {
            Value::Object(all.iter().map(|(key, value)| (key.clone(), substituted(value, names))).collect())
        }
        other => other.clone(),
    }
}

/// The value for a provider, if it has one for each: `"missed": {"shm": 0, "udpm": null}`.
pub fn of_provider(value: &Value, provider: Provider) -> Value {
    match value {
        Value::Object(all) if !all.is_empty() && all.keys().all(|key| ["shm", "udpm"].contains(&&**key)) => {
            of_provider(&value[provider.name()], provider)
        }
        Value::Object(all) => Value::Object(
            all.iter().map(|(key, value)| (key.clone(), of_provider(value, provider))).collect(),
        ),
        Value::Array(all) => Value::Array(all.iter().map(|value| of_provider(value, provider)).collect()),
        other => other.clone(),
    }
}

impl Case {
    fn read(theme: &str, case: &Value) -> Result<Case> {
        let name = case["name"].as_str().ok_or("a case without a name")?;
        let name = match case["each"].as_object().and_then(|each| each.keys().next()) {
            Some(_) => format!("{theme}: {name}, {}", case["which"].as_str().unwrap_or_default()),
            None => format!("{theme}: {name}"),
        };
        let provider = |word: &Value| Provider::ALL.into_iter().find(|p| Some(p.name()) == word.as_str());
        let on: Option<Vec<Provider>> = case["on"].as_array().into_iter().flatten().map(provider).collect();
        let on = on.filter(|on| !on.is_empty()).ok_or_else(|| format!("{name}: `on` names no provider"))?;
        let cannot = case["cannot"].as_object().into_iter().flatten();
        let cannot = cannot.map(|(who, why)| (who.clone(), why.as_str().unwrap_or_default().to_string()));
        let steps: Result<Vec<Step>> =
            case["steps"].as_array().into_iter().flatten().map(|step| Step::read(&name, step)).collect();
        let steps = steps?;
        if steps.is_empty() {
            return Err(format!("{name}: it has no steps"));
        }
        Ok(Case { options: case["options"].clone(), cannot: cannot.collect(), on, steps, name })
    }

    /// Whether two programs run it.
    pub fn is_of_two(&self) -> bool {
        self.steps.iter().any(|step| step.role != "program")
    }

    /// Options of the domain's URL.
    pub fn options(&self, provider: Provider) -> &str {
        self.options[provider.name()].as_str().unwrap_or_default()
    }

    /// Why a language in a role is excused, if it is.
    pub fn cannot(&self, role: &str, language: &str) -> Option<&str> {
        let whom = [language.to_string(), format!("{role} in {language}")];
        self.cannot.iter().find(|(who, _)| whom.contains(who)).map(|(_, why)| why.as_str())
    }

    /// The excused languages.
    #[cfg(test)]
    pub fn excused(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cannot.iter().map(|(who, why)| (who.rsplit(' ').next().unwrap_or(who), why.as_str()))
    }
}

impl Step {
    fn read(case: &str, step: &Value) -> Result<Step> {
        let with = step.as_object().ok_or_else(|| format!("{case}: a step that is not an object"))?;
        let role = ROLES.iter().find(|role| with.contains_key(**role));
        let found = role.and_then(|role| Some((*role, with[*role].as_str()?)));
        let (role, verb) = found.ok_or_else(|| format!("{case}: no participant acts in {step}"))?;
        Ok(Step { role: role.into(), verb: verb.into(), with: with.clone() })
    }
}
