/** The benchmarks are plain JavaScript: what tests import from there has no types. */
declare module '*.mjs';
