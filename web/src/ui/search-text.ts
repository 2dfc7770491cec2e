import { useDebouncedCallback } from "@mantine/hooks";
import { useRef, useState } from "react";

/**
 * useSearchText returns the text of a search field and its setter. The value is that of the address: change sets it once nothing was typed for a
 * moment, and the field follows it when it is changed elsewhere, as by clearing the filters or by a link.
 */
export function useSearchText(value: string, change: (text: string) => void): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const sent = useRef(value);
  const settle = useDebouncedCallback((to: string) => { sent.current = to.trim(); change(sent.current); }, 300);
  if (known !== value) {
    setKnown(value);
    if (value !== sent.current) { // else it is what was typed here, and more may have been typed since
      settle.cancel();
      setText(value);
    }
    sent.current = value;
  }
  return [text, (to) => { setText(to); settle(to); }];
}
