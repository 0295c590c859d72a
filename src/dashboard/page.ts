import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { SandboxClient } from '../client/sandbox-client.ts'
import { worldPath } from '../http/paths.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Route, RouteParts } from './route.ts'
import { type SandboxState, type SandboxStore, timeAt } from './sandbox-store.ts'
import type { Traffic } from './traffic.ts'

/** What each view can use. */
export interface Page {
  /** Steers the world that the page shows. */
  readonly client: SandboxClient
  /** The live model of that world. */
  readonly store: SandboxStore
  readonly route: Route
  readonly toasts: Toasts
  /** The address of the server, with the path prefix of a proxy and without a slash at the end. */
  readonly site: string
  /** The address of a link: what is not given is as in the present route, except the path and the query. */
  readonly linkTo: (parts: RouteParts) => string
  /** Changes settings of the view in the address, without an entry in the history of the browser. */
  readonly change: (settings: Route['query']) => void
}

export const PageContext: ReturnType<typeof createContext<Page | undefined>> = createContext<
  Page | undefined
>(undefined)

export function usePage(): Page {
  const page = useContext(PageContext)
  if (page) return page
  throw new TypeError('This part is outside of the page')
}

/** The start of the paths of a client's world; empty for the default world. */
export function worldPrefix({ name }: Pick<SandboxClient, 'name'>): string {
  return name === 'default' ? '' : worldPath(name)
}

/** What is known of the sandbox. Draws the part again when it changes, and not for each exchange. */
export function useSandbox(): SandboxState {
  const { store } = usePage()
  const [, draw] = useState(store.state)
  useEffect(() => store.subscribe(() => draw(store.state)), [store])
  return store.state
}

/** The exchanges of the world. Draws the part again when there are new ones. */
export function useTraffic(): Traffic {
  const { store } = usePage()
  const [, draw] = useState(0)
  useEffect(() => store.subscribe(() => draw((count) => count + 1)), [store])
  return store.traffic
}

/** The exchanges of the world. Draws the part again when there are new ones of an operation, and not for those of others. */
export function useTrafficOf(operation: string): Traffic {
  const { store } = usePage()
  const [, draw] = useState('')
  useEffect(() => {
    const read = (): void => draw(store.traffic.versionOf(operation))
    read()
    return store.subscribe(read)
  }, [store, operation])
  return store.traffic
}

/** A message about the result of an action. */
export interface Toast {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
  /** Whether it says that the sandbox did not answer. Then it is past when the sandbox answers again. */
  readonly isAboutConnection: boolean
}

/** The codes of errors that say that the sandbox did not answer. */
const NO_ANSWER: ReadonlySet<string> = new Set(['unreachable', 'no_answer'])

/** Milliseconds for which a success is shown. A failure is shown until it is closed. */
const SHOWN = 5000
const MAX_TOASTS = 4

/** The messages about the latest actions. */
export class Toasts {
  #toasts: readonly Toast[] = []
  #count = 0
  readonly #listeners = new Set<(toasts: readonly Toast[]) => void>()

  /** Says that an action succeeded. */
  done(text: string): void {
    const id = this.#add('done', text, false)
    setTimeout(() => this.close(id), SHOWN)
  }

  /** Shows the message of an error. */
  readonly failed = (error: unknown): void =>
    void this.#add(
      'failed',
      messageOf(error),
      error instanceof UsageError && NO_ANSWER.has(error.code),
    )

  /** Closes the messages that are past when the sandbox answers again. */
  readonly reconnected = (): void => this.#set(this.#toasts.filter((one) => !one.isAboutConnection))

  readonly close = (id: number): void => this.#set(this.#toasts.filter((one) => one.id !== id))

  readonly subscribe = (listener: (toasts: readonly Toast[]) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #add(kind: Toast['kind'], text: string, isAboutConnection: boolean): number {
    this.#count += 1
    const others = this.#toasts.filter((one) => one.text !== text).slice(1 - MAX_TOASTS)
    this.#set([...others, { id: this.#count, kind, text, isAboutConnection }])
    return this.#count
  }

  #set(toasts: readonly Toast[]): void {
    this.#toasts = toasts
    for (const listener of this.#listeners) listener(toasts)
  }
}

