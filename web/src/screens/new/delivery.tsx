import { Checkbox, Group, NumberInput, Paper, Select, Stack, Text, Textarea, Title } from "@mantine/core";

import type { Detail } from "../../api/documents";
import { useText } from "../../text";

export type Delivery = NonNullable<Detail["delivery"]>;

interface Props {
  value: Delivery;
  onChange: (d: Delivery) => void;
  /** Whether a guest takes part, or may. */
  guests: boolean;
  /** Whether the document has a deadline, or may get one. */
  expires: boolean;
}

/** HowReached takes the owner's message, and when guests enter a code. */
export function HowReached({ value: d, onChange, guests, expires }: Props) {
  const t = useText();
  return (
    <Paper withBorder p="md" component="section">
      <Stack gap="sm">
        <Title order={2} size="h5">{t("new.delivery")}</Title>
        <Checkbox label={t("new.messages")} checked={d.messages} onChange={(e) => onChange({ ...d, messages: e.currentTarget.checked })} />
        {d.messages && <Textarea label={t("new.message")} description={t("new.messageHint")} value={d.message} onChange={(e) => onChange({ ...d, message: e.currentTarget.value })} maxLength={2000} autosize minRows={2} maxRows={8} />}
        {guests && (
          <Select label={t("new.guestCode")} description={t("new.guestCodeHint")} allowDeselect={false} value={d.guest_code === "" ? "link" : d.guest_code}
            data={(["link", "sign", "read"] as const).map((value) => ({ value, label: t(`new.guestCodes.${value}`) }))}
            onChange={(v) => onChange({ ...d, guest_code: v === "sign" || v === "read" ? v : "" })} />
        )}
        {d.messages && (
          <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
            <Text component="legend" size="sm" fw={500} mb={4}>{t("new.remind")}</Text>
            <Group align="flex-start" gap="sm">
              {(["after", "every", ...(expires ? ["before" as const] : [])] as const).map((at) => (
                <NumberInput key={at} style={{ flex: "1 1 8rem" }} label={t(({ after: "new.remindAfter", every: "new.remindEvery", before: "new.remindBefore" } as const)[at])} description={t("new.remindHint")} min={0} max={365} clampBehavior="strict" allowDecimal={false} allowNegative={false}
                  value={d.remind[at]} onChange={(v) => onChange({ ...d, remind: { ...d.remind, [at]: Number(v) || 0 } })} />
              ))}
            </Group>
          </fieldset>
        )}
        <Checkbox label={t("new.delegation")} description={t("new.delegationHint")} checked={d.delegation} onChange={(e) => onChange({ ...d, delegation: e.currentTarget.checked })} />
        <Checkbox label={t("new.hideAddresses")} description={t("new.hideAddressesHint")} checked={d.hide_addresses} onChange={(e) => onChange({ ...d, hide_addresses: e.currentTarget.checked })} />
        {d.messages && <Checkbox label={t("new.attach")} checked={d.attach} onChange={(e) => onChange({ ...d, attach: e.currentTarget.checked })} />}
      </Stack>
    </Paper>
  );
}
