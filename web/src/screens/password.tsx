import { Alert, Button, Paper, Stack, Text } from "@mantine/core";
import { IconShieldLock } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";

import { useAccount, usePassword } from "../api/account";
import { Problem } from "../api/client";
import { useText } from "../text";
import { ScreenTitle } from "../ui/screen-title";
import { Secret } from "../ui/secret";
import { Trouble } from "../ui/trouble";
import { within } from "../ui/within";

/** Password lets users change their password. A user with a first password, printed or set by another person, must do so. */
export function Password() {
  const t = useText();
  const go = useNavigate();
  const { then } = useSearch({ from: "/member/password" });
  const first = useAccount()?.is_reset ?? false;
  const change = usePassword();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const [tried, setTried] = useState(false);
  const problem = change.error instanceof Problem ? change.error : undefined;
  const missing = (v: string) => tried && v === "" && t("password.need");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (current === "" || next === "" || again !== next) return;
    change.mutate({ current, next }, { onSuccess: () => void go({ href: within(then), replace: true }) });
  };
  return (
    <Stack maw={440} mx="auto">
      <div>
        <ScreenTitle>{t(first ? "password.first" : "password.title")}</ScreenTitle>
        <Text size="sm" c="dimmed">{t("password.lead")}</Text>
      </div>
      {first && <Alert color="yellow" variant="light" icon={<IconShieldLock aria-hidden />}>{t("password.why")}</Alert>}
      <Paper withBorder p="lg" component="form" onSubmit={submit} {...{ noValidate: true }}>
        <Stack>
          <Secret label={t(first ? "password.printed" : "password.current")} name="current" autoComplete="current-password" required value={current} onChange={(e) => setCurrent(e.currentTarget.value)} error={missing(current) || problem?.of("current")} />
          <Secret label={t("password.next")} description={t("password.hint")} name="new" autoComplete="new-password" required value={next} onChange={(e) => setNext(e.currentTarget.value)} error={missing(next) || problem?.of("new")} />
          <Secret label={t("password.again")} name="again" autoComplete="new-password" required value={again} onChange={(e) => setAgain(e.currentTarget.value)} error={missing(again) || (tried && again !== next && t("password.differ"))} />
          {change.error && (problem?.fields.length ?? 0) === 0 && <Trouble error={change.error} />}
          <Button type="submit" loading={change.isPending}>{t("password.submit")}</Button>
        </Stack>
      </Paper>
    </Stack>
  );
}
