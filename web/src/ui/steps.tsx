import { Stack, Text, ThemeIcon, Group } from "@mantine/core";
import { IconCheck, IconClock, IconLoader, IconPlayerStop } from "@tabler/icons-react";

import type { Step } from "../api/documents";
import { useText } from "../text";

const icons = { done: IconCheck, active: IconLoader, waiting: IconClock, stopped: IconPlayerStop } as const;
const colours = { done: "seal", active: "blue", waiting: "gray", stopped: "red" } as const;

/** Steps says how far a document is, what it waits for and why: never a wheel that turns for ever. */
export function Steps({ steps }: { steps: Step[] }) {
  const t = useText();
  return (
    <Stack component="ol" gap="xs" p={0} m={0} style={{ listStyle: "none" }} aria-label={t("steps.title")} aria-live="polite">
      {steps.map((s) => {
        const Icon = icons[s.state as keyof typeof icons] ?? IconClock;
        return (
          <Group component="li" key={s.step} wrap="nowrap" align="flex-start" gap="sm" aria-current={s.state === "active" ? "step" : undefined}>
            <ThemeIcon size="sm" radius="xl" variant="light" color={colours[s.state as keyof typeof colours] ?? "gray"}><Icon size={14} aria-hidden /></ThemeIcon>
            <div>
              <Text size="sm" fw={600}>
                {t(`steps.${s.step as "signed"}`)} {s.total > 1 && `${s.done}/${s.total}`} <Text span size="xs" c="dimmed">{t(`steps.${s.state as "done"}`)}</Text>
              </Text>
              {s.waiting_for.length > 0 && s.state !== "done" && <Text size="xs" c="dimmed">{t("steps.for", { who: s.waiting_for.join(", ") })}</Text>}
              {s.reason && <Text size="xs" c={s.state === "stopped" ? "red" : "dimmed"}>{s.reason}</Text>}
            </div>
          </Group>
        );
      })}
    </Stack>
  );
}
