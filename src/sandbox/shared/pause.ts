/** The longest pause before another attempt, in milliseconds, for each attempt before. */
const PAUSE_MS = 1

/** The original timer. Fake timers of a test must not stop a response. */
const { setTimeout: startTimer } = globalThis

/** Waits for a random time before another attempt, so that those who hinder each other do not go on at the same time. */
export function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => startTimer(resolve, Math.random() * PAUSE_MS * attempt))
}
