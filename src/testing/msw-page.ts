import { setupWorker } from 'msw/browser'
import { createSandbox, type Sandbox } from 'pet-sandbox'
import { strict, toHandlers } from 'pet-sandbox/msw'

declare global {
  /** The page's sandbox, once its requests are answered by it. */
  var opened: Promise<Sandbox>
}

// What runs in the page: the built package and MSW, whose worker answers the page's own requests.
globalThis.opened = open()

async function open(): Promise<Sandbox> {
  const sandbox = createSandbox(JSON.parse(decodeURIComponent(location.hash.slice(1)) || '{}'))
  const handlers = toHandlers(sandbox, { baseUrl: 'https://api.example.com/v1' })
  await setupWorker(...handlers).start({ quiet: true, ...strict })

  return sandbox
}
