import { Problem } from "../api/client";

/** A part of a draft as the service stores it, with the version of the draft. */
export interface Stored<T> {
  version: number;
  value: T;
}

/** What another window, device or person stored, while a change that was made here is not stored. */
export interface Conflict<T> {
  theirs: Stored<T>;
}

interface Part<T> {
  /** Stores a value that was made from a version of the draft, and resolves to the new version. */
  save: (value: T, version: number) => Promise<number>;
  read: () => Promise<Stored<T>>;
  /** Whether two values are the same for the service. */
  same: (a: T, b: T) => boolean;
}

/**
 * Versioned stores a part of a draft, each time from the version that it knows. If another writer has changed that part meanwhile, it
 * refuses with document.version_changed, and the user decides; conflict has what the other writer stored.
 */
export class Versioned<T> {
  conflict: Conflict<T> | undefined;

  constructor(private known: Stored<T>, private part: Part<T>) {}

  async send(value: T): Promise<void> {
    for (;;) {
      try {
        const version = await this.part.save(value, this.known.version);
        this.known = { version, value };
        this.conflict = undefined;
        return;
      } catch (error) {
        if (!(error instanceof Problem && error.reason === "document.version_changed")) throw error;
        const theirs = await this.part.read();
        if (this.part.same(theirs.value, value)) { // the request arrived before, and its answer was lost
          this.known = theirs;
          this.conflict = undefined;
          return;
        }
        if (theirs.version === this.known.version || !this.part.same(theirs.value, this.known.value)) {
          this.conflict = { theirs };
          throw error;
        }
        this.known = { version: theirs.version, value: this.known.value }; // another part of the draft was changed
      }
    }
  }

  /** Adopts what the other writer stored, and returns it. Then what is sent replaces it. */
  adopt(): T | undefined {
    const theirs = this.conflict?.theirs;
    if (theirs) this.known = theirs;
    this.conflict = undefined;
    return theirs?.value;
  }
}
