import { createClient } from 'pet-sandbox/client'

declare global {
  /** `createClient` of the built package, for the tests that run code in this page. */
  var createSandboxClient: typeof createClient
}

globalThis.createSandboxClient = createClient
