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
  }
};
