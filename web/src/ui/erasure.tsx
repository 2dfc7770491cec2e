import { Stack, Text, TextInput } from "@mantine/core";

import { useText } from "../text";

interface Props {
  /** The address to be typed. */
  email: string;
  typed: string;
  change: (typed: string) => void;
  error?: string | undefined;
}

/** Reports whether what was typed is the address. */
export const confirmsErasure = (typed: string, email: string) => typed.trim().toLowerCase() === email.toLowerCase();

/** Erasure lists what is erased and what remains, and has an address typed as a confirmation. */
export function Erasure({ email, typed, change, error }: Props) {
  const t = useText();
  return (
    <Stack gap="sm">
      <div>
        <Text size="sm" fw={600}>{t("erasure.goes")}</Text>
        <Text component="ul" size="sm" m={0} pl="lg">{(["account", "drafts", "logins"] as const).map((k) => <li key={k}>{t(`erasure.going.${k}`)}</li>)}</Text>
      </div>
      <div>
        <Text size="sm" fw={600}>{t("erasure.stays")}</Text>
        <Text component="ul" size="sm" m={0} pl="lg">{(["files", "people", "log", "ledger"] as const).map((k) => <li key={k}>{t(`erasure.staying.${k}`)}</li>)}</Text>
      </div>
      <TextInput label={t("erasure.confirm", { email })} name="confirm" type="email" autoComplete="off" required value={typed} onChange={(e) => change(e.currentTarget.value)} error={error} maxLength={254} />
    </Stack>
  );
}
