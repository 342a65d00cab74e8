//! What authors write, and what the loader makes of it.

mod budget;
mod digest;
mod extras;
mod families;
mod format;
mod given;
mod hostile;
mod meaning_mistakes;
mod properties;
mod readme;
mod reported;
mod schema;
mod step_mistakes;
mod steps;
mod text_mistakes;
mod without_effect;
mod writing;
