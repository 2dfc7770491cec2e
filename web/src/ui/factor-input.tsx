import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";

import { passkeysOffered } from "../api/passkey";
import { useText } from "../text";

interface Props {
  /** What is accepted: totp, recovery_code, passkey. */
  accepted: string[];
  /** The label of the button that sends a code. */
  submit: string;
  busy: boolean;
  onCode: (otp: string) => void;
  onPasskey: () => void;
  onBack: () => void;
}

/** FactorInput takes a second factor: a code, or a passkey. */
export function FactorInput({ accepted, submit, busy, onCode, onPasskey, onBack }: Props) {
  const t = useText();
  const [otp, setOTP] = useState("");
  const [tried, setTried] = useState(false);
  const codes = accepted.includes("totp") || accepted.includes("recovery_code");
  const passkey = accepted.includes("passkey") && passkeysOffered();
  const send = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (otp.trim() !== "") onCode(otp);
  };
  return (
    <Stack gap="sm" component="form" onSubmit={send} {...{ noValidate: true }}>
      {passkey && <Button type="button" variant={codes ? "default" : "filled"} leftSection={<IconFingerprint size={18} aria-hidden />} disabled={busy} onClick={onPasskey} {...(codes ? {} : { autoFocus: true, "data-autofocus": true })}>{t("factor.usePasskey")}</Button>}
      {passkey && codes && <Text size="sm" c="dimmed" ta="center">{t("factor.or")}</Text>}
      {codes && <TextInput label={t("factor.code")} description={t("factor.codeHint")} name="otp" value={otp} onChange={(e) => setOTP(e.currentTarget.value)} error={tried && otp.trim() === "" && t("factor.needCode")} autoComplete="one-time-code" autoCapitalize="off" spellCheck={false} maxLength={20} autoFocus data-autofocus required styles={{ input: { letterSpacing: "0.1em" } }} />}
      {!passkey && !codes && <Text size="sm" role="alert">{t("factor.noneHere")}</Text>}
      <Group justify="space-between">
        <Button type="button" variant="subtle" color="gray" onClick={onBack}>{t("factor.back")}</Button>
        {codes && <Button type="submit" loading={busy}>{submit}</Button>}
      </Group>
    </Stack>
  );
}
