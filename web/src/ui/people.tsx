import { Avatar, Box, Tooltip } from "@mantine/core";
import { IconCircleCheckFilled } from "@tabler/icons-react";

import type { ListItem } from "../api/documents";
import { useText } from "../text";
import classes from "./people.module.css";

type Person = ListItem["data_signer"][number];

const most = 5;

/** People shows the participants: a mark on those who have signed, a ring around those whose turn it is. */
export function People({ people }: { people: Person[] }) {
  const t = useText();
  const says = (p: Person) => p.signing_status ? t("list.signedBy", { name: p.name }) : p.is_signing ? t("list.turnOf", { name: p.name }) : p.name;
  const rest = people.slice(most);
  return (
    <Avatar.Group spacing="xs">
      {people.slice(0, most).map((p) => (
        <Tooltip key={p.user_id} label={says(p)}>
          <Box pos="relative" data-signed={p.signing_status}>
            <Avatar src={p.avatar} alt={says(p)} size="sm"
              style={p.is_signing ? { outline: "2px solid var(--mantine-color-orange-6)", outlineOffset: -1 } : undefined} />
            {p.signing_status && <IconCircleCheckFilled size={16} aria-hidden color="var(--mantine-color-green-8)" className={classes.signed} />}
          </Box>
        </Tooltip>
      ))}
      {rest.length > 0 && <Avatar size="sm" aria-label={rest.map(says).join(", ")}>+{rest.length}</Avatar>}
    </Avatar.Group>
  );
}
