//! Checks values against the keywords of JSON Schema that `docs/output.schema.json` uses, and fails on any other.
//!
//! It is stricter than the schema: if an object lists its keys, others are errors. Later versions may write more keys;
//! this version must only write described ones.

use serde_json::Value;

/// The schema of the outputs.
pub(super) struct Schema(Value);

impl Schema {
    pub(super) fn read() -> Schema {
        Schema(serde_json::from_str(include_str!("../../../docs/output.schema.json")).unwrap())
    }

    /// What is wrong with a value that should be a `name` of `$defs`.
    pub(super) fn check(&self, name: &str, value: &Value) -> Result<(), String> {
        self.definition(name, value).map_err(|wrong| format!("{wrong} in {value}"))
    }

    /// The keys listed for an object.
    pub(super) fn keys(&self, name: &str) -> Vec<&str> {
        self.0["$defs"][name]["properties"].as_object().unwrap().keys().map(String::as_str).collect()
    }

    fn definition(&self, name: &str, value: &Value) -> Result<(), String> {
        let defined = self.0["$defs"].get(name).unwrap_or_else(|| panic!("no {name} in $defs"));
        self.of(defined, value).map_err(|wrong| format!("{name}: {wrong}"))
    }

    fn of(&self, schema: &Value, value: &Value) -> Result<(), String> {
        for (keyword, wanted) in schema.as_object().unwrap() {
            self.keyword(schema, keyword, wanted, value)?;
        }
        Ok(())
    }

    fn keyword(&self, schema: &Value, keyword: &str, wanted: &Value, value: &Value) -> Result<(), String> {
        let fits = match keyword {
            "description" => true,
            "$ref" => {
                return self.definition(wanted.as_str().unwrap().strip_prefix("#/$defs/").unwrap(), value);
            }
            "oneOf" => return self.one_of(list(wanted), value),
            "type" => is_of(wanted, value),
            "const" => value == wanted,
            "enum" => list(wanted).contains(value),
            "minimum" => value.as_i64().is_none_or(|n| n >= wanted.as_i64().unwrap()),
            "pattern" => {
                assert_eq!(wanted, "^([0-9a-f]{2})*$", "no other pattern is known");
                value.as_str().is_some_and(|text| {
                    text.len() % 2 == 0 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
                })
            }
            "required" => list(wanted).iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
            "dependentRequired" => wanted.as_object().unwrap().iter().all(|(key, others)| {
                value.get(key).is_none() || list(others).iter().all(|key| value.get(key.as_str().unwrap()).is_some())
            }),
            "items" => return value.as_array().into_iter().flatten().try_for_each(|item| self.of(wanted, item)),
            "properties" => return self.properties(schema, value),
            "additionalProperties" if schema.get("properties").is_some() => true,
            "additionalProperties" => return self.properties(schema, value),
            other => panic!("the keyword {other} is not known here"),
        };
        if fits { Ok(()) } else { Err(format!("{keyword} {wanted}")) }
    }

    fn one_of(&self, schemas: &[Value], value: &Value) -> Result<(), String> {
        let results: Vec<Result<(), String>> = schemas.iter().map(|schema| self.of(schema, value)).collect();
        match results.iter().filter(|result| result.is_ok()).count() {
            1 => Ok(()),
            n => Err(format!("{n} of {results:?}")),
        }
    }

    fn properties(&self, schema: &Value, value: &Value) -> Result<(), String> {
        for (key, value) in value.as_object().into_iter().flatten() {
            let of_key = schema["properties"].get(key).or(schema.get("additionalProperties"));
            let Some(schema) = of_key else { return Err(format!("the key {key} is not described")) };
            self.of(schema, value).map_err(|wrong| format!("{key}: {wrong}"))?;
        }
        Ok(())
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn is_of(types: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("the type {other} is not known here"),
    };
    types.as_array().map_or_else(|| is(types), |any| any.iter().any(is))
}
