import { Anchor, PasswordInput, Stack, Text, TextInput } from "@mantine/core";

import { base } from "../../api/base";
import { Problem } from "../../api/client";
import { embed } from "../../api/embed";
import { useText } from "../../text";
import type { Answer } from "./answer";

/** Whether the reader has to prove who they are: they have an account, and did not log in to this frame. */
export const needsProof = (): boolean => embed.opened()?.asksPassword === true;

/** EmbeddedProof takes the password of a person with an account in a frame, and a code once the service asks for one. */
export function EmbeddedProof({ document, answer: { proof, setProof, sign, reject }, error }: { document: number; answer: Answer; error: unknown }) {
  const t = useText();
  if (!needsProof() || sign.isSuccess || reject.isSuccess) return null;
  const asksCode = proof.otp !== undefined || (error instanceof Problem && ["auth.factor_required", "auth.otp_wrong", "sign.factor_required"].includes(error.reason));
  return (
    <Stack gap="xs">
      <PasswordInput label={t("embed.password")} description={t("embed.passwordHint")} value={proof.password ?? ""} onChange={(e) => setProof({ ...proof, password: e.currentTarget.value })} autoComplete="current-password" required withAsterisk={false} />
      {asksCode && <TextInput label={t("factor.code")} value={proof.otp ?? ""} onChange={(e) => setProof({ ...proof, otp: e.currentTarget.value })} autoComplete="one-time-code" autoCapitalize="off" spellCheck={false} maxLength={20} />}
      <Text size="xs" c="dimmed">{t("embed.elsewhere")} <Anchor size="xs" href={`${base}/document/${document}/sign`} target="_blank" rel="noopener noreferrer">{t("embed.openSegel")}</Anchor></Text>
    </Stack>
  );
}
