import { type JSX, render } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { createClient } from '../client/client.ts'
import type { ServiceTypes } from '../contract/contract.ts'
import { PAGE_HEADER } from '../http/paths.ts'
import { REASON_HEADER } from '../http/problem.ts'
import { isObject } from '../validation/objects.ts'
import { type Drawing, inBatches, waitAfter, waitForKeys } from './batches.ts'
import { Frame } from './frame.tsx'
import { type Page, PageContext, Toasts } from './page.ts'
import { parseRoute, type Route, toHash } from './route.ts'
import { SandboxStore } from './sandbox-store.ts'

/** The whole page, for the control interface at `address`. */
function App({ address }: { readonly address: string }): JSX.Element {
  const route = useRoute()
  const [token, setToken] = useState(storedToken)
  const [toasts] = useState(() => new Toasts())
  const { world } = route
  const opened = useMemo(() => open(address, world, token), [address, world, token])
  useEffect(() => {
    void opened.store.start()
    return () => opened.store.stop()
  }, [opened])
  useEffect(() => {
    // Each address of the page has an entry of its own in the history.
    if (token !== undefined) storeToken(token)
  }, [token, route])
  const page: Page = {
    ...opened,
    route,
    toasts,
    site: address.replace(/\/__sandbox$/, ''),
    linkTo: (parts) => toHash({ ...route, path: [], query: {}, ...parts }),
    change: (settings) => {
      const hash = toHash({ ...route, query: { ...route.query, ...settings } })
      history.replaceState(history.state, '', hash)
      // The browser does not report this change.
      dispatchEvent(new HashChangeEvent('hashchange'))
    },
  }

  return (
    <PageContext.Provider value={page}>
      <Frame onToken={setToken} />
    </PageContext.Provider>
  )
}

/** The client and the live model of a world. */
function open(
  address: string,
  world: string | undefined,
  token: string | undefined,
): Pick<Page, 'client' | 'store'> {
  const client = createClient<ServiceTypes>(address, {
    fetch: fetchExisting,
    ...(world !== undefined && { world }),
    ...(token !== undefined && { token }),
  })
  return { client, store: new SandboxStore(client, { schedule, now: () => performance.now() }) }
}

/** The milliseconds that a page lasts at least. Of two servers without a store, each would make the page of the other load again. */
const MIN_LIFETIME = 3000

/**
 * Sends a request that creates no world, so that a world that was deleted stays deleted while the page shows it. The secret of the
 * page says that the request is one of the dashboard. A sandbox that was started again has another one.
 */
async function fetchExisting(
  address: RequestInfo | URL,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('If-Match', '*')
  const secret = document.querySelector<HTMLMetaElement>('meta[name="secret"]')?.content
  if (secret) headers.set(PAGE_HEADER, secret)
  const response = await fetch(address, { ...init, headers })
  const isOutdated = response.headers.get(REASON_HEADER) === 'outdated-page'
  if (isOutdated && performance.now() > MIN_LIFETIME) location.reload()
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream')

  return isStream ? inBatches(response) : response
}

/** When the last drawing ended, and how long it took, in milliseconds. */
let drawn: Drawing = { at: 0, took: 0 }

/** When a key was pressed last, in milliseconds. */
let pressed = 0
addEventListener('keydown', ({ timeStamp }) => {
  pressed = timeStamp
})

/** Draws in a frame. The browser draws no frames of a tab that is not visible. */
function schedule(draw: () => void): void {
  const begin = (): void => {
    const wait = waitForKeys(drawn, pressed, performance.now())
    if (wait > 0) setTimeout(begin, wait)
    else requestAnimationFrame(() => measured(draw))
  }
  setTimeout(begin, waitAfter(drawn, performance.now()))
}

/** A part is drawn in a microtask after its state was set, and laid out before the next task. */
function measured(draw: () => void): void {
  const start = performance.now()
  draw()
  setTimeout(() => {
    const at = performance.now()
    drawn = { at, took: at - start }
  })
}

/** The route of the page's address. */
function useRoute(): Route {
  const [hash, setHash] = useState(() => location.hash)
  useEffect(() => {
    const read = (): void => setHash(location.hash)
    // An effect runs after the page was drawn. The address may have changed since it was read.
    read()
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])

  return useMemo(() => parseRoute(hash), [hash])
}

// The token is in the present entry of the history, which no other page can read. Every page of the origin can read
// `sessionStorage`, and the responses of the API have the same origin.

/** The token that was typed in this tab; `undefined` when none was. */
function storedToken(): string | undefined {
  const state: unknown = history.state
  return isObject(state) && typeof state.token === 'string' ? state.token : undefined
}

/** Keeps the token for the present address, until the tab is closed. */
function storeToken(token: string): void {
  history.replaceState({ token }, '')
}

const root = document.getElementById('app')
if (root) render(<App address={new URL('__sandbox', document.baseURI).href} />, root)
