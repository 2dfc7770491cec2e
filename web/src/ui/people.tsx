import { Avatar, Tooltip } from "@mantine/core";

import type { ListItem } from "../api/documents";
import { useText } from "../text";

type Person = ListItem["data_signer"][number];

/** People shows who takes part; whose turn it is stands out. */
export function People({ people }: { people: Person[] }) {
  const t = useText();
  const shown = people.slice(0, 5);
  return (
    <Avatar.Group spacing="xs">
      {shown.map((p) => (
        <Tooltip key={p.user_id} label={p.is_signing ? t("list.turnOf", { name: p.name }) : p.name}>
          <Avatar src={p.avatar} alt={p.is_signing ? t("list.turnOf", { name: p.name }) : p.name} size="sm"
            style={p.is_signing ? { outline: "2px solid var(--mantine-color-orange-6)", outlineOffset: -1 } : undefined} />
        </Tooltip>
      ))}
      {people.length > shown.length && <Avatar size="sm" aria-label={people.slice(5).map((p) => p.name).join(", ")}>+{people.length - shown.length}</Avatar>}
    </Avatar.Group>
  );
}
