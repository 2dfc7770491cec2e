import { useEffect, useRef } from "react";

import classes from "./list.module.css";

interface Props {
  checked: boolean;
  /** Some of what it stands for is selected. */
  mixed?: boolean;
  change: (on: boolean) => void;
  /** Its name, where no label has it. */
  name?: string;
}

/** SelectBox is a check box of the browser, which takes less to load than that of the library. */
export function SelectBox({ checked, mixed = false, change, name }: Props) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => { box.current!.indeterminate = mixed; }, [mixed]);
  return <input ref={box} type="checkbox" className={classes.check} checked={checked} onChange={(e) => change(e.currentTarget.checked)} aria-label={name} />;
}
