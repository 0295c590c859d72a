import { setupWorker } from 'msw/browser'
import { createSandbox, type Sandbox } from 'pet-sandbox'
import { strict, toHandlers } from 'pet-sandbox/msw'

declare global {
  /** Resolves with the page's sandbox when it answers the page's requests. */
  var sandboxStarted: Promise<Sandbox>
}

// The script of a page: it runs the built package and MSW, whose Service Worker answers the page's requests.
globalThis.sandboxStarted = start()

async function start(): Promise<Sandbox> {
  const sandbox = createSandbox(JSON.parse(decodeURIComponent(location.hash.slice(1)) || '{}'))
  const handlers = toHandlers(sandbox, { baseUrl: 'https://api.example.com/v1' })
  await setupWorker(...handlers).start({ quiet: true, ...strict })

  return sandbox
}
