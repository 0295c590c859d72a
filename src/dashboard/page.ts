import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { SandboxClient } from '../client/sandbox-client.ts'
import type { Toasts } from './parts/toasts.tsx'
import { type Route, type RouteParts, toHash } from './route.ts'
import type { SandboxState } from './sandbox/sandbox-state.ts'
import type { SandboxStore } from './sandbox/sandbox-store.ts'
import type { Traffic } from './sandbox/traffic.ts'

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
}

export const PageContext: ReturnType<typeof createContext<Page | undefined>> = createContext<
  Page | undefined
>(undefined)

export function usePage(): Page {
  const page = useContext(PageContext)
  if (page) return page
  throw new TypeError('This part is outside of the page')
}

/** What is known of the sandbox. Draws the part again when it changes. */
export function useSandbox(): SandboxState {
  const { store } = usePage()
  useChanges(store)
  return store.state
}

/** The exchanges of the world. Draws the part again when there are new ones. */
export function useTraffic(): Traffic {
  const { store } = usePage()
  useChanges(store)
  return store.traffic
}

function useChanges({ subscribe }: SandboxStore): void {
  const [, draw] = useState(0)
  useEffect(() => subscribe(() => draw((count) => count + 1)), [subscribe])
}

/** Makes the addresses of links: what is not given is as in the present route, except the path and the query. */
export function useLinks(): (parts: RouteParts) => string {
  const { route } = usePage()
  return (parts) => toHash({ ...withoutPlace(route), ...parts })
}

/** Changes settings of the view in the address, without an entry in the history of the browser. */
export function useSettings(): (settings: Readonly<Record<string, string>>) => void {
  const { route } = usePage()
  return (settings) => {
    const hash = toHash({ ...route, query: { ...route.query, ...settings } })
    history.replaceState(history.state, '', hash)
    // The browser does not report this change.
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}

function withoutPlace({ view, world }: Route): RouteParts {
  return { ...(view && { view }), ...(world !== undefined && { world }) }
}