/**
 * Runs a change, unless another one runs. Says what came of it: `done`, or the message of the error. Calls `then` when it succeeded.
 */
export type RunAction = <Result>(
  change: () => Promise<Result>,
  done: string | ((result: Result) => string),
  then?: () => unknown,
) => unknown

interface Action {
  readonly run: RunAction
  readonly isBusy: boolean
}

/** Runs one change at a time. `onError` is called instead of showing the error as a message. */
export function useAction(onError?: (error: unknown) => void): Action {
  const { toasts, store } = usePage()
  const [isBusy, setBusy] = useState(false)
  const running = useRef(false)
  const run: RunAction = async (change, done, then) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    try {
      const result = await change()
      await store.refresh()
      // Last, so that who reads the message sees the new state, and what follows the change follows at once.
      toasts.done(typeof done === 'string' ? done : done(result))
    } catch (error) {
      return (onError ?? toasts.failed)(error)
    } finally {
      running.current = false
      setBusy(false)
    }
    then?.()
  }

  return { isBusy, run }
}

/** An action of a form that shows the error of the last run itself. */
export function useFormAction(): Action & { readonly error: unknown } {
  const [error, setError] = useState<unknown>(undefined)
  const { run, isBusy } = useAction(setError)

  return {
    isBusy,
    error,
    run: (...action) => {
      setError(undefined)
      return run(...action)
    },
  }
}

/** What was loaded for a view. */
interface Loaded<Value> {
  /** Absent until it is loaded. The last value stays when loading again fails. */
  readonly value?: Value
  /** The message of the error when loading failed. */
  readonly error?: string
  /** Loads it again, such as after a change. */
  readonly reload: () => Promise<void>
}

/** The wait is at least so many times as long as the last load took, so that a busy sandbox has time for other requests. */
const WAIT_FACTOR = 4

/**
 * Loads what a view shows: at once, when one of `inputs` changes, when the sandbox was reset or answers again, and every so
 * often. An answer that comes after a change of these, or after the answer to a later load, is ignored. `every` is the milliseconds
 * between loads; by default it is loaded once. After a slow answer, the next load waits longer.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  inputs: readonly unknown[] = [],
  every?: number,
): Loaded<Value> {
  const { client, store } = usePage()
  const { connection, generation } = store.state
  const [result, setResult] = useState<{ readonly value?: Value; readonly error?: string }>({})
  // The numbers of the latest load, and of the latest one whose answer cannot be used any more.
  const loads = useRef({ started: 0, past: 0 })
  const read = useCallback(load, [client, ...inputs])
  const reload = useCallback(async () => {
    loads.current.started += 1
    const number = loads.current.started
    const next = await read().then(
      (value) => ({ value }),
      (error: unknown) => ({ error: messageOf(error) }),
    )
    if (number <= loads.current.past) return
    loads.current.past = number
    setResult((last) => {
      if (!('value' in next)) return { ...last, ...next }
      // What is still the same is not drawn again.
      return next.value === last.value && last.error === undefined ? last : next
    })
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
  }, [reload, every, connection, generation])

  return { ...result, reload }
}

/** What an error says; empty without one. */
export function messageOf(error: unknown): string {
  if (error === undefined) return ''
  // The texts of browsers, such as "signal timed out", say nothing about the request.
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return 'No response came in time.'
  return error instanceof Error ? error.message : String(error)
}

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

/** How long a browser may take to begin a download, in milliseconds. */
const DOWNLOAD_START = 60_000

/** Saves a text as a file, as a download of the browser. */
export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_START)
}

/** A name for a file of several parts, such as `snapshot-default.json`. Other characters than letters and digits become `-`. */
export function fileName(parts: readonly string[], extension: string): string {
  const words = parts.map((part) => part.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60))
  return `${words.join('-')}.${extension}`
}
