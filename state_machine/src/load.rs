//! Reading a machine from TOML. The document is walked by hand, not derived, because a message must say which
//! state and which field is meant, and offer the name that was probably intended.

use std::collections::BTreeMap;

use patchwright_protocol::Effort;
use toml::{Table, Value};

use crate::error::listed;
use crate::transition::{Condition, Transition};
use crate::{State, StateMachine, StatesError, check};

/// Below this similarity (Jaro-Winkler, 0 to 1) a name is not offered as "did you mean".
const LEAST_SIMILARITY: f64 = 0.75;
/// Bytes of a name that is compared with others, which takes as long as the product of their lengths.
const LONGEST_NAME: usize = 1_000;

const TOP_FIELDS: &[&str] = &["start", "state", "transitions"];
const STATE_FIELDS: &[&str] =
    &["name", "purpose", "tools", "needs_hypothesis", "effort", "terminal", "transitions"];
const DEPENDING_FIELDS: &[&str] = &["if", "then", "else"];

/// Reads and checks a machine; `known_tools` is `None` where the tools are not to be checked.
pub(crate) fn load(
    text: &str,
    origin: &str,
    known_tools: Option<&[&str]>,
) -> Result<StateMachine, StatesError> {
    let document: Table = toml::from_str(text)
        .map_err(|error| StatesError::new(origin, format!("this is not valid TOML: {error}")))?;
    let reader = Reader { origin, known_tools };
    let machine = reader.machine(&document)?;
    check::check(&machine, origin)?;
    Ok(machine)
}

/// The middle of a message: the one of `names` that was probably meant, if any is near enough to be offered.
fn did_you_mean<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let mut best: Option<(f64, &str)> = None;
    if asked.len() > LONGEST_NAME {
        return String::new();
    }
    for name in names {
        let similarity = strsim::jaro_winkler(&asked.to_lowercase(), name);
        if similarity >= LEAST_SIMILARITY && best.is_none_or(|(highest, _)| similarity > highest) {
            best = Some((similarity, name));
        }
    }
    best.map(|(_, name)| format!(", did you mean `{name}`?")).unwrap_or_default()
}

/// What states say of where tools lead, by the position of the state.
type OwnTransitions<'v> = Vec<(usize, &'v Value)>;

/// A document being read: knows the file's name for messages.
struct Reader<'a> {
    origin: &'a str,
    known_tools: Option<&'a [&'a str]>,
}

