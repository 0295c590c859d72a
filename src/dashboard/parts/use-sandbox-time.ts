import { useEffect, useState } from 'preact/hooks'
import { useSandbox } from '../page.ts'
import { timeAt } from '../sandbox/clock-reading.ts'

/** The sandbox's time in epoch milliseconds, read again at an interval; `undefined` until it is known. */
export function useSandboxTime(interval: number): number | undefined {
  const { clock, connection } = useSandbox()
  const isRunning = clock !== undefined && !clock.isFrozen && connection === 'live'
  const now = useTicks(isRunning ? interval : undefined)

  return clock && timeAt(clock, now)
}

/** The page's own timer, read at an interval; only once when there is none. */
function useTicks(interval: number | undefined): number {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    setNow(performance.now())
    if (interval === undefined) return undefined
    const timer = setInterval(() => setNow(performance.now()), interval)
    return () => clearInterval(timer)
  }, [interval])

  return now
}
