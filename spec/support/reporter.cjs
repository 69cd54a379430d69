/**
 * Mocha's spec reporter, closed by the one line that CI reads: `N passed, N failed`. A failed hook counts as a
 * failure, so a spec file whose servers did not start is never a silent pass. CommonJS, because mocha loads
 * reporters that extend its own through `require`.
 */
const { reporters } = require('mocha');

module.exports = class CountingReporter extends reporters.Spec {
  epilogue() {
    super.epilogue();
    console.log(`${this.stats.passes} passed, ${this.stats.failures} failed`);
    // What a failed test left running must not keep the run from ending; a passed run has to end by itself.
    if (this.stats.failures > 0) setTimeout(() => process.exit(1), 5_000).unref();
  }
};
