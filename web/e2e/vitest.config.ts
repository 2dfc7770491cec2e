import { defineConfig } from "vitest/config";

// One real service per file, and one real browser per process; see harness.ts. Files that run one after the other in a process share the
// modules too, so that Playwright is loaded once. Most of the time they wait for each other, so two files at a time keep two cores busy. The times after which a step or test fails are far above what they take,
// so that other work on the machine fails none; no test has a time that is shorter. With SEGEL_RETRY=1 a test that failed is tried a second time, and the list of results shows it as "retry x1":
// a delay of a busy machine does not fail the whole run.
export default defineConfig({
  test: {
    include: ["e2e/**/*.e2e.ts"], root: new URL("..", import.meta.url).pathname, testTimeout: 600_000, hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } }, isolate: false, maxWorkers: 2, maxConcurrency: 2, retry: Number(process.env.SEGEL_RETRY ?? 0),
  },
});
