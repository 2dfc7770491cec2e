/** A number for a badge, of at most four characters; more says that there may be more. */
export const amount = (n: number, more = false): string => (n > 999 ? "999+" : more ? `${n}+` : String(n));
