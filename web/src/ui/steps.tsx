import { Anchor, Button, Group, Stack, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconClock, IconPlayerStop, IconProgress, IconRotate } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { base } from "../api/base";
import { verbs, type Step } from "../api/documents";
import { useLanguage, useText } from "../text";
import { Copy } from "./copy";
import { Trouble } from "./trouble";

const icons = { done: IconCheck, active: IconProgress, waiting: IconClock, stopped: IconPlayerStop } as const;
const colours = { done: "seal", active: "blue", waiting: "gray", stopped: "red" } as const;

/** Steps done by the service, which the owner may ask to retry. */
const ours = ["converted", "stamped", "sealed", "logged"];
/** After so many milliseconds without news the owner may ask the service to retry. */
const offerRetryAfter = 30_000;

/** The steps to show: after a document has ended for good, its waiting steps are left out. */
export function stepsOf(progress: { steps: Step[] } | null | undefined, status: string): Step[] {
  const all = progress?.steps ?? [];
  return ["rejected", "canceled", "expired"].includes(status) ? all.filter((s) => s.state !== "waiting") : all;
}

interface Props {
  steps: Step[];
  /** The document, given only to its owner, who may have it retried. */
  own?: number | undefined;
}

/** Steps shows how far a document is: when each step was done, what the next waits for, and why. It never shows only a spinner. */
export function Steps({ steps, own }: Props) {
  const t = useText();
  const shown = steps.filter((s) => s.total > 0);
  return (
    <Stack component="ol" gap="xs" p={0} m={0} style={{ listStyle: "none" }} aria-label={t("steps.title")} aria-live="polite">
      {shown.map((s) => <One key={s.step} step={s} own={own} />)}
    </Stack>
  );
}

function One({ step: s, own }: { step: Step; own: number | undefined }) {
  const t = useText();
  const language = useLanguage();
  const Icon = icons[s.state as keyof typeof icons] ?? IconClock;
  const long = useLong(s);
  const waits = s.state === "active" && ours.includes(s.step) && (s.reason !== null || long);
  const when = s.at && new Date(s.at).toLocaleString(language, { dateStyle: "medium", timeStyle: "medium" });
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm" data-step={s.step} data-state={s.state} aria-current={s.state === "active" ? "step" : undefined}>
      <ThemeIcon size="sm" radius="xl" variant="light" color={colours[s.state as keyof typeof colours] ?? "gray"}><Icon size={14} aria-hidden /></ThemeIcon>
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={600}>
          {t(`steps.${s.step as "signed"}`)} {s.total > 1 && `${s.done}/${s.total}`} {s.state === "done" ? <VisuallyHidden>{t("steps.done")}</VisuallyHidden> : <Text span size="xs" c="dimmed">{t(`steps.${s.state as "done"}`)}</Text>}
        </Text>
        {when && <Text size="xs" c="dimmed"><time dateTime={s.at!}>{when}</time></Text>}
        {s.serials.map((n) => (
          <Group key={n} gap={4} wrap="nowrap"><Anchor size="xs" href={`${base}/verify?serial=${encodeURIComponent(n)}`} style={{ overflowWrap: "anywhere" }}>{n}</Anchor><Copy text={n} /></Group>
        ))}
        {s.waiting_for.length > 0 && s.state !== "done" && <Text size="xs" c="dimmed">{t("steps.for", { who: s.waiting_for.join(", ") })}</Text>}
        {s.reason ? <Text size="xs" c={s.state === "stopped" ? "red" : "dimmed"} style={{ overflowWrap: "anywhere" }}>{s.reason}</Text> : waits && <Text size="xs" c="dimmed">{t("steps.long")}</Text>}
        {waits && own !== undefined && <Retry id={own} />}
      </div>
    </Group>
  );
}

/** Whether the service has worked on a step for long without news. */
function useLong(s: Step): boolean {
  const [long, setLong] = useState(false);
  const at = `${s.step} ${s.state} ${s.done}`;
  useEffect(() => {
    setLong(false);
    if (s.state !== "active") return;
    const timer = setTimeout(() => setLong(true), offerRetryAfter);
    return () => clearTimeout(timer);
  }, [at, s.state]);
  return long;
}

function Retry({ id }: { id: number }) {
  const t = useText();
  const queries = useQueryClient();
  const again = useMutation({ mutationFn: () => verbs.retry(id), onSettled: () => void queries.invalidateQueries({ queryKey: ["document", id] }) });
  return (
    <>
      <Button mt={4} size="compact-sm" variant="default" leftSection={<IconRotate size={12} aria-hidden />} loading={again.isPending} onClick={() => again.mutate()}>{t("problem.retry")}</Button>
      {again.isError && <Trouble error={again.error} />}
      <Text size="xs" role="status">{again.isSuccess && t("steps.again")}</Text>
    </>
  );
}
