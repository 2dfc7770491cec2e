import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { api, Problem, take } from "../api/client";
import { useText } from "../text";
import { AnchorLink } from "../ui/links";
import { Secret } from "../ui/secret";
import { Trouble } from "../ui/trouble";

/** AccountOffer lets a guest who verified their mailbox create an account for it. */
export function AccountOffer({ email }: { email: string }) {
  const t = useText();
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [tried, setTried] = useState(false);
  const create = useMutation({ mutationFn: () => take(api.POST("/v1/auth/guest/account", { body: { password } })) });
  const problem = create.error instanceof Problem ? create.error : undefined;
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (password === "" || again !== password) return;
    create.mutate();
  };
  return (
    <Paper withBorder p="md" maw={560} w="100%" mx="auto" component="section" aria-labelledby="offer-title">
      <Stack gap="sm">
        <Title order={2} size="h5" id="offer-title">{t("offer.title")}</Title>
        {create.data ? (
          <>
            <Text size="sm" role="status">{create.data.msg}</Text>
            <AnchorLink to="/login" search={{ then: undefined }} size="sm">{t("offer.login")}</AnchorLink>
          </>
        ) : (
          <form onSubmit={submit} noValidate>
            <Stack gap="sm">
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>{t("offer.lead", { email })}</Text>
              <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
              <Secret label={t("offer.password")} description={t("password.hint")} name="new" autoComplete="new-password" required value={password} onChange={(e) => setPassword(e.currentTarget.value)} error={(tried && password === "" && t("password.need")) || problem?.of("password")} />
              <Secret label={t("offer.again")} name="again" autoComplete="new-password" required value={again} onChange={(e) => setAgain(e.currentTarget.value)} error={tried && again !== password && t("password.differ")} />
              {create.error && (problem?.fields.length ?? 0) === 0 && <Trouble error={create.error} />}
              <Button type="submit" variant="light" loading={create.isPending}>{t("offer.submit")}</Button>
            </Stack>
          </form>
        )}
      </Stack>
    </Paper>
  );
}
