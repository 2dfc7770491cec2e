import { Button, Group, Stack, Text, TextInput, Textarea, Title } from "@mantine/core";

import { Problem } from "../../api/client";
import type { Detail } from "../../api/documents";
import { useText } from "../../text";
import { Trouble } from "../../ui/trouble";
import type { Answer } from "./answer";
import { Code } from "./code";

interface Props {
  document: Detail;
  answer: Answer;
  titled: boolean;
}

/** Delegate takes the person to whom I pass my part. */
export function Delegate({ document: d, answer: { delegate: to, setDelegate, setDelegating, pass }, titled }: Props) {
  const t = useText();
  const problem = pass.error instanceof Problem ? pass.error : undefined;
  const complete = to.name.trim() !== "" && to.email.trim() !== "";
  return (
    <Stack gap="sm" component="form" aria-label={t("sign.delegate")} {...{ noValidate: true }} onSubmit={(e) => { e.preventDefault(); if (complete) pass.mutate(); }}>
      {!titled && <Title order={2} size="h5">{t("sign.delegate")}</Title>}
      <Text size="sm">{t("sign.delegateLead")}</Text>
      <TextInput autoFocus data-autofocus required label={t("new.guestName")} autoComplete="off" value={to.name} onChange={(e) => setDelegate({ ...to, name: e.currentTarget.value })} error={problem?.of("name")} />
      <TextInput required type="email" inputMode="email" label={t("login.email")} autoComplete="off" value={to.email} onChange={(e) => setDelegate({ ...to, email: e.currentTarget.value })} error={problem?.of("email")} />
      <TextInput type="tel" label={t("new.phone")} autoComplete="off" value={to.phone} onChange={(e) => setDelegate({ ...to, phone: e.currentTarget.value })} error={problem?.of("phone")} />
      <Textarea label={t("sign.delegateReason")} value={to.reason} onChange={(e) => setDelegate({ ...to, reason: e.currentTarget.value })} error={problem?.of("reason")} autosize minRows={2} />
      {d.code?.to_sign && <Code document={d} check={d.code} />}
      {problem && problem.fields.length === 0 && <Trouble error={problem} />}
      {pass.isError && !problem && <Trouble error={pass.error} />}
      <Group justify="space-between">
        <Button variant="default" onClick={() => setDelegating(false)}>{t("sign.back")}</Button>
        <Button type="submit" loading={pass.isPending || pass.isSuccess} disabled={!complete || d.code?.to_sign}>{t("sign.delegateDo")}</Button>
      </Group>
    </Stack>
  );
}
