import { Group, Stack, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { Reason } from "../../api/verify";
import { useLanguage, useText, type Language } from "../../text";
import type { Tone } from "./tone";

const icons = { good: IconCircleCheck, unsure: IconAlertTriangle, bad: IconCircleX } as const;

/** Sentence is a verdict: one sentence, whose style matches its words. */
export function Sentence({ tone, order, children }: { tone: Tone; order: 2 | 3; children: ReactNode }) {
  const t = useText();
  const Icon = icons[tone];
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Icon size={order === 2 ? 28 : 22} role="img" aria-label={t(`verify.${tone}`)} />
      <Title order={order} size={order === 2 ? "h4" : "h6"} style={{ overflowWrap: "anywhere" }}>{children}</Title>
    </Group>
  );
}

/** The part of a sentence meant for people, without the terms and codes in brackets, which the details show. */
export function plain(r: Reason, language: Language): string {
  const { sub } = r.args;
  const text = r[language].replace(/ \([A-Z]+(_[A-Z]+)+\)/g, "");
  return sub ? text.replace(` (${sub})`, "") : text;
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="sm" component="section">
      <Title order={2} size="h5">{title}</Title>
      {children}
    </Stack>
  );
}

/** A row of evidence: its name, and its value; nothing without a value. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return children ? <><dt>{name}</dt><dd>{children}</dd></> : null;
}

/** A time in the evidence, with its zone. */
export const useMoment = () => {
  const language = useLanguage();
  return (at: string | null | undefined) => (at ? new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "long" }) : "");
};
