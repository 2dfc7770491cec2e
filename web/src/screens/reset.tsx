import { Button, Center, Checkbox, Group, Paper, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { api, Problem, take } from "../api/client";
import { useText } from "../text";
import { ButtonLink } from "../ui/links";
import { Loading } from "../ui/loading";
import { Mark } from "../ui/mark";
import { LanguageMenu, SchemeButton } from "../ui/preferences";
import { ScreenTitle } from "../ui/screen-title";
import { Secret } from "../ui/secret";
import { useSecretLink } from "../ui/secret-link";
import { Trouble } from "../ui/trouble";

/** Reset lets a person who forgot their password choose a new one, with the link that was mailed to them. */
export function Reset() {
  const t = useText();
  const link = useSecretLink();
  const target = useQuery({ queryKey: ["reset", link], queryFn: async () => (await take(api.POST("/v1/auth/reset-link", { body: { link } }))).data, retry: false, staleTime: Infinity, gcTime: 0 });
  const [done, setDone] = useState(false);
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={440}>
        <Group justify="space-between">
          <Group gap="xs" wrap="nowrap"><Mark size={32} /><Text fw={700} size="xl">{t("app.name")}</Text></Group>
          <Group gap={4}><LanguageMenu /><SchemeButton /></Group>
        </Group>
        <Paper withBorder p="lg">
          <Stack>
            <ScreenTitle>{t("reset.title")}</ScreenTitle>
            <Text size="sm" role="status">{done && t("reset.done")}</Text>
            {!done && target.isPending && <Loading />}
            {!done && target.isError && <Trouble error={target.error} />}
            {!done && target.data && (
              <>
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>{t("reset.lead", { email: target.data.email, organisation: target.data.organisation.name })}</Text>
                <Form link={link} email={target.data.email} keys={target.data.keys} done={() => setDone(true)} />
              </>
            )}
            {(done || target.isError) && <ButtonLink to="/login" search={{ then: undefined }} variant={done ? "filled" : "default"}>{t("reset.toLogin")}</ButtonLink>}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}

function Form({ link, email, keys, done }: { link: string; email: string; keys: number; done: () => void }) {
  const t = useText();
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const [tried, setTried] = useState(false);
  const [ends, setEnds] = useState(false);
  const reset = useMutation({ mutationFn: () => take(api.POST("/v1/auth/reset-password", { body: { link, new: next, ...(ends ? { end_keys: 1 as const } : {}) } })), onSuccess: done });
  const problem = reset.error instanceof Problem ? reset.error : undefined;
  const missing = (v: string) => tried && v === "" && t("password.need");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (next !== "" && again === next) reset.mutate();
  };
  return (
    <Stack component="form" onSubmit={submit} {...{ noValidate: true }}>
      <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
      <Secret label={t("password.next")} description={t("password.hint")} name="new" autoComplete="new-password" required value={next} onChange={(e) => setNext(e.currentTarget.value)} error={missing(next) || problem?.of("new")} />
      <Secret label={t("password.again")} name="again" autoComplete="new-password" required value={again} onChange={(e) => setAgain(e.currentTarget.value)} error={missing(again) || (tried && again !== next && t("password.differ"))} />
      {keys > 0 && <Checkbox label={t("reset.keys", { count: keys })} description={t("reset.keysHint")} checked={ends} onChange={(e) => setEnds(e.currentTarget.checked)} />}
      {reset.error && (problem?.fields.length ?? 0) === 0 && <Trouble error={reset.error} />}
      <Button type="submit" loading={reset.isPending}>{t("reset.submit")}</Button>
    </Stack>
  );
}
