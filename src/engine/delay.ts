import { MAX_TIMER_DELAY } from '../time/duration.ts'

/** Waits for so many milliseconds, unless the signal is aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void> | void

/** Waits, but not after the signal is aborted. */
export function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(end, Math.min(milliseconds, MAX_TIMER_DELAY))
    signal?.addEventListener('abort', end)
    function end(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
  })
}
