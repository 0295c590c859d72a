import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { usePage } from '../page.ts'

/** What was loaded for a view. */
export interface Loaded<Value> {
  /** Absent until it is loaded. The last value stays when loading again fails. */
  readonly value?: Value
  /** The message of the error when loading failed. */
  readonly error?: string
  /** Loads it again, such as after a change. */
  readonly reload: () => Promise<void>
}

/** When to load again. */
export interface LoadOptions {
  /** Milliseconds between loads; by default it is loaded once. After a slow answer, the next load waits longer. */
  readonly every?: number
}

/** The wait is at least so many times as long as the last load took, so that a busy sandbox has time for other requests. */
const WAIT_FACTOR = 4

/**
 * Loads what a view shows: at once, when one of `inputs` changes, when the sandbox was reset or answers again, and every so
 * often. An answer that comes after a change of these, or after the answer to a later load, is ignored.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  inputs: readonly unknown[],
  { every }: LoadOptions = {},
): Loaded<Value> {
  const { client, store } = usePage()
  const { connection, generation } = store.state
  const [result, setResult] = useState<{ readonly value?: Value; readonly error?: string }>({})
  // The numbers of the latest load, and of the latest one whose answer cannot be used any more.
  const loads = useRef({ started: 0, past: 0 })
  const read = useCallback(load, inputs)
  const reload = useCallback(async () => {
    loads.current.started += 1
    const number = loads.current.started
    const next = await read().then(
      (value) => ({ value }),
      (error: unknown) => ({ error: messageOf(error) }),
    )
    if (number <= loads.current.past) return
    loads.current.past = number
    setResult((last) => ('value' in next ? next : { ...last, ...next }))
  }, [read])
  // Another world, a reset and a new connection change the answer.
  useEffect(() => {
    let isPast = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = async (): Promise<void> => {
      const start = performance.now()
      await reload()
      if (isPast) return
      const slow = (performance.now() - start) * WAIT_FACTOR
      if (every !== undefined) timer = setTimeout(() => void run(), Math.max(every, slow))
    }
    if (connection === 'live') void run()
    return () => {
      isPast = true
      loads.current.past = loads.current.started
      clearTimeout(timer)
    }
  }, [reload, every, client, connection, generation])

  return { ...result, reload }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
