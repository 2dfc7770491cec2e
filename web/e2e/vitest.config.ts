import { defineConfig } from "vitest/config";

// One real service and one real browser a file; see harness.ts.
export default defineConfig({ test: { include: ["e2e/**/*.e2e.ts"], root: new URL("..", import.meta.url).pathname, testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 10_000 } }, fileParallelism: false } });