impl Reader<'_> {
    fn machine(&self, document: &Table) -> Result<StateMachine, StatesError> {
        const PLACE: &str = "top level";
        self.only_known_fields(document, PLACE, TOP_FIELDS)?;
        let (mut states, own) = self.states(document)?;
        let start_value = document
            .get("start")
            .ok_or_else(|| self.missing(PLACE, "start", &format!("`start = \"{}\"`", states[0].name)))?;
        let start = self.position_of(&states, self.word(start_value, PLACE, "start")?, "`start`")?;
        for (position, value) in own {
            let place = format!("state `{}`", states[position].name);
            let transitions = self.transitions(&states, value, &place, &format!("{place}, transitions"))?;
            if let Some(tool) = transitions.keys().find(|tool| !states[position].allows(tool)) {
                let problem = format!("`transitions` names `{tool}`, which is not among its `tools`");
                return Err(self.error(format!("{place}: {problem}; add it there or remove it here")));
            }
            states[position].transitions = transitions;
        }
        let transitions = match document.get("transitions") {
            Some(value) => self.transitions(&states, value, PLACE, "[transitions]")?,
            None => BTreeMap::new(),
        };
        Ok(StateMachine { start, states, transitions })
    }

    /// A table of where tools lead; `within` names it in messages about what stands in it.
    fn transitions(
        &self,
        states: &[State],
        value: &Value,
        place: &str,
        within: &str,
    ) -> Result<BTreeMap<String, Transition>, StatesError> {
        let table = value
            .as_table()
            .ok_or_else(|| self.wrong(place, "transitions", "a table `tool = \"state\"`", value))?;
        let mut transitions = BTreeMap::new();
        for (tool, target) in table {
            self.known_tool(tool, within)?;
            transitions.insert(tool.clone(), self.transition(states, target, within, tool)?);
        }
        Ok(transitions)
    }

    /// Where one tool leads.
    fn transition(
        &self,
        states: &[State],
        value: &Value,
        within: &str,
        tool: &str,
    ) -> Result<Transition, StatesError> {
        const EXAMPLE: &str = "`{ if = \"bug_shown\", then = \"a_state\", else = \"another\" }`";
        let place = format!("{within}: `{tool}`");
        let Some(table) = value.as_table() else {
            return Ok(Transition::To(self.position_of(states, self.word(value, within, tool)?, &place)?));
        };
        self.only_known_fields(table, &place, DEPENDING_FIELDS)?;
        let field = |name: &str| match table.get(name) {
            Some(value) => self.word(value, &place, name),
            None => Err(self.missing(&place, name, EXAMPLE)),
        };
        let (asked, words) = (field("if")?, || Condition::ALL.iter().map(|condition| condition.word()));
        let on = Condition::ALL.into_iter().find(|condition| condition.word() == asked).ok_or_else(|| {
            let (nearest, known) = (did_you_mean(asked, words()), listed(words()));
            self.error(format!(
                "{place}: there is no condition `{asked}`{nearest}; the conditions are {known}"
            ))
        })?;
        let then = self.position_of(states, field("then")?, &place)?;
        let otherwise = self.position_of(states, field("else")?, &place)?;
        Ok(Transition::Depending { on, then, otherwise })
    }

    /// The states, and of those that say themselves where tools lead, by their positions, what they say: that can only be read once all
    /// are known.
    fn states<'v>(&self, document: &'v Table) -> Result<(Vec<State>, OwnTransitions<'v>), StatesError> {
        const PLACE: &str = "top level";
        let missing = || self.missing(PLACE, "state", "a `[[state]]` with `name`, `purpose` and `tools`");
        let value = document.get("state").ok_or_else(missing)?;
        let tables =
            value.as_array().ok_or_else(|| self.wrong(PLACE, "state", "a list of `[[state]]`", value))?;
        if tables.is_empty() {
            return Err(missing());
        }
        let mut states: Vec<State> = Vec::with_capacity(tables.len());
        let mut own = Vec::new();
        for (position, table) in tables.iter().enumerate() {
            let place = format!("state number {}", position + 1);
            let fields =
                table.as_table().ok_or_else(|| self.wrong(PLACE, "state", "a list of `[[state]]`", table))?;
            let state = self.state(fields, &place)?;
            if states.iter().any(|earlier| earlier.name == state.name) {
                let problem = "is defined twice; rename one of the two or merge them";
                return Err(self.error(format!("state `{}` {problem}", state.name)));
            }
            own.extend(fields.get("transitions").map(|value| (position, value)));
            states.push(state);
        }
        Ok((states, own))
    }

    fn state(&self, fields: &Table, place: &str) -> Result<State, StatesError> {
        // The name comes first so that every later message can use it.
        let Some(name) = fields.get("name") else {
            self.only_known_fields(fields, place, STATE_FIELDS)?;
            return Err(self.missing(place, "name", "`name = \"understand_bug\"`"));
        };
        let name = self.state_name(name, place)?;
        let place = format!("state `{name}`");
        self.only_known_fields(fields, &place, STATE_FIELDS)?;
        let purpose = fields
            .get("purpose")
            .ok_or_else(|| self.missing(&place, "purpose", "`purpose = \"what to do in this state\"`"))?;
        let purpose = self.word(purpose, &place, "purpose")?;
        let terminal = match fields.get("terminal") {
            None => false,
            Some(value) => {
                value.as_bool().ok_or_else(|| self.wrong(&place, "terminal", "true or false", value))?
            }
        };
        let tools = match fields.get("tools") {
            Some(value) => self.tools(value, &place, "tools")?,
            None if terminal => Vec::new(),
            None => {
                return Err(self.missing(&place, "tools", "`tools = [\"read_range\"]` or `terminal = true`"));
            }
        };
        let needs_hypothesis = match fields.get("needs_hypothesis") {
            Some(value) => self.tools(value, &place, "needs_hypothesis")?,
            None => Vec::new(),
        };
        if let Some(tool) = needs_hypothesis.iter().find(|tool| !tools.contains(tool)) {
            let problem = format!("`needs_hypothesis` names `{tool}`, which is not among its `tools`");
            return Err(self.error(format!("{place}: {problem}; add it there or remove it here")));
        }
        let effort = fields.get("effort").map(|value| self.effort(value, &place)).transpose()?;
        let (purpose, transitions) = (purpose.to_owned(), BTreeMap::new());
        Ok(State { name, purpose, tools, needs_hypothesis, effort, terminal, transitions })
    }

    fn effort(&self, value: &Value, place: &str) -> Result<Effort, StatesError> {
        let word = value.as_str().ok_or_else(|| self.wrong(place, "effort", "a word", value))?;
        word.parse().map_err(|problem| self.error(format!("{place}: `effort`: {problem}")))
    }

    fn tools(&self, value: &Value, place: &str, field: &str) -> Result<Vec<String>, StatesError> {
        const EXPECTED: &str = "a list of tool names";
        let names = value.as_array().ok_or_else(|| self.wrong(place, field, EXPECTED, value))?;
        let mut tools: Vec<String> = Vec::with_capacity(names.len());
        for name in names {
            let tool = name.as_str().ok_or_else(|| self.wrong(place, field, EXPECTED, name))?;
            self.known_tool(tool, place)?;
            if tools.iter().any(|earlier| earlier == tool) {
                let problem = format!("`{field}` lists `{tool}` twice; remove one of the two");
                return Err(self.error(format!("{place}: {problem}")));
            }
            tools.push(tool.to_owned());
        }
        Ok(tools)
    }

    /// A state's name goes unquoted into drawings and events: lowercase letters, digits and underscores only.
    fn state_name(&self, value: &Value, place: &str) -> Result<String, StatesError> {
        let name = self.word(value, place, "name")?;
        let plain = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if plain {
            return Ok(name.to_owned());
        }
        Err(self.wrong(place, "name", "lowercase letters, digits and `_`, beginning with a letter", value))
    }

    fn known_tool(&self, tool: &str, place: &str) -> Result<(), StatesError> {
        match self.known_tools {
            Some(known) if !known.contains(&tool) => {
                let nearest = did_you_mean(tool, known.iter().copied());
                let known = listed(known.iter().copied());
                Err(self.error(format!("{place}: there is no tool `{tool}`{nearest}; the tools are {known}")))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn position_of(&self, states: &[State], name: &str, place: &str) -> Result<usize, StatesError> {
        states.iter().position(|state| state.name == name).ok_or_else(|| {
            let known = || states.iter().map(|state| state.name.as_str());
            let (nearest, known) = (did_you_mean(name, known()), listed(known()));
            self.error(format!("{place}: there is no state `{name}`{nearest}; the states are {known}"))
        })
    }

    fn only_known_fields(&self, fields: &Table, place: &str, known: &[&str]) -> Result<(), StatesError> {
        match fields.keys().find(|field| !known.contains(&field.as_str())) {
            None => Ok(()),
            Some(field) => {
                let nearest = did_you_mean(field, known.iter().copied());
                let known = listed(known.iter().copied());
                Err(self
                    .error(format!("{place}: unknown field `{field}`{nearest}; the fields here are {known}")))
            }
        }
    }

    /// A string that is not empty.
    fn word<'v>(&self, value: &'v Value, place: &str, field: &str) -> Result<&'v str, StatesError> {
        match value.as_str().map(str::trim) {
            Some(text) if !text.is_empty() => Ok(text),
            Some(_) | None => Err(self.wrong(place, field, "a string that is not empty", value)),
        }
    }

    fn missing(&self, place: &str, field: &str, example: &str) -> StatesError {
        self.error(format!("{place}: the field `{field}` is missing; add {example}"))
    }

    fn wrong(&self, place: &str, field: &str, expected: &str, found: &Value) -> StatesError {
        let found = match found {
            Value::String(text) if text.trim().is_empty() => "empty".to_owned(),
            Value::String(text) => format!("the string {text:?}"),
            Value::Integer(number) => format!("the number {number}"),
            Value::Float(number) => format!("the number {number}"),
            Value::Boolean(flag) => format!("{flag}"),
            Value::Datetime(_) => "a date".to_owned(),
            Value::Array(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        };
        self.error(format!("{place}: `{field}` must be {expected}, but it is {found}"))
    }

    fn error(&self, problem: String) -> StatesError {
        StatesError::new(self.origin, problem)
    }
}
