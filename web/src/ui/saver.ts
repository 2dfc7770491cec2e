import { useEffect, useState } from "react";

import { Problem } from "../api/client";

export type Saving = "saved" | "waiting" | "saving" | "failed";

/**
 * Saver sends the newest of many values: shortly after the last change, and never two at once. After a failure that
 * may be temporary it retries with growing pauses; after a refusal it waits for the next change.
 */
export class Saver<T> {
  state: Saving = "saved";
  error: unknown = undefined;
  private next: { value: T } | undefined;
  private running: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = 1000;

  constructor(private send: (value: T) => Promise<unknown>, private tell: () => void = () => undefined, private delay = 500) {}

  change(value: T): void {
    this.next = { value };
    this.error = undefined;
    this.pause = 1000;
    this.become("waiting");
    this.later(this.delay);
  }

  /** Forgets a change that was not sent. */
  discard(): void {
    clearTimeout(this.timer);
    this.next = undefined;
    this.error = undefined;
    this.become("saved");
  }

  /** Sends what is left now. Resolves to whether everything was stored. */
  async flush(): Promise<boolean> {
    clearTimeout(this.timer);
    if (!this.running && this.next) this.running = this.run();
    await this.running;
    return this.state === "saved";
  }

  private later(pause: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), pause);
  }

  private async run(): Promise<void> {
    while (this.next) {
      const sent = this.next;
      this.next = undefined;
      this.become("saving");
      try {
        await this.send(sent.value);
      } catch (error) {
        if (this.next) continue; // a newer value replaces the one that failed
        this.next = sent;
        this.error = error;
        this.running = undefined;
        this.become("failed");
        if (error instanceof Problem && error.retryable) {
          this.later(this.pause);
          this.pause = Math.min(this.pause * 2, 30_000);
        }
        return;
      }
    }
    this.running = undefined;
    this.error = undefined;
    this.become("saved");
  }

  private become(state: Saving): void {
    this.state = state;
    this.tell();
  }
}

/** Keeps a saver while a screen is shown. Leaving the screen sends what is left. */
export function useSaver<T>(send: (value: T) => Promise<unknown>): Saver<T> {
  const [, draw] = useState(0);
  const [saver] = useState(() => new Saver(send, () => draw((n) => n + 1)));
  useEffect(() => {
    const ask = (e: BeforeUnloadEvent) => { if (saver.state !== "saved") e.preventDefault(); };
    window.addEventListener("beforeunload", ask);
    return () => {
      window.removeEventListener("beforeunload", ask);
      void saver.flush();
    };
  }, [saver]);
  return saver;
}
