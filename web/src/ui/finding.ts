import type { Warning } from "../api/draft";

/** The findings among the warnings about a file: first those that the owner must accept. */
export function findingsOf(warnings: Warning[] | undefined): Warning[] {
  const all = (warnings ?? []).filter((w) => w.code.startsWith("finding."));
  return [...all.filter((w) => w.must_accept), ...all.filter((w) => !w.must_accept)];
}

/** The codes that finalize must confirm, each once. */
export const codesOf = (findings: { code: string }[]): string[] => [...new Set(findings.map((f) => f.code))];
