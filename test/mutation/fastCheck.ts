import fc from 'fast-check';

// The same cases in every run, so that the same mutants survive, and no search for a shorter
// counterexample.
fc.configureGlobal({ seed: 1, endOnFailure: true });
