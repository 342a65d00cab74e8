//! The verdict: a pure function of a scenario, a transcript and an observation.
