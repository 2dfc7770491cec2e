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

/** Erasure lists what is erased of an account and what remains, and has its address typed as a confirmation. */
export function Erasure({ email, typed, change, error }: Props) {
  const t = useText();
  return (
    <Stack gap="sm">
      <ErasureLists goes={(["account", "drafts", "logins"] as const).map((k) => t(`erasure.going.${k}`))} stays={(["files", "people", "log", "ledger"] as const).map((k) => t(`erasure.staying.${k}`))} />
      <TextInput label={t("erasure.confirm", { email })} name="confirm" type="email" autoComplete="off" required value={typed} onChange={(e) => change(e.currentTarget.value)} error={error} maxLength={254} />
    </Stack>
  );
}

/** ErasureLists lists what is erased and what remains. */
export function ErasureLists({ goes, stays }: { goes: string[]; stays: string[] }) {
  const t = useText();
  return (
    <>
      {([["goes", goes], ["stays", stays]] as const).map(([what, items]) => (
        <div key={what}>
          <Text size="sm" fw={600}>{t(`erasure.${what}`)}</Text>
          <Text component="ul" size="sm" m={0} pl="lg">{items.map((item) => <li key={item}>{item}</li>)}</Text>
        </div>
      ))}
    </>
  );
}
