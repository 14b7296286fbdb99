/** The benchmarks and scripts are plain JavaScript: modules that tests import from there have no types. */
declare module '*.mjs';
