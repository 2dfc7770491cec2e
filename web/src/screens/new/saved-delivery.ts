import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "../../api/client";
import { saveDelivery } from "../../api/draft";
import { detail, type Detail } from "../../api/documents";
import { useSaver } from "../../ui/saver";
import { Versioned } from "../../ui/versioned";
import type { Delivery } from "./delivery";

/** useSavedDelivery keeps how the people of a draft are reached, and saves each change. */
export function useSavedDelivery(d: Detail, known: Delivery) {
  const queries = useQueryClient();
  const [delivery, setDelivery] = useState(known);
  const [versioned] = useState(() => new Versioned<Delivery>({ version: d.version, value: known }, {
    save: (to, from) => saveDelivery(d.id, to, from),
    read: async () => {
      const now = await queries.fetchQuery({ ...detail(d.id), staleTime: 0 });
      return { version: now.version, value: now.delivery ?? known };
    },
    same: (a, b) => JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b)),
  }));
  const saver = useSaver(async (to: Delivery) => {
    await versioned.send(to);
    void queries.invalidateQueries({ queryKey: ["document", d.id] });
    void queries.invalidateQueries({ queryKey: ["documents"] });
  });
  const change = (to: Delivery) => {
    setDelivery(to);
    saver.change(to);
  };
  const refused = saver.error instanceof Problem && saver.error.fields.length > 0 ? saver.error.fields.map((f) => f.msg).join(" ") : undefined;
  return { delivery, setDelivery, change, saver, versioned, refused };
}

/** The members of a delivery in one order, so that two can be compared. */
const inOrder = ({ message, messages, attach, guest_code, delegation, hide_addresses, remind: { after, every, before } }: Delivery) => [message, messages, attach, guest_code, delegation, hide_addresses, after, every, before];
