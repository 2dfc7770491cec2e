import { lazy, Suspense, useEffect, useState } from "react";

import { useAccount } from "../api/account";
import { onAccountTold, tellAccount } from "../api/switch";

// Loaded when it is needed, which is rare.
const SwitchedQuestion = lazy(() => import("./switched-question").then((m) => ({ default: m.SwitchedQuestion })));

/**
 * SwitchedDialog covers a tab whose screen is of the former account after another tab has switched to another account or logged in to one: the requests
 * of this tab would be those of the other account.
 */
export function SwitchedDialog() {
  const me = useAccount();
  const [mine] = useState(me); // whose screens this tab shows
  const [told, setTold] = useState(mine?.id);
  useEffect(() => {
    if (!mine) return;
    tellAccount(mine.id);
    return onAccountTold(setTold);
  }, [mine]);
  const switched = mine && (told !== mine.id || (me !== null && me.id !== mine.id));
  return <Suspense>{switched && <SwitchedQuestion mine={mine} />}</Suspense>;
}
