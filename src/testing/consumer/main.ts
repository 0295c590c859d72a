import { setupWorker } from 'msw/browser'
import { createSandbox, type Sandbox } from 'pet-sandbox'
import { toHandlers } from 'pet-sandbox/msw'

declare global {
  /** The sandbox that answers the page's requests, for the tests. */
  var sandbox: Sandbox
}

globalThis.sandbox = createSandbox()
const handlers = toHandlers(globalThis.sandbox, { baseUrl: 'https://api.example.com/v1' })
await setupWorker(...handlers).start()
await import('./app.ts')
