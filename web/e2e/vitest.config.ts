import { defineConfig } from "vitest/config";

// One real service and one real browser per file; see harness.ts. Two files at a time.
export default defineConfig({ test: { include: ["e2e/**/*.e2e.ts"], root: new URL("..", import.meta.url).pathname, testTimeout: 90_000, hookTimeout: 90_000, expect: { poll: { timeout: 15_000 } }, maxWorkers: 2, maxConcurrency: 2 } });
