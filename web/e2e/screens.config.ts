import { defineConfig } from "vitest/config";

// Takes the pictures of docs/screens; not a test.
export default defineConfig({ test: { include: ["e2e/screens.shoot.ts"], root: new URL("..", import.meta.url).pathname, hookTimeout: 120_000 } });
