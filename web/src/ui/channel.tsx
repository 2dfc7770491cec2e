import { NativeSelect } from "@mantine/core";

import { useAccount } from "../api/account";
import type { Channel } from "../api/documents";
import { useText } from "../text";

interface Props {
  value: Channel;
  change: (to: Channel) => void;
  error?: string | undefined;
}

const channels: Channel[] = ["mail", "whatsapp", "sms"];

/** ChannelSelect chooses how messages reach a person with a phone number: by mail, or by what the service can send. */
export function ChannelSelect({ value, change, error }: Props) {
  const t = useText();
  const offered = useAccount()?.channels ?? [];
  return (
    <NativeSelect style={{ flex: "0 1 10rem" }} label={t("new.channel")} value={value} error={error} onChange={(e) => change(channels.find((c) => c === e.currentTarget.value) ?? "mail")}
      data={channels.filter((c) => c === "mail" || c === value || offered.includes(c)).map((c) => ({ value: c, label: t(`notice.channels.${c}`) }))} />
  );
}
